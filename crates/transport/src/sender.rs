//! The sending endpoint: sequence space, window, timers. How losses are repaired is in [`crate::recovery`].
//!
//! *Reference*: RFC 5681, 6298, 3042, 3168; the semantics of ns-2.35's one-way agents where an option says so.
//! *Units*: sequence numbers and windows count segments; `una` is the first unacknowledged segment,
//! `nxt` the next to send, `max` one past the highest sent.
//! *Deviations*: segments of one size (the last of a finite supply may be shorter); no Nagle, no zero windows.

use crate::cc::{AckEvent, Cause, Cc, CongestionEvent, Control, Window};
use crate::params::{Arithmetic, Handshake, Params, Recovery, Reduce, Samples};
use crate::rtt::Rtt;
use crate::segment::{Ack, Role, Segment};
use units::param::Valid;
use units::{Dice, Ecn, Span, Stream, Time};

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

/// What a sender counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Segments sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions among them.
    pub retransmits: u64,
    /// Retransmission timeouts with data outstanding.
    pub timeouts: u64,
    /// Entries into fast retransmit or fast recovery.
    pub fast_recoveries: u64,
    /// Times the window was cut, for whatever reason.
    pub cuts: u64,
    /// Cuts because of an ECN echo.
    pub ecn_cuts: u64,
}

/// What is rarely touched.
#[derive(Clone, Debug)]
pub(crate) struct Cold {
    pub(crate) params: Valid<Params>,
    pub(crate) stream: Stream,
    pub(crate) counters: SenderCounters,
    pub(crate) ecn_backoff: bool,
    pub(crate) ece_before: bool,
    pub(crate) last_size: u32,
    pub(crate) backed_off: bool,
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
    pub(crate) window: Window,
    pub(crate) rto_at: Time,
    /// The random delay of `overhead` ends then.
    pub(crate) hold_until: Time,
    /// The timed segment and when it left; `NONE` if there is none.
    pub(crate) timed: u32,
    pub(crate) timed_at: Time,
    pub(crate) rto: Span,
    pub(crate) size: u32,
    pub(crate) recovery: Recovery,
    pub(crate) last_action: Action,
    pub(crate) opened: bool,
    /// In fast recovery.
    pub(crate) recovering: bool,
    pub(crate) partial_seen: bool,
    pub(crate) cwr: bool,
    pub(crate) ecn: bool,
    pub(crate) sent: u64,
    pub(crate) retransmits: u64,
    pub(crate) rtt: Rtt,
    pub(crate) cc: Cc,
    pub(crate) cold: Box<Cold>,
}

impl Sender {
    /// A sender with nothing to send yet. `stream` gives the clock offset and the sending jitter, where options ask.
    pub fn new(params: &Valid<Params>, mut stream: Stream) -> Sender {
        let tick = params.tick;
        let boot = params.boot_time.unwrap_or_else(|| tick.scale(stream.uniform()));
        let rtt = Rtt::new(params, boot);
        let rwnd = params.window.map_or(NONE, |w| w as u32);
        let ssthresh = params.initial_ssthresh.or(params.window).map_or(f64::INFINITY, |s| s as f64);
        let cwnd = if params.delay_growth { 1.0 } else { params.initial_window as f64 };
        let size = (params.mss.0 + params.headers.0) as u32;
        Sender {
            una: 0,
            nxt: 0,
            max: 0,
            limit: u32::from(params.handshake == Handshake::Ns2Syn),
            rwnd,
            dupacks: 0,
            inflation: 0,
            recover: 0,
            forced: NONE,
            quota: 0,
            window: Window { cwnd, ssthresh },
            rto_at: Time::NEVER,
            hold_until: Time::NEVER,
            timed: NONE,
            timed_at: Time::ZERO,
            rto: rtt.rto(),
            size,
            recovery: params.recovery,
            last_action: Action::Nothing,
            opened: false,
            recovering: false,
            partial_seen: false,
            cwr: false,
            ecn: params.ecn,
            sent: 0,
            retransmits: 0,
            rtt,
            cc: Cc::new(params),
            cold: Box::new(Cold {
                params: params.clone(),
                stream,
                counters: SenderCounters::default(),
                ecn_backoff: false,
                ece_before: false,
                last_size: size,
                backed_off: false,
            }),
        }
    }

