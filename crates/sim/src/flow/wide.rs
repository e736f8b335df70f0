//! Numbers of two words.

/// A number of 128 bits that keeps to the alignment of its halves, the lower first: what holds it need not be padded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wide([u64; 2]);

impl Wide {
    #[inline(always)]
    pub(super) fn of(number: u128) -> Wide {
        Wide([number as u64, (number >> 64) as u64])
    }

    #[inline(always)]
    pub(super) fn get(self) -> u128 {
        u128::from(self.0[1]) << 64 | u128::from(self.0[0])
    }

    #[inline(always)]
    pub(super) fn add(&mut self, number: u128) {
        *self = Wide::of(self.get() + number);
    }
}
