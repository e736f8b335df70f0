//! RED for packets of several sizes: RED_1 to RED_5.
//!
//! Reference: CEP00, Tables 1 and 2.
//! Units: as in RED; `max_packet` is the `M` of the paper.
//! Deviations: the paper counts the packets accepted "since the last drop or since avg exceeded min_th", which makes
//! `count` 1 at the first arrival after either; its equation (1) needs 0 there. `count_start` chooses. `p_a` is cut at
//! 1 and is 1 once `count p_b` reaches 1, where Table 2 divides by zero. The paper gives neither thresholds nor
//! `max_p`.
//!
//! The laws are the byte modes of RED under the names of the paper.

use crate::disc::Packet;
use crate::red::shared_params::red_params;
use crate::red::wrapped::red_setting;
use crate::red::{self, ByteMode, MarkCounting, Red, Spacing};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::Bytes;

units::choices! {
    /// How the size `L` of a packet enters its probability of being dropped.
    pub enum Variant {
        /// Not at all: large packets win.
        Red1 = "red_1",
        /// `p_b` times `L/M` before the count correction: large packets lose far too much.
        Red2 = "red_2",
        /// `p_a` times `L/M`.
        Red3 = "red_3",
        /// `p_a` times `L/M`, and `count` grows by `L/M`: the intervals between drops are uniform again.
        Red4 = "red_4",
        /// `p_a` times `(L/M)^2`, and `count` grows by `(L/M)^2`: equal goodput for TCP of all sizes.
        Red5 = "red_5",
    }
}

units::choices! {
    /// `count` at the first arrival after a drop, and at the first that finds `avg` above `min_th`, in RED_1 to RED_3.
    /// It is 0 in RED_4 and RED_5.
    pub enum CountStart {
        /// 1 at both: the accepted packets, raised by step (1).
        Words = "words",
        /// 0 at both: equation (1), with intervals uniform on 1 .. 1/p_b.
        Equation = "equation",
        /// 1 after a drop, 0 above `min_th`: Figure 2 of FJ93.
        Figure = "figure",
    }
}

