//! The average queue of RED: an exponentially weighted mean that also falls while the queue is idle.
//!
//! Reference: FJ93 sections 4 and 11; its integer form is the one Linux keeps.
//! Units: the queue's own (packets or bytes); `packets_per_sec` is that of an idle link.
//! Deviations: of the integer form, idle time is truncated to microseconds and the table of shifts is made
//! from the logarithm, as the `tc` command makes it.

use super::auto::{wlog, ResolvedParams};
use super::params::{AverageArithmetic, IdleDecay, IdleTable, Params};
use alloc::boxed::Box;
use units::{math, Span, Time};

/// The average, in one of its two forms.
#[derive(Clone, Debug)]
pub(super) enum Average {
    Real(Real),
    Integer(Integer),
}

/// Kept as a real number.
#[derive(Clone, Debug)]
pub(super) struct Real {
    avg: f64,
    w_q: f64,
    /// `1 - w_q`.
    keep: f64,
    packets_per_sec: f64,
    idle_decay: IdleDecay,
}

/// Kept as a whole number of bytes times `2^wlog`.
#[derive(Clone, Debug)]
pub(super) struct Integer {
    scaled: u64,
    wlog: u32,
    /// `2^-wlog`.
    unscale: f64,
    /// Microseconds of idle time to one cell, as a power of two.
    cell_log: u32,
    /// Number of bits by which the average is shifted down, by the number of cells of idle time.
    shifts: Box<[u8; 256]>,
}

impl Average {
    pub(super) fn new(params: &Params, resolved: &ResolvedParams, packets_per_sec: f64) -> Average {
        match params.arithmetic {
            AverageArithmetic::Real => Average::Real(Real {
                avg: 0.0,
                w_q: resolved.w_q,
                keep: 1.0 - resolved.w_q,
                packets_per_sec,
                idle_decay: params.idle_decay,
            }),
            AverageArithmetic::Integer => {
                let per_sec = match params.idle_table {
                    IdleTable::Microseconds => 1e6,
                    IdleTable::Ticks => 1e9 / 64.0,
                };
                Average::Integer(Integer::new(wlog(resolved.w_q), packets_per_sec / per_sec))
            }
        }
    }

    /// The average in the unit of the queue.
    #[inline]
    pub(super) fn value(&self) -> f64 {
        match self {
            Average::Real(real) => real.avg,
            Average::Integer(integer) => integer.scaled as f64 * integer.unscale,
        }
    }

    /// Contribution of this average to a sum that starts at `other`: in integers the scaled number counts, for
    /// any scale.
    pub(super) fn part_of(&self, other: &Average) -> f64 {
        match (self, other) {
            (Average::Integer(one), Average::Integer(other)) => one.scaled as f64 * other.unscale,
            _ => self.value(),
        }
    }

    /// Takes over the average of `other`: in integers the scaled number, for any scale.
    pub(super) fn take_over(&mut self, other: &Average) {
        match (self, other) {
            (Average::Integer(one), Average::Integer(other)) => one.scaled = other.scaled,
            (Average::Real(one), Average::Real(other)) => one.avg = other.avg,
            _ => {}
        }
    }

    /// The weight of a new sample.
    #[inline]
    pub(super) fn weight(&self) -> f64 {
        match self {
            Average::Real(real) => real.w_q,
            Average::Integer(integer) => 1.0 / (1u64 << integer.wlog) as f64,
        }
    }

    /// Sets the weight of new samples. The integer form does not change its own.
    #[inline]
    pub(super) fn set_weight(&mut self, w_q: f64) {
        if let Average::Real(real) = self {
            (real.w_q, real.keep) = (w_q, 1.0 - w_q);
        }
    }

    /// Takes in the queue `q` found by an arrival.
    #[inline]
    pub(super) fn sample(&mut self, q: f64) {
        match self {
            Average::Real(real) => real.avg = real.avg * real.keep + real.w_q * q,
            Average::Integer(integer) => integer.sample(q as u64),
        }
    }

    /// Decays the average by the time from `since` to `now`, when an arrival ends it; `q` is the sample of that arrival.
    #[cold]
    pub(super) fn decay(&mut self, since: Time, now: Time, q: f64) {
        match self {
            Average::Real(real) => {
                let (m, whole) = now.packets_since(since, real.packets_per_sec);
                match real.idle_decay {
                    IdleDecay::Exact => real.avg *= math::pow(real.keep, m),
                    IdleDecay::Truncated => real.avg *= math::powi(real.keep, whole),
                    IdleDecay::PlusOne => {
                        real.avg *= math::powi(real.keep, whole);
                        self.sample(q);
                    }
                    IdleDecay::Ignored => self.sample(q),
                }
            }
            Average::Integer(integer) => integer.decay(now.since(since)),
        }
    }
}

#[cfg(test)]
impl Real {
    /// Sets the average, for tests.
    pub(super) fn set(&mut self, avg: f64) {
        self.avg = avg;
    }
}

impl Integer {
    /// `packets` is the number an idle link sends in a microsecond, or in the span that stands for one.
    fn new(wlog: u32, packets: f64) -> Integer {
        // Bits lost in a microsecond of idle time: packets in it times the logarithm of the share that each leaves.
        let bits = -math::ln(1.0 - math::powi(0.5, wlog.into())) * packets;
        let longest = 31.0 / bits;
        let cell_log = (0..31).find(|log| longest / f64::from(1u32 << log) < 512.0).unwrap_or(31);
        let cell = f64::from(1u32 << cell_log);
        let mut shifts = Box::new([31u8; 256]);
        for (i, shift) in shifts.iter_mut().enumerate().take(255) {
            *shift = (i as f64 * cell * bits).min(31.0) as u8;
        }
        Integer { scaled: 0, wlog, unscale: math::powi(0.5, wlog.into()), cell_log, shifts }
    }

    #[inline]
    fn sample(&mut self, q: u64) {
        self.scaled = self.scaled - (self.scaled >> self.wlog) + q;
    }

    /// Whole shifts from the table; less than one shift is a straight line, at most a half.
    fn decay(&mut self, idle: Span) {
        let most = 255u64 << self.cell_log;
        let us = (idle.0 / 1000).min(most);
        let shift = self.shifts[(us >> self.cell_log) as usize & 255];
        if shift > 0 {
            self.scaled >>= shift;
        } else {
            let loss = ((u128::from(self.scaled) * u128::from(us)) >> self.cell_log) as u64;
            self.scaled = if loss < self.scaled / 2 { self.scaled - loss } else { self.scaled / 2 };
        }
    }
}
