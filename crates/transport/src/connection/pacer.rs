//! Pacing: minimum gaps between segments.
//!
//! *Reference*: CSB25 section 5.6.2; RFC 9002 section 7.7 for a rate from the window (Linux: 2 in slow start,
//! 1.2 after).
//! *Units*: rates in segments per second.
//! *Deviations*: the gap is that of a full segment, also after a short one. Retransmissions forced by a
//! recovery are not delayed, but segments after them are.

use units::{Span, Time};

/// Pacing state of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    gap: Span,
    /// The rate of that gap; not a number if it is another one.
    pace: f64,
    /// Segments of a burst, how many of them are left, and the moment of the burst.
    quantum: u32,
    left: u32,
    at: Time,
    /// Delay of the burst behind its schedule, and the share of a gap that may be caught up.
    late: Span,
    credit: f64,
    /// Earliest time of the next segment.
    pub(crate) next: Time,
    /// Gap to use after the pending retransmission has left.
    later: Option<Span>,
}

impl Pacer {
    /// `credit`: the share of a gap that a late departure shortens it by.
    pub(crate) fn new(credit: f64) -> Pacer {
        Pacer {
            gap: Span::ZERO,
            pace: f64::INFINITY,
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
        self.later = None;
        let pace = pace.unwrap_or(f64::INFINITY);
        if pace != self.pace {
            (self.pace, self.gap) = (pace, gap_of(pace));
        }
    }

    /// Sets the rate to use after the pending retransmission.
    pub(crate) fn set_later(&mut self, pace: Option<f64>) {
        self.later = Some(gap_of(pace.unwrap_or(f64::INFINITY)));
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
        let mut gap = self.gap;
        if self.late > Span::ZERO {
            let made_up = gap.scale(self.credit).min(self.late);
            (self.late, gap) = (self.late - made_up, gap - made_up);
        }
        self.next = self.next.max(now) + gap;
    }

    /// Makes the gap that [`Pacer::set_later`] stored the present one, after the pending retransmission. If the
    /// retransmission left ahead of its gap, it does not count: the state is that of `before` it.
    pub(crate) fn retransmitted(&mut self, now: Time, before: Pacer) {
        if before.next > now {
            *self = before;
        }
        if let Some(gap) = self.later.take() {
            (self.pace, self.gap) = (f64::NAN, gap);
        }
    }

    /// Whether a segment must wait.
    pub(crate) fn must_wait(&self, now: Time) -> bool {
        now < self.next && !(self.left > 0 && now == self.at)
    }
}

/// The gap at a rate; none at an infinite one.
fn gap_of(pace: f64) -> Span {
    Span::from_secs(1.0 / pace.max(1e-3))
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
    fn a_later_pace_waits_for_the_retransmission() {
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
