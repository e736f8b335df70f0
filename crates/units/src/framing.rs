//! Size of a packet on the wire of a line: overhead for each, a least size, cells or code words.
//!
//! Reference: HTM18 section III; tc-cake(8).
//! Units: bytes.

crate::choices! {
    /// The framing of a line.
    pub enum Framing {
        /// Nothing.
        Plain = "plain",
        /// ATM cells: 53 bytes for each 48, the last one filled up.
        Atm = "atm",
        /// PTM: 65 bytes for each 64.
        Ptm = "ptm",
    }
}

/// Bytes that a line adds to each packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineFraming {
    /// Headers and trailers of each packet.
    pub overhead: u64,
    /// Smallest size of a packet with them.
    pub least: u64,
    /// Cells or code words.
    pub framing: Framing,
}

impl LineFraming {
    /// The framing of a line that adds nothing.
    pub const NONE: LineFraming = LineFraming { overhead: 0, least: 0, framing: Framing::Plain };

    /// Size of a packet on the wire.
    #[inline]
    pub fn size(&self, packet: u64) -> u64 {
        let bare = (packet + self.overhead).max(self.least);
        match self.framing {
            Framing::Plain => bare,
            Framing::Atm => bare.div_ceil(48) * 53,
            Framing::Ptm => bare + bare.div_ceil(64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_on_the_wire_by_hand() {
        let size = |framing, overhead, least, packet| LineFraming { overhead, least, framing }.size(packet);
        assert_eq!(size(Framing::Plain, 18, 64, 1500), 1518);
        assert_eq!(size(Framing::Plain, 18, 64, 28), 64);
        // 1500 bytes and 32 of PPPoE fill 32 cells; 49 bytes need a second one.
        assert_eq!(size(Framing::Atm, 32, 0, 1500), 32 * 53);
        assert_eq!((size(Framing::Atm, 0, 0, 48), size(Framing::Atm, 0, 0, 49)), (53, 106));
        assert_eq!((size(Framing::Ptm, 0, 0, 64), size(Framing::Ptm, 0, 0, 1500)), (65, 1524));
        assert_eq!(LineFraming::NONE.size(1500), 1500);
    }
}
