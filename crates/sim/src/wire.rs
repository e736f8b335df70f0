//! A packet on the wire of a link.

use units::{Bytes, Rate, Span, Time};

/// First and last bit on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnWire {
    /// When the first is sent.
    pub start: Time,
    /// When the last is.
    pub finish: Time,
}

impl OnWire {
    /// When a packet of this size reaches the far end. Where moments are doubles, the time on the wire and the delay are added
    /// before the start is, as in ns-2.
    #[inline(always)]
    pub fn lands(&self, size: u32, rate: Rate, delay: Span) -> Time {
        if self.start.is_apart() {
            return self.lands_in_doubles(size, rate, delay);
        }
        Time(self.finish.0 + delay.0)
    }

    #[cold]
    fn lands_in_doubles(&self, size: u32, rate: Rate, delay: Span) -> Time {
        self.start.plus_secs(rate.secs_for(Bytes(u64::from(size))) + delay.0 as f64 / 1e9)
    }
}
