//! Reconfigurable-threshold RED: thresholds that follow the number of flows and their bursts.
//!
//! Reference: Murshed05, as PD14 describes it in its section 4.3, equation 4.
//! Units: as in RED; `burst` counts packets of one flow.
//! Deviations: Murshed05 itself was not available. How `min_th` moves "depending on burst and number of flows" is not
//! given: here it is their product, kept between `min_start` and `target`. Equation 4 adds to `max_th` the
//! predicted average after as many arrivals at a constant queue. So as printed `max_th` starts at twice `min_th` and
//! grows without bound; here the limit is its upper bound. An option replaces the sum by the predicted average, with
//! twice `min_th` as its lower bound.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::Unit;
use crate::red::shared_params::{red_params, resolved_of};
use crate::red::wrapped::as_red;
use crate::red::{self, AboveMax, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use crate::store::flow_table::FlowTable;
use alloc::vec::Vec;
use units::math;
use units::param::{require, Check, Param, Problem, Range, Table, Valid};
use units::quantity::{show_amount, Amount};
use units::{Span, Time};

units::choices! {
    /// Value of `max_th` by equation 4.
    pub enum Equation {
        /// `max_th`, twice `min_th` at first, plus the predicted average, at each arrival, held at the limit.
        AsPrinted = "as_printed",
        /// The predicted average itself.
        PredictedAvg = "predicted_avg",
    }
}

red_params! {
    /// RED whose thresholds follow flows and bursts.
    pub struct Params {
        /// Initial lower threshold; the upper one starts at twice that.
        min_start: Amount = Amount::Packets(4.0) => { range: Range::Positive, source: "PD14" },
        /// Upper bound on the lower threshold. `auto`: a quarter of `limit`.
        target: Option<Amount> = None => { range: Range::Positive, assumed: true },
        /// Packets that a flow sends in a burst, `k`.
        burst: f64 = 4.0 => { unit: "pkts", range: Range::Positive, assumed: true },
        /// Number of flows, `n`. `auto`: those seen in the last `memory`.
        flows: Option<u64> = None => { range: Range::Positive, assumed: true },
        /// How long a flow counts after its last packet: between one and two times this. Zero: while it has
        /// packets in the queue.
        memory: Span = Span::from_millis(1000) => { assumed: true },
        /// Value of `max_th` by equation 4 once `min_th` has reached `target`.
        equation: Equation = Equation::AsPrinted => { source: "PD14" },
        /// Probability just below `max_th`.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Treatment of arrivals from `max_th` upward. PD14 section 4.1: every arriving packet is dropped.
        above_max: AboveMax = AboveMax::Drop => { source: "PD14" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        let twice = match self.min_start {
            Amount::Packets(n) => Amount::Packets(2.0 * n),
            Amount::Bytes(n) => Amount::Bytes(2.0 * n),
        };
        red::Params {
            min_th: Some(self.min_start),
            max_th: Some(twice),
            max_p: self.max_p,
            w_q: Some(self.w_q),
            above_max: self.above_max,
            ..self.base()
        }
    }

    fn target(&self) -> Amount {
        self.target.unwrap_or(match self.limit {
            Amount::Packets(n) => Amount::Packets(n / 4.0),
            Amount::Bytes(n) => Amount::Bytes(n / 4.0),
        })
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        let (target, limit) = (self.target(), self.limit);
        let below = target.is_bytes() != limit.is_bytes() || target.number() < limit.number();
        let rule = format!("must lie below limit ({})", show_amount(limit));
        require(problems, below, "target", show_amount(target), rule, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Reconfigurable-threshold RED";
    const ABOUT: &'static str =
        "RED whose lower threshold grows with the number of flows and the length of their bursts, and \
        whose upper one then follows what the average is about to become. Known to us from a description \
        only; where that leaves things open there are options.";
    const REFERENCE: &'static str = "Murshed05, PD14";
    type Disc<P: Packet + Copy> = Rtred<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Rtred<P> {
        Rtred::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let mut table = resolved_of::<Params>(&self.red(), setting);
        if self.target.is_none() {
            table.push(("target".into(), self.target().show()));
        }
        table
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.red().check_in(setting, problems);
    }
}

/// State of a reconfigurable-threshold RED queue.
#[derive(Clone, Debug)]
pub struct Rtred<P> {
    red: Red<P>,
    /// Queued packets of each flow, where they are counted so.
    waiting: FlowTable<u64>,
    counts_waiting: bool,
    flows: Option<u64>,
    seen: SeenFlows,
    burst: f64,
    /// Length of a packet in the unit of the thresholds.
    packet: f64,
    min_start: f64,
    target: f64,
    limit: f64,
    keep: f64,
    /// The number of flows n for which `keep` to the power n k was last computed, and the result.
    kept: (f64, f64),
    equation: Equation,
}

impl<P: Packet + Copy> Rtred<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Rtred<P> {
        let red = params.red();
        let resolved = red.resolve(setting);
        let in_unit = |amount: Amount| match params.unit {
            Unit::Packets => amount.in_packets(resolved.mean_packet),
            Unit::Bytes => amount.in_bytes(resolved.mean_packet),
        };
        Rtred {
            red: Red::linear(&red, setting),
            waiting: FlowTable::new(),
            counts_waiting: params.flows.is_none() && params.memory == Span::ZERO,
            flows: params.flows,
            seen: SeenFlows::new(params.memory),
            burst: params.burst,
            packet: in_unit(Amount::Packets(1.0)),
            min_start: in_unit(params.min_start),
            target: in_unit(params.target()),
            limit: in_unit(params.limit),
            keep: 1.0 - params.w_q,
            kept: (0.0, 1.0),
            equation: params.equation,
        }
    }

    /// Moves the thresholds for an arrival that finds `q` waiting.
    fn reconfigure(&mut self, q: f64) {
        let n = match (self.flows, self.seen.memory) {
            (Some(n), _) => n as f64,
            (None, Span::ZERO) => self.waiting.len() as f64,
            (None, _) => self.seen.count() as f64,
        };
        let min_th = (n * self.burst * self.packet).min(self.target).max(self.min_start);
        let least = 2.0 * min_th;
        let max_th = if min_th < self.target {
            least
        } else {
            if n != self.kept.0 {
                self.kept = (n, math::pow(self.keep, n * self.burst));
            }
            let kept = self.kept.1;
            let predicted = kept * self.red.average() + (1.0 - kept) * q;
            match self.equation {
                Equation::AsPrinted => (self.red.curve().max_th().max(least) + predicted).min(self.limit),
                Equation::PredictedAvg => predicted.min(self.limit).max(least),
            }
        };
        self.red.curve_mut().set_thresholds(min_th, max_th);
    }
}

/// Flows seen in the present and in the last span of time.
#[derive(Clone, Debug)]
struct SeenFlows {
    memory: Span,
    /// Number of the span in which each flow was last seen.
    last: FlowTable<u64>,
    span: u64,
}

impl SeenFlows {
    fn new(memory: Span) -> SeenFlows {
        SeenFlows { memory, last: FlowTable::new(), span: 0 }
    }

    fn note(&mut self, flow: u64, now: Time) {
        if self.memory == Span::ZERO {
            return;
        }
        let span = now.nanos() / self.memory.0;
        if span != self.span {
            self.span = span;
            self.last.retain(|last| *last + 1 >= span);
        }
        *self.last.entry(flow) = span;
    }

    fn count(&self) -> usize {
        self.last.len()
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Rtred<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let before = self.red.store_mut().len();
        let q = self.red.observe(&pkt, cx);
        if self.flows.is_none() {
            self.seen.note(pkt.flow(), cx.now);
        }
        self.reconfigure(q);
        self.red.judge(pkt, q, cx);
        if self.counts_waiting && self.red.store_mut().len() > before {
            *self.waiting.entry(pkt.flow()) += 1;
        }
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.red.dequeue(cx)?;
        if self.counts_waiting {
            if let Some(waiting) = self.waiting.find(pkt.flow()) {
                *waiting -= 1;
                if *waiting == 0 {
                    self.waiting.remove(pkt.flow());
                }
            }
        }
        Some(pkt)
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

    fn thresholds(equation: &str, flows: &str, q: f64) -> (f64, f64) {
        let rows = [
            ("limit", "80 pkts"),
            ("flows", flows),
            ("equation", equation),
            ("w_q", "0.5"),
            ("memory", "0 s"),
        ];
        let mut red: Rtred<Pkt> = Rtred::new(&params(&rows), &SETTING);
        red.reconfigure(q);
        (red.red.curve().min_th(), red.red.curve().max_th())
    }

    #[test]
    fn a_flow_counts_for_one_to_two_spans() {
        let mut seen = SeenFlows::new(Span::from_millis(10));
        for (flow, ms) in [(1, 1), (2, 9), (1, 12)] {
            seen.note(flow, Time(ms * 1_000_000));
        }
        assert_eq!(seen.count(), 2);
        seen.note(1, Time(25_000_000));
        assert_eq!(seen.count(), 1, "flow 2 was seen in the first span, and this is the third");
    }

    #[test]
    fn the_lower_threshold_follows_flows_and_bursts_up_to_the_target() {
        assert_eq!(thresholds("predicted_avg", "1", 0.0), (4.0, 8.0));
        assert_eq!(thresholds("predicted_avg", "3", 0.0), (12.0, 24.0));
        // At the target of 20: the average predicted is 60 (1 - 0.5^32) from zero.
        let (min_th, max_th) = thresholds("predicted_avg", "8", 60.0);
        assert!(min_th == 20.0 && (max_th - 60.0).abs() < 1e-6);
        // As printed it is added to twice the target, and stops at the limit.
        assert!((thresholds("as_printed", "8", 30.0).1 - 70.0).abs() < 1e-6);
        assert_eq!(thresholds("as_printed", "8", 60.0).1, 80.0);
    }
}
