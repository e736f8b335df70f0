//! A packet in the queue of a [`ArrivalLink`](super::ArrivalLink).

use queue::disc::Packet;
use units::{Bytes, Ecn, Time};

/// A packet as the queue stores it: two words without padding, copied in two moves.
#[derive(Clone, Copy, Debug)]
pub struct QueuedPacket {
    /// When its transmission starts.
    pub(super) start: Time,
    /// Size in the lower half, ECN field in the upper half.
    what: u64,
}

impl QueuedPacket {
    #[inline(always)]
    pub(super) fn new(start: Time, size: u32, ecn: Ecn) -> QueuedPacket {
        QueuedPacket { start, what: u64::from(size) | (ecn as u64) << 32 }
    }

    #[inline(always)]
    pub(super) fn bytes(&self) -> u32 {
        self.what as u32
    }
}

impl Packet for QueuedPacket {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.bytes()))
    }
    /// RED does not use the flow.
    fn flow(&self) -> u64 {
        0
    }
    /// CE if it was marked.
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
        *self = QueuedPacket::new(self.start, self.bytes(), Ecn::Ce);
    }
    #[inline]
    fn enqueued(&self) -> Time {
        self.start
    }
    #[inline]
    fn set_enqueued(&mut self, _now: Time) {}
}
