//! Sizes in bytes, rates in bits per second, and the time one takes at the other.

use crate::framing::LineFraming;
use crate::math;
use crate::time::{Span, Time};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Add, AddAssign, Sub, SubAssign};

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// Bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

impl Rate {
    /// Whether a byte takes at least a nanosecond. A rate of 0 is without limit.
    pub fn delays_every_packet(self) -> bool {
        (1..=NS_A_BYTE_AT_1_BPS).contains(&self.0)
    }

    /// Time on the wire; the remainder of the division, in units of 1/rate nanoseconds, is carried from one packet of a
    /// busy period to the next. See [`Serializer`], which remembers sizes where this divides.
    pub fn time_after(self, size: Bytes, left: &mut u64) -> Span {
        if self.0 == 0 {
            return Span::ZERO;
        }
        let Some(total) = size.0.checked_mul(NS_A_BYTE_AT_1_BPS).and_then(|ns| ns.checked_add(*left)) else {
            return self.time_after_wide(size, left);
        };
        *left = total % self.0;
        Span(total / self.0)
    }

    #[cold]
    fn time_after_wide(self, size: Bytes, left: &mut u64) -> Span {
        let total = u128::from(size.0) * u128::from(NS_A_BYTE_AT_1_BPS) + u128::from(*left);
        *left = (total % u128::from(self.0)) as u64;
        Span((total / u128::from(self.0)) as u64)
    }

    /// Nanoseconds a byte takes, if that is a whole number.
    pub fn nanos_a_byte(self) -> Option<u64> {
        (self.0 > 0 && NS_A_BYTE_AT_1_BPS % self.0 == 0).then(|| NS_A_BYTE_AT_1_BPS / self.0)
    }

    /// Time to send `size`, rounded down to the nanosecond; zero at rate zero, which means "unlimited".
    #[inline]
    pub fn time_for(self, size: Bytes) -> Span {
        if self.0 == 0 {
            return Span::ZERO;
        }
        Span((u128::from(size.0) * 8_000_000_000 / u128::from(self.0)) as u64)
    }

    /// The same in seconds, as ns-2 divides it.
    #[cold]
    pub fn secs_for(self, size: Bytes) -> f64 {
        if self.0 == 0 {
            return 0.0;
        }
        8.0 * size.0 as f64 / self.0 as f64
    }

    /// Bits per second as a real number.
    pub fn as_bps(self) -> f64 {
        self.0 as f64
    }
}

impl Add for Bytes {
    type Output = Bytes;
    #[inline]
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, other: Bytes) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    #[inline]
    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0 - other.0)
    }
}

impl SubAssign for Bytes {
    #[inline]
    fn sub_assign(&mut self, other: Bytes) {
        self.0 -= other.0;
    }
}

const NS_A_BYTE_AT_1_BPS: u64 = 8_000_000_000;

/// Converts sizes to transmission times without drift: the remainder of a division is carried to the
/// next packet of the same busy period, so 64 bytes at 10 Gbit/s take 51, 51, 51, 51, 52 ns.
#[derive(Clone, Debug)]
pub struct Serializer {
    rate: u64,
    /// Nanoseconds a byte takes, where that is a whole number: then nothing is ever left over. Otherwise zero.
    ns_a_byte: u64,
    /// Remainder of the last division, in units of 1/rate nanoseconds.
    left: u64,
    /// Last size, with its quotient and remainder: most packets on a link have one size.
    last: (u64, u64, u64),
    /// Its way of sending, if that is more than a rate; the rate is zero then.
    slow_path: Option<Box<SlowPath>>,
}

/// A transmitter that is more than a rate.
#[derive(Clone, Debug)]
enum SlowPath {
    /// Sends at opportunities.
    Varying(OpportunityTransmitter),
    /// Sends at a rate, which is above zero, what the line makes of each packet.
    Framed(Rate, LineFraming),
}

/// A transmitter that follows opportunities.
#[derive(Clone, Debug)]
struct OpportunityTransmitter {
    opportunities: Arc<Opportunities>,
    /// The opportunity in use, its time, and the bytes it still carries.
    number: u64,
    at: Time,
    left: u64,
}

impl Serializer {
    /// A transmitter of the given rate; rate zero sends in no time.
    pub fn new(rate: Rate) -> Serializer {
        let ns_a_byte = rate.nanos_a_byte().unwrap_or(0);
        Serializer { rate: rate.0, ns_a_byte, left: 0, last: (0, 0, 0), slow_path: None }
    }

    /// The rate it sends at.
    pub fn rate(&self) -> Rate {
        Rate(self.rate)
    }

    /// A transmitter that sends when there are opportunities.
    pub fn varying(opportunities: Arc<Opportunities>) -> Serializer {
        let at = opportunities.time(0);
        let varying = OpportunityTransmitter { opportunities, number: 0, at, left: OPPORTUNITY };
        Serializer { slow_path: Some(Box::new(SlowPath::Varying(varying))), ..Serializer::new(Rate(0)) }
    }

