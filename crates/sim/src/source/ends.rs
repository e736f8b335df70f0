//! The two ends of a flow with any transport and any source.

use super::{AppSink, AppSource, Origin, RatedSink, RatedSource, UdpSource};
use transport::tcp;

/// The sending end of a flow.
#[allow(clippy::large_enum_variant)] // TCP is the rule, and inline its state is one access nearer
pub enum Source {
    /// A TCP sender whose data are known from the start.
    Tcp(tcp::Sender),
    /// A rate-based sender.
    Rated(RatedSource),
    /// An open-loop source.
    Udp(Box<UdpSource>),
    /// An application over TCP or QUIC.
    App(Box<AppSource>),
    /// The origin of sessions in an open loop; each is a flow of its own.
    Origin(Box<Origin>),
}

impl Source {
    /// Whether its session has ended. A packet that arrives after that is a late duplicate, which the fast engine may
    /// process ahead of the next session.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Source::App(source) if source.is_over())
    }
}

/// The receiving end of a flow.
pub enum Sink {
    /// A TCP receiver.
    Tcp(tcp::Receiver),
    /// A rate-based receiver.
    Rated(RatedSink),
    /// Counts the bytes it receives.
    Udp {
        /// Payload bytes received.
        payload: u64,
    },
    /// The receiver of an application.
    App(Box<AppSink>),
}

impl Sink {
    /// Payload delivered in order so far.
    pub fn delivered_bytes(&self) -> u64 {
        match self {
            Sink::Tcp(receiver) => receiver.delivered_payload(),
            Sink::Rated(sink) => sink.received_payload(),
            Sink::Udp { payload } => *payload,
            Sink::App(sink) => sink.delivered_payload(),
        }
    }
}
