//! Adaptive RED: RED that moves `max_p` so that the average settles in the middle of its thresholds.
//!
//! Reference: FGS01, section 4 and Figure 3.
//! Units: as in RED; `interval` is simulated time.
//! Deviations: at a tick that falls into idle time the average counts the idle time so far (FGS01 does not
//! say; Linux does the same), or an old high average would go on raising `max_p`.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::red::shared_params::{adaptive_red_params, resolved_of};
use crate::red::wrapped::as_red;
use crate::red::{self, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Preset, Problem, Range, Table, Valid};
use units::Time;

units::choices! {
    /// When `max_p` is adapted.
    pub enum AdaptAt {
        /// Every `interval`, by a timer, also while nothing arrives.
        Timer = "timer",
        /// At the first arrival more than `interval` after the last change: never without an arrival.
        Arrival = "arrival",
    }
}

units::choices! {
    /// Whether the slope above `max_th` follows `max_p` in gentle mode.
    pub enum Slope {
        /// From the present `max_p`: the probability is continuous.
        Follows = "follows",
        /// From the `max_p` of the start: the probability jumps at `max_th` once `max_p` has moved.
        Fixed = "fixed",
    }
}

units::choices! {
    /// The result for a `max_p` that equals `top` or `bottom` to the bit.
    pub enum AtBounds {
        /// It makes one more step, past the bound.
        Moves = "moves",
        /// It stays.
        Stays = "stays",
    }
}

adaptive_red_params! {
    with bytes;
    /// RED whose `max_p` adapts to the traffic.
    pub struct Params {
        /// When `max_p` is adapted.
        adapt: AdaptAt = AdaptAt::Timer => { source: "FGS01" },
        /// Lower end of the target band, as a share of the way from `min_th` to `max_th`.
        band_low: f64 = 0.4 => { unit: "1", range: Range::Within(0.0, 1.0), source: "FGS01" },
        /// Upper end of the target band.
        band_high: f64 = 0.6 => { unit: "1", range: Range::Within(0.0, 1.0), source: "FGS01" },
        /// Maximum increase of `max_p` in one step.
        alpha: f64 = 0.01 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FGS01" },
        /// Maximum increase in one step, as a share of `max_p`.
        alpha_share: f64 = 0.25 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FGS01" },
        /// Factor of `max_p` for a step down.
        beta: f64 = 0.9 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FGS01" },
        /// Above this `max_p` is not raised.
        top: f64 = 0.5 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FGS01" },
        /// Below this `max_p` is not lowered. `auto`: 0.01, or 80 kbit/s as a share of the rate if that is
        /// less.
        bottom: Option<f64> = Some(0.01) => { unit: "1", range: Range::Within(0.0, 1.0), source: "FGS01" },
        /// Whether `max_p` at a bound still moves past it by a step.
        at_bounds: AtBounds = AtBounds::Moves => { source: "FGS01" },
        /// Whether the slope above `max_th` follows `max_p` in gentle mode.
        slope: Slope = Slope::Follows => { assumed: true },
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
        let bottom = self.bottom.unwrap_or(0.0);
        require(problems, bottom <= self.top, "bottom", bottom, below, "");
        let least = self.top + self.alpha.min(self.top * self.alpha_share);
        require(problems, least <= 1.0, "top", self.top, "must leave room for a step of alpha below 1", "");
    }
}

const DIALECTS: &[Preset] = &[
    Preset {
        name: "ns2",
        doc: "ns-2.35 with adaptive_ 1, in packets: adapts at arrivals, slope fixed, marks wait.",
        options: &[
            ("limit_test", "before"),
            ("mean_packet", "500 B"),
            ("adapt", "arrival"),
            ("slope", "fixed"),
            ("bottom", "auto"),
            ("at_bounds", "stays"),
            ("idle_decay", "plus_one"),
            ("idle_from", "link_idle"),
            ("spacing", "wait"),
            ("counting", "spare_first"),
            ("min_queue", "2"),
            ("draws", "always"),
        ],
    },
    Preset {
        name: "linux",
        doc: "The rules of Linux `red adaptive`: a timer, no gentle mode. Averages stay real numbers here.",
        options: &[("auto_th", "limit"), ("above_max", "drop"), ("max_p", "0.02"), ("spacing", "cycle")],
    },
];

impl Discipline for Params {
    const TITLE: &'static str = "Adaptive RED";
    const ABOUT: &'static str =
        "RED that needs no tuning of its probability: twice a second it raises max_p a little if \
        the average lies above the middle of the thresholds and lowers it if below, so the queue settles in \
        the same band whatever the load. Thresholds and weight follow from the link.";
    const REFERENCE: &'static str = "FGS01";
    type Disc<P: Packet + Copy> = Ared<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Ared<P> {
        Ared::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let mut table = resolved_of::<Params>(&self.red(), setting);
        if self.bottom.is_none() {
            table.push(("bottom".into(), units::param::Param::show(&bottom(self, setting))));
        }
        table
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.red().check_in(setting, problems);
    }
}

fn bottom(params: &Params, setting: &Setting) -> f64 {
    let rate = setting.rate.as_bps();
    params.bottom.unwrap_or(if rate > 0.0 { (80_000.0 / rate).min(0.01) } else { 0.01 })
}

/// State of an Adaptive RED queue.
#[derive(Clone, Debug)]
pub struct Ared<P> {
    red: Red<P>,
    params: Valid<Params>,
    /// The target band of the average.
    low: f64,
    high: f64,
    bottom: f64,
    /// The next tick, or the last change where arrivals drive.
    clock: Time,
}

