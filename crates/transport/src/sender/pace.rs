//! Pacing: minimum gaps between segments.
//!
//! *Reference*: CSB25 section 5.6.2; RFC 9002 section 7.7 for a rate from the window (Linux: 2 in slow start,
//! 1.2 after).
//! *Units*: rates in segments per second.
//! *Deviations*: the gap is that of a full segment, also after a short one. Retransmissions forced by a
//! recovery are not delayed, but segments after them are.

use super::timers::Timer;
use super::Sender;
use crate::cc::Control;
use crate::params::Pacing;
use crate::segment::Segment;
use units::{Rng, Span, Time};

/// Pacing state of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    gap: Span,
    /// Segments of a burst, how many of them are left, and the moment of the burst.
    quantum: u32,
    left: u32,
    at: Time,
    /// Delay of the burst behind its schedule, and the share of a gap that may be caught up.
    late: Span,
    credit: f64,
    /// Earliest time of the next segment.
    pub(super) next: Time,
    /// Gap to use after the pending retransmission has left.
    later: Option<Span>,
}

impl Pacer {
    /// `credit`: the share of a gap that a late departure shortens it by.
    pub(crate) fn new(credit: f64) -> Pacer {
        Pacer {
            gap: Span::ZERO,
            quantum: 1,
            left: 0,
            at: Time::ZERO,
            late: Span::ZERO,
            credit,
            next: Time::ZERO,
            later: None,
        }
    }

    /// Sets the rate in segments per second; `None` disables pacing.
    pub(crate) fn set(&mut self, pace: Option<f64>) {
        self.gap = gap_of(pace);
        self.later = None;
    }

    /// Sets the rate to use after the pending retransmission.
    pub(super) fn set_later(&mut self, pace: Option<f64>) {
        self.later = Some(gap_of(pace));
    }

    /// Sets the burst size: segments of a burst leave together, their gaps follow the last.
    pub(crate) fn set_quantum(&mut self, segments: u32) {
        self.quantum = segments.max(1);
    }

    /// Records that a segment leaves.
    pub(crate) fn sent(&mut self, now: Time) {
        if self.left == 0 || now != self.at {
            (self.left, self.at) = (self.quantum, now);
            self.late = now.since(self.next.min(now));
        }
        self.left -= 1;
        let made_up = self.gap.scale(self.credit).min(self.late);
        self.late = self.late - made_up;
        self.next = self.next.max(now) + (self.gap - made_up);
    }

    /// Whether a segment must wait.
    fn must_wait(&self, now: Time) -> bool {
        now < self.next && !(self.left > 0 && now == self.at)
    }
}

fn gap_of(pace: Option<f64>) -> Span {
    pace.map_or(Span::ZERO, |pace| Span::from_secs(1.0 / pace.max(1e-3)))
}

impl Sender {
    /// Whether a segment that the window allows may leave now; if not, arms a timer.
    pub(super) fn may_send_now(&mut self, now: Time) -> bool {
        if self.paced && self.cold.optional.pacer.must_wait(now) {
            let tracking = &mut *self.cold.optional;
            tracking.timers.arm(Timer::Pacing, tracking.pacer.next);
            return false;
        }
        if !self.jitter_elapsed && self.cold.params.overhead > Span::ZERO {
            self.arm_jitter(now);
            return false;
        }
        true
    }

    /// Sends a segment that is due at the arrival of an ACK before the ACK is processed (`pace_first`).
    pub(super) fn send_due_first(&mut self, now: Time) {
        if self.paced && self.cold.params.pace_first && self.cold.optional.timers.is_due(Timer::Pacing, now) {
            self.on_tracking_timer(now);
            self.cold.optional.early = self.poll_segment(now);
        }
    }

    /// Sends a segment regardless of the window.
    pub(super) fn emit_forced(&mut self, now: Time, seq: u32) -> Segment {
        if !self.paced || self.cold.params.pace_repairs {
            return self.emit(now, seq);
        }
        let before = self.cold.optional.pacer.clone();
        let segment = self.emit(now, seq);
        let pacer = &mut self.cold.optional.pacer;
        if before.next > now {
            *pacer = before;
        }
        pacer.gap = pacer.later.take().unwrap_or(pacer.gap);
        segment
    }

