//! The kinds of sources: their names in a scenario, the transports that carry them, and the data they send.

use super::datagrams::{Bursts, Gaps, UdpPlan};
use super::load::{AppPlan, Load};
use super::packets::{jittered, Cbr, Onoff, Poisson, Sizes, Udp};
use super::plugin::SourceSpec;
use super::{
    ftp::Ftp, http::Http, replay::Replay, shaped::Shaped, telnet::Telnet, video::Video, voice::Voice,
};
use crate::keys::reader::TableReader;
use crate::keys::{Part, Transport};
use std::sync::Arc;
use units::param::{Check, Described, Table};
use units::{Bytes, Rate};

/// The keys of one kind of source, and the values the engine derives from them.
pub trait SourcePart: Check {
    /// The transports that can carry it.
    const OVER: &'static [Transport];
    /// Whether the keys of [`Udp`] apply: packets of one size at a rate.
    const PACKETS: bool = false;
    /// Over a transport with feedback: the load offered.
    fn load(&self) -> Load {
        Load::Greedy
    }
    /// Over TCP: the payload of its segments, if the source determines it.
    fn segment(&self) -> Option<Bytes> {
        None
    }
    /// Over UDP: when packets leave; `packets` are the keys of the group.
    fn datagrams(&self, _packets: &Udp) -> Option<UdpPlan> {
        None
    }
}

impl SourcePart for Ftp {
    const OVER: &'static [Transport] = &[
        Transport::Tcp,
        Transport::Quic,
        Transport::Tfrc,
        Transport::Rap,
        Transport::Tear,
        Transport::Lda,
        Transport::Drs,
        Transport::Scream,
        Transport::Gcc,
    ];

    fn load(&self) -> Load {
        self.bytes.map_or(Load::Greedy, Load::File)
    }
}

impl SourcePart for Http {
    const OVER: &'static [Transport] = &[Transport::Tcp, Transport::Quic];

    fn load(&self) -> Load {
        Load::App(Arc::new(AppPlan::Http(Box::new(self.clone()))))
    }
}

impl SourcePart for Telnet {
    const OVER: &'static [Transport] = &[Transport::Tcp];

    fn load(&self) -> Load {
        Load::App(Arc::new(AppPlan::Telnet(self.clone())))
    }

    fn segment(&self) -> Option<Bytes> {
        Some(self.key)
    }
}

impl SourcePart for Video {
    const OVER: &'static [Transport] = &[Transport::Tcp, Transport::Quic];

    fn load(&self) -> Load {
        Load::App(Arc::new(AppPlan::Video(self.clone())))
    }
}

impl SourcePart for Shaped {
    const OVER: &'static [Transport] = &[
        Transport::Tfrc,
        Transport::Rap,
        Transport::Tear,
        Transport::Lda,
        Transport::Drs,
        Transport::Scream,
        Transport::Gcc,
    ];

    fn load(&self) -> Load {
        Load::Shaped(Arc::new(self.clone()))
    }
}

impl SourcePart for Cbr {
    const OVER: &'static [Transport] = &[Transport::Udp];
    const PACKETS: bool = true;

    fn datagrams(&self, packets: &Udp) -> Option<UdpPlan> {
        Some(packets.plan(jittered(self.jitter), None))
    }
}

impl SourcePart for Onoff {
    const OVER: &'static [Transport] = &[Transport::Udp];
    const PACKETS: bool = true;

    fn datagrams(&self, packets: &Udp) -> Option<UdpPlan> {
        let bursts = Bursts { on: self.on, off: self.off, shape: self.shape };
        Some(packets.plan(jittered(self.jitter), Some(bursts)))
    }
}

impl SourcePart for Poisson {
    const OVER: &'static [Transport] = &[Transport::Udp];
    const PACKETS: bool = true;

    fn datagrams(&self, packets: &Udp) -> Option<UdpPlan> {
        let exponential = self.sizes == Sizes::Exponential;
        Some(packets.plan(if exponential { Gaps::ExponentialSizes } else { Gaps::Exponential }, None))
    }
}

impl SourcePart for Voice {
    const OVER: &'static [Transport] = &[Transport::Udp];

    fn datagrams(&self, _packets: &Udp) -> Option<UdpPlan> {
        let packet = Bytes(self.payload()) + self.headers;
        let rate = Rate((packet.0 as f64 * 8.0 / self.frame.as_secs()).round() as u64);
        let bursts = self.suppression.then_some(Bursts { on: self.talk, off: self.pause, shape: None });
        Some(UdpPlan { rate, packet, headers: self.headers, bursts, gaps: Gaps::Constant })
    }
}

