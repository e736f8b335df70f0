//! A packet in the queue of a [`RedLine`](super::RedLine).

use queue::disc::Packet;
use units::{Bytes, Ecn, Time};

/// What the queue holds of a packet: two words without a gap, so that it is copied in two moves.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// When its transmission starts.
    pub(super) start: Time,
    /// Its size, and its ECN field in the upper half.
    what: u64,
}

impl Slot {
    #[inline(always)]
    pub(super) fn new(start: Time, size: u32, ecn: Ecn) -> Slot {
        Slot { start, what: u64::from(size) | (ecn as u64) << 32 }
    }

    #[inline(always)]
    pub(super) fn bytes(&self) -> u32 {
        self.what as u32
    }
}

impl Packet for Slot {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.bytes()))
    }
    /// RED does not ask.
    fn flow(&self) -> u64 {
        0
    }
    /// As it was marked, if it was.
    #[inline]
    fn ecn(&self) -> Ecn {
        match self.what >> 32 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect0,
            2 => Ecn::Ect1,
            _ => Ecn::Ce,
        }
    }
    #[inline]
    fn set_ce(&mut self) {
        *self = Slot::new(self.start, self.bytes(), Ecn::Ce);
    }
    #[inline]
    fn enqueued(&self) -> Time {
        self.start
    }
    #[inline]
    fn set_enqueued(&mut self, _now: Time) {}
}
