//! RED with In and Out: packets within their profile are spared, those beyond it dropped first.
//!
//! Reference: CF98, section 3; ns-2.35 for the coupled and decoupled forms and the default thresholds.
//! Units: as in RED, in packets.
//! Deviations: In packets are those of class `in_from` and above. Each kind has a count of its own, which
//! CF98 leaves open. An overflow drop restarts the count of the kind that is dropped.

use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::fifo::LimitTest;
use crate::red::parts::Part;
use crate::red::wrapped::as_red;
use crate::red::{self, AboveMax, EcnForced, IdleDecay, MarkCounting, Red, Spacing};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Preset, Problem, Range, Valid};
use units::quantity::Amount;
use units::Bytes;

units::choices! {
    /// The average by which Out packets are judged.
    pub enum Coupling {
        /// The average of all packets (RIO-C): they also make way for In packets.
        Coupled = "rio_c",
        /// The average of Out packets alone (RIO-D).
        Decoupled = "rio_d",
    }
}

units::choices! {
    /// Arrivals that are samples of the average of all packets.
    pub enum TotalUpdate {
        /// All.
        Every = "every",
        /// In packets only, as in ns-2: without In traffic, Out packets are never dropped early.
        InOnly = "in_only",
    }
}

units::params! {
    /// Two REDs in one queue.
    pub struct Params {
        /// Limit of the queue.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Bytes of a typical packet: converts between packets and bytes. `auto`: as in the link's traffic.
        mean_packet: Option<Bytes> = None => { range: Range::Positive, source: "FJ93" },
        /// The average by which Out packets are judged.
        coupling: Coupling = Coupling::Coupled => { source: "CF98" },
        /// Lowest class that counts as In.
        in_from: u64 = 1 => { range: Range::Within(0.0, 256.0), assumed: true },
        /// Average of In packets from which they are marked.
        in_min_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "ns-2.35" },
        /// Average of In packets from which all of them are dropped.
        in_max_th: Amount = Amount::Packets(30.0) => { range: Range::Positive, source: "ns-2.35" },
        /// Probability for In packets just below their upper threshold.
        in_max_p: f64 = 0.02 => { unit: "1", range: Range::Above(0.0, 1.0), source: "ns-2.35" },
        /// Average from which Out packets are marked.
        out_min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "ns-2.35" },
        /// Average from which all Out packets are dropped.
        out_max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "ns-2.35" },
        /// Probability for Out packets just below their upper threshold.
        out_max_p: f64 = 0.2 => { unit: "1", range: Range::Above(0.0, 1.0), source: "ns-2.35" },
        /// Weight of a sample, in both averages.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "CF98" },
        /// Arrivals that are samples of the average of all packets.
        total_update: TotalUpdate = TotalUpdate::Every => { source: "CF98" },
        /// Treatment of arrivals from the upper thresholds upward.
        above_max: AboveMax = AboveMax::Drop => { source: "CF98" },
        /// How marks are spaced.
        spacing: Spacing = Spacing::Pseudocode => { source: "FJ93 Fig. 2" },
        /// Arrivals that raise the counts.
        counting: MarkCounting = MarkCounting::Between => { source: "FJ93" },
        /// No decision on an average while fewer than this many of the packets it counts are queued.
        min_queue: u64 = 0 => { source: "FJ93" },
        /// How idle time lowers the averages.
        idle_decay: IdleDecay = IdleDecay::Exact => { source: "FJ93" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "RFC3168" },
        /// Effect of a forced decision on an ECN-capable packet.
        ecn_forced: EcnForced = EcnForced::Drop => { source: "RFC3168" },
    }
}

impl Params {
    fn red(&self, min_th: Amount, max_th: Amount, max_p: f64) -> red::Params {
        red::Params {
            limit: self.limit,
            limit_test: self.limit_test,
            mean_packet: self.mean_packet,
            min_th: Some(min_th),
            max_th: Some(max_th),
            max_p,
            w_q: Some(self.w_q),
            above_max: self.above_max,
            spacing: self.spacing,
            counting: self.counting,
            min_queue: self.min_queue,
            idle_decay: self.idle_decay,
            ecn: self.ecn,
            ecn_forced: self.ecn_forced,
            ..red::Params::default()
        }
    }

    fn inside(&self) -> red::Params {
        self.red(self.in_min_th, self.in_max_th, self.in_max_p)
    }

    fn outside(&self) -> red::Params {
        self.red(self.out_min_th, self.out_max_th, self.out_max_p)
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        for (prefix, red) in [("in", self.inside()), ("out", self.outside())] {
            let mut own_problems = Vec::new();
            red.relations(&mut own_problems);
            for mut problem in own_problems {
                if problem.path != "limit" {
                    problem.path = format!("{prefix}_{}", problem.path);
                } else if prefix == "out" {
                    continue;
                }
                problems.push(problem);
            }
        }
    }
}

const DIALECTS: &[Preset] = &[Preset {
    name: "ns2",
    doc: "ns-2.35 RIO: the total average is updated by In packets only; marks wait.",
    options: &[
        ("limit_test", "before"),
        ("total_update", "in_only"),
        ("spacing", "wait"),
        ("counting", "spare_first"),
        ("min_queue", "2"),
        ("idle_decay", "plus_one"),
    ],
}];

