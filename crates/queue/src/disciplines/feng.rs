//! Self-configuring RED: `max_p` falls or rises each time the average crosses a threshold.
//!
//! Reference: FKSS99, section 4.
//! Units: as in RED.
//! Deviations: `max_p` stays at or below `top`, which the paper does not bound. The paper does not say which
//! status holds at the start, hence the option `initial`.

use crate::ared::Slope;
use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::red::shared_params::red_params;
use crate::red::wrapped::{as_red, red_setting};
use crate::red::{self, AboveMax, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Preset, Problem, Range, Valid};
use units::quantity::Amount;

units::choices! {
    /// The region in which the average was last seen.
    pub enum Status {
        /// Below `min_th`.
        Below = "below",
        /// Between the thresholds.
        Between = "between",
        /// Above `max_th`.
        Above = "above",
    }
}

red_params! {
    with bytes;
    /// RED whose `max_p` changes when the average crosses a threshold.
    pub struct Params {
        /// Average queue from which marking begins.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue at which the probability has risen to `max_p`.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Initial value of `max_p`.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// Treatment of arrivals from `max_th` upward.
        above_max: AboveMax = AboveMax::Drop => { source: "FJ93" },
        /// Divisor of `max_p` when the average falls below `min_th`.
        alpha: f64 = 3.0 => { unit: "1", range: Range::Within(1.0, f64::INFINITY), source: "FKSS99" },
        /// Factor of `max_p` when the average rises above `max_th`.
        beta: f64 = 2.0 => { unit: "1", range: Range::Within(1.0, f64::INFINITY), source: "FKSS99" },
        /// Assumed region of the average at the start: with `below`, the first quiet packets change nothing.
        initial: Status = Status::Below => { assumed: true },
        /// Upper bound on `max_p`.
        top: f64 = 1.0 => { unit: "1", range: Range::Positive, assumed: true },
        /// Lower bound on `max_p`.
        bottom: f64 = 0.0 => { unit: "1", range: Range::Within(0.0, 1.0), assumed: true },
        /// Whether the slope above `max_th` follows `max_p` in gentle mode.
        slope: Slope = Slope::Follows => { assumed: true },
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
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        let rule = format!("must lie in [bottom, top], here [{}, {}]", self.bottom, self.top);
        let inside = self.max_p >= self.bottom && self.max_p <= self.top;
        require(problems, inside, "max_p", self.max_p, rule, "");
    }
}

const DIALECTS: &[Preset] = &[Preset {
    name: "ns2",
    doc: "ns-2.35 with adaptive_ 1 and feng_adaptive_ 1, in packets: no bounds of max_p, slope fixed, marks wait.",
    options: &[
        ("limit_test", "before"),
        ("mean_packet", "500 B"),
        ("initial", "above"),
        ("top", "1000000"),
        ("slope", "fixed"),
        ("spacing", "wait"),
        ("counting", "spare_first"),
        ("idle_decay", "plus_one"),
        ("idle_from", "link_idle"),
        ("min_queue", "2"),
        ("draws", "always"),
    ],
}, Preset {
    name: "ns3",
    doc:
        "ns-3 with FengAdaptive: starts as if above, so the first packet divides max_p by three; marks wait.",
    options: &[
        ("initial", "above"),
        ("above_max", "gentle"),
        ("max_p", "0.02"),
        ("spacing", "wait"),
        ("counting", "spare_first"),
        ("idle_decay", "plus_one"),
        ("idle_from", "link_idle"),
        ("min_queue", "2"),
    ],
}];

impl Discipline for Params {
    const TITLE: &'static str = "Self-configuring RED";
    const ABOUT: &'static str =
        "RED that divides max_p by three when the average falls below min_th and doubles it when the \
        average rises above max_th. Fast to find the order of magnitude, coarse once it is there: the average \
        must leave the band for anything to change.";
    const REFERENCE: &'static str = "FKSS99, FJ93";
    type Disc<P: Packet + Copy> = Feng<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Feng<P> {
        Feng::new(params, setting)
    }

    red_setting!();
}

/// State of a self-configuring RED queue.
#[derive(Clone, Debug)]
pub struct Feng<P> {
    red: Red<P>,
    status: Status,
    params: Valid<Params>,
}

impl<P: Packet + Copy> Feng<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Feng<P> {
        let red = params.red();
        Feng { red: Red::linear(&red, setting), status: params.initial, params: params.clone() }
    }

    /// Follows the average, and moves `max_p` where it has crossed a threshold.
    #[inline]
    fn configure(&mut self) {
        let avg = self.red.average();
        let (min_th, max_th) = (self.red.curve().min_th(), self.red.curve().max_th());
        let status = if avg < min_th {
            Status::Below
        } else if avg > max_th {
            Status::Above
        } else if avg > min_th && avg < max_th {
            Status::Between
        } else {
            return; // On a threshold it has crossed none.
        };
        if status == self.status {
            return;
        }
        self.status = status;
        let max_p = self.red.curve().max_p();
        let moved = match status {
            Status::Below => max_p / self.params.alpha,
            Status::Above => max_p * self.params.beta,
            Status::Between => return,
        };
        self.red
            .curve_mut()
            .set_max_p(moved.clamp(self.params.bottom, self.params.top), self.params.slope == Slope::Follows);
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Feng<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let q = self.red.observe(&pkt, cx);
        self.configure();
        self.red.judge(pkt, q, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    as_red!();

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Pkt, SETTING};

    fn follow(rows: &[(&str, &str)], path: &[f64]) -> Vec<f64> {
        let mut feng: Feng<Pkt> = Feng::new(&params(rows), &SETTING);
        feng.red.set_weight(1.0);
        let step = |avg: &f64| {
            feng.red.sample(*avg);
            feng.configure();
            feng.red.curve().max_p()
        };
        path.iter().map(step).collect()
    }

    #[test]
    fn each_crossing_moves_max_p_once() {
        let path = [1.0, 2.0, 10.0, 16.0, 20.0, 10.0, 4.0, 3.0, 16.0];
        let moved = follow(&[("max_p", "0.12")], &path);
        assert_eq!(moved, [0.12, 0.12, 0.12, 0.24, 0.24, 0.24, 0.08, 0.08, 0.16]);
    }

    #[test]
    fn the_status_at_the_start_matters() {
        assert_eq!(follow(&[("max_p", "0.12"), ("initial", "above")], &[1.0]), [0.04]);
        assert_eq!(follow(&[("max_p", "0.75")], &[16.0]), [1.0]);
    }
}
