//! The timers of a sender.
//!
//! | timer | armed by | cancelled by | firing |
//! |---|---|---|---|
//! | [`Timer::Retransmission`] | the first segment in flight, an ACK of new data, a probe, some retransmissions | the ACK of everything in flight | recovery from `una`, doubled timeout |
//! | [`Timer::Jitter`] | a segment ready to send, with `overhead` | firing | allows segments until the next input |
//! | [`Timer::Pacing`] | a segment ahead of the pacing rate; the end of the handshake, with `open_wait` | firing | allows segments, opens the connection |
//! | [`Timer::Reordering`] | an ACK that leaves unSACKed segments in the reordering window | an ACK that leaves none, a timeout, firing | looks for losses again |
//! | [`Timer::Probe`] | a transmission or an ACK outside recovery (PTO of TLP) | recovery, SACKed segments, a probe in flight, a timeout, firing | sends a tail loss probe |
//!
//! Every sender has the first; the others are allocated for options that need one of them. Their common
//! deadline is a lower bound: cancelling leaves it, and a stale timer that fires does nothing but recompute it
//! (lazy cancellation).
//!
//! *Reference*: RFC 6298 section 5, RFC 8985 sections 6.2 and 7.2; ns-2's `overhead_` for the jitter.
//! *Units*: times.

use super::Part;
use units::Time;

/// A timer of a sender.
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
    /// Retransmission timeout (RTO).
    Retransmission,
}

/// Deadlines of all [`Timer`]s; [`Time::NEVER`] for those not armed.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    retransmission: Time,
    others: Part<Others>,
}

/// Deadlines of the timers that only some options need.
#[derive(Clone, Debug)]
struct Others {
    deadlines: [Time; 4],
    /// Lower bound on the deadlines.
    next: Time,
}

impl Timers {
    /// No timer is armed. `others`: timers besides the retransmission timer may be.
    pub(super) fn new(others: bool) -> Timers {
        let none = || Others { deadlines: [Time::NEVER; 4], next: Time::NEVER };
        Timers { retransmission: Time::NEVER, others: Part::new(others, none) }
    }

    /// Arms a timer; [`Time::NEVER`] cancels it.
    #[inline(always)]
    pub(crate) fn arm(&mut self, timer: Timer, at: Time) {
        if timer == Timer::Retransmission {
            self.retransmission = at;
        } else {
            let others = &mut *self.others;
            others.deadlines[timer as usize] = at;
            others.next = others.next.min(at);
        }
    }

    /// Cancels a timer; [`Timers::next`] may stay.
    #[inline]
    pub(crate) fn cancel(&mut self, timer: Timer) {
        if timer == Timer::Retransmission {
            self.retransmission = Time::NEVER;
        } else {
            self.others.deadlines[timer as usize] = Time::NEVER;
        }
    }

    /// When a timer expires.
    #[inline(always)]
    pub(crate) fn deadline(&self, timer: Timer) -> Time {
        match timer {
            Timer::Retransmission => self.retransmission,
            other => self.others.get().map_or(Time::NEVER, |others| others.deadlines[other as usize]),
        }
    }

    /// Whether a timer is armed.
    #[inline(always)]
    pub(crate) fn is_armed(&self, timer: Timer) -> bool {
        self.deadline(timer) != Time::NEVER
    }

    /// Whether a timer is due.
    #[inline(always)]
    pub(crate) fn is_due(&self, timer: Timer, now: Time) -> bool {
        now >= self.deadline(timer)
    }

    /// Fires a timer that is due: cancels it and returns true.
    pub(crate) fn fire(&mut self, timer: Timer, now: Time) -> bool {
        let due = self.is_due(timer, now);
        if due {
            self.cancel(timer);
        }
        due
    }

    /// Fires a timer if it is due and no other is. Returns whether it did.
    #[inline]
    pub(crate) fn fire_alone(&mut self, timer: Timer, now: Time) -> bool {
        let retransmission = self.retransmission;
        let Some(others) = self.others.get_mut() else { return false };
        let due = others.deadlines[timer as usize];
        let next = (others.deadlines.iter().enumerate()).fold(Time::NEVER, |next, (place, at)| {
            if place == timer as usize {
                next
            } else {
                next.min(*at)
            }
        });
        if due > now || next <= now || retransmission <= now {
            return false;
        }
        others.deadlines[timer as usize] = Time::NEVER;
        others.next = next;
        true
    }

    /// Whether any timer but the retransmission timer may be due.
    #[inline]
    pub(crate) fn others_are_due(&self, now: Time) -> bool {
        self.others.get().is_some_and(|others| now >= others.next)
    }

    /// Lower bound on the earliest deadline.
    #[inline]
    pub(crate) fn next(&self) -> Time {
        match self.others.get() {
            Some(others) => self.retransmission.min(others.next),
            None => self.retransmission,
        }
    }

    /// Makes [`Timers::next`] the earliest deadline.
    pub(crate) fn refresh(&mut self) {
        if let Some(others) = self.others.get_mut() {
            others.next = others.deadlines.into_iter().fold(Time::NEVER, Time::min);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cancelled timer still bounds the next deadline until a refresh; a timer fires once.
    #[test]
    fn cancelling_is_lazy() {
        let mut timers = Timers::new(true);
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
        timers.arm(Timer::Retransmission, Time(90));
        assert!(timers.next() == Time(90) && !timers.others_are_due(Time(95)));
        assert!(timers.fire(Timer::Retransmission, Time(95)) && timers.next() == Time::NEVER);
    }
}
