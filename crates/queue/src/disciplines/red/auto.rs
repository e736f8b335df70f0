//! Values of the automatic parameters of RED in a setting.
//!
//! Reference: FGS01 for thresholds and weights from rate and delay; FJ93 section 6 for the weight that lets a
//! burst pass.
//! Units: as the queue is measured.
//! Deviations: none known; the formulas are those of ns-2.35 and of the `tc` command.

use super::params::{AutoTh, AutoWq, AverageArithmetic, Params};
use crate::fifo::Unit;
use crate::registry::Setting;
use alloc::string::ToString;
use alloc::vec::Vec;
use units::param::{require, Param, Problem, Table};
use units::quantity::Amount;
use units::{math, Bytes, Rate};

/// The parameters with every automatic value computed, lengths in the unit of the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResolvedParams {
    /// Bytes of a typical packet.
    pub mean_packet: Bytes,
    /// Limit of the queue; in bytes if the queue is measured in bytes.
    pub limit: Amount,
    /// Lower threshold, in the unit of the queue.
    pub min_th: f64,
    /// Upper threshold, in the unit of the queue.
    pub max_th: f64,
    /// Weight of a new sample.
    pub w_q: f64,
    /// The packets of a burst that `w_q` was chosen for, where it was.
    pub burst: u64,
    /// Rate at which an idle queue forgets.
    pub idle_rate: Rate,
    /// Packet that counts one in idle time.
    pub idle_packet: Bytes,
}

impl Params {
    /// Works out the automatic values in a setting.
    pub fn resolve(&self, setting: &Setting) -> ResolvedParams {
        let mean_packet = self.mean_packet.unwrap_or(Bytes(setting.packet.0.max(1)));
        let in_unit = |amount: Amount| match (self.unit, self.arithmetic) {
            (Unit::Packets, _) => amount.in_packets(mean_packet),
            (Unit::Bytes, AverageArithmetic::Real) => amount.in_bytes(mean_packet),
            (Unit::Bytes, AverageArithmetic::Integer) => math::floor(amount.in_bytes(mean_packet)),
        };
        let (min, max) = self.thresholds(setting.packets_per_sec(mean_packet), mean_packet);
        let (min_packets, max_packets) = (min.in_packets(mean_packet), max.in_packets(mean_packet));
        let burst = ((2.0 * min_packets + max_packets) / 3.0).max(1.0) as u64;
        let mut resolved = ResolvedParams {
            mean_packet,
            limit: match self.unit {
                Unit::Packets => self.limit,
                Unit::Bytes => Amount::Bytes(self.limit.in_bytes(mean_packet)),
            },
            min_th: in_unit(min),
            max_th: in_unit(max),
            w_q: 0.0,
            burst: self.burst.unwrap_or(burst),
            idle_rate: self.idle_rate.unwrap_or(setting.rate),
            idle_packet: self.idle_packet.unwrap_or(mean_packet),
        };
        resolved.w_q = self.w_q.unwrap_or_else(|| self.auto_weight(setting, &resolved, min_packets));
        if self.arithmetic == AverageArithmetic::Integer {
            // Shifts know powers of two only.
            resolved.w_q = math::powi(0.5, wlog(resolved.w_q).into());
        }
        resolved
    }

    fn thresholds(&self, packets_per_sec: f64, mean_packet: Bytes) -> (Amount, Amount) {
        match self.auto_th {
            AutoTh::Delay => {
                let packets = (self.target_delay.as_secs() * packets_per_sec / 2.0).max(5.0);
                let min = self.min_th.unwrap_or(Amount::Packets(packets));
                (min, self.max_th.unwrap_or(Amount::Packets(3.0 * min.in_packets(mean_packet))))
            }
            AutoTh::Limit => {
                let part = |amount: Amount, n: f64| match amount {
                    Amount::Packets(x) => Amount::Packets(x / n),
                    Amount::Bytes(x) => Amount::Bytes(math::floor(x / n)),
                };
                let max = self.max_th.unwrap_or(part(self.limit, 4.0));
                (self.min_th.unwrap_or(part(max, 3.0)), max)
            }
            AutoTh::Fill => (self.min_th.unwrap_or(Amount::Packets(0.0)), self.max_th.unwrap_or(self.limit)),
        }
    }

