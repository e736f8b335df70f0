//! Tail drop: take what fits.
//!
//! Reference: RFC2309 section 1 (tail drop), RFC2309 section 2 (drop front, random drop on full).
//! Units: `limit` counts packets or bytes.
//! Deviations: none; where implementations differ there is a named option.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use units::param::{Check, Preset, Problem, Valid};
use units::quantity::Amount;
use units::Bytes;

units::choices! {
    /// Which packet goes when there is no room.
    pub enum Victim {
        /// The arriving one.
        Tail = "tail",
        /// The oldest waiting, as many as it takes.
        Head = "head",
        /// One drawn from those waiting and the arriving one, as many as it takes.
        Random = "random",
    }
}

units::params! {
    /// A queue that takes what fits and drops the rest.
    pub struct Params {
        /// Most that may wait, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { assumed: true },
        /// How an arriving packet is held against the limit.
        limit_test: LimitTest = LimitTest::After => { source: "Linux pfifo and bfifo" },
        /// Which packet goes when there is no room.
        victim: Victim = Victim::Tail => { source: "RFC2309" },
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

/// A tail-drop queue at work.
#[derive(Clone, Debug)]
pub struct DropTail<P> {
    queue: Fifo<P>,
    victim: Victim,
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
                Victim::Tail => None,
                Victim::Head => self.queue.pop_front(),
                Victim::Random => self.draw(cx),
            };
            cx.drop(victim.unwrap_or(pkt), Reason::Overflow);
            if victim.is_none() {
                return;
            }
        }
        self.queue.push(pkt, cx);
    }

    /// One of those waiting, or `None` for the arriving packet, each equally likely.
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
            Victim::Tail => Decides::AtArrival,
            Victim::Head | Victim::Random => Decides::Later,
        }
    }

    fn probe(&self, _out: &mut Probe) {}
}