impl SourcePart for Replay {
    const OVER: &'static [Transport] = &[Transport::Udp];

    fn datagrams(&self, _packets: &Udp) -> Option<UdpPlan> {
        let recording = self.recording();
        let (packet, rate) = (recording.mean_size(), recording.mean_rate());
        let gaps = Gaps::Recorded(Arc::new(recording));
        Some(UdpPlan { rate, packet, headers: self.headers, bursts: None, gaps })
    }
}

/// Declares every source: its name in a scenario, and the part that reads its keys.
macro_rules! sources {
    ($( $(#[doc = $doc:literal])+ $variant:ident($part:ty) = $name:literal, )+) => {
        units::choices! {
            /// The source of a flow.
            pub enum SourceKind {
                $( $(#[doc = $doc])+ $variant = $name, )+
            }
        }

        /// A source with its options.
        #[derive(Clone, Debug)]
        pub enum SourceKeys {
            $( $(#[doc = $doc])+ $variant(Box<$part>), )+
            /// One of a plug-in.
            Plugin(SourceSpec),
        }

        impl SourceKind {
            /// The transports that can carry it.
            pub fn transports(self) -> &'static [Transport] {
                match self { $( SourceKind::$variant => <$part as SourcePart>::OVER, )+ }
            }

            /// Whether the keys of [`Udp`] apply.
            pub fn packets(self) -> bool {
                match self { $( SourceKind::$variant => <$part as SourcePart>::PACKETS, )+ }
            }

            /// Its keys, as data.
            pub fn part(self) -> Part {
                match self { $( SourceKind::$variant => Part::of::<$part>(), )+ }
            }

            /// Parses its keys.
            pub(crate) fn read(self, reader: &mut TableReader<'_>) -> SourceKeys {
                match self { $( SourceKind::$variant => SourceKeys::$variant(Box::new(reader.part())), )+ }
            }
        }

        impl SourceKeys {
            /// The built-in kind, or else the plug-in.
            pub(super) fn kind(&self) -> Result<SourceKind, &SourceSpec> {
                match self {
                    $( SourceKeys::$variant(_) => Ok(SourceKind::$variant), )+
                    SourceKeys::Plugin(spec) => Err(spec),
                }
            }

            /// Its keys with their values.
            pub fn show(&self) -> Table {
                match self {
                    $( SourceKeys::$variant(part) => part.show(), )+
                    SourceKeys::Plugin(_) => Table::new(),
                }
            }

            /// The load that it sends over a transport with feedback.
            pub fn load(&self) -> Load {
                match self {
                    $( SourceKeys::$variant(part) => part.load(), )+
                    SourceKeys::Plugin(spec) => Load::App(Arc::new(AppPlan::Plugin(spec.clone()))),
                }
            }

            /// The payload of its segments, if the source determines it.
            pub fn segment(&self) -> Option<Bytes> {
                match self {
                    $( SourceKeys::$variant(part) => part.segment(), )+
                    SourceKeys::Plugin(_) => None,
                }
            }

            /// When its packets leave over UDP.
            pub fn datagrams(&self, packets: &Udp) -> Option<UdpPlan> {
                match self {
                    $( SourceKeys::$variant(part) => part.datagrams(packets), )+
                    SourceKeys::Plugin(spec) => Some(UdpPlan::of_plugin(spec)),
                }
            }
        }
    };
}

sources! {
    /// As much as the transport takes, or a file of `bytes`.
    Ftp(Ftp) = "ftp",
    /// Web pages over short connections, with times to think in between.
    Http(Http) = "http",
    /// Keystrokes: small segments over one TCP connection.
    Telnet(Telnet) = "telnet",
    /// Video in chunks, whose quality follows the network.
    Video(Video) = "video",
    /// Live video over a rate-based transport, each frame as large as the rate allows.
    Shaped(Shaped) = "shaped",
    /// UDP packets at a constant rate.
    Cbr(Cbr) = "cbr",
    /// UDP packets at a constant rate while on, in turns with silence.
    Onoff(Onoff) = "onoff",
    /// UDP packets with exponential gaps.
    Poisson(Poisson) = "poisson",
    /// Speech over RTP: frames of a codec while somebody talks.
    Voice(Voice) = "voice",
    /// UDP packets as recorded in a pcap or pcapng file.
    Replay(Replay) = "replay",
}
