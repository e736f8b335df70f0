//! Flow queues in turn, each under CoDel.
//!
//! Reference: RFC8290, its sections 3 to 5; RFC8289 for the law in each queue.
//! Units: `limit` counts packets or bytes, `memory_limit`, `quantum` and `mtu` bytes; `target` and `interval`
//! are spans.
//! Deviations: the hash is a mixer of 64 bits over the flow and a perturbation, not one of addresses and
//! ports: which flows collide differs from any other implementation. Among queues of equal length the first is cut.

use crate::codel::{self, check_times, CeFor, CoDelLaw, CoDelState, Root, ScheduleClock};
use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::registry::{Discipline, Setting};
use crate::store::flow_queues::{as_flow_queues, Bounds, Flows, Hash};
use alloc::vec::Vec;
use units::param::{require, Check, Param, Preset, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Span};

units::choices! {
    /// Backlog that CoDel compares with `mtu`.
    pub enum Guarded {
        /// Backlog of the queue being served.
        Queue = "queue",
        /// Backlog of all queues.
        Total = "total",
    }
}

units::params! {
    /// Flow queues served by deficit round robin, each under CoDel.
    pub struct Params {
        /// Limit of all queues together, in packets or bytes.
        limit: Amount = Amount::Packets(10240.0) => { source: "RFC8290" },
        /// Maximum backlog of all queues. Zero: only `limit` applies.
        memory_limit: Bytes = Bytes(32 << 20) => { source: "Linux fq_codel" },
        /// Queues that flows are hashed into.
        flows: u64 = 1024 => { unit: "1", range: Range::Within(1.0, 65536.0), source: "RFC8290" },
        /// Queues per set of the hash: a flow takes a free queue of its set. 1: the hash alone decides.
        ways: u64 = 1 => { unit: "1", range: Range::Within(1.0, 64.0), source: "RFC8290" },
        /// Seed of the hash. `auto`: drawn at the first arrival.
        perturbation: Option<u64> = None => { unit: "1", source: "RFC8290" },
        /// Bytes a queue may send in its turn.
        quantum: Bytes = Bytes(1514) => { range: Range::Within(1.0, 1e9), source: "RFC8290" },
        /// Maximum number of packets dropped at once from the longest queue, which loses half of its bytes.
        drop_batch: u64 = 64 => { unit: "1", range: Range::Within(1.0, 1e6), source: "RFC8290" },
        /// Whether packets dropped by an overflow raise the count of their queue's CoDel, one each.
        overflow_counts: bool = false => { source: "Linux fq_codel" },
        /// Acceptable sojourn time.
        target: Span = Span::from_millis(5) => { range: Range::Positive, source: "RFC8290" },
        /// Time for which `target` must be exceeded before the first signal.
        interval: Span = Span::from_millis(100) => { range: Range::Positive, source: "RFC8290" },
        /// Backlog up to which nothing is dropped. `auto`: the largest packet the queue has seen.
        mtu: Option<Bytes> = None => { source: "RFC8289" },
        /// Backlog that is compared with `mtu`.
        guarded: Guarded = Guarded::Queue => { assumed: true },
        /// Whether ECN-capable packets are marked instead of dropped.
        ecn: bool = true => { source: "RFC8290" },
        /// How `1/sqrt(count)` is computed.
        root: Root = Root::Exact => { source: "RFC8289" },
        /// The unit of time.
        clock: ScheduleClock = ScheduleClock::Exact => { source: "RFC8289" },
        /// Whether an interval above target must be exceeded, not only reached.
        above_after: bool = false => { source: "RFC8289" },
        /// Time from which the next signal after a mark is scheduled.
        mark_schedule: codel::MarkSchedule = codel::MarkSchedule::Due => { source: "Linux fq_codel" },
        /// Sojourn time above which every packet that `ce_for` selects is marked, in addition to CoDel's
        /// marks. Zero: never.
        ce_threshold: Span = Span::ZERO => { source: "RFC8290" },
        /// Packets that `ce_threshold` marks.
        ce_for: CeFor = CeFor::Capable => { source: "Linux fq_codel" },
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
        check_times(self.target, self.interval, problems);
    }
}

/// The limit lets a packet wait.
pub(crate) fn check_limit(limit: Amount, problems: &mut Vec<Problem>) {
    let holds = limit.number() >= 1.0 && limit.number() <= 1e15;
    require(
        problems,
        holds,
        "limit",
        limit.show(),
        "must be at least 1, so that the queue can hold a packet",
        "",
    );
}

/// Sets fill the queues without a rest.
pub(crate) fn check_sets(flows: u64, ways: u64, problems: &mut Vec<Problem>) {
    let rule = format!("must be a multiple of ways ({ways})");
    require(problems, flows % ways.max(1) == 0, "flows", flows, rule, "");
}

