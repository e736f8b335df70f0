//! Refined Adaptive RED: Adaptive RED with a narrower band and steps that grow with the distance from its
//! middle.
//!
//! Reference: KL06, on FGS01; TSB11 for the dialect `fared`.
//! Units: as in RED; `interval` is simulated time.
//! Deviations: neither paper was available; the rules and gains are as published patches for ns-2 describe them.

use crate::disc::{Packet, QueueDisc};
use crate::red::shared_params::adaptive_red_params;
use crate::red::wrapped::{as_periodic_red, red_setting};
use crate::red::{self, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Preset, Problem, Range, Valid};
use units::Time;

units::choices! {
    /// The point that the distance of the average is measured from.
    pub enum DistanceFrom {
        /// The middle of the thresholds.
        Middle = "middle",
        /// The edge of the band that the average has left: steps start at zero there.
        Edge = "edge",
    }
}

adaptive_red_params! {
    /// RED whose `max_p` adapts in steps proportional to the error.
    pub struct Params {
        /// Lower end of the target band, as a share of the way from `min_th` to `max_th`.
        band_low: f64 = 0.48 => { unit: "1", range: Range::Within(0.0, 1.0), source: "KL06" },
        /// Upper end of the target band.
        band_high: f64 = 0.52 => { unit: "1", range: Range::Within(0.0, 1.0), source: "KL06" },
        /// Share of `max_p` that a step up adds for a relative error of one.
        gain_up: f64 = 0.25 => { unit: "1", range: Range::Above(0.0, 1.0), source: "KL06" },
        /// Share of `max_p` that a step down takes for an average at `min_th`.
        gain_down: f64 = 0.17 => { unit: "1", range: Range::Above(0.0, 1.0), source: "KL06" },
        /// The point that the distance of the average is measured from.
        distance_from: DistanceFrom = DistanceFrom::Middle => { source: "KL06" },
        /// Above this `max_p` is not raised.
        top: f64 = 0.5 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FGS01" },
        /// Below this `max_p` is not lowered.
        bottom: f64 = 0.01 => { unit: "1", range: Range::Within(0.0, 1.0), source: "FGS01" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        let rule = format!("must exceed band_low ({})", self.band_low);
        require(problems, self.band_high > self.band_low, "band_high", self.band_high, rule, "");
        let below = format!("must not exceed top ({})", self.top);
        require(problems, self.bottom <= self.top, "bottom", self.bottom, below, "");
    }
}

const DIALECTS: &[Preset] = &[Preset {
    name: "fared",
    doc: "Fast Adapting RED (TSB11): smaller gains.",
    options: &[("gain_up", "0.0412"), ("gain_down", "0.0385")],
}];

impl Discipline for Params {
    const TITLE: &'static str = "Refined Adaptive RED";
    const ABOUT: &'static str = "Adaptive RED with a stronger control: its target band is narrow, and each step of max_p is in \
        proportion to the distance of the average from the middle of the thresholds, so it is quick far away and careful \
        close to it.";
    const REFERENCE: &'static str = "KL06, FGS01";
    type Disc<P: Packet + Copy> = Rared<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Rared<P> {
        Rared::new(params, setting)
    }

    red_setting!();
}

/// State of a Refined Adaptive RED queue.
#[derive(Clone, Debug)]
pub struct Rared<P> {
    red: Red<P>,
    params: Valid<Params>,
    min_th: f64,
    /// The band, and the points that the distance is measured from below and above it.
    low: f64,
    high: f64,
    targets: [f64; 2],
    next: Time,
}

impl<P: Packet + Copy> Rared<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Rared<P> {
        let resolved = params.red().resolve(setting);
        let span = resolved.max_th - resolved.min_th;
        let red = Red::linear(&params.red(), setting);
        let [low, middle, high] =
            [params.band_low, 0.5, params.band_high].map(|x| resolved.min_th + x * span);
        Rared {
            red,
            min_th: resolved.min_th,
            low,
            high,
            targets: match params.distance_from {
                DistanceFrom::Middle => [middle; 2],
                DistanceFrom::Edge => [low, high],
            },
            next: Time::ZERO + params.interval,
            params: params.clone(),
        }
    }

    /// One step of `max_p`.
    fn adapt(&mut self, avg: f64) {
        let max_p = red::MarkingCurve::max_p(self.red.curve());
        let [below, above] = self.targets;
        let moved = if avg > self.high && max_p <= self.params.top {
            max_p + self.params.gain_up * max_p * (avg - above) / above
        } else if avg < self.low && max_p >= self.params.bottom {
            max_p * (1.0 - self.params.gain_down * (below - avg) / (below - self.min_th))
        } else {
            return;
        };
        self.red.curve_mut().set_max_p(moved.clamp(0.0, 1.0), true);
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Rared<P> {
    as_periodic_red!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    #[test]
    fn steps_are_in_proportion_to_the_distance() {
        // Thresholds 5 and 15: target 10, band 9.8 to 10.2.
        let max_p = |avg: f64| {
            let mut queue: Rared<Pkt> = Rared::new(&params(&[]), &SETTING);
            queue.adapt(avg);
            red::MarkingCurve::max_p(queue.red.curve())
        };
        assert_eq!([max_p(9.8), max_p(10.0), max_p(10.2)], [0.1; 3]);
        assert!((max_p(14.0) - (0.1 + 0.25 * 0.1 * 0.4)).abs() < 1e-12);
        assert!((max_p(20.0) - 0.125).abs() < 1e-12);
        assert!((max_p(7.5) - 0.1 * (1.0 - 0.17 * 0.5)).abs() < 1e-12);
        assert!((max_p(0.0) - 0.1 * (1.0 - 0.17 * 2.0)).abs() < 1e-12);
    }

    #[test]
    fn fared_and_distances_from_the_edge_by_hand() {
        let max_p = |rows: &[(&str, &str)], avg: f64| {
            let mut queue: Rared<Pkt> = Rared::new(&params(rows), &SETTING);
            queue.adapt(avg);
            red::MarkingCurve::max_p(queue.red.curve())
        };
        let fared = [("dialect", "fared")];
        assert!((max_p(&fared, 15.0) - 0.1 * (1.0 + 0.0412 * 0.5)).abs() < 1e-12);
        assert!((max_p(&fared, 5.0) - 0.1 * (1.0 - 0.0385)).abs() < 1e-12);
        // The band is 9.8 to 10.2: 15.3 is half of 10.2 above it, 7.4 half of the way down to 5.
        let edge = [("distance_from", "edge")];
        assert!((max_p(&edge, 15.3) - 0.1 * (1.0 + 0.25 * 0.5)).abs() < 1e-12);
        assert!((max_p(&edge, 7.4) - 0.1 * (1.0 - 0.17 * 0.5)).abs() < 1e-12);
    }

    #[test]
    fn bounds_hold_and_a_band_upside_down_is_refused() {
        let mut bench = Bench::new(Rared::<Pkt>::new(&params(&[]), &SETTING));
        bench.tick_until(10_000_000);
        // Idle: each step takes 0.34 of it, until it is below 0.01.
        let most: f64 = 0.1 * units::math::powi(0.66, 6);
        assert!((bench.probe("max_p") - most).abs() < 1e-12);
        assert!(refused::<Params>(&[("band_low", "0.6")])[0].contains("must exceed band_low"));
    }
}
