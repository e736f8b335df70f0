//! Deficit Round Robin: a queue for each flow, served in turn, equal in bytes.
//!
//! Reference: SV95, its Figure 2; RFC 8290 keeps the same scheduler.
//! Units: `quantum` counts bytes, `limit` packets or bytes over all queues.
//! Deviations: flows are hashed into `queues`; with few of them, several flows may share one. A discipline
//! inside a queue decides on a packet when it comes to the head; where its deficit does not suffice, the
//! packet then waits for the next round, as at the peek of a Linux scheduler.

use crate::child::Child;
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Limit, LimitTest};
use crate::flow_key::FlowKey;
use crate::registry::{Discipline, Setting};
use crate::store::buckets::Buckets;
use alloc::vec::Vec;
use units::param::{require, Check, Choice, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Time};

units::choices! {
    /// The packet that is dropped when there is no room.
    pub enum DrrVictim {
        /// The head of the longest queue.
        LongestHead = "longest_head",
        /// The newest of the longest queue.
        LongestTail = "longest_tail",
        /// The arriving packet.
        Arriving = "arriving",
    }
}

units::params! {
    /// Round robin that counts bytes.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// The key that packets of one queue have in common.
        by: FlowKey = FlowKey::Flow => { source: "SV95" },
        /// Queues that flows are hashed into.
        queues: u64 = 1024 => { range: Range::Within(1.0, 1048576.0), assumed: true },
        /// Bytes a queue may send in each round; at least the largest packet for constant work.
        quantum: Bytes = Bytes(1500) => { range: Range::Positive, source: "SV95" },
        /// The packet that is dropped when there is no room.
        victim: DrrVictim = DrrVictim::LongestHead => { source: "ns-2.35" },
        /// Discipline of each queue; its limits apply in addition to `limit`.
        child: Child = Child::PLAIN => { source: "SV95" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let takes_newest = self.victim == DrrVictim::LongestTail && self.child != Child::PLAIN;
        let rule =
            "must be longest_head or arriving with a child: a discipline can only drop the packet that it would send next";
        require(problems, !takes_newest, "victim", self.victim.name(), rule, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Deficit Round Robin (DRR)";
    const ABOUT: &'static str =
        "A queue for each flow, served in turn; each may send a quantum of bytes a round and keeps what it \
        could not use, so flows get equal bytes whatever the size of their packets. Overflow hits the longest \
        queue. A queue is plain, or holds any other discipline.";
    const REFERENCE: &'static str = "SV95";
    type Disc<P: Packet + Copy> = Drr<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Drr<P> {
        Drr::new(params, setting)
    }

    fn reads_headers(&self) -> bool {
        self.by.reads_hosts() || self.child.reads_headers()
    }

    fn resolved(&self, setting: &Setting) -> Table {
        self.child.resolved("child", setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.child.fits("child", setting, problems);
    }
}

/// State of a DRR scheduler.
#[derive(Clone, Debug)]
pub struct Drr<P: Packet + Copy> {
    queues: Buckets<P>,
    limit: Limit,
    quantum: u64,
    victim: DrrVictim,
    /// Whether the queue in turn has had its quantum of this round.
    in_turn: bool,
}

impl<P: Packet + Copy> Drr<P> {
    /// Empty queues.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Drr<P> {
        Drr {
            queues: Buckets::new(params.queues, params.by, &params.child, setting),
            limit: Limit::new(params.limit, params.limit_test),
            quantum: params.quantum.0,
            victim: params.victim,
            in_turn: false,
        }
    }

    #[inline]
    fn has_room(&self, pkt: &P, cx: &Cx<'_, P>) -> bool {
        self.limit.has_room(self.queues.len(), self.queues.bytes(), pkt, cx)
    }

    /// Takes a packet from a queue; a turn ends with its queue.
    fn take(&mut self, i: usize, newest: bool, cx: &mut Cx<'_, P>) -> Option<P> {
        let has_turn = self.queues.turn() == Some(i);
        let pkt = self.queues.pop(i, newest, cx);
        if has_turn && self.queues.len_of(i) == 0 {
            self.in_turn = false;
        }
        pkt
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Drr<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        while !self.has_room(&pkt, cx) {
            let longest = if self.victim == DrrVictim::Arriving { None } else { self.queues.longest(false) };
            let Some(i) = longest else {
                return cx.drop(pkt, Reason::Overflow);
            };
            // The discipline inside may drop packets by its own law, which makes room as well.
            if let Some(victim) = self.take(i, self.victim == DrrVictim::LongestTail, cx) {
                cx.drop(victim, Reason::Overflow);
            }
        }
        let i = self.queues.of(&pkt);
        self.queues.push(i, pkt, 0, cx);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.queues.sent(cx);
        loop {
            let i = self.queues.turn()?;
            if !self.in_turn {
                self.queues.bucket(i).deficit += self.quantum as i64;
            }
            self.in_turn = true;
            let Some(size) = self.queues.head_size(i, cx) else {
                self.in_turn = false;
                continue;
            };
            let bucket = self.queues.bucket(i);
            if size as i64 <= bucket.deficit {
                bucket.deficit -= size as i64;
                let pkt = self.take(i, false, cx);
                self.queues.sends(i);
                return pkt;
            }
            self.in_turn = false;
            self.queues.next();
        }
    }

    #[inline]
    fn len(&self) -> usize {
        self.queues.len()
    }

    #[inline]
    fn backlog(&self) -> Bytes {
        Bytes(self.queues.bytes())
    }

    #[inline]
    fn decides(&self) -> Decides {
        Decides::Later
    }

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        self.queues.next_deadline()
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        let turn = self.queues.turn();
        self.queues.on_deadline(cx);
        // A tick may drop packets, and without packets a queue's turn is over.
        self.in_turn &= self.queues.turn() == turn;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("active_queues", self.queues.active() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};
    use alloc::string::{String, ToString};
    use units::param::Value;

    #[test]
    fn equal_bytes_whatever_the_size() {
        let mut bench = Bench::new(Drr::new(&params(&[("limit", "1000 pkts")]), &SETTING));
        for _ in 0..90 {
            bench.arrive(0, Pkt { flow: 1, size: 1500, ..Pkt::new(0) });
            (0..3).for_each(|_| bench.arrive(0, Pkt { flow: 2, size: 500, ..Pkt::new(0) }));
        }
        let mut bytes = [0; 3];
        for _ in 0..120 {
            let pkt = bench.depart(0).unwrap();
            bytes[pkt.flow as usize] += pkt.size;
        }
        assert_eq!(bytes[1], bytes[2]);
    }

    /// Flow 1 is alone at its host; flows 2 to 10 are of another.
    #[test]
    fn a_host_with_nine_flows_gets_as_much_as_a_host_with_one() {
        for (by, expected) in [("flow", 10), ("source", 50), ("destination", 50), ("hosts", 50)] {
            let mut bench = Bench::new(Drr::new(&params(&[("limit", "2000 pkts"), ("by", by)]), &SETTING));
            for _ in 0..100 {
                for flow in 1..=10 {
                    let hosts = if flow == 1 { [1, 11] } else { [2, 12] };
                    bench.arrive(0, Pkt { flow, hosts, size: 1500, ..Pkt::new(0) });
                }
            }
            let got = (0..100).filter(|_| bench.depart(0).unwrap().flow == 1).count();
            assert_eq!(got, expected, "{by}");
        }
    }

    #[test]
    fn a_deficit_is_kept_for_the_next_round_and_lost_when_empty() {
        // Quantum 600, packets of 1000: nothing in the first round, one in the second.
        let mut bench = Bench::new(Drr::new(&params(&[("quantum", "600 B")]), &SETTING));
        for flow in [1, 1, 2, 2] {
            bench.arrive(0, Pkt { flow, ..Pkt::new(0) });
        }
        let order: Vec<u64> = (0..4).map(|_| bench.depart(0).unwrap().id).collect();
        assert_eq!(order, [0, 2, 1, 3]);
        assert!(bench.depart(0).is_none());
    }

    #[test]
    fn overflow_hits_the_longest_queue() {
        let mut bench = Bench::new(Drr::new(&params(&[("limit", "3 pkts")]), &SETTING));
        for flow in [1, 1, 1, 2] {
            bench.arrive(0, Pkt { flow, ..Pkt::new(0) });
        }
        assert_eq!(bench.dropped(), [0]);
        assert_eq!(bench.probe("active_queues"), 2.0);
    }

    /// A table of a scenario, with a discipline inside.
    fn around(child: &[(&str, &str)], more: &[(&str, &str)]) -> Result<crate::Spec, Vec<String>> {
        let text = |rows: &[(&str, &str)]| -> Table {
            rows.iter().map(|(key, text)| (key.to_string(), Value::Text(text.to_string()))).collect()
        };
        let mut rows = text(&[&[("kind", "drr")], more].concat());
        rows.push(("child".to_string(), Value::Table(text(child))));
        let mut problems = Vec::new();
        crate::Spec::read("queue", &rows, &mut problems)
            .ok_or_else(|| problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn tail_drop_inside_changes_nothing() {
        let spec = around(&[("kind", "droptail"), ("limit", "1000 pkts")], &[("limit", "20 pkts")]).unwrap();
        let mut with = Bench::new(spec.build::<Pkt>(&SETTING));
        let mut without = Bench::new(Drr::new(&params(&[("limit", "20 pkts")]), &SETTING));
        for i in 0..3000_u64 {
            let pkt = Pkt { flow: i * i % 11, size: 40 + 97 * (i % 15), ..Pkt::new(0) };
            with.arrive(i, pkt);
            without.arrive(i, pkt);
            if i % 3 > 0 {
                assert_eq!(with.depart(i), without.depart(i));
            }
        }
        assert_eq!(with.fates, without.fates);
        assert!(with.dropped().len() > 500);
    }

    #[test]
    fn each_queue_has_a_law_of_its_own() {
        // Flow 1 keeps 300 packets waiting; flow 2 sends one a millisecond, which leaves at once.
        let spec = around(&[("kind", "codel")], &[("limit", "1000 pkts")]).unwrap();
        let mut bench = Bench::new(spec.build::<Pkt>(&SETTING));
        let mut thin = 0;
        for us in (0..400_000).step_by(500) {
            for _ in 0..2 {
                bench.arrive(us, Pkt { flow: 1, ..Pkt::new(0) });
            }
            if us % 1000 == 0 {
                bench.arrive(us, Pkt { flow: 2, size: 100, ..Pkt::new(0) });
                thin += 1;
            }
            let sent = bench.depart(us);
            if sent.is_some_and(|pkt| pkt.flow == 2) {
                bench.depart(us);
            }
        }
        // Of five arrivals in a millisecond the last is of flow 2, except for the first millisecond's order:
        // ids 2, 7, 12 ...
        assert!(thin == 400 && bench.dropped().len() == 5, "{:?}", bench.dropped());
        assert!(bench.dropped().iter().all(|id| id % 5 != 2), "{:?}", bench.dropped());
    }

    #[test]
    fn an_emptied_queue_learns_that_its_line_is_idle() {
        // RED inside: its average decays while its queue is empty and another flow sends.
        let red = [("kind", "red"), ("w_q", "0.5"), ("min_th", "1 pkts"), ("max_th", "3 pkts")];
        let spec = around(&red, &[("limit", "1000 pkts")]).unwrap();
        let mut bench = Bench::new(spec.build::<Pkt>(&SETTING));
        (0..6).for_each(|_| bench.arrive(0, Pkt { flow: 1, ..Pkt::new(0) }));
        let before = bench.dropped().len();
        assert!(before > 0, "the average has reached the upper threshold");
        let mut us = 0;
        while bench.depart(us).is_some() {
            us += 1000;
        }
        bench.arrive(us + 50_000, Pkt { flow: 1, ..Pkt::new(0) });
        assert_eq!(bench.dropped().len(), before);
    }

    #[test]
    fn the_newest_packet_of_a_discipline_cannot_be_taken() {
        let problems = around(&[("kind", "codel")], &[("victim", "longest_tail")]).unwrap_err();
        assert!(problems[0].starts_with("queue.victim = longest_tail: must be longest_head"), "{problems:?}");
        let crossed = around(&[("kind", "red"), ("max_th", "1 pkts")], &[]).unwrap_err();
        assert!(crossed[0].starts_with("queue.child.max_th"), "{crossed:?}");
    }
}
