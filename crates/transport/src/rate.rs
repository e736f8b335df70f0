//! Delivery rate estimation: how fast the path delivered the flight that an ACK covers.
//!
//! *Reference*: CCHJ22 sections 3 and 4; CSB25 section 4.
//! *Units*: segments; rates in segments per second.
//! *Deviations*: segments have one size, so they are counted instead of bytes.

use crate::ledger::Sent;
use crate::params::{Params, RateInterval, RateOrigin, RttSamples};
use units::{Span, Time};

/// Rate sample of an ACK, for congestion controls with a model of the path.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Current time.
    pub now: Time,
    /// Segments newly known to have arrived.
    pub newly_acked: u32,
    /// Segments newly marked lost.
    pub newly_lost: u32,
    /// Delivery rate in segments per second, if the sample is long enough.
    pub rate: Option<f64>,
    /// Segments delivered since the newest segment acknowledged was sent.
    pub delivered: u32,
    /// Segments delivered when it was sent.
    pub prior_delivered: u32,
    /// Segments in flight when it was sent, itself included.
    pub tx_in_flight: u32,
    /// Segments lost since it was sent.
    pub lost: u32,
    /// The source limited the rate when it was sent.
    pub app_limited: bool,
    /// Its RTT, if it was sent once.
    pub rtt: Option<Span>,
    /// Total segments delivered.
    pub total_delivered: u32,
    /// Total segments lost.
    pub total_lost: u32,
    /// Segments in flight before the ACK and after it.
    pub prior_in_flight: u32,
    /// See `prior_in_flight`.
    pub in_flight: u32,
    /// Departure time of the next segment under pacing, at the earliest now.
    pub departs: Time,
    /// The window limits the sender, not the source or the pacing rate.
    pub cwnd_limited: bool,
    /// Smoothed RTT.
    pub srtt: Option<Span>,
    /// Fast recovery is in progress.
    pub recovering: bool,
    /// Recovery from a timeout is in progress.
    pub timed_out: bool,
    /// Losses are detected by SACK.
    pub selective: bool,
}

/// Event: a segment was marked lost.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// Sequence number.
    pub seq: u32,
    /// Segments in flight when it was sent, itself included.
    pub tx_in_flight: u32,
    /// Segments lost since it was sent, itself included.
    pub lost: u32,
    /// The source limited the rate when it was sent.
    pub app_limited: bool,
    /// Total segments delivered.
    pub total_delivered: u32,
}

/// Delivery rate sampler of a connection.
#[derive(Clone, Debug, Default)]
pub struct Sampler {
    rule: Rule,
    /// Total segments delivered, and time of the last delivery.
    pub delivered: u32,
    /// See `delivered`.
    pub delivered_at: Time,
    /// Send time of the segment that ended the last sample.
    pub first_at: Time,
    /// Total segments lost.
    pub lost: u32,
    /// The source limits the rate until this many segments are delivered; 0: it does not.
    pub app_limited: u32,
    min_rtt: Option<Span>,
    /// The newest segment acknowledged by this ACK, its number, and the number of deliveries.
    newest: Option<(Sent, u32)>,
    newly_acked: u32,
    newly_lost: u32,
    prior_in_flight: u32,
    /// The retained interval, and the stamps of its segment (`rate_interval = "kept"`).
    kept: Option<Box<(Span, Sent)>>,
    /// Time of the last delivery before the segment sampled last was sent.
    sampled_origin: Time,
    /// The last valid rate.
    last_rate: Option<f64>,
}

/// Boundaries of a sampling interval.
#[derive(Clone, Copy, Debug, Default)]
struct Rule {
    kept: bool,
    origin_before: bool,
    /// RTTs are known in whole milliseconds.
    milliseconds: bool,
    /// An ACK without a valid sample repeats the last rate.
    repeats: bool,
    /// Nobody asks for samples: deliveries and losses are only counted.
    counts_only: bool,
}

impl Sampler {
    /// Returns a sampler without samples.
    ///
    /// A sampler that is not `asked` for samples only counts deliveries and losses.
    pub fn new(params: &Params, asked: bool) -> Sampler {
        let rule = Rule {
            counts_only: !asked,
            kept: params.rate_interval == RateInterval::Kept,
            origin_before: params.rate_origin == RateOrigin::Before,
            milliseconds: params.samples == RttSamples::Milliseconds,
            repeats: params.rate_repeats,
        };
        Sampler { rule, ..Sampler::default() }
    }

    /// Starts the sample of an ACK.
    pub fn begin(&mut self, in_flight: u32) {
        self.newest = None;
        self.newly_acked = 0;
        self.prior_in_flight = in_flight;
    }

    /// Stamps a segment that is being sent. `in_flight` includes it.
    #[inline]
    pub fn stamp(&mut self, now: Time, in_flight: u32, entry: &mut Sent) {
        if in_flight <= 1 {
            self.first_at = now;
            self.delivered_at = now;
        }
        entry.at = now;
        entry.loss.clear_lost_now();
        if self.rule.counts_only {
            return;
        }
        entry.first_at = self.first_at;
        entry.delivered_at = self.delivered_at;
        entry.delivered = self.delivered;
        entry.lost = self.lost;
        entry.in_flight = in_flight;
        entry.app_limited = self.app_limited > 0;
    }

