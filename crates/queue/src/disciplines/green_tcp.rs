//! GREEN of Feng, Kapadia and Thulasidasan: the loss at which TCP's equation gives every flow its share of the link.
//!
//! Reference: FKT02; MSMO97 is the equation it inverts.
//! Units: `rtt` and `active_for` are spans, `mss` is bytes; the rest is plain.
//! Deviations: the paper estimates the round-trip time of each flow and reads its segment size; here one `rtt` and one
//! `mss` hold for all. On an unlimited link the probability is zero.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use crate::store::flow_table::FlowTable;
use alloc::vec::Vec;
use units::param::{Check, Param, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Span, Time};

units::params! {
    /// A probability from the number of flows.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Round-trip time of the flows.
        rtt: Span = Span::from_millis(100) => { range: Range::Positive, assumed: true },
        /// Segment size of the flows. `auto`: the typical packet.
        mss: Option<Bytes> = None => { range: Range::Positive, source: "FKT02" },
        /// Constant of TCP's equation: 0.93 for random losses and delayed acknowledgements.
        c: f64 = 0.93 => { unit: "1", range: Range::Above(0.0, 2.0), source: "MSMO97" },
        /// Time for which a flow counts after its last packet.
        active_for: Span = Span::from_millis(500) => { range: Range::Positive, assumed: true },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "FKT02" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

impl Params {
    fn mss_bytes(&self, setting: &Setting) -> Bytes {
        self.mss.unwrap_or(Bytes(setting.packet.0.max(1)))
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "GREEN (Feng, Kapadia and Thulasidasan)";
    const ABOUT: &'static str = "Counts the flows that sent within a window and drops with the probability at which the \
        equation of TCP's throughput gives each of them its share of the link: (N MSS c / (L RTT)) squared. It looks at \
        no queue, so it is as right as its round-trip time.";
    const REFERENCE: &'static str = "FKT02, MSMO97";
    type Disc<P: Packet + Copy> = GreenTcp<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> GreenTcp<P> {
        GreenTcp::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let auto = self.mss.is_none();
        auto.then(|| ("mss".into(), self.mss_bytes(setting).show())).into_iter().collect()
    }
}

/// State of a queue with GREEN by flows.
#[derive(Clone, Debug)]
pub struct GreenTcp<P> {
    queue: Fifo<P>,
    ecn: bool,
    active_for: Span,
    /// Square root of the probability for one flow.
    share: f64,
    /// The last arrival of each flow that counts.
    flows: FlowTable<Time>,
    /// No flow was last seen before this.
    oldest: Time,
}

impl<P: Packet + Copy> GreenTcp<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> GreenTcp<P> {
        let link = if setting.rate.0 == 0 { f64::INFINITY } else { setting.rate.as_bps() / 8.0 };
        GreenTcp {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            ecn: params.ecn,
            active_for: params.active_for,
            share: params.mss_bytes(setting).0 as f64 * params.c / (link * params.rtt.as_secs()),
            flows: FlowTable::new(),
            oldest: Time::ZERO,
        }
    }

    /// Notes an arrival and forgets the flows that have been silent for longer than the window.
    fn note(&mut self, flow: u64, now: Time) {
        *self.flows.entry(flow) = now;
        if now.since(self.oldest) > self.active_for {
            self.flows.retain(|last| now.since(*last) <= self.active_for);
            self.oldest = self.flows.values().copied().min().unwrap_or(now);
        }
    }

    fn probability(&self) -> f64 {
        let root = self.flows.len() as f64 * self.share;
        (root * root).min(1.0)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for GreenTcp<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        self.note(pkt.flow(), cx.now);
        let signal = cx.chance(self.probability());
        self.queue.admit(pkt, signal, self.ecn, cx);
    }

    as_fifo!();

    fn probe(&self, out: &mut Probe) {
        out.note("flows", self.flows.len() as f64);
        out.note("drop_prob", self.probability());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    #[test]
    fn the_probability_is_the_square_of_the_flows() {
        // 1000 bytes * 0.93 / (1 MB/s * 100 ms) = 0.0093 for each flow.
        let mut bench = Bench::new(GreenTcp::new(&params(&[]), &SETTING));
        (0..10).for_each(|flow| bench.arrive(0, Pkt { flow, ..Pkt::new(0) }));
        assert!((bench.probe("drop_prob") - 0.093 * 0.093).abs() < 1e-12);
        bench.rng.0 = 0.0086;
        bench.arrive(1, Pkt { flow: 3, ..Pkt::new(0) });
        assert_eq!(bench.dropped(), [10]);
    }

    #[test]
    fn a_silent_flow_is_forgotten_after_the_window() {
        let mut bench = Bench::new(GreenTcp::new(&params(&[("active_for", "10 ms")]), &SETTING));
        let mut flows = |us, flow| {
            bench.arrive(us, Pkt { flow, ..Pkt::new(0) });
            bench.probe("flows")
        };
        assert_eq!([flows(0, 1), flows(0, 2), flows(5_000, 1), flows(10_000, 3)], [1.0, 2.0, 2.0, 3.0]);
        // Flow 2 was last seen 10.001 ms ago, flow 1 5.001 ms.
        assert_eq!([flows(10_001, 3), flows(15_001, 3)], [2.0, 1.0]);
    }
}
