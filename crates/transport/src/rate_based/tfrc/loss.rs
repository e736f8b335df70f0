//! Loss events, the intervals between them, and the loss event rate.
//!
//! *Reference*: RFC 5348 section 5.
//! *Units*: intervals count packets; send times are those of the sender's clock.

use super::params::{Mean, TfrcParams};
use std::collections::VecDeque;
use units::{Span, Time};

/// Weight of interval `number` of `count`, newest first: the newer half has full weight (RFC 5348 section
/// 5.4).
fn weight(number: usize, count: usize) -> f64 {
    let falling = 2.0 * (count - number) as f64 / (count + 2) as f64;
    if number < count / 2 {
        1.0
    } else {
        falling
    }
}

/// Loss interval history: closed intervals between loss events, and the open one.
#[derive(Clone, Debug)]
pub struct History {
    discounts: bool,
    least_discount: f64,
    rule: Mean,
    /// Weight of the old value in the exponential mean of closed intervals, and that mean once there is one.
    past: f64,
    average: Option<f64>,
    /// Weights, newest interval first.
    weights: Vec<f64>,
    /// Whether the open interval replaces the oldest closed one, however few there are.
    replaces: bool,
    /// Closed intervals, newest first, each with its accumulated discount.
    closed: VecDeque<(f64, f64)>,
    /// Discount of all closed intervals while the open one lasts.
    discount: f64,
}

impl History {
    /// Returns an empty history.
    pub fn new(params: &TfrcParams) -> History {
        History {
            discounts: params.discount,
            least_discount: params.least_discount,
            rule: params.mean,
            past: params.past,
            average: None,
            weights: (0..params.intervals as usize).map(|at| weight(at, params.intervals as usize)).collect(),
            replaces: params.open_replaces,
            closed: VecDeque::new(),
            discount: 1.0,
        }
    }

    /// Whether no loss event has been seen.
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty()
    }

    /// Length of closed intervals, newest first.
    pub fn intervals(&self) -> impl Iterator<Item = f64> + '_ {
        self.closed.iter().map(|(length, _)| *length)
    }

    /// Closes an interval of this many packets at a loss event.
    pub fn close(&mut self, packets: f64) {
        for (_, discount) in &mut self.closed {
            *discount *= self.discount;
        }
        self.discount = 1.0;
        if self.closed.is_empty() {
            self.closed.reserve_exact(self.weights.len() + 1);
        }
        self.closed.push_front((packets, 1.0));
        self.closed.truncate(self.weights.len());
        self.average = Some(self.average.map_or(packets, |average| self.blend(average, packets)));
    }

    /// Exponential mean after one more interval.
    fn blend(&self, average: f64, packets: f64) -> f64 {
        self.past * average + (1.0 - self.past) * packets
    }

    /// Mean interval, with `open` packets in the open one, which counts only if it raises the mean.
    pub fn mean(&mut self, open: f64) -> f64 {
        let Some(average) = self.average else { return f64::INFINITY };
        if self.rule == Mean::Exponential {
            return average.max(self.blend(average, open));
        }
        let weights = if self.rule == Mean::Shifted { &self.weights[1..] } else { &self.weights };
        let without = weighted(self.closed.iter().copied(), weights);
        if self.discounts && open > 2.0 * without {
            self.discount = (2.0 * without / open).max(self.least_discount);
        }
        let older = self.closed.iter().map(|(length, own)| (*length, own * self.discount));
        let terms = if self.replaces { self.closed.len() } else { self.weights.len() };
        let with = weighted(std::iter::once((open, 1.0)).chain(older).take(terms), &self.weights);
        with.max(without)
    }
}

/// Weighted mean of intervals with their discounts, newest first.
fn weighted(intervals: impl Iterator<Item = (f64, f64)>, weights: &[f64]) -> f64 {
    let (mut total, mut all) = (0.0, 0.0);
    for ((length, discount), weight) in intervals.zip(weights) {
        total += length * weight * discount;
        all += weight * discount;
    }
    total / all
}

/// A missing packet.
#[derive(Clone, Copy, Debug)]
struct Missing {
    seq: u32,
    /// Send time, interpolated between its neighbours.
    sent: Time,
    /// Packets received above it.
    above: u64,
}