    /// Records the delivery of `seq`.
    #[inline]
    pub fn arrive(&mut self, now: Time, seq: u32, entry: &mut Sent) {
        if std::mem::replace(&mut entry.arrived, true) {
            return;
        }
        self.delivered += 1;
        self.delivered_at = now;
        self.newly_acked += 1;
        if self.rule.counts_only {
            return;
        }
        if self.rule.kept {
            return self.keep(now, seq, entry);
        }
        if self.newest.is_none_or(|(best, number)| (entry.at, seq) > (best.at, number)) {
            self.newest = Some((*entry, seq));
            self.first_at = entry.at;
        }
    }

    /// Retains the interval of a segment sent after further deliveries.
    fn keep(&mut self, now: Time, seq: u32, entry: &Sent) {
        let kept_delivered = self.kept.as_ref().map(|kept| kept.1.delivered);
        if kept_delivered.is_none_or(|kept_delivered| kept_delivered == 0 || entry.delivered > kept_delivered)
        {
            let interval = (self.interval(now, entry), *entry);
            match &mut self.kept {
                Some(kept) => **kept = interval,
                None => self.kept = Some(Box::new(interval)),
            }
            self.first_at = entry.at;
        }
        self.newest = self.kept.as_ref().map(|kept| (kept.1, seq));
    }

    /// Duration of the delivery that `sent` measures: the longer of send and ACK phase.
    fn interval(&mut self, now: Time, sent: &Sent) -> Span {
        let before = std::mem::replace(&mut self.sampled_origin, sent.delivered_at);
        let origin = if self.rule.origin_before { before } else { sent.delivered_at };
        sent.at.since(sent.first_at).max(now.since(origin))
    }

    /// Records the loss of `seq`; returns `None` if it was recorded before.
    pub fn loss_event(&mut self, seq: u32, entry: &mut Sent) -> Option<Lost> {
        if entry.arrived || entry.loss.set_lost_now() {
            return None;
        }
        self.lost += 1;
        self.newly_lost += 1;
        Some(Lost {
            seq,
            tx_in_flight: entry.in_flight,
            lost: self.lost - entry.lost,
            app_limited: entry.app_limited,
            total_delivered: self.delivered,
        })
    }

