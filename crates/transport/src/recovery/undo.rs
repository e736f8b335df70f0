//! Cuts that were for nothing: what counted as lost came late, and the window returns to what it was.
//!
//! *Reference*: RFC 3522 section 3 (Eifel detection, by timestamps), RFC 3708 (detection by duplicate SACKs), RFC 4015
//! section 3.2 for the response, RFC 9438 section 4.9 for what CUBIC remembers; detection after a timeout without either is in
//! [`super::frto`].
//! *Units*: segments.
//! *Deviations*: the window returns at once, not by slow start from the flight; the timeout is not raised.

use super::frto::Step;
use crate::cc::{Control, Window};
use crate::params::{Params, Recovery, Samples};
use crate::segment::Ack;
use crate::sender::{Action, Sender};
use units::Time;

/// What a cut would have to give back.
#[derive(Clone, Debug)]
pub(crate) struct Undo {
    /// Timestamps and duplicate SACKs are asked.
    by_echo: bool,
    by_timestamps: bool,
    /// New segments are tried after a timeout.
    pub(super) by_trial: bool,
    pub(super) step: Step,
    /// The window before the cut.
    pub(super) before: Option<Window>,
    /// The first segment that was outstanding then, and one past the last.
    from: u32,
    pub(super) past: u32,
    /// The segment that was sent again first, and when; how many were and have not been reported as having come twice.
    first_again: Option<(u32, Time)>,
    again: u32,
    /// Cuts undone.
    pub(crate) times: u32,
}

impl Undo {
    /// `None` where the options never let a cut be undone, or the control is `modelled`: then there is no window to give back.
    pub(crate) fn new(p: &Params, modelled: bool) -> Option<Undo> {
        let by_echo = p.undo && p.recovery == Recovery::Rack;
        let wanted = (by_echo || p.frto) && !modelled;
        wanted.then_some(Undo {
            by_echo,
            by_timestamps: p.samples != Samples::PerWindow,
            by_trial: p.frto,
            step: Step::Idle,
            before: None,
            from: 0,
            past: 0,
            first_again: None,
            again: 0,
            times: 0,
        })
    }

    /// A segment is sent again.
    pub(crate) fn sent_again(&mut self, now: Time, seq: u32) {
        if self.before.is_some() && seq < self.past {
            self.first_again.get_or_insert((seq, now));
            self.again += 1;
        }
    }

    /// Whether what acknowledges the first segment sent again was caused by one that had left before.
    fn original_came(&self, ack: &Ack) -> bool {
        self.by_timestamps && self.first_again.is_some_and(|(seq, at)| ack.ack > seq && ack.echo < at)
    }

    /// Segment `seq` came twice; whether now all that was sent again has.
    fn all_came_twice(&mut self, seq: u32) -> bool {
        if self.before.is_none() || self.again == 0 || seq < self.from || seq >= self.past {
            return false;
        }
        self.again -= 1;
        self.again == 0
    }
}

impl Sender {
    /// A recovery is about to cut the window.
    pub(crate) fn remember_window(&mut self) {
        let (window, from, past) = (self.window, self.una, self.max);
        let Some(undo) = self.cold.undo() else { return };
        (undo.before, undo.from, undo.past) = (Some(window), from, past);
        (undo.first_again, undo.again) = (None, 0);
        self.cc.before_cut();
    }

    /// The window was cut for a reason of its own.
    pub(crate) fn keep_cut(&mut self) {
        if let Some(undo) = self.cold.undo() {
            undo.before = None;
        }
    }

    /// An acknowledgement came; `twice`: it reports that segment as having come twice.
    pub(crate) fn undo_if_for_nothing(&mut self, ack: &Ack, twice: Option<u32>) {
        let repairing = self.recovering || self.loss;
        let Some(undo) = self.cold.undo().filter(|undo| undo.by_echo) else { return };
        let late = repairing && undo.original_came(ack);
        if late || twice.is_some_and(|seq| undo.all_came_twice(seq)) {
            self.undo_cut();
        }
    }

    /// Gives back what the last cut took.
    pub(super) fn undo_cut(&mut self) {
        let Some(undo) = self.cold.undo() else { return };
        undo.step = Step::Idle;
        let Some(before) = undo.before.take() else { return };
        undo.times += 1;
        self.cc.undo_cut();
        self.window.cwnd = self.window.cwnd.max(before.cwnd);
        self.window.ssthresh = self.window.ssthresh.max(before.ssthresh);
        (self.recovering, self.loss) = (false, false);
        self.last_action = Action::Exited;
        // What comes from here on is news: a loss below the old end of the recovery cuts again.
        self.recover = self.una;
        self.nxt = self.max;
        match self.recovery {
            Recovery::Rack => {
                self.cold.extras.rack.saw_reordering();
                self.find_all_again();
            }
            Recovery::Sack => self.cold.board.find_all_again(self.una, self.threshold()),
            _ => {}
        }
    }

    /// Nothing counts as lost any more that has not been sent again.
    fn find_all_again(&mut self) {
        let mut seq = self.una;
        while let Some(hole) = self.cold.board.first_unknown(seq, self.max, self.una, self.max) {
            let sent = self.cold.extras.ledger.get_mut(hole);
            let (lost, open) = (std::mem::take(&mut sent.lost_now), std::mem::take(&mut sent.hole));
            self.cold.extras.rack.lost_out -= u32::from(lost);
            self.cold.extras.rack.holes -= u32::from(open);
            seq = hole + 1;
        }
    }
}
