//! Read access to a sender between inputs.

use super::{Phase, Sender};
use crate::cc::Control;
use crate::connection::{EventCounters, SenderCounters};
use crate::rtt::Rtt;
use units::{Rate, Span, Time};

impl Sender {
    /// When to call [`Sender::on_timer`], if ever. Any input can move it to an earlier time.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Time> {
        let at = self.due();
        (at != Time::NEVER).then_some(at)
    }

    /// The same time, or [`Time::NEVER`].
    #[inline]
    pub fn due(&self) -> Time {
        self.ctx.timers.next()
    }

    /// The congestion window in segments.
    pub fn cwnd(&self) -> f64 {
        self.ctx.window.cwnd
    }

    /// The slow start threshold in segments; infinite if nothing set it.
    pub fn ssthresh(&self) -> f64 {
        self.ctx.window.ssthresh
    }

    /// Segments in flight, as the recovery algorithm counts them.
    pub fn flight(&self) -> u32 {
        self.recovery.flight(&self.ctx)
    }

    /// The round-trip estimate and the timeout derived from it.
    pub fn rtt(&self) -> Rtt<'_> {
        Rtt { estimate: &self.ctx.rtt, params: &self.ctx.params }
    }

    /// Smoothed round trip; `None` before the first sample.
    pub fn srtt(&self) -> Option<Span> {
        self.ctx.rtt.srtt(&self.ctx.params)
    }

    /// The current retransmission timeout.
    pub fn rto(&self) -> Span {
        self.ctx.rto
    }

    /// Segments reported as CE-marked so far; `None` without accurate ECN.
    pub fn marked_segments(&self) -> Option<u32> {
        self.ctx.feedback.get().map(|feedback| feedback.marked())
    }

    /// Duplicate ACKs since the last new one.
    pub fn dupacks(&self) -> u32 {
        self.recovery.dupacks
    }

    /// Pacing rate on the wire, if the sender paces.
    pub fn pacing_rate(&self) -> Option<Rate> {
        let pace = if self.ctx.model_based { self.ctx.cc.pace() } else { self.ctx.window_pace() };
        pace.filter(|_| self.ctx.paced).map(|pace| Rate((pace * self.ctx.params.wire_bits()) as u64))
    }

    /// The sender's state.
    pub fn phase(&self) -> Phase {
        if !self.opened {
            Phase::Opening
        } else if self.recovery.recovering {
            Phase::Recovery
        } else if self.recovery.loss {
            Phase::Loss
        } else if self.ctx.window.cwnd < self.ctx.window.ssthresh {
            Phase::SlowStart
        } else {
            Phase::Avoidance
        }
    }

    /// Resets the counters; [`SenderCounters::sent`] no longer includes earlier retransmissions.
    pub fn reset_counters(&mut self) {
        (self.ctx.counters, self.retransmits) = (EventCounters::default(), 0);
        self.recovery.reset_undone();
    }

    /// Counters since the start or since [`Sender::reset_counters`].
    pub fn counters(&self) -> SenderCounters {
        let EventCounters { cuts, timeouts, fast_recoveries, ecn_cuts } = self.ctx.counters;
        // Segments sent are either new or retransmissions.
        let (sent, retransmits) = (u64::from(self.ctx.seq.max) + self.retransmits, self.retransmits);
        let (cuts, undone) = (u64::from(cuts), self.undone());
        SenderCounters { sent, retransmits, timeouts, fast_recoveries, cuts, ecn_cuts, undone }
    }

    /// The first segment not yet acknowledged.
    pub fn una(&self) -> u32 {
        self.ctx.seq.una
    }

    /// The next segment to send in order; a timeout moves it back to `una`.
    pub fn nxt(&self) -> u32 {
        self.ctx.seq.nxt
    }

    /// Reductions undone as spurious.
    pub fn undone(&self) -> u32 {
        self.recovery.undone()
    }

    /// One past the last segment supplied.
    pub fn supplied(&self) -> u32 {
        self.ctx.seq.limit
    }

    /// Whether everything supplied has been acknowledged. Never true for an endless supply.
    pub fn is_done(&self) -> bool {
        self.ctx.seq.una >= self.ctx.seq.limit
    }
}
