//! What programs do in different ways that are called BBR.
//!
//! *Reference*: CCHJ17; Linux and ns-3.37 by their output (see `docs/transports/bbr.md`).

use super::super::windowed::{ThreeMax, WindowedMax};
use crate::params::{BbrExit, BbrFilter, BbrQuantum, BbrRule, Params, ShownRtt};

/// The greatest bandwidth of the last rounds.
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

/// Whose BBR it is, habit by habit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    pub(super) linux: bool,
    /// In startup: 2/ln 2 is the least gain that doubles the rate each round.
    pub(super) high_gain: f64,
    /// One segment is a quantum at any rate.
    pub(super) single: bool,
    /// A recovery begins a round.
    pub(super) recovery_round: bool,
    /// Losses leave the window with any acknowledgement.
    pub(super) lost_at_once: bool,
    /// Bits in a segment, where rates are whole bits a second.
    pub(super) whole: Option<f64>,
    /// A recovery leaves the slow start threshold.
    pub(super) exits_at_ssthresh: bool,
    /// Segments more in the phase up.
    pub(super) probe: f64,
    /// The first phase of a cycle.
    pub(super) phase: Option<usize>,
    /// The round trip of the handshake counts.
    pub(super) counts_handshake: bool,
}

impl Habits {
    pub(super) fn new(params: &Params) -> Habits {
        let linux = params.bbr_rule == BbrRule::Linux;
        Habits {
            linux,
            high_gain: params.bbr_gain,
            single: params.bbr_quantum == BbrQuantum::Segment,
            recovery_round: params.bbr_recovery_round,
            lost_at_once: params.bbr_lost_at_once,
            whole: params.rate_whole.then_some(params.mss.0 as f64 * 8.0),
            exits_at_ssthresh: params.bbr_exit == BbrExit::Ssthresh,
            probe: if linux { 2.0 } else { params.bbr_probe as f64 },
            phase: params.bbr_phase.map(|phase| phase as usize),
            counts_handshake: linux || params.shown_rtt == ShownRtt::Smoothed,
        }
    }
}
