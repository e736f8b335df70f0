//! Transport endpoints as sans-I/O state machines: they are told the time and what arrived, and are
//! asked what to send and when to be woken. They own no clock, socket or queue.
//!
//! # Driving order
//!
//! For a [`Sender`] and a [`Receiver`] alike:
//!
//! 1. give it *one* input: `start`, `supply`, `on_ack`, `on_segment` or `on_timer`;
//! 2. call `poll_transmit` until it returns `None`, sending each segment in that order;
//! 3. ask `poll_timeout` and call `on_timer` when that time comes.
//!
//! `poll_timeout` is lazy: most inputs push the deadline back, so a driver keeps one pending wake-up and,
//! when it fires early, asks again. **A deadline can also move to an earlier time** (the timeout shrinks with the first
//! round-trip sample, a delayed acknowledgement is armed): the driver must compare after each input and
//! wake up sooner if so. `on_timer` before the deadline does nothing.
//!
//! | module | holds |
//! |---|---|
//! | [`segment`] | what endpoints exchange |
//! | [`params`], [`profiles`] | the options, and rows of them by name |
//! | [`sender`], [`receiver`] | the two endpoints |
//! | [`recovery`] | how losses are noticed and repaired, one file a family |
//! | [`accecn`] | what accurate ECN says on the wire |
//! | [`marks`] | a moving set of segment numbers |
//! | [`ledger`] | what is remembered of each segment in flight |
//! | [`rate`] | samples of the delivery rate |
//! | [`rtt`] | round-trip estimate and timeout |
//! | [`catalogue`](mod@catalogue) | all of it as data |
//! | [`cc`] | congestion control, one file an algorithm |
//! | [`rate_based`] | the rate-based transports: TFRC, RAP, TEAR, LDA+ |

#![forbid(unsafe_code)]

pub mod accecn;
pub mod catalogue;
pub mod cc;
pub mod ledger;
pub mod marks;
pub mod params;
pub mod profiles;
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

/// TCP under one roof: the parameters and the two endpoints.
pub mod tcp {
    pub use crate::params::Params;
    pub use crate::receiver::Receiver;
    pub use crate::sender::Sender;
}
