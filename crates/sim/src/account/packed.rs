//! 128-bit integers without padding.

/// A 128-bit integer with the alignment of its 64-bit halves (lower first), so that structs around it need no padding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PackedU128([u64; 2]);

impl PackedU128 {
    #[inline(always)]
    pub(super) fn of(number: u128) -> PackedU128 {
        PackedU128([number as u64, (number >> 64) as u64])
    }

    #[inline(always)]
    pub(super) fn get(self) -> u128 {
        u128::from(self.0[1]) << 64 | u128::from(self.0[0])
    }

    #[inline(always)]
    pub(super) fn add(&mut self, number: u128) {
        *self = PackedU128::of(self.get() + number);
    }
}
