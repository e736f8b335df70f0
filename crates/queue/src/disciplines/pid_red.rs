//! PID-RED: RED whose `max_p` follows a PID controller of the average queue.
//!
//! Reference: CZJZ06; FJ93 is RED.
//! Units: as in RED; `interval` is simulated time.
//! Deviations: of the paper the abstract was available (`max_p` is tuned from the difference between the average queue
//! and the expected one). The controller is the incremental form of the textbook, its error is relative to the target,
//! and gains, interval and bounds are assumed. As in Adaptive RED, an average in idle time counts the idle time so far.

use crate::disc::{Packet, QueueDisc};
use crate::red::shared_params::{red_params, resolved_of};
use crate::red::wrapped::as_periodic_red;
use crate::red::{self, AboveMax, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Span, Time};

red_params! {
    /// RED whose `max_p` is the output of a PID controller.
    pub struct Params {
        /// Average queue from which marking begins.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue at which the probability has risen to `max_p`.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Initial value of `max_p`.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// Treatment of arrivals from `max_th` upward.
        above_max: AboveMax = AboveMax::Gentle => { assumed: true },
        /// Average that is expected. `auto`: the middle of the thresholds.
        target: Option<Amount> = None => { range: Range::Positive, source: "CZJZ06" },
        /// Time between two changes of `max_p`.
        interval: Span = Span::from_millis(100) => { range: Range::Positive, assumed: true },
        /// Change of `max_p` for a change of the relative error by one.
        k_p: f64 = 0.02 => { unit: "1", range: Range::Within(0.0, 100.0), assumed: true },
        /// Change of `max_p` in each interval for a relative error of one.
        k_i: f64 = 0.005 => { unit: "1", range: Range::Within(0.0, 100.0), assumed: true },
        /// Change of `max_p` for a relative error whose change grows by one.
        k_d: f64 = 0.01 => { unit: "1", range: Range::Within(0.0, 100.0), assumed: true },
        /// Highest `max_p`.
        top: f64 = 0.5 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FGS01" },
        /// Lowest `max_p`.
        bottom: f64 = 0.01 => { unit: "1", range: Range::Within(0.0, 1.0), source: "FGS01" },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        red::Params {
            min_th: Some(self.min_th),
            max_th: Some(self.max_th),
            above_max: self.above_max,
            max_p: self.max_p,
            w_q: Some(self.w_q),
            ..self.base()
        }
    }

    /// The expected average, in the unit of the thresholds.
    fn target(&self, setting: &Setting) -> f64 {
        let resolved = self.red().resolve(setting);
        match (self.target, self.unit) {
            (None, _) => 0.5 * (resolved.min_th + resolved.max_th),
            (Some(target), crate::fifo::Unit::Packets) => target.in_packets(resolved.mean_packet),
            (Some(target), crate::fifo::Unit::Bytes) => target.in_bytes(resolved.mean_packet),
        }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        let below = format!("must not exceed top ({})", self.top);
        require(problems, self.bottom <= self.top, "bottom", self.bottom, below, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "PID-RED";
    const ABOUT: &'static str = "RED that sets max_p by a PID controller: from the distance of the average to the one \
        expected, from its sum, and from how it changes. Settles like Adaptive RED, and sooner where the derivative sees a \
        load coming. Built from the abstract of its paper; gains are assumed.";
    const REFERENCE: &'static str = "CZJZ06, FJ93";
    type Disc<P: Packet + Copy> = PidRed<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> PidRed<P> {
        PidRed::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let mut table = resolved_of::<Params>(&self.red(), setting);
        if self.target.is_none() {
            let target = match self.unit {
                crate::fifo::Unit::Packets => Amount::Packets(self.target(setting)),
                crate::fifo::Unit::Bytes => Amount::Bytes(self.target(setting)),
            };
            table.push(("target".into(), target.show()));
        }
        table
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.red().check_in(setting, problems);
    }
}

/// State of a PID-RED queue.
#[derive(Clone, Debug)]
pub struct PidRed<P> {
    red: Red<P>,
    params: Valid<Params>,
    target: f64,
    /// The errors of the last interval and the one before.
    errors: [f64; 2],
    next: Time,
}

impl<P: Packet + Copy> PidRed<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> PidRed<P> {
        let red = params.red();
        PidRed {
            red: Red::linear(&red, setting),
            target: params.target(setting),
            errors: [0.0; 2],
            next: Time::ZERO + params.interval,
            params: params.clone(),
        }
    }

    /// One step of the controller.
    fn adapt(&mut self, avg: f64) {
        let error = avg / self.target - 1.0;
        let [last, before] = self.errors;
        let Params { k_p, k_i, k_d, bottom, top, .. } = *self.params;
        let change = k_p * (error - last) + k_i * error + k_d * (error - 2.0 * last + before);
        let max_p = (self.red.curve().max_p() + change).clamp(bottom, top);
        self.red.curve_mut().set_max_p(max_p, true);
        self.errors = [error, last];
    }
}

impl<P: Packet + Copy> QueueDisc<P> for PidRed<P> {
    as_periodic_red!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    #[test]
    fn three_steps_by_hand() {
        // Thresholds 5 and 15: target 10.
        let rows = [("k_p", "0.1"), ("k_i", "0.02"), ("k_d", "0.04")];
        let mut queue: PidRed<Pkt> = PidRed::new(&params(&rows), &SETTING);
        let mut max_p = |avg: f64| {
            queue.adapt(avg);
            queue.red.curve().max_p()
        };
        // Error 0.5: 0.1 + 0.05 + 0.01 + 0.02.
        assert!((max_p(15.0) - 0.18).abs() < 1e-12);
        // Again 0.5: no change of it, 0.01 from the sum, and the change falls by 0.5: -0.02.
        assert!((max_p(15.0) - 0.17).abs() < 1e-12);
        // Error -0.5: -0.1 for the change of -1, -0.01 from the sum, -0.04: 0.02.
        assert!((max_p(5.0) - 0.02).abs() < 1e-12);
        assert_eq!(max_p(0.0), 0.01, "the bottom holds");
    }

    #[test]
    fn an_idle_queue_lowers_max_p_to_the_bottom() {
        let mut bench = Bench::new(PidRed::<Pkt>::new(&params(&[]), &SETTING));
        // Error -1: 0.1 - 0.02 - 0.005 - 0.01, then -0.005 + 0.01, then -0.005.
        bench.tick_until(100_000);
        assert!((bench.probe("max_p") - 0.065).abs() < 1e-12);
        bench.tick_until(300_000);
        assert!((bench.probe("max_p") - 0.065).abs() < 1e-12);
        bench.tick_until(10_000_000);
        assert_eq!(bench.probe("max_p"), 0.01);
    }

    #[test]
    fn a_given_target_and_refused_parameters() {
        let of = |rows: &[(&str, &str)]| params::<Params>(rows).target(&SETTING);
        let bytes = [("unit", "bytes"), ("target", "7 pkts")];
        assert_eq!([of(&[]), of(&[("target", "7 pkts")]), of(&bytes)], [10.0, 7.0, 7000.0]);
        assert!(refused::<Params>(&[("bottom", "0.6")])[0].contains("must not exceed top"));
    }
}
