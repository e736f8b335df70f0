//! Loss detection and recovery, one file per family of algorithms. Here: their common part, that is the new
//! ACK, the reduction of the window, the retransmission timeout. ECN is in `ecn`.
//!
//! *Reference*: RFC 5681 section 3, RFC 6298 section 5, RFC 3168 section 6.1.2; ns-2.35 where an option asks
//! for it.
//! *Units*: windows in segments.
//! *Deviations*: after a timeout the families without a scoreboard go back to `una` and retransmit everything
//! that the window allows (go-back-N), as RFC 5681 permits and ns-2 does.

mod arrivals;
mod dupacks;
mod ecn;
mod frto;
mod model;
mod rack;
mod sack;
mod sack1;
pub mod scoreboard;
mod undo;
mod vegas;

use crate::cc::{Cause, Control};
use crate::connection::{Ctx, Needs, Part, Timer, NONE};
use crate::params::{Counting, Params, Recovery, Reduce};
use crate::segment::Ack;
use frto::FrtoAction;
use rack::Rack;
use scoreboard::Scoreboard;
use undo::Undo;
use units::Time;
use vegas::FineClock;

/// The last event that reduced the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastReduction {
    Nothing,
    FastRetransmit,
    Timeout,
    Ecn,
    Exited,
}

/// State of loss recovery.
#[derive(Clone, Debug)]
pub(crate) struct LossRecovery {
    pub(crate) dupacks: u32,
    /// Segments by which duplicate ACKs inflate the window.
    pub(crate) inflation: u32,
    /// One past the highest segment sent when the window was last reduced (`recover` of RFC 6582).
    pub(crate) recover: u32,
    /// Segment to send regardless of the window; `NONE` if there is none.
    pub(crate) forced: u32,
    pub(crate) algorithm: Recovery,
    pub(crate) last_reduction: LastReduction,
    /// In fast recovery.
    pub(crate) recovering: bool,
    /// After a timeout, until everything outstanding at the timeout is acknowledged.
    pub(crate) loss: bool,
    /// A partial ACK arrived in this recovery.
    partial_seen: bool,
    /// The ledger of sent segments is maintained.
    keeps_ledger: bool,
    pub(crate) parts: Box<Parts>,
}

/// State that is touched only while segments are missing, and state that only some algorithms need.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) board: Scoreboard,
    /// `una` at the last timeout.
    timeout_una: u32,
    /// `max` when the first duplicate ACK arrived: limited transmit sends above it.
    pub(crate) dup_max: u32,
    pub(crate) rack: Part<Rack>,
    /// Fine-grained clock of Vegas.
    fine: Part<FineClock>,
    /// State to restore if a reduction turns out to be spurious.
    undo: Part<Undo>,
}

impl LossRecovery {
    /// Returns the state of a connection without losses; `model_based`: its congestion control has a model of the
    /// path.
    pub(crate) fn new(p: &Params, needs: Needs, model_based: bool) -> LossRecovery {
        let timed = p.recovery == Recovery::Vegas || p.times_segments();
        let parts = Parts {
            board: Scoreboard::new(p),
            timeout_una: NONE,
            dup_max: 0,
            rack: Part::new(p.recovery == Recovery::Rack, || Rack::new(p)),
            fine: Part::new(timed, || FineClock::new(p)),
            undo: Part::new(Undo::is_wanted(p, model_based), || Undo::new(p)),
        };
        LossRecovery {
            dupacks: 0,
            inflation: 0,
            // RACK recovers from a loss of any segment, so it has to reduce the window also for the first.
            recover: match p.recovery {
                Recovery::Rack => 0,
                _ if p.opening_fix => p.first_segment(),
                _ => 1,
            },
            forced: NONE,
            algorithm: p.recovery,
            last_reduction: LastReduction::Nothing,
            recovering: false,
            loss: false,
            partial_seen: false,
            keeps_ledger: needs.ledger,
            parts: Box::new(parts),
        }
    }

    /// Processes an ACK that acknowledges nothing unsent.
    #[inline]
    pub(crate) fn on_ack(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        if ctx.ecn {
            self.on_ecn_echo(ctx, now, ack);
        }
        let then = if self.loss { self.frto_on_ack(ctx, ack) } else { FrtoAction::Nothing };
        match self.algorithm {
            Recovery::Sack => self.on_ack_sack(ctx, now, ack),
            Recovery::Sack1 => self.on_ack_sack1(ctx, now, ack),
            Recovery::Rack => self.on_ack_rack(ctx, now, ack),
            Recovery::Vegas => self.on_ack_vegas(ctx, now, ack),
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno => self.on_ack_dupacks(ctx, now, ack),
        }
        if then != FrtoAction::Nothing {
            self.frto_act(ctx, then);
        }
        self.keep_timer(ctx, now);
        if self.keeps_ledger {
            self.finish_ack(ctx, now);
        }
    }

