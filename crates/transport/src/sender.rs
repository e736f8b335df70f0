//! The sending endpoint: sequence space, window, timers. How losses are repaired is in [`crate::recovery`].
//!
//! *Reference*: RFC 5681, 6298, 3042, 3168; the semantics of ns-2.35's one-way agents where an option says so.
//! *Units*: sequence numbers and windows count segments; `una` is the first unacknowledged segment,
//! `nxt` the next to send, `max` one past the highest sent.
//! *Deviations*: segments of one size (the last of a finite supply may be shorter); no Nagle, no zero windows.

mod bunch;
mod cold;
mod counters;
mod emit;
mod lane;
mod pace;
mod readers;
mod track;

use crate::cc::{Cc, Control, Window};
use crate::params::{Handshake, Pacing, Params, Recovery};
use crate::recovery::frto::Then;
use crate::rtt::Estimate;
use crate::segment::{Ack, Segment};
pub use counters::SenderCounters;
use std::sync::Arc;
use units::param::Valid;
use units::{Dice, Span, Stream, Time};

pub(crate) use cold::Cold;
pub(crate) use pace::Pacer;

/// No segment.
pub(crate) const NONE: u32 = u32::MAX;

/// What the sender is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not started, or waiting for the SYN to be acknowledged.
    Opening,
    /// cwnd is below ssthresh.
    SlowStart,
    /// cwnd is at or above ssthresh.
    Avoidance,
    /// Repairing losses after duplicate or selective acknowledgements.
    Recovery,
    /// Repairing losses after a timeout.
    Loss,
}

/// What last shrank the window.
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
    pub(crate) una: u32,
    pub(crate) nxt: u32,
    pub(crate) max: u32,
    /// One past the last segment the source has supplied.
    pub(crate) limit: u32,
    pub(crate) rwnd: u32,
    pub(crate) dupacks: u32,
    /// Segments by which duplicate acknowledgements widen the window.
    pub(crate) inflation: u32,
    /// One past the highest segment sent when the window was last cut.
    pub(crate) recover: u32,
    /// A segment that leaves whatever the window says.
    pub(crate) forced: u32,
    /// Segments the present input may still release.
    pub(crate) quota: u32,
    /// The timed segment, `NONE` if there is none.
    pub(crate) timed: u32,
    pub(crate) timed_at: Time,
    pub(crate) rto_at: Time,
    pub(crate) rto: Span,
    pub(crate) window: Window,
    /// The congestion window never reaches a segment more.
    max_cwnd: u32,
    retransmits: u64,
    size: u32,
    pub(crate) recovery: Recovery,
    pub(crate) last_action: Action,
    /// In fast recovery.
    pub(crate) recovering: bool,
    /// After a timeout, until what was outstanding then is acknowledged.
    pub(crate) loss: bool,
    /// A partial acknowledgement came in this recovery.
    pub(crate) partial_seen: bool,
    pub(crate) opened: bool,
    pub(crate) timestamps: bool,
    pub(crate) timer_after_sample: bool,
    pub(crate) ecn: bool,
    pub(crate) cwr: bool,
    released: bool,
    /// The congestion control wants to see every acknowledgement.
    watched: bool,
    /// The ledger is kept or the pace matters.
    tracked: bool,
    /// The congestion control sets the window from a model of the path.
    pub(crate) modelled: bool,
    /// Segments are spread over time.
    paced: bool,
    /// Segments may have to wait though the window lets them go.
    gated: bool,
    /// New segments leave in bunches.
    pub(crate) bunched: bool,
    /// Its options let quiet times take the short way of [`lane`].
    pub(crate) straight: bool,
    /// Acknowledgements take it now.
    pub(crate) quiet: bool,
    /// Something may leave that does not take it.
    asks: bool,
    /// One past the last new segment that takes it.
    past: u32,
    /// Whole segments of the congestion window, while nothing is repaired.
    whole: u32,
    pub(crate) cc: Cc,
    pub(crate) cold: Box<Cold>,
}

impl Sender {
    /// A sender with nothing to send yet. `stream` gives the clock offset and the sending jitter, where options ask.
    pub fn new(params: &Valid<Params>, stream: Stream) -> Sender {
        Sender::sharing(&Arc::new(params.clone()), stream)
    }