impl<P: Packet + Copy> Ared<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Ared<P> {
        let resolved = params.red().resolve(setting);
        let span = resolved.max_th - resolved.min_th;
        let red = Red::linear(&params.red(), setting);
        Ared {
            red,
            low: resolved.min_th + params.band_low * span,
            high: resolved.min_th + params.band_high * span,
            bottom: bottom(params, setting),
            clock: if params.adapt == AdaptAt::Timer { Time::ZERO + params.interval } else { Time::ZERO },
            params: params.clone(),
        }
    }

    /// One step of `max_p`; whether there was one.
    fn adapt(&mut self, avg: f64) -> bool {
        let max_p = red::MarkingCurve::max_p(self.red.curve());
        let moves_at_bound = self.params.at_bounds == AtBounds::Moves;
        let may_rise = max_p < self.params.top || (moves_at_bound && max_p == self.params.top);
        let may_fall = max_p > self.bottom || (moves_at_bound && max_p == self.bottom);
        let moved = if avg > self.high && may_rise {
            max_p + self.params.alpha.min(max_p * self.params.alpha_share)
        } else if avg < self.low && may_fall {
            max_p * self.params.beta
        } else {
            return false;
        };
        self.red.curve_mut().set_max_p(moved, self.params.slope == Slope::Follows);
        true
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Ared<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let q = self.red.observe(&pkt, cx);
        if self.params.adapt == AdaptAt::Arrival && cx.now > self.clock + self.params.interval {
            let avg = self.red.average();
            if self.adapt(avg) {
                self.clock = cx.now;
            }
        }
        self.red.judge(pkt, q, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    fn next_deadline(&self) -> Option<Time> {
        (self.params.adapt == AdaptAt::Timer).then_some(self.clock)
    }

    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {
        let avg = self.red.average_at(self.clock);
        self.adapt(avg);
        self.clock += self.params.interval;
    }

    as_red!();

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};
    use alloc::string::String;
    use units::{Bytes, Rate};

    #[test]
    fn automatic_values_of_the_published_settings() {
        // Rate, packet: C, w_q, min_th, max_th.
        let rows = [
            (1_500_000, 500, 0.002_663_1, 5.0, 15.0),
            (10_000_000, 1000, 0.000_799_68, 5.0, 15.0),
            (100_000_000, 1500, 0.000_119_99, 20.833_333, 62.5),
            (1_000_000_000, 1500, 1.199_99e-5, 208.333_33, 625.0),
        ];
        for (rate, packet, w_q, min_th, max_th) in rows {
            let setting = Setting { rate: Rate(rate), packet: Bytes(packet), ..SETTING };
            let resolved = Params::default().red().resolve(&setting);
            assert!((resolved.w_q / w_q - 1.0).abs() < 5e-5, "{}", resolved.w_q);
            assert!((resolved.min_th - min_th).abs() < 1e-5 && (resolved.max_th - max_th).abs() < 1e-5);
            let keys: Vec<String> =
                Params::default().resolved(&setting).into_iter().map(|row| row.0).collect();
            assert_eq!(keys, ["mean_packet", "min_th", "max_th", "w_q", "idle_packet"]);
        }
    }

    #[test]
    fn steps_add_above_the_band_and_multiply_below() {
        let mut ared: Ared<Pkt> = Ared::new(&params(&[]), &SETTING);
        let max_p = |queue: &Ared<Pkt>| red::MarkingCurve::max_p(queue.red.curve());
        // Thresholds 5 and 15: the band is 9 to 11.
        assert!(!ared.adapt(9.0) && !ared.adapt(11.0));
        assert!(ared.adapt(11.1));
        assert_eq!(max_p(&ared), 0.11);
        assert!(ared.adapt(8.9));
        assert_eq!(max_p(&ared), 0.11 * 0.9);
        ared.red.curve_mut().set_max_p(0.02, true);
        assert!(ared.adapt(12.0));
        assert_eq!(max_p(&ared), 0.025);
        ared.red.curve_mut().set_max_p(0.505, true);
        assert!(!ared.adapt(12.0));
        ared.red.curve_mut().set_max_p(0.0095, true);
        assert!(!ared.adapt(1.0));
    }

    #[test]
    fn the_slope_above_follows_or_leaves_a_jump() {
        let p_b = |slope: &str| {
            let mut ared: Ared<Pkt> = Ared::new(&params(&[("slope", slope)]), &SETTING);
            ared.red.curve_mut().set_max_p(0.4, ared.params.slope == Slope::Follows);
            red::MarkingCurve::p_b(ared.red.curve(), 15.0)
        };
        assert!((p_b("follows") - 0.4).abs() < 1e-12);
        assert!((p_b("fixed") - 0.1).abs() < 1e-12);
    }

    #[test]
    fn an_idle_queue_lowers_max_p_by_the_clock_alone() {
        let mut bench = Bench::new(Ared::new(&params(&[]), &SETTING));
        bench.tick_until(1_500_000);
        assert!((bench.probe("max_p") - 0.1 * 0.9 * 0.9 * 0.9).abs() < 1e-12);
        let at_arrival: Ared<Pkt> = Ared::new(&params(&[("dialect", "ns2")]), &SETTING);
        assert_eq!(at_arrival.next_deadline(), None);
        assert_eq!(at_arrival.bottom, 0.01);
    }
}
