//! Balanced RED (BRED): bounds on the packets that each flow may have in the queue, with probabilities between them.
//!
//! Reference: AT99.
//! Units: `l1`, `l2` and `w_m` count packets of one flow, `limit` counts packets or bytes.
//! Deviations: AT99 was worked from memory of its algorithm. The values of its parameters were not available and are
//! assumed; whether a flow beyond `l2` that was dropped lately falls under `p1` is the option `regions`.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{counts_of_fifo, Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use crate::store::flow_table::FlowTable;
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;

units::choices! {
    /// Treatment of a flow beyond `l2` that has had fewer than `l2` packets accepted since its last drop.
    pub enum Regions {
        /// It is spared: `p1` holds from `l1` to `l2` only.
        Exclusive = "exclusive",
        /// It is dropped with `p1` if at least `l1` packets were accepted.
        Nested = "nested",
    }
}

units::params! {
    /// Bounds on the packets of each flow.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Packets of a flow from which it is dropped with `p1`.
        l1: u64 = 5 => { range: Range::Positive, assumed: true },
        /// Packets of a flow from which it is dropped with `p2`.
        l2: u64 = 10 => { range: Range::Positive, assumed: true },
        /// Most packets of a flow.
        w_m: u64 = 20 => { range: Range::Positive, assumed: true },
        /// Probability of a drop from `l1` upward.
        p1: f64 = 0.05 => { unit: "1", range: Range::Within(0.0, 1.0), assumed: true },
        /// Probability of a drop from `l2` upward.
        p2: f64 = 0.25 => { unit: "1", range: Range::Within(0.0, 1.0), assumed: true },
        /// Treatment of a flow beyond `l2` that was dropped lately.
        regions: Regions = Regions::Exclusive => { source: "AT99" },
        /// Marks ECN-capable packets instead of dropping them with `p1` or `p2`.
        ecn: bool = false => { source: "RFC3168" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let above = |below: &str, value: u64| format!("must exceed {below} ({value})");
        require(problems, self.l2 > self.l1, "l2", self.l2, above("l1", self.l1), "");
        require(problems, self.w_m > self.l2, "w_m", self.w_m, above("l2", self.l2), "");
        let rule = format!("must be at least p1 ({})", self.p1);
        require(problems, self.p2 >= self.p1, "p2", self.p2, rule, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Balanced RED (BRED)";
    const ABOUT: &'static str = "Counts the packets that each flow has in the queue. From one length upward a flow is \
        dropped with a small probability, from a second with a larger one, from a third always. After a drop a flow is \
        spared until as many packets have been accepted, so a flow that answers is not hit twice for one burst.";
    const REFERENCE: &'static str = "AT99";
    type Disc<P: Packet + Copy> = Bred<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Bred<P> {
        Bred::new(params)
    }
}

/// The account of one flow.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    qlen: u64,
    /// Packets accepted since the last drop.
    gap: u64,
}

/// State of a Balanced RED queue.
#[derive(Clone, Debug)]
pub struct Bred<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    flows: FlowTable<Account>,
}

impl<P: Packet + Copy> Bred<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>) -> Bred<P> {
        Bred {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            params: params.clone(),
            flows: FlowTable::new(),
        }
    }

    /// The probability that an arrival of a flow is dropped.
    fn probability(&self, account: Account) -> f64 {
        let (l1, l2) = (self.params.l1, self.params.l2);
        let Account { qlen, gap } = account;
        if qlen >= l2 && gap >= l2 {
            self.params.p2
        } else if gap >= l1 && qlen >= l1 && (qlen < l2 || self.params.regions == Regions::Nested) {
            self.params.p1
        } else {
            0.0
        }
    }

    /// The arrival of a flow that has packets here was dropped: its gap is zero again.
    fn restart_gap(&mut self, flow: u64) {
        if let Some(account) = self.flows.find(flow) {
            account.gap = 0;
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Bred<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let account = self.flows.find(pkt.flow()).map_or(Account::default(), |account| *account);
        if account.qlen >= self.params.w_m {
            self.restart_gap(pkt.flow());
            return cx.drop(pkt, Reason::Forced);
        }
        let signal = cx.chance(self.probability(account));
        let kept = if signal { cx.mark_or_drop(pkt, self.params.ecn, Reason::Early) } else { Some(pkt) };
        match kept {
            Some(kept) if self.queue.has_room(&kept, cx) => {
                let queued = self.flows.entry(kept.flow());
                queued.qlen += 1;
                queued.gap = if signal { 0 } else { queued.gap + 1 };
                self.queue.push(kept, cx);
            }
            Some(kept) => {
                self.restart_gap(kept.flow());
                cx.drop(kept, Reason::Overflow);
            }
            None => self.restart_gap(pkt.flow()),
        }
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.queue.pop_front()?;
        if let Some(account) = self.flows.find(pkt.flow()) {
            account.qlen -= 1;
            if account.qlen == 0 {
                self.flows.remove(pkt.flow());
            }
        }
        Some(pkt)
    }

    counts_of_fifo!();

    #[inline]
    fn decides(&self) -> Decides {
        Decides::AtArrival
    }

    fn probe(&self, out: &mut Probe) {
        out.note("flows", self.flows.len() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt};

    /// `l1` 2, `l2` 4, `w_m` 6, and an rng that always draws zero: whatever may be dropped is.
    fn bench(rows: &[(&str, &str)]) -> Bench<Bred<Pkt>> {
        let fixed = [("l1", "2"), ("l2", "4"), ("w_m", "6"), ("p1", "0.5"), ("p2", "0.5")];
        let mut bench = Bench::new(Bred::new(&params(&[&fixed, rows].concat())));
        bench.rng.0 = 0.0;
        bench
    }

    #[test]
    fn a_drop_spares_the_flow_until_as_many_are_accepted() {
        let mut bench = bench(&[]);
        // 0 and 1 are accepted; 2 finds two packets and a gap of two, and is dropped. 3 and 4 find gaps of 0 and 1.
        // 5 finds four packets but a gap of 2 only, below l2: spared, as is 6 with a gap of 3. 7 finds w_m.
        (0..8).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!((bench.dropped(), bench.rng.1), (vec![2, 7], 1));
        // Another flow has an account of its own.
        bench.arrive(0, Pkt { flow: 7, ..Pkt::new(0) });
        assert_eq!((bench.dropped(), bench.probe("flows")), (vec![2, 7], 2.0));
    }

    #[test]
    fn nested_regions_drop_with_p1_beyond_l2() {
        let mut bench = bench(&[("regions", "nested")]);
        // As above, but 5 has a gap of two, at least l1.
        (0..6).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!(bench.dropped(), [2, 5]);
    }

    #[test]
    fn an_account_ends_with_the_last_packet() {
        let mut bench = bench(&[]);
        (0..2).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert!(bench.depart(0).is_some() && bench.depart(0).is_some());
        assert_eq!(bench.probe("flows"), 0.0);
        // The gap of two is forgotten: the next two find gaps of zero and one, the third is dropped.
        (0..3).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!(bench.dropped(), [4]);
    }

    #[test]
    fn lengths_out_of_order_are_refused() {
        assert!(refused::<Params>(&[("l2", "5")])[0].contains("must exceed l1 (5)"));
        assert!(refused::<Params>(&[("w_m", "10")])[0].contains("must exceed l2 (10)"));
        assert!(refused::<Params>(&[("p2", "0.01")])[0].contains("at least p1"));
    }
}
