//! Receiver: detects loss events, measures the receive rate, and reports both.
//!
//! *Reference*: RFC 5348 section 6.

use super::equation::{self, Path};
use super::loss::{Detector, History};
use super::params::{FirstInterval, ReportTiming, TfrcParams};
use super::{TfrcData, TfrcFeedback};
use std::collections::VecDeque;
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Maximum number of arrivals kept for the receive rate of the last round trip.
const MOST_ARRIVALS: usize = 1 << 16;

/// Receiver of a TFRC flow.
#[derive(Clone, Debug)]
pub struct TfrcReceiver {
    params: Arc<Valid<TfrcParams>>,
    detector: Detector,
    history: Box<History>,
    /// Loss event rate of the first loss event, before it was rounded to a whole interval.
    first_rate: Option<f64>,
    /// Start of the open interval.
    open_from: u32,
    /// Arrival times of the last round trip.
    arrivals: VecDeque<Time>,
    /// The last packet received, and its arrival time.
    last: Option<(TfrcData, Time)>,
    since_report: u64,
    last_report: Time,
    highest_reported: u32,
    reports: u32,
    timer: Option<Time>,
    /// A report is due.
    due: bool,
    received: u64,
}

impl TfrcReceiver {
    /// Returns a receiver without packets.
    pub fn new(params: &Valid<TfrcParams>) -> TfrcReceiver {
        TfrcReceiver::sharing(&Arc::new(params.clone()))
    }

    /// Same as [`TfrcReceiver::new`], with options shared between connections.
    pub fn sharing(params: &Arc<Valid<TfrcParams>>) -> TfrcReceiver {
        TfrcReceiver {
            detector: Detector::new(params),
            history: Box::new(History::new(params)),
            params: params.clone(),
            first_rate: None,
            open_from: 0,
            arrivals: VecDeque::new(),
            last: None,
            since_report: 0,
            last_report: Time::ZERO,
            highest_reported: 0,
            reports: 0,
            timer: None,
            due: false,
            received: 0,
        }
    }

    /// Processes a data packet; `marked`: with Congestion Experienced.
    pub fn on_packet(&mut self, now: Time, data: &TfrcData, marked: bool) {
        self.received += 1;
        self.since_report += 1;
        let r = data.rtt.unwrap_or(0.0);
        let rtt = Span::from_secs(r);
        self.note_arrival(now, rtt);
        let first = self.last.is_none();
        self.last = Some((*data, now));
        let mut events = Vec::new();
        self.detector.arrive(data.seq, data.sent, rtt, data.round, |seq| events.push(seq));
        if marked && self.params.ecn && self.detector.mark(data.sent, rtt, data.round) {
            events.push(data.seq);
        }
        for seq in &events {
            self.begin_event(*seq, now);
        }
        let overdue = self.params.report == ReportTiming::Packet
            && r > 0.0
            && now.secs_since(self.last_report) >= r / self.params.reports as f64;
        if self.timer.is_none() {
            self.restart_timer(now);
        }
        self.due |= first || data.urgent || !events.is_empty() || overdue;
    }

    /// Fires the timer of [`TfrcReceiver::poll_timeout`].
    pub fn on_timer(&mut self, now: Time) {
        if self.timer.is_some_and(|timer| timer <= now) {
            let repeats = self.params.report == ReportTiming::Packet
                && self.last.is_some_and(|(_, arrived)| arrived >= self.last_report);
            self.due |= self.since_report > 0 || repeats;
            self.restart_timer(now);
        }
    }

