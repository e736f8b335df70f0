//! Flow RED (FRED): RED with an account of each flow that has packets in the queue.
//!
//! Reference: LM97, its Figure 7 and section 5.
//! Units: as in RED, in packets.
//! Deviations: LM97 was worked from memory of its pseudocode and is marked as to be checked. An arrival is a
//! sample of the average only if it is accepted or finds the queue empty, a departure always, as there. Where
//! many flows share a small buffer, `many_flows` replaces dropping everything above `max_th` by two packets
//! for each flow. Not to be confused with Refined RED, also called FRED: see [`crate::fred_refined`].

use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::fifo::LimitTest;
use crate::red::wrapped::as_red;
use crate::red::{self, EcnForced, IdleDecay, MarkingCurve, Red, Spacing};
use crate::registry::{Discipline, Setting};
use crate::store::flow_table::FlowTable;
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::Bytes;

units::params! {
    /// RED with state for each flow.
    pub struct Params {
        /// Limit of the queue.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Bytes of a typical packet: converts between packets and bytes. `auto`: as in the link's traffic.
        mean_packet: Option<Bytes> = None => { range: Range::Positive, source: "LM97" },
        /// Average queue from which robust flows are dropped at random; also most packets of one flow.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue from which every packet is dropped.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Probability just below `max_th`.
        max_p: f64 = 0.02 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FJ93" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// Packets that every flow may have in the queue: 2 for small buffers, 4 otherwise.
        minq: u64 = 2 => { range: Range::Positive, source: "LM97" },
        /// Above `max_th`: two packets for each flow instead of none.
        many_flows: bool = false => { source: "LM97" },
        /// How marks are spaced.
        spacing: Spacing = Spacing::Pseudocode => { source: "LM97" },
        /// How idle time lowers the average.
        idle_decay: IdleDecay = IdleDecay::Exact => { source: "FJ93" },
        /// Marks ECN-capable packets instead of dropping them at random.
        ecn: bool = false => { source: "RFC3168" },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        red::Params {
            limit: self.limit,
            limit_test: self.limit_test,
            mean_packet: self.mean_packet,
            min_th: Some(self.min_th),
            max_th: Some(self.max_th),
            max_p: self.max_p,
            w_q: Some(self.w_q),
            spacing: self.spacing,
            idle_decay: self.idle_decay,
            ecn: self.ecn,
            ecn_forced: EcnForced::Drop,
            ..red::Params::default()
        }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        let text = units::param::Choice::name(self.spacing);
        let counted = !matches!(self.spacing, Spacing::Cycle | Spacing::Modulus);
        require(problems, counted, "spacing", text, "needs a count that spared packets can raise", "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Flow RED (FRED of Lin and Morris)";
    const ABOUT: &'static str =
        "RED that knows how many packets each flow has waiting. Flows below minq are spared, flows that \
        keep more than their share are held to it, and one that was caught doing so before gets no more than \
        the average. Protects fragile flows and bounds those that do not listen.";
    const REFERENCE: &'static str = "LM97, FJ93";
    type Disc<P: Packet + Copy> = FredFlow<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> FredFlow<P> {
        FredFlow::new(params, setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.red().check_in(setting, problems);
    }
}

/// The account of one flow.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    qlen: u64,
    strike: u64,
}

/// State of a Flow RED queue.
#[derive(Clone, Debug)]
pub struct FredFlow<P> {
    red: Red<P>,
    flows: FlowTable<Account>,
    minq: f64,
    many_flows: bool,
}

impl<P: Packet + Copy> FredFlow<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> FredFlow<P> {
        let red = params.red();
        FredFlow {
            red: Red::linear(&red, setting),
            flows: FlowTable::new(),
            minq: params.minq as f64,
            many_flows: params.many_flows,
        }
    }

    /// The average share of a flow, at least one packet.
    fn avgcq(&self) -> f64 {
        (self.red.average() / self.flows.len().max(1) as f64).max(1.0)
    }

    /// Whether a flow has more than it may, which is compared with it.
    fn is_greedy(&mut self, flow: u64, avg: f64, avgcq: f64) -> bool {
        let (min_th, max_th) = (self.red.curve().min_th(), self.red.curve().max_th());
        let crowded = avg >= max_th;
        let maxq = if crowded && self.many_flows { 2.0 } else { min_th };
        let Some(account) = self.flows.find(flow) else { return false };
        let qlen = account.qlen as f64;
        let greedy = qlen >= maxq || (crowded && qlen > 2.0 * avgcq) || (qlen >= avgcq && account.strike > 1);
        account.strike += u64::from(greedy);
        greedy
    }

    /// Whether the arrival is to be dropped at random, or marked.
    fn random(&mut self, pkt: &P, qlen: f64, avgcq: f64, cx: &mut Cx<'_, P>) -> Option<red::Signal> {
        let avg = self.red.average();
        if avg >= self.red.curve().min_th() && avg < self.red.curve().max_th() {
            if qlen < self.minq.max(avgcq) {
                self.red.count_one(pkt.size().0);
                return None;
            }
        } else if avg >= self.red.curve().max_th() && self.many_flows {
            self.red.restart_count();
            return None;
        }
        self.red.signal(avg, pkt.size().0, self.red.queued(cx), cx)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for FredFlow<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let q = self.red.queued(cx);
        if q == 0.0 {
            self.red.observe_part(pkt.size().0, q, cx.now);
        }
        let (avg, avgcq) = (self.red.average(), self.avgcq());
        if self.is_greedy(pkt.flow(), avg, avgcq) {
            cx.drop(pkt, Reason::Forced);
        } else {
            let qlen = self.flows.find(pkt.flow()).map_or(0.0, |account| account.qlen as f64);
            let signal = self.random(&pkt, qlen, avgcq, cx);
            if let Some(kept) = self.red.act(pkt, signal, cx) {
                if self.red.store_mut().has_room(&kept, cx) {
                    if q > 0.0 {
                        self.red.sample(q);
                    }
                    self.flows.entry(kept.flow()).qlen += 1;
                    self.red.store_mut().push(kept, cx);
                } else {
                    self.red.restart_count();
                    cx.drop(kept, Reason::Overflow);
                }
            }
        }
        if self.red.store_mut().is_empty() {
            self.red.rest(cx.now);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.red.dequeue(cx)?;
        self.red.sample(self.red.queued(cx));
        if let Some(account) = self.flows.find(pkt.flow()) {
            account.qlen -= 1;
            if account.qlen == 0 {
                self.flows.remove(pkt.flow());
            }
        }
        Some(pkt)
    }

    as_red!();

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
        out.note("flows", self.flows.len() as f64);
        out.note("avgcq", self.avgcq());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    #[test]
    fn no_flow_holds_more_than_min_th_and_strikes_are_kept() {
        let mut bench = Bench::new(FredFlow::new(&params(&[("min_th", "3 pkts")]), &SETTING));
        (0..5).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!(bench.dropped(), [3, 4]);
        // Two strikes: from now on no more than the average share, which is one packet.
        bench.depart(0);
        bench.depart(0);
        bench.arrive(0, Pkt::new(0));
        assert_eq!(bench.dropped(), [3, 4, 5]);
        // Another flow is not concerned, and the account is closed with the last packet.
        bench.arrive(0, Pkt { flow: 7, ..Pkt::new(0) });
        bench.depart(0);
        bench.arrive(0, Pkt::new(0));
        assert_eq!(bench.dropped(), [3, 4, 5]);
        assert_eq!(bench.probe("flows"), 2.0);
    }

    #[test]
    fn flows_below_minq_are_spared_at_random() {
        let rows =
            [("min_th", "2 pkts"), ("max_th", "50 pkts"), ("max_p", "1"), ("w_q", "0.999999"), ("minq", "4")];
        let mut bench = Bench::new(FredFlow::new(&params(&rows), &SETTING));
        bench.rng.0 = 0.0;
        (0..20).for_each(|flow| bench.arrive(0, Pkt { flow, ..Pkt::new(0) }));
        assert_eq!((bench.dropped(), bench.rng.1), (Vec::new(), 0));
    }

    #[test]
    fn with_many_flows_each_keeps_two() {
        for (many, expected) in [("false", 1), ("true", 0)] {
            let rows = [("w_q", "0.999999"), ("many_flows", many), ("max_p", "0.0001")];
            let mut bench = Bench::new(FredFlow::new(&params(&rows), &SETTING));
            (0..18).for_each(|flow| bench.arrive(0, Pkt { flow, ..Pkt::new(0) }));
            assert_eq!(bench.dropped().len(), expected, "average above max_th, {many}");
        }
    }
}