    /// [`Sender::new`] with options that are shared with others.
    pub fn sharing(params: &Arc<Valid<Params>>, mut stream: Stream) -> Sender {
        let p: &Params = params;
        let boot = p.boot_time.unwrap_or_else(|| p.tick.scale(stream.uniform()));
        let rtt = Estimate::new(params, boot);
        let syn_is_data = p.handshake == Handshake::Ns2Syn;
        let cc = Cc::new(p);
        let modelled = cc.models();
        let paced = p.pacing == Pacing::Window || (p.pacing == Pacing::Auto && cc.paces());
        let tracked = p.keeps_times() || modelled || paced;
        let gated = paced || p.overhead > Span::ZERO || p.open_wait > Span::ZERO;
        let rto = rtt.rto(p);
        let cold = Box::new(Cold::new(params, stream, rtt, (tracked || gated, modelled)));
        let mut sender = Sender {
            una: 0,
            nxt: 0,
            max: 0,
            limit: u32::from(syn_is_data),
            rwnd: p.window.map_or(NONE, |w| w as u32),
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
            timestamps: p.samples != crate::params::Samples::PerWindow,
            timer_after_sample: p.timer_after_sample,
            ecn: p.ecn,
            cwr: false,
            released: false,
            watched: cc.watches()
                || modelled
                || cold.extras.parts().feedback.is_some()
                || p.frto
                || p.recovery == Recovery::Rack,
            tracked,
            modelled,
            paced,
            gated,
            bunched: p.bunches && p.recovery == Recovery::Rack,
            straight: false,
            quiet: false,
            asks: true,
            past: 0,
            whole: 0,
            cc,
            cold,
        };
        sender.straight = sender.may_be_straight();
        sender
    }

    /// The source hands over `segments` more segments, all full.
    pub fn supply(&mut self, segments: u32) {
        self.limit = self.limit.saturating_add(segments);
        self.cold.last_size = self.size;
        self.allow_sending();
    }

    /// The source hands over a file: full segments and a last one with what is left. A later supply starts a new segment,
    /// and segments are cut alike: only the file handed over last ends in a short one.
    pub fn supply_bytes(&mut self, bytes: u64) {
        let mss = self.cold.params.mss.0;
        let segments = bytes.div_ceil(mss).min(u64::from(NONE)) as u32;
        self.supply(segments);
        let missing = u64::from(segments) * mss - bytes.min(u64::from(segments) * mss);
        self.cold.last_size = self.size - missing as u32;
    }

    /// The source never runs dry.
    pub fn supply_forever(&mut self) {
        self.limit = NONE;
        self.allow_sending();
    }

    /// The source hands over nothing more: what was never sent is withdrawn.
    pub fn cease(&mut self) {
        self.limit = self.limit.min(self.max);
        self.look_for_quiet();
    }

    /// Opens the connection.
    pub fn start(&mut self, _now: Time) {
        if self.cold.params.handshake == Handshake::ThreeWay {
            self.forced = 0;
        } else {
            self.opened = true;
            self.open_pace();
            self.allow_sending();
        }
    }

    fn allow_sending(&mut self) {
        self.quota = if self.opened { self.burst() } else { 0 };
        self.released = false;
        self.look_for_quiet();
    }

