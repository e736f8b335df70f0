//! Binomial congestion control: increase and decrease by powers of the window.
//!
//! *Reference*: BB01.
//! *Units*: windows in segments.
//! *Deviations*: ssthresh is the window after a loss; a timeout is treated alike.
//!
//! Per round trip `w += alpha / w^k`; at a loss `w -= beta w^l`. k 0, l 1 is AIMD; k = l = 1/2 is SQRT, k 1,
//! l 0 is IIAD. TCP-friendly if `k + l = 1` and alpha is twice beta, for small beta.

use super::{credit, slow_start, AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Counting, Params};
use units::math;

/// Binomial congestion control.
#[derive(Clone, Debug)]
pub struct Binomial {
    k: f64,
    l: f64,
    alpha: f64,
    beta: f64,
    ecn_factor: Option<f64>,
    counting: Counting,
}

impl Binomial {
    /// Returns the control with the numbers of `params`.
    pub fn new(params: &Params) -> Binomial {
        Binomial {
            k: params.binomial_k,
            l: params.binomial_l,
            alpha: params.binomial_alpha,
            beta: params.binomial_beta,
            ecn_factor: params.ecn_factor,
            counting: params.counting,
        }
    }
}

impl Control for Binomial {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let left = slow_start(window, credit(self.counting, event.acked));
        if left > 0 {
            window.cwnd += self.alpha * f64::from(left) / math::pow(window.cwnd, self.k + 1.0);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        let load = event.load_within(window);
        match (event.cause, self.ecn_factor) {
            (Cause::Ecn, Some(factor)) => load * factor,
            _ => load - self.beta * math::pow(load, self.l),
        }
    }
}