const DIALECTS: &[Preset] = &[
    Preset { name: "rfc", doc: "RFC 8290 with the values it gives for Linux.", options: &[] },
    Preset {
        name: "linux",
        doc: "Linux fq_codel: CoDel as in Linux, its guard on the backlog of all queues.",
        options: &[
            ("mtu", "1514 B"),
            ("guarded", "total"),
            ("overflow_counts", "true"),
            ("root", "newton"),
            ("clock", "ticks"),
            ("above_after", "true"),
        ],
    },
    Preset {
        name: "ns3",
        doc: "ns-3 FqCoDelQueueDisc: CoDel as in ns-3, a quantum of 1500 B, no bound in bytes.",
        options: &[
            ("memory_limit", "0 B"),
            ("quantum", "1500 B"),
            ("mtu", "1499 B"),
            ("root", "newton"),
            ("clock", "ticks_no_wrap"),
            ("above_after", "true"),
            ("mark_schedule", "now"),
        ],
    },
    Preset {
        name: "slow_link",
        doc:
            "What RFC 8290 advises below 100 Mbit/s: a quantum of 300 bytes, so that small packets go first.",
        options: &[("quantum", "300 B")],
    },
];

impl Discipline for Params {
    const TITLE: &'static str = "FQ-CoDel";
    const ABOUT: &'static str =
        "Sorts flows into queues by a hash and lets the queues send in turn, new ones before \
        old ones, so that a thin flow hardly waits. Each queue is under CoDel of its own. When the buffer \
        is full the longest queue loses packets.";
    const REFERENCE: &'static str = "RFC8290, RFC8289";
    type Disc<P: Packet + Copy> = FqCoDel<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> FqCoDel<P> {
        FqCoDel::new(params)
    }
}

impl Params {
    fn law(&self) -> CoDelLaw {
        CoDelLaw::new(&codel::Params {
            target: self.target,
            interval: self.interval,
            mtu: self.mtu,
            ecn: self.ecn,
            root: self.root,
            clock: self.clock,
            above_after: self.above_after,
            mark_schedule: self.mark_schedule,
            ce_threshold: self.ce_threshold,
            ce_for: self.ce_for,
            ..codel::Params::default()
        })
    }
}

/// State of an FQ-CoDel queue.
#[derive(Clone, Debug)]
pub struct FqCoDel<P> {
    flows: Flows<P, CoDelState>,
    law: CoDelLaw,
    bounds: Bounds,
    drop_batch: u64,
    overflow_counts: bool,
    total: bool,
    /// Sojourn time of the last packet sent.
    sojourn: Span,
}

