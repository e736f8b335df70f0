//! Size of a packet on the link: overhead for each, a least size, cells or code words.
//!
//! Reference: HTM18 section III; tc-cake(8).
//! Units: bytes.

use units::Bytes;

units::choices! {
    /// The framing of the link.
    pub enum Framing {
        /// Nothing.
        Plain = "plain",
        /// ATM cells: 53 bytes for each 48, the last one filled up.
        Atm = "atm",
        /// PTM: 65 bytes for each 64.
        Ptm = "ptm",
    }
}

/// How sizes are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    pub(super) uncounted: u64,
    pub(super) overhead: u64,
    pub(super) least: u64,
    pub(super) framing: Framing,
}

impl Wire {
    /// Size of a packet on the link.
    #[inline]
    pub(super) fn size(&self, packet: Bytes) -> Bytes {
        let bare = (packet.0.saturating_sub(self.uncounted) + self.overhead).max(self.least);
        Bytes(match self.framing {
            Framing::Plain => bare,
            Framing::Atm => bare.div_ceil(48) * 53,
            Framing::Ptm => bare + bare.div_ceil(64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_by_hand() {
        let size = |framing, uncounted, overhead, least, packet| {
            Wire { uncounted, overhead, least, framing }.size(Bytes(packet)).0
        };
        assert_eq!(size(Framing::Plain, 14, 18, 64, 1514), 1518);
        assert_eq!(size(Framing::Plain, 14, 18, 64, 42), 64);
        // 1500 + 32 bytes are 32 cells; 48 bytes are one, 49 two.
        assert_eq!(size(Framing::Atm, 0, 32, 0, 1500), 32 * 53);
        assert_eq!((size(Framing::Atm, 0, 0, 0, 48), size(Framing::Atm, 0, 0, 0, 49)), (53, 106));
        assert_eq!((size(Framing::Ptm, 0, 0, 0, 64), size(Framing::Ptm, 0, 0, 0, 1500)), (65, 1524));
    }
}
