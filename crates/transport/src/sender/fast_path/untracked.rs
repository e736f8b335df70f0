//! Preconditions of the fast path of a sender that tracks no segment: RFC 6675 or counted duplicates, classic ECN, a
//! congestion control that watches every ACK.

use super::{Sender, NONE};
use crate::params::{Codepoint, EcnRule, Recovery, Reduction, ReorderTimer};
use crate::recovery::LastReduction;
use crate::segment::{Ack, SackBlocks};
use units::{Ecn, Time};

impl Sender {
    /// Precondition of the steps of an untracked sender: no option that asks for more work with a segment or ACK.
    pub(super) fn is_untracked_eligible(&self) -> bool {
        let (p, ctx) = (&self.ctx.params, &self.ctx);
        let watches_only = ctx.watches_acks() || !self.shows_acks;
        let ordinary = watches_only
            && !(ctx.tracking.is_present() || ctx.model_based || ctx.feedback.is_present() || p.frto)
            && p.max_burst == 0
            && !p.pipe_always
            && p.reorder_timer != ReorderTimer::Ticks;
        let algorithm =
            matches!(self.recovery.algorithm, Recovery::Sack | Recovery::NewReno | Recovery::Reno);
        ordinary && algorithm && (!ctx.ecn || self.is_classic_ecn())
    }

    /// Whether new segments carry ECT(0) and an echo reduces the window at once.
    fn is_classic_ecn(&self) -> bool {
        let p = &self.ctx.params;
        matches!(p.ecn_rule, EcnRule::Rfc3168 | EcnRule::Dctcp)
            && self.ctx.capable == Some(Codepoint::Ect0)
            && p.reduction != Reduction::Ns3
    }

    /// Whether duplicates are judged by SACK alone.
    pub(super) fn is_sack_without_ecn(&self) -> bool {
        self.recovery.algorithm == Recovery::Sack && !self.ctx.ecn
    }

    /// Whether the next plain ACK may take the fast path where nothing is missing and nothing is SACKed: what a sender
    /// with more than SACK has to check.
    #[inline(never)]
    pub(super) fn is_plain_untracked(&self) -> bool {
        self.ctx.window.cwnd >= 1.0
            && !(self.ctx.ecn && (self.ctx.cwr || self.ctx.ecn_backoff))
            && !self.is_counting_duplicates()
            && !(self.ctx.params.delay_growth && self.ctx.seq.una == 0)
    }

    /// Whether the slow path decides on every segment.
    pub(super) fn leaves_sends_to_slow_path(&self) -> bool {
        self.announces_reduction() || self.is_counting_duplicates()
    }

    /// Whether the next new segment carries CWR.
    #[inline(always)]
    pub(super) fn announces_reduction(&self) -> bool {
        self.ctx.ecn && self.ctx.cwr
    }

    /// Whether a sender without SACK is in a recovery or may be near one.
    fn is_counting_duplicates(&self) -> bool {
        let recovery = &self.recovery;
        let missing = recovery.recovering || recovery.loss || recovery.dupacks > 0 || recovery.inflation > 0;
        recovery.algorithm != Recovery::Sack
            && (missing
                || recovery.last_reduction == LastReduction::FastRetransmit
                || self.ctx.quota < NONE / 2)
    }

    /// The ECN codepoint of the segments of the fast path. Only a SYN-ACK changes it: without ECN in a SYN that was sent
    /// again, the connection has none.
    #[inline]
    pub fn codepoint(&self) -> Ecn {
        match self.ctx.capable {
            Some(Codepoint::Ect0) if self.ctx.ecn => Ecn::Ect0,
            Some(Codepoint::Ect1) if self.ctx.ecn => Ecn::Ect1,
            _ => Ecn::NotEct,
        }
    }

    /// Shows an ACK with SACK blocks to a congestion control that watches.
    #[cold]
    #[inline(never)]
    pub(super) fn show_sack(&mut self, now: Time, (ack, echo): (u32, Time), blocks: &SackBlocks) {
        let shown = Ack { sack: *blocks, ..Ack::plain(ack, 0, echo) };
        self.recovery.show_to_cc(&mut self.ctx, now, &shown);
    }
}
