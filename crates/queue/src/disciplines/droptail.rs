//! Tail drop: accept a packet if it fits, else drop it.
//!
//! Reference: RFC2309 section 1 (tail drop), RFC2309 section 2 (drop front, random drop on full).
//! Units: `limit` counts packets or bytes.
//! Deviations: none; where implementations differ there is a named option.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Preset, Problem, Valid};
use units::quantity::Amount;
use units::Bytes;

units::choices! {
    /// The packet that is dropped when there is no room.
    pub enum DropTailVictim {
        /// The arriving packet.
        Tail = "tail",
        /// The oldest packets, as many as necessary.
        Head = "head",
        /// Packets drawn at random from the queue and the arriving one, as many as necessary.
        Random = "random",
    }
}

units::params! {
    /// A queue that accepts packets that fit and drops the others.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { source: "Linux pfifo and bfifo" },
        /// The packet that is dropped when there is no room.
        victim: DropTailVictim = DropTailVictim::Tail => { source: "RFC2309" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

const DIALECTS: &[Preset] = &[
    Preset {
        name: "ns2",
        doc: "ns-2 DropTail: refuses when the queue would reach the limit, so limit_ 50 lets 49 wait.",
        options: &[("limit", "50 pkts"), ("limit_test", "counts_arrival"), ("victim", "tail")],
    },
    Preset {
        name: "ns2_front",
        doc: "ns-2 DropTail with drop_front_: the oldest goes.",
        options: &[("limit", "50 pkts"), ("limit_test", "counts_arrival"), ("victim", "head")],
    },
    Preset {
        name: "ns3",
        doc: "ns-3 DropTailQueue: 100 packets.",
        options: &[("limit", "100 pkts"), ("limit_test", "after"), ("victim", "tail")],
    },
    Preset {
        name: "pfifo",
        doc: "Linux pfifo with the usual transmit queue length.",
        options: &[("limit", "1000 pkts"), ("limit_test", "after"), ("victim", "tail")],
    },
    Preset {
        name: "bfifo",
        doc: "Linux bfifo: 1000 full Ethernet frames' worth of bytes.",
        options: &[("limit", "1514000 B"), ("limit_test", "after"), ("victim", "tail")],
    },
    Preset {
        name: "pfifo_head_drop",
        doc: "Linux pfifo_head_drop: the oldest goes.",
        options: &[("limit", "1000 pkts"), ("limit_test", "after"), ("victim", "head")],
    },
];

impl Discipline for Params {
    const TITLE: &'static str = "Tail drop";
    const ABOUT: &'static str =
        "Keeps packets in order of arrival until the buffer is full, then drops the arriving \
        one (or the oldest, or one at random). It gives no early signal: senders learn of congestion \
        only when the buffer has overflowed.";
    const REFERENCE: &'static str = "RFC2309";
    type Disc<P: Packet + Copy> = DropTail<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> DropTail<P> {
        DropTail::new(params)
    }
}

/// State of a tail-drop queue.
#[derive(Clone, Debug)]
pub struct DropTail<P> {
    queue: Fifo<P>,
    victim: DropTailVictim,
}

impl<P: Packet + Copy> DropTail<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>) -> DropTail<P> {
        DropTail { queue: Fifo::new(Limit::new(params.limit, params.limit_test)), victim: params.victim }
    }

    /// Drops others until `pkt` fits, or `pkt` itself.
    #[cold]
    fn make_room(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if !self.queue.could_hold(&pkt, cx) {
            cx.drop(pkt, Reason::Overflow);
            return;
        }
        while !self.queue.has_room(&pkt, cx) {
            let victim = match self.victim {
                DropTailVictim::Tail => None,
                DropTailVictim::Head => self.queue.pop_front(),
                DropTailVictim::Random => self.draw(cx),
            };
            cx.drop(victim.unwrap_or(pkt), Reason::Overflow);
            if victim.is_none() {
                return;
            }
        }
        self.queue.push(pkt, cx);
    }

    /// Draws a packet of the queue, or `None` for the arriving packet, each equally likely.
    fn draw(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let i = (cx.uniform() * (self.queue.len() + 1) as f64) as usize;
        self.queue.pop_at(i)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for DropTail<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if self.queue.has_room(&pkt, cx) {
            self.queue.push(pkt, cx);
        } else {
            self.make_room(pkt, cx);
        }
    }

    #[inline]
    fn dequeue(&mut self, _cx: &mut Cx<'_, P>) -> Option<P> {
        self.queue.pop_front()
    }

    #[inline]
    fn len(&self) -> usize {
        self.queue.len()
    }

    #[inline]
    fn backlog(&self) -> Bytes {
        self.queue.backlog()
    }

    #[inline]
    fn decides(&self) -> Decides {
        match self.victim {
            DropTailVictim::Tail => Decides::AtArrival,
            DropTailVictim::Head | DropTailVictim::Random => Decides::Later,
        }
    }

    fn plain_limit(&self) -> Option<u64> {
        match (self.victim, self.queue.limit()) {
            (DropTailVictim::Tail, Limit::Packets(most)) => Some(most),
            _ => None,
        }
    }

    fn probe(&self, _out: &mut Probe) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::KitPacket;
    use crate::disc::Fate;
    use units::{Rng, Time};

    struct Always(f64);

    impl Rng for Always {
        fn uniform(&mut self) -> f64 {
            self.0
        }
    }

    fn queue(change: fn(&mut Params)) -> DropTail<KitPacket> {
        let mut params = Params { limit: Amount::Packets(3.0), ..Params::default() };
        change(&mut params);
        DropTail::new(&Valid::new(params).unwrap())
    }

    /// Offers packets 0, 1, 2 ... of the given sizes; returns the numbers stored and the numbers dropped.
    fn offer(mut queue: DropTail<KitPacket>, sizes: &[u16], draw: f64, on_wire: u64) -> (Vec<u64>, Vec<u64>) {
        let (mut rng, mut fates) = (Always(draw), Vec::new());
        for (id, size) in sizes.iter().enumerate() {
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut fates);
            cx.on_wire = Bytes(on_wire);
            queue.enqueue(KitPacket::new(id as u64, *size), &mut cx);
        }
        let gone = fates.iter().map(|fate| match fate {
            Fate::Dropped(pkt, Reason::Overflow) => pkt.id,
            other => panic!("{other:?}"),
        });
        let gone = gone.collect();
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut fates);
        (core::iter::from_fn(|| queue.dequeue(&mut cx)).map(|pkt| pkt.id).collect(), gone)
    }

    #[test]
    fn the_victim_is_the_one_named() {
        let four = [1000; 4];
        assert_eq!(offer(queue(|_| ()), &four, 0.0, 0), (vec![0, 1, 2], vec![3]));
        assert_eq!(
            offer(queue(|p| p.victim = DropTailVictim::Head), &four, 0.0, 0),
            (vec![1, 2, 3], vec![0])
        );
        // Of four, 0.3 is the second and 0.9 the arriving one.
        assert_eq!(
            offer(queue(|p| p.victim = DropTailVictim::Random), &four, 0.3, 0),
            (vec![0, 2, 3], vec![1])
        );
        assert_eq!(
            offer(queue(|p| p.victim = DropTailVictim::Random), &four, 0.9, 0),
            (vec![0, 1, 2], vec![3])
        );
    }

    #[test]
    fn ns2_lets_one_fewer_wait() {
        let ns2 = queue(|p| p.limit_test = LimitTest::CountsArrival);
        assert_eq!(offer(ns2, &[1000; 4], 0.0, 0), (vec![0, 1], vec![2, 3]));
    }

    #[test]
    fn the_packet_on_the_wire_takes_up_room_if_the_link_counts_it() {
        assert_eq!(offer(queue(|_| ()), &[1000; 4], 0.0, 1000), (vec![0, 1], vec![2, 3]));
        let bytes = queue(|p| p.limit = Amount::Bytes(3000.0));
        assert_eq!(offer(bytes, &[1000; 4], 0.0, 1000), (vec![0, 1], vec![2, 3]));
    }

    #[test]
    fn bytes_are_tested_before_or_after_the_packet_is_added() {
        let sizes = [1000, 1000, 600, 400, 100];
        let limit = |test| queue(|p| p.limit = Amount::Bytes(2500.0)).with_test(test);
        assert_eq!(offer(limit(LimitTest::After), &sizes, 0.0, 0), (vec![0, 1, 3, 4], vec![2]));
        assert_eq!(offer(limit(LimitTest::Before), &sizes, 0.0, 0), (vec![0, 1, 2], vec![3, 4]));
        assert_eq!(offer(limit(LimitTest::CountsArrival), &sizes, 0.0, 0), (vec![0, 1, 3], vec![2, 4]));
    }

    #[test]
    fn a_packet_larger_than_the_buffer_takes_no_other_with_it() {
        let small = queue(|p| (p.limit, p.victim) = (Amount::Bytes(1500.0), DropTailVictim::Head));
        assert_eq!(offer(small, &[1000, 1501, 500], 0.0, 0), (vec![0, 2], vec![1]));
    }

    #[test]
    fn as_many_go_from_the_head_as_it_takes() {
        let bytes = queue(|p| (p.limit, p.victim) = (Amount::Bytes(1500.0), DropTailVictim::Head));
        assert_eq!(offer(bytes, &[500, 500, 500, 1000], 0.0, 0), (vec![2, 3], vec![0, 1]));
    }

    impl DropTail<KitPacket> {
        fn with_test(mut self, test: LimitTest) -> Self {
            self.queue = Fifo::new(Limit::new(Amount::Bytes(2500.0), test));
            self
        }
    }
}
