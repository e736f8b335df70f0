//! A token bucket: credit in time, that grows with the clock up to a burst and is spent on packets.
//!
//! Units: nanoseconds of the rate. A rate of zero has no bound, and every packet costs nothing.

use units::{Bytes, Rate, Span, Time};

/// Credit at a rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenBucket {
    rate: Rate,
    /// Largest credit.
    burst: i64,
    credit: i64,
    at: Time,
}

impl TokenBucket {
    /// A full bucket.
    pub(crate) fn new(rate: Rate, burst: Bytes) -> TokenBucket {
        let burst = rate.time_for(burst).0 as i64;
        TokenBucket { rate, burst, credit: burst, at: Time::ZERO }
    }

    /// Nanoseconds that a packet costs.
    pub(crate) fn cost(&self, size: Bytes) -> i64 {
        self.rate.time_for(size).0 as i64
    }

    /// When the credit reaches an amount; the start of the run if it has already.
    #[inline]
    pub(crate) fn reaches(&self, amount: i64) -> Time {
        if self.credit >= amount {
            Time::ZERO
        } else {
            self.at + Span((amount - self.credit) as u64)
        }
    }

    /// Lets the credit grow until now.
    pub(crate) fn refill(&mut self, now: Time) {
        let gained = now.since(self.at).0 as i64;
        self.credit = self.credit.saturating_add(gained).min(self.burst);
        self.at = now;
    }

    /// Spends an amount now; the credit may become negative.
    pub(crate) fn spend(&mut self, amount: i64, now: Time) {
        self.refill(now);
        self.credit -= amount;
    }

    /// The credit as of the last change, in milliseconds.
    pub(crate) fn credit_ms(&self) -> f64 {
        self.credit as f64 / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credit_is_saved_up_to_the_burst_and_may_be_owed() {
        // 1 MB/s: a byte is a microsecond.
        let mut bucket = TokenBucket::new(Rate(8_000_000), Bytes(2000));
        assert_eq!((bucket.cost(Bytes(1000)), bucket.reaches(2_000_000)), (1_000_000, Time::ZERO));
        bucket.spend(3_000_000, Time::ZERO);
        assert_eq!((bucket.credit, bucket.reaches(0)), (-1_000_000, Time(1_000_000)));
        bucket.refill(Time(9_000_000));
        assert_eq!(bucket.credit, 2_000_000);
        let mut free = TokenBucket::new(Rate(0), Bytes(0));
        free.spend(free.cost(Bytes(1500)), Time(5));
        assert_eq!(free.reaches(0), Time::ZERO);
    }
}
