//! Cautious Adaptive RED: the steps of Refined Adaptive RED while the load changes, those of Adaptive RED otherwise.
//!
//! Reference: TSB12, on FGS01 and KL06.
//! Units: as in RED; `interval` is simulated time.
//! Deviations: of the paper the abstract was available (`max_p` varies with the level of traffic load, without new
//! parameters), and that it is two in one, of Adaptive and Refined Adaptive RED. What tells that the load is changing
//! is open: see `load_from`.

use crate::disc::{Packet, QueueDisc};
use crate::red::shared_params::adaptive_red_params;
use crate::red::wrapped::{as_periodic_red, red_setting};
use crate::red::{MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::Time;

units::choices! {
    /// When a step follows Refined Adaptive RED.
    pub enum LoadFrom {
        /// While the average moves further away from the band than at the last step.
        Trend = "trend",
        /// While the average lies beyond the thresholds.
        Thresholds = "thresholds",
    }
}

adaptive_red_params! {
    /// RED whose `max_p` adapts by one of two rules.
    pub struct Params {
        /// When a step follows Refined Adaptive RED.
        load_from: LoadFrom = LoadFrom::Trend => { assumed: true },
        /// Lower end of the target band, as a share of the way from `min_th` to `max_th`.
        band_low: f64 = 0.4 => { unit: "1", range: Range::Within(0.0, 1.0), source: "FGS01" },
        /// Upper end of the target band.
        band_high: f64 = 0.6 => { unit: "1", range: Range::Within(0.0, 1.0), source: "FGS01" },
        /// Most that a cautious step adds; a quarter of `max_p` if that is less.
        increment: f64 = 0.01 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FGS01" },
        /// Factor of a cautious step down.
        decrement: f64 = 0.9 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FGS01" },
        /// Share of `max_p` that a refined step up adds for a relative error of one.
        gain_up: f64 = 0.25 => { unit: "1", range: Range::Above(0.0, 1.0), source: "KL06" },
        /// Share of `max_p` that a refined step down takes for an average at `min_th`.
        gain_down: f64 = 0.17 => { unit: "1", range: Range::Above(0.0, 1.0), source: "KL06" },
        /// Above this `max_p` is not raised.
        top: f64 = 0.5 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FGS01" },
        /// Below this `max_p` is not lowered.
        bottom: f64 = 0.01 => { unit: "1", range: Range::Within(0.0, 1.0), source: "FGS01" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        let rule = format!("must exceed band_low ({})", self.band_low);
        require(problems, self.band_high > self.band_low, "band_high", self.band_high, rule, "");
        let below = format!("must not exceed top ({})", self.top);
        require(problems, self.bottom <= self.top, "bottom", self.bottom, below, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Cautious Adaptive RED (CARED)";
    const ABOUT: &'static str = "Adaptive RED with two gears: while the load changes, max_p moves in proportion to the \
        distance of the average from its target, as in Refined Adaptive RED; otherwise by the small steps of Adaptive RED. \
        Built from the abstract of its paper.";
    const REFERENCE: &'static str = "TSB12, FGS01, KL06";
    type Disc<P: Packet + Copy> = Cared<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Cared<P> {
        Cared::new(params, setting)
    }

    red_setting!();
}

/// State of a Cautious Adaptive RED queue.
#[derive(Clone, Debug)]
pub struct Cared<P> {
    red: Red<P>,
    params: Valid<Params>,
    min_th: f64,
    max_th: f64,
    /// The average at the last step.
    last: f64,
    next: Time,
}

impl<P: Packet + Copy> Cared<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Cared<P> {
        let red = params.red();
        let resolved = red.resolve(setting);
        Cared {
            red: Red::linear(&red, setting),
            min_th: resolved.min_th,
            max_th: resolved.max_th,
            last: 0.0,
            next: Time::ZERO + params.interval,
            params: params.clone(),
        }
    }

    /// One step of `max_p`.
    fn adapt(&mut self, avg: f64) {
        let Params { load_from, band_low, band_high, top, bottom, .. } = *self.params;
        let at = |share: f64| self.min_th + share * (self.max_th - self.min_th);
        let trend = load_from == LoadFrom::Trend;
        let max_p = self.red.curve().max_p();
        let moved = if avg > at(band_high) && max_p <= top {
            self.raised(max_p, avg, avg > if trend { self.last } else { self.max_th })
        } else if avg < at(band_low) && max_p >= bottom {
            self.lowered(max_p, avg, avg < if trend { self.last } else { self.min_th })
        } else {
            max_p
        };
        self.last = avg;
        self.red.curve_mut().set_max_p(moved.clamp(0.0, 1.0), true);
    }

    /// `max_p` after a step up.
    fn raised(&self, max_p: f64, avg: f64, is_refined: bool) -> f64 {
        let target = 0.5 * (self.min_th + self.max_th);
        if is_refined {
            max_p + self.params.gain_up * max_p * (avg - target) / target
        } else {
            max_p + self.params.increment.min(max_p / 4.0)
        }
    }

    /// `max_p` after a step down.
    fn lowered(&self, max_p: f64, avg: f64, is_refined: bool) -> f64 {
        let target = 0.5 * (self.min_th + self.max_th);
        if is_refined {
            max_p * (1.0 - self.params.gain_down * (target - avg) / (target - self.min_th))
        } else {
            max_p * self.params.decrement
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Cared<P> {
    as_periodic_red!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    /// `max_p` after steps at these averages, from 0.1 with thresholds 5 and 15.
    fn after(rows: &[(&str, &str)], averages: &[f64]) -> f64 {
        let mut queue: Cared<Pkt> = Cared::new(&params(rows), &SETTING);
        averages.iter().for_each(|avg| queue.adapt(*avg));
        queue.red.curve().max_p()
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    #[test]
    fn a_rising_average_takes_the_refined_step_and_a_falling_one_the_cautious() {
        assert_eq!(after(&[], &[9.0, 11.0]), 0.1);
        // 15 after 0 rises: half of the target above it. 13 falls, but lies above the band: 0.01 more.
        near(after(&[], &[15.0]), 0.1 * (1.0 + 0.25 * 0.5));
        near(after(&[], &[15.0, 13.0]), 0.1 * (1.0 + 0.25 * 0.5) + 0.01);
        // 6 after 10 falls away: 4 of the 5 below the target. 7 comes back: a tenth less.
        near(after(&[], &[10.0, 6.0]), 0.1 * (1.0 - 0.17 * 0.8));
        near(after(&[], &[10.0, 6.0, 7.0]), 0.1 * (1.0 - 0.17 * 0.8) * 0.9);
    }

    #[test]
    fn by_the_thresholds_only_their_outside_takes_the_refined_step() {
        let rows = [("load_from", "thresholds")];
        near(after(&rows, &[14.0]), 0.11);
        near(after(&rows, &[20.0]), 0.1 * (1.0 + 0.25));
        near(after(&rows, &[6.0]), 0.09);
        near(after(&rows, &[2.5]), 0.1 * (1.0 - 0.17 * 1.5));
    }

    #[test]
    fn a_small_max_p_grows_by_a_quarter_at_most_and_bounds_hold() {
        near(after(&[("max_p", "0.02")], &[20.0, 14.0]), 0.025 + 0.00625);
        near(after(&[("max_p", "0.6")], &[20.0]), 0.6);
        let mut bench = Bench::new(Cared::<Pkt>::new(&params(&[]), &SETTING));
        bench.tick_until(20_000_000);
        // Idle, and no longer falling: steps of a tenth, until it is below 0.01.
        near(bench.probe("max_p"), 0.1 * units::math::powi(0.9, 22));
        assert!(refused::<Params>(&[("band_low", "0.7")])[0].contains("must exceed band_low"));
    }
}