    /// An acknowledgement arrives.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        let bare = ack.sack.is_empty() && !ack.ece && !ack.syn;
        if !bare || !self.on_bare_ack(now, ack.ack, ack.echo) {
            self.on_any_ack(now, ack);
            self.look_for_quiet();
        }
    }

    fn on_any_ack(&mut self, now: Time, ack: &Ack) {
        self.released = false;
        if !self.opened {
            return self.on_syn_ack(now, ack);
        }
        self.quota = self.burst();
        if self.gated {
            self.send_what_is_due(now);
        }
        let unexpected = ack.ack > self.max;
        if unexpected {
            return;
        }
        if self.watched {
            if self.cold.extras.parts().feedback.is_some() {
                let echoing = self.read_counter(ack);
                self.show(now, &echoing);
                return self.take_in(now, &echoing);
            }
            self.show(now, ack);
        }
        self.take_in(now, ack);
    }

    #[inline]
    fn take_in(&mut self, now: Time, ack: &Ack) {
        if self.ecn {
            self.on_ecn_echo(now, ack);
        }
        let then = if self.loss { self.judge_timeout(ack) } else { Then::Nothing };
        match self.recovery {
            Recovery::Sack => self.on_ack_sack(now, ack),
            Recovery::Sack1 => self.on_ack_sack1(now, ack),
            Recovery::Rack => self.on_ack_rack(now, ack),
            Recovery::Vegas => self.on_ack_vegas(now, ack),
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno => self.on_ack_dupacks(now, ack),
        }
        if then != Then::Nothing {
            self.act_on_verdict(then);
        }
        if self.window.cwnd < 1.0 && self.rto_at == Time::NEVER {
            // A cut may leave less than a segment: only the timer opens the window again (RFC 3168 section 6.1.2).
            self.rto_at = self.rto_after(now);
        }
        if self.tracked {
            self.settle(now);
        }
    }

    /// A deadline of `poll_timeout` has come; before it, this does nothing.
    pub fn on_timer(&mut self, now: Time) {
        if self.is_gauged() && now >= self.cold.extras.hold_until {
            self.on_wake(now);
        }
        if now >= self.rto_at {
            self.on_timeout(now);
        }
        self.look_for_quiet();
    }

    fn poll_any(&mut self, now: Time) -> Option<Segment> {
        if self.paced && self.cold.extras.early.is_some() {
            return self.cold.extras.early.take();
        }
        if self.forced != NONE {
            let seq = std::mem::replace(&mut self.forced, NONE);
            let segment = if self.opened { self.emit_forced(now, seq) } else { self.syn(now) };
            if self.loss {
                self.follow_up();
            }
            return Some(segment);
        }
        if self.quota == 0 || self.loss && self.awaits_verdict() {
            return None;
        }
        let seq = match self.recovery {
            Recovery::Sack => self.next_sack()?,
            Recovery::Rack => self.next_rack()?,
            Recovery::Sack1 if self.recovering => self.next_sack1()?,
            _ => {
                let past = self.una.saturating_add(self.usable()).min(self.limit);
                (self.nxt < past).then_some(self.nxt)?
            }
        };
        if self.gated && !self.may_leave(now) {
            return None;
        }
        if self.bunched && seq == self.max && !self.may_join(now) {
            return None;
        }
        self.quota -= 1;
        self.note_sent(seq);
        Some(self.emit(now, seq))
    }

    /// Bookkeeping of a segment the window let go.
    #[inline]
    fn note_sent(&mut self, seq: u32) {
        if seq >= self.nxt {
            self.nxt = seq + 1;
        }
        match self.recovery {
            Recovery::Sack => self.sent_sack(seq),
            Recovery::Rack => self.cold.board.prr_out += u32::from(self.recovering),
            Recovery::Sack1 => self.sent_sack1(seq),
            _ => {}
        }
    }

    /// Segments any input may release.
    #[inline]
    pub(crate) fn burst(&self) -> u32 {
        match self.cold.params.max_burst {
            0 => NONE,
            most => most as u32,
        }
    }

    /// Duplicates, or segments held above another, that mean loss.
    #[inline]
    pub(crate) fn threshold(&self) -> u32 {
        self.cold.params.dupack_threshold as u32
    }

    /// Whether it has gauges.
    #[inline]
    fn is_gauged(&self) -> bool {
        self.tracked || self.gated
    }

    /// The congestion window keeps to its bound: how many whole segments it then has.
    #[inline(always)]
    pub(crate) fn limit_window(&mut self) -> u32 {
        let whole = self.window.cwnd as u32;
        if whole <= self.max_cwnd {
            return whole;
        }
        self.window.cwnd = f64::from(self.max_cwnd);
        self.max_cwnd
    }

    /// Segments the window lets be in flight.
    #[inline]
    pub(crate) fn usable(&self) -> u32 {
        (self.window.cwnd as u32).saturating_add(self.inflation).min(self.rwnd)
    }
}
