//! Flow queues in turn, each under COBALT.
//!
//! Reference: RFC8290, its sections 3 to 5, for the turns; HTM18, its section on COBALT, for the law in each
//! queue; the pairing is that of CAKE and of ns-3.
//! Units: `limit` counts packets or bytes, `memory_limit` and `quantum` bytes; `target`, `interval`,
//! `blue_threshold` are spans; `step_up` and `step_down` are probabilities.
//! Deviations: the hash is a mixer of 64 bits over the flow and a perturbation. A flow that returns finds the
//! state of its queue's law, as in ns-3; CAKE discards it once the law is back in its initial state. The marking
//! threshold of ns-3 (`CeThreshold`, off by default) is not implemented.

use crate::cobalt::{self, AfterPause, CobaltLaw, CobaltState, FirstSignal};
use crate::codel::{check_times, Root};
use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::fq_codel::{check_limit, check_sets};
use crate::registry::{Discipline, Setting};
use crate::store::flow_queues::{as_flow_queues, Bounds, Flows, Hash};
use crate::store::PacketStore;
use alloc::vec::Vec;
use units::param::{Check, Preset, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Span};

units::params! {
    /// Flow queues served by deficit round robin, each under COBALT.
    pub struct Params {
        /// Limit of all queues together, in packets or bytes.
        limit: Amount = Amount::Packets(10240.0) => { source: "RFC8290" },
        /// Maximum backlog of all queues. Zero: only `limit` applies.
        memory_limit: Bytes = Bytes(0) => { assumed: true },
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
        /// Whether cutting the longest queue counts as an overflow of that queue, which raises its BLUE's
        /// probability.
        cut_raises_blue: bool = true => { source: "HTM18" },
        /// Whether a queue that fills the whole limit drops its arrival, as an overflow of its own, instead
        /// of being cut.
        refuses: bool = false => { source: "ns-3" },
        /// Acceptable sojourn time.
        target: Span = Span::from_millis(5) => { range: Range::Positive, source: "HTM18" },
        /// Time for which `target` must be exceeded before the first signal.
        interval: Span = Span::from_millis(100) => { range: Range::Positive, source: "HTM18" },
        /// When the very first signal of a queue is due.
        first_signal: FirstSignal = FirstSignal::Interval => { source: "HTM18" },
        /// When the first signal after a pause of an interval is due.
        after_pause: AfterPause = AfterPause::Interval => { source: "HTM18" },
        /// How `1/sqrt(count)` is computed.
        root: Root = Root::Exact => { source: "HTM18" },
        /// Whether ECN-capable packets are marked instead of dropped, by CoDel.
        ecn: bool = true => { source: "RFC8290" },
        /// Added to BLUE's probability when there is no room, once per target at most.
        step_up: f64 = 0.00390625 => { unit: "1", range: Range::Within(0.0, 1.0), source: "HTM18" },
        /// Taken from BLUE's probability when the queue is found empty, once per target at most.
        step_down: f64 = 0.000244140625 => { unit: "1", range: Range::Within(0.0, 1.0), source: "HTM18" },
        /// Sojourn above which BLUE's probability rises as if there were no room. Zero: never.
        blue_threshold: Span = Span::ZERO => { source: "ns-3" },
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

const DIALECTS: &[Preset] = &[Preset {
    name: "ns3",
    doc: "ns-3 FqCobaltQueueDisc: a quantum of 1500 B; a cut leaves BLUE as it is, but BLUE rises above 400 ms.",
    options: &[
        ("quantum", "1500 B"),
        ("cut_raises_blue", "false"),
        ("refuses", "true"),
        ("after_pause", "at_once"),
        ("root", "newton"),
        ("blue_threshold", "400 ms"),
    ],
}];

impl Discipline for Params {
    const TITLE: &'static str = "FQ-COBALT";
    const ABOUT: &'static str =
        "Sorts flows into queues by a hash and lets the queues send in turn, new ones before \
        old ones. Each queue is under COBALT of its own: CoDel whose count falls as it rose, and BLUE against a flow that \
        does not respond.";
    const REFERENCE: &'static str = "RFC8290, HTM18";
    type Disc<P: Packet + Copy> = FqCobalt<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> FqCobalt<P> {
        FqCobalt::new(params)
    }
}

impl Params {
    fn law(&self) -> CobaltLaw {
        CobaltLaw::new(&cobalt::Params {
            target: self.target,
            interval: self.interval,
            first_signal: self.first_signal,
            after_pause: self.after_pause,
            root: self.root,
            ecn: self.ecn,
            step_up: self.step_up,
            step_down: self.step_down,
            blue_threshold: self.blue_threshold,
            ..cobalt::Params::default()
        })
    }
}

/// State of an FQ-COBALT queue.
#[derive(Clone, Debug)]
pub struct FqCobalt<P> {
    flows: Flows<P, CobaltState>,
    law: CobaltLaw,
    bounds: Bounds,
    drop_batch: u64,
    cut_raises_blue: bool,
    refuses: bool,
    /// Sojourn time of the last packet sent.
    sojourn: Span,
}

impl<P: Packet + Copy> FqCobalt<P> {
    /// Empty queues.
    pub fn new(params: &Valid<Params>) -> FqCobalt<P> {
        let hash = Hash { flows: params.flows, ways: params.ways, perturbation: params.perturbation };
        FqCobalt {
            flows: Flows::new(hash, params.quantum.0 as i64, CobaltState::default()),
            law: params.law(),
            bounds: Bounds::new(params.limit, params.memory_limit),
            drop_batch: params.drop_batch,
            cut_raises_blue: params.cut_raises_blue,
            refuses: params.refuses,
            sojourn: Span::ZERO,
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for FqCobalt<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let i = self.flows.queue_of(pkt.flow(), cx);
        let queue = self.flows.queue(i);
        if self.refuses && !self.bounds.hold(queue.packets() + 1, queue.bytes() + pkt.size().0, cx) {
            self.law.overflowed(&mut queue.state, cx.now);
            return cx.drop(pkt, Reason::Overflow);
        }
        self.flows.push(i, pkt, cx);
        let (law, raises, now) = (&self.law, self.cut_raises_blue, cx.now);
        self.flows.make_room(self.bounds, self.drop_batch, cx, |state| {
            if raises {
                law.overflowed(state, now);
            }
        });
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let FqCobalt { flows, law, sojourn, .. } = self;
        flows.send(|flows, i| {
            let (mut store, state) = flows.store_of(i, false);
            let pkt = law.send(state, || store.pop(), cx)?;
            *sojourn = cx.now.since(pkt.enqueued());
            Some(pkt)
        })
    }

    as_flow_queues!();

    fn probe(&self, out: &mut Probe) {
        out.note("active_flows", self.flows.active() as f64);
        out.note("new_flows", self.flows.new_count() as f64);
        out.note("sojourn_ms", self.sojourn.as_millis());
        out.note("highest_p_drop", self.flows.states().map(CobaltState::p_drop).fold(0.0, f64::max));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt};
    use units::Ecn;

    fn bench(rows: &[(&str, &str)]) -> Bench<FqCobalt<Pkt>> {
        let mut all = vec![("perturbation", "1")];
        all.extend(rows);
        Bench::new(FqCobalt::new(&params(&all)))
    }

    fn of_flow(flow: u64) -> Pkt {
        Pkt { flow, ..Pkt::new(0) }
    }

    /// Flow 1 sends every 50 us into a queue of 15 ms; flow 2 a packet a millisecond, which leaves at once.
    fn fat_and_thin(queue: &mut Bench<FqCobalt<Pkt>>, until_us: u64, ecn: Ecn) {
        for us in (0..until_us).step_by(50) {
            queue.arrive(us, Pkt { ecn, ..of_flow(1) });
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
    }

    #[test]
    fn only_the_queue_that_is_late_gets_signals_and_by_its_schedule() {
        let mut queue = bench(&[]);
        fat_and_thin(&mut queue, 400_000, Ecn::NotEct);
        // The oldest is late from 15 ms on, so the signals are due an interval later, then by 1/sqrt(2),
        // 1/sqrt(3) ...: 115, 185.711, 243.446, 293.446, 338.167, 378.992 ms.
        let times: Vec<u64> = queue.fates.iter().map(|fate| fate.0).collect();
        assert_eq!(times, [115_000, 185_750, 243_450, 293_450, 338_200, 379_000]);
        // Flow 2's packets are those that arrive second at each whole millisecond: 1, 22, 43 ...
        assert!(queue.dropped().iter().all(|id| id % 21 != 1), "{:?}", queue.fates);
    }

    #[test]
    fn signals_mark_what_is_capable() {
        let mut queue = bench(&[]);
        fat_and_thin(&mut queue, 200_000, Ecn::Ect0);
        let fates: Vec<(u64, char)> = queue.fates.iter().map(|fate| (fate.0, fate.2)).collect();
        assert_eq!(fates, [(115_000, 'm'), (185_750, 'm')]);
    }

    #[test]
    fn a_cut_raises_blue_of_the_longest_at_most_once_a_target() {
        let mut queue = bench(&[("limit", "8 pkts"), ("drop_batch", "1")]);
        queue.rng.0 = 0.5;
        for us in [12_000, 12_001, 17_002] {
            while queue.disc.len() < 8 {
                queue.arrive(us, of_flow(1));
            }
            queue.arrive(us, of_flow(2));
        }
        assert_eq!(queue.probe("highest_p_drop"), 2.0 / 256.0, "the cut at 12.001 ms came too soon");
        assert_eq!(queue.dropped(), [0, 1, 2], "always the head of flow 1");
        let mut unmoved = bench(&[("limit", "8 pkts"), ("cut_raises_blue", "false")]);
        (0..20).for_each(|_| unmoved.arrive(12_000, of_flow(1)));
        assert_eq!(unmoved.probe("highest_p_drop"), 0.0);
    }

    #[test]
    fn in_ns3_a_flow_alone_is_refused_and_two_are_cut() {
        let mut queue = bench(&[("dialect", "ns3"), ("limit", "4 pkts")]);
        (0..6).for_each(|_| queue.arrive(12_000, of_flow(1)));
        assert_eq!(queue.dropped(), [4, 5], "four wait, the fifth and the sixth are refused");
        assert_eq!(queue.probe("highest_p_drop"), 1.0 / 256.0);
        queue.arrive(12_000, of_flow(2));
        assert_eq!(queue.dropped(), [4, 5, 0, 1], "half the bytes of flow 1");
    }

    #[test]
    fn blue_falls_when_the_queue_is_found_empty() {
        let mut queue = bench(&[("limit", "1 pkts"), ("refuses", "true")]);
        queue.rng.0 = 0.5;
        (0..2).for_each(|_| queue.arrive(12_000, of_flow(1)));
        assert!(queue.depart(12_000).is_some());
        // Asked at 17.001 ms, new: it found nothing and moved to the old ones; found empty there once more.
        assert!(queue.depart(17_001).is_none());
        assert_eq!(queue.probe("highest_p_drop"), 1.0 / 256.0 - 1.0 / 4096.0, "one step a target");
        assert_eq!(queue.probe("active_flows"), 0.0);
    }

    #[test]
    fn impossible_values_are_refused() {
        let shown = refused::<Params>(&[("flows", "100"), ("ways", "8"), ("interval", "1 ms")]);
        assert!(
            shown.iter().any(|line| line.contains("flows = 100: must be a multiple of ways (8)")),
            "{shown:?}"
        );
        assert!(shown.iter().any(|line| line.contains("interval")), "{shown:?}");
    }
}
