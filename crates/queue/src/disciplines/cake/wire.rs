//! Size of a packet on the link, as CAKE counts it.
//!
//! Reference: HTM18 section III; tc-cake(8).
//! Units: bytes.

use units::framing::LineFraming;
use units::Bytes;

/// How sizes are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    pub(super) uncounted: u64,
    pub(super) line: LineFraming,
}

impl Wire {
    /// Size of a packet on the link.
    #[inline]
    pub(super) fn size(&self, packet: Bytes) -> Bytes {
        Bytes(self.line.size(packet.0.saturating_sub(self.uncounted)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::framing::Framing;

    #[test]
    fn bytes_that_the_line_does_not_carry_count_nowhere() {
        let wire =
            Wire { uncounted: 14, line: LineFraming { overhead: 18, least: 64, framing: Framing::Plain } };
        assert_eq!([1514, 42, 7].map(|size| wire.size(Bytes(size)).0), [1518, 64, 64]);
    }
}
