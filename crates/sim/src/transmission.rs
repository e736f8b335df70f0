//! The transmission of one packet on a link.

use units::{Bytes, Rate, Span, Time};

/// When the first and the last bit of a packet are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// First bit.
    pub start: Time,
    /// Last bit.
    pub finish: Time,
}

impl Transmission {
    /// When a packet of this size reaches the far end. On a clock of doubles the transmission time and the delay are
    /// summed before the start is added, as in ns-2.
    #[inline(always)]
    pub fn arrival_time(&self, size: u32, rate: Rate, delay: Span) -> Time {
        if self.start.is_special() {
            return self.arrival_time_in_doubles(size, rate, delay);
        }
        Time(self.finish.0 + delay.0)
    }

    #[cold]
    fn arrival_time_in_doubles(&self, size: u32, rate: Rate, delay: Span) -> Time {
        self.start.plus_secs(rate.secs_for(Bytes(u64::from(size))) + delay.0 as f64 / 1e9)
    }
}
