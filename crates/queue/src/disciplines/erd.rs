//! Early Random Drop.
//!
//! Reference: Hashem89, as FJ93 section 3 and Zhang89 describe it.
//! Units: `limit` and `drop_level` count packets or bytes, each in the unit it is written in.
//! Deviations: the queue is compared with `drop_level` as the arriving packet finds it. Descriptions differ
//! on which packet goes, hence the option `victim`. No adjustment of level and probability to the traffic.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::string::ToString;
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Table, Valid};
use units::quantity::{show_amount, Amount};
use units::Bytes;

units::choices! {
    /// The packet that an early drop discards.
    pub enum ErdVictim {
        /// The arriving packet.
        Arriving = "arriving",
        /// One drawn at random from the queue; the arriving packet joins the tail.
        Random = "random",
    }
}

units::params! {
    /// A queue that drops with a fixed probability once it is longer than a fixed level.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Queue beyond which packets are dropped early. `auto`: half of `limit`.
        drop_level: Option<Amount> = None => { range: Range::Within(0.0, f64::INFINITY), source: "Hashem89" },
        /// Probability of an early drop.
        drop_probability: f64 = 0.02 => { unit: "1", range: Range::Within(0.0, 1.0), source: "Hashem89" },
        /// The packet that an early drop discards.
        victim: ErdVictim = ErdVictim::Arriving => { assumed: true },
        /// Marks an ECN-capable arrival instead of dropping any packet early.
        ecn: bool = false => { source: "RFC3168" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let level = self.level();
        let reachable = level.is_bytes() != self.limit.is_bytes() || level.number() < self.limit.number();
        let rule = format!("must lie below limit ({})", show_amount(self.limit));
        require(problems, reachable, "drop_level", show_amount(level), rule, "");
    }
}

impl Params {
    fn level(&self) -> Amount {
        self.drop_level.unwrap_or(match self.limit {
            Amount::Packets(n) => Amount::Packets(n / 2.0),
            Amount::Bytes(n) => Amount::Bytes(n / 2.0),
        })
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Early Random Drop";
    const ABOUT: &'static str =
        "Drops each arriving packet with a fixed probability while the queue is longer than \
        a fixed level. The first scheme to signal before the buffer is full; it looks at the instantaneous \
        queue, so bursts are hit as hard as a standing queue.";
    const REFERENCE: &'static str = "Hashem89, Zhang89, FJ93";
    type Disc<P: Packet + Copy> = Erd<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Erd<P> {
        Erd::new(params)
    }

    fn resolved(&self, _setting: &Setting) -> Table {
        let auto = self.drop_level.is_none();
        auto.then(|| ("drop_level".to_string(), self.level().show())).into_iter().collect()
    }
}

/// State of an Early Random Drop queue.
#[derive(Clone, Debug)]
pub struct Erd<P> {
    queue: Fifo<P>,
    drop_level: Amount,
    drop_probability: f64,
    victim: ErdVictim,
    ecn: bool,
}

impl<P: Packet + Copy> Erd<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>) -> Erd<P> {
        Erd {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            drop_level: params.level(),
            drop_probability: params.drop_probability,
            victim: params.victim,
            ecn: params.ecn,
        }
    }

    #[inline]
    fn is_long(&self, cx: &Cx<'_, P>) -> bool {
        match self.drop_level {
            Amount::Packets(level) => self.queue.packets_held(cx) as f64 > level,
            Amount::Bytes(level) => self.queue.bytes_held(cx) as f64 > level,
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Erd<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let mut pkt = pkt;
        if self.is_long(cx) && cx.chance(self.drop_probability) {
            let victim = match self.victim {
                ErdVictim::Random if !(self.ecn && pkt.ecn().capable()) => self.queue.pop_random(cx),
                _ => None,
            };
            match victim {
                Some(victim) => cx.drop(victim, Reason::Early),
                None => match cx.mark_or_drop(pkt, self.ecn, Reason::Early) {
                    Some(marked) => pkt = marked,
                    None => return,
                },
            }
        }
        if self.queue.has_room(&pkt, cx) {
            self.queue.push(pkt, cx);
        } else {
            cx.drop(pkt, Reason::Overflow);
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
            ErdVictim::Arriving => Decides::AtArrival,
            ErdVictim::Random => Decides::Later,
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

    struct Tape(Vec<f64>);

    impl Rng for Tape {
        fn uniform(&mut self) -> f64 {
            self.0.remove(0)
        }
    }

    /// Offers packets 0 to 5 to a buffer of 4 (level 2); returns the fates as number and reason.
    fn offer(victim: ErdVictim, tape: &[f64]) -> Vec<(u64, Reason)> {
        let params = Params { limit: Amount::Packets(4.0), victim, ..Params::default() };
        let mut queue = Erd::new(&Valid::new(params).unwrap());
        let (mut rng, mut fates) = (Tape(tape.to_vec()), Vec::new());
        for id in 0..6 {
            queue.enqueue(KitPacket::new(id, 1000), &mut Cx::new(Time::ZERO, &mut rng, &mut fates));
        }
        assert_eq!(rng.0, [], "every draw is used");
        let ends = fates.iter().map(|fate| match fate {
            Fate::Dropped(pkt, reason) => (pkt.id, *reason),
            Fate::Marked(..) => panic!("marked"),
        });
        ends.collect()
    }

    #[test]
    fn no_die_is_cast_up_to_the_level() {
        // Packets 0 to 2 find 0, 1 and 2 waiting, not more than the level; 3 finds 3 and is the first to be
        // judged.
        let fates = offer(ErdVictim::Arriving, &[0.02, 0.019, 0.5]);
        assert_eq!(fates, [(4, Reason::Early), (5, Reason::Overflow)]);
    }

    #[test]
    fn a_random_victim_leaves_its_place_to_the_arriving_packet() {
        // Packet 3 is to be dropped early, but of the three waiting 0.5 picks packet 1; packet 4 finds three
        // waiting.
        let fates = offer(ErdVictim::Random, &[0.0, 0.5, 0.9, 0.9]);
        assert_eq!(fates, [(1, Reason::Early), (5, Reason::Overflow)]);
    }

    #[test]
    fn the_level_must_lie_below_the_limit() {
        let params = Params { drop_level: Some(Amount::Packets(100.0)), ..Params::default() };
        assert_eq!(Valid::new(params).unwrap_err()[0].path, "drop_level");
    }

    #[test]
    fn a_capable_arrival_is_marked_for_every_victim() {
        for victim in [ErdVictim::Arriving, ErdVictim::Random] {
            let params = Params { limit: Amount::Packets(4.0), victim, ecn: true, ..Params::default() };
            let mut queue = Erd::new(&Valid::new(params).unwrap());
            let (mut rng, mut fates) = (Tape(vec![0.019]), Vec::new());
            for id in 0..4 {
                queue.enqueue(KitPacket::capable(id, 1000), &mut Cx::new(Time::ZERO, &mut rng, &mut fates));
            }
            assert!(matches!(fates[..], [Fate::Marked(pkt, Reason::Early)] if pkt.id == 3), "{fates:?}");
            assert_eq!(QueueDisc::len(&queue), 4);
        }
    }
}
