//! Events of packets at an observed link, for hosts that draw the queue during the run.

use crate::packet::Pkt;
use units::Time;

/// An event of a packet at a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageEvent {
    /// It arrived at the queue.
    Arrived,
    /// The queue dropped it.
    Dropped,
    /// The queue set CE.
    Marked,
    /// The transmitter took it.
    Departed,
}

/// One event of a packet at a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// When it happened.
    pub time: Time,
    /// The event.
    pub what: PassageEvent,
    /// The packet's flow.
    pub flow: u32,
    /// Segment number.
    pub seq: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Whether the packet travels from destination to source.
    pub back: bool,
}

impl Passage {
    /// An event of this packet.
    pub(crate) fn new(time: Time, what: PassageEvent, pkt: &Pkt) -> Passage {
        Passage { time, what, flow: pkt.flow, seq: pkt.seq, size: pkt.size, back: pkt.is_back() }
    }
}
