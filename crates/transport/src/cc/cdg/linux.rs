//! The rounds of CDG as Linux has them, and the end of its slow start.
//!
//! *Reference*: Linux by its output: `docs/transports/cdg.md`.
//! *Units*: times; gradients in milliseconds per round trip.
//! *Deviations*: none known.
//!
//! A backoff takes its share over a round trip, in proportion to deliveries (RFC 6937); a loss meanwhile takes no more.
//! One gradient decides: that of the minimum if it is positive, else that of the maximum. Before `cdg_rounds` rounds are
//! known, their mean is that of the known ones. An ACK of one segment between ACKs of two may be late, so it counts
//! towards the minimum alone. Slow start ends by a train of ACKs as long as half the minimum RTT, or once the minimum of
//! a round exceeds it by an eighth.

use super::Buffer;
use crate::cc::AckEvent;
use std::collections::VecDeque;
use units::{Span, Time};

/// Distance within which ACKs belong to one train.
const TRAIN: Span = Span::from_millis(3);
/// Samples of a round before its minimum counts.
const SAMPLES: u32 = 8;
/// ACKs of two segments remembered, at most.
const PAIRS: u32 = 5;
/// A change of the RTT over all rounds, in ms, that is more than noise: a fall by it shows that a backoff had an effect.
const EFFECT_MS: f64 = 0.032;

/// Extremes of the RTT in a round.
type Extremes = (Span, Span);

/// A backoff in progress.
#[derive(Clone, Copy, Debug)]
struct Backoff {
    /// It ends once this segment is acknowledged.
    end: u32,
    /// Windows at its start and at its end.
    from: f64,
    target: f64,
    /// Segments delivered since its start.
    delivered: u32,
}

impl Backoff {
    /// Window after an ACK (RFC 6937): the share of the deliveries is sent, then as much as arrives and one more.
    fn window(&mut self, event: &AckEvent) -> f64 {
        self.delivered += event.delivered;
        let sent = f64::from(event.next.saturating_sub(self.end));
        let in_flight = f64::from(event.flight.saturating_sub(event.delivered));
        let delivered = f64::from(self.delivered);
        let more = if in_flight > self.target {
            (self.target * delivered / self.from).ceil() - sent
        } else {
            ((delivered - sent).max(f64::from(event.delivered)) + 1.0).min(self.target - in_flight)
        };
        in_flight + more.max(if sent > 0.0 { 0.0 } else { 1.0 })
    }
}

/// State of the rounds.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    present: Option<Extremes>,
    before: Option<Extremes>,
    /// Changes of the minimum and the maximum, oldest first, and their sums.
    changes: VecDeque<(f64, f64)>,
    sums: (f64, f64),
    rounds: usize,
    pairs: u32,
    backoff: Option<Backoff>,
    /// A recovery or a reduction for an ECN echo is in progress.
    reducing: bool,
    backoffs: u64,
    pub(super) buffer: Buffer,
    base: Option<Span>,
    /// Last ACK of the train, and its first.
    train: Option<(Time, Time)>,
    samples: u32,
}

impl Rounds {
    /// Returns the state before the first round; gradients are means over `rounds`.
    pub(super) fn new(rounds: usize) -> Rounds {
        Rounds {
            present: None,
            before: None,
            changes: VecDeque::new(),
            sums: (0.0, 0.0),
            rounds,
            pairs: 0,
            backoff: None,
            reducing: false,
            backoffs: 0,
            buffer: Buffer::Unknown,
            base: None,
            train: None,
            samples: 0,
        }
    }

    /// Takes the RTT of the handshake, which is the first sample.
    pub(super) fn open(&mut self, rtt: Span) {
        self.present = Some((rtt, rtt));
    }

