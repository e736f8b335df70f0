//! Round-trip time and the retransmission timeout.
//!
//! *Reference*: RFC 6298; Jacobson 1988 for the scaled integers; the clock of ns-2 (ticks with an offset).
//! *Units*: `srtt` is kept times 8 and `rttvar` times 4, in nanoseconds or in ticks.
//! *Deviations*: `linux` keeps the greatest deviation of each round trip instead of a mean, and applies
//! `min_rto` to four times the variance; the decay of that maximum is once a round trip.

use crate::params::{Params, RtoRule};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// The estimator of one connection.
#[derive(Clone, Debug)]
pub struct Rtt {
    params: Arc<Valid<Params>>,
    /// Smoothed round trip times 8; 0 before the first sample.
    srtt: i64,
    /// Smoothed deviation times 4.
    rttvar: i64,
    /// Last sample, in the unit of the estimate.
    last: i64,
    /// The timeout before backing off.
    base: Span,
    boot: u64,
    /// Linux: greatest deviation (times 4) of the present round trip, and where that trip ends.
    mdev_max: i64,
    round_end: u32,
    backoff: u32,
}

impl Rtt {
    /// Nothing measured yet. `boot` is the offset of the clock.
    pub fn new(params: &Arc<Valid<Params>>, boot: Span) -> Rtt {
        Rtt {
            params: params.clone(),
            srtt: 0,
            rttvar: 0,
            last: 0,
            base: params.initial_rto,
            backoff: 1,
            boot: boot.0,
            mdev_max: 0,
            round_end: 0,
        }
    }

    /// Takes a sample: a segment sent at `sent` is acknowledged `now`. `una` and `next` delimit the round trip.
    pub fn sample(&mut self, now: Time, sent: Time, una: u32, next: u32) {
        let rtt = now.since(sent);
        match self.params.rto_rule {
            RtoRule::Ticks => {
                let offset = (sent.nanos() + self.boot) % self.params.tick.0;
                self.smooth((((rtt.0 + offset) / self.params.tick.0) as i64).max(1), 1);
                self.base = Span((((self.rttvar << 3) + self.srtt) >> 3) as u64 * self.params.tick.0);
            }
            RtoRule::Rfc6298 => {
                self.smooth((rtt.0 as i64).max(1), 1);
                self.base = Span((self.srtt >> 3) as u64 + (self.rttvar as u64).max(self.params.tick.0));
            }
            RtoRule::Linux => self.sample_linux((rtt.0 as i64).max(1), una, next),
        }
    }

    /// The update of Jacobson 1988: gains 1/8 and 1/4 without divisions.
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

    fn sample_linux(&mut self, rtt: i64, una: u32, next: u32) {
        let floor = self.params.min_rto.0 as i64;
        self.last = rtt;
        if self.srtt == 0 {
            self.srtt = rtt << 3;
            self.rttvar = (rtt << 1).max(floor);
            self.mdev_max = self.rttvar;
            self.round_end = next;
        } else {
            let error = rtt - (self.srtt >> 3);
            self.srtt = (self.srtt + error).max(1);
            self.mdev_max = self.mdev_max.max(error.abs() << 2);
            self.rttvar = self.rttvar.max(self.mdev_max);
            if una > self.round_end {
                if self.mdev_max < self.rttvar {
                    self.rttvar -= (self.rttvar - self.mdev_max) >> 2;
                }
                self.round_end = next;
                self.mdev_max = floor;
            }
        }
        self.base = Span((self.srtt >> 3) as u64 + self.rttvar as u64);
    }

    /// The smoothed round trip; zero before the first sample.
    pub fn smoothed(&self) -> Span {
        match self.params.rto_rule {
            RtoRule::Ticks => Span((self.srtt >> 3) as u64 * self.params.tick.0),
            _ => Span((self.srtt >> 3) as u64),
        }
    }

    /// The timeout now in force.
    pub fn rto(&self) -> Span {
        let backed = |base: Span| base * u64::from(self.backoff);
        let rto = match self.params.rto_rule {
            RtoRule::Linux => backed(self.base),
            _ if self.params.min_after_backoff => backed(self.base).max(self.params.min_rto),
            _ => backed(self.base.max(self.params.min_rto)),
        };
        let rto = rto.min(self.params.max_rto);
        if self.params.rto_rule == RtoRule::Ticks {
            rto.max(Span(2 * self.params.tick.0))
        } else {
            rto
        }
    }

    /// Doubles the timeout (RFC 6298 rule 5.5).
    pub fn back_off(&mut self) {
        if self.params.rto_rule != RtoRule::Ticks {
            self.backoff = (self.backoff << 1).min(1 << 16);
            return;
        }
        if self.backoff < 64 || (!self.params.min_after_backoff && self.rto() < self.params.max_rto) {
            self.backoff <<= 1;
        }
        if self.backoff > 8 {
            self.rttvar += self.srtt >> 3;
            self.srtt = 0;
        }
    }

    /// The path answers again: the timeout is no longer backed off.
    #[inline]
    pub fn end_backoff(&mut self) {
        self.backoff = 1;
    }

    /// How often the timeout stands doubled: 1, 2, 4 …
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Granularity of the clock.
    pub fn tick(&self) -> Span {
        self.params.tick
    }

    fn unit(&self) -> i64 {
        if self.params.rto_rule == RtoRule::Ticks {
            self.params.tick.0 as i64
        } else {
            1
        }
    }

    /// Smoothed round trip; `None` before the first sample.
    pub fn srtt(&self) -> Option<Span> {
        (self.last > 0).then(|| Span((self.srtt * self.unit() / 8) as u64))
    }

    /// Smoothed deviation.
    pub fn rttvar(&self) -> Span {
        Span((self.rttvar * self.unit() / 4) as u64)
    }

    /// The last sample; `None` before the first.
    pub fn last(&self) -> Option<Span> {
        (self.last > 0).then(|| Span((self.last * self.unit()) as u64))
    }
}
