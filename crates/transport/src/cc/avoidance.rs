//! Growth by a rate: a number of segments per acknowledged window, in the unit that the `counting` option names.
//!
//! *Units*: windows in segments; a rate of 1 is Reno's.
//! *Deviations*: with `counting = "whole"` the window grows by whole segments, as in Linux.

use super::{credit, slow_start, AckEvent, CongestionEvent, Window};
use crate::params::{Counting, Params};

/// Growth of a window with ACKs.
#[derive(Clone, Debug)]
pub(super) struct Avoidance {
    counting: Counting,
    /// Growth earned and not yet added (`whole`), in segments times the window.
    credits: f64,
}

impl Avoidance {
    pub(super) fn new(params: &Params) -> Avoidance {
        Avoidance { counting: params.counting, credits: 0.0 }
    }

    /// Whether the window counts whole segments.
    pub(super) fn is_whole(&self) -> bool {
        self.counting == Counting::Whole
    }

    /// Segments that the ACK counts for.
    pub(super) fn credit(&self, event: &AckEvent) -> u32 {
        credit(self.counting, event.acked)
    }

    /// Slow start; returns the segments left for congestion avoidance.
    pub(super) fn start(&self, window: &mut Window, event: &AckEvent) -> u32 {
        slow_start(window, self.credit(event))
    }

    /// Congestion avoidance: `rate` segments per acknowledged window.
    pub(super) fn grow(&mut self, window: &mut Window, acked: u32, rate: f64) {
        let earned = rate * f64::from(acked);
        if !self.is_whole() {
            window.cwnd += earned / window.cwnd;
            return;
        }
        self.credits += earned;
        let cwnd = window.cwnd.max(1.0);
        let grown = (self.credits / cwnd).floor();
        self.credits -= grown * cwnd;
        window.cwnd += grown;
    }

    /// As `grow`, but with `counting = "whole"` the credit left after growth is discarded (Linux's Illinois), and with
    /// `lags` an ACK that finds enough earned adds one segment and earns nothing itself (Linux's H-TCP).
    pub(super) fn grow_and_forget(&mut self, window: &mut Window, acked: u32, rate: f64, lags: bool) {
        if !self.is_whole() {
            return self.grow(window, acked, rate);
        }
        if !lags {
            self.credits += f64::from(acked);
        }
        let grown = (self.credits * rate / window.cwnd.max(1.0)).floor();
        if grown >= 1.0 {
            self.credits = 0.0;
            window.cwnd += if lags { 1.0 } else { grown };
        } else if lags {
            self.credits += f64::from(acked);
        }
    }

    /// Whether a window of segments was counted before this ACK, which then counts none itself: the count starts again.
    pub(super) fn counts_window(&mut self, window: &Window, acked: u32) -> bool {
        let full = self.credits >= window.cwnd;
        self.credits = if full { 0.0 } else { self.credits + f64::from(acked) };
        full
    }

    /// Resets the credit for growth, because the window was reduced.
    pub(super) fn reset(&mut self) {
        self.credits = 0.0;
    }
}

/// The share `loss` of the window, or that of `ecn_factor` after an ECN echo.
pub(super) fn reduced(window: &Window, event: &CongestionEvent, loss: f64) -> f64 {
    let share = match event.cause {
        super::Cause::Ecn => event.ecn_factor.unwrap_or(loss),
        _ => loss,
    };
    event.load_within(window) * share
}

/// As `reduced`, but the share `cut` that a loss takes counts whole segments, as in Linux: half of five leaves three.
pub(super) fn reduced_by_whole(window: &Window, event: &CongestionEvent, cut: f64) -> f64 {
    if event.cause == super::Cause::Ecn && event.ecn_factor.is_some() {
        return reduced(window, event, 1.0 - cut);
    }
    let load = event.load_within(window);
    load - (load * cut).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rate 3 in a window of 8: one ACKed segment adds 3/8; in whole segments the third makes 9 of 8, one and a
    /// credit of 1.
    #[test]
    fn a_rate_is_per_window() {
        let mut window = Window { cwnd: 8.0, ssthresh: 2.0 };
        let mut real = Avoidance::new(&Params::default());
        real.grow(&mut window, 1, 3.0);
        assert_eq!(window.cwnd, 8.375);
        let mut whole = Avoidance::new(&Params { counting: Counting::Whole, ..Params::default() });
        window.cwnd = 8.0;
        whole.grow(&mut window, 2, 3.0);
        assert_eq!(window.cwnd, 8.0);
        whole.grow(&mut window, 1, 3.0);
        assert_eq!((window.cwnd, whole.credits), (9.0, 1.0));
    }

    /// Rate 3 in a window of 8: four segments earn 12 of 8, one, and the rest is forgotten. With a lag two ACKs of two
    /// earn that and the third spends it.
    #[test]
    fn remaining_credits_may_be_forgotten() {
        let params = Params { counting: Counting::Whole, ..Params::default() };
        let mut window = Window { cwnd: 8.0, ssthresh: 2.0 };
        let mut cc = Avoidance::new(&params);
        cc.grow_and_forget(&mut window, 4, 3.0, false);
        assert_eq!((window.cwnd, cc.credits), (9.0, 0.0));
        window.cwnd = 8.0;
        let grown = [2, 2, 2].map(|acked| {
            cc.grow_and_forget(&mut window, acked, 3.0, true);
            window.cwnd
        });
        assert_eq!((grown, cc.credits), ([8.0, 8.0, 9.0], 0.0));
    }
}
