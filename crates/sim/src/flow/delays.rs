//! Delays of a flow's packets. How many there are is not counted here: the flow counts what arrives.

use super::wide::Wide;
use crate::stats::{Longest, MeanSpan, Moments};
use units::Span;

/// Sums of one-way delays, and of their variation from packet to packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delays {
    squares: Wide,
    nanos: u64,
    max: Longest,
    /// Sum of |D(i) - D(i-1)| (RFC 3393) in nanoseconds.
    variation: u64,
    /// Packets without one before them; a session has one at most.
    firsts: u32,
    /// Which histogram they go to.
    pub(super) histogram: u32,
}

impl Delays {
    /// None yet, for the histogram with this number.
    pub(super) fn of(histogram: usize) -> Delays {
        Delays { histogram: histogram as u32, ..Delays::default() }
    }

    /// Takes one more delay.
    #[inline(always)]
    pub(super) fn add(&mut self, delay: Span) {
        self.nanos += delay.0;
        self.squares.add(u128::from(delay.0) * u128::from(delay.0));
        self.max.add(delay);
    }

    /// By how much it differs from the one before.
    #[inline(always)]
    pub(super) fn vary(&mut self, variation: Span) {
        self.variation += variation.0;
    }

    /// There is none before it.
    pub(super) fn begin(&mut self) {
        self.firsts += 1;
    }

    /// Takes all delays of another flow.
    pub(super) fn absorb(&mut self, other: &Delays) {
        self.squares.add(other.squares.get());
        self.nanos += other.nanos;
        self.max.add(other.max.get());
        self.variation += other.variation;
        self.firsts += other.firsts;
    }

    /// Moments of so many delays.
    pub(super) fn moments(&self, count: u64) -> Moments {
        Moments::of(count, self.nanos, self.squares.get(), self.max)
    }

    /// The mean variation of so many.
    pub(super) fn variation_ms(&self, count: u64) -> f64 {
        MeanSpan::of(count - u64::from(self.firsts), self.variation).mean_ms()
    }
}
