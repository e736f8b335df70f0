//! Generic RED of Linux: up to sixteen virtual queues (drop precedences) in one real one.
//!
//! Reference: LinuxGRED; FJ93 for the law of each virtual queue.
//! Units: as in RED; limits of a virtual queue count what the thresholds count.
//! Deviations: averages are real numbers, not scaled integers. Packets of a class without a virtual queue go to
//! `default_dp`. Two virtual queues of one priority keep their own averages; Linux merges them in `grio` mode.
//! "Gentle RED" goes by the same letters and is something else: `above_max = "gentle"` of RED.

use crate::classes::{entry_of, ClassBy};
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{LimitTest, Unit};
use crate::red::parts::Part;
use crate::red::{self, Counting, Curve, EcnForced, Red, Spacing};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::Bytes;

units::params! {
    /// Several REDs that share one queue.
    pub struct Params {
        /// Most that may wait in all.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is held against the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// What the queues, their averages and the thresholds count.
        unit: Unit = Unit::Packets => { assumed: true },
        /// Bytes of a typical packet: converts between packets and bytes. `auto`: as in the setting.
        mean_packet: Option<Bytes> = None => { range: Range::Positive, source: "LinuxGRED" },
        /// Which part of a packet's class counts.
        class_by: ClassBy = ClassBy::Number => { source: "RFC2474", assumed: true },
        /// Most that may wait in each virtual queue.
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
        /// Weight of a new sample in the averages.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), assumed: true },
        /// How marks are spread.
        spacing: Spacing = Spacing::Cycle => { source: "LinuxGRED" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "LinuxGRED" },
        /// What a forced decision does to an ECN-capable packet.
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

    fn red(&self, i: usize) -> red::Params {
        red::Params {
            limit: self.limit,
            limit_test: self.limit_test,
            unit: self.unit,
            mean_packet: self.mean_packet,
            min_th: entry_of(&self.min_th, i),
            max_th: entry_of(&self.max_th, i),
            max_p: entry_of(&self.probability, i).unwrap_or(0.02),
            w_q: Some(self.w_q),
            spacing: self.spacing,
            counting: Counting::Between,
            ecn: self.ecn,
            ecn_forced: self.ecn_forced,
            ..red::Params::default()
        }
    }
}

impl Check for Params {
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
    /// What waits of it, in the unit of the thresholds.
    held: f64,
    limit: f64,
    prio: u64,
}

/// A GRED queue at work.
#[derive(Clone, Debug)]
pub struct Gred<P> {
    /// The store; the law in place is that of the virtual queue at hand.
    red: Red<P>,
    dps: Vec<Dp>,
    default_dp: usize,
    class_by: ClassBy,
    grio: bool,
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
            red: Red::with_law(&first, setting, Curve::new(&first, &first.resolve(setting))),
            dps: (0..params.dps()).map(dp).collect(),
            default_dp: params.default_dp as usize,
            class_by: params.class_by,
            grio: params.grio,
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
        let prio = self.dps[i].prio;
        let busy = self.dps.iter().filter(|dp| self.grio && dp.prio < prio && !dp.part.is_idle());
        busy.map(|dp| dp.part.avg()).sum()
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Gred<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let (i, size, length) = (self.dp_of(&pkt), pkt.size().0, self.length(&pkt));
        let (above, q, limit) = (self.above(i), self.dps[i].held, self.dps[i].limit);
        self.red.exchange(&mut self.dps[i].part);
        self.red.observe_part(size, q, cx.now);
        let signal = self.red.signal(self.red.average() + above, size, q, cx);
        let kept = self.red.act(pkt, signal, cx);
        let mut stored = 0.0;
        if let Some(kept) = kept {
            if q + length <= limit && self.red.store_mut().has_room(&kept, cx) {
                self.red.store_mut().push(kept, cx);
                stored = length;
            } else {
                self.red.restart_count();
                cx.drop(kept, Reason::Overflow);
            }
        }
        if q + stored == 0.0 {
            self.red.rest(cx.now);
        }
        self.red.exchange(&mut self.dps[i].part);
        self.dps[i].held += stored;
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.red.store_mut().pop_front()?;
        let i = self.dp_of(&pkt);
        self.dps[i].held -= self.length(&pkt);
        if self.dps[i].held == 0.0 {
            self.dps[i].part.rest(cx.now);
        }
        Some(pkt)
    }

    #[inline]
    fn len(&self) -> usize {
        QueueDisc::<P>::len(&self.red)
    }

    #[inline]
    fn backlog(&self) -> Bytes {
        QueueDisc::<P>::backlog(&self.red)
    }

    #[inline]
    fn decides(&self) -> Decides {
        Decides::AtArrival
    }

    fn avg(&self) -> Option<f64> {
        Some(self.dps[self.default_dp].part.avg())
    }

    fn avg_unit(&self) -> Unit {
        self.unit
    }

    fn probe(&self, out: &mut Probe) {
        const NAMES: [&str; 4] = ["avg", "avg_1", "avg_2", "avg_3"];
        for (name, dp) in NAMES.iter().zip(&self.dps) {
            out.note(name, dp.part.avg());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, Pkt, SETTING};

    fn filled(grio: bool) -> Bench<Gred<Pkt>> {
        let params = Params { grio, w_q: 0.25, ..Params::default() };
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
    fn each_has_its_limit_and_strangers_go_to_the_default() {
        let params = Params { dp_limit: vec![Amount::Packets(2.0)], ..Params::default() };
        let mut bench = Bench::new(Gred::new(&Valid::new(params).unwrap(), &SETTING));
        (0..3).for_each(|_| bench.arrive(0, Pkt { class: 9, ..Pkt::new(0) }));
        bench.arrive(0, Pkt { class: 1, ..Pkt::new(0) });
        assert_eq!((bench.dropped(), bench.disc.len()), (vec![2], 3));
    }
}
