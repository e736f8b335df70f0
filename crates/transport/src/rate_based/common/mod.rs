//! What the rate-based transports have in common: data packets one way, reports the other, nothing sent twice.
//!
//! *Reference*: the modules of the transports.
//! *Units*: rates are bytes of payload a second.
//! *Deviations*: a packet is a sequence number, as in [`crate::segment`].
//!
//! Both ends are driven as those of TCP (see the crate): one input, then `poll_transmit` until it returns `None`, then
//! `poll_timeout`. A source has data at all times unless [`RateSender::provide`] says how much there is.

mod spacer;

pub use spacer::Spacer;

use units::param::{Check, Valid};
use units::{Bytes, Span, Stream, Time};

/// What every packet carries, whichever way it goes.
pub trait Pdu: Copy {
    /// Its number, from 0.
    fn number(&self) -> u32;
    /// Bytes on the wire.
    fn size(&self) -> u32;
    /// When it left the sender; of a report: when the packet it answers did.
    fn stamp(&self) -> Time;
}

/// Implements [`Pdu`] for what a transport sends either way: the fields that hold the number and the time of departure.
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

/// The earlier of two moments, where there are any.
pub(crate) fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    one.into_iter().chain(other).min()
}

/// A number, or some, that an end can tell about itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Statistic {
    /// One.
    Number(f64),
    /// A list.
    Numbers(Vec<f64>),
}

/// A rate-based transport.
pub trait Protocol {
    /// The options of both ends.
    type Params: Check + Clone + Send + Sync;
    /// The sending end.
    type Sender: RateSender<Params = Self::Params>;
    /// The receiving end.
    type Receiver: RateReceiver<
        Params = Self::Params,
        Data = <Self::Sender as RateSender>::Data,
        Report = <Self::Sender as RateSender>::Report,
    >;

    /// Payload of a data packet, and the header bytes beside it.
    fn packet(params: &Self::Params) -> (Bytes, Bytes);
    /// Whether data packets are ECN-capable.
    fn capable(_params: &Self::Params) -> bool {
        false
    }
}

/// The sending end.
pub trait RateSender: Sized {
    /// The options.
    type Params: Check;
    /// What it sends.
    type Data: Pdu;
    /// What it is told.
    type Report: Pdu;
    /// Name of the number that a series shows beside the rate.
    const SECOND: &'static str;

    /// A silent sender.
    fn new(params: &Valid<Self::Params>) -> Self;
    /// Dice of its own, before it starts, for one that draws.
    fn take_rng(&mut self, _rng: Stream) {}
    /// The source has handed over so many packets in all.
    fn provide(&mut self, now: Time, packets: u32);
    /// Starts sending.
    fn start(&mut self, now: Time);
    /// Sends nothing from now on.
    fn cease(&mut self);
    /// A report arrives.
    fn on_report(&mut self, now: Time, report: &Self::Report);
    /// The moment of `poll_timeout` has come.
    fn on_timer(&mut self, now: Time);
    /// The packet to send now, if one is due.
    fn poll_transmit(&mut self, now: Time) -> Option<Self::Data>;
    /// When to call `on_timer`.
    fn poll_timeout(&self) -> Option<Time>;
    /// The allowed rate.
    fn rate(&self) -> f64;
    /// The number named [`RateSender::SECOND`].
    fn second(&self) -> f64;
    /// The estimate of the round trip.
    fn srtt(&self) -> Option<Span>;
    /// Packets sent.
    fn sent(&self) -> u32;
    /// What else a summary should hold.
    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        Vec::new()
    }
}

/// The receiving end.
pub trait RateReceiver: Sized {
    /// The options.
    type Params: Check;
    /// What it is sent.
    type Data: Pdu;
    /// What it tells.
    type Report: Pdu;

    /// Nothing has come yet.
    fn new(params: &Valid<Self::Params>) -> Self;
    /// A data packet arrives; `marked`: with Congestion Experienced.
    fn on_packet(&mut self, now: Time, data: &Self::Data, marked: bool);
    /// The moment of `poll_timeout` has come.
    fn on_timer(&mut self, now: Time);
    /// The report to send now, if one is due.
    fn poll_transmit(&mut self, now: Time) -> Option<Self::Report>;
    /// When to call `on_timer`.
    fn poll_timeout(&self) -> Option<Time>;
    /// Payload received.
    fn received_payload(&self) -> u64;
    /// What a summary should hold.
    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        Vec::new()
    }
}

/// No rate is taken to exceed this; it keeps arithmetic finite.
pub const MOST_RATE: f64 = 1e15;

/// Packets of a source without end.
pub const ENDLESS: u32 = u32::MAX;

#[cfg(test)]
pub mod conformance;
