//! Traffic sources: the data that flows send, and the two ends of a flow.
//!
//! | module | holds |
//! |---|---|
//! | [`kinds`] | every kind of source: its name, its transports, and the load it derives from its keys |
//! | [`ftp`], [`http`], [`telnet`], [`video`], [`shaped`], [`packets`], [`voice`], [`replay`] | one kind each: keys and state machine |
//! | [`load`], [`datagrams`], [`action`] | kind to end of a flow: data, departures of packets, the next action |
//! | [`app`], [`rated`], [`udp`], [`origin`] | ends: an application over TCP or QUIC, a rate-based transport, open loop, arriving sessions |
//! | [`connection`], `contents` | the two transports of an application; the contents of packets in flight |
//! | [`page`] | a web page on several connections |
//! | [`ends`] | any of these ends |
//! | [`plugin`], [`names`] | sources of plug-ins; the names of all sources |
//! | [`meter`] | the class of each packet |

pub mod action;
pub mod app;
pub mod connection;
mod contents;
pub mod datagrams;
pub mod ends;
pub mod ftp;
pub mod http;
pub mod kinds;
pub mod load;
pub mod meter;
pub mod names;
pub mod origin;
pub mod packets;
pub mod page;
pub mod plugin;
pub mod rated;
pub mod replay;
pub mod shaped;
pub mod telnet;
pub mod udp;
pub mod video;
pub mod voice;

pub use app::{AppSink, AppSource};
pub use ends::{Sink, Source};
pub use kinds::{SourceKeys, SourceKind};
pub use load::Load;
pub use meter::Marker;
pub use names::SourceName;
pub use origin::Origin;
pub use rated::{RatedSink, RatedSource};
pub use udp::UdpSource;
