//! The controller: from the delay of a queue, once every `t_update`, to the probability of a drop.
//!
//! Holds no packets, because FQ-PIE runs one law over many states. Delays are in seconds.

use super::{BurstClock, Delay, GuardTest, Judged, Options};
use crate::disc::Cx;
use crate::fifo::Unit;
use units::{Span, Time};

/// State of one queue.
#[derive(Clone, Debug)]
pub(crate) struct PieState {
    pub(super) drop_prob: f64,
    /// Probabilities added up since the last drop, for the de-randomiser.
    accu_prob: f64,
    qdelay_old: f64,
    /// The latest estimate.
    qdelay: f64,
    burst_allowance: Span,
    /// Whether the controller is at work at all.
    active: bool,
    meter: Meter,
    /// `None` after a rest: the allowance begins to run with the second departure.
    last_departure: Option<Time>,
}

/// The departure rate, measured over at least `dq_threshold` bytes at a time.
#[derive(Clone, Copy, Debug, Default)]
struct Meter {
    /// Start of the measurement, and bytes since; `None` while the queue is too short to measure.
    running: Option<(Time, u64)>,
    /// Seconds that `dq_threshold` bytes take, averaged; zero before the first measurement.
    avg_dq_time: f64,
}

/// Queue length in packets and backlog in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backlog {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
}

/// A packet that leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub(crate) sojourn: Span,
    pub(crate) size: u64,
    pub(crate) left: Backlog,
}

/// The options that the controller uses.
#[derive(Clone, Debug)]
pub(crate) struct PieLaw {
    options: Options,
    target: f64,
    t_update: Span,
    max_burst: Span,
    surge: f64,
    /// Bytes from which the controller is at work.
    active_from: f64,
    guard: u64,
    mean_packet: f64,
    /// Seconds a byte takes on the link.
    byte_time: f64,
}

impl PieLaw {
    /// `limit` is the bound of the buffer in bytes.
    pub(crate) fn new(options: Options, limit: f64, mean_packet: u64, byte_time: f64) -> PieLaw {
        PieLaw {
            target: options.target.as_secs(),
            t_update: options.t_update,
            max_burst: options.max_burst,
            surge: if options.surge_delay == Span::ZERO {
                f64::INFINITY
            } else {
                options.surge_delay.as_secs()
            },
            active_from: limit * options.active_share,
            guard: match options.guard_unit {
                Unit::Packets => 2,
                Unit::Bytes => 2 * mean_packet,
            },
            mean_packet: mean_packet as f64,
            byte_time,
            options,
        }
    }

    /// The state of a queue that has just come to be.
    pub(crate) fn start(&self) -> PieState {
        PieState {
            drop_prob: 0.0,
            accu_prob: 0.0,
            qdelay_old: 0.0,
            qdelay: 0.0,
            burst_allowance: self.max_burst,
            active: self.active_from <= 0.0,
            meter: Meter::default(),
            last_departure: None,
        }
    }

    /// Whether the arriving packet is to be dropped or marked.
    #[inline]
    pub(crate) fn drops<P: crate::disc::Packet + Copy>(
        &self,
        state: &mut PieState,
        size: u64,
        backlog: Backlog,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        if !state.active
            || state.burst_allowance > Span::ZERO
            || self.is_uncongested(state)
            || self.is_short(backlog)
        {
            return false;
        }
        let p = self.probability(state, size);
        if !self.options.derandomise {
            return cx.chance(p);
        }
        state.accu_prob = if state.drop_prob == 0.0 { 0.0 } else { state.accu_prob + p };
        if state.accu_prob < self.options.accu_low {
            return false;
        }
        let drop = state.accu_prob >= self.options.accu_high || cx.chance(p);
        if drop {
            state.accu_prob = 0.0;
        }
        drop
    }

    #[inline]
    fn is_uncongested(&self, state: &PieState) -> bool {
        let delay = match self.options.judged {
            Judged::Old => state.qdelay_old,
            Judged::Latest => state.qdelay,
        };
        delay < 0.5 * self.target && state.drop_prob < 0.2
    }

    #[inline]
    fn is_short(&self, backlog: Backlog) -> bool {
        let held = match self.options.guard_unit {
            Unit::Packets => backlog.packets,
            Unit::Bytes => backlog.bytes,
        };
        match self.options.guard_test {
            GuardTest::UpTo => held <= self.guard,
            GuardTest::Below => held < self.guard,
        }
    }

    #[inline]
    fn probability(&self, state: &PieState, size: u64) -> f64 {
        if self.options.byte_mode {
            state.drop_prob * (size as f64 / self.mean_packet).min(1.0)
        } else {
            state.drop_prob
        }
    }

    /// Whether an ECN-capable packet is marked instead of dropped.
    #[inline]
    pub(crate) fn marks(&self, state: &PieState) -> bool {
        self.options.ecn && state.drop_prob <= self.options.mark_limit
    }

    /// Whether ECN is on, but congestion too heavy for marks.
    #[inline]
    pub(crate) fn gives_up_marks(&self, state: &PieState) -> bool {
        self.options.ecn && state.drop_prob > self.options.mark_limit
    }

    /// A packet was dropped by an overflow.
    #[inline]
    pub(crate) fn overflowed(&self, state: &mut PieState) {
        state.accu_prob = 0.0;
    }

