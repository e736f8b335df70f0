//! LEDBAT++: LEDBAT that also yields to its own kind and to Reno on short queues, and measures its base delay
//! repeatedly.
//!
//! *Reference*: draft-irtf-iccrg-ledbat-plus-plus-01, sections 4.1 to 4.5.
//! *Units*: windows in segments; delays are spans.
//! *Deviations*: ACKs in a recovery change neither window nor filters, those that find the window unused only the
//! filters. A loss ends slow start, also that of a slowdown. A timeout empties the path as a slowdown does: slow start
//! follows, and the pair counts as a slowdown.
//!
//! The gain is `1 / min(16, ceil(2 target / base))`. Below the target a round trip adds the gain; above it, the window
//! falls by `ledbat_pp_constant cwnd (q / target - 1)`, by a half at most. Slow start grows by the gain, too. After it,
//! and then for a tenth of the time, a slowdown holds the window at two segments for two round trips and slow start
//! follows, so that the queue of its own flows drains and the base is seen.

use super::avoidance::reduced;
use super::ledbat::{DelayFilters, MIN_CWND};
use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::Params;
use units::{math, Span, Time};

/// Time between slowdowns, as a multiple of the duration of the last one.
const REST: u64 = 9;

/// Progress of slowdowns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// Slow start of the connection.
    Opening,
    /// Until the next slowdown.
    Running { until: Time },
    /// The window is held at two segments.
    Frozen { since: Time, until: Time },
    /// Slow start back to the window before the slowdown.
    Ramping { since: Time },
}

/// LEDBAT++.
#[derive(Clone, Debug)]
pub struct LedbatPp {
    delays: DelayFilters,
    target: Span,
    constant: f64,
    stage: Stage,
    /// The stage before the last reduction.
    saved: Stage,
}

impl LedbatPp {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> LedbatPp {
        LedbatPp {
            delays: DelayFilters::new(params),
            target: params.ledbat_pp_target,
            constant: params.ledbat_pp_constant,
            stage: Stage::Opening,
            saved: Stage::Opening,
        }
    }

    fn gain(&self, base: Span) -> f64 {
        // The ceiling of x is minus the floor of -x.
        1.0 / (-math::floor(-2.0 * self.target.ratio(base))).clamp(1.0, 16.0)
    }

    /// The stage at an ACK: slowdowns that are due begin, those that are over end.
    fn next_stage(&self, window: &Window, now: Time, rtt: Span) -> Stage {
        match self.stage {
            Stage::Opening if window.cwnd >= window.ssthresh => {
                Stage::Running { until: now + Span(2 * rtt.0) }
            }
            Stage::Running { until } if now >= until => {
                Stage::Frozen { since: now, until: now + Span(2 * rtt.0) }
            }
            Stage::Frozen { until, .. } if now < until => self.stage,
            Stage::Frozen { since, .. } | Stage::Ramping { since } => {
                if window.cwnd < window.ssthresh {
                    Stage::Ramping { since }
                } else {
                    Stage::Running { until: now + Span(REST * now.since(since).0) }
                }
            }
            stage => stage,
        }
    }
}

impl Control for LedbatPp {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let (Some(base), Some(current)) = (self.delays.base(), self.delays.current()) else { return };
        let over = Span(current.0.saturating_sub(base.0)).ratio(self.target);
        let (gain, acked) = (self.gain(base), f64::from(event.acked));
        let before = self.stage;
        self.stage = self.next_stage(window, event.now, current);
        match self.stage {
            Stage::Frozen { .. } => {
                if !matches!(before, Stage::Frozen { .. }) {
                    window.ssthresh = window.cwnd;
                }
                window.cwnd = MIN_CWND;
            }
            Stage::Opening if over > 0.75 => window.ssthresh = window.cwnd,
            Stage::Opening | Stage::Ramping { .. } => {
                window.cwnd = (window.cwnd + gain * acked).min(window.ssthresh);
            }
            Stage::Running { .. } => {
                let change = if over > 1.0 {
                    (gain - self.constant * window.cwnd * (over - 1.0)).max(-window.cwnd / 2.0)
                } else {
                    gain
                };
                window.cwnd = (window.cwnd + change * acked / window.cwnd).max(MIN_CWND);
            }
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        if event.cause == Cause::Timeout && self.stage != Stage::Opening {
            self.stage = Stage::Ramping { since: event.now };
        }
        reduced(window, event, 0.5).max(MIN_CWND).min(window.cwnd)
    }

