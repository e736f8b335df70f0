//! Westwood+ of Linux: whole bytes and milliseconds, and a filter of two stages.
//!
//! *Reference*: GM04 for the law; Linux by its output.
//! *Units*: bytes, milliseconds (a kernel of 1000 Hz).
//! *Deviations*: a recovery that is undone leaves no trace in the estimate; one of the compared flows lags the kernel
//! by 93 ms after its first recovery.

use super::super::AckEvent;
use crate::params::{Params, Recovery, Reduction};
use units::{Span, Time};

/// Minimum duration of a bandwidth sample.
const LEAST_MS: u64 = 50;
/// RTT before the first sample.
const FIRST_RTT_MS: u64 = 20_000;

/// State between ACKs.
#[derive(Clone, Debug)]
pub(super) struct Estimate {
    mss: u64,
    /// Bandwidth after the first and after the second filter, in bytes per millisecond.
    smoothed: u64,
    bandwidth: u64,
    /// Start of the present sample, and the bytes delivered in it.
    since_ms: u64,
    bytes: u64,
    /// Bytes that duplicate ACKs reported and no cumulative ACK has covered since.
    accounted: u64,
    rtt_ms: u64,
    rtt_min_ms: u64,
    /// A timeout makes the next RTT the minimum.
    forget_min: bool,
    /// No ACK has been counted.
    fresh: bool,
    /// A few bytes of the connection are acknowledged before its data (`handshake_rtt`).
    handshake_rtt: bool,
    /// The window falls with the ACKs of a round trip after an ECN echo.
    stepwise: bool,
}

impl Estimate {
    /// Returns the state without samples.
    pub(super) fn new(params: &Params) -> Estimate {
        Estimate {
            mss: params.mss.0,
            smoothed: 0,
            bandwidth: 0,
            since_ms: 0,
            bytes: 0,
            accounted: 0,
            rtt_ms: FIRST_RTT_MS,
            rtt_min_ms: FIRST_RTT_MS,
            forget_min: false,
            fresh: true,
            handshake_rtt: params.handshake_rtt,
            stepwise: params.recovery == Recovery::Rack && params.reduction == Reduction::Linux,
        }
    }

    /// The connection is open: the first sample begins.
    pub(super) fn open(&mut self, now: Time) {
        self.since_ms = now.nanos() / 1_000_000;
    }

    /// Takes the RTT of the handshake, as the ACK of a few bytes.
    pub(super) fn measure_first(&mut self, srtt: Option<Span>) {
        if let Some(rtt) = srtt.filter(|_| self.handshake_rtt) {
            self.rtt_ms = whole_ms(rtt);
            self.rtt_min_ms = self.rtt_ms;
            self.count_first();
        }
    }

    /// Linux knows no earlier ACK when it sees the first one, so it takes it for a duplicate.
    fn count_first(&mut self) {
        self.fresh = false;
        self.bytes += self.mss;
        self.accounted += self.mss;
    }

    /// Whether an ECN echo halves the window over a round trip, and the estimate sets it then.
    pub(super) fn falls_stepwise(&self) -> bool {
        self.stepwise
    }

    pub(super) fn on_every_ack(&mut self, event: &AckEvent) {
        if let Some(rtt) = event.rtt {
            self.rtt_ms = whole_ms(rtt);
        }
        self.sample(event.now);
        // The ACK that ends a recovery moves the receiver's window, so Linux processes it on its slow path.
        let plain = event.acked > 0 && !event.sacks && !event.recovering;
        if self.fresh {
            self.count_first();
        } else {
            self.bytes += if plain { u64::from(event.acked) * self.mss } else { self.counted(event) };
        }
        let least = if self.forget_min { self.rtt_ms } else { self.rtt_min_ms.min(self.rtt_ms) };
        (self.rtt_min_ms, self.forget_min) = (least, false);
    }

    /// Bytes that an ACK with SACK blocks or a duplicate reports for the first time.
    fn counted(&mut self, event: &AckEvent) -> u64 {
        let advance = u64::from(event.acked) * self.mss;
        if advance == 0 {
            self.accounted += self.mss;
            return self.mss;
        }
        if advance == self.mss {
            return advance;
        }
        if self.accounted >= advance {
            self.accounted -= advance;
            return self.mss;
        }
        advance - std::mem::take(&mut self.accounted)
    }

