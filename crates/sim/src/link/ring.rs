//! A device's ring: packets that have left the discipline and wait for the line.

use super::Link;
use std::collections::VecDeque;
use units::Time;

/// A device that takes packets from the discipline before it can send them. When each of them will be sent is known
/// as it is taken.
pub(super) struct Ring {
    /// Packets it holds beside the one on the wire.
    room: usize,
    /// When the last of them, at most `room`, begin to be sent.
    starts: VecDeque<Time>,
}

impl Ring {
    /// A packet that begins to be sent at `start` was taken at `now`: when there is room for the next.
    pub(super) fn take(&mut self, start: Time, now: Time) -> Time {
        if self.starts.len() == self.room {
            self.starts.pop_front();
        }
        self.starts.push_back(start);
        if self.starts.len() < self.room {
            return now;
        }
        self.starts[0].max(now)
    }
}

impl Link {
    /// Its device takes this many packets from the discipline before it can send them.
    pub fn hold_in_ring(&mut self, packets: u64) {
        if packets > 0 {
            let transmitter = &mut self.works().transmitter;
            transmitter.ahead = false;
            transmitter.ring = Some(Box::new(Ring { room: packets as usize, starts: VecDeque::new() }));
        }
    }

    /// Where the end of each transmission is an event: when the transmitter can take the next packet.
    pub fn ready(&self) -> Time {
        self.works.as_ref().map_or(Time::NEVER, |works| works.transmitter.ready)
    }
}