    /// Arms the random sending delay (`overhead`).
    fn arm_jitter(&mut self, now: Time) {
        self.quota = 0;
        if !self.cold.optional.timers.is_armed(Timer::Jitter) {
            let u = self.cold.optional.stream.uniform();
            let until = now + self.cold.params.overhead.scale(u);
            self.cold.optional.timers.arm(Timer::Jitter, until);
        }
    }

    /// The connection is open: allows data now, or after `open_wait`.
    pub(crate) fn begin_data(&mut self, now: Time) {
        let wait = self.cold.params.open_wait;
        if wait == Span::ZERO {
            self.opened = true;
            self.quota = self.burst();
            return;
        }
        self.cold.optional.timers.arm(Timer::Pacing, now + wait);
        self.cold.optional.timers.refresh();
    }

    /// The handshake is done, but data waits (`open_wait`).
    pub(crate) fn awaits_open(&self) -> bool {
        self.cold.params.open_wait > Span::ZERO && self.cold.optional.timers.is_armed(Timer::Pacing)
    }

    /// Sets the first pacing rate of an open connection.
    pub(crate) fn start_pacing(&mut self) {
        self.cc.on_open(self.srtt());
        if self.paced && self.cold.params.pace_start {
            self.cold.optional.pacer.set(self.cc.pace());
        }
    }

    /// A timer other than the retransmission timer has fired.
    #[cold]
    pub(super) fn on_tracking_timer(&mut self, now: Time) {
        let burst = self.burst();
        let tracking = &mut *self.cold.optional;
        if tracking.timers.fire(Timer::Jitter, now) {
            self.quota = burst;
            self.jitter_elapsed = true;
        }
        if tracking.timers.fire(Timer::Pacing, now) {
            self.opened = true;
            self.quota = burst;
        }
        if tracking.rack.on {
            self.on_rack_timer(now);
        }
        self.cold.optional.timers.refresh();
    }

    /// Pacing rate that spreads a window over a round trip, faster in slow start.
    pub(super) fn window_pace(&self) -> Option<f64> {
        let p = &self.cold.params;
        if p.pacing == Pacing::Auto && !self.cc.paces() {
            return None;
        }
        let gain =
            if self.window.cwnd < self.window.ssthresh / 2.0 { p.pacing_gain_start } else { p.pacing_gain };
        self.srtt().map(|srtt| gain * self.window.cwnd / srtt.max(Span(1)).as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 100 segments/s two leave together, and the next two 20 ms later; a lone one waits 10 ms.
    #[test]
    fn a_burst_leaves_at_once_and_its_gaps_follow() {
        let mut pacer = Pacer::new(0.0);
        pacer.set(Some(100.0));
        pacer.set_quantum(2);
        let start = Time(1_000_000_000);
        assert!(!pacer.must_wait(start));
        pacer.sent(start);
        assert!(!pacer.must_wait(start));
        pacer.sent(start);
        assert!(pacer.must_wait(start));
        assert_eq!(pacer.next, start + Span::from_millis(20));
        let later = pacer.next;
        pacer.sent(later);
        assert!(pacer.must_wait(later + Span(1)));
        assert_eq!(pacer.next, later + Span::from_millis(10));
    }

    /// Gaps of 10 ms. Two segments leave 8 ms late: the 20 ms shrink by 8, 5 at the first and 3 at the
    /// second. One that is 30 ms late after that shrinks its gap by half.
    #[test]
    fn late_departures_shorten_the_next_gaps() {
        let mut pacer = Pacer::new(0.5);
        pacer.set(Some(100.0));
        pacer.set_quantum(2);
        pacer.sent(Time(1_000_000_000));
        assert_eq!(pacer.next, Time(1_005_000_000));
        for _ in 0..2 {
            pacer.sent(Time(1_013_000_000));
        }
        assert_eq!(pacer.next, Time(1_025_000_000));
        pacer.sent(Time(1_055_000_000));
        assert_eq!(pacer.next, Time(1_060_000_000));
    }

    /// The gap of 10 ms applies to the pending retransmission, 20 ms after it.
    #[test]
    fn a_later_pace_waits_for_the_repair() {
        let mut pacer = Pacer::new(0.0);
        pacer.set(Some(100.0));
        pacer.set_later(Some(50.0));
        let start = Time(1_000_000_000);
        pacer.sent(start);
        assert_eq!(pacer.next, start + Span::from_millis(10));
        assert_eq!(pacer.later, Some(Span::from_millis(20)));
        pacer.set(Some(200.0));
        assert_eq!((pacer.later, pacer.gap), (None, Span::from_millis(5)));
    }
}
