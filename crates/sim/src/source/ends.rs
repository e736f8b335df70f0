//! The two ends of a flow with any transport and any source.

use super::{AppSink, AppSource, Origin, RatedSink, RatedSource, UdpSource};
use transport::{tcp, Ack};
use units::Time;

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

    /// Its next deadline; [`Time::NEVER`] if it has none.
    #[inline(always)]
    pub(crate) fn deadline(&self) -> Time {
        let due = match self {
            Source::Tcp(sender) => return sender.due(),
            Source::Rated(source) => source.poll_timeout(),
            Source::Udp(source) => source.poll_timeout(),
            Source::App(source) => source.poll_timeout(),
            Source::Origin(origin) => origin.poll_timeout(),
        };
        due.unwrap_or(Time::NEVER)
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

    /// Its next deadline; [`Time::NEVER`] if it has none.
    #[inline(always)]
    pub(crate) fn deadline(&self) -> Time {
        let due = match self {
            Sink::Tcp(receiver) => receiver.poll_timeout(),
            Sink::Rated(sink) => sink.poll_timeout(),
            Sink::App(sink) => sink.receiver.poll_timeout(),
            Sink::Udp { .. } => None,
        };
        due.unwrap_or(Time::NEVER)
    }

    /// Executes what its timer was armed for.
    #[inline(always)]
    pub(crate) fn on_timer(&mut self, now: Time) {
        match self {
            Sink::Tcp(receiver) => receiver.on_timer(now),
            Sink::Rated(sink) => sink.on_timer(now),
            Sink::App(sink) => sink.receiver.on_timer(now),
            Sink::Udp { .. } => {}
        }
    }

    /// The next acknowledgement or report that it has to send at `now`.
    #[inline(always)]
    pub(crate) fn poll_transmit(&mut self, now: Time) -> Option<Ack> {
        match self {
            Sink::Tcp(receiver) => receiver.poll_transmit(now),
            Sink::Rated(sink) => sink.poll_transmit(now),
            Sink::App(sink) => sink.receiver.poll_transmit(now),
            Sink::Udp { .. } => None,
        }
    }
}