/// Detects losses among arrivals, and loss events among losses and marks.
#[derive(Clone, Debug)]
pub struct Detector {
    patience: u64,
    new_round: bool,
    /// Whether the first loss event dates from the packet that revealed it instead of from the lost one.
    first_shown: bool,
    missing: VecDeque<Missing>,
    /// Highest packet received and its send time.
    highest: Option<(u32, Time)>,
    /// Send time of the first loss of the last loss event, and the round in which it was detected.
    event: Option<(Time, u32)>,
    /// Losses detected.
    pub losses: u64,
    /// Packets received with CE.
    pub marks: u64,
}

impl Detector {
    /// Returns a detector without arrivals.
    pub fn new(params: &TfrcParams) -> Detector {
        Detector {
            patience: params.loss_after,
            new_round: params.loss_new_round,
            first_shown: params.open_from_report,
            missing: VecDeque::new(),
            highest: None,
            event: None,
            losses: 0,
            marks: 0,
        }
    }

    /// The highest packet received.
    pub fn highest(&self) -> u32 {
        self.highest.map_or(0, |(seq, _)| seq)
    }

    /// Processes an arrival. Calls `begins` with the number of each loss that starts a loss event, in order.
    pub fn arrive(&mut self, seq: u32, sent: Time, rtt: Span, round: u32, mut begins: impl FnMut(u32)) {
        let (before, left) = self.highest.unwrap_or((seq, sent));
        if self.highest.is_some() && seq <= before {
            self.missing.retain(|missing| missing.seq != seq);
            return;
        }
        let gap = u64::from(seq - before);
        for step in 1..gap {
            let sent = left + Span((sent.since(left).0 as u128 * u128::from(step) / u128::from(gap)) as u64);
            self.missing.push_back(Missing { seq: before + step as u32, sent, above: 0 });
        }
        self.highest = Some((seq, sent));
        for missing in &mut self.missing {
            missing.above += 1;
        }
        while let Some(lost) = self.missing.front().copied().filter(|lost| lost.above >= self.patience) {
            self.missing.pop_front();
            self.losses += 1;
            if self.congested(lost.sent, sent, rtt, round) {
                begins(lost.seq);
            }
        }
    }

    /// Processes a CE mark, which is congestion like a loss but known at once (RFC5348 section 5.1). Returns
    /// whether it starts a loss event.
    pub fn mark(&mut self, sent: Time, rtt: Span, round: u32) -> bool {
        self.marks += 1;
        self.congested(sent, sent, rtt, round)
    }

