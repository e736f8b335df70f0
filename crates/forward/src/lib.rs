//! The live forwarder: real packets through the unchanged queue disciplines.
//!
//! | module | holds |
//! |---|---|
//! | [`pump`] | packets in, discipline, packets out: one direction of a link, pure |
//! | [`packet`] | what a discipline sees of a frame, and where the frame waits |
//! | [`header`] | what a frame says of itself; the ECN mark |
//! | [`checksum`] | the Internet checksum |
//! | [`offload`] | super-packets cut, open checksums completed |
//! | [`event`] | what happens, and who may watch |
//! | [`measure`], [`histogram`] | what is counted |
//! | [`record`], [`replay`] | what arrived and what became of it; the same judged again |
//! | [`pcapng`] | a capture for Wireshark |
//! | [`config`] | settings as JSON |
//! | [`report`], [`series`] | counters as JSON and for Prometheus, over time |
//! | `control` | where a running forwarder is asked and told (Unix) |
//! | `lane` | one direction of a forwarder at work (Linux) |
//! | `daemon` | the forwarder at work (Linux) |
//! | `sys` | the kernel (Linux) |
//!
//! All but the last three are pure. `sys` alone talks to the kernel, and only there is `unsafe` allowed.

#![deny(unsafe_code)]

pub mod checksum;
pub mod config;
#[cfg(unix)]
pub mod control;
#[cfg(target_os = "linux")]
pub mod daemon;
pub mod event;
pub mod header;
pub mod histogram;
#[cfg(target_os = "linux")]
mod lane;
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
