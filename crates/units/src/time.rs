//! Time: whole nanoseconds from the start of a run or, where a run asks for ns-2's clock, sums of doubles.

use crate::math;
use core::ops::{Add, AddAssign, Div, Mul, Sub};

/// A moment: nanoseconds since the start of the run or, with the feature `doubles`, the same in seconds as a double.
///
/// If the top bit is clear, the number counts nanoseconds; if it is set, the others are the bits of a positive
/// double, so that moments of one kind are ordered as their numbers are. Which kind a run has follows from its first
/// moment: adding a span to a moment returns one of the same kind. See `docs/decisions/007-a-clock-of-doubles.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

/// Whether this instance of the crate supports moments that are doubles; without them they cost nothing.
pub const DOUBLES: bool = cfg!(feature = "doubles");
/// Set in a moment that is a double.
const DOUBLE: u64 = 1 << 63;
/// The greatest finite double.
const GREATEST: u64 = (0x7ff << 52) - 1;

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// The start of a run whose time is a sum of doubles.
    pub const ZERO_IN_DOUBLES: Time = Time(DOUBLE);
    /// Later than anything that happens.
    pub const NEVER: Time = Time(u64::MAX);

    /// Time elapsed since `earlier`; zero if `earlier` lies ahead.
    #[inline]
    pub fn since(self, earlier: Time) -> Span {
        if self.is_special() {
            return self.since_slow(earlier);
        }
        Span(self.0.saturating_sub(earlier.0))
    }

    /// The same in seconds, to the last bit where moments are doubles.
    #[inline]
    pub fn secs_since(self, earlier: Time) -> f64 {
        if self.is_double() {
            return self.as_secs() - earlier.as_secs();
        }
        self.since(earlier).as_secs()
    }

    /// Packet times since `earlier` on a link of `per_sec` packets per second, and how many are complete. A nanosecond
    /// more keeps an exact multiple; of doubles the last bit decides, as in ns-2.
    pub fn packets_since(self, earlier: Time, per_sec: f64) -> (f64, u64) {
        if self.is_double() {
            let packets = per_sec * self.secs_since(earlier);
            return (packets, packets as u64);
        }
        let elapsed = self.since(earlier).0 as f64;
        let packets = |ns: f64| ns * per_sec / 1e9;
        (packets(elapsed), packets(elapsed + 1.0) as u64)
    }

    /// Returns the time this number of seconds later; at least a nanosecond where times are nanoseconds.
    #[inline]
    pub fn plus_secs(self, secs: f64) -> Time {
        if self.is_double() {
            return Time::in_doubles(self.as_secs() + secs);
        }
        self + Span::from_secs(secs).max(Span(1))
    }

    /// Seconds since the start of the run.
    #[inline]
    pub fn as_secs(self) -> f64 {
        if self.is_double() {
            f64::from_bits(self.0 & !DOUBLE)
        } else {
            self.0 as f64 * 1e-9
        }
    }

    /// Whole nanoseconds since the start of the run.
    #[inline]
    pub fn nanos(self) -> u64 {
        if self.is_double() {
            Span::from_secs(self.as_secs()).0
        } else {
            self.0
        }
    }

    /// The moment `secs` seconds after the start, rounded to the nanosecond.
    pub fn from_secs(secs: f64) -> Time {
        Time(Span::from_secs(secs).0)
    }

    /// Whether this is a double.
    #[inline]
    pub fn is_double(self) -> bool {
        self.is_special() && self != Time::NEVER
    }

    /// Whether this does not count nanoseconds: it is a double, or [`Time::NEVER`].
    #[inline]
    pub fn is_special(self) -> bool {
        DOUBLES && self.0 & DOUBLE != 0
    }

    /// The start of the run, of this moment's kind.
    pub fn start(self) -> Time {
        if self.is_double() {
            Time::ZERO_IN_DOUBLES
        } else {
            Time::ZERO
        }
    }

    fn in_doubles(secs: f64) -> Time {
        Time(DOUBLE | secs.max(0.0).to_bits().min(GREATEST))
    }

    #[cold]
    #[inline(never)]
    fn since_slow(self, earlier: Time) -> Span {
        if self.is_double() {
            Span::from_secs(self.as_secs() - earlier.as_secs())
        } else {
            Span(self.0.saturating_sub(earlier.0))
        }
    }

    #[cold]
    #[inline(never)]
    fn plus_slow(self, span: Span) -> Time {
        if self.is_double() && span.0 < u64::MAX {
            return Time::in_doubles(self.as_secs() + span.0 as f64 / 1e9);
        }
        Time::NEVER
    }

    #[cold]
    #[inline(never)]
    fn minus_slow(self, span: Span) -> Time {
        if self.is_double() {
            Time::in_doubles(self.as_secs() - span.0 as f64 / 1e9)
        } else {
            Time(self.0.saturating_sub(span.0))
        }
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// A whole number of microseconds.
    pub const fn from_micros(us: u64) -> Span {
        Span(us * 1_000)
    }

    /// A whole number of milliseconds.
    pub const fn from_millis(ms: u64) -> Span {
        Span(ms * 1_000_000)
    }

    /// `secs` seconds, rounded to the nanosecond; negative values and NaN give zero.
    pub fn from_secs(secs: f64) -> Span {
        Span(math::round(secs * 1e9) as u64)
    }

    /// Length in seconds.
    #[inline]
    pub fn as_secs(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// Length in milliseconds.
    #[inline]
    pub fn as_millis(self) -> f64 {
        // Signed numbers convert in one instruction; three centuries fit.
        self.0 as i64 as f64 * 1e-6
    }

    /// How many times `unit` fits into this span.
    #[inline]
    pub fn ratio(self, unit: Span) -> f64 {
        self.0 as f64 / unit.0 as f64
    }

    /// This span times a factor, rounded to the nanosecond.
    #[inline]
    pub fn scale(self, factor: f64) -> Span {
        Span(math::round(self.0 as f64 * factor) as u64)
    }
}

impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Span) -> Time {
        if self.is_special() {
            return self.plus_slow(span);
        }
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    /// Stops at the start of the run.
    #[inline]
    fn sub(self, span: Span) -> Time {
        if self.is_special() {
            return self.minus_slow(span);
        }
        Time(self.0.saturating_sub(span.0))
    }
}

