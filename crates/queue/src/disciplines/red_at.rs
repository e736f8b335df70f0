//! RED with adaptive thresholds (RED-AT).
//!
//! Reference: PD14, section 5 and its Figure 6.
//! Units: as in RED; the bounds are in the unit of the thresholds.
//! Deviations: the paper gives neither the bounds nor `alpha` and `beta`, beyond `alpha` above `beta`: the
//! defaults are ours. Nor does it say how drops are spread: as in ns-2, in which it was simulated. Its Figure
//! 6 compares the average with the bounds, not with the current thresholds, and so does this.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::Unit;
use crate::red::shared_params::red_params;
use crate::red::wrapped::{as_red, red_setting};
use crate::red::{self, AboveMax, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;

red_params! {
    spaced Wait by "ns-2.35";
    /// RED whose thresholds move with the average.
    pub struct Params {
        /// Nominal lower threshold.
        min_th: Amount = Amount::Packets(10.0) => { range: Range::Positive, source: "PD14" },
        /// Nominal upper threshold.
        max_th: Amount = Amount::Packets(30.0) => { range: Range::Positive, source: "PD14" },
        /// Lower bound on the lower threshold.
        min_low: Amount = Amount::Packets(5.0) => { range: Range::Positive, assumed: true },
        /// Upper bound on the lower threshold; below this average the load is low.
        min_high: Amount = Amount::Packets(15.0) => { range: Range::Positive, assumed: true },
        /// Lower bound on the upper threshold; above this average the load is high.
        max_low: Amount = Amount::Packets(25.0) => { range: Range::Positive, assumed: true },
        /// Upper bound on the upper threshold.
        max_high: Amount = Amount::Packets(35.0) => { range: Range::Positive, assumed: true },
        /// Step of the lower threshold, as a share of its range.
        alpha: f64 = 0.2 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Step of the upper threshold, as a share of its range.
        beta: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Arrivals in a row that must agree before the thresholds move.
        hits: u64 = 5 => { range: Range::Positive, source: "PD14" },
        /// Probability just below `max_th`.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), source: "PD14" },
        /// Treatment of arrivals from `max_th` upward. PD14 section 4.1: every arriving packet is dropped.
        above_max: AboveMax = AboveMax::Drop => { source: "PD14" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "PD14" },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        red::Params {
            min_th: Some(self.min_th),
            max_th: Some(self.max_th),
            max_p: self.max_p,
            w_q: Some(self.w_q),
            above_max: self.above_max,
            ..self.base()
        }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        let all = [self.min_low, self.min_th, self.min_high, self.max_low, self.max_th, self.max_high];
        let same = all.iter().all(|amount| amount.is_bytes() == self.min_th.is_bytes());
        require(problems, same, "min_low", self.min_low.number(), "bounds and thresholds need one unit", "");
        let rising = all.windows(2).all(|pair| pair[0].number() <= pair[1].number());
        let rule = "must keep min_low <= min_th <= min_high < max_low <= max_th <= max_high";
        let apart = self.min_high.number() < self.max_low.number();
        require(problems, rising && apart, "min_high", self.min_high.number(), rule, "");
        let below = format!("must not exceed alpha ({})", self.alpha);
        require(problems, self.beta <= self.alpha, "beta", self.beta, below, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "RED with adaptive thresholds (RED-AT)";
    const ABOUT: &'static str =
        "RED that raises both thresholds while the average is low and lowers them while it is high, \
        step by step, after five arrivals in a row that agree, and returns to the nominal ones in between. \
        Meant to reduce the oscillation of the queue.";
    const REFERENCE: &'static str = "PD14, FJ93";
    type Disc<P: Packet + Copy> = RedAt<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> RedAt<P> {
        RedAt::new(params, setting)
    }

    red_setting!();
}

/// The region of three in which the average lies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Region {
    Low,
    Middle,
    High,
}

/// State of a RED-AT queue.
#[derive(Clone, Debug)]
pub struct RedAt<P> {
    red: Red<P>,
    /// Least, nominal and most of each threshold.
    min: [f64; 3],
    max: [f64; 3],
    min_step: f64,
    max_step: f64,
    hits: u64,
    region: Region,
    /// Arrivals in a row in `region`, since the last step.
    count: u64,
}

impl<P: Packet + Copy> RedAt<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> RedAt<P> {
        let red = params.red();
        let resolved = red.resolve(setting);
        let in_unit = |amount: Amount| match params.unit {
            Unit::Packets => amount.in_packets(resolved.mean_packet),
            Unit::Bytes => amount.in_bytes(resolved.mean_packet),
        };
        let min = [params.min_low, params.min_th, params.min_high].map(in_unit);
        let max = [params.max_low, params.max_th, params.max_high].map(in_unit);
        RedAt {
            red: Red::linear(&red, setting),
            min_step: params.alpha * (min[2] - min[0]),
            max_step: params.beta * (max[2] - max[0]),
            min,
            max,
            hits: params.hits,
            region: Region::Middle,
            count: 0,
        }
    }

    /// PD14 Figure 6.
    #[inline]
    fn move_thresholds(&mut self) {
        let avg = self.red.average();
        let region = if avg < self.min[2] {
            Region::Low
        } else if avg > self.max[0] {
            Region::High
        } else {
            Region::Middle
        };
        self.count = if region == self.region { self.count + 1 } else { 1 };
        self.region = region;
        if self.count < self.hits {
            return;
        }
        self.count = 0;
        let curve = self.red.curve_mut();
        let (min_th, max_th) = (curve.min_th(), curve.max_th());
        match region {
            Region::Low => curve.set_thresholds(
                (min_th + self.min_step).min(self.min[2]),
                (max_th + self.max_step).min(self.max[2]),
            ),
            Region::High => curve.set_thresholds(
                (min_th - self.min_step).max(self.min[0]),
                (max_th - self.max_step).max(self.max[0]),
            ),
            Region::Middle => curve.set_thresholds(self.min[1], self.max[1]),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for RedAt<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let q = self.red.observe(&pkt, cx);
        self.move_thresholds();
        self.red.judge(pkt, q, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    as_red!();

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
        out.note("min_th", self.red.curve().min_th());
        out.note("max_th", self.red.curve().max_th());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Pkt, SETTING};

    fn at(avg: f64, hits: u32) -> (f64, f64) {
        let mut red: RedAt<Pkt> = RedAt::new(&params(&[]), &SETTING);
        red.red.set_weight(1.0);
        red.red.sample(avg);
        (0..hits).for_each(|_| red.move_thresholds());
        (red.red.curve().min_th(), red.red.curve().max_th())
    }

    #[test]
    fn five_in_a_row_move_the_thresholds_and_bounds_hold_them() {
        // Ranges 5..15 and 25..35: steps of 2 and 1.
        assert_eq!(at(3.0, 4), (10.0, 30.0));
        assert_eq!(at(3.0, 5), (12.0, 31.0));
        assert_eq!(at(3.0, 10), (14.0, 32.0));
        assert_eq!(at(3.0, 15), (15.0, 33.0));
        assert_eq!(at(3.0, 100), (15.0, 35.0));
        assert_eq!(at(26.0, 5), (8.0, 29.0));
        assert_eq!(at(26.0, 100), (5.0, 25.0));
    }

    #[test]
    fn between_the_bounds_they_return_to_nominal() {
        let mut red: RedAt<Pkt> = RedAt::new(&params(&[]), &SETTING);
        red.red.curve_mut().set_thresholds(15.0, 35.0);
        red.red.set_weight(1.0);
        red.red.sample(20.0);
        (0..4).for_each(|_| red.move_thresholds());
        assert_eq!(red.red.curve().min_th(), 15.0);
        red.move_thresholds();
        assert_eq!((red.red.curve().min_th(), red.red.curve().max_th()), (10.0, 30.0));
    }
}
