//! Stochastic Fairness Queueing: flows hashed into a few queues, one packet of each in turn.
//!
//! Reference: McKenney90; the rule of its buffer as observed in ns-2.35.
//! Units: packets.
//! Deviations: McKenney90 sends a packet a turn; bytes a turn are an option. Rehashing, where `perturb` asks
//! for it, leaves packets where they are, so packets of one flow may overtake each other once; off by
//! default. Fairness is in packets, not bytes, by default (`quantum` counts bytes).

use crate::child::Child;
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::flow_key::FlowKey;
use crate::registry::{Discipline, Setting};
use crate::store::buckets::Buckets;
use alloc::vec::Vec;
use units::param::{require, Check, Choice, Preset, Problem, Range, Table, Valid};
use units::quantity::{show_amount, Amount};
use units::{Bytes, Span, Time};

units::choices! {
    /// Packets that are dropped when there is no room.
    pub enum RefuseArrival {
        /// The arriving one, if its queue holds at least half as many packets as there is free room, or if
        /// little room is free and its queue holds more than its share.
        Share = "share",
        /// As `share`, with half of an odd room rounded down, and the share computed over all queues, used or
        /// not (ns-2).
        ShareOfAll = "share_of_all",
        /// The newest packet of the longest queue, when the buffer is full.
        Longest = "longest",
        /// The head of the longest queue, when the buffer is full.
        LongestHead = "longest_head",
        /// As `longest`; of several equally long queues the one that became so last. The arriving packet
        /// counts as queued.
        LongestLatest = "longest_latest",
    }
}