red_params! {
    /// RED_1 to RED_5.
    pub struct Params {
        /// How packet sizes enter.
        variant: Variant = Variant::Red4 => { source: "CEP00" },
        /// `count` at the first arrival after a drop, and at the first above `min_th`, in RED_1 to RED_3.
        count_start: CountStart = CountStart::Words => { source: "CEP00" },
        /// The largest packet, `M`.
        max_packet: Bytes = Bytes(1500) => { range: Range::Positive, source: "CEP00" },
        /// Average queue from which marking begins.
        min_th: Amount = Amount::Packets(50.0) => { range: Range::Positive, assumed: true },
        /// Average queue at which the probability has risen to `max_p`.
        max_th: Amount = Amount::Packets(150.0) => { range: Range::Positive, assumed: true },
        /// Probability just below `max_th`.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), assumed: true },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        let base = self.base();
        // Options that ask for another law or another way of counting have their own start.
        let usual = base.spacing == Spacing::Pseudocode && base.counting == MarkCounting::Between;
        let (spacing, counting) = match self.count_start {
            CountStart::Words if usual => (Spacing::Pseudocode, MarkCounting::FromOne),
            CountStart::Equation if usual => (Spacing::Text, MarkCounting::Between),
            _ => (base.spacing, base.counting),
        };
        red::Params {
            spacing,
            counting,
            byte_mode: match self.variant {
                Variant::Red1 => ByteMode::Off,
                Variant::Red2 => ByteMode::Red2,
                Variant::Red3 => ByteMode::Red3,
                Variant::Red4 => ByteMode::Red4,
                Variant::Red5 => ByteMode::Red5,
            },
            max_packet: self.max_packet,
            min_th: Some(self.min_th),
            max_th: Some(self.max_th),
            max_p: self.max_p,
            w_q: Some(self.w_q),
            ..base
        }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "RED for several packet sizes";
    const ABOUT: &'static str =
        "Five ways to let the size of a packet enter RED's probability. RED_1 ignores it and favours \
        large packets, RED_2 as first proposed punishes them beyond measure, RED_3 and RED_4 drop in \
        proportion to size, RED_5 in proportion to its square, which is what equal TCP goodput asks for.";
    const REFERENCE: &'static str = "CEP00, FJ93";
    type Disc<P: Packet + Copy> = Red<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Red<P> {
        let red = params.red();
        Red::linear(&red, setting)
    }

    red_setting!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Pkt, SETTING};
    use units::Rng;

    /// Arrivals from one early drop to the next at an average of 10, each packet leaving at once.
    fn gaps(variant: &str, sizes: &[u64], n: usize) -> Vec<(u64, u64)> {
        gaps_counted(variant, "between", sizes, n)
    }

    /// The same with a way of counting.
    fn gaps_counted(variant: &str, counting: &str, sizes: &[u64], n: usize) -> Vec<(u64, u64)> {
        let rows = [
            ("variant", variant),
            ("min_th", "5 pkts"),
            ("max_th", "15 pkts"),
            ("max_p", "0.1"),
            ("counting", counting),
        ];
        let mut red: Red<Pkt> = params::<Params>(&rows).into_inner().build_for_test();
        let mut stream = units::Stream::new(3, "gaps");
        let (mut fates, mut list, mut gap) = (Vec::new(), Vec::new(), 0);
        for id in 0.. {
            let pkt = Pkt { size: sizes[id as usize % sizes.len()], ..Pkt::new(id) };
            let mut cx = crate::disc::Cx::new(units::Time::ZERO, &mut stream, &mut fates);
            gap += 1;
            red.judge(pkt, 10.0, &mut cx);
            crate::disc::QueueDisc::dequeue(&mut red, &mut cx);
            if !fates.is_empty() {
                list.push((gap, pkt.size));
                (gap, fates) = (0, Vec::new());
                if list.len() > n {
                    return list.split_off(1);
                }
            }
        }
        list
    }

    impl Params {
        /// With an average of 10, where p_b is a twentieth.
        fn build_for_test(self) -> Red<Pkt> {
            let mut red = Params::build(&Valid::new(self).unwrap(), &SETTING);
            red.set_weight(1.0);
            red.sample(10.0);
            red
        }
    }

    /// P(mark on the n-th) = p_b (L_n/M)^k while the sum of (L/M)^k is at most 1/p_b: with all packets of M/2, uniform
    /// on 1 .. 40 for RED_4 and on 1 .. 80 for RED_5.
    #[test]
    fn intervals_are_uniform_in_red_4_and_red_5() {
        for (variant, last) in [("red_4", 40), ("red_5", 80)] {
            let list = gaps(variant, &[750], 20_000);
            assert_eq!(
                (list.iter().map(|g| g.0).min(), list.iter().map(|g| g.0).max()),
                (Some(1), Some(last))
            );
            let mean = list.iter().map(|g| g.0 as f64).sum::<f64>() / 20_000.0;
            let sd = (last as f64).powi(2) / 12.0;
            assert!((mean - (last as f64 + 1.0) / 2.0).abs() < 5.0 * (sd / 20_000.0).sqrt(), "{mean}");
        }
    }

    /// The counting option selects the arrivals that raise the count, not the step.
    #[test]
    fn every_way_of_counting_weighs_packets() {
        for (variant, last) in [("red_4", 40), ("red_5", 80)] {
            for counting in ["spare_first", "carried"] {
                let list = gaps_counted(variant, counting, &[750], 20_000);
                let most = list.iter().map(|g| g.0).max();
                assert_eq!(most, Some(last), "{variant}, {counting}");
                let mean = list.iter().map(|g| g.0 as f64).sum::<f64>() / 20_000.0;
                assert!((mean - (last as f64 + 1.0) / 2.0).abs() < 0.02 * last as f64, "{mean}");
            }
        }
    }

    /// With p_b 1/20 the count of RED_3 reaches 1/p_b at the twentieth packet after a drop: that one is dropped at any
    /// size, so intervals end there, as with RED_1.
    #[test]
    fn red_3_drops_any_packet_once_the_count_reaches_its_end() {
        let list = gaps("red_3", &[375], 20_000);
        assert_eq!(list.iter().map(|g| g.0).max(), Some(20));
        // No drop at the first nineteen: the product of 1 - (1/4) (1/20) / (1 - c/20).
        let survive: f64 = (1..20).map(|c| 1.0 - 0.25 / (20.0 - f64::from(c))).product();
        let last = list.iter().filter(|g| g.0 == 20).count() as f64 / 20_000.0;
        assert!(
            (last - survive).abs() < 5.0 * (survive * (1.0 - survive) / 20_000.0).sqrt(),
            "{last}, expected {survive}"
        );
    }

    /// As many bytes in packets of 1500, 750 and 375: the certain drops at the end of the count spare no size, so large
    /// packets lose 3.18 times as often as small ones, not 4 times.
    #[test]
    fn the_loss_ratio_of_red_3_stays_below_the_ratio_of_sizes() {
        let sizes = [1500, 750, 750, 375, 375, 375, 375];
        let (mut survive, mut dropped) = (1.0, [0.0; 2]);
        for c in 1..=20 {
            let p_a = |size: u64| if c < 20 { size as f64 / 1500.0 / f64::from(20 - c) } else { 1.0 };
            dropped[0] += survive * p_a(1500);
            dropped[1] += survive * p_a(375);
            survive *= 1.0 - sizes.iter().map(|&size| p_a(size)).sum::<f64>() / 7.0;
        }
        let expected = dropped[0] / dropped[1];
        assert!((expected - 3.18).abs() < 0.005, "{expected}");
        let mut order = units::Stream::new(1, "sizes");
        let mixed: Vec<u64> = (0..70_001).map(|_| sizes[(order.uniform() * 7.0) as usize]).collect();
        let list = gaps("red_3", &mixed, 100_000);
        let drops = |size: u64| list.iter().filter(|g| g.1 == size).count() as f64;
        let ratio = 4.0 * drops(1500) / drops(375);
        assert!((ratio / expected - 1.0).abs() < 0.03, "{ratio}, expected {expected}");
    }

    /// Packets of 1500 and of 500 bytes in turn: the shares of drops follow L^0, L, L^2.
    #[test]
    fn shares_of_drops_follow_the_size() {
        for (variant, ratio) in [("red_1", 1.0), ("red_3", 3.0), ("red_4", 3.0), ("red_5", 9.0)] {
            let list = gaps(variant, &[1500, 500, 500, 1500], 40_000);
            let large = list.iter().filter(|g| g.1 == 1500).count() as f64;
            let share = large / 40_000.0;
            let expected = ratio / (1.0 + ratio);
            assert!((share - expected).abs() < 0.015, "{variant}: {share}, expected {expected}");
        }
    }
}
