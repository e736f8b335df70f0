//! LUBA: while the link is overloaded, flows above their share are dropped in proportion to what they send beyond it.
//!
//! Reference: AGK04.
//! Units: `period` is simulated time, `limit` counts packets or bytes; rates are bytes in a period.
//! Deviations: of the paper the abstract was available (malicious flows are found by link utilisation and mean arrival
//! rates of a small number of flows, and penalised in proportion to their excess). The share of a flow, the filter of
//! rates and every constant are assumed. On an unlimited link nothing is dropped.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use crate::store::flow_table::FlowTable;
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Span, Time};

units::params! {
    /// Drops of what flows send beyond their share.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Time over which the utilisation and the rates are measured.
        period: Span = Span::from_millis(100) => { range: Range::Positive, assumed: true },
        /// Flows that the table has room for.
        places: u64 = 100 => { range: Range::Within(1.0, 65536.0), assumed: true },
        /// Weight of the last period in the mean rate of a flow.
        weight: f64 = 0.25 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Equal shares of the link that a flow may use before it counts as malicious.
        tolerance: f64 = 1.5 => { unit: "1", range: Range::Positive, assumed: true },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "RFC3168" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Link Utilisation Based Approach (LUBA)";
    const ABOUT: &'static str = "Tail drop until more arrives than the link sends. From then on a flow whose mean rate is \
        above its share of the link loses the part of its packets that it sends beyond that share. Keeps a rate for a \
        small number of flows. Built from the abstract of its paper; constants are assumed.";
    const REFERENCE: &'static str = "AGK04";
    type Disc<P: Packet + Copy> = Luba<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Luba<P> {
        Luba::new(params, setting)
    }
}

/// Arrivals of one flow.
#[derive(Clone, Copy, Debug, Default)]
struct Arrivals {
    /// Bytes in this period.
    bytes: u64,
    /// Mean bytes in a period; none before the first period ends.
    rate: Option<f64>,
}

/// State of a LUBA queue.
#[derive(Clone, Debug)]
pub struct Luba<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    flows: FlowTable<Arrivals>,
    /// Bytes that the link sends in a period.
    c: f64,
    /// Bytes of all arrivals in this period.
    arrived: u64,
    /// Utilisation in the last period.
    u: f64,
    next: Time,
}

impl<P: Packet + Copy> Luba<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Luba<P> {
        let rate = if setting.rate.0 == 0 { f64::INFINITY } else { setting.rate.as_bps() / 8.0 };
        Luba {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            flows: FlowTable::new(),
            c: rate * params.period.as_secs(),
            arrived: 0,
            u: 0.0,
            next: Time::ZERO + params.period,
            params: params.clone(),
        }
    }

    /// Counts an arrival of a flow, if it has a place in the table.
    fn count(&mut self, flow: u64, size: u64) {
        if let Some(arrivals) = self.flows.find(flow) {
            arrivals.bytes += size;
        } else if (self.flows.len() as u64) < self.params.places {
            self.flows.entry(flow).bytes = size;
        }
    }

    /// The part of a flow's rate that lies above its share.
    fn excess(&mut self, flow: u64) -> f64 {
        if self.u <= 1.0 {
            return 0.0;
        }
        let share = self.params.tolerance * self.c / self.flows.len().max(1) as f64;
        let rate = self.flows.find(flow).and_then(|arrivals| arrivals.rate);
        rate.map_or(0.0, |rate| 1.0 - share / rate)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Luba<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let size = pkt.size().0;
        self.arrived += size;
        self.count(pkt.flow(), size);
        let signal = cx.chance(self.excess(pkt.flow()));
        self.queue.admit(pkt, signal, self.params.ecn, cx);
    }

    as_fifo!();

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {
        self.u = self.arrived as f64 / self.c;
        self.arrived = 0;
        self.flows.retain(|arrivals| arrivals.bytes > 0);
        let weight = self.params.weight;
        for (_, arrivals) in self.flows.iter_mut() {
            let last = arrivals.bytes as f64;
            let mean = arrivals.rate.map_or(last, |mean| (1.0 - weight) * mean + weight * last);
            *arrivals = Arrivals { bytes: 0, rate: Some(mean) };
        }
        self.next += self.params.period;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("load", self.u);
        out.note("flows", self.flows.len() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    /// Ten packets fit a period of 10 ms; flow 1 sends `first` and flow 2 sends `second` in the first one.
    fn after(first: u64, second: u64, rows: &[(&str, &str)]) -> Bench<Luba<Pkt>> {
        let fixed = [("period", "10 ms"), ("tolerance", "1"), ("weight", "0.5")];
        let mut bench = Bench::new(Luba::new(&params(&[&fixed, rows].concat()), &SETTING));
        let mut send = |flow, n| (0..n).for_each(|_| bench.arrive(0, Pkt { flow, ..Pkt::new(0) }));
        send(1, first);
        send(2, second);
        bench.tick_until(10_000);
        bench
    }

    #[test]
    fn the_excess_over_an_equal_share_by_hand() {
        // Of ten packets each may send five: flow 1 sends twenty, 15 of them too many; flow 2 sends four.
        let mut bench = after(20, 4, &[]);
        assert_eq!(bench.probe("load"), 2.4);
        assert_eq!([1, 2, 3].map(|flow| bench.disc.excess(flow).max(0.0)), [0.75, 0.0, 0.0]);
        // With a tolerance of two it may send ten.
        assert_eq!(after(20, 4, &[("tolerance", "2")]).disc.excess(1), 0.5);
        // Below the capacity nobody is malicious.
        assert_eq!(after(9, 1, &[]).disc.excess(1), 0.0);
    }

    #[test]
    fn a_rate_is_a_mean_and_a_silent_flow_is_forgotten() {
        let mut bench = after(20, 4, &[]);
        bench.rng.0 = 0.9;
        (0..12).for_each(|_| bench.arrive(11_000, Pkt { flow: 1, ..Pkt::new(0) }));
        bench.tick_until(20_000);
        // (20 + 12) / 2 = 16 packets, and the whole link is its share.
        assert_eq!((bench.probe("load"), bench.probe("flows")), (1.2, 1.0));
        assert_eq!(bench.disc.excess(1), 1.0 - 10.0 / 16.0);
    }

    #[test]
    fn a_full_table_takes_no_more_flows() {
        let mut bench = after(20, 20, &[("places", "1"), ("limit", "50 pkts")]);
        assert_eq!((bench.probe("flows"), bench.disc.excess(2)), (1.0, 0.0));
        assert!(refused::<Params>(&[("places", "0")])[0].contains("places"));
    }
}
