//! Long-term bandwidth: if many segments are lost in interval after interval at a constant delivery rate, a
//! policer is assumed, and BBR stops probing for more.
//!
//! *Reference*: Linux by its output: under a loss of 1/6 the bandwidth that `ss` shows is constant to the bit
//! for 48 rounds while no phase of the cycle changes the pacing rate (`docs/transports/bbr.md`).
//! *Units*: segments, segments per second.
//! *Deviations*: rates are not rounded.

use super::{Bbr, BbrState};
use crate::rate::Sample;
use units::{Stream, Time};

/// Minimum rounds of an interval; after four times as many it is discarded.
const LEAST_ROUNDS: u32 = 4;
/// Minimum share of losses in an interval: 50/256.
const LOSS_SHARE: f64 = 50.0 / 256.0;
/// Two consecutive intervals agree if their rates differ by at most an eighth, or by this in bits per second.
const SAME_SHARE: f64 = 0.125;
const SAME_BITS: f64 = 4000.0;
/// Rounds for which the rate is used.
const KEPT_ROUNDS: u32 = 48;

/// State of the long-term bandwidth estimate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LongTerm {
    sampling: bool,
    in_use: bool,
    /// Rate of the last interval; 0: none yet.
    bandwidth: f64,
    rounds: u32,
    /// Start of the interval, and deliveries and losses by then.
    since: Time,
    delivered: u32,
    lost: u32,
}

impl LongTerm {
    fn begin(&mut self, sample: &Sample) {
        self.rounds = 0;
        (self.since, self.delivered, self.lost) = (sample.now, sample.total_delivered, sample.total_lost);
    }

    fn forget(&mut self) {
        *self = LongTerm::default();
    }

    /// The long-term rate, if one is in use.
    pub(super) fn rate(&self) -> Option<f64> {
        self.in_use.then_some(self.bandwidth)
    }

    /// Takes a sample; returns whether a rate in use is given up.
    fn update(&mut self, sample: &Sample, round_start: bool, cruising: bool, segment_bits: f64) -> bool {
        if self.in_use {
            self.rounds += u32::from(round_start && cruising);
            let over = self.rounds >= KEPT_ROUNDS;
            if over {
                self.forget();
            }
            return over;
        }
        if !self.sampling {
            if sample.newly_lost == 0 {
                return false;
            }
            self.begin(sample);
            self.sampling = true;
        }
        if sample.app_limited {
            self.forget();
            return false;
        }
        self.rounds += u32::from(round_start);
        if self.rounds > 4 * LEAST_ROUNDS {
            self.forget();
        } else if self.rounds >= LEAST_ROUNDS && sample.newly_lost > 0 {
            self.end_if_lossy(sample, segment_bits);
        }
        false
    }

    /// Ends the interval with a loss, if enough was lost in it.
    fn end_if_lossy(&mut self, sample: &Sample, segment_bits: f64) {
        let lost = f64::from(sample.total_lost - self.lost);
        let delivered = f64::from(sample.total_delivered - self.delivered);
        let elapsed = sample.now.since(self.since).as_secs();
        if delivered == 0.0 || lost < LOSS_SHARE * delivered || elapsed < 1e-3 {
            return;
        }
        let (rate, before) = (delivered / elapsed, self.bandwidth);
        let apart = (rate - before).abs();
        if before > 0.0 && (apart <= SAME_SHARE * before || apart * segment_bits <= SAME_BITS) {
            self.bandwidth = (rate + before) / 2.0;
            self.in_use = true;
            self.rounds = 0;
        } else {
            self.bandwidth = rate;
            self.begin(sample);
        }
    }
}

impl Bbr {
    /// The bandwidth that pacing and window follow: the largest of recent rounds, or the long-term one.
    pub(super) fn followed(&self) -> f64 {
        self.long_term.as_ref().and_then(LongTerm::rate).unwrap_or_else(|| self.bandwidth.get())
    }

