//! Round-trip time estimation and the retransmission timeout (RTO).
//!
//! *Reference*: RFC 6298; Jacobson 1988 for the scaled integers; the clock of ns-2 (ticks with an offset).
//! *Units*: `srtt` is scaled by 8 and `rttvar` by 4, in nanoseconds or in ticks.
//! *Deviations*: `linux` keeps the largest deviation of each round trip instead of a mean, and applies
//! `min_rto` to four times the variance; the maximum decays once per round trip.

use crate::params::{Params, RtoRule};
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
    /// Ticks: offset of the clock. Linux: largest deviation (times 4) of the present round trip, which ends
    /// at `round_end`.
    of_rule: i64,
    round_end: u32,
    backoff: u32,
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
            self.of_rule = self.rttvar;
            self.round_end = next;
        } else {
            let error = rtt - (self.srtt >> 3);
            self.srtt = (self.srtt + error).max(1);
            self.of_rule = self.of_rule.max(error.abs() << 2);
            self.rttvar = self.rttvar.max(self.of_rule);
            if una > self.round_end {
                if self.of_rule < self.rttvar {
                    self.rttvar -= (self.rttvar - self.of_rule) >> 2;
                }
                self.round_end = next;
                self.of_rule = floor;
            }
        }
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
            RtoRule::Linux => Span((self.srtt >> 3) as u64 + self.rttvar as u64),
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
