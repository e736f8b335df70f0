//! Timers of a sender other than the retransmission timer.
//!
//! | timer | armed by | cancelled by | firing |
//! |---|---|---|---|
//! | retransmission (`Sender::rto_at`) | the first segment in flight, an ACK of new data, a probe, some retransmissions | the ACK of everything in flight | `on_timeout`: recovery from `una`, doubled timeout |
//! | [`Timer::Jitter`] | a segment ready to send, with `overhead` | firing | allows segments until the next input |
//! | [`Timer::Pacing`] | a segment ahead of the pacing rate; the end of the handshake, with `open_wait` | firing | allows segments, opens the connection |
//! | [`Timer::Reordering`] | an ACK that leaves unSACKed segments in the reordering window | an ACK that leaves none, a timeout, firing | looks for losses again |
//! | [`Timer::Probe`] | a transmission or an ACK outside recovery (PTO of TLP) | recovery, SACKed segments, a probe in flight, a timeout, firing | sends a tail loss probe |
//!
//! The retransmission timer is separate because it is the only one of the fast path. All others share one
//! deadline, which is a lower bound: cancelling leaves it, and a stale timer that fires does nothing but recompute
//! it (lazy cancellation).
//!
//! *Reference*: RFC 8985 sections 6.2 and 7.2 for the last two; ns-2's `overhead_` for the first.
//! *Units*: times.

use units::Time;

/// A timer of a sender that tracks each segment or delays segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// Random delay before a window of data is sent (`overhead`).
    Jitter,
    /// Earliest departure of the next segment under pacing, or of the first data (`open_wait`).
    Pacing,
    /// End of RACK's reordering window.
    Reordering,
    /// Probe timeout (PTO) of the tail loss probe.
    Probe,
}

/// Deadlines of all [`Timer`]s; [`Time::NEVER`] for those not armed.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    deadlines: [Time; 4],
    /// Lower bound on the deadlines.
    next: Time,
}

impl Timers {
    pub(super) fn new() -> Timers {
        Timers { deadlines: [Time::NEVER; 4], next: Time::NEVER }
    }

    /// Arms a timer; [`Time::NEVER`] cancels it.
    #[inline]
    pub(crate) fn arm(&mut self, timer: Timer, at: Time) {
        self.deadlines[timer as usize] = at;
        self.next = self.next.min(at);
    }

    /// Cancels a timer; [`Timers::next`] stays.
    #[inline]
    pub(crate) fn cancel(&mut self, timer: Timer) {
        self.deadlines[timer as usize] = Time::NEVER;
    }

    /// Whether a timer is armed.
    pub(crate) fn is_armed(&self, timer: Timer) -> bool {
        self.deadlines[timer as usize] != Time::NEVER
    }

    /// Whether a timer is due.
    pub(crate) fn is_due(&self, timer: Timer, now: Time) -> bool {
        now >= self.deadlines[timer as usize]
    }

    /// Fires a timer that is due: cancels it and returns true.
    pub(crate) fn fire(&mut self, timer: Timer, now: Time) -> bool {
        let due = self.is_due(timer, now);
        if due {
            self.cancel(timer);
        }
        due
    }

    /// Lower bound on the earliest deadline.
    #[inline]
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// Makes [`Timers::next`] the earliest deadline.
    pub(crate) fn refresh(&mut self) {
        self.next = self.deadlines.into_iter().fold(Time::NEVER, Time::min);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cancelled timer still bounds the next deadline until a refresh; a timer fires once.
    #[test]
    fn cancelling_is_lazy() {
        let mut timers = Timers::new();
        timers.arm(Timer::Probe, Time(50));
        timers.arm(Timer::Pacing, Time(80));
        timers.cancel(Timer::Probe);
        assert_eq!(timers.next(), Time(50));
        assert!(!timers.fire(Timer::Probe, Time(60)));
        timers.refresh();
        assert_eq!(timers.next(), Time(80));
        assert!(timers.is_armed(Timer::Pacing) && !timers.fire(Timer::Pacing, Time(79)));
        assert!(timers.fire(Timer::Pacing, Time(80)) && !timers.fire(Timer::Pacing, Time(80)));
        timers.refresh();
        assert_eq!(timers.next(), Time::NEVER);
    }
}