    /// Whether congestion of a packet with this send time, revealed by one sent at `shown`, starts a loss
    /// event.
    fn congested(&mut self, sent: Time, shown: Time, rtt: Span, round: u32) -> bool {
        let apart = match self.event {
            Some((start, when)) => sent > start + rtt && (!self.new_round || round > when),
            // ns-2 treats the start of the run as a loss event.
            None => !self.new_round || sent >= sent.start() + rtt,
        };
        if apart {
            let later = self.event.is_none() && self.first_shown;
            self.event = Some((if later { shown } else { sent }, round));
        }
        apart
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_based::tfrc::params::TfrcParams;

    fn history(closed: &[f64]) -> History {
        let mut history = History::new(&TfrcParams::default());
        closed.iter().rev().for_each(|length| history.close(*length));
        history
    }

    #[test]
    fn weights_by_hand() {
        // Newest first 10, 20, 30, 40, 50, 60, 70, 80: (100 + 40 + 36 + 28 + 16) / 6 = 220 / 6.
        let mut history = history(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]);
        assert!((history.mean(0.0) - 220.0 / 6.0).abs() < 1e-12);
        // With 70 open it is (70+10+20+30 + .8·40 + .6·50 + .4·60 + .2·70) / 6 = 230/6: no discount, since 70 < 2 ·
        // 36.7.
        assert!((history.mean(70.0) - 230.0 / 6.0).abs() < 1e-12);
        // With 5 open the mean would fall, so the open interval stays out.
        assert!((history.mean(5.0) - 220.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn fewer_intervals_share_the_weights() {
        assert_eq!(history(&[]).mean(100.0), f64::INFINITY);
        assert_eq!(history(&[12.0]).mean(3.0), 12.0);
        // Two closed: the older of them is replaced by the open one, or not.
        assert_eq!(history(&[8.0, 16.0]).mean(20.0), 14.0);
        let appended = TfrcParams { open_replaces: false, ..TfrcParams::default() };
        let mut kept = History::new(&appended);
        [16.0, 8.0].into_iter().for_each(|length| kept.close(length));
        assert_eq!(kept.mean(21.0), 15.0);
    }

    #[test]
    fn other_means_by_hand() {
        let mean = |mean, intervals, closed: &[f64], open| {
            let mut history =
                History::new(&TfrcParams { mean, intervals, discount: false, ..TfrcParams::default() });
            closed.iter().rev().for_each(|length| history.close(*length));
            history.mean(open)
        };
        // Six count: 1, 1, 1, 3/4, 1/2, 1/4 of 10, 20, 30, 40, 50, 60; 70 does not: 130 / 4.5.
        let seven = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0];
        assert!((mean(Mean::Weighted, 6, &seven, 0.0) - 130.0 / 4.5).abs() < 1e-12);
        // Shifted, 10 to 50 have 1, 1, 3/4, 1/2, 1/4, and the open one stays out: 85 / 3.5.
        assert!((mean(Mean::Shifted, 6, &seven, 0.0) - 85.0 / 3.5).abs() < 1e-12);
        // 40, then 20: 3/4 of 40 and 1/4 of 20; with 95 open, 1/4 of that and 3/4 of 35.
        assert_eq!(mean(Mean::Exponential, 8, &[20.0, 40.0], 0.0), 35.0);
        assert_eq!(mean(Mean::Exponential, 8, &[20.0, 40.0], 95.0), 50.0);
    }

    #[test]
    fn discounting_by_hand() {
        // Mean 10, open 40: discount max(1/2, 20/40) = 1/2. With it: (40 + 3.5 … ) as below.
        let mut flat = history(&[10.0; 8]);
        let older: f64 = [1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2].iter().sum::<f64>() / 2.0;
        assert!((flat.mean(40.0) - (40.0 + 10.0 * older) / (1.0 + older)).abs() < 1e-12);
        // The discount is at least a half, and stays with the intervals once the open one closes.
        let mut long = history(&[10.0; 8]);
        long.mean(1000.0);
        long.close(1000.0);
        assert!((long.mean(0.0) - (1000.0 + 10.0 * older) / (1.0 + older)).abs() < 1e-12);
    }

    fn detector(loss_after: u64, loss_new_round: bool) -> Detector {
        Detector::new(&TfrcParams { loss_after, loss_new_round, ..TfrcParams::default() })
    }

    fn events(detector: &mut Detector, arrivals: &[(u32, u32)], rtt_ms: u64) -> Vec<u32> {
        let mut lost = Vec::new();
        for (seq, round) in arrivals {
            let sent = Time(u64::from(*seq) * 10_000_000);
            detector.arrive(*seq, sent, Span::from_millis(rtt_ms), *round, |seq| lost.push(seq));
        }
        lost
    }

    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        // Packets leave every 10 ms. 3, 5 and 8 are lost: 5 is 20 ms after 3, 8 is 50 ms after it.
        let arrivals: Vec<(u32, u32)> = [0, 1, 2, 4, 6, 7, 9, 10].map(|seq| (seq, 0)).to_vec();
        assert_eq!(events(&mut detector(1, false), &arrivals, 45), [3, 8]);
        assert_eq!(events(&mut detector(1, false), &arrivals, 15), [3, 5, 8]);
        assert_eq!(events(&mut detector(1, true), &arrivals, 15), [3], "the round has not changed");
    }

    #[test]
    fn a_gap_spans_several_events() {
        // 1 to 9 lost, 10 ms apart, round trip 30 ms: 1, 5 (40 ms later) and 9.
        let mut detector = detector(1, false);
        assert_eq!(events(&mut detector, &[(0, 0), (10, 0)], 30), [1, 5, 9]);
        assert_eq!(detector.losses, 9);
    }

    #[test]
    fn a_late_packet_is_not_lost() {
        let order: Vec<(u32, u32)> = [0, 2, 3, 1, 4, 5, 6].map(|seq| (seq, 0)).to_vec();
        assert_eq!(events(&mut detector(3, false), &order, 30), []);
        let without: Vec<(u32, u32)> = [0, 2, 3, 4].map(|seq| (seq, 0)).to_vec();
        assert_eq!(events(&mut detector(3, false), &without, 30), [1], "the third above it");
    }
}
