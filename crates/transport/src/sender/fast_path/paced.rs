//! Fast path of a paced sender with SACK, with accurate ECN or without ECN: a new full segment while others are in
//! flight, nothing is missing and the retransmission timer runs, and a pacing timer that fires alone.

use super::{SegmentKind, Sender, Sends};
use crate::params::{Handshake, Recovery};
use units::{Span, Time};

impl Sender {
    /// Precondition: pacing by the window, without options that ask for more work with a segment.
    pub(super) fn is_paced_eligible(&self) -> bool {
        let (p, ctx) = (&self.ctx.params, &self.ctx);
        let ordinary = p.max_burst == 0
            && p.overhead == Span::ZERO
            && p.open_wait == Span::ZERO
            && p.handshake != Handshake::Ns2Syn
            && !(p.pace_first || p.pipe_always);
        let tracks = self.keeps_ledger && !ctx.model_based && !p.times_segments();
        self.recovery.algorithm == Recovery::Sack && ordinary && tracks && !self.lacks_accurate_feedback()
    }

    /// Whether ECN was negotiated without accurate feedback, so that new segments announce reductions, or the path
    /// alters the feedback, so that they are not ECN-capable.
    fn lacks_accurate_feedback(&self) -> bool {
        self.ctx.ecn && self.ctx.feedback.get().is_none_or(|feedback| feedback.contradicted)
    }

    /// Recomputes which new segments may be sent on the fast path; [`Sender::update_fast_send`] calls it.
    #[inline(never)]
    pub(super) fn update_paced_send(&mut self) {
        let recovery = &self.recovery;
        let missing = recovery.recovering
            || recovery.loss
            || recovery.dupacks > 0
            || recovery.parts.board.sacked_count > 0
            || recovery.pipe(&self.ctx) != self.ctx.seq.outstanding();
        let sends =
            if missing || self.lacks_accurate_feedback() { Sends::SLOW } else { self.sends(false, |_| None) };
        self.set_tracked_sends(sends);
    }

    /// The segment of [`Sender::poll_tracked`] that these steps allow; others are in flight.
    #[inline]
    pub(super) fn poll_paced(&mut self, now: Time) -> Option<(u32, u32, SegmentKind)> {
        if self.waits_for_pacing(now) {
            return None;
        }
        let seq = self.send_next(now);
        let in_flight = seq + 1 - self.ctx.seq.una;
        let tracking = &mut *self.ctx.tracking;
        tracking.sampler.stamp(now, in_flight, tracking.ledger.open_new(self.ctx.seq.una, seq));
        tracking.pacer.sent(now);
        Some((seq, self.size, SegmentKind::New))
    }
}
