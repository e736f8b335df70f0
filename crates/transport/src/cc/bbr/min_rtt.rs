//! Minimum RTT filter and ProbeRTT.
//!
//! *Reference*: CCHJ17 sections 4.1 and 4.3.

use super::{Bbr, BbrRecovery, BbrState, MIN_RTT_WINDOW, MIN_WINDOW, PROBE_RTT};
use crate::cc::Window;
use crate::rate::Sample;
use units::Stream;

impl Bbr {
    /// Updates the minimum RTT and the ProbeRTT state. Returns true while samples should count as
    /// application-limited.
    pub(super) fn update_min_rtt(&mut self, window: &mut Window, sample: &Sample, rng: &mut Stream) -> bool {
        let expired = self.min_rtt.is_some() && sample.now > self.min_rtt_at + MIN_RTT_WINDOW;
        if let Some(rtt) = sample.rtt {
            let rtt = self.opened.take().map_or(rtt, |opened| opened.min(rtt));
            let lower = |least| if self.options.linux { rtt < least } else { rtt <= least };
            if expired || self.min_rtt.is_none_or(lower) {
                self.min_rtt = Some(rtt);
                self.min_rtt_at = sample.now;
            }
        }
        if expired && !self.idle_restart && self.state != BbrState::ProbeRtt {
            self.save(window);
            self.state = BbrState::ProbeRtt;
            self.pacing_gain = 1.0;
            self.cwnd_gain = 1.0;
            self.probe_done_at = None;
        }
        let probing = self.state == BbrState::ProbeRtt;
        if probing {
            self.probe_rtt(window, sample, rng);
        }
        self.idle_restart &= sample.newly_acked == 0;
        probing
    }

    pub(super) fn probe_rtt(&mut self, window: &mut Window, sample: &Sample, rng: &mut Stream) {
        let Some(done) = self.probe_done_at else {
            if f64::from(sample.in_flight) <= MIN_WINDOW {
                self.probe_done_at = Some(sample.now + PROBE_RTT);
                self.probe_round_done = false;
                self.next_round_delivered = sample.total_delivered;
            }
            return;
        };
        self.probe_round_done |= self.round_start;
        if self.probe_round_done && sample.now > done {
            self.min_rtt_at = sample.now;
            self.restore(window);
            if self.filled {
                self.enter_probe_bw(sample.now, rng);
            } else {
                self.enter_startup();
            }
        }
    }

    pub(super) fn save(&mut self, window: &Window) {
        let modulated = self.recovery != BbrRecovery::None || self.state == BbrState::ProbeRtt;
        self.prior_cwnd = if modulated { self.prior_cwnd.max(window.cwnd) } else { window.cwnd };
    }

    pub(super) fn restore(&self, window: &mut Window) {
        window.cwnd = window.cwnd.max(self.prior_cwnd);
    }
}
