//! Flow queues in turn, each under PIE.
//!
//! Reference: RFC8290 for the turns, RFC8033 for the law in each queue; the pairing is that of Linux and
//! ns-3.
//! Units: `limit` counts packets or bytes, `memory_limit` and `quantum` bytes; `target`, `t_update`,
//! `max_burst` are spans.
//! Deviations: the hash is a mixer of 64 bits over the flow and a perturbation. All queues tick at once. A
//! full buffer refuses the arriving packet, not one of the longest queue, unless `victim` says so.

use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::fifo::Unit;
use crate::fq_codel::{check_limit, check_sets};
use crate::pie::{self, Backlog, BurstClock, Delay, Departure, GuardTest, Judged, PieLaw, PieState};
use crate::registry::{Discipline, Setting};
use crate::store::flow_queues::{as_flow_queues, Bounds, Flows, Hash, Queue};
use alloc::vec::Vec;
use units::param::{require, Check, Param, Preset, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Span, Time};

units::choices! {
    /// Packets dropped when the buffer is full.
    pub enum FqPieVictim {
        /// The arriving one (Linux).
        Arriving = "arriving",
        /// The head of the queue with the most bytes: half of its bytes, at most `drop_batch` packets. A queue that
        /// alone has reached the limit refuses the arriving packet (ns-3).
        Fattest = "fattest",
    }
}

units::params! {
    /// Flow queues served by deficit round robin, each under PIE.
    pub struct Params {
        /// Limit of all queues together, in packets or bytes.
        limit: Amount = Amount::Packets(10240.0) => { source: "Linux fq_pie" },
        /// Maximum backlog of all queues. Zero: only `limit` applies.
        memory_limit: Bytes = Bytes(32 << 20) => { source: "Linux fq_pie" },
        /// Packets dropped when the buffer is full.
        victim: FqPieVictim = FqPieVictim::Arriving => { source: "Linux fq_pie" },
        /// Most packets dropped at once from the longest queue.
        drop_batch: u64 = 64 => { unit: "1", range: Range::Within(1.0, 1e6), source: "RFC8290" },
        /// Queues that flows are hashed into.
        flows: u64 = 1024 => { unit: "1", range: Range::Within(1.0, 65536.0), source: "Linux fq_pie" },
        /// Queues per set of the hash: a flow takes a free queue of its set. 1: the hash alone decides.
        ways: u64 = 1 => { unit: "1", range: Range::Within(1.0, 64.0), source: "Linux fq_pie" },
        /// Seed of the hash. `auto`: drawn at the first arrival.
        perturbation: Option<u64> = None => { unit: "1", source: "Linux fq_pie" },
        /// Bytes a queue may send in its turn.
        quantum: Bytes = Bytes(1514) => { range: Range::Within(1.0, 1e9), source: "Linux fq_pie" },
        /// Target delay of each queue.
        target: Span = Span::from_millis(15) => { range: Range::Positive, source: "RFC8033" },
        /// Time between two steps of the controllers.
        t_update: Span = Span::from_millis(15) => { range: Range::Positive, source: "RFC8033" },
        /// Weight of the distance from the target, per second.
        alpha: f64 = 0.125 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "RFC8033" },
        /// When the controllers make their first step. `auto`: after one `t_update`.
        first_update: Option<Span> = None => { range: Range::Positive, source: "RFC8033" },
        /// Weight of the change since the last tick, per second.
        beta: f64 = 1.25 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "RFC8033" },
        /// Burst allowance: time in which nothing is dropped.
        max_burst: Span = Span::from_millis(150) => { source: "RFC8033" },
        /// Events that use up the burst allowance.
        burst_clock: BurstClock = BurstClock::Tick => { source: "RFC8033" },
        /// The delay that decides that a queue is uncongested.
        judged: Judged = Judged::Old => { source: "RFC8033" },
        /// Whether ECN-capable packets are marked instead of dropped.
        ecn: bool = false => { source: "Linux fq_pie" },
        /// Probability above which packets are dropped even if they are ECN-capable.
        mark_limit: f64 = 0.1 => { unit: "1", range: Range::Within(0.0, 1.0), source: "RFC8033" },
        /// Whether drops are spaced by the sum of probabilities.
        derandomise: bool = true => { source: "RFC8033" },
        /// Delay above which the probability rises by a further 0.02 at each tick. Zero: never.
        surge_delay: Span = Span::ZERO => { source: "Linux fq_pie" },
        /// Upper bound on a probability. One above 1 takes time to fall, during which everything is dropped.
        most_prob: f64 = 1.0 => { unit: "1", range: Range::Within(1.0, 1e6), source: "RFC8033" },
        /// Factor of the probability at each tick while there is no delay.
        decay: f64 = 0.98 => { unit: "1", range: Range::Within(0.0, 1.0), source: "RFC8033" },
        /// Whether it decays only if the queue is empty at the tick, too.
        decay_if_empty: bool = false => { source: "RFC8033" },
        /// Unit of the guard, which prevents drops while at most two packets are in the queue.
        guard_unit: Unit = Unit::Bytes => { source: "RFC8033" },
        /// Whether the guard applies to exactly two packets.
        guard_test: GuardTest = GuardTest::UpTo => { source: "RFC8033" },
        /// Bytes of a typical packet. `auto`: as in the link's traffic.
        mean_packet: Option<Bytes> = None => { range: Range::Positive, source: "RFC8033" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        check_limit(self.limit, problems);
        check_sets(self.flows, self.ways, problems);
        let (tick, least) = (self.t_update, Span::from_micros(1));
        require(problems, tick >= least, "t_update", tick.show(), "must be at least 1 us", "");
    }
}

