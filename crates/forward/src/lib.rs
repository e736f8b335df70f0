//! The live forwarder: real packets through the unchanged queue disciplines.
//!
//! | module | holds |
//! |---|---|
//! | [`link`] | settings of a link and of the paths of its flows |
//! | [`pump`] | one direction of a link as a pure state machine |
//! | [`packet`] | the handle that a discipline moves, and the store of the frame's bytes |
//! | [`header`] | parsing of IP headers; the ECN mark |
//! | [`checksum`] | the Internet checksum |
//! | [`offload`] | segmentation of super-packets, completion of partial checksums |
//! | [`event`] | events at a queue, and the trait of their observers |
//! | [`measure`], [`histogram`] | counters and histograms |
//! | [`record`], [`replay`] | the record of arrivals and decisions; its replay through the simulator's queue |
//! | [`pcapng`] | a capture for Wireshark |
//! | [`config`] | settings as JSON |
//! | [`report`], [`series`] | counters as JSON and for Prometheus, over time |
//! | `control` | the control socket of a running forwarder (Unix) |
//! | `direction` | one direction of a running forwarder (Linux) |
//! | `daemon` | the running forwarder (Linux) |
//! | `port`, `sys` | devices, and the calls of the kernel (Linux) |
//!
//! All modules except the last four rows are pure. Only `sys` calls the kernel, and only there is `unsafe` allowed.

#![deny(unsafe_code)]

pub mod checksum;
pub mod config;
#[cfg(unix)]
pub mod control;
#[cfg(target_os = "linux")]
pub mod daemon;
#[cfg(target_os = "linux")]
mod direction;
pub mod event;
pub mod header;
pub mod histogram;
pub mod link;
pub mod measure;
pub mod offload;
pub mod packet;
pub mod pcapng;
#[cfg(target_os = "linux")]
mod port;
pub mod pump;
pub mod record;
pub mod replay;
pub mod report;
pub mod series;
#[cfg(target_os = "linux")]
pub mod sys;

/// The example of the README, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
