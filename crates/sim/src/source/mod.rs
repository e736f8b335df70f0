//! What feeds a flow: one file for each kind of source.

pub mod udp;

use transport::tcp;
pub use udp::UdpSource;

/// The sending end of a flow.
pub enum Source {
    /// A TCP sender.
    Tcp(tcp::Sender),
    /// An open-loop source.
    Udp(UdpSource),
}

/// The receiving end of a flow.
pub enum Sink {
    /// A TCP receiver.
    Tcp(tcp::Receiver),
    /// Counts what arrives.
    Udp {
        /// Payload bytes received.
        payload: u64,
    },
}

impl Sink {
    /// Payload delivered in order so far.
    pub fn delivered_bytes(&self) -> u64 {
        match self {
            Sink::Tcp(receiver) => receiver.delivered_payload(),
            Sink::Udp { payload } => *payload,
        }
    }
}
