//! The small fields of a packet, in one word.

use units::Ecn;

/// A packet's flags, class, ECN field and hop code: bytes of one word, so that they are copied in one move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes(u32);

const HOP_CODE: u32 = 8;
const CLASS: u32 = 16;
const ECN: u32 = 24;

impl Attributes {
    /// These flags, class 0, not ECN-capable.
    #[inline(always)]
    pub const fn flags_only(flags: u8) -> Attributes {
        Attributes(flags as u32)
    }

    /// The flags.
    #[inline(always)]
    pub fn flags(self) -> u8 {
        self.0 as u8
    }

    /// The code of the hop at which it leaves the event queue, if that hop is common enough to have one; else zero.
    #[inline(always)]
    pub fn hop_code(self) -> u8 {
        (self.0 >> HOP_CODE) as u8
    }

    /// Its class or precedence.
    #[inline(always)]
    pub fn class(self) -> u8 {
        (self.0 >> CLASS) as u8
    }

    /// Its ECN field.
    #[inline(always)]
    pub fn ecn(self) -> Ecn {
        match self.0 >> ECN {
            0 => Ecn::NotEct,
            1 => Ecn::Ect0,
            2 => Ecn::Ect1,
            _ => Ecn::Ce,
        }
    }

    /// Whether it has none of these flags and its ECN field is neither CE nor ECT(1), which share a bit: one
    /// comparison.
    #[inline(always)]
    pub fn has_neither(self, flags: u8) -> bool {
        const MARKED: u32 = (Ecn::Ce as u32 & Ecn::Ect1 as u32) << ECN;
        self.0 & (MARKED | flags as u32) == 0
    }

    /// The same with this hop code.
    #[inline(always)]
    #[must_use]
    pub fn with_hop_code(self, hop_code: u8) -> Attributes {
        self.with(HOP_CODE, hop_code)
    }

    /// The same with these flags, too.
    #[inline(always)]
    #[must_use]
    pub fn and_flags(self, flags: u8) -> Attributes {
        Attributes(self.0 | u32::from(flags))
    }

    /// The same with this class.
    #[inline(always)]
    #[must_use]
    pub fn with_class(self, class: u8) -> Attributes {
        self.with(CLASS, class)
    }

    /// The same with this ECN field.
    #[inline(always)]
    #[must_use]
    pub fn with_ecn(self, ecn: Ecn) -> Attributes {
        self.with(ECN, ecn as u8)
    }

    #[inline(always)]
    fn with(self, place: u32, byte: u8) -> Attributes {
        Attributes(self.0 & !(0xff << place) | u32::from(byte) << place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_its_own() {
        let attributes = Attributes::flags_only(0xa5).with_hop_code(0xff).with_class(46).with_ecn(Ecn::Ce);
        assert_eq!(
            (attributes.flags(), attributes.hop_code(), attributes.class(), attributes.ecn()),
            (0xa5, 0xff, 46, Ecn::Ce)
        );
        let changed = attributes.with_class(0).with_ecn(Ecn::Ect1).with_hop_code(1);
        assert_eq!(
            (changed.flags(), changed.hop_code(), changed.class(), changed.ecn()),
            (0xa5, 1, 0, Ecn::Ect1)
        );
        assert_eq!(
            attributes.and_flags(0x10),
            Attributes::flags_only(0xb5).with_hop_code(0xff).with_class(46).with_ecn(Ecn::Ce)
        );
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
            assert_eq!(attributes.with_ecn(ecn).ecn(), ecn);
        }
    }
}
