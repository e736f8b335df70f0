//! Decisions of disciplines against recorded ones, packet by packet: those of a Linux kernel, of ns-2, and of slow
//! transcriptions of the papers.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod linux;
mod linux_acks;
mod linux_idle;
mod ns2;
mod reference;