impl Add for Span {
    type Output = Span;
    #[inline]
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Span;
    /// Stops at zero.
    #[inline]
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    #[inline]
    fn mul(self, n: u64) -> Span {
        Span(self.0.saturating_mul(n))
    }
}

impl Div<u64> for Span {
    type Output = Span;
    #[inline]
    fn div(self, n: u64) -> Span {
        Span(self.0 / n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_stops_at_the_ends_of_time() {
        assert_eq!(Time::NEVER + Span(1), Time::NEVER);
        assert_eq!(Time(5).since(Time(7)), Span::ZERO);
        assert_eq!(Time(5) - Span(7), Time::ZERO);
    }

    #[cfg(feature = "doubles")]
    #[test]
    fn doubles_are_added_as_doubles_and_ordered_as_numbers() {
        let zero = Time::ZERO_IN_DOUBLES;
        let tenth = zero + Span::from_millis(100);
        let three = tenth + Span::from_millis(100) + Span::from_millis(100);
        assert_eq!((tenth.as_secs(), three.as_secs()), (0.1, 0.1 + 0.1 + 0.1));
        let exact = zero + Span::from_millis(300);
        assert!(exact < three, "0.3 is less than three tenths");
        assert_eq!((three.since(exact), three.nanos()), (Span::ZERO, 300_000_000));
        assert!(three.secs_since(exact) > 0.0);
        assert_eq!(three.since(Time::ZERO), Span::from_millis(300));
        assert_eq!(zero.since(tenth), Span::ZERO);
        assert_eq!(tenth - Span::from_millis(300), zero);
        assert_eq!((tenth.start(), Time(5).start(), Time::NEVER.start()), (zero, Time::ZERO, Time::ZERO));
        assert!(three < Time::NEVER && three + Span(u64::MAX) == Time::NEVER);
        assert!(Time::NEVER.since(three) > Span::from_millis(1 << 40));
    }

    /// Ten packets a second: 0.3 - 0.1 is less than 0.2 by a bit, so one is complete, not two as in nanoseconds.
    #[cfg(feature = "doubles")]
    #[test]
    fn the_last_bit_decides_about_a_packet_time() {
        let after = |ms: u64| Time::ZERO_IN_DOUBLES + Span::from_millis(ms);
        assert_eq!(after(300).packets_since(after(100), 10.0), (10.0 * (0.3 - 0.1), 1));
        assert_eq!(after(400).packets_since(after(100), 10.0).1, 3);
    }

    #[test]
    fn an_exact_number_of_packet_times_is_complete() {
        let after = |ms: u64| Time::ZERO + Span::from_millis(ms);
        assert_eq!(after(300).packets_since(after(100), 10.0), (2.0, 2));
        assert_eq!(after(299).packets_since(after(100), 10.0), (1.99, 1));
    }

    #[test]
    fn seconds_round_to_the_nanosecond() {
        assert_eq!(Span::from_secs(0.1), Span::from_millis(100));
        assert_eq!(Time::from_secs(1.0000000004), Time(1_000_000_000));
        assert_eq!(Span::from_secs(f64::NAN), Span::ZERO);
        assert_eq!(Span(3).scale(0.5), Span(2));
    }
}
