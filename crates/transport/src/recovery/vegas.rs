//! Recovery of Vegas: a duplicate ACK retransmits at once a segment older than a fine-grained timeout.
//!
//! *Reference*: BP95 section 4.1 (its three techniques for retransmission); ns-2.35 by its output where
//! `vegas_rule` asks for it.
//! *Units*: segments; the timeout in seconds.
//! *Deviations*: none known from ns-2. BP95 leaves the gains of the timeout open: they are Jacobson's (RFC
//! 6298 section 2).

use super::{LastReduction, LossRecovery};
use crate::cc::Cause;
use crate::connection::Ctx;
use crate::ledger::Ledger;
use crate::params::{Params, Recovery, VegasRule};
use crate::segment::Ack;
use units::{Span, Time};

/// New ACKs after a retransmission that check whether the next segment is overdue, too.
const OVERDUE_CHECKS: u32 = 2;

/// Fine-grained clock: timeout and send times of Vegas.
#[derive(Clone, Debug)]
pub(crate) struct FineClock {
    srtt: f64,
    rttvar: f64,
    /// Fine-grained timeout in seconds.
    timeout: f64,
    /// New ACKs left that check for an overdue segment.
    checks_left: u32,
    /// Time of the last window reduction.
    reduced_at: Option<Time>,
    /// Send time of the first segment: the origin of ns-2's clock.
    began: Option<Time>,
    /// The window without the inflation of recovery.
    bare: f64,
    /// ns-2's send times: one slot per segment of the window.
    slots: Vec<Slot>,
}

/// A slot of ns-2: last send time and number of transmissions.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    at: Option<Time>,
    transmits: u16,
}

impl FineClock {
    pub(crate) fn new(p: &Params) -> FineClock {
        let ns2 = p.recovery == Recovery::Vegas && p.vegas_rule == VegasRule::Ns2;
        let slots = if ns2 { p.window.unwrap_or(0) as usize } else { 0 };
        FineClock {
            srtt: 0.0,
            rttvar: 0.0,
            timeout: 1000.0,
            checks_left: 0,
            reduced_at: None,
            began: None,
            bare: 0.0,
            slots: vec![Slot::default(); slots],
        }
    }

    /// Records a transmission. Returns true for the first, which starts ns-2's clock and is not counted.
    pub(crate) fn note(&mut self, now: Time, seq: u32) -> bool {
        let Some(count) = self.count() else { return false };
        let first = self.began.is_none();
        if first {
            (self.began, self.reduced_at) = (Some(now), Some(now));
        }
        let slot = &mut self.slots[(seq % count) as usize];
        slot.at = Some(now);
        slot.transmits = slot.transmits.saturating_add(u16::from(!first));
        first
    }

    /// Frees the slots of `[una, ack)` as ns-2 does: none if the range wraps around.
    fn free(&mut self, una: u32, ack: u32) {
        if let Some(count) = self.count() {
            let (first, last) = (una % count, (ack - 1) % count);
            for slot in first..=last {
                self.slots[slot as usize] = Slot::default();
            }
        }
    }

    fn count(&self) -> Option<u32> {
        (!self.slots.is_empty()).then_some(self.slots.len() as u32)
    }

    /// Last send time of a segment, if recorded, and its number of transmissions.
    fn slot(&self, seq: u32, ledger: &Ledger) -> (Option<Time>, u16) {
        if let Some(count) = self.count() {
            let slot = self.slots[(seq % count) as usize];
            return (slot.at, slot.transmits);
        }
        let sent = ledger.get(seq);
        (Some(sent.at), u16::from(sent.transmits))
    }

    /// Seconds since a segment was sent. ns-2 takes an unrecorded segment as sent one second before its clock
    /// started.
    fn age(&self, now: Time, at: Option<Time>) -> f64 {
        match (at, self.began) {
            (Some(at), _) => now.secs_since(at),
            (None, Some(began)) => now.secs_since(began) + 1.0,
            (None, None) => f64::INFINITY,
        }
    }