const DIALECTS: &[Preset] = &[
    Preset {
        name: "linux",
        doc: "Linux fq_pie: PIE as in Linux.",
        options: &[
            ("t_update", "16 ms"),
            ("first_update", "500 ms"),
            ("burst_clock", "departure"),
            ("judged", "latest"),
            ("surge_delay", "250 ms"),
            ("most_prob", "256"),
            ("decay", "0.984375"),
            ("decay_if_empty", "true"),
            ("guard_test", "below"),
            ("mean_packet", "1514 B"),
        ],
    },
    Preset {
        name: "ns3",
        doc: "ns-3 FqPieQueueDisc: a quantum of 1500 B, no bound in bytes, no spacing of drops; a full buffer cuts the longest queue.",
        options: &[
            ("memory_limit", "0 B"),
            ("victim", "fattest"),
            ("quantum", "1500 B"),
            ("derandomise", "false"),
            ("guard_unit", "packets"),
            ("mean_packet", "1000 B"),
        ],
    },
];

impl Discipline for Params {
    const TITLE: &'static str = "FQ-PIE";
    const ABOUT: &'static str =
        "Sorts flows into queues by a hash and lets the queues send in turn, new ones before \
        old ones. Each queue has a PIE controller of its own, which drops at arrival.";
    const REFERENCE: &'static str = "RFC8290, RFC8033";
    type Disc<P: Packet + Copy> = FqPie<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> FqPie<P> {
        FqPie::new(params, setting)
    }
}

impl Params {
    fn law(&self, setting: &Setting) -> PieLaw {
        let params = pie::Params {
            limit: self.limit,
            target: self.target,
            t_update: self.t_update,
            alpha: self.alpha,
            beta: self.beta,
            max_burst: self.max_burst,
            burst_clock: self.burst_clock,
            delay: Delay::Timestamp,
            judged: self.judged,
            ecn: self.ecn,
            mark_limit: self.mark_limit,
            derandomise: self.derandomise,
            surge_delay: self.surge_delay,
            most_prob: self.most_prob,
            decay: self.decay,
            decay_if_empty: self.decay_if_empty,
            guard_unit: self.guard_unit,
            guard_test: self.guard_test,
            mean_packet: self.mean_packet,
            ..pie::Params::default()
        };
        params.law(setting)
    }
}

/// State of an FQ-PIE queue.
#[derive(Clone, Debug)]
pub struct FqPie<P> {
    flows: Flows<P, PieState>,
    law: PieLaw,
    bounds: Bounds,
    cuts_longest: bool,
    drop_batch: u64,
    t_update: Span,
    next_tick: Time,
    active: ActiveQueues,
}

/// The queues that a tick may change: most have never held a packet, or have long been idle.
#[derive(Clone, Debug)]
struct ActiveQueues {
    list: Vec<u32>,
    listed: Vec<bool>,
}

impl ActiveQueues {
    fn none(flows: u64) -> ActiveQueues {
        ActiveQueues { list: Vec::with_capacity(flows as usize), listed: vec![false; flows as usize] }
    }

    /// Queue `i` holds a packet.
    #[inline]
    fn wake(&mut self, i: usize) {
        if !self.listed[i] {
            self.listed[i] = true;
            self.list.push(i as u32);
        }
    }
}

fn backlog<S>(queue: &Queue<S>) -> Backlog {
    Backlog { packets: queue.packets(), bytes: queue.bytes() }
}

