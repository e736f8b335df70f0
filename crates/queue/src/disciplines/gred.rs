//! Generic RED of Linux: up to sixteen virtual queues (drop precedences) in one real one.
//!
//! Reference: LinuxGRED; FJ93 for the law of each virtual queue.
//! Units: as in RED; limits of a virtual queue are in the unit of the thresholds.
//! Deviations: packets of a class without a virtual queue go to `default_dp`, which must exist.
//! "Gentle RED" goes by the same letters and is something else: `above_max = "gentle"` of RED.

use crate::classes::{entry_of, ClassBy};
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{LimitTest, Unit};
use crate::red::parts::Part;
use crate::red::wrapped::as_red;
use crate::red::{self, AutoWq, AverageArithmetic, EcnForced, IdleTable, MarkCounting, Red, Spacing};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Preset, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Rate};

units::choices! {
    /// Averages that virtual queues keep in `grio` mode if two of them have the same priority.
    pub enum SamePrio {
        /// Each its own average.
        Own = "own",
        /// All of them one average, of the whole store, and one idle time; limits count the whole store, too.
        Shared = "shared",
    }
}

units::params! {
    /// Several REDs that share one queue.
    pub struct Params {
        /// Limit of all queues together.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// The unit of the queues, their averages and the thresholds.
        unit: Unit = Unit::Packets => { assumed: true },
        /// Bytes of a typical packet: converts between packets and bytes. `auto`: as in the link's traffic.
        mean_packet: Option<Bytes> = None => { range: Range::Positive, source: "LinuxGRED" },
        /// The part of a packet's class that counts.
        class_by: ClassBy = ClassBy::Number => { source: "RFC2474", assumed: true },
        /// Limit of each virtual queue.
        dp_limit: Vec<Amount> = [60.0, 80.0, 100.0].map(Amount::Packets).to_vec() => { range: Range::Positive, assumed: true },
        /// Lower threshold of each virtual queue.
        min_th: Vec<Amount> = [5.0, 10.0, 15.0].map(Amount::Packets).to_vec() => { range: Range::Positive, assumed: true },
        /// Upper threshold of each virtual queue.
        max_th: Vec<Amount> = [15.0, 30.0, 45.0].map(Amount::Packets).to_vec() => { range: Range::Positive, assumed: true },
        /// Probability of each virtual queue just below its upper threshold.
        probability: Vec<f64> = vec![0.02] => { unit: "1", range: Range::Above(0.0, 1.0), source: "LinuxGRED" },
        /// Priority of each virtual queue, 1 the highest; for `grio`.
        prio: Vec<u64> = vec![1, 2, 3] => { range: Range::Within(1.0, 16.0), source: "LinuxGRED" },
        /// Virtual queue of packets whose class has none.
        default_dp: u64 = 0 => { range: Range::Within(0.0, 15.0), source: "LinuxGRED" },
        /// Whether a virtual queue counts the averages of those of higher priority as its own, as in RIO.
        grio: bool = false => { source: "LinuxGRED" },
        /// Averages that virtual queues keep in `grio` mode if two of them have the same priority.
        same_prio: SamePrio = SamePrio::Own => { assumed: true },
        /// Whether `limit` bounds the whole store. In Linux it does not: only `dp_limit` counts.
        limit_binds: bool = true => { assumed: true },
        /// Weight of a new sample in the averages. `auto`: the largest power of two that lets `burst` packets
        /// pass.
        w_q: Option<f64> = Some(0.002) => { unit: "1", range: Range::Between(0.0, 1.0), assumed: true },
        /// Packets that may arrive back to back at each virtual queue without a mark, for `w_q = "auto"`.
        /// None: a third of twice `min_th` plus `max_th`.
        burst: Vec<u64> = Vec::new() => { range: Range::Positive, source: "LinuxGRED" },
        /// How the averages are kept.
        arithmetic: AverageArithmetic = AverageArithmetic::Real => { source: "FJ93" },
        /// Unit in which the table of idle time of integer arithmetic is made.
        idle_table: IdleTable = IdleTable::Microseconds => { source: "Linux" },
        /// Rate by which the average of each virtual queue decays in idle time. None: that of the link.
        idle_rate: Vec<Rate> = Vec::new() => { range: Range::Positive, source: "LinuxGRED" },
        /// Whether idle time starts again at a drop that leaves a virtual queue empty.
        drop_rests: bool = true => { source: "FJ93" },
        /// Whether an overflow drop resets `count`.
        overflow_resets_count: bool = true => { assumed: true },
        /// How marks are spaced.
        spacing: Spacing = Spacing::Cycle => { source: "LinuxGRED" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "LinuxGRED" },
        /// Effect of a forced decision on an ECN-capable packet.
        ecn_forced: EcnForced = EcnForced::Mark => { source: "LinuxGRED" },
    }
}

