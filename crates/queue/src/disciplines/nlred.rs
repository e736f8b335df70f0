//! Nonlinear RED: the probability grows with the square of the average.
//!
//! Reference: ZYL06.
//! Units: as in RED.
//! Deviations: ZYL06 drops everything from `max_th` upward; the gentle forms are options. ns-3 lets the gentle ramp
//! start at `max_p` although the curve below has reached 1.5 `max_p`, so its probability falls at `max_th`.

use crate::disc::Packet;
use crate::red::shared_params::red_params;
use crate::red::wrapped::red_setting;
use crate::red::{self, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;

units::choices! {
    /// Treatment of arrivals from `max_th` upward.
    pub enum Above {
        /// Every packet is marked or dropped.
        Drop = "drop",
        /// The probability rises from where the curve has come to, `peak` times `max_p`, to 1 at twice `max_th`.
        Gentle = "gentle",
        /// The same from `max_p`: the probability falls at `max_th` before it rises.
        GentleFromMaxP = "gentle_from_max_p",
    }
}

red_params! {
    /// RED with a parabola instead of a straight line.
    pub struct Params {
        /// Average queue from which marking begins.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue at which the parabola ends.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Scale of the probability: that of a straight line with the same area.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), source: "ZYL06" },
        /// Factor of `max_p` at the end of the parabola; 1.5 drops as much as RED over an even load.
        peak: f64 = 1.5 => { unit: "1", range: Range::Positive, source: "ZYL06" },
        /// Power of the curve.
        power: u64 = 2 => { range: Range::Within(1.0, 16.0), source: "ZYL06" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// Treatment of arrivals from `max_th` upward.
        above_max: Above = Above::Drop => { source: "ZYL06" },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        self.base().with_law(self.min_th, self.max_th, self.max_p, self.w_q)
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        let most = 1.0 / self.max_p;
        let rule = format!("must be at most 1/max_p, here {most}");
        require(problems, self.peak <= most, "peak", self.peak, rule, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Nonlinear RED";
    const ABOUT: &'static str =
        "RED with a parabola: gentler than the straight line while the average is low, harsher when it \
        is high, so light load keeps its throughput and the average depends less on the load.";
    const REFERENCE: &'static str = "ZYL06, FJ93";
    type Disc<P: Packet + Copy> = Red<P, Parabola>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Red<P, Parabola> {
        let red = params.red();
        let resolved = red.resolve(setting);
        Red::with_curve(&red, setting, Parabola::new(params, resolved.min_th, resolved.max_th))
    }

    red_setting!();
}

/// The curve of nonlinear RED.
#[derive(Clone, Copy, Debug)]
pub struct Parabola {
    min_th: f64,
    max_th: f64,
    max_p: f64,
    peak_p: f64,
    power: u64,
    above: Above,
}

impl Parabola {
    fn new(params: &Params, min_th: f64, max_th: f64) -> Parabola {
        let peak_p = params.peak * params.max_p;
        let (max_p, power, above) = (params.max_p, params.power, params.above_max);
        Parabola { min_th, max_th, max_p, peak_p, power, above }
    }
}

impl MarkingCurve for Parabola {
    fn min_th(&self) -> f64 {
        self.min_th
    }

    fn forced_at(&self) -> f64 {
        match self.above {
            Above::Drop => self.max_th,
            Above::Gentle | Above::GentleFromMaxP => 2.0 * self.max_th,
        }
    }

    #[inline]
    fn p_b(&self, avg: f64) -> f64 {
        let p_b = if avg < self.max_th {
            self.peak_p * units::math::powi((avg - self.min_th) / (self.max_th - self.min_th), self.power)
        } else {
            let from = match self.above {
                Above::Drop => return 1.0,
                Above::Gentle => self.peak_p,
                Above::GentleFromMaxP => self.max_p,
            };
            from + (1.0 - from) * (avg - self.max_th) / self.max_th
        };
        p_b.clamp(0.0, 1.0)
    }

    fn max_p(&self) -> f64 {
        self.max_p
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused};

    fn p_b(above: &str, avg: f64) -> f64 {
        let params: Valid<Params> = params(&[("max_p", "0.1"), ("above_max", above)]);
        Parabola::new(&params, 5.0, 15.0).p_b(avg)
    }

    #[test]
    fn a_parabola_up_to_one_and_a_half_times_max_p() {
        assert_eq!(p_b("drop", 5.0), 0.0);
        assert!((p_b("drop", 10.0) - 0.0375).abs() < 1e-12);
        assert!((p_b("drop", 15.0 - 1e-9) - 0.15).abs() < 1e-9);
        assert_eq!(p_b("drop", 15.0), 1.0);
    }

    #[test]
    fn the_gentle_ramp_of_ns3_falls_at_max_th() {
        assert!((p_b("gentle", 15.0) - 0.15).abs() < 1e-12);
        assert!((p_b("gentle_from_max_p", 15.0) - 0.1).abs() < 1e-12);
        assert!((p_b("gentle", 22.5) - 0.575).abs() < 1e-12);
    }

    #[test]
    fn a_peak_beyond_one_is_refused() {
        let problems = refused::<Params>(&[("max_p", "0.8")]);
        assert!(problems[0].starts_with("peak = 1.5: must be at most 1/max_p"), "{problems:?}");
    }
}
