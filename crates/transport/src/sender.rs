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
mod cold;
mod counters;
mod emit;
mod fast_path;
mod offload;
mod pace;
mod sequence;
mod supply;
mod timers;
mod tracking;

use crate::cc::{Cc, Control, Window};
use crate::params::{Handshake, Pacing, Params, Recovery};
use crate::recovery::frto::FrtoAction;
use crate::rtt::Estimate;
use crate::segment::{Ack, Segment};
pub use counters::SenderCounters;
use std::sync::Arc;
use units::param::Valid;
use units::{Rng, Span, Stream, Time};

pub(crate) use cold::Cold;
use fast_path::FastPath;
pub(crate) use pace::Pacer;
pub(crate) use sequence::SequenceSpace;
pub(crate) use timers::Timer;

/// Sequence number that stands for "no segment".
pub(crate) const NONE: u32 = u32::MAX;

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

/// The last event that reduced the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Nothing,
    FastRetransmit,
    Timeout,
    Ecn,
    Exited,
}

/// The sender of one connection.
#[derive(Clone, Debug)]
pub struct Sender {
    pub(crate) seq: SequenceSpace,
    pub(crate) dupacks: u32,
    /// Segments by which duplicate ACKs inflate the window.
    pub(crate) inflation: u32,
    /// One past the highest segment sent when the window was last reduced (`recover` of RFC 6582).
    pub(crate) recover: u32,
    /// Segment to send regardless of the window; `NONE` if there is none.
    pub(crate) forced: u32,
    /// Segments this input may still release (`max_burst`).
    pub(crate) quota: u32,
    /// The segment whose round trip is being timed; `NONE` if none is.
    pub(crate) timed: u32,
    pub(crate) timed_at: Time,
    pub(crate) rto_at: Time,
    pub(crate) rto: Span,
    pub(crate) window: Window,
    /// Upper bound on cwnd, in segments.
    max_cwnd: u32,
    retransmits: u64,
    size: u32,
    pub(crate) recovery: Recovery,
    pub(crate) last_action: Action,
    /// In fast recovery.
    pub(crate) recovering: bool,
    /// After a timeout, until everything outstanding at the timeout is acknowledged.
    pub(crate) loss: bool,
    /// A partial ACK arrived in this recovery.
    pub(crate) partial_seen: bool,
    pub(crate) opened: bool,
    pub(crate) timer_after_sample: bool,
    pub(crate) ecn: bool,
    pub(crate) cwr: bool,
    jitter_elapsed: bool,
    /// The congestion control is shown every ACK, not only those that grow the window.
    shows_acks: bool,
    /// The ledger of sent segments is maintained (rate samples, RACK, Vegas, pacing).
    keeps_ledger: bool,
    /// The congestion control sets the window from a model of the path (BBR).
    pub(crate) model_based: bool,
    /// Segments are paced.
    paced: bool,
    /// Segments may be delayed although the window allows them (pacing, jitter, `open_wait`).
    may_delay: bool,
    /// New segments are sent in bursts, as with segmentation offload.
    pub(crate) offloads: bool,
    pub(crate) fast: FastPath,
    pub(crate) cc: Cc,
    pub(crate) cold: Box<Cold>,
}

impl Sender {
    /// Returns a sender without data to send. `stream` draws the clock offset and the sending jitter, where
    /// options ask for them.
    pub fn new(params: &Valid<Params>, stream: Stream) -> Sender {
        Sender::sharing(&Arc::new(params.clone()), stream)
    }

    /// Same as [`Sender::new`], with options shared between connections.
    pub fn sharing(params: &Arc<Valid<Params>>, mut stream: Stream) -> Sender {
        let p: &Params = params;
        let boot = p.boot_time.unwrap_or_else(|| p.tick.scale(stream.uniform()));
        let rtt = Estimate::new(params, boot);
        let syn_is_data = p.handshake == Handshake::Ns2Syn;
        let cc = Cc::new(p);
        let model_based = cc.models();
        let paced = p.pacing == Pacing::Window || (p.pacing == Pacing::Auto && cc.paces());
        let keeps_ledger = p.keeps_times() || model_based || paced;
        let may_delay = paced || p.overhead > Span::ZERO || p.open_wait > Span::ZERO;
        let rto = rtt.rto(p);
        let cold = Box::new(Cold::new(params, stream, rtt, (keeps_ledger || may_delay, model_based)));
        let mut sender = Sender {
            seq: SequenceSpace {
                una: 0,
                nxt: 0,
                max: 0,
                limit: u32::from(syn_is_data),
                rwnd: p.window.map_or(NONE, |w| w as u32),
            },
            dupacks: 0,
            inflation: 0,
            recover: if p.opening_fix { p.first_segment() } else { 1 },
            forced: NONE,
            quota: 0,
            timed: NONE,
            timed_at: Time::ZERO,
            rto_at: Time::NEVER,
            rto,
            window: cold::opening_window(p),
            max_cwnd: p.max_cwnd.map_or(NONE, |w| w as u32),
            retransmits: 0,
            size: p.segment_bytes().0 as u32,
            recovery: p.recovery,
            last_action: Action::Nothing,
            recovering: false,
            loss: false,
            partial_seen: false,
            opened: false,
            timer_after_sample: p.timer_after_sample,
            ecn: p.ecn,
            cwr: false,
            jitter_elapsed: false,
            shows_acks: cc.watches()
                || model_based
                || cold.optional.parts().feedback.is_some()
                || p.frto
                || p.recovery == Recovery::Rack,
            keeps_ledger,
            model_based,
            paced,
            may_delay,
            offloads: p.bunches && p.recovery == Recovery::Rack,
            fast: FastPath::new(p),
            cc,
            cold,
        };
        sender.fast.eligible = sender.is_fast_path_eligible();
        sender
    }

