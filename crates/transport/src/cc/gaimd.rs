//! GAIMD: general additive increase, multiplicative decrease.
//!
//! *Reference*: YL00.
//! *Units*: windows in segments; `alpha` segments per round trip.
//! *Deviations*: a timeout leaves the same share in ssthresh as a loss.
//!
//! TCP-friendly if `alpha = 4 (1 - beta^2) / 3` (with timeouts) or `3 (1 - beta) / (1 + beta)` (without).

use super::{credit, slow_start, AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Counting, Params};

/// Grows by `alpha` per round trip, falls to `beta` of the window.
#[derive(Clone, Debug)]
pub struct Gaimd {
    alpha: f64,
    beta: f64,
    ecn_factor: f64,
    counting: Counting,
}

impl Gaimd {
    /// Returns the control with the numbers of `params`.
    pub fn new(params: &Params) -> Gaimd {
        Gaimd {
            alpha: params.gaimd_alpha,
            beta: params.gaimd_beta,
            ecn_factor: params.ecn_factor.unwrap_or(params.gaimd_beta),
            counting: params.counting,
        }
    }
}

impl Control for Gaimd {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let left = slow_start(window, credit(self.counting, event.acked));
        window.cwnd += self.alpha * f64::from(left) / window.cwnd;
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        let load = event.load_within(window);
        load * if event.cause == Cause::Ecn { self.ecn_factor } else { self.beta }
    }
}
