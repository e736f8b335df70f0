//! RED for packets of several sizes: RED_1 to RED_5.
//!
//! Reference: CEP00, Tables 1 and 2.
//! Units: as in RED; `max_packet` is the `M` of the paper.
//! Deviations: `count` returns to its start after a drop and is not raised by the dropped packet; a probability
//! is cut at 1. The paper gives neither thresholds nor `max_p`.
//!
//! The laws are the byte modes of RED; here they have their names.

use crate::disc::Packet;
use crate::red::parts::{red_params, resolved_of};
use crate::red::{self, ByteMode, Curve, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Table, Valid};
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

red_params! {
    /// RED_1 to RED_5.
    pub struct Params {
        /// How packet sizes enter.
        variant: Variant = Variant::Red4 => { source: "CEP00" },
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
        red::Params {
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
            ..self.base()
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
        Red::with_law(&red, setting, Curve::new(&red, &red.resolve(setting)))
    }

    fn resolved(&self, setting: &Setting) -> Table {
        resolved_of::<Params>(&self.red(), setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.red().check_in(setting, problems);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Pkt, SETTING};

    /// Arrivals from one early drop to the next at an average of 10, each packet leaving at once.
    fn gaps(variant: &str, sizes: &[u64], n: usize) -> Vec<(u64, u64)> {
        let rows = [("variant", variant), ("min_th", "5 pkts"), ("max_th", "15 pkts"), ("max_p", "0.1")];
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
