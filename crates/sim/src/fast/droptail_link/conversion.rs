//! Conversion to an arrival link, where data queues.

use super::DroptailLink;
use crate::fast::{ArrivalLink, FastLink};

impl DroptailLink {
    /// Precondition of [`DroptailLink::into_arrival_link`]: it has a probe and room for a packet.
    pub(in crate::fast) fn can_be_converted(&self) -> bool {
        self.has_probe() && self.limit_plus_one.get() > 1
    }

    /// The same link, which has seen no packet yet, for arrivals that find a queue.
    pub(in crate::fast) fn into_arrival_link(mut self) -> ArrivalLink {
        let limit = u64::from(self.limit_plus_one.get()) - 1;
        let probe = self.take_probe();
        ArrivalLink::tail_drop(self.component, limit, self.byte_time.rate(), self.delay, probe)
    }
}