    /// Returns the report to send now, if one is due.
    pub fn poll_transmit(&mut self, now: Time) -> Option<TfrcFeedback> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let (data, arrived) = self.last?;
        let x_recv = self.rate(now);
        let p = self.first_rate.take().unwrap_or_else(|| self.loss_event_rate());
        let feedback = TfrcFeedback {
            number: self.reports,
            size: self.params.feedback_size.0 as u32,
            echo: data.sent,
            held: now.secs_since(arrived),
            p,
            x_recv,
        };
        self.reports = self.reports.wrapping_add(1);
        self.since_report = 0;
        self.last_report = now;
        self.highest_reported = self.detector.highest();
        self.restart_timer(now);
        Some(feedback)
    }

    /// When to call [`TfrcReceiver::on_timer`].
    pub fn poll_timeout(&self) -> Option<Time> {
        self.timer
    }

    /// Loss event rate; zero before the first loss.
    pub fn loss_event_rate(&mut self) -> f64 {
        let open = self.detector.highest().saturating_sub(self.open_from);
        1.0 / self.history.mean(f64::from(open))
    }

    /// Packets received.
    pub fn received_packets(&self) -> u64 {
        self.received
    }

    /// Payload received.
    pub fn received_payload(&self) -> u64 {
        self.received * self.params.mss.0
    }

    /// Losses detected.
    pub fn losses(&self) -> u64 {
        self.detector.losses
    }

    /// Packets received with CE.
    pub fn marks(&self) -> u64 {
        self.detector.marks
    }

    /// Closed loss intervals in the mean, newest first.
    pub fn intervals(&self) -> impl Iterator<Item = f64> + '_ {
        self.history.intervals()
    }

    /// Records an arrival and drops those older than a round trip.
    fn note_arrival(&mut self, now: Time, rtt: Span) {
        self.arrivals.push_back(now);
        let old = |&at: &Time| now.since(at) > rtt;
        while self.arrivals.len() > MOST_ARRIVALS || self.arrivals.front().is_some_and(old) {
            self.arrivals.pop_front();
        }
    }

    /// Starts a loss event.
    fn begin_event(&mut self, seq: u32, now: Time) {
        if self.history.is_empty() && self.params.first_interval == FirstInterval::Inverted {
            let p = self.first_loss_rate(now);
            self.first_rate = self.params.first_exact.then_some(p);
            self.history.close((1.0 / p).floor().max(1.0));
            self.open_from = if self.params.open_from_report { self.highest_reported } else { seq };
        } else {
            // The first packet has number 0, and the lost one counts.
            let first = u32::from(self.history.is_empty());
            self.history.close(f64::from(seq.saturating_sub(self.open_from) + first));
            self.open_from = seq;
        }
    }

    /// Loss event rate that corresponds to the receive rate (RFC 5348 section 6.3.1).
    fn first_loss_rate(&self, now: Time) -> f64 {
        let share = if self.params.first_half { 0.5 } else { 1.0 };
        let x = (self.rate(now) * share).max(1.0);
        let Some((data, _)) = self.last else { return 1.0 };
        let path = Path {
            s: self.params.mss.0 as f64,
            r: data.rtt.unwrap_or(1.0).max(1e-6),
            t_rto: data.t_rto.as_secs(),
            b: self.params.b,
            bounded: self.params.bounded,
        };
        equation::loss_rate(x, &path, self.params.first_tolerance)
    }

    /// Receive rate since the last report, or over the last round trip if that is longer.
    fn rate(&self, now: Time) -> f64 {
        let s = self.params.mss.0 as f64;
        let unknown = if self.params.report == ReportTiming::Packet { s } else { 0.0 };
        let Some(rtt) = self.rtt() else {
            return unknown;
        };
        let since = now.secs_since(self.last_report);
        if since >= rtt {
            let counted = s * self.since_report as f64 / since;
            return if self.since_report > 0 { counted } else { unknown };
        }
        // ns-2 counts back from the last packet, even if a timer triggers the report.
        let last = self.last.map_or(now, |(_, arrived)| arrived);
        let end = if self.params.report == ReportTiming::Packet { last } else { now };
        let recent = self.arrivals.iter().rev().take_while(|at| end.secs_since(**at) < rtt).count();
        s * recent as f64 / rtt
    }

    /// The sender's RTT estimate in seconds, if it has one.
    fn rtt(&self) -> Option<f64> {
        self.last.and_then(|(data, _)| data.rtt).filter(|rtt| *rtt > 0.0)
    }

    fn restart_timer(&mut self, now: Time) {
        let factor =
            if self.params.report == ReportTiming::Packet { 1.5 } else { 1.0 } / self.params.reports as f64;
        self.timer = self.rtt().map(|rtt| now.plus_secs(rtt * factor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(seq: u32, ms: u64, rtt_ms: Option<u64>) -> TfrcData {
        TfrcData {
            seq,
            size: 1000,
            sent: Time(ms * 1_000_000),
            rtt: rtt_ms.map(|rtt| rtt as f64 / 1e3),
            t_rto: Span::from_millis(300),
            round: ms as u32,
            urgent: false,
        }
    }

    fn receiver(profile: &str) -> TfrcReceiver {
        TfrcReceiver::new(&crate::rate_based::tfrc::conformance::params(profile))
    }

    /// Delivers packet `seq`, sent at 10 ms times its number, with a delay of 20 ms and an RTT of 40 ms.
    fn give(receiver: &mut TfrcReceiver, seq: u32) -> Option<TfrcFeedback> {
        let data = data(seq, u64::from(seq) * 10, (seq > 3).then_some(40));
        let now = data.sent + Span::from_millis(20);
        receiver.on_packet(now, &data, false);
        receiver.poll_transmit(now)
    }

    #[test]
    fn reports_once_a_round_trip_with_packets() {
        let mut receiver = receiver("ns2-2.35");
        let reported: Vec<u32> = (0..20).filter(|seq| give(&mut receiver, *seq).is_some()).collect();
        assert_eq!(reported, [0, 4, 8, 12, 16], "the first, then every 40 ms");
        assert_eq!(receiver.poll_timeout(), Some(Time(180_000_000) + Span::from_millis(60)));
    }

    #[test]
    fn reports_twice_a_round_trip_where_asked() {
        let params = crate::rate_based::tfrc::conformance::params("ns2-2.35").into_inner();
        let mut receiver = TfrcReceiver::new(&Valid::new(TfrcParams { reports: 2, ..params }).unwrap());
        let reported: Vec<u32> = (0..14).filter(|seq| give(&mut receiver, *seq).is_some()).collect();
        assert_eq!(reported, [0, 4, 6, 8, 10, 12], "every 20 ms");
    }

    #[test]
    fn a_first_interval_is_counted_where_asked() {
        let params = crate::rate_based::tfrc::conformance::params("ns2-2.35").into_inner();
        let counted = TfrcParams { first_interval: FirstInterval::Counted, ..params };
        let mut receiver = TfrcReceiver::new(&Valid::new(counted).unwrap());
        for seq in 0..=40 {
            give(&mut receiver, seq);
        }
        let report = give(&mut receiver, 42).expect("41 is missing");
        assert_eq!(report.p, 1.0 / 42.0);
    }

    #[test]
    fn reports_once_a_round_trip_by_timer() {
        let mut receiver = receiver("rfc");
        assert!(give(&mut receiver, 0).is_some());
        receiver.last = Some((data(0, 0, Some(40)), Time(0)));
        receiver.restart_timer(Time(0));
        assert_eq!(receiver.poll_timeout(), Some(Time(40_000_000)));
        receiver.on_timer(Time(40_000_000));
        assert_eq!(receiver.poll_transmit(Time(40_000_000)), None, "nothing came since");
        receiver.on_packet(Time(60_000_000), &data(4, 40, Some(40)), false);
        receiver.poll_transmit(Time(60_000_000));
        assert_eq!(receiver.detector.losses, 0, "three packets above a gap make a loss");
    }

    #[test]
    fn a_mark_is_a_loss_event_and_loses_nothing() {
        // Packet 41 is lost in one run and marked in the other; the loss is detected one packet later, at 42.
        let reports = [true, false].map(|ecn| {
            let params = crate::rate_based::tfrc::conformance::params("ns2-2.35").into_inner();
            let mut receiver = TfrcReceiver::new(&Valid::new(TfrcParams { ecn, ..params }).unwrap());
            for seq in 0..=40 {
                give(&mut receiver, seq);
            }
            let marked = data(41, 410, Some(40));
            receiver.on_packet(marked.sent + Span::from_millis(20), &marked, true);
            let report = receiver.poll_transmit(marked.sent + Span::from_millis(20));
            (report.map(|report| report.p > 0.0), receiver.losses(), receiver.marks())
        });
        assert_eq!(reports[0], (Some(true), 0, 1), "a report at once, with a loss event rate");
        assert_eq!(reports[1], (None, 0, 0), "a flow without ECN does not look at marks");
    }

    #[test]
    fn marks_and_losses_of_a_round_trip_are_one_event() {
        let params = Valid::new(TfrcParams { ecn: true, ..TfrcParams::default() }).unwrap();
        let mut receiver = TfrcReceiver::new(&params);
        let (rtt, round) = (Span::from_millis(40), 0);
        let at = |ms: u64| Time(ms * 1_000_000);
        assert!(receiver.detector.mark(at(100), rtt, round));
        assert!(!receiver.detector.mark(at(140), rtt, round), "not later than a round trip");
        assert!(receiver.detector.mark(at(141), rtt, round));
        receiver.detector.arrive(0, at(150), rtt, round, |_| {});
        for seq in 2..5 {
            receiver
                .detector
                .arrive(seq, at(150 + 10 * u64::from(seq)), rtt, round, |_| panic!("the same event"));
        }
        assert_eq!((receiver.losses(), receiver.marks()), (1, 3));
    }

    #[test]
    fn a_loss_event_is_reported_at_once_and_inverts_the_equation() {
        let mut receiver = receiver("ns2-2.35");
        for seq in 0..=40 {
            give(&mut receiver, seq);
        }
        let report = give(&mut receiver, 42).expect("41 is missing");
        // Three packets in the 40 ms before 42; the equation gives 75 000 B/s within 5 % at p = 1/interval.
        let interval = receiver.intervals().next().unwrap();
        let path = Path { s: 1000.0, r: 0.04, t_rto: 0.3, b: 1.0, bounded: true };
        let x = equation::throughput(1.0 / interval, &path);
        assert!((x / report.x_recv - 1.0).abs() < 0.06, "{x} for {}", report.x_recv);
        assert_eq!(report.x_recv, 3.0 * 1000.0 / 0.04);
        assert_eq!((1.0 / report.p).floor(), interval, "the report has it before it is rounded");
        assert_eq!(receiver.losses(), 1);
    }
}
