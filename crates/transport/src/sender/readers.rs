//! What can be read of a sender between two inputs.

use super::counters::Told;
use super::{Phase, Sender, SenderCounters};
use crate::cc::Control;
use crate::params::Recovery;
use crate::rtt::Rtt;
use units::{Rate, Span, Time};

impl Sender {
    /// When to call `on_timer`, if ever. It can move to an earlier time with any input.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Time> {
        let at = self.due();
        (at != Time::NEVER).then_some(at)
    }

    /// The same moment, or [`Time::NEVER`].
    #[inline]
    pub fn due(&self) -> Time {
        if self.straight || !self.is_gauged() {
            return self.rto_at;
        }
        self.rto_at.min(self.cold.extras.hold_until)
    }

    /// The congestion window in segments.
    pub fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    /// The slow start threshold in segments; infinite if nothing set it.
    pub fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    /// Segments in flight, as the recovery in use counts them.
    pub fn flight(&self) -> u32 {
        match self.recovery {
            Recovery::Sack | Recovery::Rack => self.pipe(),
            _ => self.nxt - self.una,
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

    /// The retransmission timeout in force.
    pub fn rto(&self) -> Span {
        self.rto
    }

    /// Segments reported as marked so far; `None` without accurate ECN.
    pub fn marked_segments(&self) -> Option<u32> {
        self.cold.extras.parts().feedback.as_ref().map(|feedback| feedback.marked())
    }

    /// Duplicate acknowledgements since the last new one.
    pub fn dupacks(&self) -> u32 {
        self.dupacks
    }

    /// The rate on the wire at which segments are spaced, if they are.
    pub fn pacing_rate(&self) -> Option<Rate> {
        let pace = if self.modelled { self.cc.pace() } else { self.window_pace() };
        pace.filter(|_| self.paced).map(|pace| Rate((pace * self.cold.params.wire_bits()) as u64))
    }

    /// What the sender is doing.
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

    /// Counts repairs and cuts anew: of retransmissions before it [`SenderCounters::sent`] knows nothing either.
    pub fn count_anew(&mut self) {
        (self.cold.counters, self.retransmits) = (Told::default(), 0);
        if let Some(undo) = self.cold.undo() {
            undo.times = 0;
        }
    }

    /// What happened so far, or since it last counted anew.
    pub fn counters(&self) -> SenderCounters {
        let Told { cuts, timeouts, fast_recoveries, ecn_cuts } = self.cold.counters;
        // What is sent is new or sent again.
        let (sent, retransmits) = (u64::from(self.max) + self.retransmits, self.retransmits);
        let (cuts, undone) = (u64::from(cuts), self.undone());
        SenderCounters { sent, retransmits, timeouts, fast_recoveries, cuts, ecn_cuts, undone }
    }

    /// The first segment not yet acknowledged.
    pub fn una(&self) -> u32 {
        self.una
    }

    /// The next segment to send in order; after a timeout it goes back to `una`.
    pub fn nxt(&self) -> u32 {
        self.nxt
    }

    /// Recoveries that turned out to have been for nothing and were undone.
    pub fn undone(&self) -> u32 {
        self.cold.extras.parts().undo.as_ref().map_or(0, |undo| undo.times)
    }

    /// One past the last segment supplied.
    pub fn supplied(&self) -> u32 {
        self.limit
    }

    /// Whether everything supplied has been acknowledged. Never true of an endless supply.
    pub fn is_done(&self) -> bool {
        self.una >= self.limit
    }
}
