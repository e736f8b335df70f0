//! F-RTO: detects a spurious timeout without timestamps. Two new segments are sent before further
//! retransmissions; the ACKs show whether segments sent before the timeout keep arriving.
//!
//! *Reference*: RFC 5682 sections 2.1 (cumulative ACKs) and 3.1 (SACK).
//! *Units*: segments.
//! *Deviations*: it is not started if a recovery was in progress. The response is that of [`super::undo`].

use super::LossRecovery;
use crate::connection::{Ctx, NONE};
use crate::params::Recovery;
use crate::segment::Ack;

/// Progress of F-RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrtoState {
    /// Not running.
    Idle,
    /// The first segment was retransmitted; its ACK is awaited.
    Probed,
    /// New segments still to send; nothing else is sent before the next ACK.
    Trying(u32),
}

/// The action after an ACK has been processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrtoAction {
    /// Nothing.
    Nothing,
    /// Send new segments (step 2b).
    Try,
    /// The timeout was genuine: retransmits the lost segments.
    Retransmit,
}

/// Upper bound on cwnd once the timeout was found genuine (section 2.1 step 3a).
const AFTER_TRIAL: f64 = 3.0;
/// New segments sent by step 2b.
const NEW_SEGMENTS: u32 = 2;

impl LossRecovery {
    /// Starts F-RTO at a timeout with data outstanding; `fresh`: no recovery was in progress.
    pub(super) fn frto_begin(&mut self, ctx: &mut Ctx, fresh: bool) {
        let Some(undo) = self.parts.undo.get_mut() else { return };
        undo.frto = if fresh && undo.by_trial { FrtoState::Probed } else { FrtoState::Idle };
        if fresh {
            self.save_window(ctx);
        }
    }

    /// Evaluates an ACK after a timeout, before it is processed.
    pub(crate) fn frto_on_ack(&mut self, ctx: &mut Ctx, ack: &Ack) -> FrtoAction {
        let Some(undo) = self.parts.undo.get_mut() else { return FrtoAction::Nothing };
        let (step, past) = (undo.frto, undo.past);
        if step == FrtoState::Idle || ack.ack < ctx.seq.una {
            return FrtoAction::Nothing;
        }
        let advanced = ack.ack > ctx.seq.una;
        let may_try = step == FrtoState::Probed
            && advanced
            && ack.ack < past
            && ctx.seq.max < self.frto_send_end(ctx, ack.ack);
        if may_try {
            self.set_frto_state(FrtoState::Trying(0));
            return FrtoAction::Try;
        }
        if step != FrtoState::Probed && (advanced || self.sacks_older_segment(ctx, ack, past)) {
            self.undo_reduction(ctx);
            return FrtoAction::Nothing;
        }
        self.set_frto_state(FrtoState::Idle);
        if step == FrtoState::Probed {
            return FrtoAction::Nothing;
        }
        ctx.window.cwnd = ctx.window.cwnd.min(AFTER_TRIAL);
        if !self.has_board() {
            ctx.seq.nxt = ctx.seq.una;
        }
        FrtoAction::Retransmit
    }

    /// Carries out the result of [`Sender::frto_on_ack`].
    #[cold]
    pub(crate) fn frto_act(&mut self, ctx: &mut Ctx, then: FrtoAction) {
        match then {
            FrtoAction::Nothing => {}
            FrtoAction::Try => self.frto_send_new(ctx),
            FrtoAction::Retransmit => ctx.quota = ctx.burst(),
        }
    }

    fn set_frto_state(&mut self, step: FrtoState) {
        if let Some(undo) = self.parts.undo.get_mut() {
            undo.frto = step;
        }
    }

    fn has_board(&self) -> bool {
        matches!(self.algorithm, Recovery::Sack | Recovery::Rack)
    }

    /// One past the last new segment allowed after this ACK.
    fn frto_send_end(&self, ctx: &Ctx, ack: u32) -> u32 {
        ctx.seq.limit.min(ack.saturating_add(ctx.seq.rwnd))
    }

    /// Whether the ACK newly SACKs a segment sent before the timeout. Only the first was retransmitted, and
    /// it lies below.
    fn sacks_older_segment(&mut self, ctx: &mut Ctx, ack: &Ack, past: u32) -> bool {
        let (una, max) = (ctx.seq.una, ctx.seq.max);
        let fresh = |(start, end): (u32, u32), board: &mut crate::recovery::scoreboard::Scoreboard| {
            let (from, past) = board.possibly_new(start.max(ack.ack), end.min(past));
            board.first_unsacked(from, past, una, max).is_some()
        };
        self.has_board() && ack.sack.iter().any(|block| fresh(block, &mut self.parts.board))
    }

    /// Step 2b: sends new segments regardless of the window of one.
    fn frto_send_new(&mut self, ctx: &mut Ctx) {
        let past = self.frto_send_end(ctx, ctx.seq.una);
        let count = past.saturating_sub(ctx.seq.max).min(NEW_SEGMENTS);
        if count == 0 {
            return self.set_frto_state(FrtoState::Idle);
        }
        self.forced = ctx.seq.max;
        ctx.seq.nxt = ctx.seq.max + 1;
        self.set_frto_state(FrtoState::Trying(count - 1));
    }

    /// Sends the next of them after one has left.
    pub(crate) fn frto_send_next(&mut self, ctx: &mut Ctx) {
        let Some(undo) = self.parts.undo.get_mut() else { return };
        if let FrtoState::Trying(left) = undo.frto {
            if left > 0 && self.forced == NONE {
                undo.frto = FrtoState::Trying(left - 1);
                self.forced = ctx.seq.max;
                ctx.seq.nxt = ctx.seq.max + 1;
            }
        }
    }

    /// Whether only F-RTO's segments may be sent.
    pub(crate) fn frto_blocks(&self) -> bool {
        self.parts.undo.get().is_some_and(|undo| matches!(undo.frto, FrtoState::Trying(_)))
    }
}