    fn save_before_reduction(&mut self) {
        self.saved = self.stage;
    }

    fn undo_reduction(&mut self) {
        self.stage = self.saved;
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        self.delays.measure(event);
    }

    fn watches(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::*;

    fn control() -> LedbatPp {
        LedbatPp::new(&Params { ledbat_filter: 1, ..Params::default() })
    }

    fn acknowledge(cc: &mut LedbatPp, window: &mut Window, event: &AckEvent) {
        cc.on_every_ack(event);
        cc.on_ack(window, event);
    }

    /// Base 50 ms, target 60 ms: a gain of 1/3. Two of twelve segments ACKed: + 2/36 up to the target; at a delay of 90
    /// ms (2/12) (1/3 - 12/2), and never more than a half a round trip.
    #[test]
    fn grows_by_the_gain_and_falls_by_the_excess() {
        let late = Time(u64::MAX / 2);
        for (rtt, right) in
            [(110, 12.0 + 2.0 / 36.0), (140, 12.0 + (1.0 / 3.0 - 6.0) / 6.0), (500, 12.0 - 1.0)]
        {
            let mut cc = control();
            cc.stage = Stage::Running { until: late };
            let mut window = Window { cwnd: 12.0, ssthresh: 2.0 };
            acknowledge(&mut cc, &mut window, &ack(0, 2, 9, 21, 50));
            window.cwnd = 12.0;
            acknowledge(&mut cc, &mut window, &ack(0, 2, 9, 21, rtt));
            assert!((window.cwnd - right).abs() < 1e-12, "{rtt} ms: {}", window.cwnd);
        }
    }

    /// The gain lies between 1/16 and one.
    #[test]
    fn the_gain_follows_the_base() {
        let gain = |ms: u64| control().gain(Span::from_millis(ms));
        assert_eq!([1, 50, 120, 400].map(gain), [1.0 / 16.0, 1.0 / 3.0, 1.0, 1.0]);
    }

    /// Slow start until 3/4 of the target; two round trips later two at two segments; back; then nine times as long.
    #[test]
    fn slowdowns_take_a_tenth_of_the_time() {
        let mut cc = control();
        let mut window = Window { cwnd: 4.0, ssthresh: 1e9 };
        let step = |control: &mut LedbatPp, wnd: &mut Window, ms, rtt| {
            acknowledge(control, wnd, &ack(ms, 3, 9, 30, rtt));
            wnd.cwnd
        };
        assert_eq!(step(&mut cc, &mut window, 0, 50), 5.0, "three segments at 1/3");
        assert_eq!((step(&mut cc, &mut window, 100, 100), window.ssthresh), (5.0, 5.0), "50 ms are above 45");
        step(&mut cc, &mut window, 200, 50);
        assert_eq!(cc.stage, Stage::Running { until: Time(300_000_000) });
        window.cwnd = 5.0;
        assert_eq!((step(&mut cc, &mut window, 300, 50), window.ssthresh), (2.0, 5.0));
        assert_eq!(step(&mut cc, &mut window, 399, 50), 2.0);
        assert_eq!(step(&mut cc, &mut window, 400, 50), 3.0);
        assert_eq!(step(&mut cc, &mut window, 450, 50), 4.0);
        assert_eq!(step(&mut cc, &mut window, 480, 50), 5.0);
        step(&mut cc, &mut window, 500, 50);
        assert_eq!(cc.stage, Stage::Running { until: Time(2_300_000_000) }, "200 ms, and nine times as long");
    }

    /// A timeout in avoidance leads to slow start up to half of the window of twelve; if it was spurious, nothing
    /// changed.
    #[test]
    fn a_timeout_starts_slowly() {
        let mut cc = control();
        cc.stage = Stage::Running { until: Time(9_000_000_000) };
        let timeout = CongestionEvent {
            now: Time(1_000_000_000),
            cause: Cause::Timeout,
            load: 12.0,
            flight: 12,
            ecn_factor: None,
        };
        cc.save_before_reduction();
        let left = cc.on_congestion(&Window { cwnd: 12.0, ssthresh: 2.0 }, &timeout);
        assert_eq!(left, 6.0);
        let mut window = Window { cwnd: 1.0, ssthresh: left };
        acknowledge(&mut cc, &mut window, &ack(1_100, 3, 9, 30, 50));
        assert_eq!(window.cwnd, 2.0, "three segments at 1/3");
        cc.undo_reduction();
        assert_eq!(cc.stage, Stage::Running { until: Time(9_000_000_000) });
    }
}