    /// Restarts a timer that is not armed if cwnd is below one segment, as after a reduction: only the timer can reopen
    /// the window (RFC 3168 section 6.1.2).
    #[inline]
    fn keep_timer(&self, ctx: &mut Ctx, now: Time) {
        if ctx.window.cwnd < 1.0 && !ctx.timers.is_armed(Timer::Retransmission) {
            ctx.restart_timer(now, true);
        }
    }

    /// The segment that the window allows to send, retransmissions first; `None` if it allows none.
    pub(crate) fn next_segment(&mut self, ctx: &mut Ctx) -> Option<u32> {
        if self.loss && self.frto_blocks() {
            return self.next_in_trial(ctx);
        }
        match self.algorithm {
            Recovery::Sack => self.next_sack(ctx),
            Recovery::Rack => self.next_rack(ctx),
            Recovery::Sack1 if self.recovering => self.next_sack1(ctx),
            _ => {
                let past = ctx.seq.una.saturating_add(self.usable(ctx)).min(ctx.seq.limit);
                (ctx.seq.nxt < past).then_some(ctx.seq.nxt)
            }
        }
    }

    /// Records that a segment that [`LossRecovery::next_segment`] returned is being sent.
    #[inline]
    pub(crate) fn record_sent(&mut self, ctx: &mut Ctx, seq: u32) {
        if seq >= ctx.seq.nxt {
            ctx.seq.nxt = seq + 1;
        }
        match self.algorithm {
            Recovery::Sack => self.sent_sack(ctx, seq),
            Recovery::Rack => {
                let counts = self.recovering || self.last_reduction == LastReduction::Ecn;
                self.parts.board.prr_out += u32::from(counts);
            }
            Recovery::Sack1 => self.sent_sack1(seq),
            _ => {}
        }
    }

    /// Segments that the window allows in flight.
    #[inline]
    fn usable(&self, ctx: &Ctx) -> u32 {
        (ctx.window.cwnd as u32).saturating_add(self.inflation).min(ctx.seq.rwnd)
    }

    /// Segments in flight without a scoreboard's corrections, or with those of one.
    pub(crate) fn flight(&self, ctx: &Ctx) -> u32 {
        match self.algorithm {
            Recovery::Sack | Recovery::Rack => self.pipe(ctx),
            _ => ctx.seq.nxt - ctx.seq.una,
        }
    }

    /// Lets the congestion control grow the window; `flight` is the flight before the ACK.
    #[inline]
    fn grow(&self, ctx: &mut Ctx, now: Time, ack: &Ack, acked: u32, delivered: u32, flight: u32) {
        ctx.grow(now, (ack.echo, ack.ece), (acked, delivered), flight, self.recovering);
    }

    /// Processes a cumulative ACK: moves `una`, samples the round trip, restarts the timer.
    #[inline]
    pub(crate) fn advance(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        self.dupacks = 0;
        ctx.move_una(now, ack.ack, ack.echo, ack.ece);
    }

    /// Segments acknowledged beyond `recover` by the ACK that ends a timeout's recovery, if the window grows
    /// by those (`counting = "ns3"`).
    #[inline]
    pub(crate) fn acked_beyond_recover(&self, ctx: &Ctx, ack: u32) -> Option<u32> {
        let ends = self.loss && ack >= self.recover && ctx.params.counting == Counting::Ns3;
        ends.then(|| ack - self.recover)
    }

    /// The quantity to reduce, as the `reduce` option says.
    fn load(&self, ctx: &Ctx) -> f64 {
        match ctx.params.reduce {
            Reduce::Window => (ctx.window.cwnd + f64::from(self.inflation)).min(f64::from(ctx.seq.rwnd)),
            Reduce::Cwnd => ctx.window.cwnd,
            Reduce::Pipe if matches!(self.algorithm, Recovery::Sack | Recovery::Rack) => {
                f64::from(self.pipe(ctx))
            }
            // Segments sent before a timeout count as lost.
            Reduce::Pipe if self.loss => f64::from(ctx.seq.nxt - ctx.seq.una),
            Reduce::Pipe => {
                // A partial ACK includes segments that duplicates reported.
                let held = if self.recovering { self.inflation } else { self.dupacks };
                f64::from(ctx.seq.outstanding().saturating_sub(held))
            }
            Reduce::Flight => {
                let limited =
                    if self.dupacks > 0 { ctx.seq.max.saturating_sub(self.parts.dup_max) } else { 0 };
                f64::from(ctx.seq.outstanding().saturating_sub(limited))
            }
        }
    }

