//! Differences between the implementations called BBR.
//!
//! *Reference*: CCHJ17; Linux and ns-3.37 by their output (see `docs/transports/bbr.md`).

use super::super::windowed::{ThreeMax, WindowedMax};
use crate::params::{BbrExit, BbrFilter, BbrQuantum, BbrRule, Params, ShownRtt};

/// Filter for the largest bandwidth of recent rounds.
#[derive(Clone, Debug)]
pub(super) enum Filter {
    Exact(WindowedMax),
    Three(ThreeMax),
}

impl Filter {
    pub(super) fn new(params: &Params) -> Filter {
        match params.bbr_filter {
            BbrFilter::Exact => Filter::Exact(WindowedMax::default()),
            BbrFilter::Three => Filter::Three(ThreeMax::default()),
        }
    }

    pub(super) fn update(&mut self, round: u32, rate: f64, rounds: u32) {
        match self {
            Filter::Exact(max) => max.update(round, rate, rounds),
            Filter::Three(max) => max.update(round, rate, rounds),
        }
    }

    pub(super) fn get(&self) -> f64 {
        match self {
            Filter::Exact(max) => max.get(),
            Filter::Three(max) => max.get(),
        }
    }
}

/// Options of one implementation.
#[derive(Clone, Copy, Debug)]
pub(super) struct BbrOptions {
    pub(super) linux: bool,
    /// Gain in startup: 2/ln 2 is the smallest that doubles the rate each round.
    pub(super) high_gain: f64,
    /// The quantum is one segment at any rate.
    pub(super) single: bool,
    /// A recovery starts a round.
    pub(super) recovery_round: bool,
    /// Losses are subtracted from the window with any ACK.
    pub(super) lost_at_once: bool,
    /// Bits per segment, if rates are whole bits per second.
    pub(super) whole: Option<f64>,
    /// A recovery ends at ssthresh.
    pub(super) exits_at_ssthresh: bool,
    /// Segments added in the up phase.
    pub(super) probe: f64,
    /// First phase of a cycle.
    pub(super) phase: Option<u8>,
    /// The RTT of the handshake counts.
    pub(super) counts_handshake: bool,
}

impl BbrOptions {
    pub(super) fn new(params: &Params) -> BbrOptions {
        let linux = params.bbr_rule == BbrRule::Linux;
        BbrOptions {
            linux,
            high_gain: params.bbr_gain,
            single: params.bbr_quantum == BbrQuantum::Segment,
            recovery_round: params.bbr_recovery_round,
            lost_at_once: params.bbr_lost_at_once,
            whole: params.rate_whole.then_some(params.mss.0 as f64 * 8.0),
            exits_at_ssthresh: params.bbr_exit == BbrExit::Ssthresh,
            probe: if linux { 2.0 } else { params.bbr_probe as f64 },
            phase: params.bbr_phase.map(|phase| phase as u8),
            counts_handshake: linux || params.shown_rtt == ShownRtt::Smoothed,
        }
    }
}
