//! Round-trip samples and the retransmission timer.
//!
//! *Reference*: RFC 6298 sections 3 to 5; ns-2.35 where an option asks for it.
//! *Units*: times.
//! *Deviations*: none.

use super::{wheel, Ctx, Timer, NONE};
use crate::params::{ReorderTimer, RttSamples, ShownRtt};
use crate::segment::Ack;
use units::{Span, Time};

impl Ctx {
    /// Samples the round-trip time from an ACK of `[first, una)`.
    #[inline]
    pub(crate) fn sample(&mut self, now: Time, first: u32, echo: Time, ece: bool, timed: bool) {
        let una = self.seq.una;
        let ambiguous = self.retransmitted.get_mut().is_some_and(|set| set.take(first, una));
        let still_echoing = self.ecn && ece && self.ecn_backoff;
        if !still_echoing && (timed || self.params.echo_ends_backoff) {
            self.rtt.end_backoff();
        }
        let (now, sent) = self.timed_interval(now, echo);
        if !ambiguous {
            self.rtt.sample(&self.params, now, sent, (una, self.seq.nxt));
        }
        self.rto = self.rtt.rto(&self.params);
        if timed {
            self.timed = NONE;
        }
    }

    /// Samples the round-trip time of a segment that a block reports; `sent` once, at that time.
    pub(crate) fn sample_sacked(&mut self, now: Time, sent: Time) {
        self.rtt.end_backoff();
        self.rtt.sample(&self.params, now, sent, (self.seq.una, self.seq.nxt));
        self.rto = self.rtt.rto(&self.params);
    }

    /// Start and end of the round trip that an ACK samples.
    #[inline]
    fn timed_interval(&self, now: Time, echo: Time) -> (Time, Time) {
        self.on_clock(now, if self.timestamps { echo } else { self.timed_at })
    }

    /// Start and end of a round trip at the resolution of the timestamp clock.
    #[inline]
    pub(crate) fn on_clock(&self, now: Time, sent: Time) -> (Time, Time) {
        const MILLISECOND: u64 = 1_000_000;
        if self.params.samples != RttSamples::Milliseconds {
            return (now, sent);
        }
        let whole = |time: Time| Time(time.nanos() / MILLISECOND * MILLISECOND);
        (whole(now), whole(sent))
    }

    /// The RTT shown to the congestion control.
    #[inline]
    pub(crate) fn shown(&self, sample: Span) -> Span {
        match self.params.shown_rtt {
            ShownRtt::Sample | ShownRtt::Segment => sample,
            ShownRtt::Smoothed => self.rtt.smoothed(&self.params),
        }
    }

    /// RTT that an ACK of new data shows by its timestamp, as the congestion control is to see it.
    pub(crate) fn echoed_rtt(&self, now: Time, ack: &Ack) -> Span {
        match self.params.shown_rtt {
            ShownRtt::Sample | ShownRtt::Segment => now.since(ack.echo),
            ShownRtt::Smoothed => self.smoothed_with(now, ack),
        }
    }

    /// The smoothed RTT after this ACK of new data.
    fn smoothed_with(&self, now: Time, ack: &Ack) -> Span {
        let timed = self.timed != NONE && ack.ack > self.timed;
        let ambiguous = self.retransmitted.get().is_some_and(|set| set.has(self.seq.una));
        if ambiguous || !(timed || self.timestamps) {
            return self.rtt.smoothed(&self.params);
        }
        let (now, sent) = self.timed_interval(now, ack.echo);
        let mut rtt = self.rtt.clone();
        rtt.sample(&self.params, now, sent, (ack.ack, self.seq.nxt.max(ack.ack)));
        rtt.smoothed(&self.params)
    }

    /// Smoothed RTT; `None` before the first sample.
    #[inline]
    pub(crate) fn srtt(&self) -> Option<Span> {
        self.rtt.srtt(&self.params)
    }

    /// Doubles the retransmission timeout.
    pub(crate) fn double_rto(&mut self) {
        self.rtt.back_off(&self.params);
        self.rto = self.rtt.rto(&self.params);
    }

    /// Ends the backoff of the retransmission timeout: the path has answered.
    pub(crate) fn end_backoff(&mut self) {
        self.rtt.end_backoff();
        self.rto = self.rtt.rto(&self.params);
    }

    /// When the timer expires if started now. In ns-2 a timeout is a number of ticks times the double of one.
    #[inline]
    pub(crate) fn rto_after(&self, now: Time) -> Time {
        if now.is_special() {
            return self.rto_in_ticks_after(now);
        }
        if self.params.reorder_timer == ReorderTimer::Ticks {
            return wheel::expiry(now, self.rto);
        }
        now + self.rto
    }

    #[cold]
    fn rto_in_ticks_after(&self, now: Time) -> Time {
        let tick = self.params.tick;
        if self.rto.0 % tick.0 != 0 {
            return now + self.rto;
        }
        now.plus_secs((self.rto.0 / tick.0) as f64 * (tick.0 as f64 / 1e9))
    }

    /// Restarts the timer of a connection with data outstanding whose timers fire as they expire (no
    /// `reorder_timer = "ticks"`).
    #[inline(always)]
    pub(crate) fn restart_exact_timer(&mut self, now: Time) {
        let at = if now.is_special() { self.rto_in_ticks_after(now) } else { now + self.rto };
        self.timers.arm(Timer::Retransmission, at);
    }

    #[inline]
    pub(crate) fn restart_timer(&mut self, now: Time, outstanding: bool) {
        let at = if outstanding { self.rto_after(now) } else { Time::NEVER };
        self.timers.arm(Timer::Retransmission, at);
    }

    /// Restarts the timer after a retransmission and stops timing a segment (Karn).
    #[inline]
    pub(crate) fn restart_timer_on_retransmit(&mut self, now: Time) {
        if self.params.timer_on_retransmission {
            self.restart_timer(now, true);
        }
        self.timed = NONE;
    }
}
