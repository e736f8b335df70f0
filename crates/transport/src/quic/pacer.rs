//! Pacing with a bounded burst: a leaky bucket.
//!
//! *Reference*: RFC 9002 section 7.7.
//! *Units*: packets; rates in packets per second.
//! *Deviations*: each packet counts as full.

use units::{Span, Time};

/// Least rate, in packets per second: the gap of a sender whose window is nearly zero stays below 1000 s.
const LEAST_RATE: f64 = 1e-3;

/// Pacing state of a connection.
#[derive(Clone, Debug)]
pub struct QuicPacer {
    gap: Span,
    burst: u64,
    /// Departure of the next packet if none may leave early.
    pub next: Time,
}

impl QuicPacer {
    /// A pacer that delays nothing until it has a rate.
    pub fn new() -> QuicPacer {
        QuicPacer { gap: Span::ZERO, burst: 1, next: Time::ZERO }
    }

    /// Sets the rate (`None`: no pacing) and the packets that may leave at once.
    pub fn set(&mut self, rate: Option<f64>, burst: u64) {
        self.gap = rate.map_or(Span::ZERO, |rate| Span::from_secs(1.0 / rate.max(LEAST_RATE)));
        self.burst = burst.max(1);
    }

    /// When the next packet may leave.
    pub fn ready_at(&self) -> Time {
        let early = self.gap.scale((self.burst - 1) as f64);
        if self.gap == Span::ZERO {
            Time::ZERO
        } else {
            Time::ZERO + self.next.since(Time::ZERO + early)
        }
    }

    /// Records that a packet leaves.
    pub fn sent(&mut self, now: Time) {
        self.next = self.next.max(now) + self.gap;
    }
}

impl Default for QuicPacer {
    fn default() -> QuicPacer {
        QuicPacer::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 100 packets/s and a burst of three, three leave at 1 s and further ones at 1.01 s and 1.02 s; after a pause
    /// three leave at once again.
    #[test]
    fn a_burst_leaves_at_once() {
        let mut pacer = QuicPacer::new();
        pacer.set(Some(100.0), 3);
        let mut leave = |from_ms: u64, count: usize| -> Vec<u64> {
            let mut now = Time(from_ms * 1_000_000);
            (0..count)
                .map(|_| {
                    now = now.max(pacer.ready_at());
                    pacer.sent(now);
                    now.nanos() / 1_000_000
                })
                .collect()
        };
        assert_eq!(leave(1000, 5), [1000, 1000, 1000, 1010, 1020]);
        assert_eq!(leave(2000, 4), [2000, 2000, 2000, 2010]);
    }

    #[test]
    fn without_a_rate_nothing_waits() {
        let mut pacer = QuicPacer::new();
        pacer.sent(Time(5));
        assert_eq!(pacer.ready_at(), Time::ZERO);
    }
}
