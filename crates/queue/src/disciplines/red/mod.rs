//! Random Early Detection.
//!
//! Reference: FJ93, steps of its Figure 2; FGS01 for automatic values; RFC3168 for ECN.
//! Units: `avg`, the thresholds and the limit count packets or bytes, as `unit` says; times are nanoseconds.
//! Deviations: an arrival dropped at an empty queue restarts the idle clock (FJ93 leaves this open); a drop
//! for lack of room resets `count` (FJ93 does not say). Everything else that differs between
//! implementations is a named option, and a dialect is a row of options.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the steps at an arrival and a departure, and the curve from `avg` to `p_b` |
//! | `params.rs` | the options |
//! | `auto.rs` | values of automatic parameters |
//! | `average.rs` | `avg`, and its decay while idle |
//! | `spacing.rs` | from `p_b` to marks: `count`, `p_a`, byte modes |
//! | `victims.rs` | marks, drops, and the packet that a full buffer drops |
//! | `fast_path.rs` | the same steps under the default options, specialised |
//! | `parts.rs`, `shared_params.rs` | what relatives of RED reuse: parts and moves of the law; parameters |
//! | `dialects.rs` | the rows |

mod auto;
mod average;
mod dialects;
mod fast_path;
mod params;
pub(crate) mod parts;
pub(crate) mod shared_params;
mod spacing;
mod victims;
pub(crate) mod wrapped;

pub use auto::ResolvedParams;
pub use fast_path::FastVerdict;
pub use params::{
    AboveMax, AutoTh, AutoWq, AverageArithmetic, AverageSample, ByteMode, Caution, Draws, EcnForced,
    IdleDecay, IdleFrom, IdleTable, Incapable, MarkCounting, Params, RedVictim, Spacing,
};

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc};
use crate::fifo::{Fifo, Limit, Unit};
use crate::registry::Setting;
use average::Average;
use spacing::{Arrival, Marker};
use units::param::Valid;
use units::{math, Bytes, Time};

/// Base probability `p_b` as a function of the average queue.
pub trait MarkingCurve {
    /// Lower threshold: below it no packet is marked.
    fn min_th(&self) -> f64;
    /// Average from which every packet is marked without a draw.
    fn forced_at(&self) -> f64;
    /// Base probability from `min_th` upward.
    fn p_b(&self, avg: f64) -> f64;
    /// Base probability where the decision is random: `None` from [`MarkingCurve::forced_at`] upward.
    #[inline(always)]
    fn p_b_unless_forced(&self, avg: f64) -> Option<f64> {
        (avg < self.forced_at()).then(|| self.p_b(avg))
    }
    /// `max_p`, for probes.
    fn max_p(&self) -> f64;
}

/// A straight line between the thresholds.
#[derive(Clone, Copy, Debug)]
pub struct LinearCurve {
    min_th: f64,
    max_th: f64,
    /// A field of its own because Adaptive RED changes it.
    max_p: f64,
    /// `1 / (max_th - min_th)`.
    per_span: f64,
    /// From `max_th` upward, `p_b` is `above_slope * avg + above_start`.
    above_slope: f64,
    above_start: f64,
    /// Average from which every packet is marked without a draw.
    forced_at: f64,
}

impl LinearCurve {
    pub(crate) fn new(params: &Params, resolved: &ResolvedParams) -> LinearCurve {
        let (max_th, max_p) = (resolved.max_th, params.max_p);
        let span = max_th - resolved.min_th;
        let (above_slope, above_start, certain_at) = match params.above_max {
            AboveMax::Drop => (0.0, 1.0, max_th),
            AboveMax::Gentle => ((1.0 - max_p) / max_th, 2.0 * max_p - 1.0, 2.0 * max_th),
            AboveMax::Capped => (0.0, max_p, f64::INFINITY),
        };
        LinearCurve {
            min_th: resolved.min_th,
            max_th,
            max_p,
            per_span: if span > 0.0 { 1.0 / span } else { 0.0 },
            above_slope,
            above_start,
            forced_at: if params.forced_as_early { f64::INFINITY } else { certain_at },
        }
    }

    /// The base probability between the thresholds.
    #[inline(always)]
    fn p_b_between(&self, avg: f64) -> f64 {
        // `avg` is not below `min_th`, but `max_p` may have been moved beyond 1.
        ((avg - self.min_th) * self.per_span * self.max_p).min(1.0)
    }
}

impl MarkingCurve for LinearCurve {
    #[inline]
    fn min_th(&self) -> f64 {
        self.min_th
    }

    #[inline]
    fn forced_at(&self) -> f64 {
        self.forced_at
    }

    fn max_p(&self) -> f64 {
        self.max_p
    }

