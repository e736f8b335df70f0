//! Bursts of segmentation offload (TSO): their size, and the one being sent.
//!
//! *Reference*: Linux by its output: `docs/transports/tcp.md`.
//! *Units*: segments.

use super::Ctx;
use crate::cc::Control;
use units::{Bytes, Span, Time};

/// A burst is the data that the pacing rate sends in 1/1024 s, at least two segments and at most one buffer.
const BURSTS_A_SECOND: f64 = 1024.0;
const LEAST: u32 = 2;
const BUFFER_BYTES: u64 = 65_536;
/// Share of the buffer reserved for headers.
const HEADERS_BYTES: u64 = 321;
/// The whole buffer is added on the shortest paths, and half as much for each further 512 µs of minimum RTT.
const HALVED_US: u64 = 512;

/// The burst being sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Burst {
    left: u32,
    size: u32,
    /// When its last segment left.
    pub(crate) left_at: Time,
    push: bool,
}

impl Burst {
    /// Whether a burst is being sent.
    pub(crate) fn is_open(&self) -> bool {
        self.left > 0
    }

    /// Starts a burst of this many segments.
    pub(crate) fn open(&mut self, size: u32) {
        (self.left, self.size) = (size, size);
    }

    /// Takes one segment of the burst.
    pub(crate) fn take(&mut self, now: Time) {
        self.left -= 1;
        self.push = self.left == 0 && self.size > 1;
        self.left_at = now;
    }

    /// Whether the segment being sent is the last of a burst of several (sets PSH).
    pub(crate) fn take_push(&mut self) -> bool {
        std::mem::take(&mut self.push)
    }
}

/// Segments that a buffer holds.
pub(super) fn whole_buffer(mss: Bytes) -> u32 {
    ((BUFFER_BYTES - HEADERS_BYTES) / mss.0).max(1) as u32
}

impl Ctx {
    /// Segments of a full burst.
    pub(crate) fn burst_size(&self) -> u32 {
        if self.model_based {
            return self.cc.quantum();
        }
        let p = &self.params;
        let opening = self.window.cwnd < self.window.ssthresh / 2.0;
        let gain = if opening { p.pacing_gain_start } else { p.pacing_gain };
        let srtt = self.srtt().unwrap_or(Span::from_millis(1)).max(Span(1));
        let paced = gain * self.window.cwnd / srtt.as_secs() / BURSTS_A_SECOND;
        let halvings = self.tracking.min_rtt.0 / 1000 / HALVED_US;
        let near = if halvings < 17 { (BUFFER_BYTES >> halvings) as f64 / p.mss.0 as f64 } else { 0.0 };
        let most = (BUFFER_BYTES / p.mss.0).max(1);
        ((paced + near) as u64).min(most).max(u64::from(LEAST)) as u32
    }

    /// Segments left in the current send buffer: its last ones do not wait for those of the next.
    pub(crate) fn left_in_buffer(&self) -> u32 {
        let whole = whole_buffer(self.params.mss);
        whole - self.seq.max % whole
    }
}
