//! Segments and acknowledgements. Sequence numbers count segments: every segment of a flow but the last of a
//! finite file carries the same payload, so a segment number stands for a byte range.

use units::param::{require, Problem};
use units::quantity::show_bytes;
use units::{Bytes, Ecn, Time};

/// Role of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Carries data.
    #[default]
    Data,
    /// Opens the connection.
    Syn,
}

/// A segment from the sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Sequence number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Send time; the timestamp option.
    pub sent: Time,
    /// Data or SYN.
    pub role: Role,
    /// ECN field.
    pub ecn: Ecn,
    /// The sender has reduced its window (CWR flag).
    pub cwr: bool,
    /// Retransmission.
    pub retransmit: bool,
    /// PSH flag: last of a burst of new segments.
    pub push: bool,
    /// On a SYN, the ECN flags AE, CWR and ECE, AE the highest of three bits (RFC 9768 section 3.1.1).
    pub ecn_flags: u8,
}

impl Segment {
    /// Returns a new data segment, not ECN-capable.
    #[inline(always)]
    pub fn data(seq: u32, size: u32, sent: Time) -> Segment {
        Segment {
            seq,
            size,
            sent,
            role: Role::Data,
            ecn: Ecn::NotEct,
            cwr: false,
            retransmit: false,
            push: false,
            ecn_flags: 0,
        }
    }
}

/// Refuses packets of 1 GiB or more, so that sums of a few packet sizes fit 32 bits.
pub(crate) fn require_packet(mss: Bytes, headers: Bytes, problems: &mut Vec<Problem>) {
    let fits = mss.0.saturating_add(headers.0) <= 1 << 30;
    require(problems, fits, "mss", show_bytes(mss), "a packet must stay below 1 GiB", "");
}

/// Maximum number of SACK blocks in an ACK (three with timestamps, four without).
pub const MAX_SACK_BLOCKS: usize = 4;

/// SACK blocks, each from the first segment received to one past the last (RFC 2018), most recent first.
///
/// A block is one word with its end in the upper half, so that blocks compare at once. No block is zero, as
/// its end exceeds its start; unused places are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks([u64; MAX_SACK_BLOCKS]);

/// Increment that lengthens a block by one segment.
const LONGER: u64 = 1 << 32;

#[inline(always)]
fn word(start: u32, end: u32) -> u64 {
    u64::from(end) << 32 | u64::from(start)
}

#[inline(always)]
fn block(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

impl SackBlocks {
    /// Adds a block if there is room.
    #[inline]
    pub fn push(&mut self, start: u32, end: u32) {
        if let Some(free) = self.0.iter_mut().find(|held| **held == 0) {
            *free = word(start, end);
        }
    }

    /// The blocks, most recent first.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().take_while(|held| **held != 0).map(|held| block(*held))
    }

    /// The blocks that `is_wanted` selects by place, start and end, lowest first.
    #[inline]
    pub(crate) fn lowest_first(&self, is_wanted: impl Fn(usize, u32, u32) -> bool) -> SackBlocks {
        let (mut wanted, mut count) = (SackBlocks::default(), 0);
        for (place, (start, end)) in self.iter().enumerate() {
            if is_wanted(place, start, end) {
                wanted.set(count, start, end);
                count += 1;
            }
        }
        if count > 1 {
            wanted.0[..count].sort_unstable_by_key(|held| block(*held));
        }
        wanted
    }

    /// Number of blocks.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().filter(|held| **held != 0).count()
    }

    /// Whether there are no blocks.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0[0] == 0
    }

    /// The block at `place`, empty if there is none.
    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> (u32, u32) {
        block(self.0[place])
    }

    /// Sets the block at `place`; an empty block at 0 counts as none.
    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, start: u32, end: u32) {
        self.0[place] = word(start, end);
    }

    /// One past the last segment of the first block; zero without blocks.
    #[inline(always)]
    pub(crate) fn first_end(&self) -> u32 {
        (self.0[0] >> 32) as u32
    }

    /// Inserts a block at the front and keeps at most `most` blocks.
    #[inline]
    pub(crate) fn push_first(&mut self, start: u32, end: u32, most: usize) {
        let [first, second, third, _] = self.0;
        self.0 = [word(start, end), first, second, third];
        self.0.iter_mut().skip(most).for_each(|held| *held = 0);
    }

    /// The part of `[from, past)` left without the parts at either end that they cover; empty if they cover all.
    #[inline]
    pub(crate) fn trim(&self, mut from: u32, mut past: u32) -> (u32, u32) {
        for (start, end) in self.iter() {
            if start <= from && from < end {
                from = end;
            }
            if start < past && past <= end {
                past = start;
            }
        }
        (from, past)
    }

    /// Lengthens the first block by one segment.
    #[inline(always)]
    pub(crate) fn lengthen_first(&mut self) {
        self.0[0] += LONGER;
    }

    /// Whether they equal `before` except that the first block is one segment longer.
    #[inline(always)]
    pub(crate) fn lengthen(&self, before: &SackBlocks) -> bool {
        self.0[0] == before.0[0] + LONGER && self.0[1..] == before.0[1..]
    }

    /// Whether they are a block of one segment followed by `before`, as far as there is room.
    #[inline(always)]
    pub(crate) fn precede(&self, before: &SackBlocks) -> bool {
        let (start, end) = self.get(0);
        let ([_, b, c, d], [f, g, h, _]) = (self.0, before.0);
        end == start.wrapping_add(1) && b == f && c == g && (d == h || d == 0)
    }
}

