//! RED in parts: the parts that its relatives reuse, and the parameters they may move while it runs.
//!
//! A relative holds a [`Red`] and changes its law between the two steps of an arrival, or keeps several
//! [`Part`]s of which one is in place at a time. [`shared_params`](super::shared_params) declares its parameters.
//!
//! Reference: FJ93.
//! Units: as in [`Red`].
//! Deviations: none of its own.

use super::average::Average;
use super::spacing::Marker;
use super::{LinearCurve, MarkingCurve, Params, Red, Signal};
use crate::disc::{Cx, Packet};
use crate::fifo::Fifo;
use crate::registry::Setting;
use units::quantity::Amount;
use units::Time;

/// State of one kind of packets that share a store with others: an average, its idle clock, a curve, a count.
#[derive(Clone, Debug)]
pub(crate) struct Part<L = LinearCurve> {
    average: Average,
    q_time: Option<Time>,
    curve: L,
    marker: Marker,
}

impl Part {
    /// The parts of a RED queue with these parameters, idle since the start of the run.
    pub(crate) fn new(params: &Params, setting: &Setting) -> Part {
        let resolved = params.resolve(setting);
        let idle = Setting { rate: resolved.idle_rate, ..*setting };
        Part {
            average: Average::new(params, &resolved, idle.packets_per_sec(resolved.idle_packet)),
            q_time: Some(Time::ZERO),
            curve: LinearCurve::new(params, &resolved),
            marker: Marker::new(params, &resolved),
        }
    }
}

impl<L: MarkingCurve> Part<L> {
    /// The average.
    pub(crate) fn avg(&self) -> f64 {
        self.average.value()
    }

    /// Contribution of its average to a sum that starts at another part's.
    pub(crate) fn adds_to(&self, other: &Part<L>) -> f64 {
        self.average.part_of(&other.average)
    }

    /// Takes over average and idle time of another part.
    pub(crate) fn take_over(&mut self, other: &Part<L>) {
        self.average.take_over(&other.average);
        self.q_time = other.q_time;
    }

    /// Whether nothing of this kind waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.q_time.is_some()
    }

    /// Idle time starts now.
    pub(crate) fn rest(&mut self, now: Time) {
        self.q_time = Some(now);
    }

    /// The base probability at an average.
    pub(crate) fn p_b_at(&self, avg: f64) -> f64 {
        if avg < self.curve.min_th() {
            0.0
        } else {
            self.curve.p_b(avg)
        }
    }
}

impl LinearCurve {
    /// Moves the probability at `max_th`; the slope above follows it if `above_follows`.
    pub(crate) fn set_max_p(&mut self, max_p: f64, above_follows: bool) {
        self.max_p = max_p;
        if above_follows && self.above_slope > 0.0 {
            (self.above_slope, self.above_start) = ((1.0 - max_p) / self.max_th, 2.0 * max_p - 1.0);
        }
    }

    /// Moves the thresholds; a slope above the upper one moves with it.
    pub(crate) fn set_thresholds(&mut self, min_th: f64, max_th: f64) {
        let span = max_th - min_th;
        (self.min_th, self.max_th) = (min_th, max_th);
        self.per_span = if span > 0.0 { 1.0 / span } else { 0.0 };
        let gentle = self.above_slope > 0.0;
        if gentle && max_th > 0.0 {
            self.above_slope = (1.0 - self.max_p) / max_th;
        }
        if self.forced_at.is_finite() {
            self.forced_at = if gentle { 2.0 * max_th } else { max_th };
        }
    }

    /// The upper threshold.
    pub(crate) fn max_th(&self) -> f64 {
        self.max_th
    }
}

impl<P: Packet + Copy, L: MarkingCurve> Red<P, L> {
    /// The average.
    #[inline]
    pub fn average(&self) -> f64 {
        self.average.value()
    }

    /// The average as an arrival at `now` would find it: with the idle time until then.
    pub(crate) fn average_at(&self, now: Time) -> f64 {
        let mut average = self.average.clone();
        if let (Some(q_time), true) = (self.q_time, self.queue.is_empty()) {
            average.decay(q_time, now, 0.0);
        }
        average.value()
    }