    /// Starts ns-2's estimate with the time of the first ACK on its own clock, and a quarter of that as
    /// deviation.
    fn begin(&mut self, now: Time) {
        if let Some(began) = self.began.filter(|_| self.srtt == 0.0) {
            self.srtt = now.secs_since(began);
            self.rttvar = self.srtt / 4.0;
            self.timeout = self.srtt + 2.0 * self.rttvar;
        }
    }

    /// Takes the RTT sample of a segment sent once.
    fn sample(&mut self, rtt: Span, rule: VegasRule) {
        let rtt = rtt.as_secs();
        let ns2 = rule == VegasRule::Ns2;
        if self.srtt == 0.0 {
            (self.srtt, self.rttvar) = (rtt, rtt / 2.0);
        } else {
            let error = rtt - self.srtt;
            self.srtt += error / 8.0;
            self.rttvar += (error.abs() - self.rttvar) / 4.0;
        }
        self.timeout =
            if ns2 { (self.srtt + 2.0 * self.rttvar) * (17.0 / 16.0) } else { self.srtt + 4.0 * self.rttvar };
    }
}

impl LossRecovery {
    pub(crate) fn on_ack_vegas(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        self.parts.fine.begin(now);
        if ack.ack > ctx.seq.una {
            self.new_ack_vegas(ctx, now, ack);
        } else if ack.ack == ctx.seq.una {
            self.duplicate_vegas(ctx, now);
        } else {
            ctx.quota = 0;
        }
        let threshold = ctx.threshold();
        if self.dupacks > 0 && self.dupacks < threshold {
            ctx.quota = 0;
        }
    }

    fn new_ack_vegas(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        let rule = ctx.params.vegas_rule;
        let (acked, flight) = (ack.ack - ctx.seq.una, ctx.seq.nxt - ctx.seq.una);
        if rule == VegasRule::Ns2 && ctx.seq.una == 1 && ctx.params.delay_growth {
            ctx.window.cwnd = ctx.initial_window();
        }
        self.deflate_vegas(ctx);
        let sample = self.segment_rtt(ctx, now, ack.ack - 1);
        if self.loss && ack.ack >= self.recover {
            self.loss = false;
        }
        let una = ctx.seq.una;
        self.advance(ctx, now, ack);
        self.parts.fine.free(una, ack.ack);
        self.grow(ctx, now, ack, acked, acked, flight);
        if let Some(rtt) = sample {
            self.parts.fine.sample(rtt, rule);
        }
        if self.parts.fine.checks_left == 0 {
            return;
        }
        self.parts.fine.checks_left -= 1;
        if self.overdue(ctx, now) {
            self.dupacks = ctx.params.dupack_threshold as u32;
            self.forced = ctx.seq.una;
        } else {
            self.parts.fine.checks_left = 0;
        }
    }

    /// Removes the inflation by duplicate ACKs.
    fn deflate_vegas(&mut self, ctx: &mut Ctx) {
        self.recovering = false;
        let bare = self.parts.fine.bare;
        let recovers = match ctx.params.vegas_rule {
            VegasRule::Ns2 => self.dupacks > ctx.params.dupack_threshold as u32,
            VegasRule::Brakmo | VegasRule::Ns3 | VegasRule::Linux => self.dupacks > 0 && bare > 0.0,
        };
        if recovers && ctx.window.cwnd > bare {
            ctx.window.cwnd = bare;
            ctx.window.ssthresh = 2.0;
        }
    }

    /// RTT of `seq`, just acknowledged, if it was sent once. ns-2 takes a segment sent at the origin of its
    /// clock as not sent.
    pub(crate) fn segment_rtt(&self, ctx: &Ctx, now: Time, seq: u32) -> Option<Span> {
        let fine = &self.parts.fine;
        let (at, transmits) = fine.slot(seq, &ctx.tracking.ledger);
        at.filter(|at| transmits == 1 && fine.began != Some(*at))
            .map(|at| now.since(at))
            .filter(|rtt| *rtt > Span::ZERO)
    }