    /// Ends a sample that has lasted for an RTT.
    fn sample(&mut self, now: Time) {
        let ms = now.nanos() / 1_000_000;
        let elapsed = ms - self.since_ms;
        if elapsed <= self.rtt_ms.max(LEAST_MS) {
            return;
        }
        let sample = self.bytes / elapsed;
        if self.smoothed == 0 && self.bandwidth == 0 {
            (self.smoothed, self.bandwidth) = (sample, sample);
        } else {
            self.smoothed = (7 * self.smoothed + sample) / 8;
            self.bandwidth = (7 * self.bandwidth + self.smoothed) / 8;
        }
        (self.bytes, self.since_ms) = (0, ms);
    }

    /// Segments that the path holds without a queue: bandwidth times minimum RTT, at least two.
    pub(super) fn carried(&self) -> f64 {
        (self.bandwidth * self.rtt_min_ms / self.mss).max(2) as f64
    }

    pub(super) fn on_timeout(&mut self) {
        self.forget_min = true;
    }
}

/// Milliseconds, rounded up.
fn whole_ms(rtt: Span) -> u64 {
    rtt.0.div_ceil(1_000_000).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Span;

    fn ack(ms: u64, acked: u32, sacks: bool) -> AckEvent {
        AckEvent {
            now: Time(ms * 1_000_000),
            acked,
            delivered: acked.max(1),
            rtt: (acked > 0).then(|| Span::from_millis(80)),
            by_segment: false,
            reducing: false,
            flight: 10,
            una: 0,
            next: 10,
            sacks,
            ece: false,
            marked: 0,
            recovering: false,
        }
    }

    /// An estimate that has seen an ACK, for segments of 1000 bytes.
    fn estimate() -> Estimate {
        let mut estimate = Estimate::new(&Params { mss: units::Bytes(1000), ..Params::default() });
        estimate.fresh = false;
        estimate
    }

    /// The first ACK counts as a duplicate, whatever it acknowledges, and so does that of a handshake.
    #[test]
    fn the_first_ack_counts_one_segment() {
        let mut first = Estimate { fresh: true, ..estimate() };
        first.on_every_ack(&ack(1, 10, false));
        assert_eq!((first.bytes, first.accounted), (1000, 1000));
        let mut opened = Estimate { fresh: true, handshake_rtt: true, ..estimate() };
        opened.measure_first(Some(Span::from_millis(80)));
        opened.on_every_ack(&ack(1, 10, false));
        assert_eq!((opened.bytes, opened.rtt_min_ms), (11_000, 80));
    }

    /// 10 segments of 1000 bytes in 100 ms: 100 bytes/ms, of which 80 ms hold 8 segments. Then 40 in 100 ms,
    /// 400 bytes/ms: (700 + 400)/8 = 137 after the first filter, (700 + 137)/8 = 104 after the second.
    #[test]
    fn samples_pass_two_filters() {
        let mut estimate = estimate();
        estimate.on_every_ack(&ack(0, 10, false));
        estimate.on_every_ack(&ack(100, 40, false));
        assert_eq!((estimate.bandwidth, estimate.carried()), (100, 8.0));
        estimate.on_every_ack(&ack(200, 1, false));
        assert_eq!((estimate.smoothed, estimate.bandwidth), (137, 104));
    }

    /// Three duplicates count three; the ACK of five that ends the recovery counts the two that are new, a
    /// plain one all five.
    #[test]
    fn only_a_plain_ack_counts_twice() {
        for (recovering, bytes) in [(true, 5000), (false, 8000)] {
            let mut estimate = estimate();
            (0..3).for_each(|_| estimate.on_every_ack(&ack(1, 0, true)));
            estimate.on_every_ack(&AckEvent { recovering, ..ack(2, 5, false) });
            assert_eq!(estimate.bytes, bytes);
        }
    }

    /// A timeout makes the next RTT the minimum, even a longer one.
    #[test]
    fn a_timeout_forgets_the_minimum() {
        let mut estimate = estimate();
        estimate.on_every_ack(&AckEvent { rtt: Some(Span::from_millis(20)), ..ack(0, 1, false) });
        estimate.on_timeout();
        estimate.on_every_ack(&ack(1, 1, false));
        assert_eq!(estimate.rtt_min_ms, 80);
    }
}
