//! Common interface of the transports other than TCP: data packets one way, reports the other. Only QUIC sends data
//! again.
//!
//! *Reference*: the modules of the transports.
//! *Units*: rates in bytes of payload per second.
//! *Deviations*: a packet is a sequence number, as in [`crate::segment`].
//!
//! Both endpoints are driven as those of TCP (see the crate): one input, then `poll_transmit` until it
//! returns `None`, then `poll_timeout`. A source has data at all times unless [`RateSender::provide`] limits
//! it.

mod outstanding;
mod spacer;

pub(crate) use outstanding::{remove_acknowledged, Sent};
pub use spacer::Spacer;

use std::collections::VecDeque;
use std::sync::Arc;
use units::param::{require, Check, Param, Problem, Valid};
use units::{Bytes, Ecn, Span, Stream, Time};

/// Protocol data unit: fields common to data packets and reports.
pub trait Pdu: Copy {
    /// Sequence number, from 0.
    fn number(&self) -> u32;
    /// Bytes on the wire.
    fn size(&self) -> u32;
    /// Send time; of a report: send time of the packet it answers.
    fn stamp(&self) -> Time;
}

/// Implements [`Pdu`] for data packets and reports: names the fields of sequence number and send time.
macro_rules! pdus {
    ($($name:ident: $number:ident, $stamp:ident);+) => {
        $(impl $crate::rate_based::common::Pdu for $name {
            fn number(&self) -> u32 {
                self.$number
            }
            fn size(&self) -> u32 {
                self.size
            }
            fn stamp(&self) -> units::Time {
                self.$stamp
            }
        })+
    };
}
pub(crate) use pdus;

/// Appends to a queue that each flow has: the first four values take no more memory than they need.
#[inline]
pub fn push_back_exact<T>(queue: &mut VecDeque<T>, value: T) {
    if queue.len() == queue.capacity() && queue.len() < 4 {
        queue.reserve_exact(1);
    }
    queue.push_back(value);
}

/// Adds a problem if the option `name` exceeds the option `bound`. For [`Check::relations`].
pub(crate) fn require_at_most<T: Param + PartialOrd>(
    problems: &mut Vec<Problem>,
    (name, value): (&str, T),
    (bound, most): (&str, T),
) {
    let rule = format!("must not exceed {bound} ({})", most.show());
    require(problems, value <= most, name, value.show(), rule, "");
}

/// The earlier of two times, if any.
pub(crate) fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    one.into_iter().chain(other).min()
}

/// Statistic of an endpoint, for the summary of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Statistic {
    /// A number.
    Number(f64),
    /// A list.
    Numbers(Vec<f64>),
}

/// Rate-based transport protocol.
pub trait Protocol {
    /// Options of both endpoints.
    type Params: Check + Clone + Send + Sync;
    /// Sending endpoint.
    type Sender: RateSender<Params = Self::Params>;
    /// Receiving endpoint.
    type Receiver: RateReceiver<
        Params = Self::Params,
        Data = <Self::Sender as RateSender>::Data,
        Report = <Self::Sender as RateSender>::Report,
    >;

    /// Payload and header bytes of a data packet.
    fn packet(params: &Self::Params) -> (Bytes, Bytes);
    /// The ECN field of data packets.
    fn codepoint(_params: &Self::Params) -> Ecn {
        Ecn::NotEct
    }
}

/// Sending endpoint.
pub trait RateSender: Sized {
    /// Options.
    type Params: Check + Clone;
    /// Data packets it sends.
    type Data: Pdu;
    /// Reports it receives.
    type Report: Pdu;
    /// Name of the second value of a time series, next to the rate.
    const SECOND: &'static str;

    /// Returns a sender that has not started.
    fn new(params: &Valid<Self::Params>) -> Self {
        Self::sharing(&Arc::new(params.clone()))
    }
    /// Same as [`RateSender::new`], with options shared between connections.
    fn sharing(params: &Arc<Valid<Self::Params>>) -> Self;
    /// Takes its random number generator, before it starts, if it draws.
    fn take_rng(&mut self, _rng: Stream) {}
    /// Supplies data: `packets` in total.
    fn provide(&mut self, now: Time, packets: u32);
    /// Starts sending.
    fn start(&mut self, now: Time);
    /// Stops sending.
    fn cease(&mut self);
    /// Processes a report.
    fn on_report(&mut self, now: Time, report: &Self::Report);
    /// Fires the timer of `poll_timeout`.
    fn on_timer(&mut self, now: Time);
    /// Returns the packet to send now, if one is due.
    fn poll_transmit(&mut self, now: Time) -> Option<Self::Data>;
    /// When to call `on_timer`.
    fn poll_timeout(&self) -> Option<Time>;
    /// Allowed rate.
    fn rate(&self) -> f64;
    /// The value named by [`RateSender::SECOND`].
    fn second(&self) -> f64;
    /// RTT estimate.
    fn srtt(&self) -> Option<Span>;
    /// Packets sent, those with data sent before excepted.
    fn sent(&self) -> u32;
    /// Whether a supply of `packets` is complete. Without retransmissions it is once all have left.
    fn has_finished(&self, packets: u32) -> bool {
        self.sent() >= packets
    }
    /// Further values for the summary of a run.
    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        Vec::new()
    }
}

/// Receiving endpoint.
pub trait RateReceiver: Sized {
    /// Options.
    type Params: Check + Clone;
    /// Data packets it receives.
    type Data: Pdu;
    /// Reports it sends.
    type Report: Pdu;

    /// Returns a receiver without packets.
    fn new(params: &Valid<Self::Params>) -> Self {
        Self::sharing(&Arc::new(params.clone()))
    }
    /// Same as [`RateReceiver::new`], with options shared between connections.
    fn sharing(params: &Arc<Valid<Self::Params>>) -> Self;
    /// Processes a data packet; `marked`: with Congestion Experienced.
    fn on_packet(&mut self, now: Time, data: &Self::Data, marked: bool);
    /// Fires the timer of `poll_timeout`.
    fn on_timer(&mut self, now: Time);
    /// Returns the report to send now, if one is due.
    fn poll_transmit(&mut self, now: Time) -> Option<Self::Report>;
    /// When to call `on_timer`.
    fn poll_timeout(&self) -> Option<Time>;
    /// Payload received.
    fn received_payload(&self) -> u64;
    /// Values for the summary of a run.
    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        Vec::new()
    }
}

/// Upper bound on rates; keeps arithmetic finite.
pub const MOST_RATE: f64 = 1e15;

/// Packets of an endless source.
pub const ENDLESS: u32 = u32::MAX;

#[cfg(test)]
pub mod conformance;