    /// Takes the sample of an ACK.
    pub(super) fn measure(&mut self, event: &AckEvent) {
        let reducing = event.recovering || event.reducing;
        if std::mem::replace(&mut self.reducing, reducing) && !reducing {
            self.begin_after_reduction();
        }
        let Some(rtt) = event.delay_sample() else { return };
        if !event.sacks && event.acked == 1 && self.pairs > 0 {
            self.pairs -= 1;
            self.present = self.present.map(|(min, max)| (min.min(rtt), max));
            return;
        }
        if !event.sacks && event.acked > 1 {
            self.pairs = (self.pairs + 1).min(PAIRS);
        }
        let (min, max) = self.present.unwrap_or((rtt, rtt));
        self.present = Some((min.min(rtt), max.max(rtt)));
    }

    /// A reduction has ended: its round is compared with the next.
    fn begin_after_reduction(&mut self) {
        self.before = self.present.take();
        self.buffer = Buffer::Unknown;
    }

    /// Window that a backoff sets at an ACK, and whether the ACK ends it. `None`: none was in progress.
    pub(super) fn fall(&mut self, event: &AckEvent) -> Option<(f64, bool)> {
        let backoff = self.backoff.as_mut()?;
        if event.una <= backoff.end {
            return Some((backoff.window(event), false));
        }
        let target = self.end_backoff();
        self.begin_after_reduction();
        target.map(|cwnd| (cwnd, true))
    }

    /// Begins a backoff between these windows, which lasts until `next` is acknowledged.
    pub(super) fn begin_backoff(&mut self, next: u32, from: f64, target: f64) {
        self.backoff = Some(Backoff { end: next, from, target, delivered: 0 });
    }

    /// Ends a backoff; returns the window it was to reach.
    pub(super) fn end_backoff(&mut self) -> Option<f64> {
        self.backoff.take().map(|backoff| backoff.target)
    }

    /// Whether slow start ends with this ACK.
    pub(super) fn ends_slow_start(&mut self, now: Time) -> bool {
        let Some((min, _)) = self.present else { return false };
        let base = self.base.map_or(min, |base| base.min(min));
        self.base = Some(base);
        match &mut self.train {
            Some((last, first)) if now.since(*last) < TRAIN => {
                *last = now;
                if now.since(*first) > Span(base.0 / 2) {
                    return true;
                }
            }
            None => self.train = Some((now, now)),
            Some(_) => {}
        }
        self.samples += 1;
        self.samples > SAMPLES && min.0 > base.0 + base.0 / 8
    }

    /// Ends a round that has samples; returns the gradient, of which only a positive one asks for a backoff.
    pub(super) fn end(&mut self) -> Option<f64> {
        let (min, max) = self.present.take()?;
        (self.train, self.samples) = (None, 0);
        let (least, most) = self.before.replace((min, max))?;
        let change = |now: Span, then: Span| now.as_millis() - then.as_millis();
        let change = (change(min, least), change(max, most));
        let oldest = if self.changes.len() >= self.rounds { self.changes.pop_front() } else { None }
            .unwrap_or_default();
        self.changes.push_back(change);
        self.sums = (self.sums.0 + change.0 - oldest.0, self.sums.1 + change.1 - oldest.1);
        if self.sums.0 <= -EFFECT_MS || self.sums.1 <= -EFFECT_MS {
            self.backoffs = 0;
        }
        let loud = |sum: f64| if sum.abs() < EFFECT_MS { 0.0 } else { sum };
        self.buffer.infer(loud(self.sums.0), loud(self.sums.1));
        let sum = if self.sums.0 > 0.0 { self.sums.0 } else { self.sums.1 };
        Some(sum / self.changes.len() as f64)
    }

