//! Sizes in bytes, rates in bits per second, and the time one takes at the other.

use crate::time::Span;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// Bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

impl Rate {
    /// Time to send `size`, rounded down to the nanosecond; zero at rate zero, which means "unlimited".
    #[inline]
    pub fn time_for(self, size: Bytes) -> Span {
        if self.0 == 0 {
            return Span::ZERO;
        }
        Span((u128::from(size.0) * 8_000_000_000 / u128::from(self.0)) as u64)
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

/// Turns sizes into transmission times without drift: what a division leaves over is carried to the
/// next packet of the same busy period, so 64 bytes at 10 Gbit/s take 51, 51, 51, 51, 52 ns.
#[derive(Clone, Debug)]
pub struct Serializer {
    rate: u64,
    /// Nanoseconds a byte takes, where that is a whole number: then nothing is ever left over. Otherwise zero.
    ns_a_byte: u64,
    /// Remainder of the last division, in units of 1/rate nanoseconds.
    left: u64,
    /// Last size asked for and its quotient and remainder: most packets on a link have one size.
    last: (u64, u64, u64),
}

impl Serializer {
    /// A transmitter of the given rate; rate zero sends in no time.
    pub fn new(rate: Rate) -> Serializer {
        let whole = rate.0 > 0 && NS_A_BYTE_AT_1_BPS % rate.0 == 0;
        let ns_a_byte = if whole { NS_A_BYTE_AT_1_BPS / rate.0 } else { 0 };
        Serializer { rate: rate.0, ns_a_byte, left: 0, last: (0, 0, 0) }
    }

    /// The rate it sends at.
    pub fn rate(&self) -> Rate {
        Rate(self.rate)
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

    fn next_with_rest(&mut self, size: Bytes) -> Span {
        if self.last.0 != size.0 {
            self.last = self.divide(size.0);
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

    /// The entry of `last` for a size. Sixty-four bits do for all but absurd sizes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_are_carried() {
        let mut line = Serializer::new(Rate(10_000_000_000));
        let times: Vec<u64> = (0..5).map(|_| line.next(Bytes(64)).0).collect();
        assert_eq!(times, [51, 51, 51, 51, 52]);
    }

    #[test]
    fn a_million_packets_take_what_they_should() {
        let mut line = Serializer::new(Rate(1_500_000));
        let total: u64 = (0..1_000_000).map(|i| line.next(Bytes(40 + i % 7)).0).sum();
        let bytes: u64 = (0..1_000_000u64).map(|i| 40 + i % 7).sum();
        assert_eq!(total, bytes * 8_000_000_000 / 1_500_000);
    }

    #[test]
    fn rate_zero_means_unlimited() {
        assert_eq!(Serializer::new(Rate(0)).next(Bytes(1500)), Span::ZERO);
        assert_eq!(Rate(0).time_for(Bytes(1500)), Span::ZERO);
    }
}