/// The AccECN option: bytes received, modulo 2^24, by ECN field (RFC 9768 section 3.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteOption {
    /// Order 1: the fields are those of ECT(1), CE, ECT(0); otherwise (order 0) of ECT(0), CE, ECT(1).
    pub ect1_first: bool,
    /// Number of fields present, from the first.
    pub fields: u8,
    /// Bytes with ECT(0), plus one.
    pub e0b: u32,
    /// Bytes with CE.
    pub ceb: u32,
    /// Bytes with ECT(1), plus one.
    pub e1b: u32,
}

impl ByteOption {
    /// Length of the option, without padding.
    pub fn length(&self) -> u32 {
        2 + 3 * u32::from(self.fields)
    }

    /// Bytes it adds to a header, padded to whole words.
    pub fn size(&self) -> u32 {
        self.length().next_multiple_of(4)
    }

    /// Bytes with CE, if the field is present.
    pub fn marked(&self) -> Option<u32> {
        (self.fields >= 2).then_some(self.ceb)
    }
}

/// An acknowledgement from the receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// The next segment expected: everything below has arrived.
    pub ack: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Timestamp echo: send time of the segment that caused this ACK (RFC 7323 rules).
    pub echo: Time,
    /// SACK blocks above `ack`.
    pub sack: SackBlocks,
    /// ECN echo.
    pub ece: bool,
    /// Acknowledges the SYN.
    pub syn: bool,
    /// Segments received with CE, plus 5, modulo 8 (accurate ECN, RFC 9768); on a SYN-ACK the ECN flags AE,
    /// CWR and ECE, AE the highest of three bits.
    pub ace: u8,
    /// The AccECN option: bytes received by ECN field.
    pub bytes: Option<ByteOption>,
    /// Receive window in segments beyond `ack`; `None`: as before.
    pub window: Option<u32>,
}

impl Ack {
    /// Returns an acknowledgement without SACK blocks, marks and options.
    #[inline(always)]
    pub fn plain(ack: u32, size: u32, echo: Time) -> Ack {
        Ack {
            ack,
            size,
            echo,
            sack: SackBlocks::default(),
            ece: false,
            syn: false,
            ace: 0,
            bytes: None,
            window: None,
        }
    }

    /// The segment that a DSACK reports as a duplicate: the first block lies below the cumulative ACK or
    /// within the second block (RFC 2883 section 4).
    pub(crate) fn dsack(&self) -> Option<u32> {
        let ((start, end), (from, past)) = (self.sack.get(0), self.sack.get(1));
        let within = from <= start && end <= past;
        (start < end && (end <= self.ack || within)).then_some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_order_and_follow_one_another() {
        let mut before = SackBlocks::default();
        assert!(before.is_empty());
        [(7, 9), (3, 4)].into_iter().for_each(|(start, end)| before.push(start, end));
        assert_eq!((before.iter().collect::<Vec<_>>(), before.len()), (vec![(7, 9), (3, 4)], 2));
        let mut after = before;
        assert!(!after.lengthen(&before));
        after.lengthen_first();
        assert!(after.lengthen(&before) && after.first_end() == 10);
        after.set(1, 3, 5);
        assert!(!after.lengthen(&before) && !after.precede(&before));
        let mut new = SackBlocks::default();
        [(12, 13), (7, 9), (3, 4)].into_iter().for_each(|(start, end)| new.push(start, end));
        assert!(new.precede(&before) && !new.lengthen(&before));
        (0..4u32).for_each(|n| after.push(20 + 2 * n, 21 + 2 * n));
        assert_eq!(after.iter().last(), Some((22, 23)), "two had room");
        let ordered: Vec<(u32, u32)> = new.lowest_first(|place, _, _| place != 1).iter().collect();
        assert_eq!(ordered, [(3, 4), (12, 13)]);
        assert_eq!(before.trim(6, 12), (6, 12));
        assert_eq!((before.trim(7, 12), before.trim(1, 9)), ((9, 12), (1, 7)));
        let (from, past) = before.trim(7, 8);
        assert!(from >= past, "covered");
        after.push_first(30, 31, 3);
        assert_eq!(after.iter().collect::<Vec<_>>(), [(30, 31), (7, 10), (3, 5)]);
    }
}
