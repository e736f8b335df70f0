//! Weighted RED: thresholds are shares of the buffer, and the average has another weight in each area.
//!
//! Reference: HMDC12, section 5.2 and Figure 13.
//! Units: as in RED.
//! Deviations: `max_p` is not in the paper. Which average names the area is not either: here it is the one before
//! the update, since the weight must be known to update it.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::red::shared_params::{red_params, resolved_of};
use crate::red::wrapped::as_red;
use crate::red::{self, Red};
use crate::registry::{Discipline, Setting};
use alloc::string::ToString;
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Table, Valid};
use units::quantity::Amount;

units::choices! {
    /// The key of the area whose weight an arrival uses.
    pub enum Zone {
        /// The average before the update.
        Average = "average",
        /// The queue the arrival finds.
        Queue = "queue",
    }
}

red_params! {
    /// RED with thresholds from the buffer and a weight for each of its three areas.
    pub struct Params {
        /// Average queue from which marking begins. `auto`: `min_share` of `limit`.
        min_th: Option<Amount> = None => { range: Range::Positive, source: "HMDC12" },
        /// Average queue at which the probability has risen to `max_p`. `auto`: `max_share` of `limit`.
        max_th: Option<Amount> = None => { range: Range::Positive, source: "HMDC12" },
        /// The lower threshold as a share of the buffer.
        min_share: f64 = 0.4 => { unit: "1", range: Range::Between(0.0, 1.0), source: "HMDC12" },
        /// The upper threshold as a share of the buffer.
        max_share: f64 = 0.7 => { unit: "1", range: Range::Above(0.0, 1.0), source: "HMDC12" },
        /// Probability just below `max_th`.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Weight of a sample below `min_th`.
        w_green: f64 = 0.003 => { unit: "1", range: Range::Between(0.0, 1.0), source: "HMDC12" },
        /// Weight of a sample between the thresholds.
        w_yellow: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "HMDC12" },
        /// Weight of a sample from `max_th` upward.
        w_red: f64 = 0.001 => { unit: "1", range: Range::Between(0.0, 1.0), source: "HMDC12" },
        /// The key of the area whose weight an arrival uses.
        zone: Zone = Zone::Average => { assumed: true },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        let share = |share: f64| match self.limit {
            Amount::Packets(n) => Amount::Packets(n * share),
            Amount::Bytes(n) => Amount::Bytes(n * share),
        };
        red::Params {
            min_th: Some(self.min_th.unwrap_or(share(self.min_share))),
            max_th: Some(self.max_th.unwrap_or(share(self.max_share))),
            max_p: self.max_p,
            w_q: Some(self.w_green),
            ..self.base()
        }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        let rule = format!("must exceed min_share ({})", self.min_share);
        require(problems, self.max_share > self.min_share, "max_share", self.max_share, rule, "");
        self.red().relations(problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Weighted RED (WTRED)";
    const ABOUT: &'static str =
        "RED with thresholds at 40 and 70 per cent of the buffer and a weight that falls from 0.003 \
        to 0.001 as the average climbs: quick to notice a queue that builds, slow to reach the point where \
        everything is dropped. Trades delay for utilisation.";
    const REFERENCE: &'static str = "HMDC12, FJ93";
    type Disc<P: Packet + Copy> = Wtred<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Wtred<P> {
        Wtred::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let red = self.red();
        let thresholds = [("min_th", self.min_th, red.min_th), ("max_th", self.max_th, red.max_th)];
        let auto = thresholds.iter().filter(|(_, own, _)| own.is_none());
        let mut table: Table = auto.map(|(key, _, value)| (key.to_string(), value.show())).collect();
        table.extend(resolved_of::<Params>(&red, setting));
        table
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.red().check_in(setting, problems);
    }
}

/// State of a WTRED queue.
#[derive(Clone, Debug)]
pub struct Wtred<P> {
    red: Red<P>,
    min_th: f64,
    max_th: f64,
    weights: [f64; 3],
    zone: Zone,
}

impl<P: Packet + Copy> Wtred<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Wtred<P> {
        let red = params.red();
        let resolved = red.resolve(setting);
        Wtred {
            red: Red::linear(&red, setting),
            min_th: resolved.min_th,
            max_th: resolved.max_th,
            weights: [params.w_green, params.w_yellow, params.w_red],
            zone: params.zone,
        }
    }

    #[inline]
    fn weight(&self, level: f64) -> f64 {
        let [green, yellow, red] = self.weights;
        if level < self.min_th {
            green
        } else if level < self.max_th {
            yellow
        } else {
            red
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Wtred<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let level = match self.zone {
            Zone::Average => self.red.average(),
            Zone::Queue => self.red.queued(cx),
        };
        self.red.set_weight(self.weight(level));
        let q = self.red.observe(&pkt, cx);
        self.red.judge(pkt, q, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    as_red!();

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
        out.note("w_q", self.red.weight());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    #[test]
    fn thresholds_are_shares_of_the_buffer_and_weights_follow_the_area() {
        let wtred: Wtred<Pkt> = Wtred::new(&params(&[("limit", "50 pkts")]), &SETTING);
        assert_eq!((wtred.min_th, wtred.max_th), (20.0, 35.0));
        let weights = [0.0, 19.9, 20.0, 34.9, 35.0, 50.0].map(|avg| wtred.weight(avg));
        assert_eq!(weights, [0.003, 0.003, 0.002, 0.002, 0.001, 0.001]);
    }

    #[test]
    fn the_area_is_named_before_the_update() {
        // Two wait, average 0: green. The sample of 2 gives 2 * 0.003.
        let mut bench = Bench::new(Wtred::new(&params(&[("limit", "50 pkts")]), &SETTING));
        (0..3).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert!((bench.probe("avg") - (0.003 * 0.997 + 2.0 * 0.003)).abs() < 1e-12);
        assert_eq!(bench.probe("w_q"), 0.003);
    }

    #[test]
    fn crossed_shares_are_refused() {
        let problems = refused::<Params>(&[("min_share", "0.8")]);
        assert!(problems[0].starts_with("max_share = 0.7: must exceed min_share (0.8)"), "{problems:?}");
    }
}
