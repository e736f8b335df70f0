//! One-way delays of a flow's packets. The flow counts the packets itself.

use crate::account::packed::PackedU128;
use crate::account::{Maximum, MeanSpan, Moments};
use units::Span;

/// Sums of one-way delays, and of their variation from packet to packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delays {
    squares: PackedU128,
    nanos: u64,
    max: Maximum,
    /// Sum of |D(i) - D(i-1)| (RFC 3393) in nanoseconds.
    variation: u64,
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
        self.nanos += delay.0;
        self.squares.add(u128::from(delay.0) * u128::from(delay.0));
        self.max.add(delay);
    }

    /// Adds the difference from the delay before.
    #[inline(always)]
    pub(super) fn add_variation(&mut self, variation: Span) {
        self.variation += variation.0;
    }

    /// Counts a packet that no other preceded.
    pub(super) fn count_first(&mut self) {
        self.firsts += 1;
    }

    /// Adds all delays of another flow.
    pub(super) fn absorb(&mut self, other: &Delays) {
        self.squares.add(other.squares.get());
        self.nanos += other.nanos;
        self.max.add(other.max.get());
        self.variation += other.variation;
        self.firsts += other.firsts;
    }

    /// Moments of this many delays.
    pub(super) fn moments(&self, count: u64) -> Moments {
        Moments::of(count, u128::from(self.nanos), self.squares.get(), self.max)
    }

    /// The mean variation of this many packets.
    pub(super) fn variation_ms(&self, count: u64) -> f64 {
        MeanSpan::of(count - u64::from(self.firsts), u128::from(self.variation)).mean_ms()
    }
}
