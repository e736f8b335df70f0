//! Undo of spurious reductions: segments marked lost were late, and the window is restored.
//!
//! *Reference*: RFC 3522 section 3 (Eifel detection, by timestamps), RFC 3708 (detection by duplicate SACKs),
//! RFC 4015 section 3.2 for the response, RFC 9438 section 4.9 for CUBIC's state; detection after a timeout
//! without either is in [`super::frto`].
//! *Units*: segments.
//! *Deviations*: the window is restored at once, not by slow start from the flight; the timeout is not
//! raised.

use super::frto::FrtoState;
use crate::cc::{Control, Window};
use crate::params::{Params, Recovery, Samples};
use crate::segment::Ack;
use crate::sender::{Action, Sender};
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
    pub(crate) count: u32,
}

impl Undo {
    /// `None` if the options never allow undo, or if the control is `model_based`, which has no window to
    /// restore.
    pub(crate) fn new(p: &Params, model_based: bool) -> Option<Undo> {
        let by_echo = p.undo && p.recovery == Recovery::Rack;
        let wanted = (by_echo || p.frto) && !model_based;
        wanted.then_some(Undo {
            by_echo,
            by_timestamps: p.samples != Samples::PerWindow,
            by_trial: p.frto,
            frto: FrtoState::Idle,
            before: None,
            from: 0,
            past: 0,
            first_again: None,
            again: 0,
            count: 0,
        })
    }

    /// Records a retransmission.
    pub(crate) fn record_retransmission(&mut self, now: Time, seq: u32) {
        if self.before.is_some() && seq < self.past {
            self.first_again.get_or_insert((seq, now));
            self.again += 1;
        }
    }

    /// Whether the ACK of the first retransmitted segment was caused by its original.
    fn original_arrived(&self, ack: &Ack) -> bool {
        self.by_timestamps && self.first_again.is_some_and(|(seq, at)| ack.ack > seq && ack.echo < at)
    }

    /// Records that `seq` arrived duplicate. Returns whether all retransmissions now have.
    fn all_duplicated(&mut self, seq: u32) -> bool {
        if self.before.is_none() || self.again == 0 || seq < self.from || seq >= self.past {
            return false;
        }
        self.again -= 1;
        self.again == 0
    }
}

impl Sender {
    /// Saves the window before a recovery reduces it.
    pub(crate) fn save_window(&mut self) {
        let (window, from, past) = (self.window, self.seq.una, self.seq.max);
        let Some(undo) = self.cold.undo() else { return };
        (undo.before, undo.from, undo.past) = (Some(window), from, past);
        (undo.first_again, undo.again) = (None, 0);
        self.cc.save_before_reduction();
    }

    /// Makes the reduction final: it has a cause of its own.
    pub(crate) fn keep_reduction(&mut self) {
        if let Some(undo) = self.cold.undo() {
            undo.before = None;
        }
    }

    /// Undoes the reduction if the ACK shows that it was spurious; `duplicate`: the segment that a DSACK
    /// reports.
    pub(crate) fn undo_if_spurious(&mut self, ack: &Ack, duplicate: Option<u32>) {
        let repairing = self.recovering || self.loss;
        let Some(undo) = self.cold.undo().filter(|undo| undo.by_echo) else { return };
        let late = repairing && undo.original_arrived(ack);
        if late || duplicate.is_some_and(|seq| undo.all_duplicated(seq)) {
            self.undo_reduction();
        }
    }

    /// Restores the window from before the last reduction.
    pub(super) fn undo_reduction(&mut self) {
        let Some(undo) = self.cold.undo() else { return };
        undo.frto = FrtoState::Idle;
        let Some(before) = undo.before.take() else { return };
        undo.count += 1;
        self.cc.undo_reduction();
        self.window.cwnd = self.window.cwnd.max(before.cwnd);
        self.window.ssthresh = self.window.ssthresh.max(before.ssthresh);
        (self.recovering, self.loss) = (false, false);
        self.last_action = Action::Exited;
        // Later losses are new: one below the old end of the recovery reduces again.
        self.recover = self.seq.una;
        self.seq.nxt = self.seq.max;
        match self.recovery {
            Recovery::Rack => {
                self.cold.optional.rack.record_reordering();
                self.recompute_losses();
            }
            Recovery::Sack => self.cold.board.recompute_losses(self.seq.una, self.threshold()),
            _ => {}
        }
    }

    /// Clears all loss marks of segments not retransmitted.
    fn recompute_losses(&mut self) {
        let holes = self.holes();
        let tracking = &mut *self.cold.optional;
        tracking.rack.forget_losses(&mut tracking.ledger, holes);
    }
}
