//! Undo of spurious reductions: segments marked lost were late, and the window is restored.
//!
//! *Reference*: RFC 3522 section 3 (Eifel detection, by timestamps), RFC 3708 (detection by duplicate SACKs),
//! RFC 4015 section 3.2 for the response, RFC 9438 section 4.9 for CUBIC's state; detection after a timeout
//! without either is in [`super::frto`].
//! *Units*: segments.
//! *Deviations*: the window is restored at once, not by slow start from the flight; the timeout is not
//! raised.

use super::frto::FrtoState;
use super::{LastReduction, LossRecovery};
use crate::cc::{Control, Window};
use crate::connection::Ctx;
use crate::params::{Params, Recovery, RttSamples};
use units::Time;

/// State to restore if the reduction was spurious.
#[derive(Clone, Debug)]
pub(crate) struct Undo {
    /// Detection by timestamps and duplicate SACKs is on.
    by_echo: bool,
    by_timestamps: bool,
    /// Detection by F-RTO is on.
    pub(super) by_trial: bool,
    pub(super) frto: FrtoState,
    /// The window before the reduction.
    pub(super) before: Option<Window>,
    /// The first outstanding segment then, and one past the last.
    from: u32,
    pub(super) past: u32,
    /// The first segment retransmitted and when; retransmissions not yet reported as duplicates.
    first_again: Option<(u32, Time)>,
    again: u32,
    /// Reductions undone.
    count: u32,
}

impl Undo {
    /// Whether the options allow undo. A control that is `model_based` has no window to restore.
    pub(super) fn is_wanted(p: &Params, model_based: bool) -> bool {
        (p.undo && p.recovery == Recovery::Rack || Undo::by_trial(p)) && !model_based
    }

    /// Whether F-RTO is on, for which `sack1` and `vegas` have no step.
    fn by_trial(p: &Params) -> bool {
        p.frto && !matches!(p.recovery, Recovery::Sack1 | Recovery::Vegas)
    }

    /// Nothing to undo yet.
    pub(super) fn new(p: &Params) -> Undo {
        Undo {
            by_echo: p.undo && p.recovery == Recovery::Rack,
            by_timestamps: p.samples != RttSamples::PerWindow,
            by_trial: Undo::by_trial(p),
            frto: FrtoState::Idle,
            before: None,
            from: 0,
            past: 0,
            first_again: None,
            again: 0,
            count: 0,
        }
    }

    /// Records a retransmission.
    pub(crate) fn record_retransmission(&mut self, now: Time, seq: u32) {
        if self.before.is_some() && seq < self.past {
            self.first_again.get_or_insert((seq, now));
            self.again += 1;
        }
    }

    /// Whether the ACK of the first retransmitted segment was caused by its original.
    fn original_arrived(&self, (ack, echo): (u32, Time)) -> bool {
        self.by_timestamps && self.first_again.is_some_and(|(seq, at)| ack > seq && echo < at)
    }

    /// Records that `seq` arrived twice. Returns whether all retransmitted segments have.
    fn all_duplicated(&mut self, seq: u32) -> bool {
        if self.before.is_none() || self.again == 0 || seq < self.from || seq >= self.past {
            return false;
        }
        self.again -= 1;
        self.again == 0
    }
}

impl LossRecovery {
    /// Reductions undone.
    pub(crate) fn undone(&self) -> u32 {
        self.parts.undo.get().map_or(0, |undo| undo.count)
    }

    /// Resets the number of reductions undone.
    pub(crate) fn reset_undone(&mut self) {
        if let Some(undo) = self.parts.undo.get_mut() {
            undo.count = 0;
        }
    }

    /// Saves the window before a recovery reduces it.
    pub(crate) fn save_window(&mut self, ctx: &mut Ctx) {
        let (window, from, past) = (ctx.window, ctx.seq.una, ctx.seq.max);
        let Some(undo) = self.parts.undo.get_mut() else { return };
        (undo.before, undo.from, undo.past) = (Some(window), from, past);
        (undo.first_again, undo.again) = (None, 0);
        ctx.cc.save_before_reduction();
    }

    /// Makes the reduction final: it has a cause of its own.
    pub(crate) fn keep_reduction(&mut self) {
        if let Some(undo) = self.parts.undo.get_mut() {
            undo.before = None;
        }
    }

    /// Undoes the reduction if the ACK, with its timestamp echo, shows that it was spurious; `duplicate`: the segment
    /// that a DSACK reports.
    pub(crate) fn undo_if_spurious(&mut self, ctx: &mut Ctx, ack: (u32, Time), duplicate: Option<u32>) {
        let in_recovery = self.recovering || self.loss;
        let Some(undo) = self.parts.undo.get_mut().filter(|undo| undo.by_echo) else { return };
        let late = in_recovery && undo.original_arrived(ack);
        if late || duplicate.is_some_and(|seq| undo.all_duplicated(seq)) {
            self.undo_reduction(ctx);
        }
    }

    /// Restores the window from before the last reduction.
    pub(super) fn undo_reduction(&mut self, ctx: &mut Ctx) {
        let Some(undo) = self.parts.undo.get_mut() else { return };
        undo.frto = FrtoState::Idle;
        let Some(before) = undo.before.take() else { return };
        undo.count += 1;
        ctx.cc.undo_reduction();
        ctx.window.cwnd = ctx.window.cwnd.max(before.cwnd);
        ctx.window.ssthresh = ctx.window.ssthresh.max(before.ssthresh);
        (self.recovering, self.loss) = (false, false);
        self.last_reduction = LastReduction::Exited;
        // Later losses are new: one below the old end of the recovery reduces again.
        self.recover = ctx.seq.una;
        ctx.seq.nxt = ctx.seq.max;
        match self.algorithm {
            Recovery::Rack => {
                self.parts.rack.record_reordering();
                self.recompute_losses(ctx);
            }
            Recovery::Sack => self.parts.board.recompute_losses(ctx.seq.una, ctx.threshold()),
            _ => {}
        }
    }

    /// Clears all loss marks of segments not retransmitted.
    fn recompute_losses(&mut self, ctx: &mut Ctx) {
        let holes = self.holes(ctx);
        self.parts.rack.forget_losses(&mut ctx.tracking.ledger, holes);
    }
}
