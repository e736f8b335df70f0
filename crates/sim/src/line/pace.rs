//! How fast a transmitter sends.

use units::{Bytes, Rate, Span};

/// A rate in one word that tells without a division how long a packet takes: the nanoseconds of a byte where that is a whole number,
/// else bits per second with the highest bit set. No rate needs that bit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace(u64);

const FRACTIONAL: u64 = 1 << 63;

impl Pace {
    pub(super) fn of(rate: Rate) -> Pace {
        Pace(rate.nanos_a_byte().unwrap_or(rate.0 | FRACTIONAL))
    }

    /// Nanoseconds a byte takes, if that is a whole number.
    #[inline(always)]
    pub(super) fn ns_a_byte(self) -> Option<u64> {
        (self.0 & FRACTIONAL == 0).then_some(self.0)
    }

    /// Bits per second.
    pub(super) fn rate(self) -> Rate {
        match self.ns_a_byte() {
            // The product of both is the same for all.
            Some(ns) => Rate(Rate(ns).nanos_a_byte().unwrap_or(0)),
            None => Rate(self.0 & !FRACTIONAL),
        }
    }

    /// [`Rate::time_after`].
    #[inline(always)]
    pub(super) fn time_after(self, size: u32, left: &mut u64) -> Span {
        match self.ns_a_byte() {
            Some(ns) => Span(u64::from(size) * ns),
            None => self.rate().time_after(Bytes(u64::from(size)), left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_keeps_its_rate() {
        for rate in [0, 1, 7, 1_000_000, 7_654_321, 8_000_000_000, 9_000_000_000].map(Rate) {
            let (mut left, mut of_rate) = (0, 0);
            let took = [40, 1500].map(|size| Pace::of(rate).time_after(size, &mut left));
            let right = [40, 1500].map(|size| rate.time_after(Bytes(size), &mut of_rate));
            assert_eq!((Pace::of(rate).rate(), took, left), (rate, right, of_rate));
        }
    }
}
