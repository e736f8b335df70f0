//! Receiver of TEAR: emulates a TCP sender, averages its rate, reports it.
//!
//! *Reference*: ROY00.

use super::emulator::{Emulator, Event};
use super::epochs::Epochs;
use super::{TearData, TearParams, TearReport};
use crate::rate_based::common::{earlier, RateReceiver, Statistic};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Receiver of a TEAR flow.
#[derive(Clone, Debug)]
pub struct TearReceiver {
    params: Arc<Valid<TearParams>>,
    emulator: Emulator,
    epochs: Epochs,
    /// The last packet received, and its arrival time.
    last: Option<(TearData, Time)>,
    rtt: Option<Span>,
    /// Emulated timeout, and next regular report.
    timeout: Option<Time>,
    regular: Option<Time>,
    /// Whether a packet arrived since the last report, and whether a report is due now.
    has_new_data: bool,
    due: bool,
    reported_rate: f64,
    reports: u32,
    timeouts: u64,
    received: u64,
}

impl TearReceiver {
    /// Requested rate, in bytes of payload per second.
    pub fn wanted(&self) -> Option<f64> {
        let s = self.params.mss.0 as f64;
        let rtt = self.rtt?.as_secs().max(1e-6);
        let emulated = self.emulator.cwnd() / rtt;
        let rate = if self.emulator.in_first_slow_start() { Some(emulated) } else { self.epochs.mean() };
        rate.map(|packets| packets * s)
    }

    fn note(&mut self, event: Event, rtt: Span) {
        match event {
            Event::Nothing => {}
            Event::RoundOver => self.epochs.round(self.emulator.round_window(), rtt.as_secs()),
            Event::Halved => {
                self.epochs.close();
                self.epochs.round(self.emulator.cwnd(), rtt.as_secs());
            }
        }
    }

    /// Restarts the emulated timeout: a round trip plus the packet gap after the last arrival.
    fn restart_timeout(&mut self, now: Time) {
        let Some(rtt) = self.rtt else { return };
        let apart = self.wanted().map_or(0.0, |rate| 2.0 * self.params.mss.0 as f64 / rate.max(1e-9));
        let wait = (self.params.timeout_rtts * rtt.as_secs()).max(apart);
        self.timeout =
            Some(now + Span::from_secs(wait.min(self.params.most_gap.as_secs() * 2.0)).max(Span(1)));
    }
}

impl RateReceiver for TearReceiver {
    type Params = TearParams;
    type Data = TearData;
    type Report = TearReport;

    fn sharing(params: &Arc<Valid<TearParams>>) -> TearReceiver {
        TearReceiver {
            emulator: Emulator::new(params),
            epochs: Epochs::new(params.epochs),
            params: params.clone(),
            last: None,
            rtt: None,
            timeout: None,
            regular: None,
            has_new_data: false,
            due: false,
            reported_rate: 0.0,
            reports: 0,
            timeouts: 0,
            received: 0,
        }
    }

    fn on_packet(&mut self, now: Time, data: &TearData, _marked: bool) {
        self.received += 1;
        let first = self.last.is_none();
        let learns = self.rtt.is_none() && data.rtt.is_some();
        self.last = Some((*data, now));
        self.rtt = data.rtt.or(self.rtt);
        self.has_new_data = true;
        self.due |= first || learns;
        let event = self.emulator.arrive(data.seq);
        let Some(rtt) = self.rtt else {
            self.emulator.restart();
            self.due = true;
            return;
        };
        self.note(event, rtt);
        self.restart_timeout(now);
        if self.regular.is_none_or(|at| at < now) {
            // Nothing had arrived to report.
            self.due |= self.regular.is_some();
            self.regular = Some(now + rtt.max(Span(1)));
        }
        let lower = self.wanted().is_some_and(|rate| rate < 0.999 * self.reported_rate);
        self.due |= self.params.urgent_cuts && lower && event == Event::Halved;
    }

