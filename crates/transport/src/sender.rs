//! Sending endpoint of a TCP connection: sequence space, window, timers. Loss recovery is in
//! [`crate::recovery`], the fast path in `fast_path`.
//!
//! *Reference*: RFC 5681, 6298, 3042, 3168; the semantics of ns-2.35's one-way agents where an option asks
//! for them.
//! *Units*: sequence numbers and windows count segments; `una` is the first unacknowledged segment, `nxt` the
//! next to send, `max` one past the highest sent.
//! *Deviations*: segments of one size (the last of a finite supply may be shorter); no Nagle, no zero
//! windows.

mod accessors;
mod emit;
mod fast_path;
mod handshake;
mod offload;
mod pace;
mod supply;

use crate::cc::Control;
pub use crate::connection::SenderCounters;
use crate::connection::{Ctx, Timer, NONE};
use crate::params::{Handshake, Params};
use crate::recovery::LossRecovery;
use crate::segment::{Ack, Segment};
use fast_path::FastPath;
pub use fast_path::SegmentKind;
use std::sync::Arc;
use units::param::Valid;
use units::{Stream, Time};

/// State of the sender, as a trace shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not started, or waiting for the SYN to be acknowledged.
    Opening,
    /// cwnd is below ssthresh.
    SlowStart,
    /// cwnd is at or above ssthresh.
    Avoidance,
    /// Fast recovery: retransmitting after duplicate ACKs or SACKs.
    Recovery,
    /// Loss recovery after a retransmission timeout.
    Loss,
}

/// The sender of one connection: the shared state, loss recovery, and which inputs may take the fast path.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender {
    fast: FastPath,
    opened: bool,
    jitter_elapsed: bool,
    /// The congestion control is shown every ACK, not only those that grow the window.
    shows_acks: bool,
    /// The ledger of sent segments is maintained.
    keeps_ledger: bool,
    /// Segments may be delayed although the window allows them.
    may_delay: bool,
    retransmits: u64,
    size: u32,
    /// Wire size of the last segment of a finite supply.
    last_size: u32,
    recovery: LossRecovery,
    ctx: Ctx,
}

impl Sender {
    /// Returns a sender without data to send. `stream` draws the clock offset and the sending jitter, where
    /// options ask for them.
    pub fn new(params: &Valid<Params>, stream: Stream) -> Sender {
        Sender::sharing(&Arc::new(params.clone()), stream)
    }

    /// Same as [`Sender::new`], with options shared between connections.
    pub fn sharing(params: &Arc<Valid<Params>>, stream: Stream) -> Sender {
        let p: &Params = params;
        let (ctx, needs) = Ctx::new(params, stream);
        let size = p.segment_bytes().0 as u32;
        let mut sender = Sender {
            fast: FastPath::new(),
            opened: false,
            jitter_elapsed: false,
            shows_acks: ctx.shows_acks(),
            keeps_ledger: needs.ledger,
            may_delay: needs.delays,
            retransmits: 0,
            size,
            last_size: size,
            recovery: LossRecovery::new(p, needs, ctx.model_based),
            ctx,
        };
        sender.init_fast_path();
        sender
    }

    /// Opens the connection.
    pub fn start(&mut self, now: Time) {
        if self.ctx.params.handshake == Handshake::ThreeWay {
            self.recovery.forced = 0;
        } else {
            self.opened = true;
            self.ctx.cc.on_open_at(now);
            self.start_pacing();
            self.allow_sending();
        }
    }

    /// Processes an acknowledgement.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        if let Some(window) = ack.window {
            self.update_window(ack.ack, window);
        }
        let is_bare = !ack.ece && !ack.syn;
        if !is_bare || !self.take_fast_step(now, ack) {
            self.on_ack_slow(now, ack);
            self.write_more();
            self.update_fast_path();
        }
    }

    /// Takes the receive window of an acknowledgement, before the rest of it.
    #[inline]
    pub fn update_window(&mut self, ack: u32, window: u32) {
        self.ctx.update_window(ack, window);
    }

    /// Processes an acknowledgement without SYN and ECN echo on the fast path. Returns false, without effect, if it
    /// needs the slow path. Untracked senders get blocks by [`Sender::on_sack_fast`] alone.
    #[inline]
    fn take_fast_step(&mut self, now: Time, ack: &Ack) -> bool {
        if ack.sack.is_empty() {
            return self.on_ack_fast(now, ack.ack, ack.echo);
        }
        self.has_rack_steps() && self.on_sack_tracked(now, (ack.ack, ack.echo), &ack.sack, |_| {})
    }

    fn on_ack_slow(&mut self, now: Time, ack: &Ack) {
        self.jitter_elapsed = false;
        if !self.opened {
            return self.on_syn_ack(now, ack);
        }
        self.ctx.quota = self.ctx.burst();
        if self.may_delay {
            self.send_due_first(now);
        }
        let unexpected = ack.ack > self.ctx.seq.max;
        if unexpected {
            return;
        }
        if self.shows_acks {
            if self.ctx.feedback.is_present() {
                let echoing = self.recovery.decode_accecn(&mut self.ctx, ack);
                self.recovery.show_to_cc(&mut self.ctx, now, &echoing);
                return self.recovery.on_ack(&mut self.ctx, now, &echoing);
            }
            self.recovery.show_to_cc(&mut self.ctx, now, ack);
        }
        self.recovery.on_ack(&mut self.ctx, now, ack);
    }

    /// Fires the timers that are due; does nothing before the deadline of [`Sender::poll_timeout`].
    pub fn on_timer(&mut self, now: Time) {
        if self.ctx.timers.others_are_due(now) {
            self.on_other_timers(now);
        }
        if self.ctx.timers.is_due(Timer::Retransmission, now) {
            self.on_timeout(now);
        }
        self.update_fast_path();
    }

    /// The retransmission timer has expired. A SYN is sent again.
    #[cold]
    fn on_timeout(&mut self, now: Time) {
        if self.opened {
            return self.recovery.on_timeout(&mut self.ctx, now);
        }
        self.recovery.forced = 0;
        self.ctx.counters.timeouts += 1;
        self.ctx.back_off(now);
    }

    fn poll_segment(&mut self, now: Time) -> Option<Segment> {
        if self.ctx.paced && self.ctx.tracking.early.is_some() {
            return self.ctx.tracking.early.take();
        }
        if self.recovery.forced != NONE {
            let seq = std::mem::replace(&mut self.recovery.forced, NONE);
            let segment = if self.opened { self.emit_forced(now, seq) } else { self.syn(now) };
            if self.recovery.loss {
                self.recovery.frto_send_next(&mut self.ctx);
            }
            return Some(segment);
        }
        if self.ctx.quota == 0 {
            return None;
        }
        let seq = self.recovery.next_segment(&mut self.ctx)?;
        if self.may_delay && !self.may_send_now(now) {
            return None;
        }
        if self.ctx.offloads && seq == self.ctx.seq.max && !self.may_join_burst(now) {
            return None;
        }
        self.ctx.quota -= 1;
        self.recovery.record_sent(&mut self.ctx, seq);
        Some(self.emit(now, seq))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receiver::Receiver;
    use crate::recovery::Parts;

    /// Memory of an idle flow: there may be a million of them.
    #[test]
    fn ends_stay_small() {
        assert!(size_of::<Sender>() <= 272, "{}", size_of::<Sender>());
        assert!(size_of::<Parts>() <= 136, "{}", size_of::<Parts>());
        assert!(size_of::<Receiver>() <= 88, "{}", size_of::<Receiver>());
    }
}