    /// Whether the cycle's gains are suspended.
    pub(super) fn policed(&self) -> bool {
        self.long_term.as_ref().is_some_and(|seen| seen.in_use)
    }

    /// Looks for a long-term bandwidth, or gives one up and restarts the cycle.
    pub(super) fn detect_policer(&mut self, sample: &Sample, rng: &mut Stream) {
        let cruising = self.state == BbrState::ProbeBw;
        let Some(seen) = &mut self.long_term else { return };
        if seen.update(sample, self.round_start, cruising, self.segment_bits) {
            self.enter_probe_bw(sample.now, rng);
        } else if seen.in_use && cruising {
            self.pacing_gain = 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::bbr::tests::sample;

    /// 100 segments/s in rounds of 100 ms, each of which loses `lost` of ten at its end; returns the state
    /// after this many rounds.
    fn after(rounds: u32, lost: u32) -> LongTerm {
        let mut seen = LongTerm::default();
        for round in 0..=rounds {
            let said = Sample {
                newly_lost: lost,
                total_lost: lost * (round + 1),
                ..sample(100 * u64::from(round), 10, 10 * round, 0, 100.0)
            };
            seen.update(&said, round > 0, true, 12_000.0);
        }
        seen
    }

    /// Two of ten lost exceed 50/256: four rounds make an interval, eight make two that agree.
    #[test]
    fn two_intervals_alike_are_a_policer() {
        assert_eq!(after(7, 2).rate(), None);
        assert_eq!(after(8, 2).rate(), Some(100.0));
        assert_eq!(after(8, 1).rate(), None);
    }

    /// Sixteen rounds with few losses discard the interval.
    #[test]
    fn an_interval_without_an_end_is_forgotten() {
        let seen = after(17, 1);
        assert!(!seen.sampling);
    }

    /// 48 rounds of the cycle, then the rate is given up; rounds of ProbeRTT do not count.
    #[test]
    fn a_rate_is_kept_for_48_rounds() {
        let mut seen = after(8, 2);
        let lossless = sample(2000, 10, 200, 0, 150.0);
        assert!(!seen.update(&lossless, true, false, 12_000.0));
        let given_up: Vec<u32> = (1..=48).filter(|_| seen.update(&lossless, true, true, 12_000.0)).collect();
        assert_eq!(given_up, [48]);
        assert_eq!(seen.rate(), None);
    }

    /// 100/s and 112/s differ by less than an eighth: their mean is used. 100 and 113 do not agree, unless 13
    /// segments are few bits.
    #[test]
    fn alike_means_an_eighth_or_four_kilobits() {
        for (second, bits, kept) in
            [(112, 12_000.0, Some(106.0)), (113, 12_000.0, None), (113, 300.0, Some(106.5))]
        {
            let mut seen = LongTerm { sampling: true, bandwidth: 100.0, rounds: 4, ..LongTerm::default() };
            let said = Sample { newly_lost: 1, total_lost: 50, ..sample(1000, second, second, 0, 100.0) };
            seen.update(&said, false, true, bits);
            assert_eq!(seen.rate(), kept);
        }
    }

    #[test]
    fn nothing_counts_within_a_millisecond() {
        let mut seen = LongTerm { sampling: true, rounds: 4, ..LongTerm::default() };
        let said =
            Sample { now: Time(999_999), newly_lost: 1, total_lost: 50, ..sample(0, 100, 100, 0, 100.0) };
        seen.update(&said, false, true, 12_000.0);
        assert_eq!((seen.bandwidth, seen.rounds), (0.0, 4));
    }

    #[test]
    fn a_rate_in_use_suspends_the_gains_of_the_cycle() {
        let mut cc = Bbr::new(&crate::params::Params::default());
        cc.long_term = Some(LongTerm { in_use: true, bandwidth: 100.0, ..LongTerm::default() });
        for step in 0..8 {
            cc.advance_cycle(Time(step));
            assert_eq!(cc.pacing_gain, 1.0);
        }
    }
}