    fn on_timer(&mut self, now: Time) {
        let Some(rtt) = self.rtt else { return };
        if self.timeout.is_some_and(|at| at <= now) {
            self.timeouts += 1;
            self.emulator.time_out();
            self.epochs.round(0.0, self.params.timeout_rtts * rtt.as_secs());
            self.epochs.close();
            self.timeout = None;
            self.due |= self.params.urgent_cuts;
        }
        if self.regular.is_some_and(|at| at <= now) {
            self.due |= self.has_new_data;
            self.regular = Some(now + Span::from_secs(rtt.as_secs() * self.params.report_rtts).max(Span(1)));
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<TearReport> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let (data, arrived) = self.last?;
        let rate = self.wanted();
        self.reported_rate = rate.unwrap_or(0.0);
        self.has_new_data = false;
        self.reports = self.reports.wrapping_add(1);
        Some(TearReport {
            number: self.reports.wrapping_sub(1),
            size: self.params.report_size.0 as u32,
            echo: data.sent,
            held: now.since(arrived),
            rate,
            cwnd: self.emulator.cwnd(),
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        earlier(self.timeout, self.regular.filter(|_| self.has_new_data))
    }

    fn received_payload(&self) -> u64 {
        self.received * self.params.mss.0
    }

    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        vec![("emulated_timeouts", Statistic::Number(self.timeouts as f64))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(seq: u32, rtt: Option<u64>) -> TearData {
        TearData { seq, size: 1500, sent: Time(u64::from(seq)), rtt: rtt.map(Span::from_millis) }
    }

    fn receiver() -> TearReceiver {
        TearReceiver::new(
            &Valid::new(TearParams { mss: units::Bytes(1000), ..TearParams::default() }).unwrap(),
        )
    }

    /// RTT 100 ms: a window of 3 after the first packet with an RTT gives 30 packets/s.
    #[test]
    fn the_rate_is_the_window_over_the_round_trip() {
        let mut receiver = receiver();
        receiver.on_packet(Time(0), &data(0, None), false);
        assert_eq!(receiver.poll_transmit(Time(0)).unwrap().rate, None);
        receiver.on_packet(Time(5), &data(1, Some(100)), false);
        let report = receiver.poll_transmit(Time(5)).unwrap();
        assert_eq!((report.rate, report.cwnd), (Some(30_000.0), 3.0));
    }

    /// Window 10 in the first slow start, then a loss: the epoch ends, one with 5 packets per round starts.
    #[test]
    fn a_cut_is_reported_at_once() {
        let mut receiver = receiver();
        for seq in 0..9 {
            receiver.on_packet(Time(u64::from(seq)), &data(seq, Some(100)), false);
        }
        receiver.poll_transmit(Time(9));
        for seq in [10, 11] {
            receiver.on_packet(Time(u64::from(seq)), &data(seq, Some(100)), false);
        }
        assert_eq!(receiver.poll_transmit(Time(11)), None);
        receiver.on_packet(Time(12), &data(12, Some(100)), false);
        assert!(receiver.poll_transmit(Time(12)).is_some_and(|report| report.cwnd == 5.5));
    }

    /// Four round trips without a packet are a timeout: one packet per round trip remains, and the idle time
    /// counts.
    #[test]
    fn silence_is_a_timeout() {
        let mut receiver = receiver();
        (0..3).for_each(|seq| receiver.on_packet(Time(0), &data(seq, Some(100)), false));
        receiver.poll_transmit(Time(0));
        let at = receiver.timeout.expect("packets came");
        assert_eq!(at, Time(400_000_000));
        receiver.on_timer(at);
        let report = receiver.poll_transmit(at).expect("a cut");
        assert_eq!((report.cwnd, receiver.timeouts), (1.0, 1));
        // One round of 4 packets in 100 ms, then 400 ms of none: 8 per second.
        assert_eq!(report.rate, Some(8000.0));
    }
}
