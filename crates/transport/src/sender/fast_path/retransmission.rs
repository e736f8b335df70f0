//! Fast path of a retransmission by RACK in fast recovery, while the retransmission timer runs.

use super::{SegmentKind, Sender, Sends};
use units::Time;

impl Sender {
    /// The retransmission that [`Sender::poll_tracked`] sends next. If pacing delays it, arms its timer and returns
    /// `None`.
    #[inline(never)]
    pub(super) fn poll_retransmission(&mut self, now: Time) -> Option<(u32, u32, SegmentKind)> {
        if self.waits_for_pacing(now) {
            return None;
        }
        let lost = self.recovery.first_lost(&self.ctx);
        // The first and the last segment may have sizes of their own, and a lone one starts a flight.
        let ordinary = |seq: &u32| *seq > 0 && *seq + 1 < self.ctx.seq.limit;
        let Some(seq) = lost.filter(ordinary).filter(|_| self.recovery.pipe(&self.ctx) > 1) else {
            self.set_tracked_sends(Sends::SLOW);
            return None;
        };
        self.recovery.parts.board.prr_out += 1;
        self.retransmits += 1;
        self.record_retransmitted(now, seq);
        self.recovery.record_transmission(&mut self.ctx, now, seq, true);
        self.update_tracked_send(true);
        Some((seq, self.size, SegmentKind::Retransmission))
    }
}
