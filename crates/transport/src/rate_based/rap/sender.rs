//! Sender of RAP: one packet per gap, a step per round trip, half the rate at a loss.
//!
//! *Reference*: RHE99.
//! *Units*: gaps in seconds.

use super::clock::RapTiming;
use super::{RapAck, RapData, RapParams};
use crate::rate_based::common::{
    earlier, remove_acknowledged, RateSender, Sent, Statistic, ENDLESS, MOST_RATE,
};
use std::collections::VecDeque;
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// A rate step and a departure this close together count as simultaneous, and the step comes first: both
/// times are sums of fractions of an RTT.
const TIE: Span = Span(100);

/// Upper bound on gaps in seconds; keeps arithmetic finite.
const MOST_GAP: f64 = 1e6;

/// A packet in flight.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    seq: u32,
    /// Send time.
    at: Time,
}

impl Sent for Outstanding {
    fn seq(&self) -> u32 {
        self.seq
    }
}

/// Sender of a RAP flow.
#[derive(Clone, Debug)]
pub struct RapSender {
    params: Arc<Valid<RapParams>>,
    clock: RapTiming,
    gap: f64,
    seq: u32,
    limit: u32,
    /// Packets neither acknowledged nor marked lost, oldest first.
    outstanding: VecDeque<Outstanding>,
    /// Losses below this belong to the last rate reduction.
    reduced_at: u32,
    departure: Option<Time>,
    step: Option<Time>,
    due: bool,
    /// Packets sent since the last step.
    sent_since: u32,
    losses: u64,
    cuts: u64,
}

impl RapSender {
    /// Packets marked lost.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    /// Gap between packets, before fine-grain adaptation.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// Increases the rate by `alpha` packets per round trip, if it was used.
    fn increase(&mut self) {
        let r = self.clock.srtt();
        let used = f64::from(std::mem::take(&mut self.sent_since)) * self.gap / r;
        if self.clock.measured() && used >= self.params.used_share {
            self.gap =
                (self.gap * r / (r + self.params.alpha * self.gap)).max(self.params.mss.0 as f64 / MOST_RATE);
        }
    }

    /// Sends the packet that is due, unless packets are overdue for the first time since the last reduction.
    fn depart(&mut self, now: Time) {
        let timeout = self.clock.timeout();
        if !self.lose(now, |packet| now.since(packet.at) >= timeout) {
            self.due = self.seq < self.limit;
        }
        let stretch = if self.params.fine_grain { self.clock.stretch() } else { 1.0 };
        self.departure = Some(now + Span::from_secs((self.gap * stretch).min(MOST_GAP)).max(Span(1)));
    }

    /// Marks packets lost up to the first that is not; returns whether the rate is reduced.
    fn lose(&mut self, now: Time, lost: impl Fn(&Outstanding) -> bool) -> bool {
        let mut fresh = false;
        while let Some(packet) = self.outstanding.front().filter(|packet| lost(packet)) {
            fresh |= packet.seq >= self.reduced_at;
            self.losses += 1;
            self.outstanding.pop_front();
        }
        if fresh {
            self.reduce_rate(now);
        }
        fresh
    }

    fn reduce_rate(&mut self, now: Time) {
        self.cuts += 1;
        self.reduced_at = self.seq;
        if self.clock.measured() {
            self.gap = (self.gap / self.params.beta).min(MOST_GAP);
        }
        self.step = Some(now + self.round_trip());
    }

    fn round_trip(&self) -> Span {
        Span::from_secs(self.clock.srtt()).max(Span(1))
    }

    /// Starts with the first ACK: one packet per round trip.
    fn begin(&mut self, now: Time) {
        self.gap = self.clock.srtt();
        if self.params.start_on_ack {
            self.departure = Some(now);
            self.step = Some(now + self.round_trip());
        }
    }
}

impl RateSender for RapSender {
    type Params = RapParams;
    type Data = RapData;
    type Report = RapAck;
    const SECOND: &'static str = "gap_ms";

    fn sharing(params: &Arc<Valid<RapParams>>) -> RapSender {
        RapSender {
            clock: RapTiming::new(params),
            gap: params.first_gap.as_secs(),
            seq: 0,
            limit: ENDLESS,
            outstanding: VecDeque::new(),
            reduced_at: 0,
            departure: None,
            step: None,
            due: false,
            sent_since: 0,
            losses: 0,
            cuts: 0,
            params: params.clone(),
        }
    }

    fn provide(&mut self, _now: Time, packets: u32) {
        self.limit = packets;
    }

    fn start(&mut self, now: Time) {
        self.step = Some(now + self.round_trip());
        self.depart(now);
    }

    fn cease(&mut self) {
        self.limit = self.limit.min(self.seq);
        (self.departure, self.step, self.due) = (None, None, false);
    }

    fn on_report(&mut self, now: Time, report: &RapAck) {
        let first = !self.clock.measured();
        self.clock.take(now.since(report.echo));
        if self.departure.is_none() {
            return;
        }
        if first {
            self.begin(now);
        }
        remove_acknowledged(&mut self.outstanding, report.highest, |seq| report.covers(seq));
        let after = self.params.loss_after as u32;
        self.lose(now, |packet| packet.seq.saturating_add(after) <= report.highest);
    }

