//! F-RTO: detects a spurious timeout without timestamps. Two new segments are sent before further
//! retransmissions; the ACKs show whether segments sent before the timeout keep arriving.
//!
//! *Reference*: RFC 5682 sections 2.1 (cumulative ACKs) and 3.1 (SACK); Linux where `reorder_timer` asks for it, by its
//! output: `docs/transports/tcp.md`.
//! *Units*: segments.
//! *Deviations*: it is not started if a recovery was in progress. The response is that of [`super::undo`].

use super::LossRecovery;
use crate::connection::{Ctx, NONE};
use crate::params::{Recovery, ReorderTimer};
use crate::segment::Ack;

/// Progress of F-RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrtoState {
    /// Not running.
    Idle,
    /// The first segment was retransmitted; its ACK is awaited. In Linux until something shows that the timeout was
    /// genuine or spurious.
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
    /// Starts F-RTO at a timeout with data outstanding; `fresh`: no recovery was in progress. Linux starts it again at
    /// each further timeout without an ACK of new data in between.
    pub(super) fn frto_begin(&mut self, ctx: &mut Ctx, fresh: bool) {
        let again = by_linux(ctx) && self.parts.timeout_una == ctx.seq.una;
        let Some(undo) = self.parts.undo.get_mut() else { return };
        undo.frto = if (fresh || again) && undo.by_trial { FrtoState::Probed } else { FrtoState::Idle };
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
        if by_linux(ctx) {
            return self.frto_by_originals(ctx, ack);
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

    /// The same as Linux does it: any ACK of a segment sent once and before the timeout shows that it was spurious; once
    /// new segments have left, a duplicate ACK or a SACK block of others shows that it was genuine.
    fn frto_by_originals(&mut self, ctx: &mut Ctx, ack: &Ack) -> FrtoAction {
        let advanced = ack.ack > ctx.seq.una;
        let (original, sacked) = self.first_reports(ctx, ack);
        if original {
            self.undo_reduction(ctx);
            return FrtoAction::Nothing;
        }
        if ctx.seq.max > self.recover {
            let genuine = sacked || !advanced;
            self.set_frto_state(if genuine { FrtoState::Idle } else { FrtoState::Probed });
            return FrtoAction::Nothing;
        }
        if !advanced || ack.ack >= self.recover {
            return FrtoAction::Nothing;
        }
        if ctx.seq.max < self.frto_send_end(ctx, ack.ack) {
            return FrtoAction::Try;
        }
        self.set_frto_state(FrtoState::Idle);
        FrtoAction::Nothing
    }

    /// Whether the ACK reports a segment sent once and before the timeout for the first time; whether its SACK blocks
    /// report anything for the first time.
    fn first_reports(&mut self, ctx: &Ctx, ack: &Ack) -> (bool, bool) {
        let (una, max, recover) = (ctx.seq.una, ctx.seq.max, self.recover);
        let (board, ledger) = (&mut self.parts.board, &ctx.tracking.ledger);
        let mut unknown = |start: u32, end: u32| {
            let first = board.first_unsacked(start, end, una, max);
            std::iter::successors(first, |seq| board.first_unsacked(seq + 1, end, una, max))
                .collect::<Vec<_>>()
        };
        let is_original = |seq: &u32| *seq < recover && ledger.get(*seq).transmits == 1;
        let acked = unknown(una, ack.ack);
        let sacked: Vec<u32> =
            ack.sack.iter().flat_map(|(start, end)| unknown(start.max(ack.ack), end)).collect();
        (acked.iter().chain(&sacked).any(is_original), !sacked.is_empty())
    }

    /// Carries out the result of [`LossRecovery::frto_on_ack`].
    #[cold]
    pub(crate) fn frto_act(&mut self, ctx: &mut Ctx, then: FrtoAction) {
        match then {
            FrtoAction::Nothing => {}
            // Linux sends as many as the window allows, and retransmits at once if it allows none.
            FrtoAction::Try if by_linux(ctx) => {
                let open = self.loss && self.has_room(ctx);
                self.set_frto_state(if open { FrtoState::Trying(0) } else { FrtoState::Idle });
            }
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

    /// The next segment while [`LossRecovery::frto_blocks`]: in Linux a new one that the window allows.
    #[cold]
    pub(crate) fn next_in_trial(&self, ctx: &Ctx) -> Option<u32> {
        let open = by_linux(ctx) && self.has_room(ctx);
        (open && ctx.seq.max < ctx.seq.send_end()).then_some(ctx.seq.max)
    }
}

/// Whether F-RTO is that of Linux, which judges ACKs by the ledger.
fn by_linux(ctx: &Ctx) -> bool {
    ctx.params.recovery == Recovery::Rack && ctx.params.reorder_timer == ReorderTimer::Ticks
}
