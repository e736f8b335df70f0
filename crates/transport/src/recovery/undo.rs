//! Recoveries that were for nothing: what counted as lost came late, and the window returns to what it was.
//!
//! *Reference*: RFC 3522 section 3 (Eifel detection, by timestamps), RFC 3708 (detection by duplicate SACKs), RFC 4015
//! section 3.2 for the response.
//! *Units*: segments.
//! *Deviations*: the window returns at once, not by slow start from the flight; the timeout is not raised. What a congestion
//! control remembers of the cut stays.

use crate::cc::Window;
use crate::params::{Params, Samples};
use crate::segment::Ack;
use crate::sender::{Action, Sender};
use units::Time;

/// What a recovery would have to give back.
#[derive(Clone, Debug)]
pub(crate) struct Undo {
    /// It is asked for, and timestamps tell an original from its repeat.
    on: bool,
    by_timestamps: bool,
    /// The window before the cut.
    before: Option<Window>,
    /// The first segment that was outstanding then, and one past the last.
    from: u32,
    past: u32,
    /// The segment that was sent again first, and when; how many were and have not been reported as having come twice.
    first_again: Option<(u32, Time)>,
    again: u32,
    /// Recoveries undone.
    pub(crate) times: u32,
}

impl Undo {
    pub(crate) fn new(p: &Params) -> Undo {
        let by_timestamps = p.samples != Samples::PerWindow;
        Undo {
            on: p.undo,
            by_timestamps,
            before: None,
            from: 0,
            past: 0,
            first_again: None,
            again: 0,
            times: 0,
        }
    }

    /// A segment is sent again.
    pub(crate) fn sent_again(&mut self, now: Time, seq: u32) {
        if self.before.is_some() && seq < self.past {
            self.first_again.get_or_insert((seq, now));
            self.again += 1;
        }
    }

    /// The window was cut for a reason of its own.
    pub(crate) fn forget(&mut self) {
        self.before = None;
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
        let (window, from, past, wanted) = (self.window, self.una, self.max, !self.modelled);
        let undo = &mut self.cold.gauges.rack.undo;
        if undo.on && wanted {
            (undo.before, undo.from, undo.past) = (Some(window), from, past);
            (undo.first_again, undo.again) = (None, 0);
        }
    }

    /// An acknowledgement came; `twice`: it reports that segment as having come twice.
    pub(crate) fn undo_if_for_nothing(&mut self, ack: &Ack, twice: Option<u32>) {
        let repairing = self.recovering || self.loss;
        let undo = &mut self.cold.gauges.rack.undo;
        let late = repairing && undo.original_came(ack);
        if !(late || twice.is_some_and(|seq| undo.all_came_twice(seq))) {
            return;
        }
        let Some(before) = undo.before.take() else { return };
        self.window.cwnd = self.window.cwnd.max(before.cwnd);
        self.window.ssthresh = self.window.ssthresh.max(before.ssthresh);
        (self.recovering, self.loss) = (false, false);
        self.last_action = Action::Exited;
        // What comes from here on is news: a loss below the old end of the recovery cuts again.
        self.recover = self.una;
        self.cold.gauges.rack.undo.times += 1;
        self.cold.gauges.rack.saw_reordering();
        self.find_all_again();
    }

    /// Nothing counts as lost any more that has not been sent again.
    fn find_all_again(&mut self) {
        let mut seq = self.una;
        while let Some(hole) = self.cold.board.first_unknown(seq, self.max, self.una, self.max) {
            let sent = self.cold.gauges.ledger.get_mut(hole);
            if std::mem::take(&mut sent.lost_now) {
                self.cold.gauges.rack.lost_out -= 1;
            }
            seq = hole + 1;
        }
    }
}
