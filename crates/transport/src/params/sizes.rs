//! Sizes of segments, and whether each is timed, derived from the options.

use super::{Algorithm, Handshake, Params, Recovery, RttSamples, VegasRule, WestwoodRule};
use units::Bytes;

impl Params {
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
        match self.cc {
            Algorithm::Vegas => matches!(self.vegas_rule, VegasRule::Brakmo | VegasRule::Linux),
            Algorithm::Westwood => self.westwood_rule == WestwoodRule::Linux,
            Algorithm::Htcp
            | Algorithm::Hybla
            | Algorithm::Illinois
            | Algorithm::Veno
            | Algorithm::Yeah
            | Algorithm::Compound => true,
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