    /// Marks samples as application-limited until the segments now in flight are delivered.
    pub fn limit_by_source(&mut self, in_flight: u32) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }

    /// Returns the sample of the ACK that [`Sampler::begin`] started; the caller fills in the rest.
    #[inline(always)]
    pub fn finish(&mut self, now: Time) -> Option<Sample> {
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let newly_lost = std::mem::take(&mut self.newly_lost);
        let (sent, _) = match self.newest.take() {
            Some(newest) => newest,
            None if self.rule.kept && self.rule.repeats => match &self.kept {
                Some(kept) => (Sent { transmits: 0, ..kept.1 }, 0),
                None => return None,
            },
            None if newly_lost > 0 => (Sent { delivered: self.delivered, ..Sent::default() }, 0),
            None => return None,
        };
        let rtt = (sent.transmits == 1).then(|| now.since(sent.at));
        let whole =
            |seen: Span| if self.rule.milliseconds { Span(seen.0 / 1_000_000 * 1_000_000) } else { seen };
        if let Some(rtt) = rtt.map(whole) {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        let delivered = self.delivered - sent.delivered;
        let interval = match self.kept.as_ref().map(|kept| kept.0) {
            Some(interval) => interval,
            None => self.interval(now, &sent),
        };
        let enough =
            delivered > 0 && self.min_rtt.is_some_and(|least| interval >= least && interval > Span::ZERO);
        if !enough {
            self.sampled_origin = Time::ZERO;
        }
        let seen = enough.then(|| f64::from(delivered) / interval.as_secs());
        let repeated = if self.rule.repeats { self.last_rate } else { None };
        self.last_rate = seen.or(self.last_rate);
        Some(Sample {
            now,
            newly_acked: self.newly_acked,
            newly_lost,
            rate: seen.or(repeated),
            delivered,
            prior_delivered: sent.delivered,
            tx_in_flight: sent.in_flight,
            lost: self.lost - sent.lost.min(self.lost),
            app_limited: sent.app_limited,
            rtt,
            total_delivered: self.delivered,
            total_lost: self.lost,
            prior_in_flight: self.prior_in_flight,
            in_flight: 0,
            departs: now,
            cwnd_limited: false,
            srtt: None,
            recovering: false,
            timed_out: false,
            selective: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    fn send(sampler: &mut Sampler, ms: u64, in_flight: u32) -> Sent {
        let mut entry = Sent { transmits: 1, ..Sent::default() };
        sampler.stamp(at(ms), in_flight, &mut entry);
        entry
    }

    fn ack(sampler: &mut Sampler, ms: u64, seq: u32, entry: &mut Sent) -> Sample {
        sampler.begin(0);
        sampler.arrive(at(ms), seq, entry);
        sampler.finish(at(ms)).expect("something arrived")
    }

    /// Four segments sent 1 ms apart arrive 4 ms apart after 100 ms: the send phase is 3 ms, the ACK phase
    /// 112 ms. The longer one counts: 4 in 112 ms.
    #[test]
    fn the_slower_side_counts() {
        let mut sampler = Sampler::default();
        let mut sent: Vec<Sent> = (0..4).map(|n| send(&mut sampler, n, n as u32 + 1)).collect();
        let first = ack(&mut sampler, 100, 0, &mut sent[0]);
        assert_eq!(first.rate, Some(10.0));
        for n in 1..3 {
            ack(&mut sampler, 100 + 4 * n as u64, n, &mut sent[n as usize]);
        }
        let last = ack(&mut sampler, 112, 3, &mut sent[3]);
        assert_eq!((last.delivered, last.rate), (4, Some(4.0 / 0.112)));
        assert_eq!(last.rtt, Some(Span::from_millis(109)));
    }

    /// A segment sent after a delivery starts its interval there: 2 delivered in the 100 ms from 100 to 200.
    #[test]
    fn the_interval_starts_at_the_last_arrival() {
        let mut sampler = Sampler::default();
        let mut first = send(&mut sampler, 0, 1);
        let mut second = send(&mut sampler, 50, 2);
        ack(&mut sampler, 100, 0, &mut first);
        let mut third = send(&mut sampler, 100, 2);
        ack(&mut sampler, 150, 1, &mut second);
        let sample = ack(&mut sampler, 200, 2, &mut third);
        assert_eq!((sample.delivered, sample.prior_delivered, sample.rate), (2, 1, Some(20.0)));
    }

    #[test]
    fn a_segment_is_lost_once_for_each_time_it_is_sent() {
        let mut sampler = Sampler::default();
        let mut entry = send(&mut sampler, 0, 7);
        assert_eq!(
            sampler.loss_event(3, &mut entry).map(|lost| (lost.tx_in_flight, lost.lost)),
            Some((7, 1))
        );
        assert!(sampler.loss_event(3, &mut entry).is_none());
        sampler.stamp(at(10), 2, &mut entry);
        assert!(sampler.loss_event(3, &mut entry).is_some());
        assert_eq!(sampler.lost, 2);
    }

    #[test]
    fn application_limited_segments_are_marked_until_delivered() {
        let mut sampler = Sampler::default();
        let mut before = send(&mut sampler, 0, 1);
        sampler.limit_by_source(1);
        let mut limited = send(&mut sampler, 1, 2);
        assert!(!ack(&mut sampler, 100, 0, &mut before).app_limited);
        assert!(ack(&mut sampler, 101, 1, &mut limited).app_limited);
        assert_eq!(sampler.app_limited, 0);
    }

    fn ns3() -> Sampler {
        Sampler::new(
            &Params {
                rate_interval: RateInterval::Kept,
                rate_origin: RateOrigin::Before,
                ..Params::default()
            },
            true,
        )
    }

    /// The last interval is 10 ms, from the departure of the segment before to its own, less than the RTT of
    /// 100 ms: repeats one in 100 ms, or gives nothing.
    #[test]
    fn an_early_sample_repeats_the_last_rate() {
        let repeating = Params { rate_repeats: true, ..Params::default() };
        for (params, rate) in [(Params::default(), None), (repeating, Some(10.0))] {
            let mut sampler = Sampler::new(&params, true);
            let mut first = send(&mut sampler, 0, 1);
            assert_eq!(ack(&mut sampler, 100, 0, &mut first).rate, Some(10.0));
            let mut second = Sent { transmits: 2, ..send(&mut sampler, 100, 2) };
            assert_eq!(ack(&mut sampler, 110, 1, &mut second).rate, Some(10.0));
            let mut third = Sent { transmits: 2, ..send(&mut sampler, 110, 2) };
            assert_eq!(ack(&mut sampler, 115, 2, &mut third).rate, rate);
        }
    }

    /// Segments 2 and 3 are sent after two deliveries, at 110 ms. Both use the interval of segment 2, and it
    /// counts from the stamp of the segment sampled before, 0 ms: 200 ms, in which 1 and then 2 were
    /// delivered after its own two.
    #[test]
    fn an_interval_is_kept_and_begins_where_the_one_before_did() {
        let mut sampler = ns3();
        let mut sent: Vec<Sent> = (0..2).map(|n| send(&mut sampler, n, n as u32 + 1)).collect();
        assert_eq!(ack(&mut sampler, 100, 0, &mut sent[0]).rate, Some(10.0));
        assert_eq!(ack(&mut sampler, 110, 1, &mut sent[1]).rate, Some(2.0 / 0.110));
        let mut later: Vec<Sent> = (0..2).map(|n| send(&mut sampler, 111 + n, n as u32 + 2)).collect();
        let third = ack(&mut sampler, 200, 2, &mut later[0]);
        assert_eq!((third.delivered, third.rate), (1, Some(5.0)));
        let fourth = ack(&mut sampler, 220, 3, &mut later[1]);
        assert_eq!((fourth.delivered, fourth.rate), (2, Some(10.0)));
    }
}
