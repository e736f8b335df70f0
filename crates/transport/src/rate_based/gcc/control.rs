//! Delay-based controller: groups, filter, detector and rate together. It runs at either end.
//!
//! *Reference*: GCC02 section 5.
//! *Units*: milliseconds, bits of payload per second.

use super::detector::{OveruseDetector, Signal};
use super::filter::KalmanFilter;
use super::groups::{ms_between, Groups};
use super::rate::{DelayRate, State};
use super::GccParams;
use units::{Span, Time};

/// Delay-based controller of one flow.
#[derive(Clone, Debug)]
pub struct DelayControl {
    groups: Groups,
    filter: KalmanFilter,
    /// Over-use detector.
    pub detector: OveruseDetector,
    /// Rate control.
    pub rate: DelayRate,
    bits: f64,
    update_every: f64,
}

impl DelayControl {
    /// No packets yet.
    pub fn new(params: &GccParams) -> DelayControl {
        DelayControl {
            groups: Groups::new(params.burst_time, params.longest_group),
            filter: KalmanFilter::new(params),
            detector: OveruseDetector::new(params),
            rate: DelayRate::new(params),
            bits: 8.0 * params.mss.0 as f64,
            update_every: params.update_every.as_millis(),
        }
    }

    /// Takes the next packet in order. Returns whether over-use begins.
    pub fn on_packet(&mut self, sent: Time, arrived: Time, rtt: Span) -> bool {
        self.rate.received(arrived, self.bits);
        if let Some(sample) = self.groups.on_packet(sent, arrived) {
            self.filter.update(&sample);
            self.detector.update(sample.arrived, sample.arrivals, self.filter.estimate);
        }
        let begins = self.detector.signal == Signal::Over && self.rate.state != State::Decrease;
        if begins || self.rate.updated.is_none_or(|last| ms_between(arrived, last) >= self.update_every) {
            self.rate.update(arrived, self.detector.signal, rtt.as_millis());
        }
        begins && self.rate.state == State::Decrease
    }
}
