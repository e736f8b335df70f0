//! The discrete-event engine: a scenario's text in, counters, histograms and series out.
//!
//! | module | holds |
//! |---|---|
//! | [`scenario`] | the parser: TOML text to a [`plan::Plan`], every problem at once; schema and defaults |
//! | [`keys`] | the elements of a scenario's tables: parts of keys, the reader of a table, transports |
//! | [`plan`] | a scenario resolved: nodes, directed links, flows with their routes |
//! | [`build`] | a plan and a seed to a [`network::Network`] at its start |
//! | [`network`] | the plain engine: every hop of every packet is an event; start reading here |
//! | `optional` | steps that only some scenarios need: links with faults, sessions in an open loop |
//! | [`fast`] | the fast engine: a table of fast paths, each with the bits of the plain engine |
//! | [`engine`] | the choice between the two |
//! | [`calendar`] | the event queue: pending events in total order |
//! | [`link`], [`packet`], [`transmission`], [`source`] | the parts of a network |
//! | [`account`] | the records of a run: counters, histograms, series, the packet trace |
//! | [`run`](mod@run), [`outcome`] | one run and its result |
//! | [`session`] | one run driven step by step, for a host that shows it meanwhile |

#![forbid(unsafe_code)]

pub mod account;
pub mod build;
pub mod calendar;
pub mod engine;
pub mod fast;
pub mod keys;
pub mod link;
pub mod network;
mod optional;
pub mod outcome;
pub mod packet;
pub mod plan;
pub mod run;
pub mod scenario;
pub mod session;
pub mod source;
pub mod transmission;

pub use engine::Engine;
pub use outcome::{Outcome, StoppedBy};
pub use run::{run, Options, Watch};

/// The example of the README, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeExample;