impl<P: Packet + Copy> FqPie<P> {
    /// Empty queues, their first tick one `t_update` after the start of the run.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> FqPie<P> {
        let law = params.law(setting);
        let hash = Hash { flows: params.flows, ways: params.ways, perturbation: params.perturbation };
        FqPie {
            flows: Flows::new(hash, params.quantum.0 as i64, law.start()),
            law,
            bounds: Bounds::new(params.limit, params.memory_limit),
            cuts_longest: params.victim == FqPieVictim::Fattest,
            drop_batch: params.drop_batch,
            t_update: params.t_update,
            next_tick: Time::ZERO + params.first_update.unwrap_or(params.t_update),
            active: ActiveQueues::none(params.flows),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for FqPie<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let i = self.flows.queue_of(pkt.flow(), cx);
        let all = (self.flows.packets(), self.flows.bytes());
        let queue = self.flows.queue(i);
        let (packets, bytes) = if self.cuts_longest { (queue.packets(), queue.bytes()) } else { all };
        let fits = self.bounds.hold(packets + 1, bytes + pkt.size().0, cx);
        if !fits {
            self.law.overflowed(&mut queue.state);
            cx.drop(pkt, Reason::Overflow);
            return;
        }
        let held = backlog(queue);
        let kept = if self.law.drops(&mut queue.state, pkt.size().0, held, cx) {
            pie::signal(&self.law, &queue.state, pkt, cx)
        } else {
            Some(pkt)
        };
        if let Some(kept) = kept {
            self.flows.push(i, kept, cx);
            self.active.wake(i);
            if self.cuts_longest {
                self.flows.make_room(self.bounds, self.drop_batch, cx, |_| {});
            }
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let law = &self.law;
        self.flows.send(|flows, i| {
            let pkt = flows.pop(i)?;
            let queue = flows.queue(i);
            let left = backlog(queue);
            let sojourn = cx.now.since(pkt.enqueued());
            law.departed(&mut queue.state, Departure { sojourn, size: pkt.size().0, left }, cx.now);
            Some(pkt)
        })
    }

    as_flow_queues!();

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        Some(self.next_tick)
    }

    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {
        self.next_tick += self.t_update;
        let FqPie { flows, law, active: ActiveQueues { list, listed }, .. } = self;
        list.retain(|&i| {
            let queue = flows.queue(i as usize);
            let stays = !queue.state.rests(law) || queue.packets() > 0;
            if stays {
                let held = backlog(queue);
                law.update(&mut queue.state, held);
            } else {
                listed[i as usize] = false;
            }
            stays
        });
    }

    fn probe(&self, out: &mut Probe) {
        out.note("active_flows", self.flows.active() as f64);
        out.note("new_flows", self.flows.new_count() as f64);
        let highest = self.flows.states().map(PieState::drop_prob).fold(0.0, f64::max);
        out.note("highest_drop_prob", highest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    fn bench(rows: &[(&str, &str)]) -> Bench<FqPie<Pkt>> {
        let mut all = vec![("perturbation", "1")];
        all.extend(rows);
        Bench::new(FqPie::new(&params(&all), &SETTING))
    }

    #[test]
    fn only_the_flow_that_overloads_is_dropped() {
        let mut queue = bench(&[]);
        queue.rng.0 = 0.3;
        // The line sends a packet a millisecond; flow 1 sends two, flow 2 one every ten milliseconds.
        for ms in 0..3000 {
            queue.tick_until(ms * 1000);
            queue.arrive(ms * 1000, Pkt { flow: 1, ..Pkt::new(0) });
            queue.arrive(ms * 1000, Pkt { flow: if ms % 10 == 0 { 2 } else { 1 }, ..Pkt::new(0) });
            queue.depart(ms * 1000);
        }
        let dropped = queue.dropped();
        assert!(dropped.len() > 500, "{}", dropped.len());
        // Flow 2's packets are 1, 21, 41 ...
        assert!(dropped.iter().all(|id| id % 20 != 1));
        assert!(queue.probe("highest_drop_prob") > 0.3, "about half must go");
    }

    #[test]
    fn a_full_buffer_refuses_the_arriving_packet() {
        let mut queue = bench(&[("limit", "3 pkts")]);
        for flow in [1, 1, 1, 2] {
            queue.arrive(0, Pkt { flow, ..Pkt::new(0) });
        }
        assert_eq!(queue.dropped(), [3]);
    }

    /// Six packets of flow 1 and one of flow 2 exceed six: half the bytes of flow 1 end, at its head. Flow 1 alone is
    /// refused its seventh.
    #[test]
    fn in_ns3_a_full_buffer_cuts_the_longest_queue() {
        let mut queue = bench(&[("dialect", "ns3"), ("limit", "6 pkts")]);
        for flow in [1, 1, 1, 1, 1, 1, 1] {
            queue.arrive(0, Pkt { flow, ..Pkt::new(0) });
        }
        assert_eq!(queue.dropped(), [6]);
        queue.arrive(0, Pkt { flow: 2, ..Pkt::new(0) });
        assert_eq!(queue.dropped(), [6, 0, 1, 2]);
    }

    #[test]
    fn resting_queues_are_left_alone_and_others_tick() {
        let mut queue = bench(&[]);
        queue.tick_until(1_000_000);
        assert_eq!(queue.disc.next_deadline(), Some(Time(1_005_000_000)));
        assert_eq!(queue.probe("highest_drop_prob"), 0.0);
        (0..3).for_each(|_| queue.arrive(1_000_000, Pkt { flow: 1, ..Pkt::new(0) }));
        queue.tick_until(1_100_000);
        assert_eq!(queue.disc.active.list.len(), 1);
        while queue.depart(1_100_000).is_some() {}
        queue.tick_until(1_200_000);
        assert_eq!(queue.disc.active.list.len(), 0, "empty, and back where it started");
    }
}
