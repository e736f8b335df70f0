//! RTTs of one round, for delay-based controls that decide once per round trip.
//!
//! *Units*: RTTs in nanoseconds, segments.
//! *Deviations*: none; a round ends with the first ACK beyond the data sent when it began.

use super::AckEvent;
use units::Span;

/// Not measured yet.
pub(super) const UNKNOWN: Span = Span(u64::MAX);

/// Minimum RTT of the connection, and the samples of the present round.
#[derive(Clone, Debug)]
pub(super) struct RttRound {
    /// Minimum and maximum RTT of the connection.
    pub(super) base: Span,
    pub(super) max: Span,
    sum: u64,
    count: u32,
    least: Span,
    end: u32,
    /// The window was being reduced at an ACK since [`RttRound::take_interruption`].
    interrupted: bool,
}

/// A round that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Round {
    /// Mean and minimum of its RTTs.
    pub(super) mean: Span,
    pub(super) least: Span,
    /// Its samples.
    pub(super) samples: u32,
}

/// Hooks of a control that measures its round trips in the field `rounds`.
macro_rules! watches_rounds {
    () => {
        fn on_open(&mut self, srtt: Option<units::Span>) {
            self.rounds.open(srtt.filter(|_| self.handshake_rtt));
        }

        fn on_every_ack(&mut self, event: &crate::cc::AckEvent) {
            self.rounds.measure(event);
        }

        fn watches(&self) -> bool {
            true
        }
    };
}
pub(super) use watches_rounds;

impl Default for RttRound {
    fn default() -> RttRound {
        RttRound {
            base: UNKNOWN,
            max: Span::ZERO,
            sum: 0,
            count: 0,
            least: UNKNOWN,
            end: 0,
            interrupted: false,
        }
    }
}

impl RttRound {
    /// Takes the RTT of the handshake.
    pub(super) fn open(&mut self, srtt: Option<Span>) {
        self.base = self.base.min(srtt.filter(|rtt| *rtt > Span::ZERO).unwrap_or(UNKNOWN));
    }

    /// Takes the sample of an ACK.
    pub(super) fn measure(&mut self, event: &AckEvent) {
        self.interrupted |= event.recovering || event.reducing;
        let Some(rtt) = event.delay_sample() else { return };
        self.base = self.base.min(rtt);
        self.max = self.max.max(rtt).max(self.base);
        self.least = self.least.min(rtt);
        self.sum += rtt.0;
        self.count += 1;
    }

    /// Whether the window was being reduced at an ACK since the last call.
    pub(super) fn take_interruption(&mut self) -> bool {
        std::mem::take(&mut self.interrupted)
    }

    /// The round that this ACK ends, if it ends one that has samples.
    pub(super) fn ended(&mut self, event: &AckEvent) -> Option<Round> {
        if event.una <= self.end {
            return None;
        }
        self.end = event.next;
        self.taken()
    }

    /// The samples since the last round, if there are any.
    pub(super) fn taken(&mut self) -> Option<Round> {
        let round = (self.count > 0).then(|| Round {
            mean: Span(self.sum / u64::from(self.count)),
            least: self.least,
            samples: self.count,
        });
        self.restart(self.end);
        round
    }

    /// Begins a round that ends with `next`.
    pub(super) fn restart(&mut self, next: u32) {
        (self.end, self.sum, self.count, self.least) = (next, 0, 0, UNKNOWN);
    }

    /// Segments of a window of `cwnd` that wait in queues at this RTT: `cwnd (rtt - base) / rtt`.
    pub(super) fn queued(&self, cwnd: f64, rtt: Span) -> f64 {
        cwnd * Span(rtt.0.saturating_sub(self.base.0)).ratio(rtt)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use units::Time;

    /// An ACK at `ms` for `acked` segments up to `una`, with this RTT.
    pub(in crate::cc) fn ack(ms: u64, acked: u32, una: u32, next: u32, rtt_ms: u64) -> AckEvent {
        AckEvent {
            now: Time(ms * 1_000_000),
            acked,
            delivered: acked,
            rtt: Some(Span::from_millis(rtt_ms)),
            by_segment: false,
            reducing: false,
            flight: next - una + acked,
            una,
            next,
            sacks: false,
            ece: false,
            marked: 0,
            recovering: false,
        }
    }

    /// 100 and 140 ms: mean 120, minimum 100; at 125 ms a fifth of ten segments waits.
    #[test]
    fn a_round_has_a_mean_and_a_minimum() {
        let mut rounds = RttRound::default();
        assert_eq!(rounds.ended(&ack(0, 1, 1, 3, 100)), None);
        rounds.measure(&ack(0, 1, 2, 4, 100));
        rounds.measure(&ack(0, 1, 3, 5, 140));
        assert_eq!(rounds.ended(&ack(0, 1, 3, 5, 140)), None);
        let round = rounds.ended(&ack(0, 1, 4, 6, 140));
        let wanted = Round { mean: Span::from_millis(120), least: Span::from_millis(100), samples: 2 };
        assert_eq!((round, rounds.max), (Some(wanted), Span::from_millis(140)));
        assert!((rounds.queued(10.0, Span::from_millis(125)) - 2.0).abs() < 1e-12);
    }
}
