//! Frames through the live forwarder: their headers, the pump, captures, replays, and any bytes at all.
#![allow(missing_docs, clippy::print_stderr, clippy::unwrap_used, clippy::shadow_unrelated)]

mod bytes;
mod capture;
mod common;
mod fuzzed;
mod headers;
mod pump;
mod replay;
