//! BBR's window during loss recovery.
//!
//! *Reference*: CCHJ17 sections 4.2.3.2 and 4.2.3.4; ns-3.37 by its output (see `docs/transports/bbr.md`).

use super::{Bbr, BbrRecovery, BbrState, MIN_WINDOW};
use crate::cc::Window;
use crate::rate::Sample;
use units::math;

impl Bbr {
    /// Starts a recovery. If it starts no round, conservation may end with the present round.
    pub(super) fn begin_recovery(&mut self, window: &mut Window, sample: &Sample) {
        if self.options.recovery_round || !sample.recovering || self.recovery == BbrRecovery::Fast {
            return;
        }
        self.conserving = true;
        self.recovery = BbrRecovery::Fast;
        // Without SACK the duplicate that starts it still counts as in flight.
        let flight = sample.in_flight + u32::from(!sample.selective);
        window.cwnd = f64::from(flight + sample.newly_acked.max(1));
    }

    /// CCHJ17 section 4.2.3.4: losses are subtracted at once; the first round of a recovery conserves
    /// packets.
    fn modulate_for_recovery(&mut self, window: &mut Window, sample: &Sample) -> bool {
        let acked = f64::from(sample.newly_acked);
        let flight = f64::from(sample.in_flight);
        let now = match (sample.recovering, sample.timed_out) {
            (true, _) => BbrRecovery::Fast,
            (_, true) => BbrRecovery::Timeout,
            _ => BbrRecovery::None,
        };
        let counts = self.options.lost_at_once || (sample.recovering && sample.newly_acked > 0);
        if sample.newly_lost > 0 && counts {
            window.cwnd = (window.cwnd - f64::from(sample.newly_lost)).max(1.0);
        }
        if now == BbrRecovery::Fast && self.recovery != BbrRecovery::Fast {
            self.conserving = true;
            self.next_round_delivered = sample.total_delivered;
            window.cwnd = flight + acked.max(1.0);
        } else if now == BbrRecovery::None && self.recovery != BbrRecovery::None {
            self.conserving = false;
            self.restore(window);
            if self.options.exits_at_ssthresh && self.recovery == BbrRecovery::Fast {
                window.cwnd = window.ssthresh;
            }
        }
        self.recovery = now;
        if self.conserving && (self.options.lost_at_once || sample.newly_acked > 0) {
            window.cwnd = math::larger(window.cwnd, flight + acked);
        }
        self.conserving
    }

    pub(super) fn set_window(&mut self, window: &mut Window, sample: &Sample) {
        let acked = f64::from(sample.newly_acked);
        if !self.modulate_for_recovery(window, sample) && acked > 0.0 {
            let target = self.inflight_of(self.followed(), self.cwnd_gain) + self.allowance();
            if self.filled && window.cwnd.is_infinite() {
                // The sum overflows.
                window.cwnd = 0.0;
            } else if self.filled {
                window.cwnd = math::smaller(window.cwnd + acked, target);
            } else if window.cwnd < target || f64::from(sample.total_delivered) < self.initial_window {
                window.cwnd += acked;
            }
            window.cwnd = math::larger(window.cwnd, MIN_WINDOW);
        }
        if self.state == BbrState::ProbeRtt {
            window.cwnd = window.cwnd.min(MIN_WINDOW);
        }
    }
}
