//! RED with Preferential Dropping (RED-PD): a filter before RED drops from flows that RED's own drops show to be fast.
//!
//! Reference: MFW01.
//! Units: as in RED; drops are counted in bytes, `target_rtt` and the intervals are simulated time.
//! Deviations: MFW01 was worked from memory of its section 3; constants that it leaves open are those its authors
//! simulate with. Its test for unresponsive flows is left out: every monitored flow counts as responsive. The filter
//! drops with plain probability, and only while RED's average is at least `min_th` and a packet is queued. Marks of RED
//! count as drops. A flow is loosened at the end of an interval and not a millisecond later.

use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::red::shared_params::red_params;
use crate::red::wrapped::{as_red, red_setting};
use crate::red::{self, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use crate::store::flow_table::FlowTable;
use alloc::vec::Vec;
use core::cmp::Reverse;
use units::math::sqrt;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Span, Time};

red_params! {
    /// RED behind a filter for fast flows.
    pub struct Params {
        /// Average queue from which marking and filtering begin.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue at which the probability has risen to `max_p`.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Probability just below `max_th`.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FJ93" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// Round-trip time of the reference flow: one that TCP would send faster than is monitored.
        target_rtt: Span = Span::from_millis(40) => { range: Range::Positive, source: "MFW01" },
        /// Lists of drops that are kept, one an interval: `M`.
        lists: u64 = 5 => { range: Range::Within(1.0, 64.0), source: "MFW01" },
        /// Lists that a flow must be in to be monitored: `K`.
        needed: u64 = 3 => { range: Range::Positive, source: "MFW01" },
        /// Most flows of a list: those with the most bytes dropped.
        longest: u64 = 50 => { range: Range::Within(1.0, 65536.0), source: "MFW01" },
        /// Drop rate of an interval below which no flow is tightened.
        min_drop_rate: f64 = 0.001 => { unit: "1", range: Range::Within(0.0, 1.0), source: "MFW01" },
        /// Filter probability up to which a flow that behaves is released.
        least: f64 = 0.005 => { unit: "1", range: Range::Within(0.0, 1.0), source: "MFW01" },
        /// Most that a filter probability falls in one step.
        most_down: f64 = 0.05 => { unit: "1", range: Range::Above(0.0, 1.0), source: "MFW01" },
        /// Least time between two changes of one flow's probability.
        patience: Span = Span::from_millis(400) => { source: "MFW01" },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        self.base().with_law(self.min_th, self.max_th, self.max_p, self.w_q)
    }

    /// The length of the next interval at a drop rate: the part that one list has of `needed` congestion epochs of the
    /// reference flow, between two and ten of its round-trip times.
    fn interval(&self, drop_rate: f64) -> Span {
        let rtt = self.target_rtt.as_secs();
        let epochs = self.needed as f64 / self.lists as f64 * rtt / sqrt(1.5 * drop_rate);
        Span::from_secs(if drop_rate > 0.0 { epochs.max(2.0 * rtt).min(10.0 * rtt) } else { 10.0 * rtt })
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        let rule = format!("must not exceed lists ({})", self.lists);
        require(problems, self.needed <= self.lists, "needed", self.needed, rule, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "RED with Preferential Dropping (RED-PD)";
    const ABOUT: &'static str = "RED with a filter before it. Flows that lose packets in RED in most of the last intervals \
        send faster than TCP with a given round-trip time would, and are monitored: a part of their packets is dropped \
        before RED, more each time they are found again and less once they lose nothing. Keeps state for the fast flows \
        only.";
    const REFERENCE: &'static str = "MFW01, FJ93";
    type Disc<P: Packet + Copy> = RedPd<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> RedPd<P> {
        RedPd::new(params, setting)
    }

    red_setting!();
}

/// A flow that is filtered.
#[derive(Clone, Copy, Debug, Default)]
struct Monitored {
    p: f64,
    changed: Time,
}

/// One interval that has ended: its length, and the flows that RED dropped from with their bytes.
#[derive(Clone, Debug)]
struct DropList {
    length: Span,
    flows: FlowTable<u64>,
}

/// State of a RED-PD queue.
#[derive(Clone, Debug)]
pub struct RedPd<P> {
    red: Red<P>,
    params: Valid<Params>,
    monitored: FlowTable<Monitored>,
    /// The last intervals, the oldest first.
    history: Vec<DropList>,
    /// Bytes that RED dropped of each flow in this interval, of all, and those that reached it.
    dropped: FlowTable<u64>,
    lost: u64,
    arrived: u64,
    /// Smoothed drop rate; none before the first interval ends.
    drop_rate: Option<f64>,
    interval: Span,
    next: Time,
}

impl<P: Packet + Copy> RedPd<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> RedPd<P> {
        let red = params.red();
        let interval = params.interval(0.0);
        RedPd {
            red: Red::linear(&red, setting),
            monitored: FlowTable::new(),
            history: Vec::new(),
            dropped: FlowTable::new(),
            lost: 0,
            arrived: 0,
            drop_rate: None,
            interval,
            next: Time::ZERO + interval,
            params: params.clone(),
        }
    }

    /// Whether the filter drops an arrival.
    fn is_filtered(&mut self, flow: u64, cx: &mut Cx<'_, P>) -> bool {
        let congested = self.red.average() >= self.red.curve().min_th() && !self.red.store_mut().is_empty();
        let p = self.monitored.find(flow).map_or(0.0, |monitored| monitored.p);
        congested && cx.chance(p)
    }

    /// Counts a drop of RED.
    fn note(&mut self, flow: u64, size: u64) {
        *self.dropped.entry(flow) += size;
        self.lost += size;
    }

    /// Ends the list of this interval.
    fn close_list(&mut self) {
        let mut flows = core::mem::replace(&mut self.dropped, FlowTable::new());
        let longest = self.params.longest as usize;
        if flows.len() > longest {
            let mut bytes: Vec<(Reverse<u64>, u64)> =
                flows.iter().map(|(flow, bytes)| (Reverse(*bytes), flow)).collect();
            bytes.sort_unstable();
            bytes[longest..].iter().for_each(|(_, flow)| flows.remove(*flow));
        }
        if self.history.len() as u64 == self.params.lists {
            self.history.remove(0);
        }
        self.history.push(DropList { length: self.interval, flows });
    }

    /// Whether a flow's probability has not changed for this number of intervals, and for `patience`.
    fn has_waited(&self, changed: Time, intervals: usize, now: Time) -> bool {
        let span: u64 = self.history.iter().rev().take(intervals).map(|list| list.length.0).sum();
        now.since(changed) >= Span(span).max(self.params.patience)
    }

    /// Flows in at least `needed` lists, with their bytes in all.
    fn regular(&self) -> Vec<(u64, u64)> {
        let mut seen: FlowTable<(u64, u64)> = FlowTable::new();
        for (flow, bytes) in self.history.iter().flat_map(|list| list.flows.iter()) {
            let (times, sum) = seen.entry(flow);
            (*times, *sum) = (*times + 1, *sum + bytes);
        }
        let needed = self.params.needed;
        seen.iter().filter(|(_, row)| row.0 >= needed).map(|(flow, row)| (flow, row.1)).collect()
    }

    /// Raises the probabilities of regular flows that lost packets in the interval that ends.
    fn tighten(&mut self, usable: f64, now: Time) {
        let regular = self.regular();
        let mean = regular.iter().map(|row| row.1).sum::<u64>() as f64 / regular.len() as f64;
        for (flow, bytes) in regular {
            let latest = self.history.last_mut().and_then(|list| list.flows.find(flow));
            let step = usable * bytes as f64 / mean;
            let old = self.monitored.find(flow).copied();
            if latest.is_none() || old.is_some_and(|old| !self.has_waited(old.changed, 4, now)) {
                continue;
            }
            let p = match old {
                None => step.min(2.0 * usable).min(0.5),
                Some(Monitored { p, .. }) if p + step.min(p) > 1.0 => (1.0 + p) / 2.0,
                Some(Monitored { p, .. }) => p + step.min(p),
            };
            *self.monitored.entry(flow) = Monitored { p, changed: now };
        }
    }

    /// Lowers the probabilities of monitored flows that are in no list, and releases those that are low enough.
    fn loosen(&mut self, now: Time) {
        let mut all = core::mem::take(&mut self.monitored);
        let (least, most_down) = (self.params.least, self.params.most_down);
        for (flow, monitored) in all.iter_mut() {
            let is_seen = self.history.iter_mut().any(|list| list.flows.find(flow).is_some());
            if is_seen || !self.has_waited(monitored.changed, 3, now) {
                continue;
            }
            let Monitored { p, .. } = *monitored;
            let lower = if p > 2.0 * most_down { p - most_down } else { p - p / 2.0 };
            *monitored = Monitored { p: if p <= least { 0.0 } else { lower }, changed: now };
        }
        all.retain(|monitored| monitored.p > 0.0);
        self.monitored = all;
    }
}

impl<P: Packet + Copy> QueueDisc<P> for RedPd<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let (flow, size) = (pkt.flow(), pkt.size().0);
        let q = self.red.observe(&pkt, cx);
        if self.is_filtered(flow, cx) {
            return cx.drop(pkt, Reason::Forced);
        }
        self.arrived += size;
        let signal = self.red.signal(self.red.average(), size, q, cx);
        if signal.is_some() {
            self.note(flow, size);
        }
        if let Some(kept) = self.red.act(pkt, signal, cx) {
            if self.red.store_mut().has_room(&kept, cx) {
                self.red.store_mut().push(kept, cx);
            } else {
                self.note(flow, size);
                self.red.restart_count();
                cx.drop(kept, Reason::Overflow);
            }
        }
        if self.red.store_mut().is_empty() {
            self.red.rest(cx.now);
        }
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {
        let now = self.next;
        let latest = if self.arrived > 0 { self.lost as f64 / self.arrived as f64 } else { 0.0 };
        let smoothed = self.drop_rate.map_or(latest, |before| 0.5 * latest + 0.5 * before);
        self.close_list();
        if latest > self.params.min_drop_rate {
            self.tighten(latest.min(smoothed), now);
        }
        self.loosen(now);
        (self.drop_rate, self.lost, self.arrived) = (Some(smoothed), 0, 0);
        self.interval = self.params.interval(smoothed);
        self.next = now + self.interval;
    }

    as_red!();

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
        out.note("drop_rate", self.drop_rate.unwrap_or(0.0));
        out.note("monitored", self.monitored.len() as f64);
        out.note("highest", self.monitored.values().map(|monitored| monitored.p).fold(0.0, f64::max));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    /// A target of 40 ms: intervals from 80 to 400 ms.
    fn queue(rows: &[(&str, &str)]) -> RedPd<Pkt> {
        RedPd::new(&params(rows), &SETTING)
    }

    /// Ends an interval in which flow 1 lost `first` bytes and flow 2 `second`, of a hundred thousand.
    fn interval(bench: &mut Bench<RedPd<Pkt>>, first: u64, second: u64) {
        [(1, first), (2, second)]
            .into_iter()
            .filter(|row| row.1 > 0)
            .for_each(|(f, n)| bench.disc.note(f, n));
        bench.disc.arrived = 100_000;
        let due = bench.disc.next.0 / 1000 + 1;
        bench.tick_until(due);
    }

    #[test]
    fn an_interval_is_the_part_of_a_list_in_the_epochs_of_the_reference() {
        let params: Valid<Params> = params(&[]);
        let ms = |p: f64| params.interval(p).as_millis();
        // 0.6 * 40 ms / sqrt(1.5 p): at p = 0.006 this is 24 / 0.09487 = 252.98 ms.
        assert!((ms(0.006) - 252.982).abs() < 1e-3);
        assert_eq!([ms(0.0), ms(0.0001), ms(0.5)], [400.0, 400.0, 80.0]);
    }

    #[test]
    fn the_third_list_makes_a_flow_monitored_and_each_later_one_costs_more() {
        let mut bench = Bench::new(queue(&[("patience", "0 s")]));
        // Flow 1 loses 300 and flow 2 loses 100 in each, so the drop rate is 0.004; flow 2 misses the second.
        interval(&mut bench, 300, 100);
        interval(&mut bench, 400, 0);
        assert_eq!(bench.probe("monitored"), 0.0);
        interval(&mut bench, 300, 100);
        // Flow 1 alone is in three lists, so it is the mean: its probability is the drop rate.
        assert_eq!((bench.probe("monitored"), bench.probe("highest")), (1.0, 0.004));
        // It stays for four intervals. Then flow 1 lost 1500 and flow 2 lost 500 in five lists, so the step is
        // 0.004 * 1500 / 1000 = 0.006; but a probability at most doubles.
        (0..3).for_each(|_| interval(&mut bench, 300, 100));
        let kept = bench.disc.monitored.find(1).unwrap().p;
        assert_eq!(kept, 0.004);
        interval(&mut bench, 300, 100);
        assert!((bench.disc.monitored.find(1).unwrap().p - 0.008).abs() < 1e-12);
    }

    #[test]
    fn a_flow_in_no_list_is_loosened_and_released() {
        let mut bench = Bench::new(queue(&[("patience", "0 s")]));
        *bench.disc.monitored.entry(7) = Monitored { p: 0.12, changed: Time::ZERO };
        *bench.disc.monitored.entry(8) = Monitored { p: 0.08, changed: Time::ZERO };
        *bench.disc.monitored.entry(9) = Monitored { p: 0.005, changed: Time::ZERO };
        interval(&mut bench, 0, 0);
        let mut p = |flow| bench.disc.monitored.find(flow).map(|row| row.p);
        assert!((p(7).unwrap() - 0.07).abs() < 1e-12, "0.12 is above 0.1: less 0.05");
        assert_eq!((p(8), p(9)), (Some(0.04), None), "halved; released");
    }

    #[test]
    fn the_filter_drops_only_while_red_is_congested() {
        let rows = [("min_th", "2 pkts"), ("max_th", "50 pkts"), ("w_q", "0.999999")];
        let mut bench = Bench::new(queue(&rows));
        *bench.disc.monitored.entry(0) = Monitored { p: 0.5, changed: Time::ZERO };
        bench.rng.0 = 0.0001;
        (0..3).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!(bench.dropped(), [], "averages of 0, 1 and nearly 2");
        bench.arrive(0, Pkt::new(0));
        assert_eq!((bench.dropped(), bench.disc.lost), (vec![3], 0));
        assert!(refused::<Params>(&[("needed", "6")])[0].contains("must not exceed lists"));
    }
}