impl<P: Packet + Copy> FqCoDel<P> {
    /// Empty queues.
    pub fn new(params: &Valid<Params>) -> FqCoDel<P> {
        let hash = Hash { flows: params.flows, ways: params.ways, perturbation: params.perturbation };
        FqCoDel {
            flows: Flows::new(hash, params.quantum.0 as i64, CoDelState::default()),
            law: params.law(),
            bounds: Bounds::new(params.limit, params.memory_limit),
            drop_batch: params.drop_batch,
            overflow_counts: params.overflow_counts,
            total: params.guarded == Guarded::Total,
            sojourn: Span::ZERO,
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for FqCoDel<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let i = self.flows.queue_of(pkt.flow(), cx);
        self.flows.queue(i).state.arrived(pkt.size());
        self.flows.push(i, pkt, cx);
        let counts = self.overflow_counts;
        self.flows.make_room(self.bounds, self.drop_batch, cx, |state| {
            if counts {
                state.overflowed();
            }
        });
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let FqCoDel { flows, law, total, sojourn, .. } = self;
        flows.send(|flows, i| {
            let (mut store, state) = flows.store_of(i, *total);
            let pkt = law.dequeue(state, &mut store, cx)?;
            *sojourn = cx.now.since(pkt.enqueued());
            Some(pkt)
        })
    }

    as_flow_queues!();

    fn probe(&self, out: &mut Probe) {
        out.note("active_flows", self.flows.active() as f64);
        out.note("new_flows", self.flows.new_count() as f64);
        out.note("sojourn_ms", self.sojourn.as_millis());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt};
    use alloc::format;

    fn bench(rows: &[(&str, &str)]) -> Bench<FqCoDel<Pkt>> {
        let mut all = vec![("perturbation", "1")];
        all.extend(rows);
        Bench::new(FqCoDel::new(&params(&all)))
    }

    fn of_flow(flow: u64) -> Pkt {
        Pkt { flow, ..Pkt::new(0) }
    }

    fn flows_sent(queue: &mut Bench<FqCoDel<Pkt>>, us: u64) -> Vec<u64> {
        core::iter::from_fn(|| queue.depart(us).map(|pkt| pkt.flow)).collect()
    }

    #[test]
    fn a_new_flow_goes_before_the_old_ones() {
        let mut queue = bench(&[("quantum", "1000 B")]);
        for flow in [1, 1, 1, 1, 2, 2] {
            queue.arrive(0, of_flow(flow));
        }
        // Both are new and send a quantum; then both are old.
        assert_eq!(queue.depart(0).map(|pkt| pkt.flow), Some(1));
        assert_eq!(queue.depart(0).map(|pkt| pkt.flow), Some(2));
        queue.arrive(0, of_flow(3));
        assert_eq!(
            queue.probe("new_flows"),
            2.0,
            "flow 2 has used up its quantum, but has not been asked again"
        );
        assert_eq!(flows_sent(&mut queue, 0), [3, 1, 2, 1, 1]);
        assert_eq!(queue.probe("active_flows"), 0.0);
    }

    #[test]
    fn an_emptied_new_flow_does_not_come_back_as_new() {
        let mut queue = bench(&[("quantum", "1000 B")]);
        for flow in [1, 1, 1, 2] {
            queue.arrive(0, of_flow(flow));
        }
        assert_eq!(queue.depart(0).map(|pkt| pkt.flow), Some(1));
        assert_eq!(queue.depart(0).map(|pkt| pkt.flow), Some(2));
        assert_eq!(queue.depart(0).map(|pkt| pkt.flow), Some(1));
        // Flow 2 follows flow 1 in the list of old flows: its next packet waits for its turn.
        queue.arrive(0, of_flow(2));
        assert_eq!(flows_sent(&mut queue, 0), [2, 1]);
    }

    #[test]
    fn small_packets_get_bytes_not_packets() {
        let mut queue = bench(&[("quantum", "1500 B")]);
        for _ in 0..4 {
            queue.arrive(0, Pkt { size: 1500, ..of_flow(1) });
        }
        for _ in 0..20 {
            queue.arrive(0, Pkt { size: 100, ..of_flow(2) });
        }
        let sent = flows_sent(&mut queue, 0);
        assert_eq!(sent[..17], [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]);
    }

    #[test]
    fn overflow_cuts_half_of_the_longest_from_its_head() {
        let mut queue = bench(&[("limit", "20 pkts")]);
        for _ in 0..5 {
            queue.arrive(0, of_flow(1));
        }
        for _ in 0..16 {
            queue.arrive(0, of_flow(2));
        }
        // Sixteen of flow 2 wait, the last of them the twenty-first: eight go, packets 5 to 12.
        assert_eq!(queue.dropped(), (5..13).collect::<Vec<u64>>());
        assert_eq!(queue.disc.len(), 13);
        let mut small = bench(&[("limit", "20 pkts"), ("drop_batch", "3")]);
        for _ in 0..21 {
            small.arrive(0, of_flow(2));
        }
        assert_eq!(small.dropped(), [0, 1, 2]);
    }

    #[test]
    fn memory_is_a_limit_too() {
        let mut queue = bench(&[("memory_limit", "4500 B")]);
        for _ in 0..5 {
            queue.arrive(0, of_flow(1));
        }
        assert_eq!(queue.dropped(), [0, 1, 2], "half of 5000 bytes");
    }

    #[test]
    fn each_queue_has_codel_of_its_own() {
        let mut queue = bench(&[]);
        // Flow 1 has 300 packets in the queue; flow 2 sends a packet a millisecond, which leaves at once.
        for us in (0..200_000).step_by(50) {
            queue.arrive(us, of_flow(1));
            if us % 1000 == 0 {
                queue.arrive(us, of_flow(2));
            }
            if us >= 15_000 {
                queue.depart(us);
                if us % 1000 == 0 {
                    queue.depart(us);
                }
            }
        }
        assert!(!queue.fates.is_empty());
        // Flow 2's packets are those that arrive second at each whole millisecond: 1, 22, 43 ...
        assert!(queue.dropped().iter().all(|id| id % 21 != 1), "{:?}", queue.fates);
    }

    #[test]
    fn sets_must_fill_the_queues() {
        let shown = refused::<Params>(&[("flows", "100"), ("ways", "8")]);
        assert!(shown[0].contains("flows = 100: must be a multiple of ways (8)"), "{shown:?}");
    }

    /// Every option of CoDel reaches the law.
    #[test]
    fn the_law_has_the_options_of_the_queue() {
        for (key, text, field) in [
            ("target", "7 ms", "target: 7000000"),
            ("interval", "90 ms", "interval: 90000000"),
            ("mtu", "1000 B", "mtu: Some(1000)"),
            ("ecn", "false", "ecn: false"),
            ("root", "newton", "root: Newton"),
            ("clock", "ticks", "clock: Ticks"),
            ("above_after", "true", "above_after: true"),
            ("mark_schedule", "now", "mark_schedule: Now"),
            ("ce_threshold", "2 ms", "ce_threshold: 2000000"),
            ("ce_for", "ect1", "ce_for: Ect1"),
        ] {
            let law = |rows: &[(&str, &str)]| format!("{:?}", params::<Params>(rows).law());
            assert!(!law(&[]).contains(field), "{field} is the default");
            assert!(law(&[(key, text)]).contains(field), "{}", law(&[(key, text)]));
        }
    }
}
