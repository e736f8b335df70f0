//! Tail loss probe: a new segment, or the last one again, makes the end of a flight show its losses.
//!
//! *Reference*: RFC 8985 section 7.
//! *Units*: segments.
//! *Deviations*: those of [`super::rack`].

use crate::cc::Cause;
use crate::params::Params;
use crate::segment::Ack;
use crate::sender::{Sender, Timer, NONE};
use units::{Span, Time};

/// State of the tail loss probe.
#[derive(Clone, Debug)]
pub(crate) struct Tlp {
    /// SND.NXT when the probe was sent, and whether it was a retransmission.
    end: Option<u32>,
    retransmitted: bool,
    ack_timeout: Span,
}

impl Tlp {
    pub(super) fn new(p: &Params) -> Tlp {
        Tlp { end: None, retransmitted: false, ack_timeout: p.ack_timeout }
    }

    /// Forgets a probe that was sent.
    pub(super) fn forget(&mut self) {
        self.end = None;
    }
}

impl Sender {
    /// Arms the PTO (section 7.2): two round trips after the last ACK, longer if a delayed ACK may be
    /// pending.
    pub(crate) fn arm_probe(&mut self, now: Time) {
        let outstanding = self.seq.outstanding();
        let quiet = !self.recovering && !self.loss && self.cold.board.sacked_count == 0;
        if !quiet || outstanding == 0 || self.cold.optional.rack.tlp.end.is_some() {
            self.cold.optional.timers.cancel(Timer::Probe);
            return;
        }
        let mut wait = self.srtt().map_or(Span::from_millis(1000), |srtt| srtt * 2);
        if outstanding == 1 {
            wait = wait + self.cold.optional.rack.tlp.ack_timeout;
        }
        let probe_at = (now + wait).min(self.rto_at);
        self.cold.optional.timers.arm(Timer::Probe, probe_at);
    }

    /// Sends the probe (section 7.3): a new segment, or the last one again; restarts the retransmission
    /// timer.
    pub(super) fn probe(&mut self, now: Time) {
        if self.seq.una == self.seq.max || self.recovering || self.loss {
            return;
        }
        let past = self.seq.send_end();
        let fresh = self.seq.max < past;
        let Some(last) = self.cold.board.last_hole(self.seq.una, self.seq.max) else {
            return;
        };
        self.forced = if fresh { self.seq.max } else { last };
        if fresh {
            self.seq.nxt = self.seq.max + 1;
        }
        self.timed = NONE;
        self.cold.optional.rack.tlp.retransmitted = !fresh;
        self.cold.optional.rack.tlp.end = Some(self.seq.max + u32::from(fresh));
        self.rto_at = self.rto_after(now);
    }

    /// Processes the answer to the probe (section 7.4): if it repaired a loss, the window is reduced.
    pub(super) fn process_probe(&mut self, now: Time, ack: &Ack, delivered: u32, duplicate: bool) {
        let Some(end) = self.cold.optional.rack.tlp.end else {
            return;
        };
        let both_arrived = ack.ack == self.seq.una && delivered == 0 && (duplicate || ack.sack.is_empty());
        if ack.ack < end && !both_arrived {
            return;
        }
        self.cold.optional.rack.tlp.end = None;
        let repaired = self.cold.optional.rack.tlp.retransmitted && !both_arrived && ack.echo_of_probe(self);
        if repaired && !self.recovering && !self.loss && self.seq.una >= self.recover {
            self.recover = self.seq.max;
            self.keep_reduction();
            self.reduce_window(now, Cause::Loss);
        }
    }
}

impl Ack {
    /// Whether it acknowledges the retransmission: the timestamp tells the original from the probe.
    fn echo_of_probe(&self, sender: &Sender) -> bool {
        let last = sender.cold.optional.ledger.get(sender.seq.una.saturating_sub(1));
        last.transmits > 1 && self.echo >= last.at
    }
}
