//! Sender of TEAR: sends at the requested rate and measures the RTT.
//!
//! *Reference*: ROY00.

use super::{TearData, TearParams, TearReport};
use crate::rate_based::common::{earlier, RateSender, Spacer, MOST_RATE};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Sender of a TEAR flow.
#[derive(Clone, Debug)]
pub struct TearSender {
    params: Arc<Valid<TearParams>>,
    spacer: Spacer,
    rate: f64,
    cwnd: f64,
    srtt: Option<f64>,
    silence: Option<Time>,
    started: bool,
}

impl TearSender {
    fn gap(&self) -> Span {
        let seconds = self.params.mss.0 as f64 / self.rate;
        Span::from_secs(seconds.min(self.params.most_gap.as_secs())).max(Span(1))
    }

    fn least_rate(&self) -> f64 {
        self.params.mss.0 as f64 / self.params.most_gap.as_secs()
    }

    /// Restarts the no-feedback timer: four round trips, or two packet gaps if longer.
    fn restart_silence(&mut self, now: Time) {
        let wait = (4.0 * self.srtt.unwrap_or(0.0)).max(2.0 * self.gap().as_secs());
        self.silence = Some(now + Span::from_secs(wait));
    }
}

impl RateSender for TearSender {
    type Params = TearParams;
    type Data = TearData;
    type Report = TearReport;
    const SECOND: &'static str = "emulated_cwnd";

    fn sharing(params: &Arc<Valid<TearParams>>) -> TearSender {
        TearSender {
            rate: params.mss.0 as f64 / params.first_gap.as_secs(),
            cwnd: params.initial_window,
            params: params.clone(),
            spacer: Spacer::default(),
            srtt: None,
            silence: None,
            started: false,
        }
    }

    fn provide(&mut self, now: Time, packets: u32) {
        self.spacer.provide(now, packets, self.started);
    }

    fn start(&mut self, now: Time) {
        self.started = true;
        self.spacer.release(now, self.gap());
        self.restart_silence(now);
    }

    fn cease(&mut self) {
        self.spacer.cease();
        self.silence = None;
    }

    fn on_report(&mut self, now: Time, report: &TearReport) {
        let sample = now.since(report.echo + report.held).as_secs().max(1e-9);
        let filter = self.params.rtt_filter;
        self.srtt = Some(self.srtt.map_or(sample, |srtt| filter * srtt + (1.0 - filter) * sample));
        self.cwnd = report.cwnd;
        // The first report only gives the RTT: one packet per round trip from here.
        let one = self.params.mss.0 as f64 / sample;
        self.rate = report.rate.unwrap_or(one).clamp(self.least_rate(), MOST_RATE);
        self.spacer.respace(now, self.gap());
        if !self.spacer.has_ceased() {
            self.restart_silence(now);
        }
    }

    fn on_timer(&mut self, now: Time) {
        if self.spacer.is_due(now) {
            self.spacer.release(now, self.gap());
        }
        if self.silence.is_some_and(|at| at <= now) {
            // Packets not sent cannot be reported.
            if !self.spacer.take_starved() {
                self.rate = (self.rate / 2.0).max(self.least_rate());
            }
            self.restart_silence(now);
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<TearData> {
        Some(TearData {
            seq: self.spacer.take()?,
            size: (self.params.mss.0 + self.params.headers.0) as u32,
            sent: now,
            rtt: self.srtt.map(Span::from_secs),
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        earlier(self.spacer.next(), self.silence)
    }

    fn rate(&self) -> f64 {
        self.rate
    }

    fn second(&self) -> f64 {
        self.cwnd
    }

    fn srtt(&self) -> Option<Span> {
        self.srtt.map(Span::from_secs)
    }

    fn sent(&self) -> u32 {
        self.spacer.seq
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 kB/s in packets of 1000 B: one per 50 ms, counted from the last. No report for 400 ms halves the
    /// rate.
    #[test]
    fn it_sends_at_the_requested_rate() {
        let params = TearParams { mss: units::Bytes(1000), ..TearParams::default() };
        let mut sender = TearSender::new(&Valid::new(params).unwrap());
        sender.start(Time::ZERO);
        assert!(sender.poll_transmit(Time::ZERO).is_some());
        let now = Time(100_000_000);
        let report = TearReport {
            number: 0,
            size: 40,
            echo: Time::ZERO,
            held: Span::ZERO,
            rate: Some(20_000.0),
            cwnd: 2.0,
        };
        sender.on_report(now, &report);
        assert_eq!(sender.poll_timeout(), Some(now), "50 ms after the first was before");
        let mut count = 0;
        while let Some(at) = sender.poll_timeout().filter(|at| *at < Time(500_000_000)) {
            sender.on_timer(at);
            count += usize::from(sender.poll_transmit(at).is_some());
        }
        assert_eq!(count, 8);
        sender.on_timer(Time(500_000_000));
        assert_eq!(sender.rate(), 10_000.0);
    }
}