    fn on_timer(&mut self, now: Time) {
        let departs = self.departure.is_some_and(|at| at <= now);
        let reach = if departs { now + TIE } else { now };
        if let Some(step) = self.step.filter(|at| *at <= reach) {
            self.increase();
            self.step = Some(step + self.round_trip());
        }
        if departs {
            self.depart(now);
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<RapData> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let data =
            RapData { seq: self.seq, size: (self.params.mss.0 + self.params.headers.0) as u32, sent: now };
        self.outstanding.push_back(Outstanding { seq: self.seq, at: now });
        self.seq += 1;
        self.sent_since += 1;
        Some(data)
    }

    fn poll_timeout(&self) -> Option<Time> {
        earlier(self.departure, self.step)
    }

    fn rate(&self) -> f64 {
        self.params.mss.0 as f64 / self.gap
    }

    fn second(&self) -> f64 {
        1e3 * self.gap
    }

    fn srtt(&self) -> Option<Span> {
        self.clock.measured().then(|| Span::from_secs(self.clock.srtt()))
    }

    fn sent(&self) -> u32 {
        self.seq
    }

    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        vec![
            ("losses_seen", Statistic::Number(self.losses as f64)),
            ("rate_cuts", Statistic::Number(self.cuts as f64)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(params: RapParams) -> RapSender {
        let mut sender = RapSender::new(&Valid::new(params).unwrap());
        sender.start(Time::ZERO);
        assert_eq!(sender.poll_transmit(Time::ZERO).unwrap().seq, 0);
        sender
    }

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    fn ack(sender: &mut RapSender, at: u64, seq: u32, sent: u64) {
        let report = RapAck { number: seq, size: 44, echo: ms(sent), seq, highest: seq, missing: None };
        sender.on_report(ms(at), &report);
    }

    /// Runs to a time; returns the departure times in milliseconds.
    fn run(sender: &mut RapSender, until: u64) -> Vec<u64> {
        let mut sent = Vec::new();
        while let Some(at) = sender.poll_timeout().filter(|at| *at <= ms(until)) {
            sender.on_timer(at);
            sent.extend(sender.poll_transmit(at).map(|data| data.sent.0 / 1_000_000));
        }
        sent
    }

    /// RTT 120 ms: gaps of 120, then one more packet each round trip: 60, 40, 30 ms.
    #[test]
    fn the_rate_grows_by_a_packet_a_round_trip() {
        let mut sender = sender(RapParams { timeout_rtts: 100.0, ..RapParams::default() });
        ack(&mut sender, 120, 0, 0);
        let sent = run(&mut sender, 120 + 3 * 120);
        assert_eq!(sent, [120, 240, 300, 360, 400, 440, 480]);
        assert!((sender.gap() - 0.03).abs() < 1e-9);
        assert!((sender.rate() - 1460.0 / 0.03).abs() < 1e-3);
    }

    /// As in ns-2: the ACK changes the gap, not the timer of 2 s.
    #[test]
    fn the_timers_of_the_start_may_run_on() {
        let mut sender = sender(RapParams { start_on_ack: false, ..RapParams::default() });
        ack(&mut sender, 120, 0, 0);
        assert_eq!(run(&mut sender, 2119), [2000, 2060]);
    }

    /// Packets 1 to 5 at 120, 240, 300, 360, 400 ms; 1 is lost: 4 is the third above it. Two halvings would
    /// give 160 ms.
    #[test]
    fn a_loss_halves_the_rate_once_for_all_sent_before() {
        let mut sender = sender(RapParams { timeout_rtts: 100.0, ..RapParams::default() });
        ack(&mut sender, 120, 0, 0);
        run(&mut sender, 400);
        let report =
            |highest, missing| RapAck { number: 9, size: 44, echo: ms(300), seq: highest, highest, missing };
        sender.on_report(ms(420), &report(3, Some((1, Some(0)))));
        assert_eq!(sender.losses(), 0);
        sender.on_report(ms(420), &report(4, Some((1, Some(0)))));
        assert_eq!((sender.losses(), (1e3 * sender.gap()).round() as u64), (1, 80));
        sender.on_report(ms(430), &report(9, Some((5, Some(4)))));
        assert_eq!((sender.losses(), (1e3 * sender.gap()).round() as u64), (2, 80), "5 left before the cut");
    }

    /// The timeout is 144 ms: packet 1, sent at 120 ms, is overdue at the departure of 300 ms. Nothing leaves
    /// then, and the gap of 60 ms becomes 120; packet 2, sent at 240 ms, belongs to the same reduction.
    #[test]
    fn an_overdue_packet_takes_the_place_of_a_departure() {
        let mut sender = sender(RapParams::default());
        ack(&mut sender, 120, 0, 0);
        assert_eq!(run(&mut sender, 480), [120, 240, 420, 480]);
        assert_eq!(sender.losses(), 2);
    }

    /// Three packets are supplied: no more leave. The step at 360 ms still finds one of two, that at 480 ms
    /// none of three.
    #[test]
    fn a_dry_source_stops_growth() {
        let mut sender = sender(RapParams { timeout_rtts: 100.0, ..RapParams::default() });
        sender.provide(Time::ZERO, 3);
        ack(&mut sender, 120, 0, 0);
        assert_eq!(run(&mut sender, 700), [120, 240]);
        assert!((sender.gap() - 0.04).abs() < 1e-9);
        sender.provide(ms(700), 5);
        assert_eq!(run(&mut sender, 830).len(), 2);
    }

    /// The last RTTs exceed the mean: so does the gap.
    #[test]
    fn fine_grain_adaptation_stretches_gaps() {
        let mut sender = sender(RapParams { fine_grain: true, timeout_rtts: 100.0, ..RapParams::default() });
        ack(&mut sender, 100, 0, 0);
        run(&mut sender, 100);
        ack(&mut sender, 300, 1, 100);
        let next = sender.departure.unwrap();
        let sent = run(&mut sender, next.0 / 1_000_000 + 1);
        let wait = sender.departure.unwrap().since(next).as_secs();
        assert_eq!(sent.len(), 1);
        assert!((wait / (sender.gap() * 0.19 / 0.101) - 1.0).abs() < 1e-6, "{wait}");
    }
}
