//! The law: a schedule of signals that speeds up and slows down, and a probability of its own (BLUE).

use super::{AfterPause, FirstSignal, Params};
use crate::codel::Root;
use crate::disc::{Cx, Packet, Probe, Reason};
use units::math;
use units::{Span, Time};

/// The decision about the packet that is about to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Send it.
    Send,
    /// CoDel's schedule asks for a mark or a drop.
    Signal,
    /// BLUE drops it, ECN-capable or not.
    Drop,
}

/// The options that the law uses.
#[derive(Clone, Debug)]
pub(crate) struct CobaltLaw {
    target: Span,
    interval: Span,
    /// Whether a queue that never signalled does so at once.
    at_once: bool,
    /// Whether one that was still for an interval does so.
    after_pause: bool,
    root: Root,
    ecn: bool,
    step_up: f64,
    step_down: f64,
    blue_threshold: Span,
}

/// State of one queue.
#[derive(Clone, Debug)]
pub(crate) struct CobaltState {
    count: u32,
    /// `1/sqrt(count)` as a fraction of 2^32, for [`Root::Newton`].
    inv_sqrt: u32,
    /// Whether the count has ever moved by the schedule.
    has_signalled: bool,
    dropping: bool,
    drop_next: Time,
    /// BLUE's probability, and when it last moved.
    p_drop: f64,
    blue_timer: Time,
    sojourn: Span,
}

impl Default for CobaltState {
    fn default() -> CobaltState {
        CobaltState {
            count: 0,
            inv_sqrt: u32::MAX,
            has_signalled: false,
            dropping: false,
            drop_next: Time::ZERO,
            p_drop: 0.0,
            blue_timer: Time::ZERO,
            sojourn: Span::ZERO,
        }
    }
}

impl CobaltState {
    /// Whether nothing is left to fall: an empty queue with this state may be forgotten.
    pub(crate) fn at_rest(&self, now: Time) -> bool {
        self.p_drop == 0.0 && self.count == 0 && now >= self.drop_next
    }

    /// BLUE's probability.
    pub(crate) fn p_drop(&self) -> f64 {
        self.p_drop
    }

    pub(crate) fn probe(&self, out: &mut Probe) {
        out.note("sojourn_ms", self.sojourn.as_millis());
        out.note("count", f64::from(self.count));
        out.note("dropping", f64::from(u8::from(self.dropping)));
        out.note("p_drop", self.p_drop);
    }
}

impl CobaltLaw {
    pub(crate) fn new(params: &Params) -> CobaltLaw {
        let never = params.blue_threshold == Span::ZERO;
        CobaltLaw {
            target: params.target,
            interval: params.interval,
            at_once: params.first_signal == FirstSignal::AtOnce,
            after_pause: params.after_pause == AfterPause::AtOnce,
            root: params.root,
            ecn: params.ecn,
            step_up: params.step_up,
            step_down: params.step_down,
            blue_threshold: if never { Span(u64::MAX) } else { params.blue_threshold },
        }
    }

    pub(crate) fn ecn(&self) -> bool {
        self.ecn
    }

    /// The moment `interval / sqrt(count)` after `from`.
    fn control_law(&self, from: Time, state: &CobaltState) -> Time {
        let step = match self.root {
            Root::Exact => {
                math::round(self.interval.0 as f64 / math::sqrt(f64::from(state.count.max(1)))) as u64
            }
            Root::Newton => ((u128::from(self.interval.0) * u128::from(state.inv_sqrt)) >> 32) as u64,
        };
        from + Span(step)
    }

    /// The count has moved by one. Newton's iteration for `1/sqrt(count)` in fractions of 2^32 makes one step from the
    /// last value; below 16 the root is exact.
    fn moved(&self, state: &mut CobaltState) {
        state.has_signalled = true;
        if self.root == Root::Newton {
            let y = u64::from(state.inv_sqrt);
            state.inv_sqrt = match state.count {
                0 | 1 => u32::MAX,
                count @ 2..16 => (4_294_967_296.0 / math::sqrt(f64::from(count))) as u32,
                count => {
                    let rest = (3u64 << 32).saturating_sub(u64::from(count) * ((y * y) >> 32));
                    (((rest >> 2) * y) >> 31).min(u64::from(u32::MAX)) as u32
                }
            };
        }
    }

