//! Fast path of a receiver with accurate ECN: the expected segment without CE while none is buffered.

use crate::params::{AckRule, EcnRule};
use crate::receiver::Receiver;
use crate::segment::ByteOption;
use units::{Ecn, Time};

/// ACK with the counters of accurate ECN, without SYN and SACK blocks; see [`crate::Ack`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountingAck {
    /// The next segment expected.
    pub ack: u32,
    /// Send time of the segment that caused it.
    pub echo: Time,
    /// Bytes on the wire.
    pub size: u32,
    /// Marked segments modulo 8.
    pub ace: u8,
    /// Byte counters, if there is anything to report.
    pub bytes: Option<ByteOption>,
}

impl Receiver {
    /// Whether accurate ECN is negotiated.
    #[inline]
    pub fn counts_marks(&self) -> bool {
        self.ecn && self.ecn_rule == EcnRule::AccEcn
    }

    /// Same as [`Receiver::on_segment_fast`] for a receiver that [`Receiver::counts_marks`] and a segment without SYN
    /// and CE.
    #[inline]
    pub fn on_segment_fast_accecn(
        &mut self,
        now: Time,
        (seq, size): (u32, u32),
        sent: Time,
        ecn: Ecn,
    ) -> Option<Option<CountingAck>> {
        let expected = seq == self.rcv_nxt && seq > 0 && self.held == 0;
        let busy = self.pending || self.pending_syn || self.early || self.echo_ece;
        if !expected || busy || self.rule != AckRule::Rfc5681 {
            return None;
        }
        let headers = self.store.params.header_bytes().0 as u32;
        self.store.cold_part().answers.count_unmarked(ecn, size.saturating_sub(headers));
        self.bytes += u64::from(size);
        self.rcv_nxt = seq + 1;
        if self.echo_newest || self.unacked == 0 {
            self.echo = sent;
        }
        self.unacked += 1;
        if self.quick_acks == 0 && self.unacked < self.ack_every {
            if self.due == Time::NEVER {
                self.due = now + self.store.params.ack_timeout;
            }
            return Some(None);
        }
        (self.unacked, self.due) = (0, Time::NEVER);
        self.quick_acks = self.quick_acks.saturating_sub(1);
        let bytes = self.store.cold_part().answers.report_alone();
        let ack_size = self.store.params.ack_size.0 as u32 + bytes.map_or(0, |option| option.size());
        Some(Some(CountingAck { ack: seq + 1, echo: self.echo, size: ack_size, ace: self.ace, bytes }))
    }
}