    /// Whether the first unacknowledged segment is older than the fine-grained timeout.
    fn overdue(&self, ctx: &Ctx, now: Time) -> bool {
        let ns2 = ctx.params.vegas_rule == VegasRule::Ns2;
        if ctx.seq.una == ctx.seq.max && !ns2 {
            return false;
        }
        let fine = &self.parts.fine;
        // ns-2 takes a segment without a record, even one never sent, as sent long ago.
        let (at, _) = fine.slot(ctx.seq.una, &ctx.tracking.ledger);
        fine.age(now, at) >= fine.timeout
    }

    fn duplicate_vegas(&mut self, ctx: &mut Ctx, now: Time) {
        if ctx.seq.una == ctx.seq.max {
            ctx.quota = 0;
            return;
        }
        let threshold = ctx.threshold();
        if self.dupacks == 0 {
            self.parts.dup_max = ctx.seq.max;
        }
        self.dupacks += 1;
        if self.overdue(ctx, now) || self.dupacks == threshold {
            self.retransmit_vegas(ctx, now);
        } else if self.dupacks > threshold {
            ctx.window.cwnd += 1.0;
        }
    }

    fn retransmit_vegas(&mut self, ctx: &mut Ctx, now: Time) {
        let p = &ctx.params;
        let (threshold, ns2) = (p.dupack_threshold as u32, p.vegas_rule == VegasRule::Ns2);
        let allowed =
            ctx.seq.una > self.recover || !p.once_a_window || self.last_reduction != LastReduction::Timeout;
        if !allowed {
            return;
        }
        let (at, transmits) = self.parts.fine.slot(ctx.seq.una, &ctx.tracking.ledger);
        let (at, again) = (at.unwrap_or(Time::ZERO), transmits > 1);
        self.recover = ctx.seq.max;
        let outstanding = ctx.seq.nxt - ctx.seq.una + 1;
        let fine = &mut self.parts.fine;
        fine.checks_left = outstanding.min(OVERDUE_CHECKS);
        fine.timeout *= if again { 2.0 } else { 1.125 };
        // A segment sent before the last reduction is no evidence about the present window (BP95).
        if fine.reduced_at.is_none_or(|cut| cut < at) {
            fine.reduced_at = Some(now);
            self.reduce_vegas(ctx, now, again);
        }
        self.last_reduction = LastReduction::FastRetransmit;
        ctx.counters.fast_recoveries += 1;
        self.recovering = true;
        ctx.double_rto();
        ctx.restart_timer_on_retransmit(now);
        self.forced = ctx.seq.una;
        if !(ns2 && again) {
            self.dupacks = self.dupacks.max(threshold);
        }
    }

    /// Reduces the window by a quarter, or by half if a retransmission was lost; then inflates it by the
    /// duplicate ACKs.
    fn reduce_vegas(&mut self, ctx: &mut Ctx, now: Time, again: bool) {
        let ssthresh = ctx.window.ssthresh;
        let before = ctx.window.cwnd.min(f64::from(ctx.seq.rwnd));
        self.reduce_window(ctx, now, Cause::Loss);
        let bare = match ctx.params.vegas_rule {
            VegasRule::Brakmo | VegasRule::Ns3 | VegasRule::Linux if again => before / 2.0,
            VegasRule::Brakmo | VegasRule::Ns3 | VegasRule::Linux => ctx.window.cwnd,
            VegasRule::Ns2 => {
                let whole = before as u32;
                let left = if again { whole >> 1 } else { whole - (whole >> 2) };
                f64::from(if whole <= 3 { 2 } else { left })
            }
        };
        ctx.window.ssthresh = ssthresh;
        self.parts.fine.bare = bare.max(2.0);
        ctx.window.cwnd = self.parts.fine.bare + f64::from(self.dupacks);
    }

    /// Timeout: a window of two segments, and no pending checks.
    pub(crate) fn timeout_vegas(&mut self, ctx: &mut Ctx, now: Time) {
        ctx.window.cwnd = 2.0;
        ctx.window.ssthresh = ctx.window.ssthresh.max(2.0);
        self.parts.fine.bare = 0.0;
        if ctx.params.vegas_rule != VegasRule::Ns2 {
            self.parts.fine.checks_left = 0;
        }
        self.parts.fine.reduced_at = Some(now);
    }
}