impl Discipline for Params {
    const TITLE: &'static str = "RED with In and Out (RIO)";
    const ABOUT: &'static str =
        "Two REDs in one queue: In packets are judged by the average of In packets with lenient thresholds, \
        Out packets by the average of all (RIO-C) or of Out packets (RIO-D) with strict ones, so traffic \
        beyond its profile is dropped first and order is kept.";
    const REFERENCE: &'static str = "CF98, FJ93";
    type Disc<P: Packet + Copy> = Rio<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Rio<P> {
        Rio::new(params, setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.inside().check_in(setting, problems);
        self.outside().check_in(setting, problems);
    }
}

/// State of a RIO queue.
#[derive(Clone, Debug)]
pub struct Rio<P> {
    /// The store, and the RED that judges Out packets.
    red: Red<P>,
    /// The part that judges In packets.
    inside: Part,
    /// In packets waiting.
    q_in: u64,
    in_from: u64,
    coupling: Coupling,
    total_update: TotalUpdate,
}

impl<P: Packet + Copy> Rio<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Rio<P> {
        let outside = params.outside();
        Rio {
            red: Red::linear(&outside, setting),
            inside: Part::new(&params.inside(), setting),
            q_in: 0,
            in_from: params.in_from,
            coupling: params.coupling,
            total_update: params.total_update,
        }
    }

    #[inline]
    fn is_in(&self, pkt: &P) -> bool {
        u64::from(pkt.class()) >= self.in_from
    }

    /// The queue that the average for Out packets is about.
    fn q_out(&self, cx: &Cx<'_, P>) -> f64 {
        match self.coupling {
            Coupling::Coupled => self.red.queued(cx),
            Coupling::Decoupled => self.red.queued(cx) - self.q_in as f64,
        }
    }

    /// Starts the idle clocks of empty queues without one.
    fn rest(&mut self, cx: &Cx<'_, P>) {
        if self.q_in == 0 && !self.inside.is_idle() {
            self.inside.rest(cx.now);
        }
        if self.q_out(cx) == 0.0 && !self.red.is_idle() {
            self.red.rest(cx.now);
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Rio<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let (size, is_in) = (pkt.size().0, self.is_in(&pkt));
        let (q, q_out) = (self.q_in as f64, self.q_out(cx));
        let samples_out = match (self.coupling, self.total_update) {
            (Coupling::Decoupled, _) => !is_in,
            (Coupling::Coupled, TotalUpdate::Every) => true,
            (Coupling::Coupled, TotalUpdate::InOnly) => is_in,
        };
        if samples_out {
            self.red.observe_part(size, q_out, cx.now);
        }
        if is_in {
            self.red.exchange(&mut self.inside);
            self.red.observe_part(size, q, cx.now);
        }
        let signal = self.red.signal(self.red.average(), size, if is_in { q } else { q_out }, cx);
        let kept = self.red.act(pkt, signal, cx);
        let before = self.red.store_mut().len();
        if let Some(kept) = kept {
            if self.red.store_mut().has_room(&kept, cx) {
                self.red.store_mut().push(kept, cx);
            } else {
                self.red.restart_count();
                cx.drop(kept, Reason::Overflow);
            }
        }
        let stored = self.red.store_mut().len() - before;
        if is_in {
            self.red.exchange(&mut self.inside);
            self.q_in += stored as u64;
        }
        self.rest(cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.red.store_mut().pop_front()?;
        self.q_in -= u64::from(self.is_in(&pkt));
        self.rest(cx);
        Some(pkt)
    }

    as_red!();

    fn probe(&self, out: &mut Probe) {
        out.note("avg", self.red.average());
        out.note("avg_in", self.inside.avg());
        out.note("p_b", self.red.p_b_at(self.red.average()));
        out.note("p_b_in", self.inside.p_b_at(self.inside.avg()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    fn averages(rows: &[(&str, &str)], classes: &[u8]) -> (f64, f64) {
        let mut all = vec![("w_q", "0.25")];
        all.extend(rows);
        let mut bench = Bench::new(Rio::new(&params(&all), &SETTING));
        classes.iter().for_each(|class| bench.arrive(0, Pkt { class: *class, ..Pkt::new(0) }));
        (bench.probe("avg"), bench.probe("avg_in"))
    }

    #[test]
    fn the_averages_count_what_they_are_about() {
        // In, Out, In, Out: all find 0, 1, 2, 3; In packets find 0 and 1 In packets.
        let classes = [1, 0, 1, 0];
        assert_eq!(averages(&[], &classes), (((0.25 * 0.75) + 0.5) * 0.75 + 0.75, 0.25));
        // Decoupled: Out packets find 0 and 1 Out packets.
        assert_eq!(averages(&[("coupling", "rio_d")], &classes), (0.25, 0.25));
    }

    #[test]
    fn in_ns2_out_packets_alone_never_raise_the_average() {
        assert_eq!(averages(&[("total_update", "in_only")], &[0; 20]).0, 0.0);
        assert!(averages(&[], &[0; 20]).0 > 5.0);
    }

    #[test]
    fn in_packets_pass_where_out_packets_are_dropped() {
        let mut bench = Bench::new(Rio::new(&params(&[("w_q", "0.999999")]), &SETTING));
        (0..17).for_each(|_| bench.arrive(0, Pkt { class: 1, ..Pkt::new(0) }));
        // The average of all is 16, above 15; that of In packets is just above 15.
        bench.arrive(0, Pkt::new(0));
        bench.arrive(0, Pkt { class: 1, ..Pkt::new(0) });
        assert_eq!(bench.dropped(), [17]);
    }
}
