//! The control law: when the next packet goes, given how long packets waited.
//!
//! Holds no packets, because disciplines with many queues run one law over many states.

use super::{CeFor, CountRule, MarkSchedule, Params, Root, ScheduleClock};
use crate::disc::{Cx, Packet, Reason};
use crate::store::PacketStore;
use units::math;
use units::{Bytes, Ecn, Span, Time};

impl ScheduleClock {
    /// A moment as this clock reads it.
    #[inline]
    fn read(self, now: Time) -> u64 {
        match self {
            ScheduleClock::Exact => now.nanos(),
            ScheduleClock::Ticks | ScheduleClock::TicksNoWrap => now.nanos() >> 10 & 0xffff_ffff,
        }
    }

    #[inline]
    fn span(self, span: Span) -> u64 {
        self.read(Time(span.0))
    }

    #[inline]
    fn add(self, moment: u64, span: u64) -> u64 {
        match self {
            ScheduleClock::Exact => moment.saturating_add(span),
            ScheduleClock::Ticks | ScheduleClock::TicksNoWrap => moment.wrapping_add(span) & 0xffff_ffff,
        }
    }

    /// How far `a` lies after `b`; negative if before.
    #[inline]
    fn difference(self, a: u64, b: u64) -> i64 {
        match self {
            ScheduleClock::Ticks => i64::from((a as u32).wrapping_sub(b as u32) as i32),
            ScheduleClock::Exact | ScheduleClock::TicksNoWrap => a as i64 - b as i64,
        }
    }

    /// Time waited, on this clock.
    #[inline]
    fn waited(self, now: Time, since: Time) -> u64 {
        match self {
            ScheduleClock::Exact => now.since(since).0,
            ScheduleClock::Ticks | ScheduleClock::TicksNoWrap => {
                u64::from((self.read(now) as u32).wrapping_sub(self.read(since) as u32))
            }
        }
    }
}

/// The options that a law uses, in the unit of its clock.
#[derive(Clone, Debug)]
pub(crate) struct CoDelLaw {
    clock: ScheduleClock,
    target: u64,
    interval: u64,
    above_after: bool,
    count_rule: CountRule,
    /// A drop state entered sooner than this after the last scheduled drop resumes its rate.
    resume: u64,
    root: Root,
    mtu: Option<u64>,
    mark_schedule: MarkSchedule,
    ecn: bool,
    ce_threshold: u64,
    ce_for: CeFor,
}

/// State of one queue.
#[derive(Clone, Debug)]
pub(crate) struct CoDelState {
    /// When packets will have waited too long for a whole interval; `None` while they do not.
    first_above_time: Option<u64>,
    drop_next: u64,
    count: u32,
    lastcount: u32,
    dropping: bool,
    /// `1/sqrt(count)` as a fraction of 2^16, for [`Root::Newton`].
    inv_sqrt: u16,
    /// Largest packet seen, for a guard that follows it.
    max_packet: u64,
    sojourn: Span,
}

impl Default for CoDelState {
    fn default() -> CoDelState {
        CoDelState {
            first_above_time: None,
            drop_next: 0,
            count: 0,
            lastcount: 0,
            dropping: false,
            inv_sqrt: u16::MAX,
            max_packet: 0,
            sojourn: Span::ZERO,
        }
    }
}

impl CoDelState {
    /// Drops of the present dropping state, and the count from which the next one may resume.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// `1/sqrt(count)` as a fraction of 2^16.
    #[cfg(test)]
    pub(super) fn inv_sqrt(&self) -> u16 {
        self.inv_sqrt
    }

    /// A packet was dropped by an overflow, which is to raise the rate of signals.
    pub(crate) fn overflowed(&mut self) {
        self.count = self.count.wrapping_add(1);
    }

    /// Whether it is in the dropping state.
    pub(crate) fn dropping(&self) -> bool {
        self.dropping
    }

    /// How long the last packet taken out had waited.
    pub(crate) fn sojourn(&self) -> Span {
        self.sojourn
    }

    /// Notes an arrival: the guard may follow the largest packet.
    #[inline]
    pub(crate) fn arrived(&mut self, size: Bytes) {
        self.max_packet = self.max_packet.max(size.0);
    }
}

impl CoDelLaw {
    pub(crate) fn new(params: &Params) -> CoDelLaw {
        let clock = params.clock;
        let interval = clock.span(params.interval);
        CoDelLaw {
            clock,
            target: clock.span(params.target),
            interval,
            above_after: params.above_after,
            count_rule: params.count_rule,
            resume: interval.saturating_mul(params.resume_intervals),
            root: params.root,
            mtu: params.mtu.map(|mtu| mtu.0),
            mark_schedule: params.mark_schedule,
            ecn: params.ecn,
            ce_threshold: if params.ce_threshold == Span::ZERO {
                u64::MAX
            } else {
                clock.span(params.ce_threshold)
            },
            ce_for: params.ce_for,
        }
    }

    /// The next packet to send; drops or marks those that are due first.
    #[inline]
    pub(crate) fn dequeue<P: Packet + Copy>(
        &self,
        state: &mut CoDelState,
        store: &mut impl PacketStore<P>,
        cx: &mut Cx<'_, P>,
    ) -> Option<P> {
        let (mut sent, ok_to_drop) = self.take(state, store, cx.now);
        if state.dropping || ok_to_drop {
            sent = self.signal(state, store, sent, ok_to_drop, cx);
        }
        match sent {
            Some(pkt) if self.ce_threshold != u64::MAX => Some(self.mark_above_threshold(pkt, cx)),
            sent => sent,
        }
    }

