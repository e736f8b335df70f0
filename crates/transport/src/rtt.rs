//! Round-trip time estimation and the retransmission timeout (RTO).
//!
//! *Reference*: RFC 6298; Jacobson 1988 for the scaled integers; the clock of ns-2 (ticks with an offset).
//! *Units*: `srtt` is scaled by 8 and `rttvar` by 4, in nanoseconds or in ticks.
//! *Deviations*: `linux` uses the largest mean deviation of each round trip, and applies `min_rto` to four times that;
//! the maximum decays once per round trip, and a falling RTT counts an eighth towards the mean.

use crate::connection::wheel;
use crate::params::{Params, ReorderTimer, RtoRule};
use units::{Span, Time};

/// Read access to the RTT estimate of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Rtt<'a> {
    pub(crate) estimate: &'a Estimate,
    pub(crate) params: &'a Params,
}

impl Rtt<'_> {
    /// Smoothed RTT; `None` before the first sample.
    pub fn srtt(self) -> Option<Span> {
        self.estimate.srtt(self.params)
    }

    /// Smoothed RTT deviation.
    pub fn rttvar(self) -> Span {
        Span((self.estimate.rttvar * unit(self.params) / 4) as u64)
    }

    /// The last RTT sample; `None` before the first.
    pub fn last(self) -> Option<Span> {
        let last = self.estimate.last;
        (last > 0).then(|| Span((last * unit(self.params)) as u64))
    }

    /// Backoff factor of the timeout: 1, 2, 4 …
    pub fn backoff(self) -> u32 {
        self.estimate.backoff()
    }

    /// Granularity of the clock.
    pub fn tick(self) -> Span {
        self.params.tick
    }
}

/// RTT estimator of one connection; its options are passed with each call.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    /// Smoothed RTT times 8; 0 before the first sample.
    srtt: i64,
    /// Smoothed deviation times 4.
    rttvar: i64,
    /// Last sample, in the unit of the estimate; 0 before the first.
    last: i64,
    /// Ticks: offset of the clock. Linux: bits of [`Deviations`], whose round trip ends at `round_end`.
    of_rule: i64,
    round_end: u32,
    backoff: u32,
}

/// Mean deviation of Linux and its largest value in the present round trip, both times 4, in microseconds. Those of more
/// than 18 minutes count as such.
#[derive(Clone, Copy)]
struct Deviations {
    mean: u32,
    most: u32,
}

/// A value of [`Deviations`].
fn field(microseconds: i64) -> u32 {
    microseconds.min(i64::from(u32::MAX)) as u32
}

/// Unit of [`Deviations`], in nanoseconds.
const MICROSECOND: i64 = 1000;

impl Deviations {
    fn from_bits(bits: i64) -> Deviations {
        Deviations { mean: (bits >> 32) as u32, most: bits as u32 }
    }

    fn to_bits(self) -> i64 {
        i64::from(self.mean) << 32 | i64::from(self.most)
    }

    /// Takes the error of a sample. A falling RTT that raises the mean counts an eighth.
    fn take(&mut self, error: i64) {
        let excess = error.abs() / MICROSECOND - i64::from(self.mean >> 2);
        let raises_by_fall = error < 0 && excess > 0;
        self.mean = field(i64::from(self.mean) + if raises_by_fall { excess >> 3 } else { excess });
        self.most = self.most.max(self.mean);
    }
}

impl Estimate {
    /// Returns an estimator without samples. `boot` is the offset of the clock.
    pub(crate) fn new(p: &Params, boot: Span) -> Estimate {
        let of_rule = if p.rto_rule == RtoRule::Ticks { boot.0 as i64 } else { 0 };
        Estimate { srtt: 0, rttvar: 0, last: 0, of_rule, round_end: 0, backoff: 1 }
    }

    /// Takes a sample: a segment sent at `sent` is acknowledged `now`. `una` and `next` delimit the round
    /// trip.
    #[inline(always)]
    pub(crate) fn sample(&mut self, p: &Params, now: Time, sent: Time, (una, next): (u32, u32)) {
        let rtt = now.since(sent);
        match p.rto_rule {
            RtoRule::Ticks => {
                let offset = (sent.nanos() + self.of_rule as u64) % p.tick.0;
                self.smooth((((rtt.0 + offset) / p.tick.0) as i64).max(1), 1);
            }
            RtoRule::Rfc6298 => self.smooth((rtt.0 as i64).max(1), 1),
            RtoRule::Linux => self.sample_linux(p, (rtt.0 as i64).max(1), una, next),
        }
    }

    /// Updates the estimate as in Jacobson 1988: gains 1/8 and 1/4 without divisions.
    fn smooth(&mut self, rtt: i64, least: i64) {
        self.last = rtt;
        if self.srtt == 0 {
            self.srtt = rtt << 3;
            self.rttvar = rtt << 1;
            return;
        }
        let error = rtt - (self.srtt >> 3);
        self.srtt = (self.srtt + error).max(least);
        self.rttvar = (self.rttvar + error.abs() - (self.rttvar >> 2)).max(least);
    }

