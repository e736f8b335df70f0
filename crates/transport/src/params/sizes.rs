//! Sizes of segments, and whether each is timed, derived from the options.

use super::{
    AckRule, Algorithm, Handshake, Params, Recovery, RttSamples, VegasRule, WestwoodRule, WindowUsage,
};
use units::Bytes;

/// Receive window of Linux's handshake in bytes.
pub(crate) const FIRST_OFFER: u64 = 65_160;
/// Share of a receive buffer of Linux that holds payload.
const PAYLOAD: f64 = 0.6325;

impl Params {
    /// The receive window in segments: `window`, at most what `receive_buffer` has room for.
    pub(crate) fn receive_window(&self) -> u32 {
        let room = self.receive_buffer.map(|buffer| (PAYLOAD * buffer.0 as f64 / self.mss.0 as f64) as u32);
        let window = self.window.map(|segments| segments as u32);
        window.into_iter().chain(room).min().unwrap_or(u32::MAX)
    }

    /// Whether the receive window opens as data arrive, and limits the sender until then.
    pub(crate) fn autotunes(&self) -> bool {
        self.receive_autotuning && self.ack_rule == AckRule::Linux
    }

    /// Whether the use of the window is remembered for a round trip.
    pub(crate) fn remembers_usage(&self) -> bool {
        self.window_usage == WindowUsage::Linux && self.recovery == Recovery::Rack
    }

    /// Most memory of the send buffer; `None` if it does not limit.
    pub(crate) fn sending_memory(&self) -> Option<Bytes> {
        self.send_buffer.filter(|_| self.recovery == Recovery::Rack)
    }

    /// The receive window of the handshake in segments.
    pub(crate) fn first_receive_window(&self) -> u32 {
        let most = self.receive_window();
        if self.autotunes() {
            most.min((FIRST_OFFER / self.mss.0).max(1) as u32)
        } else {
            most
        }
    }

    /// Header bytes of a data segment.
    pub fn header_bytes(&self) -> Bytes {
        let timed = self.samples != RttSamples::PerWindow;
        self.headers + if timed { self.timestamp_size } else { Bytes(0) }
    }

    /// Bytes of a full segment on the wire.
    pub fn segment_bytes(&self) -> Bytes {
        self.mss + self.header_bytes()
    }

    /// Whether the congestion control times each segment with its own clock (BP95), so that delayed ACKs do
    /// not look like queueing delay.
    pub(crate) fn times_segments(&self) -> bool {
        let Some(algorithm) = self.cc.built_in() else { return false };
        match algorithm {
            Algorithm::Vegas => matches!(self.vegas_rule, VegasRule::Brakmo | VegasRule::Linux),
            Algorithm::Westwood => self.westwood_rule == WestwoodRule::Linux,
            Algorithm::Htcp
            | Algorithm::Hybla
            | Algorithm::Illinois
            | Algorithm::Veno
            | Algorithm::Yeah
            | Algorithm::Compound
            | Algorithm::Cdg
            | Algorithm::Ledbat
            | Algorithm::LedbatPp => true,
            _ => false,
        }
    }

    /// Whether the send time of each segment is recorded.
    pub(crate) fn keeps_times(&self) -> bool {
        matches!(self.recovery, Recovery::Vegas | Recovery::Rack) || self.times_segments()
    }

    /// Bits of a full segment on the wire.
    pub(crate) fn wire_bits(&self) -> f64 {
        self.segment_bytes().0 as f64 * 8.0
    }

    /// The first segment with data: 1 if segment 0 opens the connection as in ns-2.
    pub(crate) fn first_segment(&self) -> u32 {
        u32::from(self.handshake == Handshake::Ns2Syn || self.bare_first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4 031 808 bytes, a machine of 512 MB: 2 550 118 bytes of payload, 1761 segments of 1448.
    #[test]
    fn the_receive_buffer_bounds_the_window() {
        let mut params =
            Params { mss: Bytes(1448), receive_buffer: Some(Bytes(4_031_808)), ..Params::default() };
        assert_eq!(params.receive_window(), 1761);
        params.window = Some(100);
        assert_eq!(params.receive_window(), 100);
        (params.window, params.receive_buffer) = (None, None);
        assert_eq!(params.receive_window(), u32::MAX);
    }
}
