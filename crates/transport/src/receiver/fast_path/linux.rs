//! Fast path of a receiver with the rule `linux`: the expected segment while none is buffered.

use super::FastAck;
use crate::connection::wheel;
use crate::receiver::quick_ack::AGAIN;
use crate::receiver::Receiver;
use units::Time;

impl Receiver {
    /// Same as [`Receiver::on_segment_fast`] for a receiver whose ACKs offer the receive window: the ACK to send, if one
    /// is due, and that window in segments. `push`: the segment has PSH set. `None`, without effect, if it needs the
    /// slow path.
    #[inline]
    pub fn on_segment_fast_linux(
        &mut self,
        now: Time,
        (seq, size): (u32, u32),
        sent: Time,
        push: bool,
    ) -> Option<Option<(FastAck<'_>, u32)>> {
        let expected = seq == self.rcv_nxt && seq > 0 && self.held == 0;
        if !expected || self.ecn || self.pending || self.pending_syn || self.early {
            return None;
        }
        let timeout = self.store.params.ack_timeout;
        let quick_ack = self.store.quick_ack().filter(|quick_ack| quick_ack.offers)?;
        let (opened, paused) = quick_ack.arrived(now, sent, true, 0);
        if opened {
            self.quick_acks |= 1;
        }
        if paused {
            self.quick_acks = self.quick_acks.max(AGAIN);
        }
        self.bytes += u64::from(size);
        self.rcv_nxt = seq + 1;
        if self.echo_newest || self.unacked == 0 {
            self.echo = sent;
        }
        quick_ack.follow(now, seq + 1, self.highest.saturating_sub(seq + 1));
        self.unacked += 1;
        if !push && self.quick_acks == 0 && self.unacked < self.ack_every {
            if self.due == Time::NEVER {
                self.due = wheel::expiry(now, timeout);
            }
            return Some(None);
        }
        (self.unacked, self.due) = (0, Time::NEVER);
        quick_ack.held_back = 0;
        let (window, is_scarce) = quick_ack.offer(seq + 1, 0);
        self.quick_acks = if is_scarce { 0 } else { self.quick_acks.saturating_sub(1) };
        Some(Some((FastAck { ack: seq + 1, echo: self.echo, size: self.answer_size, sack: None }, window)))
    }
}
