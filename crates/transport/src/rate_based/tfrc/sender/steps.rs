//! The response in steps: the rate rises by one packet per round trip towards the rate of the equation, and
//! falls to it at once.
//!
//! *Reference*: Floyd et al. 2000; ns-2.35, as found from its traces.
//! *Units*: rates are bytes of payload a second.

use super::{TfrcSender, TIE};
use units::Time;

impl TfrcSender {
    /// Applies a report with `response = "steps"`.
    pub(super) fn step(&mut self, now: Time, x_recv: f64) {
        let known = if self.round > 1 { x_recv } else { 0.0 };
        let received = self.bound * known;
        if self.slow_start && self.p > 0.0 && self.counters.reports > 1 {
            self.slow_start = false;
            self.x = self.x_calc;
            self.x_rising = self.x;
        } else if self.slow_start {
            self.rise_slowly(now, 2.0 * known);
        } else if self.x_calc > self.x {
            let rounds = self.changed.map_or(0.0, |at| now.secs_since(at) / self.r()).min(2.0);
            let most = received.max(self.s / self.r()).min(self.x_calc);
            self.x = (self.x + self.s / self.r() * rounds).min(most);
            self.heavy = 0;
            self.changed = Some(now);
        } else {
            self.x = self.x_calc;
            let most = received.max(self.s / self.r());
            self.heavy = if self.x > most { self.heavy + 1 } else { 0 };
            if self.heavy > self.params.heavy_rounds {
                self.x = self.x.min(most);
            }
            self.changed = Some(now);
        }
    }

    /// Slow start with `response = "steps"`: the rate of RFC 3390 until two reports have arrived (one gives
    /// no rate yet); then doubles once per round trip, up to `most`; half of that once above it.
    fn rise_slowly(&mut self, now: Time, most: f64) {
        let settling = if self.params.initial_rate.packets(self.s) > 1.0 { 2 } else { 1 };
        if self.round <= settling || self.counters.reports == 1 {
            self.x_rising = self.x;
            self.x = self.x.max(self.initial());
            self.rise = self.packet_rise();
            self.changed = Some(now);
        } else if self.x <= most * (1.0 + TIE) {
            if self.changed.is_none_or(|at| now.secs_since(at) > self.r()) {
                self.x_rising = self.x;
                self.x = (2.0 * self.x).min(most);
                self.rise = self.packet_rise();
                self.changed = Some(now);
            }
        } else {
            self.x = most / 2.0;
            self.x_rising = self.x;
            self.rise = 0.0;
            self.changed = Some(now);
        }
    }

    /// Increase per packet, so that a round trip of them reaches the rate.
    fn packet_rise(&self) -> f64 {
        (self.x - self.x_rising) / (self.x * self.r() / self.s)
    }
}
