//! What feeds a flow: one file for each kind of source.

pub mod meter;
pub mod tfrc;
pub mod udp;

pub use meter::Marker;
pub use tfrc::{TfrcSink, TfrcSource};
use transport::tcp;
pub use udp::UdpSource;

/// The sending end of a flow.
pub enum Source {
    /// A TCP sender.
    Tcp(tcp::Sender),
    /// A TFRC sender.
    Tfrc(Box<TfrcSource>),
    /// An open-loop source.
    Udp(UdpSource),
}

/// The receiving end of a flow.
pub enum Sink {
    /// A TCP receiver.
    Tcp(tcp::Receiver),
    /// A TFRC receiver.
    Tfrc(Box<TfrcSink>),
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
            Sink::Tfrc(sink) => sink.receiver.received_payload(),
            Sink::Udp { payload } => *payload,
        }
    }
}
