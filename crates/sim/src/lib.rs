//! The discrete-event engine: a scenario's text in, counters, histograms and series out.
//!
//! | module | holds |
//! |---|---|
//! | [`scenario`] | the reader: TOML text to a [`plan::Plan`], every problem at once; schema and defaults |
//! | [`plan`] | a scenario worked out: nodes, directed links, flows with their routes |
//! | [`build`] | a plan and a seed to a [`network::Network`] at rest |
//! | [`network`] | what happens at each event: links, routes and endpoints at work |
//! | [`calendar`] | pending events in total order |
//! | `approach` | packets on their way to a link that takes many in one go |
//! | [`link`], [`line`], [`red_line`], [`loss`], [`packet`], [`source`] | the parts of a network |
//! | [`probe`], [`flow`], [`completions`], [`stats`] | what is counted |
//! | [`trace`] | what happened to each packet |
//! | [`run`](mod@run), [`outcome`], `derived` | one run, and what it leaves behind |

#![forbid(unsafe_code)]

mod approach;
pub mod build;
pub mod calendar;
pub mod completions;
mod derived;
pub mod flow;
pub mod line;
pub mod link;
pub mod loss;
pub mod network;
pub mod outcome;
pub mod packet;
pub mod plan;
pub mod probe;
pub mod red_line;
pub mod run;
pub mod scenario;
pub mod source;
pub mod stats;
pub mod trace;
mod wire;

pub use outcome::Outcome;
pub use run::{run, Options, StoppedBy, Watch};
