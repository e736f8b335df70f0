//! Refined RED, called FRED by its authors: `max_p` and the weight grow in steps.
//!
//! Reference: WS99, as HMDC12 describes it in its section 4 and its Tables 2 and 3.
//! Units: as in RED.
//! Deviations: WS99 itself was not available. That the steps of the weight split the room from `warn` to the
//! limit evenly is our reading; a probability or a weight that would pass 1 stays at 1. Not to be confused
//! with Flow RED, also called FRED: see [`crate::fred_flow`].

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::Unit;
use crate::red::shared_params::{red_params, resolved_of};
use crate::red::wrapped::as_red;
use crate::red::{self, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Table, Valid};
use units::quantity::{show_amount, Amount};

/// HMDC12 Table 2: factors of `max_p` in each of six equal parts from `min_th` to `max_th`.
const MAX_P_STEPS: [f64; 6] = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0];
/// HMDC12 Table 3: factors of the weight in each of six parts of the queue beyond `warn`.
const WEIGHT_STEPS: [f64; 6] = [1.0, 4.0, 8.0, 12.0, 16.0, 20.0];

red_params! {
    /// RED whose probability and weight grow in six steps each.
    pub struct Params {
        /// Average queue from which marking begins.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue from which every packet is dropped.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Probability at `max_th` were it not multiplied; the first step uses it.
        max_p: f64 = 0.02 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FJ93" },
        /// Weight of a sample while the queue is short.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// Queue beyond which the weight grows, if it is also longer than the average. `auto`: half of
        /// `limit`.
        warn: Option<Amount> = None => { range: Range::Positive, source: "HMDC12" },
        /// Whether each departure is a sample as well.
        departures: bool = true => { source: "HMDC12" },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        self.base().with_law(self.min_th, self.max_th, self.max_p, self.w_q)
    }

    fn warn(&self) -> Amount {
        self.warn.unwrap_or(match self.limit {
            Amount::Packets(n) => Amount::Packets(n / 2.0),
            Amount::Bytes(n) => Amount::Bytes(n / 2.0),
        })
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        let warn = self.warn();
        let below = warn.is_bytes() != self.limit.is_bytes() || warn.number() < self.limit.number();
        let rule = format!("must lie below limit ({})", show_amount(self.limit));
        require(problems, below, "warn", show_amount(warn), rule, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Refined RED (FRED of Wang and Shin)";
    const ABOUT: &'static str =
        "RED that grows harsher in steps: max_p is multiplied by up to ten on the way from min_th to \
        max_th, and once the queue itself passes half the buffer the average follows it up to twenty times \
        faster. Keeps delay low and pays with throughput.";
    const REFERENCE: &'static str = "WS99, HMDC12";
    type Disc<P: Packet + Copy> = FredRefined<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> FredRefined<P> {
        FredRefined::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let mut table = resolved_of::<Params>(&self.red(), setting);
        if self.warn.is_none() {
            table.push(("warn".into(), self.warn().show()));
        }
        table
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.red().check_in(setting, problems);
    }
}

/// State of a refined RED queue.
#[derive(Clone, Debug)]
pub struct FredRefined<P> {
    red: Red<P>,
    min_th: f64,
    max_th: f64,
    max_p: f64,
    w_q: f64,
    warn: f64,
    /// One sixth of the room beyond `warn`.
    step: f64,
    departures: bool,
}

/// The step of six that `share`, 0 at the start of the first and 1 at the end of the last, falls into.
#[inline]
fn step_of(share: f64, steps: &[f64; 6]) -> f64 {
    steps[((share * 6.0).max(0.0) as usize).min(5)]
}

impl<P: Packet + Copy> FredRefined<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> FredRefined<P> {
        let red = params.red();
        let resolved = red.resolve(setting);
        let in_unit = |amount: Amount| match params.unit {
            Unit::Packets => amount.in_packets(resolved.mean_packet),
            Unit::Bytes => amount.in_bytes(resolved.mean_packet),
        };
        let warn = in_unit(params.warn());
        FredRefined {
            red: Red::linear(&red, setting),
            min_th: resolved.min_th,
            max_th: resolved.max_th,
            max_p: params.max_p,
            w_q: params.w_q,
            warn,
            step: (in_unit(params.limit) - warn).max(1.0),
            departures: params.departures,
        }
    }

    /// The weight of a sample `q`.
    #[inline]
    fn weigh(&mut self, q: f64) {
        let grown = q > self.warn && q > self.red.average();
        let times = if grown { step_of((q - self.warn) / self.step, &WEIGHT_STEPS) } else { 1.0 };
        self.red.set_weight((self.w_q * times).min(1.0));
    }
}

impl<P: Packet + Copy> QueueDisc<P> for FredRefined<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        self.weigh(self.red.queued(cx));
        let q = self.red.observe(&pkt, cx);
        let share = (self.red.average() - self.min_th) / (self.max_th - self.min_th);
        let max_p = (self.max_p * step_of(share, &MAX_P_STEPS)).min(1.0);
        self.red.curve_mut().set_max_p(max_p, false);
        self.red.judge(pkt, q, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.red.dequeue(cx);
        if self.departures && pkt.is_some() {
            let q = self.red.queued(cx);
            self.weigh(q);
            self.red.sample(q);
        }
        pkt
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
    use crate::testing::{params, Bench, Pkt, SETTING};

    #[test]
    fn six_steps_of_the_probability_and_of_the_weight() {
        let times = [0.0, 0.16, 0.17, 0.34, 0.51, 0.67, 0.84, 0.999].map(|x| step_of(x, &MAX_P_STEPS));
        assert_eq!(times, [1.0, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 10.0]);
        assert_eq!((step_of(-1.0, &WEIGHT_STEPS), step_of(7.0, &WEIGHT_STEPS)), (1.0, 20.0));
    }

    #[test]
    fn the_weight_grows_beyond_half_the_buffer_only_above_the_average() {
        // Limit 24: warn at 12, a step every 2 packets.
        let mut fred: FredRefined<Pkt> =
            FredRefined::new(&params(&[("limit", "24 pkts"), ("w_q", "0.1")]), &SETTING);
        let mut weight = |q: f64| {
            fred.weigh(q);
            fred.red.weight()
        };
        assert_eq!([12.0, 13.0, 15.0, 16.5].map(&mut weight), [0.1, 0.1, 0.4, 0.8]);
        assert_eq!(weight(23.0), 1.0);
        fred.red.sample(23.5);
        fred.weigh(23.0);
        assert_eq!(fred.red.weight(), 0.1);
    }

    #[test]
    fn departures_are_samples() {
        let mut bench = Bench::new(FredRefined::new(&params(&[("w_q", "0.25")]), &SETTING));
        (0..3).for_each(|_| bench.arrive(0, Pkt::new(0)));
        // Arrivals find 0, 1, 2: 0, 0.25, 0.6875. The departure leaves 2.
        bench.depart(0);
        assert_eq!(bench.probe("avg"), 0.6875 * 0.75 + 0.5);
    }
}
