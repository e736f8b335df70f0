//! How RED turns the base probability `p_b` into marks: the count correction `p_a`, the laws that keep one
//! random number instead, and the ways packet sizes enter.
//!
//! Reference: FJ93 section 7 and Figure 2; CEP00 for the byte modes.
//! Units: `count` counts arrivals (in RED_4 and RED_5: weighted arrivals); probabilities are plain.
//! Deviations: `p_a` is cut at 1 where the source leaves it open.

use super::auto::ResolvedParams;
use super::params::{AverageArithmetic, ByteMode, Draws, MarkCounting, Params, Spacing};
use crate::disc::{Cx, Packet};
use units::math;

/// The properties of an arrival that the laws use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// Base probability.
    pub p_b: f64,
    /// How far `avg` lies above `min_th`.
    pub excess: f64,
    /// Bytes.
    pub size: u64,
    /// Factor of the probability, by caution: 1 is the rule, 0 draws no random number.
    pub ease: f64,
}

/// The law that spreads marks, and its count.
#[derive(Clone, Debug)]
pub(super) struct Marker {
    /// Arrivals since the last mark, raised before it is used (except in RED_4 and RED_5).
    pub(super) count: f64,
    /// Bytes since the last mark, for the byte mode of ns-2.
    count_bytes: u64,
    /// The random number of the laws that keep one; NaN before the first.
    cached: f64,
    /// Whether the first packet above `min_th` went by.
    armed: bool,
    law: Spacing,
    counting: MarkCounting,
    byte_mode: ByteMode,
    draws: Draws,
    /// Value of `count` after an early mark, and after a forced one.
    pub(super) after_mark: f64,
    after_forced: f64,
    mean_packet: u64,
    per_max_packet: f64,
    /// Of the integer cycle, one step of `excess` in units of 2^-32; of `modulus`, its full divisor.
    scale: f64,
    integer: bool,
    /// Whether all options are those of Figure 2 of FJ93.
    pub(super) default_options: bool,
}

impl Marker {
    pub(super) fn new(params: &Params, resolved: &ResolvedParams) -> Marker {
        let weighted = matches!(params.byte_mode, ByteMode::Red4 | ByteMode::Red5);
        let after_mark = match params.spacing {
            Spacing::Text | Spacing::Modulus if !weighted => -1.0,
            _ => 0.0,
        };
        let delta = (resolved.max_th - resolved.min_th).max(1.0);
        let integer = params.arithmetic == AverageArithmetic::Integer;
        let scale = if integer {
            math::floor((4_294_967_296.0 * params.max_p).min(4_294_967_295.0)) / math::floor(delta)
        } else {
            2.0 * delta / params.max_p * 1024.0
        };
        Marker {
            count: if weighted || params.counting == MarkCounting::FromOne { 0.0 } else { -1.0 },
            count_bytes: 0,
            cached: f64::NAN,
            armed: false,
            law: params.spacing,
            counting: params.counting,
            byte_mode: params.byte_mode,
            draws: params.draws,
            after_mark,
            after_forced: if params.spacing == Spacing::Cycle { -1.0 } else { after_mark },
            mean_packet: resolved.mean_packet.0,
            per_max_packet: 1.0 / params.max_packet.0 as f64,
            scale: math::floor(scale).max(1.0),
            integer,
            default_options: params.spacing == Spacing::Pseudocode
                && params.counting == MarkCounting::Between
                && params.byte_mode == ByteMode::Off
                && params.draws == Draws::Needed,
        }
    }

    /// Packets since the last mark, for probes.
    pub(super) fn count(&self) -> f64 {
        self.count
    }

    /// Sets the counts, for tests.
    #[cfg(test)]
    pub(super) fn set_count(&mut self, count: f64, bytes: u64) {
        (self.count, self.count_bytes, self.armed) = (count, bytes, true);
    }

    /// Counts an arrival, dropped or not.
    #[inline]
    pub(super) fn arrive(&mut self, size: u64) {
        if !self.counts_between() {
            self.count += self.step(size);
            self.count_bytes += size;
        }
    }

    /// `avg` lies below `min_th`, or the queue is too short for a decision.
    #[inline]
    pub(super) fn below(&mut self) {
        match self.counting {
            MarkCounting::Between => self.count = if self.is_weighted() { 0.0 } else { -1.0 },
            MarkCounting::FromOne => self.count = 0.0,
            MarkCounting::SpareFirst => self.armed = false,
            MarkCounting::Carried => {}
        }
    }

    /// An arrival between the thresholds that is spared without being judged.
    pub(super) fn spare(&mut self, size: u64) {
        if self.counts_between() && !self.is_weighted() {
            self.count += 1.0;
            self.count_bytes += size;
        }
    }

    /// Resets the count after a forced mark or an overflow drop.
    #[inline]
    pub(super) fn restart(&mut self) {
        self.count = self.after_forced;
        self.count_bytes = 0;
    }

