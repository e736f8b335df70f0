//! The rate of a transmitter, as the time of a byte.

use units::{Bytes, Rate, Span};

/// A rate in one word from which the time of a packet follows without a division: nanoseconds per byte if that is an
/// integer, else bits per second with the highest bit set. No rate needs that bit.
#[derive(Clone, Copy, Debug)]
pub(in crate::fast) struct ByteTime(u64);

const FRACTIONAL: u64 = 1 << 63;

impl ByteTime {
    pub(super) fn of(rate: Rate) -> ByteTime {
        ByteTime(rate.nanos_a_byte().unwrap_or(rate.0 | FRACTIONAL))
    }

    /// Nanoseconds per byte, if that is an integer.
    #[inline(always)]
    pub(super) fn whole_ns(self) -> Option<u64> {
        (self.0 & FRACTIONAL == 0).then_some(self.0)
    }

    /// Bits per second.
    pub(in crate::fast) fn rate(self) -> Rate {
        match self.whole_ns() {
            // The product of bits per second and nanoseconds per byte is a constant.
            Some(ns) => Rate(Rate(ns).nanos_a_byte().unwrap_or(0)),
            None => Rate(self.0 & !FRACTIONAL),
        }
    }

    /// [`Rate::time_after`].
    #[inline(always)]
    pub(super) fn time_after(self, size: u32, remainder: &mut u64) -> Span {
        match self.whole_ns() {
            Some(ns) => Span(u64::from(size) * ns),
            None => self.rate().time_after(Bytes(u64::from(size)), remainder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_keeps_its_rate() {
        for rate in [0, 1, 7, 1_000_000, 7_654_321, 8_000_000_000, 9_000_000_000].map(Rate) {
            let (mut remainder, mut of_rate) = (0, 0);
            let took = [40, 1500].map(|size| ByteTime::of(rate).time_after(size, &mut remainder));
            let right = [40, 1500].map(|size| rate.time_after(Bytes(size), &mut of_rate));
            assert_eq!((ByteTime::of(rate).rate(), took, remainder), (rate, right, of_rate));
        }
    }
}
