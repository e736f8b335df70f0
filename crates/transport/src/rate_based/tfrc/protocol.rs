//! TFRC as one of the rate-based transports.

use super::{TfrcData, TfrcFeedback, TfrcParams, TfrcReceiver, TfrcSender};
use crate::rate_based::common::{RateReceiver, RateSender, Statistic};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Stream, Time};

impl RateSender for TfrcSender {
    type Params = TfrcParams;
    type Data = TfrcData;
    type Report = TfrcFeedback;
    const SECOND: &'static str = "loss_event_rate";

    fn sharing(params: &Arc<Valid<TfrcParams>>) -> TfrcSender {
        TfrcSender::sharing(params)
    }
    fn take_rng(&mut self, rng: Stream) {
        self.take_rng(rng);
    }
    fn provide(&mut self, now: Time, packets: u32) {
        self.provide(now, packets);
    }
    fn start(&mut self, now: Time) {
        self.start(now);
    }
    fn cease(&mut self) {
        self.cease();
    }
    fn on_report(&mut self, now: Time, report: &TfrcFeedback) {
        self.on_feedback(now, report);
    }
    fn on_timer(&mut self, now: Time) {
        self.on_timer(now);
    }
    fn poll_transmit(&mut self, now: Time) -> Option<TfrcData> {
        self.poll_transmit(now)
    }
    fn poll_timeout(&self) -> Option<Time> {
        self.poll_timeout()
    }
    fn rate(&self) -> f64 {
        self.rate()
    }
    fn second(&self) -> f64 {
        self.loss_event_rate()
    }
    fn srtt(&self) -> Option<Span> {
        self.srtt()
    }
    fn sent(&self) -> u32 {
        self.counters().sent as u32
    }
    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        vec![("loss_event_rate", Statistic::Number(self.loss_event_rate()))]
    }
}

impl RateReceiver for TfrcReceiver {
    type Params = TfrcParams;
    type Data = TfrcData;
    type Report = TfrcFeedback;

    fn sharing(params: &Arc<Valid<TfrcParams>>) -> TfrcReceiver {
        TfrcReceiver::sharing(params)
    }
    fn on_packet(&mut self, now: Time, data: &TfrcData, marked: bool) {
        self.on_packet(now, data, marked);
    }
    fn on_timer(&mut self, now: Time) {
        self.on_timer(now);
    }
    fn poll_transmit(&mut self, now: Time) -> Option<TfrcFeedback> {
        self.poll_transmit(now)
    }
    fn poll_timeout(&self) -> Option<Time> {
        self.poll_timeout()
    }
    fn received_payload(&self) -> u64 {
        self.received_payload()
    }
    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        vec![("loss_intervals_pkts", Statistic::Numbers(self.intervals().collect()))]
    }
}