    #[inline(never)]
    fn sample_linux(&mut self, p: &Params, rtt: i64, una: u32, next: u32) {
        let floor = p.min_rto.0 as i64;
        self.last = rtt;
        if self.srtt == 0 {
            self.srtt = rtt << 3;
            self.rttvar = (rtt << 1).max(floor);
            let (mean, most) = ((rtt << 1) / MICROSECOND, self.rttvar / MICROSECOND);
            self.of_rule = Deviations { mean: field(mean), most: field(most) }.to_bits();
            self.round_end = next;
            return;
        }
        let error = rtt - (self.srtt >> 3);
        self.srtt = (self.srtt + error).max(1);
        let mut deviations = Deviations::from_bits(self.of_rule);
        deviations.take(error);
        let most = i64::from(deviations.most) * MICROSECOND;
        self.rttvar = self.rttvar.max(most);
        if una > self.round_end {
            if most < self.rttvar {
                self.rttvar -= (self.rttvar - most) >> 2;
            }
            self.round_end = next;
            deviations.most = field(floor / MICROSECOND);
        }
        self.of_rule = deviations.to_bits();
    }

    /// Smoothed RTT; zero before the first sample.
    pub(crate) fn smoothed(&self, p: &Params) -> Span {
        match p.rto_rule {
            RtoRule::Ticks => Span((self.srtt >> 3) as u64 * p.tick.0),
            _ => Span((self.srtt >> 3) as u64),
        }
    }

    /// Smoothed RTT; `None` before the first sample.
    pub(crate) fn srtt(&self, p: &Params) -> Option<Span> {
        (self.last > 0).then(|| Span((self.srtt * unit(p) / 8) as u64))
    }

    /// Timeout before backoff.
    #[inline(always)]
    fn base(&self, p: &Params) -> Span {
        if self.last == 0 {
            return p.initial_rto;
        }
        match p.rto_rule {
            RtoRule::Ticks => Span((((self.rttvar << 3) + self.srtt) >> 3) as u64 * p.tick.0),
            RtoRule::Rfc6298 => Span((self.srtt >> 3) as u64 + (self.rttvar as u64).max(p.tick.0)),
            RtoRule::Linux => {
                let base = Span((self.srtt >> 3) as u64 + self.rttvar as u64);
                // The backoff doubles whole ticks.
                if p.reorder_timer == ReorderTimer::Ticks {
                    wheel::in_ticks(base)
                } else {
                    base
                }
            }
        }
    }

    /// The current timeout.
    pub(crate) fn rto(&self, p: &Params) -> Span {
        let base = self.base(p);
        let backed = |rto: Span| rto * u64::from(self.backoff);
        let rto = match p.rto_rule {
            RtoRule::Linux => backed(base),
            _ if p.min_after_backoff => backed(base).max(p.min_rto),
            _ => backed(base.max(p.min_rto)),
        };
        let rto = rto.min(p.max_rto);
        if p.rto_rule == RtoRule::Ticks {
            rto.max(Span(2 * p.tick.0))
        } else {
            rto
        }
    }

    /// Doubles the timeout (RFC 6298 rule 5.5).
    pub(crate) fn back_off(&mut self, p: &Params) {
        if p.rto_rule != RtoRule::Ticks {
            self.backoff = (self.backoff << 1).min(1 << 16);
            return;
        }
        if self.backoff < 64 || (!p.min_after_backoff && self.rto(p) < p.max_rto) {
            self.backoff <<= 1;
        }
        if self.backoff > 8 {
            self.rttvar += self.srtt >> 3;
            self.srtt = 0;
        }
    }

    /// Backoff factor of the timeout.
    pub(crate) fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Resets the backoff: the path has answered.
    #[inline]
    pub(crate) fn end_backoff(&mut self) {
        self.backoff = 1;
    }
}

/// Unit of the estimates.
fn unit(p: &Params) -> i64 {
    if p.rto_rule == RtoRule::Ticks {
        p.tick.0 as i64
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RTTs of 100 ms, then one of 180 and one of 20. The first sample leaves a mean deviation of 50 ms, which 80 ms
    /// raise by 30/4; what exceeds it in the fall counts an eighth: 90 ms are 32.5 above the mean of 57.5, which becomes
    /// 57.5 + 32.5/32 = 58.516 (times 4: 234.06).
    #[test]
    fn linux_takes_the_mean_deviation_and_a_fall_by_an_eighth() {
        let p = Params { rto_rule: RtoRule::Linux, min_rto: Span::from_millis(200), ..Params::default() };
        let mut estimate = Estimate::new(&p, Span::ZERO);
        let mut take = |ms: i64| {
            estimate.sample_linux(&p, ms * 1_000_000, 1, 9);
            (estimate.srtt >> 3, estimate.rttvar)
        };
        assert_eq!(take(100), (100_000_000, 200_000_000));
        assert_eq!(take(180), (110_000_000, 230_000_000));
        assert_eq!(take(20), (98_750_000, 234_062_000));
    }
}