    /// A packet was stored; `backlog` includes it.
    #[inline]
    pub(crate) fn stored(&self, state: &mut PieState, backlog: Backlog) {
        if self.active_from > 0.0 && !state.active && backlog.bytes as f64 >= self.active_from {
            *state = PieState { active: true, last_departure: state.last_departure, ..self.start() };
        }
    }

    /// A packet leaves.
    #[inline]
    pub(crate) fn departed(&self, state: &mut PieState, packet: Departure, now: Time) {
        match self.options.delay {
            Delay::Timestamp => {
                state.qdelay = if packet.left.packets == 0 { 0.0 } else { packet.sojourn.as_secs() };
            }
            Delay::Rate => self.measure(state, packet, now),
            Delay::Backlog => {}
        }
        if self.options.burst_clock == BurstClock::Departure {
            let last = state.last_departure.replace(now).unwrap_or(now);
            state.burst_allowance = state.burst_allowance - now.since(last);
        }
    }

    /// Measures the departure rate while at least `dq_threshold` bytes wait.
    fn measure(&self, state: &mut PieState, packet: Departure, now: Time) {
        let threshold = self.options.dq_threshold.0;
        let meter = &mut state.meter;
        if meter.running.is_none() && packet.left.bytes + packet.size >= threshold {
            // The current packet leaves now: bytes count from the next one on.
            meter.running = Some((now, 0));
            return;
        }
        let Some((start, bytes)) = &mut meter.running else { return };
        *bytes += packet.size;
        if *bytes < threshold {
            return;
        }
        let sample = now.since(*start).as_secs() * threshold as f64 / *bytes as f64;
        let weight = threshold as f64 / 65536.0;
        meter.avg_dq_time = if meter.avg_dq_time == 0.0 {
            sample
        } else {
            sample * weight + meter.avg_dq_time * (1.0 - weight)
        };
        meter.running = (packet.left.bytes >= threshold).then_some((now, 0));
    }

    /// One step of the controller, at the time it is due.
    pub(crate) fn update(&self, state: &mut PieState, backlog: Backlog) {
        if !state.active {
            return;
        }
        let qdelay = self.current_delay(state, backlog);
        let decays = !self.options.decay_if_empty || backlog.packets == 0;
        state.drop_prob = self.next_prob(state.drop_prob, (qdelay, state.qdelay_old), decays);
        let rests =
            state.drop_prob == 0.0 && qdelay < 0.5 * self.target && state.qdelay_old < 0.5 * self.target;
        if rests {
            state.burst_allowance = self.max_burst;
            state.last_departure = None;
        } else if self.options.burst_clock == BurstClock::Tick {
            state.burst_allowance = state.burst_allowance - self.t_update;
        }
        if self.active_from > 0.0 && state.drop_prob == 0.0 && state.qdelay_old == 0.0 && qdelay == 0.0 {
            state.active = false;
            state.meter.running = None;
        }
        state.qdelay_old = qdelay;
    }

    fn current_delay(&self, state: &mut PieState, backlog: Backlog) -> f64 {
        match self.options.delay {
            Delay::Timestamp => {}
            Delay::Rate => {
                state.qdelay =
                    backlog.bytes as f64 * state.meter.avg_dq_time / self.options.dq_threshold.0 as f64;
            }
            Delay::Backlog => state.qdelay = backlog.bytes as f64 * self.byte_time,
        }
        state.qdelay
    }

    /// The control law proper: RFC8033 section 4.2. Takes the delays at this tick and the last, and whether the
    /// probability decays where both are zero.
    pub(crate) fn next_prob(&self, drop_prob: f64, (qdelay, qdelay_old): (f64, f64), decays: bool) -> f64 {
        let Options { alpha, beta, .. } = self.options;
        let mut step = (alpha * (qdelay - self.target) + beta * (qdelay - qdelay_old)) * scale(drop_prob);
        if self.options.cap_step && drop_prob >= 0.1 {
            step = step.min(0.02);
        }
        if qdelay > self.surge {
            step += 0.02;
        }
        let mut next = drop_prob + step;
        if decays && qdelay == 0.0 && qdelay_old == 0.0 {
            next *= self.options.decay;
        }
        next.clamp(0.0, self.options.most_prob)
    }
}

impl PieState {
    /// The latest estimate of the delay, in milliseconds.
    pub(crate) fn delay_ms(&self) -> f64 {
        self.qdelay * 1e3
    }

    #[cfg(test)]
    pub(super) fn use_up_allowance(&mut self) {
        self.burst_allowance = Span::ZERO;
    }

    #[cfg(test)]
    pub(super) fn set_delay_old(&mut self, seconds: f64) {
        self.qdelay_old = seconds;
    }

    /// Probability of a drop.
    pub(crate) fn drop_prob(&self) -> f64 {
        self.drop_prob.min(1.0)
    }

    /// Remaining burst allowance, in milliseconds.
    pub(crate) fn burst_ms(&self) -> f64 {
        self.burst_allowance.as_millis()
    }
}

impl PieState {
    /// Whether ticks change nothing while nothing arrives.
    #[inline]
    pub(crate) fn rests(&self, law: &PieLaw) -> bool {
        let still = self.drop_prob == 0.0 && self.qdelay == 0.0 && self.qdelay_old == 0.0;
        still && self.burst_allowance == law.max_burst
    }
}

/// Small probabilities change in small steps.
fn scale(drop_prob: f64) -> f64 {
    const STEPS: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
    STEPS.iter().find(|(below, _)| drop_prob < *below).map_or(1.0, |(_, divisor)| 1.0 / divisor)
}

#[cfg(test)]
mod tests;
