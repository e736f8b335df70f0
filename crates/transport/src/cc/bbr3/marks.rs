//! Response to ECN marks, if the option asks for it (`bbr3_ecn`).
//!
//! *Reference*: none of the IETF: CSB25 leaves it to further work. Built from the talks on versions 2 and 3 at the
//! IETF and from the behaviour of Google's branch of Linux.
//! *Units*: segments.
//! *Deviations*: a round without marks stands for that branch's state of no reduction.

use super::{Bbr3, Bbr3State, BETA};
use crate::cc::Window;
use crate::params::Bbr3Params;
use crate::rate::Sample;
use std::collections::VecDeque;
use units::Stream;

/// Rounds in a row with too many marks that end startup.
const STARTUP_ROUNDS: u32 = 2;

/// Marks of a connection, as DCTCP counts them.
#[derive(Clone, Debug)]
pub(super) struct EcnMarks {
    options: Bbr3Params,
    /// The minimum RTT was short enough once.
    eligible: bool,
    /// Mean share of marked segments per round.
    alpha: f64,
    /// Marks since the short-term bounds were last adapted.
    in_round: bool,
    /// Marks and losses since the last probe ended.
    in_cycle: bool,
    loss_in_cycle: bool,
    /// A round has ended without marks.
    quiet: bool,
    /// Marks of the present ACK, and of the ACKs since the round began.
    pending: u32,
    marked: u32,
    /// Segments delivered when the round began.
    delivered: u32,
    /// Marks of recent ACKs with the segments delivered by then, and their sum.
    recent: VecDeque<(u32, u32)>,
    within: u32,
    startup_rounds: u32,
}

impl EcnMarks {
    pub(super) fn new(options: &Bbr3Params) -> EcnMarks {
        EcnMarks {
            options: options.clone(),
            eligible: false,
            alpha: 1.0,
            in_round: false,
            in_cycle: false,
            loss_in_cycle: false,
            quiet: false,
            pending: 0,
            marked: 0,
            delivered: 0,
            recent: VecDeque::new(),
            within: 0,
            startup_rounds: 0,
        }
    }

    /// Takes the marks that an ACK reports.
    pub(super) fn see(&mut self, marked: u32) {
        self.pending += marked;
    }

    /// Sums the marks since the sampled segment was sent.
    fn sum(&mut self, sample: &Sample) {
        let marked = std::mem::take(&mut self.pending);
        if marked > 0 {
            self.recent.push_back((sample.total_delivered, marked));
            self.within += marked;
            self.marked += marked;
            self.in_round |= self.eligible;
            self.in_cycle |= self.eligible;
        }
        while let Some((_, old)) = self.recent.front().filter(|(at, _)| *at <= sample.prior_delivered) {
            self.within -= old;
            self.recent.pop_front();
        }
        self.loss_in_cycle |= sample.newly_lost > 0;
    }

    /// Share of marks in the round that ends, which moves alpha.
    fn end_round(&mut self, sample: &Sample) -> f64 {
        let delivered =
            sample.total_delivered - std::mem::replace(&mut self.delivered, sample.total_delivered);
        let marked = std::mem::take(&mut self.marked);
        let share = (f64::from(marked) / f64::from(delivered.max(1))).min(1.0);
        let gain = self.options.bbr3_ecn_gain;
        if self.eligible {
            self.alpha = (1.0 - gain) * self.alpha + gain * share;
        }
        self.quiet = marked == 0;
        share
    }

    /// Share of the short-term bound that the marks since the last call leave; `None` without marks.
    pub(super) fn take_left(&mut self) -> Option<f64> {
        std::mem::take(&mut self.in_round).then_some(1.0 - self.options.bbr3_ecn_factor * self.alpha)
    }

    /// Whether too many segments of a sample are marked.
    pub(super) fn are_too_many(&self, sample: &Sample) -> bool {
        self.eligible && f64::from(self.within) > self.options.bbr3_ecn_thresh * f64::from(sample.delivered)
    }

    /// Forgets the marks and losses of a cycle.
    pub(super) fn restart_cycle(&mut self) {
        (self.in_round, self.in_cycle, self.loss_in_cycle) = (false, false, false);
    }
}

impl Bbr3 {
    /// Takes the marks of a sample; at the end of a round, their share.
    pub(super) fn update_marks(&mut self, sample: &Sample) {
        let Some(marks) = &mut self.marks else { return };
        let most = marks.options.bbr3_ecn_max_rtt;
        let short = self.min_rtt.is_some_and(|least| most.0 == 0 || least <= most);
        marks.eligible |= short;
        marks.sum(sample);
        if !self.round_start {
            return;
        }
        let share = marks.end_round(sample);
        if self.full_bw_reached || self.state != Bbr3State::Startup || !marks.eligible {
            return;
        }
        let too_many = share >= marks.options.bbr3_ecn_thresh;
        marks.startup_rounds = if too_many { marks.startup_rounds + 1 } else { 0 };
        if marks.startup_rounds >= STARTUP_ROUNDS {
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp(self.max_bw.get(), 1.0).max(self.inflight_latest);
        }
    }

