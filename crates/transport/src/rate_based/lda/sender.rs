//! Sender of LDA+: evenly spaced packets with occasional packet pairs, and a new rate with each report.
//!
//! *Reference*: SW00.

use super::control::{LdaControl, Seen};
use super::receiver::patience;
use super::{LdaData, LdaParams, LdaReport};
use crate::rate_based::common::{earlier, RateSender, Spacer, MOST_RATE};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Sender of an LDA+ flow.
#[derive(Clone, Debug)]
pub struct LdaSender {
    params: Arc<Valid<LdaParams>>,
    spacer: Spacer,
    control: LdaControl,
    loss: f64,
    srtt: Option<f64>,
    silence: Option<Time>,
    started: bool,
    /// The next packet is the second of a pair.
    second: bool,
}

impl LdaSender {
    fn gap(&self) -> Span {
        let seconds = self.params.mss.0 as f64 / self.control.rate;
        Span::from_secs(seconds.min(self.params.most_gap.as_secs())).max(Span(1))
    }

    /// Releases one packet; every `pair_every`th time two at once, followed by the gap of both.
    fn release(&mut self, now: Time) {
        let pair = u64::from(self.spacer.seq) % self.params.pair_every == self.params.pair_every - 1;
        let gap = self.gap();
        self.spacer.release(now, if pair { gap * 2 } else { gap });
        if pair {
            self.spacer.double();
        }
    }

    fn bound(&mut self) {
        let least = self.params.mss.0 as f64 / self.params.most_gap.as_secs();
        self.control.rate = self.control.rate.clamp(least, MOST_RATE);
    }
}

impl RateSender for LdaSender {
    type Params = LdaParams;
    type Data = LdaData;
    type Report = LdaReport;
    const SECOND: &'static str = "loss";

    fn sharing(params: &Arc<Valid<LdaParams>>) -> LdaSender {
        let bytes = |rate: units::Rate| rate.as_bps() / 8.0;
        LdaSender {
            control: LdaControl::new(
                bytes(params.initial_rate),
                bytes(params.increase),
                params.mss.0 as f64,
                params.b,
            ),
            params: params.clone(),
            spacer: Spacer::default(),
            loss: 0.0,
            srtt: None,
            silence: None,
            started: false,
            second: false,
        }
    }

    fn provide(&mut self, now: Time, packets: u32) {
        self.spacer.provide(now, packets, self.started);
    }

    fn start(&mut self, now: Time) {
        self.started = true;
        self.release(now);
        self.silence = Some(now + patience(&self.params));
    }

    fn cease(&mut self) {
        self.spacer.cease();
        self.silence = None;
    }

    fn on_report(&mut self, now: Time, report: &LdaReport) {
        let rtt = now.since(report.echo + report.held).as_secs().max(1e-6);
        self.srtt = Some(rtt);
        self.loss = report.loss;
        let seen = Seen {
            loss: report.loss,
            interval: report.interval.as_secs().max(rtt),
            rtt,
            bottleneck: report.bottleneck,
        };
        // The reports of a source-limited sender are no evidence for a higher rate.
        if report.loss > 0.0 || !self.spacer.take_starved() {
            self.control.follow(&seen);
        }
        self.bound();
        self.spacer.respace(now, self.gap());
        if !self.spacer.has_ceased() {
            self.silence = Some(now + patience(&self.params));
        }
    }

    fn on_timer(&mut self, now: Time) {
        if self.spacer.is_due(now) {
            self.release(now);
        }
        if self.silence.is_some_and(|at| at <= now) {
            if !self.spacer.take_starved() {
                self.control.rate /= 2.0;
                self.bound();
            }
            self.silence = Some(now + patience(&self.params));
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<LdaData> {
        let seq = self.spacer.take()?;
        let pair = std::mem::take(&mut self.second);
        self.second = self.spacer.has_due();
        Some(LdaData { seq, size: (self.params.mss.0 + self.params.headers.0) as u32, sent: now, pair })
    }

    fn poll_timeout(&self) -> Option<Time> {
        earlier(self.spacer.next(), self.silence)
    }

    fn rate(&self) -> f64 {
        self.control.rate
    }

    fn second(&self) -> f64 {
        self.loss
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

    /// 80 kbit/s in packets of 1000 B: one per 100 ms; the last of four brings the next with it, followed by
    /// 200 ms.
    #[test]
    fn pairs_keep_the_rate() {
        let params = LdaParams {
            mss: units::Bytes(1000),
            initial_rate: units::Rate(80_000),
            pair_every: 4,
            ..LdaParams::default()
        };
        let mut sender = LdaSender::new(&Valid::new(params).unwrap());
        let mut sent = Vec::new();
        sender.start(Time::ZERO);
        let mut now = Time::ZERO;
        while sent.len() < 8 {
            while let Some(data) = sender.poll_transmit(now) {
                sent.push((data.sent.0 / 1_000_000, data.pair));
            }
            now = sender.poll_timeout().unwrap();
            sender.on_timer(now);
        }
        let times: Vec<u64> = sent.iter().map(|(at, _)| *at).collect();
        assert_eq!(times[..8], [0, 100, 200, 300, 300, 500, 600, 700]);
        assert!(sent[4].1 && sent[..8].iter().filter(|(_, pair)| *pair).count() == 1);
    }
}
