//! The short way of most segments and acknowledgements: the one expected, nothing held, nothing to be said of ECN. What it does is
//! what the general code does then.

use super::{Receiver, NONE};
use units::Time;

impl Receiver {
    /// Finds out whether the short way is open, after anything that may have changed it.
    #[inline]
    pub(super) fn look_for_quiet(&mut self) {
        let busy = self.ecn || self.early || self.pending_syn || self.held > 0 || self.quick_acks > 0;
        self.straight = if busy || self.rcv_nxt == 0 { NONE } else { self.rcv_nxt };
    }

    /// A data segment arrives, in parts: the short way where it is the next one, none is held and nothing is to be said of
    /// ECN. False if it is to take the long way by [`Receiver::on_segment`].
    #[inline(always)]
    pub fn on_next(&mut self, now: Time, seq: u32, size: u32, sent: Time) -> bool {
        if seq != self.straight {
            return false;
        }
        self.received += 1;
        self.bytes += u64::from(size);
        if self.unacked == 0 {
            self.echo = sent;
        }
        self.rcv_nxt = seq + 1;
        (self.straight, self.highest) = (self.rcv_nxt, self.rcv_nxt);
        self.unacked += 1;
        if self.unacked >= self.ack_every {
            self.pending = true;
            self.due = Time::NEVER;
        } else if self.due == Time::NEVER {
            self.due = now + self.ack_timeout;
        }
        true
    }

    /// The next acknowledgement to send, if it is one that says no more than its number and the time it echoes; its size
    /// comes last. After it there is no other. `None`: ask [`Receiver::poll_transmit`].
    #[inline(always)]
    pub fn poll_bare(&mut self) -> Option<(u32, Time, u32)> {
        if self.straight == NONE || !self.pending {
            return None;
        }
        self.pending = false;
        self.unacked = 0;
        self.acks += 1;
        Some((self.rcv_nxt, self.echo, self.ack_size))
    }
}