    /// BLUE: the buffer overflowed. CoDel's schedule starts as well, at once.
    pub(crate) fn overflowed(&self, state: &mut CobaltState, now: Time) {
        self.raise(state, now);
        state.dropping = true;
        state.drop_next = now;
        state.count = state.count.max(1);
    }

    fn raise(&self, state: &mut CobaltState, now: Time) {
        if now.since(state.blue_timer) > self.target {
            state.p_drop = (state.p_drop + self.step_up).min(1.0);
            state.blue_timer = now;
        }
    }

    /// BLUE: there was nothing to send. The schedule falls by a slot if one is due.
    pub(crate) fn emptied(&self, state: &mut CobaltState, now: Time) {
        if state.p_drop > 0.0 && now.since(state.blue_timer) > self.target {
            state.p_drop = (state.p_drop - self.step_down).max(0.0);
            state.blue_timer = now;
        }
        state.dropping = false;
        if state.count > 0 && now >= state.drop_next {
            state.count -= 1;
            self.moved(state);
            state.drop_next = self.control_law(state.drop_next, state);
        }
    }

    /// Returns the first packet of `pop` that may leave; those before it have ended.
    pub(crate) fn send<P: Packet + Copy>(
        &self,
        state: &mut CobaltState,
        mut pop: impl FnMut() -> Option<P>,
        cx: &mut Cx<'_, P>,
    ) -> Option<P> {
        while let Some(pkt) = pop() {
            let sojourn = cx.now.since(pkt.enqueued());
            let sent = match self.judge(state, sojourn, sojourn > self.target, pkt.ecn().capable(), cx) {
                Verdict::Send => Some(pkt),
                Verdict::Signal => cx.mark_or_drop(pkt, self.ecn, Reason::Early),
                Verdict::Drop => {
                    cx.drop(pkt, Reason::Forced);
                    None
                }
            };
            if sent.is_some() {
                return sent;
            }
        }
        self.emptied(state, cx.now);
        None
    }

    /// Judges the packet about to leave; `late` if it waited too long.
    pub(crate) fn judge<P: Packet + Copy>(
        &self,
        state: &mut CobaltState,
        sojourn: Span,
        late: bool,
        capable: bool,
        cx: &mut Cx<'_, P>,
    ) -> Verdict {
        let now = cx.now;
        state.sojourn = sojourn;
        let due = state.count > 0 && now >= state.drop_next;
        let paused = self.after_pause && state.count == 0 && now > state.drop_next;
        if late && !state.dropping {
            state.dropping = true;
            state.count = state.count.max(1);
            let unset = self.at_once && !state.has_signalled;
            state.drop_next = if unset { now } else { self.control_law(now, state) };
        } else if !late {
            state.dropping = false;
        }
        let signals = due && state.dropping;
        if signals {
            state.count = state.count.saturating_add(1);
            self.moved(state);
            state.drop_next = self.control_law(state.drop_next, state);
        } else if due {
            self.fall(state, now);
        }
        if sojourn > self.blue_threshold {
            self.raise(state, now);
        }
        let drops = cx.chance(state.p_drop);
        if state.count == 0 {
            state.drop_next = now + self.interval;
        } else if (paused || now > state.drop_next) && !drops && (!signals || self.ecn && capable) {
            state.drop_next = now;
        }
        match (drops, signals) {
            (true, _) => Verdict::Drop,
            (false, true) => Verdict::Signal,
            (false, false) => Verdict::Send,
        }
    }

    /// The schedule falls by each slot that has passed.
    fn fall(&self, state: &mut CobaltState, now: Time) {
        while state.count > 0 && now >= state.drop_next {
            state.count -= 1;
            self.moved(state);
            state.drop_next = self.control_law(state.drop_next, state);
        }
    }
}
