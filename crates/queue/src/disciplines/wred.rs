//! Weighted RED: one average, a drop curve for each class (precedence) of packets.
//!
//! Reference: CiscoWRED.
//! Units: as in RED; `denominator` is a number: one packet in `denominator` is dropped just below `max_th`.
//! Deviations: the documentation gives the probability of a drop and not how drops are spread: by default
//! each packet has its own draw. Nor does it say whether classes share a count, or how an idle queue forgets.

use crate::classes::{entry_of, ClassBy};
use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{LimitTest, Unit};
use crate::red::parts::Part;
use crate::red::wrapped::as_red;
use crate::red::{self, EcnForced, IdleDecay, Red, Spacing};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::math;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::Bytes;

units::choices! {
    /// The counter of packets since the last drop: one for each class, or one for all.
    pub enum ClassCount {
        /// Each class for itself.
        PerClass = "per_class",
        /// All classes together.
        Shared = "shared",
    }
}

units::params! {
    /// One average, several curves.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(64.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// The unit of the queue, `avg` and the thresholds.
        unit: Unit = Unit::Packets => { source: "CiscoWRED" },
        /// Bytes of a typical packet: converts between packets and bytes. `auto`: as in the link's traffic.
        mean_packet: Option<Bytes> = None => { range: Range::Positive, source: "FJ93" },
        /// The part of a packet's class that counts.
        class_by: ClassBy = ClassBy::Number => { source: "RFC2474", assumed: true },
        /// Lower threshold of each class, from class 0; further classes use the last.
        min_th: Vec<Amount> = [20.0, 22.0, 24.0, 26.0, 28.0, 31.0, 33.0, 35.0].map(Amount::Packets).to_vec()
            => { range: Range::Positive, source: "CiscoWRED" },
        /// Upper threshold of each class; further classes use the last.
        max_th: Vec<Amount> = vec![Amount::Packets(40.0)] => { range: Range::Positive, source: "CiscoWRED" },
        /// Mark probability denominator of each class; further classes use the last.
        denominator: Vec<f64> = vec![10.0] => { unit: "1", range: Range::Within(1.0, 65536.0), source: "CiscoWRED" },
        /// The weight of a sample is a half to this power.
        exponent: u64 = 9 => { range: Range::Within(1.0, 16.0), source: "CiscoWRED" },
        /// How marks are spaced.
        spacing: Spacing = Spacing::Geometric => { assumed: true },
        /// The counter of packets since the last drop: one for each class, or one for all.
        count: ClassCount = ClassCount::PerClass => { assumed: true },
        /// How idle time lowers the average.
        idle_decay: IdleDecay = IdleDecay::Exact => { assumed: true },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "CiscoWRED" },
        /// Effect of a forced decision on an ECN-capable packet.
        ecn_forced: EcnForced = EcnForced::Drop => { source: "CiscoWRED" },
    }
}

impl Params {
    fn classes(&self) -> usize {
        self.min_th.len().max(self.max_th.len()).max(self.denominator.len())
    }