impl Params {
    fn dps(&self) -> usize {
        [self.dp_limit.len(), self.min_th.len(), self.max_th.len(), self.probability.len(), self.prio.len()]
            .into_iter()
            .max()
            .unwrap_or(0)
    }

    fn any_same_prio(&self) -> bool {
        let prio = |i: usize| entry_of(&self.prio, i);
        (0..self.dps()).any(|i| (0..i).any(|j| prio(i) == prio(j)))
    }

    fn red(&self, i: usize) -> red::Params {
        red::Params {
            limit: self.limit,
            limit_test: self.limit_test,
            unit: self.unit,
            mean_packet: self.mean_packet,
            min_th: entry_of(&self.min_th, i),
            max_th: entry_of(&self.max_th, i),
            max_p: entry_of(&self.probability, i).unwrap_or(0.02),
            w_q: self.w_q,
            auto_w_q: AutoWq::Burst,
            burst: entry_of(&self.burst, i),
            arithmetic: self.arithmetic,
            idle_table: self.idle_table,
            idle_rate: entry_of(&self.idle_rate, i),
            spacing: self.spacing,
            counting: MarkCounting::Between,
            ecn: self.ecn,
            ecn_forced: self.ecn_forced,
            ..red::Params::default()
        }
    }
}

const DIALECTS: &[Preset] = &[Preset {
    name: "linux",
    doc: "Linux sch_gred as tc sets it up: bytes, integer arithmetic, the weight from a burst, one average for \
        virtual queues of one priority.",
    options: &[
        ("unit", "bytes"),
        ("mean_packet", "1000 B"),
        ("same_prio", "shared"),
        ("w_q", "auto"),
        ("arithmetic", "integer"),
        ("idle_table", "ticks"),
        ("idle_rate", "[10 Mbit/s]"),
        ("drop_rests", "false"),
        ("overflow_resets_count", "false"),
    ],
}];

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        let lens = [
            ("dp_limit", self.dp_limit.len()),
            ("min_th", self.min_th.len()),
            ("max_th", self.max_th.len()),
            ("probability", self.probability.len()),
            ("prio", self.prio.len()),
        ];
        for (name, len) in lens {
            require(problems, (1..=16).contains(&len), name, len, "must name 1 to 16 virtual queues", "");
        }
        let dps = self.dps();
        let rule = format!("must be one of the {dps} virtual queues, counted from 0");
        require(problems, self.default_dp < dps as u64, "default_dp", self.default_dp, rule, "");
        let before = problems.len();
        for i in 0..dps {
            if problems.len() == before {
                self.red(i).relations(problems);
            }
        }
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Generic RED (GRED)";
    const ABOUT: &'static str =
        "Up to sixteen REDs that share one queue and see only the packets of their class; in grio mode each \
        also counts the averages of the classes above it. Linux has it for drop precedences of DiffServ.";
    const REFERENCE: &'static str = "LinuxGRED, FJ93";
    type Disc<P: Packet + Copy> = Gred<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Gred<P> {
        Gred::new(params, setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        for i in 0..self.dps() {
            self.red(i).check_in(setting, problems);
        }
    }
}

/// A virtual queue.
#[derive(Clone, Debug)]
struct Dp {
    part: Part,
    /// Queue length of this virtual queue, in the unit of the thresholds.
    held: f64,
    limit: f64,
    prio: u64,
}

