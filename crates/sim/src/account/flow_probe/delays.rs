//! One-way delays of a flow's packets. The flow counts the packets itself.

use crate::account::packed::PackedU128;
use crate::account::{Maximum, MeanSpan, Moments};
use units::Span;

/// A sum of nanoseconds with 80 bits (38 million years), without padding: a run cannot fill it.
#[derive(Clone, Copy, Debug, Default)]
struct Sum80 {
    low: [u32; 2],
    high: u16,
}

impl Sum80 {
    #[inline(always)]
    fn add(&mut self, span: Span) {
        let (low, wraps) = self.low().overflowing_add(span.0);
        self.low = [low as u32, (low >> 32) as u32];
        self.high += u16::from(wraps);
    }

    fn absorb(&mut self, other: Sum80) {
        self.add(Span(other.low()));
        self.high += other.high;
    }

    #[inline(always)]
    fn low(self) -> u64 {
        u64::from(self.low[1]) << 32 | u64::from(self.low[0])
    }

    fn get(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low())
    }
}

/// Sums of one-way delays, and of their variation from packet to packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delays {
    squares: PackedU128,
    nanos: Sum80,
    /// Sum of |D(i) - D(i-1)| (RFC 3393) in nanoseconds.
    variation: Sum80,
    max: Maximum,
    /// Packets that no other preceded; at most one in each session.
    firsts: u32,
    /// The index of the histogram of these delays.
    pub(super) histogram: u32,
}

impl Delays {
    /// No delays yet; for the histogram with this index.
    pub(super) fn of(histogram: usize) -> Delays {
        Delays { histogram: histogram as u32, ..Delays::default() }
    }

    /// Adds a delay.
    #[inline(always)]
    pub(super) fn add(&mut self, delay: Span) {
        self.nanos.add(delay);
        self.squares.add(u128::from(delay.0) * u128::from(delay.0));
        self.max.add(delay);
    }

    /// Adds the difference from the delay before.
    #[inline(always)]
    pub(super) fn add_variation(&mut self, variation: Span) {
        self.variation.add(variation);
    }

    /// Counts a packet that no other preceded.
    pub(super) fn count_first(&mut self) {
        self.firsts += 1;
    }

    /// Adds all delays of another flow.
    pub(super) fn absorb(&mut self, other: &Delays) {
        self.squares.add(other.squares.get());
        self.nanos.absorb(other.nanos);
        self.max.add(other.max.get());
        self.variation.absorb(other.variation);
        self.firsts += other.firsts;
    }

    /// Moments of this many delays.
    pub(super) fn moments(&self, count: u64) -> Moments {
        Moments::of(count, self.nanos.get(), self.squares.get(), self.max)
    }

    /// The mean variation of this many packets.
    pub(super) fn variation_ms(&self, count: u64) -> f64 {
        MeanSpan::of(count - u64::from(self.firsts), self.variation.get()).mean_ms()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred thousand packets that are delayed by a hundred days each: 27 thousand years, where 64 bits end after
    /// 584.
    #[test]
    fn sums_do_not_wrap_within_a_run() {
        let span = Span(100 * 86_400_000_000_000);
        let (mut delays, mut other) = (Delays::of(0), Delays::of(0));
        for _ in 0..50_000 {
            for half in [&mut delays, &mut other] {
                half.add(span);
                half.add_variation(span);
            }
        }
        delays.absorb(&other);
        let moments = delays.moments(100_000);
        assert_eq!(moments.total(), 100_000 * u128::from(span.0));
        assert_eq!(moments.mean_ms(), span.as_millis());
        assert!(
            moments.sd_ms() < 1e-7 * moments.mean_ms(),
            "all are equal, except for rounding: {}",
            moments.sd_ms()
        );
        assert_eq!(delays.variation_ms(100_000), span.as_millis());
    }
}
