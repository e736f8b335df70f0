//! Parameters that the relatives of RED share with it.
//!
//! A relative declares its own parameters with [`red_params!`](red_params), which adds the shared ones before and after
//! them, or with [`adaptive_red_params!`](adaptive_red_params) if it moves `max_p` as FGS01 does.
//!
//! Reference: FJ93, FGS01.
//! Units: as in [`Red`](super::Red).
//! Deviations: none of its own.

use super::Params;
use crate::registry::Setting;
use units::param::{Described, Table};

/// Values of the automatic parameters of RED, of those that `T` has too.
pub(crate) fn resolved_of<T: Described>(red: &Params, setting: &Setting) -> Table {
    let fields = T::fields();
    let known = |key: &str| fields.iter().any(|field| field.name == key);
    red.show_resolved(setting).into_iter().filter(|(key, _)| known(key)).collect()
}

/// Declares the parameters of a relative: its own between those it shares with RED. `base` returns the shared
/// ones. A spacing of marks other than that of FJ93 is given before the struct, with its source. `with bytes` adds the
/// options for packet sizes, certain marks and full buffers.
macro_rules! red_params {
    ($(#[doc = $doc:expr])+ pub struct $name:ident { $($own:tt)* }) => {
        crate::red::shared_params::red_params! {
            spaced Pseudocode by "FJ93 Fig. 2";
            $(#[doc = $doc])+
            pub struct $name { $($own)* }
        }
    };
    (
        with bytes;
        $(#[doc = $doc:expr])+ pub struct $name:ident { $($own:tt)* }
    ) => {
        crate::red::shared_params::red_params! {
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
                /// Bytes of a typical packet: converts between packets and bytes. `auto`: as in the link's traffic.
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
        crate::red::shared_params::red_params! {
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
