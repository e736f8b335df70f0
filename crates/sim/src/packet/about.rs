//! What a packet says in bits.

use units::Ecn;

/// A packet's flags, class and ECN field, and the number of what it meets as it comes out of the calendar: bytes of one word, so that
/// they are copied in one move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About(u32);

const VIA: u32 = 8;
const CLASS: u32 = 16;
const ECN: u32 = 24;

impl About {
    /// These flags, class 0, not ECN-capable.
    #[inline(always)]
    pub const fn flags_only(flags: u8) -> About {
        About(flags as u32)
    }

    /// The flags.
    #[inline(always)]
    pub fn flags(self) -> u8 {
        self.0 as u8
    }

    /// What it meets as it comes out of the calendar, if that is common enough to have a number; else zero.
    #[inline(always)]
    pub fn via(self) -> u8 {
        (self.0 >> VIA) as u8
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

    /// The same with this number of what it meets.
    #[inline(always)]
    #[must_use]
    pub fn with_via(self, via: u8) -> About {
        self.with(VIA, via)
    }

    /// The same of this class.
    #[inline(always)]
    #[must_use]
    pub fn with_class(self, class: u8) -> About {
        self.with(CLASS, class)
    }

    /// The same with this ECN field.
    #[inline(always)]
    #[must_use]
    pub fn with_ecn(self, ecn: Ecn) -> About {
        self.with(ECN, ecn as u8)
    }

    #[inline(always)]
    fn with(self, place: u32, byte: u8) -> About {
        About(self.0 & !(0xff << place) | u32::from(byte) << place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_its_own() {
        let about = About::flags_only(0xa5).with_via(0xff).with_class(46).with_ecn(Ecn::Ce);
        assert_eq!((about.flags(), about.via(), about.class(), about.ecn()), (0xa5, 0xff, 46, Ecn::Ce));
        let changed = about.with_class(0).with_ecn(Ecn::Ect1).with_via(1);
        assert_eq!((changed.flags(), changed.via(), changed.class(), changed.ecn()), (0xa5, 1, 0, Ecn::Ect1));
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
            assert_eq!(about.with_ecn(ecn).ecn(), ecn);
        }
    }
}