    /// A transmitter of the given rate on a line that adds bytes to each packet; rate zero sends in no time.
    pub fn framed(rate: Rate, line: LineFraming) -> Serializer {
        if rate.0 == 0 || line == LineFraming::NONE {
            return Serializer::new(rate);
        }
        Serializer { slow_path: Some(Box::new(SlowPath::Framed(rate, line))), ..Serializer::new(Rate(0)) }
    }

    /// Whether a packet of this size takes a whole number of nanoseconds, and at least one.
    pub fn is_whole(&self, size: Bytes) -> bool {
        let ns = u128::from(size.0) * u128::from(NS_A_BYTE_AT_1_BPS);
        self.rate > 0 && ns >= u128::from(self.rate) && ns % u128::from(self.rate) == 0
    }

    /// Whether it follows opportunities.
    pub fn is_varying(&self) -> bool {
        matches!(self.slow_path.as_deref(), Some(SlowPath::Varying(_)))
    }

    /// Whether it sends at a rate the bytes that it is given.
    pub fn is_plain(&self) -> bool {
        self.slow_path.is_none()
    }

    /// The end on the wire of a packet that may start at `start`; calls are made in the order of their starts.
    #[inline]
    pub fn finish(&mut self, start: Time, size: Bytes) -> Time {
        if start.is_special() {
            return start.plus_secs(Rate(self.rate).secs_for(size));
        }
        if self.ns_a_byte > 0 {
            return start + Span(size.0.wrapping_mul(self.ns_a_byte));
        }
        if self.rate == 0 {
            return self.finish_without_rate(start, size);
        }
        start + self.next_with_rest(size)
    }

    #[cold]
    fn finish_without_rate(&mut self, start: Time, size: Bytes) -> Time {
        match self.slow_path.as_deref_mut() {
            None => start,
            Some(SlowPath::Varying(varying)) => varying.finish(start, size),
            Some(SlowPath::Framed(rate, line)) => {
                start + rate.time_after(Bytes(line.size(size.0)), &mut self.left)
            }
        }
    }

    /// Starts a busy period: nothing is carried over an idle gap.
    #[inline]
    pub fn restart(&mut self) {
        self.left = 0;
    }

    /// Time on the wire of the next packet of the busy period.
    #[inline]
    pub fn next(&mut self, size: Bytes) -> Span {
        if self.ns_a_byte > 0 {
            return Span(size.0.wrapping_mul(self.ns_a_byte));
        }
        if self.rate == 0 {
            return Span::ZERO;
        }
        self.next_with_rest(size)
    }

    #[inline]
    fn next_with_rest(&mut self, size: Bytes) -> Span {
        if self.last.0 != size.0 {
            self.prepare(size.0);
        }
        let (_, whole, rest) = self.last;
        let left = self.left + rest;
        if left >= self.rate {
            self.left = left - self.rate;
            Span(whole + 1)
        } else {
            self.left = left;
            Span(whole)
        }
    }

    /// The entry of `last` for a size, if it is not there.
    #[cold]
    #[inline(never)]
    fn prepare(&mut self, size: u64) {
        self.last = self.divide(size);
    }

    /// The entry of `last` for a size. Sixty-four bits suffice except for absurd sizes.
    fn divide(&self, size: u64) -> (u64, u64, u64) {
        match size.checked_mul(NS_A_BYTE_AT_1_BPS) {
            Some(total) => (size, total / self.rate, total % self.rate),
            None => {
                let (total, rate) =
                    (u128::from(size) * u128::from(NS_A_BYTE_AT_1_BPS), u128::from(self.rate));
                (size, (total / rate) as u64, (total % rate) as u64)
            }
        }
    }
}

/// Bytes that leave at one opportunity.
pub const OPPORTUNITY: u64 = 1500;

/// When a link may send: moments at which up to 1500 bytes leave, repeated without end (Mahimahi, NSDW15).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    /// Ascending; the last is the period.
    times: Vec<Span>,
}

impl Opportunities {
    /// At these milliseconds, which ascend; `None` if there are none, or none after the start.
    pub fn new(times_ms: &[u64]) -> Option<Opportunities> {
        let times: Vec<Span> = times_ms.iter().map(|ms| Span::from_millis(*ms)).collect();
        (times.last() > Some(&Span::ZERO)).then_some(Opportunities { times })
    }

    /// The mean rate over a period.
    pub fn mean_rate(&self) -> Rate {
        let bits = 8 * OPPORTUNITY * self.times.len() as u64;
        Rate(math::round(bits as f64 / self.period().as_secs()) as u64)
    }

    fn period(&self) -> Span {
        self.times[self.times.len() - 1]
    }

    /// The moment of an opportunity, numbered from 0 over all periods.
    fn time(&self, number: u64) -> Time {
        let n = self.times.len() as u64;
        Time::ZERO + self.period() * (number / n) + self.times[(number % n) as usize]
    }