    /// Reduces ssthresh and cwnd.
    pub(crate) fn reduce_window(&mut self, ctx: &mut Ctx, now: Time, cause: Cause) {
        let load = self.load(ctx);
        ctx.reduce_window(now, cause, load);
    }

    /// The retransmission timer has expired.
    #[cold]
    pub(crate) fn on_timeout(&mut self, ctx: &mut Ctx, now: Time) {
        ctx.quota = ctx.burst();
        let flight = self.load(ctx);
        if self.algorithm != Recovery::Tahoe {
            self.dupacks = 0;
        }
        self.inflation = 0;
        let fresh = !self.recovering && !self.loss;
        let reduced = self.has_reduced_in_this_window(ctx);
        self.recovering = false;
        self.recover = ctx.seq.max;
        ctx.seq.nxt = ctx.seq.una;
        ctx.timed = NONE;
        if ctx.seq.una == ctx.seq.max && self.algorithm != Recovery::Vegas {
            return self.idle_timeout(ctx, now);
        }
        self.frto_begin(ctx, fresh);
        self.loss = true;
        if ctx.seq.una == 0 && ctx.params.opening_fix && self.algorithm != Recovery::Vegas {
            ctx.first_lost = true;
        }
        self.shrink_for_timeout(ctx, now, (fresh, reduced), flight);
        ctx.cc.on_timeout(now, ctx.seq.max);
        self.last_reduction = LastReduction::Timeout;
        self.parts.timeout_una = ctx.seq.una;
        match self.algorithm {
            Recovery::Sack => self.timeout_sack(ctx),
            Recovery::Sack1 => self.timeout_sack1(ctx),
            Recovery::Rack => self.timeout_rack(ctx, now),
            Recovery::Vegas => self.timeout_vegas(ctx, now),
            _ => {}
        }
        ctx.back_off(now);
    }

    /// Whether a loss or an ECN echo has reduced the window and data sent before that is outstanding.
    fn has_reduced_in_this_window(&self, ctx: &Ctx) -> bool {
        let echoed = !self.loss && self.last_reduction == LastReduction::Ecn;
        (self.recovering || echoed) && ctx.seq.una < self.recover
    }

    /// `fresh`: no recovery was in progress. Otherwise a retransmission was lost, which lowers ssthresh once
    /// more (RFC 5681 section 4.3); the outstanding data, most of which the receiver may hold by now, would
    /// raise it. With `reduce = "pipe"` the `flight` before the timeout counts. With `reduce = "cwnd"` ssthresh stays
    /// if the window was `reduced` already.
    fn shrink_for_timeout(&mut self, ctx: &mut Ctx, now: Time, (fresh, reduced): (bool, bool), flight: f64) {
        let p = &ctx.params;
        // A timeout after an ECN reduction keeps ssthresh in ns-2; a repeated one keeps it in RFC 5681.
        let after_ecn = self.last_reduction == LastReduction::Ecn && p.reduce == Reduce::Window;
        let repeated = p.keep_ssthresh && self.parts.timeout_una == ctx.seq.una;
        if after_ecn || repeated || reduced && p.reduce == Reduce::Cwnd {
            ctx.counters.cuts += 1;
            ctx.cwr = true;
        } else {
            let load = match ctx.params.reduce {
                Reduce::Flight if !fresh => self.load(ctx).min(ctx.window.cwnd),
                Reduce::Pipe => flight,
                _ => self.load(ctx),
            };
            ctx.reduce_window(now, Cause::Timeout, load);
        }
        if !after_ecn {
            ctx.counters.timeouts += 1;
        }
        ctx.window.cwnd = 1.0;
    }

    /// A timeout with nothing outstanding: cwnd returns to 1 and the timer stops.
    fn idle_timeout(&mut self, ctx: &mut Ctx, _now: Time) {
        ctx.counters.cuts += 1;
        ctx.cwr = true;
        ctx.window.cwnd = 1.0;
        self.last_reduction = LastReduction::Timeout;
        ctx.timers.cancel(Timer::Retransmission);
    }
}
