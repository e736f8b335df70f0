//! The response of SCReAM to the share of marked packets.
//!
//! *Reference*: SCREAMV2 (draft-johansson-ccwg-rfc8298bis-screamv2), "ECN-CE and L4S" and "Congestion Window Update".
//! *Units*: bytes of payload, seconds.
//! *Deviations*: of version 2 only this response is here. Its pseudo-code takes half of `l4s_alpha_v_t`, which nothing
//! has set in that branch; its text takes `l4s_alpha`, and so does this.

use units::{Span, Time};

/// Weight of a round trip in the share of marked packets (L4S_AVG_G).
const GAIN: f64 = 1.0 / 16.0;
/// Terms of the scale of a reduction at small windows (LOW_CWND_SCALE_FACTOR, MUL_INCREASE_FACTOR).
const SCALE: (f64, f64) = (0.1, 0.02);
/// Least factor for a window of few packets.
const FEW: f64 = 0.8;
/// After this long without congestion the share of marks is not to be believed, and these are the least share and
/// reduction.
const LONG: Span = Span::from_millis(5000);
const LEAST: f64 = 0.25;

/// Marks by round trip.
#[derive(Clone, Debug, Default)]
pub struct MarkShare {
    /// Mean share of marked packets (`l4s_alpha`).
    pub alpha: f64,
    delivered: u64,
    marked: u64,
    round_began: Time,
    congested_at: Option<Time>,
    /// Most bytes in flight in this round trip and in the one before.
    in_flight: (f64, f64),
}

impl MarkShare {
    /// A packet left.
    pub fn on_sent(&mut self, in_flight: f64) {
        self.in_flight.0 = self.in_flight.0.max(in_flight);
    }

    /// Feedback names new packets, some of them marked.
    pub fn on_report(&mut self, now: Time, delivered: u64, marked: u64, round_trip: Span) {
        self.delivered += delivered;
        self.marked += marked;
        if now.since(self.round_began) < round_trip || self.delivered == 0 {
            return;
        }
        let share = (self.marked as f64 / self.delivered as f64).min(1.0);
        self.alpha += GAIN * (share - self.alpha);
        (self.delivered, self.marked, self.round_began) = (0, 0, now);
        self.in_flight = (0.0, self.in_flight.0);
    }

    /// A loss reduces the window.
    pub fn on_loss(&mut self, now: Time) {
        self.congested_at = Some(now);
    }

    /// A mark reduces a window of `cwnd`: what is left of it, and the share that is taken from the target rate.
    pub fn reduce(&mut self, now: Time, cwnd: f64, mss: f64) -> (f64, f64) {
        let small = (SCALE.0 + SCALE.1 * cwnd / mss).min(1.0) * (1.0 - 2.0 * mss / cwnd).max(FEW);
        let (mut backoff, mut base) = (small * self.alpha / 2.0, cwnd);
        if self.congested_at.is_none_or(|at| now.since(at) > LONG) {
            if self.in_flight.1 > 0.0 {
                base = base.min(self.in_flight.1);
            }
            backoff = backoff.max(LEAST);
            self.alpha = LEAST;
        }
        self.congested_at = Some(now);
        ((1.0 - backoff) * base, backoff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    const RTT: Span = Span::from_millis(40);

    /// 4 of 20 packets are marked in a round trip: a sixteenth of 0.2. Reports within the round trip only count.
    #[test]
    fn the_share_is_a_mean_over_round_trips() {
        let mut marks = MarkShare::default();
        marks.on_report(ms(10), 8, 4, RTT);
        marks.on_report(ms(39), 4, 0, RTT);
        assert_eq!(marks.alpha, 0.0);
        marks.on_report(ms(40), 8, 0, RTT);
        assert_eq!(marks.alpha, 0.0125);
        marks.on_report(ms(80), 20, 20, RTT);
        assert_eq!(marks.alpha, 0.0125 + (1.0 - 0.0125) / 16.0);
        // A round trip without packets says nothing.
        marks.on_report(ms(200), 0, 0, RTT);
        assert_eq!(marks.alpha, 0.0125 + (1.0 - 0.0125) / 16.0);
    }

    /// Share 0.2 and a window of 20 packets: half of 0.2, times 0.1 + 0.02 x 20 = 0.5, times 1 - 2/20 = 0.9. At 4 packets
    /// the factors are 0.18 and 0.8, at 50 they are 1 and 0.96.
    #[test]
    fn small_windows_fall_less() {
        for (packets, factor) in [(20.0, 0.5 * 0.9), (4.0, 0.18 * 0.8), (50.0, 0.96)] {
            let mut marks = MarkShare { alpha: 0.2, congested_at: Some(ms(1000)), ..MarkShare::default() };
            let (left, backoff) = marks.reduce(ms(2000), 1000.0 * packets, 1000.0);
            assert!((backoff - 0.1 * factor).abs() < 1e-12, "{packets}: {backoff}");
            assert!((left - 1000.0 * packets * (1.0 - 0.1 * factor)).abs() < 1e-9, "{packets}: {left}");
        }
    }

    /// After 5 s without congestion a quarter of what was in flight is taken, and the share starts from a quarter.
    #[test]
    fn a_late_mark_reduces_from_the_bytes_in_flight() {
        let mut marks = MarkShare { congested_at: Some(ms(1000)), ..MarkShare::default() };
        marks.on_sent(16_000.0);
        marks.on_sent(12_000.0);
        marks.on_report(ms(6000), 10, 1, RTT);
        assert_eq!(marks.reduce(ms(6001), 100_000.0, 1000.0), (12_000.0, 0.25));
        assert_eq!(marks.alpha, 0.25);
        let (left, _) = marks.reduce(ms(6100), 50_000.0, 1000.0);
        assert!((left - 50_000.0 * (1.0 - 0.125 * 0.96)).abs() < 1e-9, "{left}");
    }
}