    /// Opens the connection.
    pub fn start(&mut self, _now: Time) {
        if self.cold.params.handshake == Handshake::ThreeWay {
            self.forced = 0;
        } else {
            self.opened = true;
            self.start_pacing();
            self.allow_sending();
        }
    }

    /// Processes an acknowledgement.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        let bare = ack.sack.is_empty() && !ack.ece && !ack.syn;
        if !bare || !self.on_ack_fast(now, ack.ack, ack.echo) {
            self.on_ack_slow(now, ack);
            self.update_fast_path();
        }
    }

    fn on_ack_slow(&mut self, now: Time, ack: &Ack) {
        self.jitter_elapsed = false;
        if !self.opened {
            return self.on_syn_ack(now, ack);
        }
        self.quota = self.burst();
        if self.may_delay {
            self.send_due_first(now);
        }
        let unexpected = ack.ack > self.seq.max;
        if unexpected {
            return;
        }
        if self.shows_acks {
            if self.cold.optional.parts().feedback.is_some() {
                let echoing = self.decode_accecn(ack);
                self.show_to_cc(now, &echoing);
                return self.process_ack(now, &echoing);
            }
            self.show_to_cc(now, ack);
        }
        self.process_ack(now, ack);
    }

    #[inline]
    fn process_ack(&mut self, now: Time, ack: &Ack) {
        if self.ecn {
            self.on_ecn_echo(now, ack);
        }
        let then = if self.loss { self.frto_on_ack(ack) } else { FrtoAction::Nothing };
        match self.recovery {
            Recovery::Sack => self.on_ack_sack(now, ack),
            Recovery::Sack1 => self.on_ack_sack1(now, ack),
            Recovery::Rack => self.on_ack_rack(now, ack),
            Recovery::Vegas => self.on_ack_vegas(now, ack),
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno => self.on_ack_dupacks(now, ack),
        }
        if then != FrtoAction::Nothing {
            self.frto_act(then);
        }
        if self.window.cwnd < 1.0 && self.rto_at == Time::NEVER {
            // cwnd may be below one segment after a reduction: only the timer can reopen the window (RFC 3168
            // section 6.1.2).
            self.rto_at = self.rto_after(now);
        }
        if self.keeps_ledger {
            self.finish_ack(now);
        }
    }

    /// Fires the timers that are due; does nothing before the deadline of [`Sender::poll_timeout`].
    pub fn on_timer(&mut self, now: Time) {
        if self.has_tracking() && now >= self.cold.optional.timers.next() {
            self.on_tracking_timer(now);
        }
        if now >= self.rto_at {
            self.on_timeout(now);
        }
        self.update_fast_path();
    }

    fn poll_segment(&mut self, now: Time) -> Option<Segment> {
        if self.paced && self.cold.optional.early.is_some() {
            return self.cold.optional.early.take();
        }
        if self.forced != NONE {
            let seq = std::mem::replace(&mut self.forced, NONE);
            let segment = if self.opened { self.emit_forced(now, seq) } else { self.syn(now) };
            if self.loss {
                self.frto_send_next();
            }
            return Some(segment);
        }
        if self.quota == 0 || self.loss && self.frto_blocks() {
            return None;
        }
        let seq = match self.recovery {
            Recovery::Sack => self.next_sack()?,
            Recovery::Rack => self.next_rack()?,
            Recovery::Sack1 if self.recovering => self.next_sack1()?,
            _ => {
                let past = self.seq.una.saturating_add(self.usable()).min(self.seq.limit);
                (self.seq.nxt < past).then_some(self.seq.nxt)?
            }
        };
        if self.may_delay && !self.may_send_now(now) {
            return None;
        }
        if self.offloads && seq == self.seq.max && !self.may_join_burst(now) {
            return None;
        }
        self.quota -= 1;
        self.record_sent(seq);
        Some(self.emit(now, seq))
    }

    /// Updates recovery state for a segment that the window allowed.
    #[inline]
    fn record_sent(&mut self, seq: u32) {
        if seq >= self.seq.nxt {
            self.seq.nxt = seq + 1;
        }
        match self.recovery {
            Recovery::Sack => self.sent_sack(seq),
            Recovery::Rack => self.cold.board.prr_out += u32::from(self.recovering),
            Recovery::Sack1 => self.sent_sack1(seq),
            _ => {}
        }
    }

    /// Segments that one input may release.
    #[inline]
    pub(crate) fn burst(&self) -> u32 {
        match self.cold.params.max_burst {
            0 => NONE,
            most => most as u32,
        }
    }

    /// Duplicate ACKs, or SACKed segments above a hole, that indicate loss.
    #[inline]
    pub(crate) fn threshold(&self) -> u32 {
        self.cold.params.dupack_threshold as u32
    }

    /// Whether the sender has a [`cold::Tracking`] part.
    #[inline]
    fn has_tracking(&self) -> bool {
        self.keeps_ledger || self.may_delay
    }

    /// Clamps cwnd to its upper bound; returns cwnd in whole segments.
    #[inline(always)]
    pub(crate) fn limit_window(&mut self) -> u32 {
        let whole = self.window.cwnd as u32;
        if whole <= self.max_cwnd {
            return whole;
        }
        self.window.cwnd = f64::from(self.max_cwnd);
        self.max_cwnd
    }

    /// Segments that the window allows in flight.
    #[inline]
    pub(crate) fn usable(&self) -> u32 {
        (self.window.cwnd as u32).saturating_add(self.inflation).min(self.seq.rwnd)
    }
}