    /// Whether a backoff is worth it: after `patience` without effect none is, until the RTT falls.
    pub(super) fn helps(&mut self, patience: u64) -> bool {
        self.backoffs += 1;
        patience == 0 || self.backoffs <= patience
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::rtt_round::tests::ack;
    use super::*;

    /// Rounds with these extremes in milliseconds; returns the gradients.
    fn feed(rounds: &mut Rounds, extremes: &[(u64, u64)]) -> Vec<Option<f64>> {
        let ends = |(min, max): &(u64, u64)| {
            rounds.present = Some((Span::from_millis(*min), Span::from_millis(*max)));
            rounds.end()
        };
        extremes.iter().map(ends).collect()
    }

    /// The minimum decides as long as its sum is positive; the mean is over the changes known so far.
    #[test]
    fn one_gradient_decides() {
        let mut rounds = Rounds::new(2);
        let gradients = feed(&mut rounds, &[(100, 120), (104, 110), (102, 116), (98, 120)]);
        assert_eq!(gradients, [None, Some(4.0), Some(1.0), Some(5.0)]);
    }

    /// After five backoffs none follows until the RTT has fallen by 32 us.
    #[test]
    fn backoffs_without_effect_end() {
        let mut rounds = Rounds::new(8);
        let helps: Vec<bool> = (0..8).map(|_| rounds.helps(5)).collect();
        assert_eq!(helps, [true, true, true, true, true, false, false, false]);
        feed(&mut rounds, &[(100, 120), (101, 121)]);
        assert!(!rounds.helps(5));
        feed(&mut rounds, &[(98, 121)]);
        assert!(rounds.helps(5));
    }

    /// An ACK of one segment after one of two counts towards the minimum alone.
    #[test]
    fn a_late_ack_is_no_maximum() {
        let mut rounds = Rounds::new(8);
        for (acked, rtt_ms) in [(2, 100), (1, 140), (1, 130)] {
            rounds.measure(&ack(0, acked, 1, 9, rtt_ms));
        }
        assert_eq!(rounds.present, Some((Span::from_millis(100), Span::from_millis(130))));
    }

    /// ACKs 2 ms apart for more than half of 100 ms end slow start, and so does a minimum above 112.5 ms.
    #[test]
    fn slow_start_ends_by_a_train_or_by_delay() {
        let mut rounds = Rounds::new(8);
        // The handshake had nothing to transmit.
        rounds.open(Span::from_millis(100));
        rounds.measure(&ack(0, 1, 1, 9, 104));
        let ends: Vec<u64> =
            (0..40).map(|step| 2 * step).filter(|ms| rounds.ends_slow_start(Time(ms * 1_000_000))).collect();
        assert_eq!(ends.first(), Some(&52));
        let mut delayed = Rounds { base: Some(Span::from_millis(100)), ..Rounds::new(8) };
        delayed.measure(&ack(0, 1, 1, 9, 113));
        let mut by_delay = (0..12).filter(|step| delayed.ends_slow_start(Time(step * 10_000_000)));
        assert_eq!(by_delay.next(), Some(8));
    }

    /// From 20 segments to 14: of each delivered 0.7 are sent until 14 are in flight. Then the ACK beyond ends it, and
    /// its last round is the next one's predecessor.
    #[test]
    fn a_backoff_lasts_a_round_trip() {
        let mut rounds = Rounds::new(8);
        rounds.begin_backoff(120, 20.0, 14.0);
        let (mut flight, mut next) = (20, 121);
        let windows: Vec<u32> = (101..=120)
            .map(|una| {
                let event = AckEvent { flight, ..ack(0, 1, una, next, 110) };
                rounds.measure(&event);
                let (cwnd, is_over) = rounds.fall(&event).expect("a backoff is in progress");
                assert!(!is_over);
                let sent = cwnd as u32 - (flight - 1);
                (flight, next) = (cwnd as u32, next + sent);
                flight
            })
            .collect();
        assert_eq!(windows, [19, 19, 19, 18, 18, 18, 17, 17, 17, 16, 16, 16, 16, 15, 14, 14, 14, 14, 14, 14]);
        assert_eq!(rounds.fall(&ack(0, 1, 121, next, 110)), Some((14.0, true)));
        assert_eq!((rounds.before.map(|pair| pair.0), rounds.present), (Some(Span::from_millis(110)), None));
        assert_eq!(rounds.fall(&ack(0, 1, 122, next, 110)), None);
    }
}
