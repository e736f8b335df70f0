//! RTT estimate of QUIC, and the probe timeout derived from it.
//!
//! *Reference*: RFC 9002 sections 5 and 6.2.1.
//! *Deviations*: none.

use super::params::QuicParams;
use units::{Span, Time};

/// RTT estimate of a connection.
#[derive(Clone, Debug)]
pub struct RttEstimate {
    /// The last sample; zero before the first.
    pub latest: Span,
    /// Minimum of the samples.
    pub min: Span,
    /// Smoothed RTT.
    pub smoothed: Span,
    /// Mean deviation.
    pub deviation: Span,
    /// Time of the first sample.
    pub first_at: Option<Time>,
}

impl RttEstimate {
    /// An estimate without samples.
    pub fn new(params: &QuicParams) -> RttEstimate {
        RttEstimate {
            latest: Span::ZERO,
            min: Span::ZERO,
            smoothed: params.initial_rtt,
            deviation: params.initial_rtt / 2,
            first_at: None,
        }
    }

    /// Takes a sample of which the receiver spent `delay` before it sent the ACK (section 5.3).
    pub fn sample(&mut self, now: Time, latest: Span, delay: Span) {
        self.latest = latest;
        if self.first_at.is_none() {
            (self.min, self.smoothed, self.deviation) = (latest, latest, latest / 2);
            self.first_at = Some(now);
            return;
        }
        self.min = self.min.min(latest);
        let adjusted = if latest >= self.min + delay { latest - delay } else { latest };
        let error = Span(self.smoothed.0.abs_diff(adjusted.0));
        self.deviation = (self.deviation * 3 + error) / 4;
        self.smoothed = (self.smoothed * 7 + adjusted) / 8;
    }

    /// Probe timeout without backoff and without the delay of ACKs.
    pub fn pto(&self, granularity: Span) -> Span {
        self.smoothed + (self.deviation * 4).max(granularity)
    }

    /// Time after which a packet below one acknowledged is lost (section 6.1.2).
    pub fn loss_delay(&self, params: &QuicParams) -> Span {
        self.latest.max(self.smoothed).scale(params.time_threshold).max(params.granularity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Span {
        Span::from_millis(ms)
    }

    /// Before a sample 333 + 4 x 166.5 = 999 ms.
    #[test]
    fn the_first_timeout_is_a_second() {
        let rtt = RttEstimate::new(&QuicParams::default());
        assert_eq!(rtt.pto(ms(1)), ms(999));
    }

    /// 100 ms: deviation 50, timeout 300 ms. Then 140 ms, of which the receiver spent 20: 120 count, the smoothed RTT
    /// is 700/8 + 120/8 = 102.5 and the deviation 3/4 50 + 20/4 = 42.5. Then 110 ms with 20: a sample of 90 would be
    /// below the minimum, so all 110 count.
    #[test]
    fn the_delay_of_acks_is_subtracted() {
        let params = QuicParams::default();
        let mut rtt = RttEstimate::new(&params);
        rtt.sample(Time(1), ms(100), ms(20));
        assert_eq!((rtt.smoothed, rtt.deviation, rtt.pto(ms(1))), (ms(100), ms(50), ms(300)));
        assert_eq!(rtt.loss_delay(&params), Span(112_500_000));
        rtt.sample(Time(2), ms(140), ms(20));
        assert_eq!((rtt.smoothed, rtt.deviation), (Span(102_500_000), Span(42_500_000)));
        assert_eq!(rtt.loss_delay(&params), Span(157_500_000));
        rtt.sample(Time(3), ms(110), ms(20));
        assert_eq!(rtt.smoothed, Span((7 * 102_500_000 + 110_000_000) / 8));
        assert_eq!(rtt.min, ms(100));
    }
}
