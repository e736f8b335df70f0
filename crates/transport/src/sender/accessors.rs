//! Read access to a sender between inputs.

use super::counters::ColdCounters;
use super::{Phase, Sender, SenderCounters};
use crate::cc::Control;
use crate::params::Recovery;
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
        if self.fast.eligible || !self.has_tracking() {
            return self.rto_at;
        }
        self.rto_at.min(self.cold.optional.timers.next())
    }

    /// The congestion window in segments.
    pub fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    /// The slow start threshold in segments; infinite if nothing set it.
    pub fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    /// Segments in flight, as the recovery algorithm counts them.
    pub fn flight(&self) -> u32 {
        match self.recovery {
            Recovery::Sack | Recovery::Rack => self.pipe(),
            _ => self.seq.nxt - self.seq.una,
        }
    }

    /// The round-trip estimate and the timeout derived from it.
    pub fn rtt(&self) -> Rtt<'_> {
        Rtt { estimate: &self.cold.rtt, params: &self.cold.params }
    }

    /// Smoothed round trip; `None` before the first sample.
    pub fn srtt(&self) -> Option<Span> {
        self.cold.rtt.srtt(&self.cold.params)
    }

    /// The current retransmission timeout.
    pub fn rto(&self) -> Span {
        self.rto
    }

    /// Segments reported as CE-marked so far; `None` without accurate ECN.
    pub fn marked_segments(&self) -> Option<u32> {
        self.cold.optional.parts().feedback.as_ref().map(|feedback| feedback.marked())
    }

    /// Duplicate ACKs since the last new one.
    pub fn dupacks(&self) -> u32 {
        self.dupacks
    }

    /// Pacing rate on the wire, if the sender paces.
    pub fn pacing_rate(&self) -> Option<Rate> {
        let pace = if self.model_based { self.cc.pace() } else { self.window_pace() };
        pace.filter(|_| self.paced).map(|pace| Rate((pace * self.cold.params.wire_bits()) as u64))
    }

    /// The sender's state.
    pub fn phase(&self) -> Phase {
        if !self.opened {
            Phase::Opening
        } else if self.recovering {
            Phase::Recovery
        } else if self.loss {
            Phase::Loss
        } else if self.window.cwnd < self.window.ssthresh {
            Phase::SlowStart
        } else {
            Phase::Avoidance
        }
    }

    /// Resets the counters; [`SenderCounters::sent`] no longer includes earlier retransmissions.
    pub fn reset_counters(&mut self) {
        (self.cold.counters, self.retransmits) = (ColdCounters::default(), 0);
        if let Some(undo) = self.cold.undo() {
            undo.count = 0;
        }
    }

    /// Counters since the start or since [`Sender::reset_counters`].
    pub fn counters(&self) -> SenderCounters {
        let ColdCounters { cuts, timeouts, fast_recoveries, ecn_cuts } = self.cold.counters;
        // Segments sent are either new or retransmissions.
        let (sent, retransmits) = (u64::from(self.seq.max) + self.retransmits, self.retransmits);
        let (cuts, undone) = (u64::from(cuts), self.undone());
        SenderCounters { sent, retransmits, timeouts, fast_recoveries, cuts, ecn_cuts, undone }
    }

    /// The first segment not yet acknowledged.
    pub fn una(&self) -> u32 {
        self.seq.una
    }

    /// The next segment to send in order; a timeout moves it back to `una`.
    pub fn nxt(&self) -> u32 {
        self.seq.nxt
    }

    /// Reductions undone as spurious.
    pub fn undone(&self) -> u32 {
        self.cold.optional.parts().undo.as_ref().map_or(0, |undo| undo.count)
    }

    /// One past the last segment supplied.
    pub fn supplied(&self) -> u32 {
        self.seq.limit
    }

    /// Whether everything supplied has been acknowledged. Never true for an endless supply.
    pub fn is_done(&self) -> bool {
        self.seq.una >= self.seq.limit
    }
}