    /// The options of RED for class `i`.
    fn red(&self, i: usize) -> red::Params {
        red::Params {
            limit: self.limit,
            limit_test: self.limit_test,
            unit: self.unit,
            mean_packet: self.mean_packet,
            min_th: entry_of(&self.min_th, i),
            max_th: entry_of(&self.max_th, i),
            max_p: entry_of(&self.denominator, i).map_or(0.1, |denominator| 1.0 / denominator),
            w_q: Some(math::powi(0.5, self.exponent)),
            spacing: self.spacing,
            idle_decay: self.idle_decay,
            ecn: self.ecn,
            ecn_forced: self.ecn_forced,
            ..red::Params::default()
        }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        let lists = [
            ("min_th", self.min_th.len()),
            ("max_th", self.max_th.len()),
            ("denominator", self.denominator.len()),
        ];
        for (name, len) in lists {
            require(problems, (1..=256).contains(&len), name, len, "must name 1 to 256 classes", "");
        }
        let before = problems.len();
        for i in 0..self.classes() {
            if problems.len() == before {
                self.red(i).relations(problems);
            }
        }
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Weighted RED (WRED)";
    const ABOUT: &'static str =
        "One average of the whole queue and a drop curve for each class: packets of low precedence are \
        dropped while those of high precedence still pass. What Cisco routers call random-detect.";
    const REFERENCE: &'static str = "CiscoWRED, FJ93";
    type Disc<P: Packet + Copy> = Wred<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Wred<P> {
        Wred::new(params, setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        for i in 0..self.classes() {
            self.red(i).check_in(setting, problems);
        }
    }
}

/// State of a WRED queue.
#[derive(Clone, Debug)]
pub struct Wred<P> {
    red: Red<P>,
    /// Curve and count of each class.
    classes: Vec<Part>,
    count: ClassCount,
    class_by: ClassBy,
}

impl<P: Packet + Copy> Wred<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Wred<P> {
        let first = params.red(0);
        Wred {
            red: Red::linear(&first, setting),
            classes: (0..params.classes()).map(|i| Part::new(&params.red(i), setting)).collect(),
            count: params.count,
            class_by: params.class_by,
        }
    }

    /// Exchanges RED's curve and count with those of a class.
    #[inline]
    fn exchange(&mut self, class: usize) {
        match self.count {
            ClassCount::PerClass => self.red.exchange_law(&mut self.classes[class]),
            ClassCount::Shared => self.red.exchange_curve(&mut self.classes[class]),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Wred<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let class = self.class_by.place(pkt.class()).min(self.classes.len() - 1);
        let q = self.red.observe(&pkt, cx);
        self.exchange(class);
        self.red.judge(pkt, q, cx);
        self.exchange(class);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    as_red!();

    fn probe(&self, out: &mut Probe) {
        let avg = self.red.average();
        out.note("avg", avg);
        out.note("p_b", self.classes[0].p_b_at(avg));
        out.note("p_b_last", self.classes[self.classes.len() - 1].p_b_at(avg));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, Pkt, SETTING};

    #[test]
    fn classes_share_the_average_and_have_their_own_curves() {
        let mut wred: Wred<Pkt> = Wred::new(&Valid::new(Params::default()).unwrap(), &SETTING);
        wred.red.set_weight(1.0);
        wred.red.sample(30.0);
        // Class 0: (30 - 20) / 20 / 10; class 4: (30 - 28) / 12 / 10; class 5 from 31 on.
        assert_eq!(wred.classes[0].p_b_at(30.0), 0.05);
        assert!((wred.classes[4].p_b_at(30.0) - 2.0 / 120.0).abs() < 1e-12);
        assert_eq!((wred.classes[5].p_b_at(30.0), wred.classes[7].p_b_at(30.0)), (0.0, 0.0));
    }

    #[test]
    fn low_precedence_goes_first() {
        let mut bench = Bench::new(Wred::new(&Valid::new(Params::default()).unwrap(), &SETTING));
        bench.disc.red.set_weight(0.999_999);
        bench.rng.0 = 0.04;
        (0..31).for_each(|_| bench.arrive(0, Pkt { class: 9, ..Pkt::new(0) }));
        // The average is 30: class 0 has 0.05 and is dropped at 0.04, class 7 has none.
        bench.arrive(0, Pkt::new(0));
        bench.arrive(0, Pkt { class: 7, ..Pkt::new(0) });
        assert_eq!(bench.dropped(), [31]);
    }

    #[test]
    fn lists_may_not_be_empty_and_thresholds_not_crossed() {
        let empty = Params { denominator: Vec::new(), ..Params::default() };
        assert_eq!(Valid::new(empty).unwrap_err()[0].path, "denominator");
        let crossed = Params { max_th: vec![Amount::Packets(10.0)], ..Params::default() };
        assert_eq!(Valid::new(crossed).unwrap_err()[0].path, "max_th");
    }
}
