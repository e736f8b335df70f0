//! RED in parts: the parts that its relatives reuse, and the parameters they may move while it runs.
//!
//! A relative holds a [`Red`] and changes its law between the two steps of an arrival, or keeps several
//! [`Part`]s of which one is in place at a time. Its parameters start and end with those every relative
//! shares, which [`red_params!`](red_params) adds.
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
use units::param::{Described, Table};
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
            average.decay(now.since(q_time), 0.0);
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

/// Values of the automatic parameters of RED, of those that `T` has too.
pub(crate) fn resolved_of<T: Described>(red: &Params, setting: &Setting) -> Table {
    let fields = T::fields();
    let known = |key: &str| fields.iter().any(|field| field.name == key);
    red.show_resolved(setting).into_iter().filter(|(key, _)| known(key)).collect()
}

/// Declares the parameters of a relative: its own between those it shares with RED. `base` returns the shared
/// ones. Another spacing of marks than that of FJ93 is given before the struct, with its source; `with bytes`,
/// there are those of the ways in which packet sizes, certain marks and full buffers are dealt with as well.
macro_rules! red_params {
    ($(#[doc = $doc:expr])+ pub struct $name:ident { $($own:tt)* }) => {
        crate::red::parts::red_params! {
            spaced Pseudocode by "FJ93 Fig. 2";
            $(#[doc = $doc])+
            pub struct $name { $($own)* }
        }
    };
    (
        with bytes;
        $(#[doc = $doc:expr])+ pub struct $name:ident { $($own:tt)* }
    ) => {
        crate::red::parts::red_params! {
            spaced Pseudocode by "FJ93 Fig. 2";
            also {
                /// Packet that counts one in idle time. `auto`: `mean_packet`.
                idle_packet: Option<units::Bytes> = None => { range: units::param::Range::Positive, source: "FJ93" },
                /// Whether forced marks also use `count` and a draw, like early ones.
                forced_as_early: bool = false => { source: "FJ93" },
                /// Whether a forced mark resets `count`.
                forced_resets_count: bool = true => { source: "FJ93" },
                /// Whether an overflow drop resets `count`.
                overflow_resets_count: bool = true => { assumed: true },
                /// How packet sizes enter the probability.
                byte_mode: crate::red::ByteMode = crate::red::ByteMode::Off => { source: "FJ93" },
                /// An early decision drops even ECN-capable packets once `p_b` reaches this. `auto`: never.
                mark_limit: Option<f64> = None => { unit: "1", range: units::param::Range::Positive, source: "RFC3168" },
                /// The packet that a forced drop or a full buffer discards.
                victim: crate::red::RedVictim = crate::red::RedVictim::Arriving => { source: "FJ93" },
                /// Whether packets are exempt from marks while the queue is far below its average.
                caution: crate::red::Caution = crate::red::Caution::Off => { source: "FJ93" },
            } as {
                idle_packet, forced_as_early, forced_resets_count, overflow_resets_count, byte_mode, mark_limit, victim, caution
            };
            $(#[doc = $doc])+
            pub struct $name { $($own)* }
        }
    };
    (
        spaced $spacing:ident by $source:literal;
        $(also { $($more:tt)* } as { $($moved:ident),* };)?
        $(#[doc = $doc:expr])+ pub struct $name:ident { $($own:tt)* }
    ) => {
        units::params! {
            $(#[doc = $doc])+
            pub struct $name {
                /// Limit of the queue, in packets or bytes.
                limit: units::quantity::Amount = units::quantity::Amount::Packets(100.0) => { assumed: true },
                /// How an arriving packet is compared with the limit.
                limit_test: crate::fifo::LimitTest = crate::fifo::LimitTest::After => { assumed: true },
                /// The unit of the queue, `avg` and the thresholds.
                unit: crate::fifo::Unit = crate::fifo::Unit::Packets => { source: "FJ93" },
                /// Bytes of a typical packet: converts between packets and bytes. `auto`: as in the setting.
                mean_packet: Option<units::Bytes> = None => { range: units::param::Range::Positive, source: "FJ93" },
                $($own)*
                /// How idle time lowers the average.
                idle_decay: crate::red::IdleDecay = crate::red::IdleDecay::Exact => { source: "FJ93" },
                /// When idle time starts.
                idle_from: crate::red::IdleFrom = crate::red::IdleFrom::Empties => { source: "FJ93" },
                /// How marks are spaced.
                spacing: crate::red::Spacing = crate::red::Spacing::$spacing => { source: $source },
                /// Arrivals that raise `count`.
                counting: crate::red::MarkCounting = crate::red::MarkCounting::Between => { source: "FJ93" },
                /// No decision on the average while fewer than this many are queued (packets or bytes, see
                /// `unit`).
                min_queue: u64 = 0 => { source: "FJ93" },
                /// When a random number is drawn.
                draws: crate::red::Draws = crate::red::Draws::Needed => { assumed: true },
                /// Marks ECN-capable packets instead of dropping them.
                ecn: bool = false => { source: "RFC3168" },
                /// Effect of a forced decision on an ECN-capable packet.
                ecn_forced: crate::red::EcnForced = crate::red::EcnForced::Drop => { source: "RFC3168" },
                $($($more)*)?
            }
        }

        impl $name {
            /// RED with the options that all relatives share; the others are as in the paper.
            fn base(&self) -> crate::red::Params {
                crate::red::Params {
                    limit: self.limit,
                    limit_test: self.limit_test,
                    unit: self.unit,
                    mean_packet: self.mean_packet,
                    idle_decay: self.idle_decay,
                    idle_from: self.idle_from,
                    spacing: self.spacing,
                    counting: self.counting,
                    min_queue: self.min_queue,
                    draws: self.draws,
                    ecn: self.ecn,
                    ecn_forced: self.ecn_forced,
                    $($($moved: self.$moved,)*)?
                    ..crate::red::Params::default()
                }
            }
        }
    };
}
pub(crate) use red_params;

/// As [`red_params!`](red_params), for relatives that move `max_p` every `interval` as FGS01 does: with the automatic
/// thresholds and weight, and the method `red`, which returns the parameters of the RED inside.
macro_rules! adaptive_red_params {
    ($(with $bytes:ident;)? $(#[doc = $doc:expr])+ pub struct $name:ident { $($own:tt)* }) => {
        crate::red::parts::red_params! {
            $(with $bytes;)?
            $(#[doc = $doc])+
            pub struct $name {
                /// Average queue from which marking begins. `auto`: see `auto_th`.
                min_th: Option<units::quantity::Amount> = None => { range: units::param::Range::Positive, source: "FGS01" },
                /// Average queue at which the probability has risen to `max_p`. `auto`: see `auto_th`.
                max_th: Option<units::quantity::Amount> = None => { range: units::param::Range::Positive, source: "FGS01" },
                /// The reference for automatic thresholds.
                auto_th: crate::red::AutoTh = crate::red::AutoTh::Delay => { source: "FGS01" },
                /// Target queueing delay of the automatic thresholds.
                target_delay: units::Span = units::Span::from_millis(5) => { range: units::param::Range::Positive, source: "FGS01" },
                /// Weight of a new sample in the average. `auto`: see `auto_w_q`.
                w_q: Option<f64> = None => { unit: "1", range: units::param::Range::Between(0.0, 1.0), source: "FGS01" },
                /// The reference for an automatic `w_q`.
                auto_w_q: crate::red::AutoWq = crate::red::AutoWq::Rate => { source: "FGS01" },
                /// Treatment of arrivals from `max_th` upward.
                above_max: crate::red::AboveMax = crate::red::AboveMax::Gentle => { source: "FGS01" },
                /// Initial value of `max_p`.
                max_p: f64 = 0.1 => { unit: "1", range: units::param::Range::Above(0.0, 1.0), assumed: true },
                /// Time between two changes of `max_p`.
                interval: units::Span = units::Span::from_millis(500) => { range: units::param::Range::Positive, source: "FGS01" },
                $($own)*
            }
        }

        impl $name {
            /// RED at its initial `max_p`.
            fn red(&self) -> crate::red::Params {
                crate::red::Params {
                    min_th: self.min_th,
                    max_th: self.max_th,
                    auto_th: self.auto_th,
                    target_delay: self.target_delay,
                    w_q: self.w_q,
                    auto_w_q: self.auto_w_q,
                    above_max: self.above_max,
                    max_p: self.max_p,
                    ..self.base()
                }
            }
        }
    };
}
pub(crate) use adaptive_red_params;
