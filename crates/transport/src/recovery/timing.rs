//! Round-trip samples and the retransmission timer.
//!
//! *Reference*: RFC 6298 sections 3 to 5; ns-2.35 where an option asks for it.
//! *Units*: times.
//! *Deviations*: none.

use crate::params::{Recovery, Samples, ShownRtt};
use crate::segment::Ack;
use crate::sender::{Sender, NONE};
use units::{Span, Time};

impl Sender {
    /// Samples the round trip from an ACK of `[first, una)`.
    #[inline]
    pub(super) fn sample(&mut self, now: Time, first: u32, echo: Time, ece: bool, timed: bool) {
        let una = self.seq.una;
        let retransmitted_set =
            self.cold.retransmitted_set().is_some_and(|retransmitted_set| retransmitted_set.take(first, una));
        let still_echoing = self.ecn && ece && self.cold.ecn_backoff;
        if !still_echoing && (timed || self.cold.params.echo_ends_backoff) {
            self.cold.rtt.end_backoff();
        }
        let (now, sent) = self.timed_interval(now, echo);
        if !retransmitted_set {
            self.cold.sample(now, sent, (una, self.seq.nxt));
        }
        self.rto = self.cold.rto();
        if timed {
            self.timed = NONE;
        }
    }

    /// Start and end of the round trip that an ACK samples.
    #[inline]
    fn timed_interval(&self, now: Time, echo: Time) -> (Time, Time) {
        self.on_clock(now, if self.fast.timestamps { echo } else { self.timed_at })
    }

    /// Start and end of a round trip at the resolution of the timestamp clock.
    #[inline]
    pub(super) fn on_clock(&self, now: Time, sent: Time) -> (Time, Time) {
        const MILLISECOND: u64 = 1_000_000;
        if self.cold.params.samples != Samples::Milliseconds {
            return (now, sent);
        }
        let whole = |time: Time| Time(time.nanos() / MILLISECOND * MILLISECOND);
        (whole(now), whole(sent))
    }

    /// The RTT shown to the congestion control.
    #[inline]
    pub(super) fn shown(&self, sample: Span) -> Span {
        match self.cold.params.shown_rtt {
            ShownRtt::Sample => sample,
            ShownRtt::Smoothed => self.cold.rtt.smoothed(&self.cold.params),
        }
    }

    /// RTT sample of an ACK: that of the newest segment acknowledged if the congestion control times
    /// segments, else by timestamp.
    pub(super) fn round_trip(&self, now: Time, ack: &Ack, acked: u32) -> Option<Span> {
        if acked == 0 {
            return None;
        }
        if self.recovery == Recovery::Vegas || self.cold.params.times_segments() {
            return self.segment_rtt(now, ack.ack - 1);
        }
        Some(match self.cold.params.shown_rtt {
            ShownRtt::Sample => now.since(ack.echo),
            ShownRtt::Smoothed => self.smoothed_with(now, ack),
        })
    }

    /// The smoothed RTT after this ACK of new data.
    fn smoothed_with(&self, now: Time, ack: &Ack) -> Span {
        let timed = self.timed != NONE && ack.ack > self.timed;
        let retransmitted_set = self
            .cold
            .optional
            .parts()
            .retransmitted_set
            .as_ref()
            .is_some_and(|retransmitted_set| retransmitted_set.has(self.seq.una));
        if retransmitted_set || !(timed || self.fast.timestamps) {
            return self.cold.rtt.smoothed(&self.cold.params);
        }
        let (now, sent) = self.timed_interval(now, ack.echo);
        let mut rtt = self.cold.rtt.clone();
        rtt.sample(&self.cold.params, now, sent, (ack.ack, self.seq.nxt.max(ack.ack)));
        rtt.smoothed(&self.cold.params)
    }

    /// When the timer expires if started now. In ns-2 a timeout is a number of ticks times the double of one.
    #[inline]
    pub(crate) fn rto_after(&self, now: Time) -> Time {
        if now.is_apart() {
            return self.rto_in_ticks_after(now);
        }
        now + self.rto
    }

    #[cold]
    fn rto_in_ticks_after(&self, now: Time) -> Time {
        let tick = self.cold.params.tick;
        if self.rto.0 % tick.0 != 0 {
            return now + self.rto;
        }
        now.plus_secs((self.rto.0 / tick.0) as f64 * (tick.0 as f64 / 1e9))
    }

    #[inline]
    pub(super) fn restart_timer(&mut self, now: Time, outstanding: bool) {
        self.rto_at = if outstanding { self.rto_after(now) } else { Time::NEVER };
    }

    /// Restarts the timer after a retransmission and stops timing a segment (Karn).
    #[inline]
    pub(crate) fn restart_timer_on_retransmit(&mut self, now: Time) {
        if self.cold.params.timer_on_repair {
            self.rto_at = self.rto_after(now);
        }
        self.timed = NONE;
    }
}
