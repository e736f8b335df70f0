//! Deficit Round Robin: a queue for each flow, served in turn, equal in bytes.
//!
//! Reference: SV95, its Figure 2; RFC 8290 keeps the same scheduler.
//! Units: `quantum` counts bytes, `limit` packets or bytes over all queues.
//! Deviations: flows are hashed into `queues`; with few of them, several flows may share one. Each queue is a plain
//! one: no other discipline inside.

use crate::buckets::Buckets;
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::Bytes;

units::choices! {
    /// Which packet goes when there is no room.
    pub enum Victim {
        /// The oldest of the longest queue.
        LongestHead = "longest_head",
        /// The newest of the longest queue.
        LongestTail = "longest_tail",
        /// The arriving one.
        Arriving = "arriving",
    }
}

units::params! {
    /// Round robin that counts bytes.
    pub struct Params {
        /// Most that may wait, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is held against the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Queues that flows are hashed into.
        queues: u64 = 1024 => { range: Range::Within(1.0, 1048576.0), assumed: true },
        /// Bytes a queue may send in each round; at least the largest packet for constant work.
        quantum: Bytes = Bytes(1500) => { range: Range::Positive, source: "SV95" },
        /// Which packet goes when there is no room.
        victim: Victim = Victim::LongestHead => { source: "ns-2.35" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Deficit Round Robin (DRR)";
    const ABOUT: &'static str =
        "A queue for each flow, served in turn; each may send a quantum of bytes a round and keeps what it \
        could not use, so flows get equal bytes whatever the size of their packets. Overflow hits the longest \
        queue.";
    const REFERENCE: &'static str = "SV95";
    type Disc<P: Packet + Copy> = Drr<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Drr<P> {
        Drr::new(params)
    }
}

/// A DRR scheduler at work.
#[derive(Clone, Debug)]
pub struct Drr<P> {
    queues: Buckets<P>,
    limit: Limit,
    quantum: u64,
    victim: Victim,
    /// Whether the queue in turn has had its quantum of this round.
    in_turn: bool,
}

impl<P: Packet + Copy> Drr<P> {
    /// Empty queues.
    pub fn new(params: &Valid<Params>) -> Drr<P> {
        Drr {
            queues: Buckets::new(params.queues),
            limit: Limit::new(params.limit, params.limit_test),
            quantum: params.quantum.0,
            victim: params.victim,
            in_turn: false,
        }
    }

    #[inline]
    fn has_room(&self, pkt: &P, cx: &Cx<'_, P>) -> bool {
        let on_wire = u64::from(cx.on_wire.0 > 0);
        self.limit.admits(
            self.queues.len() as u64 + on_wire,
            self.queues.bytes() + cx.on_wire.0,
            pkt.size().0,
        )
    }

    /// Takes a packet from a queue; a turn ends with its queue.
    fn take(&mut self, i: usize, newest: bool) -> Option<P> {
        let has_turn = self.queues.turn() == Some(i);
        let pkt = self.queues.pop(i, newest);
        if has_turn && self.queues.len_of(i) == 0 {
            self.in_turn = false;
        }
        pkt
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Drr<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        while !self.has_room(&pkt, cx) {
            let victim = match (self.victim, self.queues.longest(false)) {
                (Victim::Arriving, _) | (_, None) => None,
                (Victim::LongestHead, Some(i)) => self.take(i, false),
                (Victim::LongestTail, Some(i)) => self.take(i, true),
            };
            cx.drop(victim.unwrap_or(pkt), Reason::Overflow);
            if victim.is_none() {
                return;
            }
        }
        let mut pkt = pkt;
        pkt.set_enqueued(cx.now);
        let i = self.queues.of(&pkt);
        self.queues.push(i, pkt, 0);
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_, P>) -> Option<P> {
        loop {
            let i = self.queues.turn()?;
            let (in_turn, quantum) = (self.in_turn, self.quantum);
            let bucket = self.queues.bucket(i);
            if !in_turn {
                bucket.deficit += quantum as i64;
            }
            self.in_turn = true;
            let size = bucket.head_size() as i64;
            if size <= bucket.deficit {
                bucket.deficit -= size;
                return self.take(i, false);
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

    fn probe(&self, out: &mut Probe) {
        out.note("active_queues", self.queues.active() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt};

    #[test]
    fn equal_bytes_whatever_the_size() {
        let mut bench = Bench::new(Drr::new(&params(&[("limit", "1000 pkts")])));
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

    #[test]
    fn a_deficit_is_kept_for_the_next_round_and_lost_when_empty() {
        // Quantum 600, packets of 1000: nothing in the first round, one in the second.
        let mut bench = Bench::new(Drr::new(&params(&[("quantum", "600 B")])));
        for flow in [1, 1, 2, 2] {
            bench.arrive(0, Pkt { flow, ..Pkt::new(0) });
        }
        let order: Vec<u64> = (0..4).map(|_| bench.depart(0).unwrap().id).collect();
        assert_eq!(order, [0, 2, 1, 3]);
        assert!(bench.depart(0).is_none());
    }

    #[test]
    fn overflow_hits_the_longest_queue() {
        let mut bench = Bench::new(Drr::new(&params(&[("limit", "3 pkts")])));
        for flow in [1, 1, 1, 2] {
            bench.arrive(0, Pkt { flow, ..Pkt::new(0) });
        }
        assert_eq!(bench.dropped(), [0]);
        assert_eq!(bench.probe("active_queues"), 2.0);
    }
}
