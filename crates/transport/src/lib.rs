//! Transport endpoints as sans-I/O state machines. The driver passes the time and the arriving segments, polls for
//! segments to send, and keeps one timer per endpoint. Endpoints own no clock, socket or queue.
//!
//! # Driving order
//!
//! For a [`Sender`] and a [`Receiver`] alike:
//!
//! 1. pass *one* input: `start`, `supply`, `on_ack`, `on_segment` or `on_timer`;
//! 2. call `poll_transmit` until it returns `None`, and send each segment in that order;
//! 3. call `poll_timeout`, and `on_timer` at that time.
//!
//! `poll_timeout` is lazy: most inputs postpone the deadline, so a driver keeps one pending timer and polls again
//! when it fires early. **A deadline can also move to an earlier time** (the first RTT sample shortens the
//! timeout, a delayed ACK is armed): the driver must compare after each input and rearm if so. `on_timer` before
//! the deadline does nothing.
//!
//! | module | holds |
//! |---|---|
//! | [`segment`] | segments and ACKs |
//! | [`params`], [`profiles`] | the options, and named rows of them |
//! | [`sender`], [`receiver`] | the two endpoints of TCP |
//! | `connection` | the state that both parts of a sender share: sequence space, window, timers, RTT |
//! | [`recovery`] | loss detection and recovery, one file per family |
//! | [`cc`] | congestion control, one file per algorithm |
//! | [`rtt`] | RTT estimation and the retransmission timeout |
//! | [`rate`] | delivery rate estimation |
//! | [`ledger`] | per-segment state of the segments in flight |
//! | [`marks`] | a sliding bitmap of segment numbers |
//! | [`accecn`] | accurate ECN: handshake, counters, option |
//! | [`quic`] | QUIC: packets, ACK ranges, loss detection and congestion control of RFC 9002 |
//! | [`rate_based`] | the rate-based transports: TFRC, RAP, TEAR, LDA+, DRS, SCReAM, GCC |
//! | [`catalogue`](mod@catalogue) | the options, profiles and algorithms as data, for `describe`, the schema and the docs |

#![forbid(unsafe_code)]

pub mod accecn;
pub mod catalogue;
pub mod cc;
mod connection;
pub mod ledger;
pub mod marks;
pub mod params;
pub mod profiles;
pub mod quic;
pub mod rate;
pub mod rate_based;
pub mod receiver;
pub mod recovery;
pub mod rtt;
pub mod segment;
pub mod sender;

pub use catalogue::{catalogue, Catalogue};
pub use receiver::Receiver;
pub use segment::{Ack, Role, SackBlocks, Segment};
pub use sender::{Phase, Sender, SenderCounters};

/// TCP: its parameters and its two endpoints.
pub mod tcp {
    pub use crate::params::Params;
    pub use crate::receiver::Receiver;
    pub use crate::sender::Sender;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