    /// The source hands over `segments` more segments.
    pub fn supply(&mut self, segments: u32) {
        self.limit = self.limit.saturating_add(segments);
        if self.opened {
            self.quota = self.burst();
        }
    }

    /// The source never runs dry.
    pub fn supply_forever(&mut self) {
        self.supply(NONE);
    }

    /// Opens the connection.
    pub fn start(&mut self, _now: Time) {
        if self.cold.params.handshake == Handshake::ThreeWay {
            self.forced = 0;
        } else {
            self.opened = true;
            self.quota = self.burst();
        }
    }

    pub(crate) fn burst(&self) -> u32 {
        match self.cold.params.max_burst {
            0 => NONE,
            n => n as u32,
        }
    }

    /// An acknowledgement arrives.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        if !self.opened {
            if ack.syn {
                self.opened = true;
                self.forced = NONE;
                self.rtt.sample(now, ack.echo, 0, 0);
                self.rto = self.rtt.rto();
                self.rto_at = Time::NEVER;
                self.quota = self.burst();
            }
            return;
        }
        self.quota = 0;
        if ack.ack > self.una {
            self.new_ack(now, ack);
            self.quota = self.burst();
        } else if ack.ack == self.una && self.una < self.max {
            self.dupacks += 1;
            if self.dupacks == 3 && self.una >= self.recover {
                self.recover = self.max;
                self.cut(now, Cause::Loss);
                self.cold.counters.fast_recoveries += 1;
                self.recovering = true;
                self.inflation = 3;
                self.forced = self.una;
                self.timed = NONE;
                self.rto_at = now + self.rto;
            } else if self.recovering {
                self.inflation += 1;
            }
            self.quota = self.burst();
        }
    }

    fn new_ack(&mut self, now: Time, ack: &Ack) {
        let acked = ack.ack - self.una;
        let flight = self.nxt - self.una;
        if self.recovering {
            if ack.ack >= self.recover {
                self.recovering = false;
                self.inflation = 0;
            } else {
                self.inflation = self.inflation.saturating_sub(acked) + 1;
                self.forced = ack.ack;
            }
        }
        let sampled = self.timed != NONE && ack.ack > self.timed;
        if sampled || self.cold.params.samples == Samples::Timestamps {
            let sent = if sampled { self.timed_at } else { ack.echo };
            self.rtt.end_backoff();
            self.rtt.sample(now, sent, ack.ack, self.nxt);
            self.rto = self.rtt.rto();
            self.timed = NONE;
        }
        self.una = ack.ack;
        self.nxt = self.nxt.max(ack.ack);
        self.dupacks = 0;
        self.rto_at = if self.una < self.max { now + self.rto } else { Time::NEVER };
        if !self.recovering {
            let event = AckEvent {
                now,
                acked,
                delivered: acked,
                rtt: None,
                flight,
                una: self.una,
                next: self.nxt,
                ece: ack.ece,
                recovering: false,
            };
            self.cc.on_ack(&mut self.window, &event);
        }
    }

    /// A deadline of `poll_timeout` has come; before it, this does nothing.
    pub fn on_timer(&mut self, now: Time) {
        if now < self.rto_at {
            return;
        }
        self.rtt.back_off();
        self.rto = self.rtt.rto();
        self.rto_at = now + self.rto;
        self.timed = NONE;
        if !self.opened {
            self.forced = 0;
            return;
        }
        self.cold.counters.timeouts += 1;
        self.cut(now, Cause::Timeout);
        self.window.cwnd = 1.0;
        self.recover = self.max;
        self.recovering = false;
        self.inflation = 0;
        self.dupacks = 0;
        self.nxt = self.una;
        self.quota = self.burst();
    }

    fn load(&self) -> f64 {
        match self.cold.params.reduce {
            Reduce::Flight => f64::from(self.flight()),
            Reduce::Window => (self.window.cwnd + f64::from(self.inflation)).min(f64::from(self.rwnd)),
        }
    }

    pub(crate) fn cut(&mut self, now: Time, cause: Cause) {
        self.cold.counters.cuts += 1;
        let flight = self.flight();
        let mut load = self.load();
        let arithmetic = self.cold.params.arithmetic;
        if arithmetic == Arithmetic::Integer {
            load = load.floor();
        }
        let target = self.cc.on_congestion(&self.window, &CongestionEvent { now, cause, load, flight });
        let (ssthresh, cwnd) = match arithmetic {
            Arithmetic::Real | Arithmetic::Bytes => (target.max(2.0), target.max(2.0)),
            Arithmetic::WholeSsthresh => (target.floor().max(2.0), target.max(1.0)),
            Arithmetic::Integer => (target.floor().max(2.0), target.floor().max(1.0)),
        };
        self.window = Window { cwnd, ssthresh };
    }

    /// The next segment to send.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if self.forced != NONE {
            let seq = std::mem::replace(&mut self.forced, NONE);
            if !self.opened {
                return Some(self.syn(now));
            }
            self.nxt = self.nxt.max(seq + 1);
            return Some(self.emit(now, seq));
        }
        let usable = (self.window.cwnd as u32).saturating_add(self.inflation).min(self.rwnd);
        if self.quota == 0 || self.nxt >= self.una.saturating_add(usable).min(self.limit) {
            return None;
        }
        self.quota -= 1;
        let seq = self.nxt;
        self.nxt += 1;
        Some(self.emit(now, seq))
    }

    fn syn(&mut self, now: Time) -> Segment {
        if self.rto_at == Time::NEVER {
            self.rto_at = now + self.rto;
        }
        let size = self.cold.params.ack_size.0 as u32;
        Segment { seq: 0, size, sent: now, role: Role::Syn, ecn: Ecn::NotEct, cwr: false, retransmit: false }
    }

    fn emit(&mut self, now: Time, seq: u32) -> Segment {
        let idle = self.una == self.max;
        let retransmit = seq < self.max;
        if retransmit {
            self.retransmits += 1;
        } else {
            self.max = seq + 1;
            if self.timed == NONE {
                self.timed = seq;
                self.timed_at = now;
            }
        }
        self.sent += 1;
        if idle || self.rto_at == Time::NEVER {
            self.rto_at = now + self.rto;
        }
        let syn = seq == 0 && self.cold.params.handshake == Handshake::Ns2Syn;
        let (size, role) =
            if syn { (self.cold.params.ack_size.0 as u32, Role::Syn) } else { (self.size, Role::Data) };
        let ecn = if self.ecn && !retransmit { Ecn::Ect0 } else { Ecn::NotEct };
        Segment { seq, size, sent: now, role, ecn, cwr: std::mem::take(&mut self.cwr), retransmit }
    }

    /// When to call `on_timer`, if ever. It can move to an earlier time with any input.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Time> {
        let at = self.rto_at.min(self.hold_until);
        (at != Time::NEVER).then_some(at)
    }

    /// The congestion window in segments.
    pub fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    /// The slow start threshold in segments; infinite if nothing set it.
    pub fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    /// Segments in flight, as the recovery in use counts them.
    pub fn flight(&self) -> u32 {
        self.nxt - self.una
    }

    /// Smoothed round trip; `None` before the first sample.
    pub fn srtt(&self) -> Option<Span> {
        self.rtt.srtt()
    }

    /// The retransmission timeout in force.
    pub fn rto(&self) -> Span {
        self.rto
    }

    /// What the sender is doing.
    pub fn phase(&self) -> Phase {
        if !self.opened {
            Phase::Opening
        } else if self.recovering {
            Phase::Recovery
        } else if self.window.cwnd < self.window.ssthresh {
            Phase::SlowStart
        } else {
            Phase::Avoidance
        }
    }

    /// What happened so far.
    pub fn counters(&self) -> SenderCounters {
        SenderCounters { sent: self.sent, retransmits: self.retransmits, ..self.cold.counters }
    }

    /// The first segment not yet acknowledged.
    pub fn una(&self) -> u32 {
        self.una
    }

    /// Whether everything supplied has been acknowledged. Never true of an endless supply.
    pub fn is_done(&self) -> bool {
        self.una >= self.limit
    }
}
