//! Whether a timeout was for nothing, found without timestamps: two new segments leave before anything more is sent again, and the
//! acknowledgements say whether what had left before the timeout keeps arriving (F-RTO).
//!
//! *Reference*: RFC 5682 sections 2.1 (cumulative acknowledgements) and 3.1 (selective ones).
//! *Units*: segments.
//! *Deviations*: it is not begun where a recovery was under way. The response is that of [`super::undo`].

use crate::params::Recovery;
use crate::segment::Ack;
use crate::sender::{Sender, NONE};

/// How far the trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There is none.
    Idle,
    /// The first segment was sent again; what the next acknowledgement says is awaited.
    Probed,
    /// So many new segments are still to leave; nothing else does before the next acknowledgement.
    Trying(u32),
}

/// What is to be done once an acknowledgement was taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Nothing of the trial's.
    Nothing,
    /// New segments leave.
    Try,
    /// The timeout was right: what was lost is sent again.
    Repair,
}

/// The most a window may be once the timeout was found right (section 2.1 step 3a).
const AFTER_TRIAL: f64 = 3.0;
/// New segments that leave (step 2b).
const NEW_SEGMENTS: u32 = 2;

impl Sender {
    /// The timer has expired with data outstanding; `fresh`: no loss was being repaired.
    pub(super) fn doubt_timeout(&mut self, fresh: bool) {
        let Some(undo) = self.cold.undo() else { return };
        undo.step = if fresh && undo.by_trial { Step::Probed } else { Step::Idle };
        if fresh {
            self.remember_window();
        }
    }

    /// An acknowledgement after a timeout, before anything is made of it.
    pub(crate) fn judge_timeout(&mut self, ack: &Ack) -> Then {
        let Some(undo) = self.cold.undo() else { return Then::Nothing };
        let (step, past) = (undo.step, undo.past);
        if step == Step::Idle || ack.ack < self.una {
            return Then::Nothing;
        }
        let advanced = ack.ack > self.una;
        let may_try =
            step == Step::Probed && advanced && ack.ack < past && self.max < self.past_trial(ack.ack);
        if may_try {
            self.set_step(Step::Trying(0));
            return Then::Try;
        }
        if step != Step::Probed && (advanced || self.holds_news(ack, past)) {
            self.undo_cut();
            return Then::Nothing;
        }
        self.set_step(Step::Idle);
        if step == Step::Probed {
            return Then::Nothing;
        }
        self.window.cwnd = self.window.cwnd.min(AFTER_TRIAL);
        if !self.has_board() {
            self.nxt = self.una;
        }
        Then::Repair
    }

    /// Does what [`Sender::judge_timeout`] said.
    #[cold]
    pub(crate) fn act_on_verdict(&mut self, then: Then) {
        match then {
            Then::Nothing => {}
            Then::Try => self.try_new_segments(),
            Then::Repair => self.quota = self.burst(),
        }
    }

    fn set_step(&mut self, step: Step) {
        if let Some(undo) = self.cold.undo() {
            undo.step = step;
        }
    }

    fn has_board(&self) -> bool {
        matches!(self.recovery, Recovery::Sack | Recovery::Rack)
    }

    /// One past the last segment that may be new after this acknowledgement.
    fn past_trial(&self, ack: u32) -> u32 {
        self.limit.min(ack.saturating_add(self.rwnd))
    }

    /// Whether it newly reports a segment that had left before the timeout. Only the first one was sent again, and that lies below.
    fn holds_news(&mut self, ack: &Ack, past: u32) -> bool {
        let (una, max) = (self.una, self.max);
        let fresh = |(start, end): (u32, u32), board: &mut crate::recovery::board::Board| {
            board.first_unknown(start.max(ack.ack), end.min(past), una, max).is_some()
        };
        self.has_board() && ack.sack.iter().any(|block| fresh(block, &mut self.cold.board))
    }

    /// Step 2b: new segments leave, whatever the window of one says.
    fn try_new_segments(&mut self) {
        let past = self.past_trial(self.una);
        let count = past.saturating_sub(self.max).min(NEW_SEGMENTS);
        if count == 0 {
            return self.set_step(Step::Idle);
        }
        self.forced = self.max;
        self.nxt = self.max + 1;
        self.set_step(Step::Trying(count - 1));
    }

    /// The next of them, after one has left.
    pub(crate) fn follow_up(&mut self) {
        let Some(undo) = self.cold.undo() else { return };
        if let Step::Trying(left) = undo.step {
            if left > 0 && self.forced == NONE {
                undo.step = Step::Trying(left - 1);
                self.forced = self.max;
                self.nxt = self.max + 1;
            }
        }
    }

    /// Whether nothing leaves but what tries the path.
    pub(crate) fn awaits_verdict(&self) -> bool {
        self.cold.extras.parts().undo.as_ref().is_some_and(|undo| matches!(undo.step, Step::Trying(_)))
    }
}