    #[inline(always)]
    fn p_b(&self, avg: f64) -> f64 {
        if avg < self.max_th {
            return self.p_b_between(avg);
        }
        (self.above_slope * avg + self.above_start).clamp(0.0, 1.0)
    }

    /// The probability `p_b`; `None` if the average forces the decision.
    #[inline(always)]
    fn p_b_unless_forced(&self, avg: f64) -> Option<f64> {
        if avg < self.max_th {
            return Some(self.p_b_between(avg));
        }
        (avg < self.forced_at).then(|| self.p_b(avg))
    }
}

/// The signal of the average for an arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Signal {
    Early { p_b: f64 },
    Forced,
    Step,
}

/// A queue that the link sends in this time is far below its average (`cautious_` of ns-2.35).
const CAUTIOUS_SECS: f64 = 0.05;

/// The options that the steps themselves use.
#[derive(Clone, Copy, Debug)]
struct Rules {
    unit: Unit,
    sample: AverageSample,
    idle_from: IdleFrom,
    victim: RedVictim,
    /// A full buffer drops one packet that it chooses, and no more.
    takes_one: bool,
    ecn: bool,
    ecn_forced: bool,
    ecn_step: bool,
    /// Packets that are not ECN-capable are left to the full buffer.
    spares: bool,
    forced_resets_count: bool,
    overflow_resets_count: bool,
    min_queue: f64,
    /// Early marks become drops from this `p_b` on.
    mark_limit: f64,
    caution: Caution,
    /// Below this share of the average a queue is far below it.
    far_below: f64,
    /// Precondition of the fast path: all options are those of Figure 2 of FJ93, and the limit is in packets.
    fast_path: bool,
}

/// State of a RED queue.
#[derive(Clone, Debug)]
pub struct Red<P, L = LinearCurve> {
    queue: Fifo<P>,
    average: Average,
    /// When idle time began; `None` while there is none.
    q_time: Option<Time>,
    curve: L,
    marker: Marker,
    rules: Rules,
}

impl<P: Packet + Copy> Red<P> {
    /// An empty queue, idle since the start of the run.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Red<P> {
        Red::linear(params, setting)
    }

    /// The same for parameters that the caller has checked.
    pub(crate) fn linear(params: &Params, setting: &Setting) -> Red<P> {
        Red::with_curve(params, setting, LinearCurve::new(params, &params.resolve(setting)))
    }
}

impl<P: Packet + Copy, L: MarkingCurve> Red<P, L> {
    /// An empty queue with the curve of the caller, who has checked the parameters.
    pub(crate) fn with_curve(params: &Params, setting: &Setting, curve: L) -> Red<P, L> {
        let resolved = params.resolve(setting);
        let idle = Setting { rate: resolved.idle_rate, ..*setting };
        let limit = Limit::new(resolved.limit, params.limit_test);
        let marker = Marker::new(params, &resolved);
        Red {
            queue: Fifo::new(limit),
            average: Average::new(params, &resolved, idle.packets_per_sec(resolved.idle_packet)),
            q_time: (params.idle_from != IdleFrom::Never).then_some(Time::ZERO),
            curve,
            rules: Rules {
                unit: params.unit,
                sample: params.sample,
                idle_from: params.idle_from,
                victim: params.victim,
                takes_one: matches!(params.victim, RedVictim::RandomOne | RedVictim::Second),
                ecn: params.ecn,
                ecn_forced: params.ecn_forced == EcnForced::Mark,
                ecn_step: params.ecn && params.ecn_step,
                spares: params.ecn && params.incapable == Incapable::Spare,
                forced_resets_count: params.forced_resets_count,
                overflow_resets_count: params.overflow_resets_count,
                min_queue: params.min_queue as f64,
                mark_limit: params.mark_limit.unwrap_or(f64::INFINITY),
                caution: params.caution,
                far_below: math::pow(
                    1.0 - resolved.w_q,
                    CAUTIOUS_SECS * setting.packets_per_sec(resolved.mean_packet),
                ),
                fast_path: matches!(limit, Limit::Packets(_))
                    && marker.default_options
                    && params.unit == Unit::Packets
                    && params.sample == AverageSample::Before
                    && params.idle_from == IdleFrom::Empties
                    && params.min_queue == 0
                    && params.caution == Caution::Off
                    && !(params.ecn && params.ecn_step),
            },
            marker,
        }
    }

    /// The queue an arrival finds, in the unit of the thresholds.
    #[inline]
    fn held(&self, cx: &Cx<'_, P>) -> f64 {
        match self.rules.unit {
            Unit::Packets => self.queue.packets_held(cx) as f64,
            Unit::Bytes => self.queue.bytes_held(cx) as f64,
        }
    }