    /// Whether to mark an arrival that finds `avg` above `min_th`.
    #[inline]
    pub(super) fn marks<P: Packet + Copy>(&mut self, arrival: Arrival, cx: &mut Cx<'_, P>) -> bool {
        match self.counting {
            MarkCounting::Between | MarkCounting::FromOne if self.is_weighted() => {}
            MarkCounting::Between | MarkCounting::FromOne => {
                self.count += 1.0;
                self.count_bytes += arrival.size;
            }
            MarkCounting::SpareFirst if !self.armed => {
                self.armed = true;
                self.count = self.step(arrival.size);
                self.count_bytes = arrival.size;
                return false;
            }
            MarkCounting::SpareFirst | MarkCounting::Carried => {}
        }
        if arrival.ease == 0.0 {
            return false;
        }
        if self.is_weighted() && !self.counts_between() {
            // A weighted count is raised after use: `arrive` was early.
            self.count -= self.weight(arrival.size);
        }
        let marked = match self.law {
            Spacing::Cycle => self.cycle_ends(arrival, cx),
            Spacing::Modulus => self.modulus_hits(arrival, cx),
            _ => {
                let p_a = self.p_a(arrival.p_b, arrival.size);
                match self.draws {
                    Draws::Needed => cx.chance(p_a * arrival.ease),
                    Draws::Always => cx.uniform() <= p_a * arrival.ease,
                }
            }
        };
        if marked {
            self.count = self.after_mark;
            self.count_bytes = 0;
        } else if self.is_weighted() {
            self.count += self.weight(arrival.size);
        }
        marked
    }

    /// The probability of a mark at the present count. Not for the laws that keep a random number.
    #[inline]
    pub(super) fn p_a(&self, p_b: f64, size: u64) -> f64 {
        match self.byte_mode {
            ByteMode::Off => corrected(self.law, p_b, self.count).min(1.0),
            ByteMode::Red2 => {
                let p_b = (p_b * self.share(size)).min(1.0);
                corrected(self.law, p_b, self.count).min(1.0)
            }
            ByteMode::Red3 | ByteMode::Red4 | ByteMode::Red5 => {
                (corrected(self.law, p_b, self.count) * self.weight(size)).min(1.0)
            }
            ByteMode::Ns2 => {
                let count = (self.count_bytes / self.mean_packet) as f64;
                let p_a = corrected(self.law, p_b, count).min(1.0);
                if p_a < 1.0 {
                    (p_a * size as f64 / self.mean_packet as f64).min(1.0)
                } else {
                    1.0
                }
            }
        }
    }

    /// Whether only arrivals between the thresholds count.
    fn counts_between(&self) -> bool {
        matches!(self.counting, MarkCounting::Between | MarkCounting::FromOne)
    }

    fn is_weighted(&self) -> bool {
        matches!(self.byte_mode, ByteMode::Red4 | ByteMode::Red5)
    }

    /// The amount by which an arrival raises `count`.
    #[inline]
    fn step(&self, size: u64) -> f64 {
        if self.is_weighted() {
            self.weight(size)
        } else {
            1.0
        }
    }

    fn share(&self, size: u64) -> f64 {
        size as f64 * self.per_max_packet
    }

    fn weight(&self, size: u64) -> f64 {
        let share = self.share(size);
        if self.byte_mode == ByteMode::Red5 {
            share * share
        } else {
            share
        }
    }

    /// One random number a cycle, drawn at its first packet, which is never marked.
    fn cycle_ends<P: Packet + Copy>(&mut self, arrival: Arrival, cx: &mut Cx<'_, P>) -> bool {
        if self.count < 1.0 || self.cached.is_nan() {
            self.cached = self.draw_cycle(cx);
            return false;
        }
        let step = match (self.integer, self.byte_mode) {
            (true, _) => math::floor(arrival.excess),
            (false, ByteMode::Red2) => arrival.p_b * self.share(arrival.size),
            (false, _) => arrival.p_b,
        };
        let ends = step * self.count >= self.cached;
        if ends {
            self.cached = self.draw_cycle(cx);
        }
        ends
    }

    fn draw_cycle<P: Packet + Copy>(&self, cx: &mut Cx<'_, P>) -> f64 {
        if self.integer {
            math::floor(math::floor(cx.uniform() * 4_294_967_296.0) / self.scale)
        } else {
            cx.uniform()
        }
    }

    /// A kept random number, reduced modulo a divisor that shrinks with the count.
    fn modulus_hits<P: Packet + Copy>(&mut self, arrival: Arrival, cx: &mut Cx<'_, P>) -> bool {
        if self.cached.is_nan() {
            self.cached = draw_22_bits(cx);
        }
        let share = if self.byte_mode == ByteMode::Red2 { self.share(arrival.size) } else { 1.0 };
        let step = math::floor(arrival.excess * share * 1024.0);
        let left = self.scale - self.count * step;
        if left <= 0.0 {
            return true;
        }
        let hits = self.cached % left < step;
        if hits {
            self.cached = draw_22_bits(cx);
        }
        hits
    }
}

fn draw_22_bits<P: Packet + Copy>(cx: &mut Cx<'_, P>) -> f64 {
    math::floor(cx.uniform() * f64::from(1u32 << 22))
}

/// `p_b` corrected by `count`. It grows without bound as the denominator goes to 0 and is infinite from there on, so
/// that no weight of a packet's size makes an early decision that is due less than certain.
#[inline]
pub(super) fn corrected(law: Spacing, p_b: f64, count: f64) -> f64 {
    let grown = count * p_b;
    match law {
        Spacing::Pseudocode | Spacing::Text if grown < 1.0 => p_b / (1.0 - grown),
        Spacing::Wait if grown < 1.0 => 0.0,
        Spacing::Wait | Spacing::Double | Spacing::Modulus if grown < 2.0 => p_b / (2.0 - grown),
        Spacing::Unclamped => p_b / (1.0 - grown),
        Spacing::Geometric | Spacing::Cycle => p_b,
        _ => f64::INFINITY,
    }
}