/// State of a GRED queue.
#[derive(Clone, Debug)]
pub struct Gred<P> {
    /// The store; the law in place is that of the virtual queue at hand.
    red: Red<P>,
    dps: Vec<Dp>,
    default_dp: usize,
    class_by: ClassBy,
    grio: bool,
    /// All virtual queues have one average, kept in the first.
    shared: bool,
    limit_binds: bool,
    drop_rests: bool,
    overflow_resets_count: bool,
    unit: Unit,
}

impl<P: Packet + Copy> Gred<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Gred<P> {
        let first = params.red(0);
        let mean = first.resolve(setting).mean_packet;
        let in_unit = |amount: Amount| match params.unit {
            Unit::Packets => amount.in_packets(mean),
            Unit::Bytes => amount.in_bytes(mean),
        };
        let dp = |i: usize| Dp {
            part: Part::new(&params.red(i), setting),
            held: 0.0,
            limit: entry_of(&params.dp_limit, i).map_or(f64::INFINITY, in_unit),
            prio: entry_of(&params.prio, i).unwrap_or(1),
        };
        Gred {
            red: Red::linear(&first, setting),
            dps: (0..params.dps()).map(dp).collect(),
            default_dp: params.default_dp as usize,
            class_by: params.class_by,
            grio: params.grio,
            shared: params.grio && params.same_prio == SamePrio::Shared && params.any_same_prio(),
            limit_binds: params.limit_binds,
            drop_rests: params.drop_rests,
            overflow_resets_count: params.overflow_resets_count,
            unit: params.unit,
        }
    }

    #[inline]
    fn dp_of(&self, pkt: &P) -> usize {
        let class = self.class_by.place(pkt.class());
        if class < self.dps.len() {
            class
        } else {
            self.default_dp
        }
    }

    #[inline]
    fn length(&self, pkt: &P) -> f64 {
        match self.unit {
            Unit::Packets => 1.0,
            Unit::Bytes => pkt.size().0 as f64,
        }
    }

    /// The averages of the virtual queues above one, that are not idle.
    fn above(&self, i: usize) -> f64 {
        let one = &self.dps[i];
        let counted = |dp: &&Dp| self.grio && !self.shared && dp.prio < one.prio && !dp.part.is_idle();
        self.dps.iter().filter(counted).map(|dp| dp.part.adds_to(&one.part)).sum()
    }

    /// Length that an arrival at a virtual queue finds, as averages and limits count it.
    #[inline]
    fn held(&self, i: usize) -> f64 {
        if self.shared {
            self.dps.iter().map(|dp| dp.held).sum()
        } else {
            self.dps[i].held
        }
    }

    /// The average that a virtual queue uses.
    fn avg_of(&self, i: usize) -> f64 {
        let averaged = if self.shared { 0 } else { i };
        self.dps[averaged].part.adds_to(&self.dps[i].part)
    }

    /// Stores a packet that passed, if there is room: how much of the store it takes.
    fn store(&mut self, pkt: P, i: usize, q: f64, cx: &mut Cx<'_, P>) -> f64 {
        let length = self.length(&pkt);
        let fits = q + length <= self.dps[i].limit;
        if fits && (!self.limit_binds || self.red.store_mut().has_room(&pkt, cx)) {
            self.red.store_mut().push(pkt, cx);
            return length;
        }
        if self.overflow_resets_count {
            self.red.restart_count();
        }
        cx.drop(pkt, Reason::Overflow);
        0.0
    }

    /// Takes the one average that all share from the first virtual queue to another, or back.
    fn share(&mut self, i: usize, back: bool) {
        if self.shared && i > 0 {
            let (first, others) = self.dps.split_at_mut(1);
            let (first, other) = (&mut first[0].part, &mut others[i - 1].part);
            let (to, from) = if back { (first, other) } else { (other, first) };
            to.take_over(from);
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Gred<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let (i, size) = (self.dp_of(&pkt), pkt.size().0);
        self.share(i, false);
        let (above, q) = (self.above(i), self.held(i));
        self.red.exchange(&mut self.dps[i].part);
        self.red.observe_part(size, q, cx.now);
        let signal = self.red.signal(self.red.average() + above, size, q, cx);
        let kept = self.red.act(pkt, signal, cx);
        let stored = kept.map_or(0.0, |kept| self.store(kept, i, q, cx));
        if self.drop_rests && q + stored == 0.0 {
            self.red.rest(cx.now);
        }
        self.red.exchange(&mut self.dps[i].part);
        self.dps[i].held += stored;
        self.share(i, true);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.red.store_mut().pop_front()?;
        let i = self.dp_of(&pkt);
        self.dps[i].held -= self.length(&pkt);
        if self.held(i) == 0.0 {
            let averaged = if self.shared { 0 } else { i };
            self.dps[averaged].part.rest(cx.now);
        }
        Some(pkt)
    }

    as_red!(@store);

    #[inline]
    fn decides(&self) -> Decides {
        Decides::AtArrival
    }

    fn avg(&self) -> Option<f64> {
        Some(self.avg_of(self.default_dp))
    }

    fn avg_unit(&self) -> Unit {
        self.unit
    }

    fn probe(&self, out: &mut Probe) {
        const NAMES: [&str; 4] = ["avg", "avg_1", "avg_2", "avg_3"];
        for (i, name) in NAMES.iter().enumerate().take(self.dps.len()) {
            out.note(name, self.avg_of(i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, Pkt, SETTING};

    fn filled(grio: bool) -> Bench<Gred<Pkt>> {
        let params = Params { grio, w_q: Some(0.25), ..Params::default() };
        let mut bench = Bench::new(Gred::new(&Valid::new(params).unwrap(), &SETTING));
        (0..3).for_each(|_| bench.arrive(0, Pkt { class: 0, ..Pkt::new(0) }));
        bench.arrive(0, Pkt { class: 2, ..Pkt::new(0) });
        bench
    }

    #[test]
    fn each_virtual_queue_sees_its_own() {
        let bench = filled(false);
        assert_eq!((bench.probe("avg"), bench.probe("avg_2")), (0.25 * 0.75 + 0.5, 0.0));
        assert_eq!((bench.disc.above(2), bench.disc.dps[0].held), (0.0, 3.0));
    }

    #[test]
    fn in_grio_those_above_count_as_well() {
        let bench = filled(true);
        assert_eq!((bench.disc.above(2), bench.disc.above(0)), (0.6875, 0.0));
    }

    #[test]
    fn virtual_queues_of_one_priority_may_share_one_average() {
        let bytes = |n: f64| vec![Amount::Bytes(n)];
        let params = Params {
            grio: true,
            same_prio: SamePrio::Shared,
            unit: Unit::Bytes,
            arithmetic: AverageArithmetic::Integer,
            w_q: Some(0.5),
            prio: vec![1, 1],
            min_th: bytes(500.0),
            max_th: bytes(1000.0),
            dp_limit: bytes(100_000.0),
            ..Params::default()
        };
        let mut bench = Bench::new(Gred::new(&Valid::new(params).unwrap(), &SETTING));
        // 0, 500 and 1250 bytes on average: the third is dropped, though half of the backlog is not of its
        // virtual queue.
        for (id, class) in [(0, 0), (1, 1), (2, 0)] {
            bench.arrive(0, Pkt { class, size: 1000, ..Pkt::new(id) });
        }
        assert_eq!((bench.dropped(), bench.probe("avg"), bench.probe("avg_1")), (vec![2], 1250.0, 1250.0));
    }

    #[test]
    fn each_has_its_limit_and_other_packets_go_to_the_default() {
        let params = Params { dp_limit: vec![Amount::Packets(2.0)], ..Params::default() };
        let mut bench = Bench::new(Gred::new(&Valid::new(params).unwrap(), &SETTING));
        (0..3).for_each(|_| bench.arrive(0, Pkt { class: 9, ..Pkt::new(0) }));
        bench.arrive(0, Pkt { class: 1, ..Pkt::new(0) });
        assert_eq!((bench.dropped(), bench.disc.len()), (vec![2], 3));
    }
}