    #[inline]
    fn update_avg(&mut self, size: u64, q: f64, now: Time) {
        let own = match (self.rules.sample, self.rules.unit) {
            (AverageSample::Before, _) => 0.0,
            (AverageSample::WithArrival, Unit::Packets) => 1.0,
            (AverageSample::WithArrival, Unit::Bytes) => size as f64,
        };
        match self.q_time.take() {
            Some(q_time) if q == 0.0 => self.average.decay(q_time, now, own),
            _ => self.average.sample(q + own),
        }
    }

    /// The first step at an arrival: takes the queue it finds into the average. Returns it.
    #[inline]
    pub(crate) fn observe(&mut self, pkt: &P, cx: &Cx<'_, P>) -> f64 {
        let q = self.held(cx);
        self.update_avg(pkt.size().0, q, cx.now);
        q
    }

    /// The other steps: judges the arrival that found the queue `q`, and keeps or ends it.
    #[inline]
    pub(crate) fn judge(&mut self, pkt: P, q: f64, cx: &mut Cx<'_, P>) {
        let kept = match self.congestion(self.average.value(), pkt.size().0, q, cx) {
            None => Some(pkt),
            Some(signal) => self.answer(pkt, signal, cx),
        };
        if let Some(kept) = kept {
            self.store(kept, cx);
        }
        match self.rules.idle_from {
            IdleFrom::Empties if self.queue.is_empty() => self.q_time = Some(cx.now),
            IdleFrom::LastEvent => self.q_time = Some(cx.now),
            IdleFrom::Empties | IdleFrom::LinkIdle | IdleFrom::Never => {}
        }
    }

    /// Whether the average asks for a mark.
    #[inline]
    fn congestion(&mut self, avg: f64, size: u64, q: f64, cx: &mut Cx<'_, P>) -> Option<Signal> {
        self.marker.arrive(size);
        if avg < self.curve.min_th() || q < self.rules.min_queue {
            self.marker.below();
            return None;
        }
        if avg >= self.curve.forced_at() {
            if self.rules.forced_resets_count {
                self.marker.restart();
            }
            return Some(Signal::Forced);
        }
        if self.rules.ecn_step && avg > self.curve.min_th() {
            return Some(Signal::Step);
        }
        let p_b = self.curve.p_b(avg);
        let ease = if self.rules.caution == Caution::Off { 1.0 } else { self.ease(avg, q) };
        let arrival = Arrival { p_b, excess: avg - self.curve.min_th(), size, ease };
        self.marker.marks(arrival, cx).then_some(Signal::Early { p_b })
    }

    /// Factor of the probability under `caution`.
    #[cold]
    fn ease(&self, avg: f64, q: f64) -> f64 {
        let ratio = q / (self.rules.far_below * avg);
        match self.rules.caution {
            Caution::Weigh => ratio.min(1.0),
            Caution::Spare if ratio < 1.0 => 0.0,
            Caution::Spare | Caution::Off => 1.0,
        }
    }

    /// Stores a packet, or drops packets until there is room.
    #[inline]
    fn store(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if self.queue.has_room(&pkt, cx) {
            self.queue.push(pkt, cx);
        } else {
            self.overflow(pkt, cx);
        }
    }
}

impl<P: Packet + Copy, L: MarkingCurve> QueueDisc<P> for Red<P, L> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        self.take(pkt, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.queue.pop_front();
        let starts = match self.rules.idle_from {
            IdleFrom::Empties => pkt.is_some() && self.queue.is_empty(),
            IdleFrom::LinkIdle => pkt.is_none() && self.q_time.is_none(),
            IdleFrom::LastEvent => true,
            IdleFrom::Never => false,
        };
        if starts {
            self.q_time = Some(cx.now);
        }
        pkt
    }

    #[inline]
    fn len(&self) -> usize {
        self.queue.len()
    }

    #[inline]
    fn backlog(&self) -> Bytes {
        self.queue.backlog()
    }

    #[inline]
    fn decides(&self) -> Decides {
        match self.rules.victim {
            RedVictim::Arriving => Decides::AtArrival,
            RedVictim::Random | RedVictim::RandomOne | RedVictim::Second => Decides::Later,
        }
    }

    #[inline]
    fn avg(&self) -> Option<f64> {
        Some(self.average.value())
    }

    fn avg_unit(&self) -> Unit {
        self.rules.unit
    }

    fn probe(&self, out: &mut Probe) {
        let avg = self.average.value();
        let p_b = if avg < self.curve.min_th() { 0.0 } else { self.curve.p_b(avg) };
        out.note("avg", avg);
        out.note("p_b", p_b);
        // ns-2 lets `max_p` grow past 1.
        out.note("max_p", self.curve.max_p().min(1.0));
        out.note("count", self.marker.count());
    }
}

#[cfg(test)]
mod bounds_tests;
#[cfg(test)]
mod tests;