    /// Takes one more sample of the queue into the average.
    #[inline]
    pub(crate) fn sample(&mut self, q: f64) {
        self.average.sample(q);
    }

    /// The weight of a sample.
    pub(crate) fn weight(&self) -> f64 {
        self.average.weight()
    }

    /// Sets the weight of samples.
    #[inline]
    pub(crate) fn set_weight(&mut self, w_q: f64) {
        self.average.set_weight(w_q);
    }

    /// The queue as an arrival would find it, in the unit of the thresholds.
    #[inline]
    pub(crate) fn queued(&self, cx: &Cx<'_, P>) -> f64 {
        self.held(cx)
    }

    /// The curve.
    #[inline]
    pub(crate) fn curve(&self) -> &L {
        &self.curve
    }

    /// The curve, to be moved.
    #[inline]
    pub(crate) fn curve_mut(&mut self) -> &mut L {
        &mut self.curve
    }

    /// The store.
    #[inline]
    pub(crate) fn store_mut(&mut self) -> &mut Fifo<P> {
        &mut self.queue
    }

    /// Counts an arrival between the thresholds that is spared without being judged.
    pub(crate) fn count_one(&mut self, size: u64) {
        self.marker.spare(size);
    }

    /// Resets the count.
    pub(crate) fn restart_count(&mut self) {
        self.marker.restart();
    }

    /// Puts a part in place of the present one, which is handed out.
    #[inline]
    pub(crate) fn exchange(&mut self, part: &mut Part<L>) {
        core::mem::swap(&mut self.average, &mut part.average);
        core::mem::swap(&mut self.q_time, &mut part.q_time);
        core::mem::swap(&mut self.curve, &mut part.curve);
        core::mem::swap(&mut self.marker, &mut part.marker);
    }

    /// Whether the queue is in an idle period.
    pub fn is_idle(&self) -> bool {
        self.q_time.is_some()
    }

    /// The base probability at an average.
    pub(crate) fn p_b_at(&self, avg: f64) -> f64 {
        if avg < self.curve.min_th() {
            0.0
        } else {
            self.curve.p_b(avg)
        }
    }

    /// Puts the curve of a part in place of the present one; all else stays.
    #[inline]
    pub(crate) fn exchange_curve(&mut self, part: &mut Part<L>) {
        core::mem::swap(&mut self.curve, &mut part.curve);
    }

    /// Puts the curve and the count of a part in place of the present ones; average and clock stay.
    #[inline]
    pub(crate) fn exchange_law(&mut self, part: &mut Part<L>) {
        core::mem::swap(&mut self.curve, &mut part.curve);
        core::mem::swap(&mut self.marker, &mut part.marker);
    }

    /// Takes the queue `q` that an arrival of `size` bytes finds into the average in place.
    #[inline]
    pub(crate) fn observe_part(&mut self, size: u64, q: f64, now: Time) {
        self.update_avg(size, q, now);
    }

    /// Idle time of the part in place starts now.
    pub(crate) fn rest(&mut self, now: Time) {
        self.q_time = Some(now);
    }

    /// The signal of the part in place for an arrival at an average of `avg`.
    #[inline]
    pub(crate) fn signal(&mut self, avg: f64, size: u64, q: f64, cx: &mut Cx<'_, P>) -> Option<Signal> {
        self.congestion(avg, size, q, cx)
    }

    /// Acts on a signal; returns the packet if it is to be stored.
    #[inline]
    pub(crate) fn act(&mut self, pkt: P, signal: Option<Signal>, cx: &mut Cx<'_, P>) -> Option<P> {
        match signal {
            None => Some(pkt),
            Some(signal) => self.answer(pkt, signal, cx),
        }
    }
}

impl Params {
    /// These options with other thresholds, another probability at the upper one and another weight of a sample.
    pub(crate) fn with_law(self, min_th: Amount, max_th: Amount, max_p: f64, w_q: f64) -> Params {
        Params { min_th: Some(min_th), max_th: Some(max_th), max_p, w_q: Some(w_q), ..self }
    }
}