    /// A probe met too many marks: its flight is the long-term bound. Returns whether it did.
    pub(super) fn end_marked_probe(&mut self, window: &Window, sample: &Sample, rng: &mut Stream) -> bool {
        let too_many = self.marks.as_ref().is_some_and(|marks| marks.are_too_many(sample));
        if too_many && self.bw_probe_samples {
            self.bw_probe_samples = false;
            if !sample.app_limited {
                let least = self.target_inflight(window) * BETA;
                self.inflight_longterm = f64::from(sample.tx_in_flight).max(least);
            }
            if self.state == Bbr3State::Up {
                self.start_down(sample, rng);
            }
        }
        too_many
    }

    /// Rounds of doubling with which to probe again at once: marks without losses in this cycle have ceased.
    pub(super) fn reprobe(&self, sample: &Sample) -> Option<u32> {
        let marks = self.marks.as_ref()?;
        let ceased = marks.in_cycle && marks.quiet && !marks.loss_in_cycle && !sample.recovering;
        let growth = self.inflight_longterm * marks.options.bbr3_ecn_reprobe;
        (ceased && growth.is_finite() && growth >= 1.0).then(|| (growth as u32).ilog2())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{sample, steady};
    use super::super::AckPhase;
    use super::*;
    use crate::cc::Control as _;
    use units::{Span, Time};

    /// A flow with a BDP of 100 that cruises, with marks of any RTT.
    fn cruising() -> (Bbr3, Window, Stream) {
        let (mut cc, window, rng) = steady();
        let options = Bbr3Params { bbr3_ecn_max_rtt: Span::ZERO, ..Bbr3Params::default() };
        let marks = EcnMarks { delivered: 500, eligible: true, ..EcnMarks::new(&options) };
        cc.marks = Some(Box::new(marks));
        cc.state = Bbr3State::Cruise;
        cc.cycle_at = Time(500_000_000);
        cc.reset_full_bw();
        (cc, window, rng)
    }

    fn marks(cc: &mut Bbr3) -> &mut EcnMarks {
        cc.marks.as_mut().expect("counts marks")
    }

    /// Half of the 100 segments of a round are marked: alpha falls from 1 to 15/16 + 1/32 = 31/32, and the round takes a
    /// third of that: 1 - 31/96 of the window is left. The bandwidth stays.
    #[test]
    fn marks_lower_the_short_term_bound() {
        let (mut cc, mut window, mut rng) = cruising();
        marks(&mut cc).see(50);
        let before = window.cwnd;
        cc.on_sample(&mut window, &sample(600, 100, 600, 500, 1000.0), &mut rng);
        assert_eq!(marks(&mut cc).alpha, 31.0 / 32.0);
        assert!((cc.inflight_shortterm / before - (1.0 - 31.0 / 96.0)).abs() < 1e-12);
        assert_eq!((cc.bw_shortterm, cc.bw), (f64::INFINITY, 1000.0));
    }

    /// Of 100 segments since the sampled one was sent more than 50 must be marked to end a probe; its flight of 100 is
    /// the bound.
    #[test]
    fn marks_end_a_probe() {
        for (marked, ends) in [(50, false), (51, true)] {
            let (mut cc, mut window, mut rng) = cruising();
            (cc.state, cc.ack_phase, cc.bw_probe_samples) = (Bbr3State::Up, AckPhase::Feedback, true);
            marks(&mut cc).see(marked);
            cc.on_sample(&mut window, &sample(600, 100, 600, 500, 1000.0), &mut rng);
            assert_eq!(cc.inflight_longterm == 100.0, ends);
            assert_eq!(cc.state == Bbr3State::Up, !ends);
        }
    }

    /// Two rounds in a row in which half is marked end startup.
    #[test]
    fn marks_end_startup() {
        let (mut cc, mut window, mut rng) = cruising();
        (cc.state, cc.full_bw_reached) = (Bbr3State::Startup, false);
        for round in 0..2u32 {
            assert!(!cc.full_bw_reached);
            marks(&mut cc).see(50);
            let delivered = 600 + 100 * round;
            let grown = sample(600, 100, delivered, delivered - 100, 2000.0 * f64::from(1 + round));
            cc.on_sample(&mut window, &grown, &mut rng);
        }
        assert!(cc.full_bw_reached && cc.inflight_longterm.is_finite());
    }

    /// Marks without losses that have ceased for a round: the next probe adds half of the long-term bound of 100, as a
    /// power of two: 32.
    #[test]
    fn a_probe_follows_the_last_mark() {
        let (mut cc, mut window, mut rng) = cruising();
        cc.inflight_longterm = 100.0;
        marks(&mut cc).see(10);
        cc.on_sample(&mut window, &sample(600, 100, 600, 500, 1000.0), &mut rng);
        assert_eq!(cc.state, Bbr3State::Cruise);
        cc.on_sample(&mut window, &sample(700, 100, 700, 600, 1000.0), &mut rng);
        assert_eq!((cc.state, cc.probe_up_rounds), (Bbr3State::Refill, 5));
    }

    /// A minimum RTT of 100 ms is above the bound of 5 ms: marks count for nothing.
    #[test]
    fn marks_of_a_long_path_are_ignored() {
        let (mut cc, mut window, mut rng) = cruising();
        cc.marks = Some(Box::new(EcnMarks::new(&Bbr3Params::default())));
        marks(&mut cc).see(100);
        cc.on_sample(&mut window, &sample(600, 100, 600, 500, 1000.0), &mut rng);
        assert_eq!((cc.inflight_shortterm, marks(&mut cc).alpha), (f64::INFINITY, 1.0));
    }
}
