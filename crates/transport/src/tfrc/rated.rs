//! TFRC as one of the rate-based transports.

use super::{Data, Feedback, Params, Receiver, Sender};
use crate::rated::{Fact, RateReceiver, RateSender};
use units::param::Valid;
use units::{Span, Stream, Time};

impl RateSender for Sender {
    type Params = Params;
    type Data = Data;
    type Report = Feedback;
    const SECOND: &'static str = "loss_event_rate";

    fn new(params: &Valid<Params>) -> Sender {
        Sender::new(params)
    }
    fn take_dice(&mut self, dice: Stream) {
        self.take_dice(dice);
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
    fn on_report(&mut self, now: Time, report: &Feedback) {
        self.on_feedback(now, report);
    }
    fn on_timer(&mut self, now: Time) {
        self.on_timer(now);
    }
    fn poll_transmit(&mut self, now: Time) -> Option<Data> {
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
    fn facts(&self) -> Vec<(&'static str, Fact)> {
        vec![("loss_event_rate", Fact::Number(self.loss_event_rate()))]
    }
}

impl RateReceiver for Receiver {
    type Params = Params;
    type Data = Data;
    type Report = Feedback;

    fn new(params: &Valid<Params>) -> Receiver {
        Receiver::new(params)
    }
    fn on_packet(&mut self, now: Time, data: &Data, marked: bool) {
        self.on_packet(now, data, marked);
    }
    fn on_timer(&mut self, now: Time) {
        self.on_timer(now);
    }
    fn poll_transmit(&mut self, now: Time) -> Option<Feedback> {
        self.poll_transmit(now)
    }
    fn poll_timeout(&self) -> Option<Time> {
        self.poll_timeout()
    }
    fn received_payload(&self) -> u64 {
        self.received_payload()
    }
    fn facts(&self) -> Vec<(&'static str, Fact)> {
        vec![("loss_intervals_pkts", Fact::Numbers(self.intervals().collect()))]
    }
}