units::params! {
    /// Round robin over hashed queues.
    pub struct Params {
        /// Maximum number of packets in the queue.
        limit: Amount = Amount::Packets(40.0) => { range: Range::Positive, source: "ns-2.35" },
        /// The key that packets of one queue have in common.
        by: FlowKey = FlowKey::Flow => { source: "McKenney90" },
        /// Queues that flows are hashed into.
        buckets: u64 = 16 => { range: Range::Within(1.0, 1048576.0), source: "ns-2.35" },
        /// Bytes a queue may send in one turn, which ends with the packet that uses them up. `auto`: one
        /// packet.
        quantum: Option<Bytes> = None => { range: Range::Within(1.0, 1e9), source: "McKenney90" },
        /// Packets that are dropped when there is no room.
        refuse: RefuseArrival = RefuseArrival::Share => { source: "ns-2.35" },
        /// Time after which flows are rehashed. `auto`: never.
        perturb: Option<Span> = None => { range: Range::Positive, source: "McKenney90" },
        /// Discipline of each queue; its limits apply in addition to `limit`.
        child: Child = Child::PLAIN => { source: "Linux sfq" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        let shown = show_amount(self.limit);
        let whole = !self.limit.is_bytes() && self.limit.number() >= 1.0 && self.limit.number() <= 1e9;
        require(problems, whole, "limit", shown, "must be packets, at least 1", "");
        let newest = matches!(self.refuse, RefuseArrival::Longest | RefuseArrival::LongestLatest);
        let rule =
            "must be share or longest_head with a child: a discipline can only drop the packet that it would send next";
        require(problems, !newest || self.child == Child::PLAIN, "refuse", self.refuse.name(), rule, "");
    }
}

const DIALECTS: &[Preset] = &[
    Preset {
        name: "linux",
        doc: "Linux sfq: 127 packets, 1024 queues that send a frame's worth in turn, and the newest of the longest goes.",
        options: &[
            ("limit", "127 pkts"),
            ("buckets", "1024"),
            ("quantum", "1514 B"),
            ("refuse", "longest_latest"),
        ],
    },
    Preset {
        name: "ns2",
        doc: "ns-2.35 SFQ: 40 packets, 16 queues, and a share of all queues there are.",
        options: &[("refuse", "share_of_all")],
    },
];

impl Discipline for Params {
    const TITLE: &'static str = "Stochastic Fairness Queueing (SFQ)";
    const ABOUT: &'static str =
        "Hashes flows into a few queues and sends one packet of each in turn. Cheap isolation of flows, as long \
        as few of them share a queue; periodic rehashing changes which flows collide. A queue is plain, or holds any \
        other discipline.";
    const REFERENCE: &'static str = "McKenney90";
    type Disc<P: Packet + Copy> = Sfq<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Sfq<P> {
        Sfq::new(params, setting)
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

/// State of an SFQ scheduler.
#[derive(Clone, Debug)]
pub struct Sfq<P: Packet + Copy> {
    queues: Buckets<P>,
    limit: u64,
    buckets: u64,
    quantum: Option<u64>,
    refuse: RefuseArrival,
    perturb: Option<Span>,
    /// When flows are rehashed.
    next: Time,
}

impl<P: Packet + Copy> Sfq<P> {
    /// Empty queues.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Sfq<P> {
        Sfq {
            queues: Buckets::new(params.buckets, params.by, &params.child, setting),
            limit: params.limit.number() as u64,
            buckets: params.buckets,
            quantum: params.quantum.map(|quantum| quantum.0),
            refuse: params.refuse,
            perturb: params.perturb,
            next: params.perturb.map_or(Time::NEVER, |span| Time::ZERO + span),
        }
    }

    /// Whether the arriving packet, of queue `i`, is refused.
    fn refuses(&self, i: usize, cx: &Cx<'_, P>) -> bool {
        let held = self.queues.len() as u64 + u64::from(cx.on_wire.0 > 0);
        let free = self.limit.saturating_sub(held);
        if free == 0 {
            return true;
        }
        let own = self.queues.len_of(i) as u64;
        let short = free < self.buckets;
        match self.refuse {
            RefuseArrival::Share => {
                let share = self.limit / (self.queues.active() as u64).max(1);
                2 * own >= free.max(2) || (short && own > share)
            }
            RefuseArrival::ShareOfAll => own >= free / 2 || (short && own > self.limit / self.buckets),
            _ => false,
        }
    }

    /// Drops a packet of the longest queue, if that is the rule and there is one; a discipline inside may have
    /// dropped others by its own law, which makes room as well.
    fn makes_room(&mut self, cx: &mut Cx<'_, P>) -> bool {
        let newest = match self.refuse {
            RefuseArrival::Longest => true,
            RefuseArrival::LongestHead => false,
            RefuseArrival::Share | RefuseArrival::ShareOfAll | RefuseArrival::LongestLatest => return false,
        };
        let Some(longest) = self.queues.longest(true) else { return false };
        if let Some(victim) = self.queues.pop(longest, newest, cx) {
            cx.drop(victim, Reason::Overflow);
        }
        true
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Sfq<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if cx.now >= self.next {
            self.queues.perturb();
            self.next = self.perturb.map_or(Time::NEVER, |span| cx.now + span);
        }
        let i = self.queues.of(&pkt);
        let full = self.refuses(i, cx);
        if full && self.refuse != RefuseArrival::LongestLatest && !self.makes_room(cx) {
            return cx.drop(pkt, Reason::Overflow);
        }
        self.queues.push(i, pkt, self.quantum.map_or(0, |quantum| quantum as i64), cx);
        if full && self.refuse == RefuseArrival::LongestLatest {
            let longest = self.queues.longest_latest();
            if let Some(victim) = longest.and_then(|longest| self.queues.pop(longest, true, cx)) {
                cx.drop(victim, Reason::Overflow);
            }
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.queues.sent(cx);
        loop {
            let i = match self.quantum {
                None => self.queues.turn()?,
                Some(quantum) => self.queues.turn_of(quantum as i64)?,
            };
            // A discipline inside may drop all it held; then the next queue has its turn.
            let Some(pkt) = self.queues.pop(i, false, cx) else { continue };
            if self.queues.len_of(i) > 0 {
                match self.quantum {
                    None => self.queues.next(),
                    Some(_) => self.queues.bucket(i).deficit -= pkt.size().0 as i64,
                }
            }
            self.queues.sends(i);
            return Some(pkt);
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
        self.queues.on_deadline(cx);
    }

    fn probe(&self, out: &mut Probe) {
        out.note("active_queues", self.queues.active() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    #[test]
    fn one_packet_of_each_in_turn() {
        let mut bench = Bench::new(Sfq::new(&params(&[("buckets", "1024")]), &SETTING));
        for flow in [1, 1, 1, 2, 2, 3] {
            bench.arrive(0, Pkt { flow, ..Pkt::new(0) });
        }
        let order: Vec<u64> = (0..6).map(|_| bench.depart(0).unwrap().flow).collect();
        assert_eq!(order, [1, 2, 3, 1, 2, 1]);
    }

    /// Flow 1 is alone at its host; flows 2 to 4 are of another.
    #[test]
    fn hosts_take_turns_whatever_the_number_of_their_flows() {
        for (by, expected) in [("flow", 3), ("source", 6), ("destination", 6), ("hosts", 6)] {
            let rows = [("buckets", "1024"), ("limit", "1000 pkts"), ("by", by)];
            let mut bench = Bench::new(Sfq::new(&params(&rows), &SETTING));
            for _ in 0..20 {
                for flow in 1..=4 {
                    let hosts = if flow == 1 { [1, 11] } else { [2, 12] };
                    bench.arrive(0, Pkt { flow, hosts, ..Pkt::new(0) });
                }
            }
            let got = (0..12).filter(|_| bench.depart(0).unwrap().flow == 1).count();
            assert_eq!(got, expected, "{by}");
        }
    }

    #[test]
    fn one_flow_gets_no_more_than_half_of_what_is_free() {
        // 13 waiting, 27 free: 26 < 27. 14 waiting, 26 free: 28 >= 26.
        let mut bench = Bench::new(Sfq::new(&params(&[]), &SETTING));
        (0..20).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!(bench.disc.len(), 14);
        let mut longest = Bench::new(Sfq::new(&params(&[("refuse", "longest")]), &SETTING));
        (0..45).for_each(|flow| longest.arrive(0, Pkt { flow: flow % 2, ..Pkt::new(0) }));
        assert_eq!((longest.disc.len(), longest.dropped().len()), (40, 5));
    }

    #[test]
    fn in_ns2_odd_halves_are_rounded_down_and_the_share_is_of_all_queues() {
        // 13 waiting, 27 free: 13 >= 13. So 13 stay of one flow.
        let mut bench = Bench::new(Sfq::new(&params(&[("dialect", "ns2")]), &SETTING));
        (0..20).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!(bench.disc.len(), 13);
        // A room of 16 for 16 queues: short from the first packet on, and the share is one. The third finds
        // two.
        let mut small = Bench::new(Sfq::new(&params(&[("dialect", "ns2"), ("limit", "16 pkts")]), &SETTING));
        (0..5).for_each(|_| small.arrive(0, Pkt::new(0)));
        assert_eq!(small.dropped(), [2, 3, 4]);
    }

    #[test]
    fn a_limit_in_bytes_is_refused() {
        assert!(refused::<Params>(&[("limit", "40000 B")])[0].contains("must be packets"));
    }
}