    /// The number of the first opportunity at `now` or later.
    fn first_from(&self, now: Time) -> u64 {
        let (period, n) = (self.period().0, self.times.len() as u64);
        // An opportunity at the end of a period belongs to it; the next period has its own from then on.
        let mut round = now.0 / period;
        if now.0 % period == 0 && round > 0 {
            round -= 1;
        }
        let within = Span(now.0 - round * period);
        round * n + self.times.partition_point(|time| *time < within) as u64
    }
}

impl OpportunityTransmitter {
    fn finish(&mut self, start: Time, size: Bytes) -> Time {
        if self.at < start {
            self.number = self.opportunities.first_from(start);
            self.at = self.opportunities.time(self.number);
            self.left = OPPORTUNITY;
        }
        let mut rest = size.0;
        while rest > self.left {
            rest -= self.left;
            self.number += 1;
            self.at = self.opportunities.time(self.number);
            self.left = OPPORTUNITY;
        }
        self.left -= rest;
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framing::Framing;

    #[test]
    fn remainders_are_carried() {
        let mut line = Serializer::new(Rate(10_000_000_000));
        let times: Vec<u64> = (0..5).map(|_| line.next(Bytes(64)).0).collect();
        assert_eq!(times, [51, 51, 51, 51, 52]);
    }

    #[test]
    fn dividing_each_time_gives_the_same() {
        let mut line = Serializer::new(Rate(7_000_001));
        let mut left = 0;
        for size in (0..2000).map(|i| 40 + 7919 * i % 5_000_000_000) {
            assert_eq!(Rate(7_000_001).time_after(Bytes(size), &mut left), line.next(Bytes(size)));
        }
        assert_eq!(Rate(0).time_after(Bytes(9), &mut left), Span::ZERO);
    }

    #[test]
    fn a_million_packets_take_what_they_should() {
        let mut line = Serializer::new(Rate(1_500_000));
        let total: u64 = (0..1_000_000).map(|i| line.next(Bytes(40 + i % 7)).0).sum();
        let bytes: u64 = (0..1_000_000u64).map(|i| 40 + i % 7).sum();
        assert_eq!(total, bytes * 8_000_000_000 / 1_500_000);
    }

    /// A cell of 53 bytes takes 424 us at 1 Mbit/s; remainders are carried over cells, and not over a gap.
    #[test]
    fn a_line_of_cells_by_hand() {
        let cells = LineFraming { overhead: 40, least: 0, framing: Framing::Atm };
        let mut line = Serializer::framed(Rate(1_000_000), cells);
        assert!(!line.is_plain() && !line.is_varying());
        assert_eq!(line.finish(Time(1000), Bytes(1500)), Time(1000 + 33 * 424_000));
        assert_eq!(line.finish(Time::ZERO, Bytes(40)), Time(2 * 424_000));
        let mut faster = Serializer::framed(Rate(3_000_000), cells);
        let mut finish = || faster.finish(Time::ZERO, Bytes(8)).0;
        assert_eq!([finish(), finish(), finish()], [141_333, 141_333, 141_334]);
        assert_eq!(finish(), 141_333);
        faster.restart();
        assert_eq!(faster.finish(Time::ZERO, Bytes(8)).0, 141_333);
        assert!(Serializer::framed(Rate(5), LineFraming::NONE).is_plain());
        assert_eq!(Serializer::framed(Rate(0), cells).finish(Time(7), Bytes(9)), Time(7));
    }

    /// Opportunities at 2, 2 and 10 ms, again at 12, 12 and 20, and so on: 3600 kbit/s.
    #[test]
    fn opportunities_by_hand() {
        let opportunities = Opportunities::new(&[2, 2, 10]).unwrap();
        assert_eq!(opportunities.mean_rate(), Rate(3_600_000));
        let mut line = Serializer::varying(Arc::new(opportunities));
        let mut finish = |start: u64, size| line.finish(Time(start * 1_000_000), Bytes(size)).0 / 1_000_000;
        assert_eq!(finish(0, 1000), 2);
        // Five hundred bytes are left of the first, and the second is of the same moment.
        assert_eq!(finish(2, 500), 2);
        assert_eq!(finish(2, 1501), 10);
        // The rest of the opportunity at 10 ms is lost when the queue runs empty; 12 carries two, 20 one.
        assert_eq!([finish(11, 1500), finish(12, 1500), finish(12, 1500)], [12, 12, 20]);
        assert_eq!(finish(20, 1500), 22);
        assert_eq!(finish(1000, 1500), 1000);
        assert_eq!(finish(1000, 3000), 1002);
        assert!(Opportunities::new(&[]).is_none() && Opportunities::new(&[0, 0]).is_none());
    }

    #[test]
    fn rate_zero_means_unlimited() {
        assert_eq!(Serializer::new(Rate(0)).next(Bytes(1500)), Span::ZERO);
        assert_eq!(Rate(0).time_for(Bytes(1500)), Span::ZERO);
    }
}