    fn auto_weight(&self, setting: &Setting, resolved: &ResolvedParams, min_packets: f64) -> f64 {
        let c = setting.packets_per_sec(resolved.mean_packet);
        let rtt = (3.0 * (setting.delay.as_secs() + 1.0 / c)).max(0.1);
        match self.auto_w_q {
            AutoWq::Rtt => 1.0 - math::exp(-1.0 / (10.0 * rtt * c)),
            AutoWq::Rate => 1.0 - math::exp(-1.0 / c),
            AutoWq::Tenth => 1.0 - math::exp(-10.0 / c),
            AutoWq::Burst => weight_for_burst(resolved.burst, min_packets).unwrap_or(0.5),
        }
    }

    /// The value of each automatic parameter.
    pub fn show_resolved(&self, setting: &Setting) -> Table {
        let resolved = self.resolve(setting);
        let amount = |x: f64| match self.unit {
            Unit::Packets => Amount::Packets(x).show(),
            Unit::Bytes => Amount::Bytes(x).show(),
        };
        let integer = self.arithmetic == AverageArithmetic::Integer;
        let burst_used = self.w_q.is_none() && self.auto_w_q == AutoWq::Burst;
        let rows = [
            ("mean_packet", self.mean_packet.is_none(), resolved.mean_packet.show()),
            ("min_th", self.min_th.is_none(), amount(resolved.min_th)),
            ("max_th", self.max_th.is_none(), amount(resolved.max_th)),
            ("w_q", self.w_q.is_none() || integer, resolved.w_q.show()),
            ("burst", self.burst.is_none() && burst_used, resolved.burst.show()),
            ("idle_rate", self.idle_rate.is_none(), resolved.idle_rate.show()),
            ("idle_packet", self.idle_packet.is_none(), resolved.idle_packet.show()),
        ];
        rows.into_iter()
            .filter(|(_, auto, _)| *auto)
            .map(|(key, _, value)| (key.to_string(), value))
            .collect()
    }

    /// Problems that show only once automatic values are known.
    pub fn check_in(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        let resolved = self.resolve(setting);
        let rule = format!("must exceed min_th, here {}", resolved.min_th);
        let holds = resolved.max_th > resolved.min_th;
        require(problems, holds, "max_th", resolved.max_th, rule, "set both thresholds in one unit");
        if self.w_q.is_none() && self.auto_w_q == AutoWq::Burst {
            let min_packets = match self.unit {
                Unit::Packets => resolved.min_th,
                Unit::Bytes => resolved.min_th / resolved.mean_packet.0 as f64,
            };
            let solvable = weight_for_burst(resolved.burst, min_packets).is_some();
            let too_small = format!("is too small for min_th, {min_packets} packets");
            require(problems, solvable, "burst", resolved.burst, too_small, "raise burst or set w_q");
        }
    }
}

/// The exponent of the power of two nearest to `1 / w_q`.
pub(super) fn wlog(w_q: f64) -> u32 {
    math::round(-math::ln(w_q) / math::ln(2.0)).clamp(1.0, 31.0) as u32
}

/// The largest power of two `w_q` that keeps the average of a burst into an empty queue below `min_th`
/// (FJ93 section 6: `burst + 1 + ((1 - w_q)^burst - 1) / w_q < min_th`).
fn weight_for_burst(burst: u64, min_packets: f64) -> Option<f64> {
    let room = burst as f64 + 1.0 - min_packets;
    if room < 1.0 {
        return None;
    }
    (1..32).map(|n| math::powi(0.5, n)).find(|w| room <= (1.0 - math::powi(1.0 - w, burst)) / w)
}
