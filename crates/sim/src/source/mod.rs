//! Traffic sources: one file for each kind, with its scenario keys and its state machine, and the two ends of a flow.

pub mod app;
pub mod ftp;
pub mod http;
pub mod meter;
pub mod origin;
pub mod packets;
pub mod rated;
pub mod replay;
pub mod shaped;
pub mod telnet;
pub mod udp;
pub mod video;
pub mod voice;

pub use app::{AppSink, AppSource};
pub use meter::Marker;
pub use origin::Origin;
pub use rated::{RatedSink, RatedSource};
pub use udp::UdpSource;

use crate::plan::{Load, UdpPlan};
use crate::scenario::reader::Reader;
use crate::scenario::sections::Part;
use crate::scenario::traffic::Transport;
use transport::tcp;
use units::param::{Check, Described, Table};
use units::Bytes;

/// The keys of one kind of source, and what the engine derives from them.
pub trait SourcePart: Check {
    /// The transports that can carry it.
    const OVER: &'static [Transport];
    /// Whether the keys of [`packets::Udp`] apply: packets of one size at a rate.
    const PACKETS: bool = false;
    /// Over a transport with feedback: what it sends.
    fn load(&self) -> Load {
        Load::Greedy
    }
    /// Over TCP: the payload of its segments, if the source determines it.
    fn segment(&self) -> Option<Bytes> {
        None
    }
    /// Over UDP: when packets leave; `packets` are the keys of the group.
    fn datagrams(&self, _packets: &packets::Udp) -> Option<UdpPlan> {
        None
    }
}

/// Declares every source: its name in a scenario, and the part that reads its keys.
macro_rules! sources {
    ($( $(#[doc = $doc:literal])+ $variant:ident($part:ty) = $name:literal, )+) => {
        units::choices! {
            /// What a flow has to send.
            pub enum Kind {
                $( $(#[doc = $doc])+ $variant = $name, )+
            }
        }

        /// A source with its options.
        #[derive(Clone, Debug)]
        pub enum Spec {
            $( $(#[doc = $doc])+ $variant(Box<$part>), )+
        }

        impl Kind {
            /// The transports that can carry it.
            pub fn transports(self) -> &'static [Transport] {
                match self { $( Kind::$variant => <$part as SourcePart>::OVER, )+ }
            }

            /// Whether the keys of [`packets::Udp`] apply.
            pub fn packets(self) -> bool {
                match self { $( Kind::$variant => <$part as SourcePart>::PACKETS, )+ }
            }

            /// Its keys, as data.
            pub fn part(self) -> Part {
                match self { $( Kind::$variant => Part::of::<$part>(), )+ }
            }

            /// Reads its keys.
            pub(crate) fn read(self, reader: &mut Reader<'_>) -> Spec {
                match self { $( Kind::$variant => Spec::$variant(Box::new(reader.part())), )+ }
            }
        }

        impl Spec {
            /// Which kind it is.
            pub fn kind(&self) -> Kind {
                match self { $( Spec::$variant(_) => Kind::$variant, )+ }
            }

            /// Its keys with their values.
            pub fn show(&self) -> Table {
                match self { $( Spec::$variant(part) => part.show(), )+ }
            }

            /// What it sends over a transport with feedback.
            pub fn load(&self) -> Load {
                match self { $( Spec::$variant(part) => part.load(), )+ }
            }

            /// The payload of its segments, if the source determines it.
            pub fn segment(&self) -> Option<Bytes> {
                match self { $( Spec::$variant(part) => part.segment(), )+ }
            }

            /// When its packets leave over UDP.
            pub fn datagrams(&self, packets: &packets::Udp) -> Option<UdpPlan> {
                match self { $( Spec::$variant(part) => part.datagrams(packets), )+ }
            }
        }
    };
}

sources! {
    /// As much as the transport takes, or a file of `bytes`.
    Ftp(ftp::Ftp) = "ftp",
    /// Web pages over short TCP connections, with times to think in between.
    Http(http::Http) = "http",
    /// Somebody who types: small segments over one TCP connection.
    Telnet(telnet::Telnet) = "telnet",
    /// Video in chunks over TCP, whose quality follows the network.
    Video(video::Video) = "video",
    /// Live video over a rate-based transport, each frame as large as the rate allows.
    Shaped(shaped::Shaped) = "shaped",
    /// UDP packets at a constant rate.
    Cbr(packets::Cbr) = "cbr",
    /// UDP packets at a constant rate while on, in turns with silence.
    Onoff(packets::Onoff) = "onoff",
    /// UDP packets with exponential gaps.
    Poisson(packets::Poisson) = "poisson",
    /// Speech over RTP: frames of a codec while somebody talks.
    Voice(voice::Voice) = "voice",
    /// UDP packets as recorded in a pcap or pcapng file.
    Replay(replay::Replay) = "replay",
}

/// The sending end of a flow.
pub enum Source {
    /// A TCP sender whose data are known from the start.
    Tcp(tcp::Sender),
    /// A rate-based sender.
    Rated(Box<RatedSource>),
    /// An open-loop source.
    Udp(Box<UdpSource>),
    /// An application over TCP.
    App(Box<AppSource>),
    /// The origin of sessions in an open loop; each is a flow of its own.
    Origin(Box<Origin>),
}

impl Source {
    /// Whether its session has ended. What arrives after that is a late duplicate, which the fast engine may process ahead of
    /// the next session.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Source::App(source) if source.is_over())
    }
}

/// The receiving end of a flow.
pub enum Sink {
    /// A TCP receiver.
    Tcp(tcp::Receiver),
    /// A rate-based receiver.
    Rated(Box<RatedSink>),
    /// Counts what it receives.
    Udp {
        /// Payload bytes received.
        payload: u64,
    },
    /// The TCP receiver of an application.
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