    /// Takes the oldest packet; true if packets have waited above target for an interval.
    #[inline(always)]
    fn take<P: Packet + Copy>(
        &self,
        state: &mut CoDelState,
        store: &mut impl PacketStore<P>,
        now: Time,
    ) -> (Option<P>, bool) {
        let Some(pkt) = store.pop() else {
            state.first_above_time = None;
            state.sojourn = Span::ZERO;
            return (None, false);
        };
        state.sojourn = now.since(pkt.enqueued());
        let few = store.backlog() <= self.mtu.unwrap_or(state.max_packet);
        if self.clock.waited(now, pkt.enqueued()) < self.target || few {
            state.first_above_time = None;
            return (Some(pkt), false);
        }
        let moment = self.clock.read(now);
        let ok_to_drop = match state.first_above_time {
            None => {
                state.first_above_time = Some(self.clock.add(moment, self.interval));
                false
            }
            Some(above) => self.clock.difference(moment, above) >= i64::from(self.above_after),
        };
        (Some(pkt), ok_to_drop)
    }

    /// The steps in and into the dropping state. Returns the packet to send.
    #[inline(never)]
    fn signal<P: Packet + Copy>(
        &self,
        state: &mut CoDelState,
        store: &mut impl PacketStore<P>,
        mut head: Option<P>,
        mut ok_to_drop: bool,
        cx: &mut Cx<'_, P>,
    ) -> Option<P> {
        let now = self.clock.read(cx.now);
        if !state.dropping {
            head = cx.mark_or_drop(head?, self.ecn, Reason::Early);
            if head.is_none() {
                head = self.take(state, store, cx.now).0;
            }
            self.enter(state, now);
            return head;
        }
        state.dropping = ok_to_drop;
        while state.dropping && self.clock.difference(now, state.drop_next) >= 0 {
            self.raise(state);
            head = cx.mark_or_drop(head?, self.ecn, Reason::Early);
            if head.is_some() {
                let from = match self.mark_schedule {
                    MarkSchedule::Due => state.drop_next,
                    MarkSchedule::Now => now,
                };
                state.drop_next = self.control_law(from, state);
                break;
            }
            (head, ok_to_drop) = self.take(state, store, cx.now);
            state.dropping = ok_to_drop;
            if ok_to_drop {
                state.drop_next = self.control_law(state.drop_next, state);
            }
        }
        head
    }

    /// Starts a dropping state, at the rate of the last one if that was a moment ago.
    fn enter(&self, state: &mut CoDelState, now: u64) {
        state.dropping = true;
        let recent = self.clock.difference(now, state.drop_next) < self.resume as i64;
        let resumed = match self.count_rule {
            CountRule::SinceEntry => state.count.wrapping_sub(state.lastcount),
            CountRule::MinusTwo => state.count.saturating_sub(2),
            CountRule::Restart => 0,
        };
        let least = if self.count_rule == CountRule::SinceEntry { 2 } else { 1 };
        if recent && resumed >= least {
            state.count = resumed;
            self.step_root(state);
        } else {
            state.count = 1;
            state.inv_sqrt = u16::MAX;
        }
        state.lastcount = state.count;
        state.drop_next = self.control_law(now, state);
    }

    pub(super) fn raise(&self, state: &mut CoDelState) {
        state.count = state.count.wrapping_add(1);
        self.step_root(state);
    }

    /// One step of Newton's iteration for `1/sqrt(count)`: `y (3 - count y^2) / 2`, in fractions of 2^32 of which the
    /// upper 16 bits are kept. In 64 bits that wrap, as Linux does: where the count has jumped, the result is noise
    /// there too.
    fn step_root(&self, state: &mut CoDelState) {
        if self.root == Root::Newton {
            let y = u64::from(state.inv_sqrt) << 16;
            let square = (y * y) >> 32;
            let rest = (3u64 << 32).wrapping_sub(u64::from(state.count).wrapping_mul(square));
            state.inv_sqrt = ((rest >> 2).wrapping_mul(y) >> 47) as u16;
        }
    }

    /// The moment `interval / sqrt(count)` after `from`.
    fn control_law(&self, from: u64, state: &CoDelState) -> u64 {
        match self.root {
            Root::Exact => self.schedule_after(from, state.count),
            Root::Newton => {
                let step = ((u128::from(self.interval) * u128::from(state.inv_sqrt)) >> 16) as u64;
                self.clock.add(from, step)
            }
        }
    }

    /// The same with the exact root.
    pub(super) fn schedule_after(&self, from: u64, count: u32) -> u64 {
        let step = self.interval as f64 / math::sqrt(f64::from(count));
        self.clock.add(from, math::round(step) as u64)
    }

    #[cold]
    fn mark_above_threshold<P: Packet + Copy>(&self, pkt: P, cx: &mut Cx<'_, P>) -> P {
        let chosen = match self.ce_for {
            CeFor::Capable => pkt.ecn().capable(),
            CeFor::Ect1 => pkt.ecn() == Ecn::Ect1,
        };
        let late = self.clock.waited(cx.now, pkt.enqueued()) > self.ce_threshold;
        if chosen && late && pkt.ecn() != Ecn::Ce {
            cx.mark_or_drop(pkt, true, Reason::Early).unwrap_or(pkt)
        } else {
            pkt
        }
    }
}

#[cfg(test)]
mod tests;
