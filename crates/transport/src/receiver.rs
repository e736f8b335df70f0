//! The receiving endpoint.

use crate::params::{Handshake, Params};
use crate::segment::{Ack, Role, SackBlocks, Segment};
use units::param::Valid;
use units::Time;

/// The receiver of one connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    rcv_nxt: u32,
    pending: Option<Ack>,
    out_of_order: std::collections::BTreeSet<u32>,
    delivered_bytes: u64,
    duplicates: u64,
    syn_is_data: bool,
    ack_size: u32,
}

impl Receiver {
    /// A receiver that expects segment 0.
    pub fn new(params: &Valid<Params>) -> Receiver {
        Receiver {
            rcv_nxt: 0,
            pending: None,
            out_of_order: std::collections::BTreeSet::new(),
            delivered_bytes: 0,
            duplicates: 0,
            syn_is_data: params.handshake != Handshake::ThreeWay,
            ack_size: params.ack_size.0 as u32,
        }
    }

    /// A segment arrives.
    pub fn on_segment(&mut self, _now: Time, segment: &Segment) {
        let syn = segment.role == Role::Syn && !self.syn_is_data;
        if !syn {
            if segment.seq < self.rcv_nxt || !self.out_of_order.insert(segment.seq) {
                self.duplicates += 1;
            } else {
                self.delivered_bytes += u64::from(segment.size);
            }
            while self.out_of_order.remove(&self.rcv_nxt) {
                self.rcv_nxt += 1;
            }
        }
        self.pending = Some(Ack {
            ack: self.rcv_nxt,
            size: self.ack_size,
            echo: segment.sent,
            sack: SackBlocks::default(),
            ece: false,
            syn,
        });
    }

    /// The deadline of `poll_timeout` has come.
    pub fn on_timer(&mut self, _now: Time) {}

    /// The next acknowledgement to send.
    pub fn poll_transmit(&mut self, _now: Time) -> Option<Ack> {
        self.pending.take()
    }

    /// When to call `on_timer`.
    pub fn poll_timeout(&self) -> Option<Time> {
        None
    }

    /// Segments delivered in order to the application; an ns-2 SYN counts as one.
    pub fn delivered(&self) -> u32 {
        self.rcv_nxt
    }

    /// Bytes on the wire of segments received, each counted once.
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// Segments received that had been received before.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }
}
