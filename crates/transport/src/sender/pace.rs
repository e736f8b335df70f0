//! Pacing: segments leave at least so far apart.
//!
//! *Reference*: CSB25 section 5.6.2; RFC 9002 section 7.7 for a pace from the window (Linux: 2 in slow start, 1.2 after).
//! *Units*: a pace in segments a second.
//! *Deviations*: the gap is that of a full segment, also after a short one. Retransmissions forced by a recovery do not wait,
//! but those after them do.

use super::Sender;
use crate::cc::Control;
use crate::params::Pacing;
use crate::segment::Segment;
use units::{Dice, Span, Time};

/// The pace of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    gap: Span,
    /// Segments that leave at once, how many of them are left, and the moment for which that holds.
    quantum: u32,
    left: u32,
    at: Time,
    /// How much later than it might have the burst began, and the share of a gap that may be made up for.
    late: Span,
    credit: f64,
    /// The next segment leaves no sooner.
    pub(super) next: Time,
    /// The gap that holds once a repair has left that an acknowledgement asked for.
    later: Option<Span>,
}

impl Pacer {
    /// `credit`: the share of a gap that a late departure takes off it.
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

    /// Segments a second; `None`: as fast as they come.
    pub(crate) fn set(&mut self, pace: Option<f64>) {
        self.gap = gap_of(pace);
        self.later = None;
    }

    /// [`Pacer::set`], once the repair has left that waits to leave.
    pub(super) fn set_later(&mut self, pace: Option<f64>) {
        self.later = Some(gap_of(pace));
    }

    /// Segments that leave together, with the gaps of all of them behind the last.
    pub(crate) fn set_quantum(&mut self, segments: u32) {
        self.quantum = segments.max(1);
    }

    /// A segment leaves.
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

    /// Whether a segment has to wait.
    fn holds(&self, now: Time) -> bool {
        now < self.next && !(self.left > 0 && now == self.at)
    }
}

fn gap_of(pace: Option<f64>) -> Span {
    pace.map_or(Span::ZERO, |pace| Span::from_secs(1.0 / pace.max(1e-3)))
}

impl Sender {
    /// Whether a segment the window lets go may leave now; if not, a wake-up is armed.
    pub(super) fn may_leave(&mut self, now: Time) -> bool {
        if self.paced && self.cold.extras.pacer.holds(now) {
            let gauges = &mut *self.cold.extras;
            gauges.pace_until = gauges.pacer.next;
            gauges.wake_by(gauges.pace_until);
            return false;
        }
        if !self.released && self.cold.params.overhead > Span::ZERO {
            self.hold(now);
            return false;
        }
        true
    }

    /// Lets a segment that is due as an acknowledgement arrives go before the acknowledgement counts.
    pub(super) fn send_what_is_due(&mut self, now: Time) {
        if self.paced && self.cold.params.pace_first && now >= self.cold.extras.pace_until {
            self.on_wake(now);
            self.cold.extras.early = self.poll_any(now);
        }
    }

    /// Sends what leaves whatever the window says.
    pub(super) fn emit_forced(&mut self, now: Time, seq: u32) -> Segment {
        if !self.paced || self.cold.params.pace_repairs {
            return self.emit(now, seq);
        }
        let before = self.cold.extras.pacer.clone();
        let segment = self.emit(now, seq);
        let pacer = &mut self.cold.extras.pacer;
        if before.next > now {
            *pacer = before;
        }
        pacer.gap = pacer.later.take().unwrap_or(pacer.gap);
        segment
    }

    /// Draws the delay before the window may be used (`overhead`).
    fn hold(&mut self, now: Time) {
        self.quota = 0;
        if self.cold.extras.jitter_until == Time::NEVER {
            let u = self.cold.extras.stream.uniform();
            let until = now + self.cold.params.overhead.scale(u);
            self.cold.extras.jitter_until = until;
            self.cold.extras.wake_by(until);
        }
    }

    /// The connection is open: data may leave, or soon (`open_wait`).
    pub(crate) fn begin_data(&mut self, now: Time) {
        let wait = self.cold.params.open_wait;
        if wait == Span::ZERO {
            self.opened = true;
            self.quota = self.burst();
            return;
        }
        self.cold.extras.pace_until = now + wait;
        self.cold.extras.find_wake();
    }

    /// The handshake is done, but the data are to wait.
    pub(crate) fn waits_to_begin(&self) -> bool {
        self.cold.params.open_wait > Span::ZERO && self.cold.extras.pace_until != Time::NEVER
    }

    /// The connection is open: the first pace.
    pub(crate) fn open_pace(&mut self) {
        self.cc.on_open(self.srtt());
        if self.paced && self.cold.params.pace_start {
            self.cold.extras.pacer.set(self.cc.pace());
        }
    }

    /// One of the deadlines beside the retransmission timer has come.
    #[cold]
    pub(super) fn on_wake(&mut self, now: Time) {
        let burst = self.burst();
        let gauges = &mut *self.cold.extras;
        if now >= gauges.jitter_until {
            gauges.jitter_until = Time::NEVER;
            self.quota = burst;
            self.released = true;
        }
        if now >= gauges.pace_until {
            gauges.pace_until = Time::NEVER;
            self.opened = true;
            self.quota = burst;
        }
        if gauges.rack.on {
            self.on_rack_timer(now);
        }
        self.cold.extras.find_wake();
    }

    /// The pace that spreads a window over a round trip, faster in slow start.
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

    /// At 100 segments a second two leave together, and the next two 20 ms later; what comes alone waits 10 ms.
    #[test]
    fn a_quantum_leaves_at_once_and_is_paid_for_whole() {
        let mut pacer = Pacer::new(0.0);
        pacer.set(Some(100.0));
        pacer.set_quantum(2);
        let start = Time(1_000_000_000);
        assert!(!pacer.holds(start));
        pacer.sent(start);
        assert!(!pacer.holds(start));
        pacer.sent(start);
        assert!(pacer.holds(start));
        assert_eq!(pacer.next, start + Span::from_millis(20));
        let later = pacer.next;
        pacer.sent(later);
        assert!(pacer.holds(later + Span(1)));
        assert_eq!(pacer.next, later + Span::from_millis(10));
    }

    /// Gaps of 10 ms. Two that leave 8 ms late: of 20 ms 8 are made up for, 5 by the first and 3 by the second. One 30 ms late
    /// after that makes up for half its gap.
    #[test]
    fn what_was_late_is_made_up_for_in_part() {
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

    /// The gap of 10 ms holds for the repair that an acknowledgement asked for, and 20 ms behind it.
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
