//! Data of the stream: pieces of a packet's size, new ones and those of lost packets.
//!
//! *Reference*: RFC 9000 section 13.3: data of a lost packet leaves in a new packet.
//! *Units*: pieces.

use crate::marks::Marks;
use std::collections::BTreeSet;

/// The sender's side of the stream.
#[derive(Clone, Debug, Default)]
pub struct SendStream {
    /// The next new piece.
    next: u32,
    /// One past the last piece supplied.
    limit: u32,
    /// Pieces of lost packets that wait to be sent again.
    lost: BTreeSet<u32>,
    /// Everything below is delivered, and these pieces above.
    delivered_below: u32,
    delivered: Marks,
}

impl SendStream {
    /// Supplies pieces: `limit` in total.
    pub fn provide(&mut self, limit: u32) {
        self.limit = limit;
    }

    /// Discards the pieces not sent yet.
    pub fn cease(&mut self) {
        self.limit = self.limit.min(self.next);
    }

    /// Pieces sent at least once.
    pub fn sent(&self) -> u32 {
        self.next
    }

    /// Pieces delivered without a gap.
    pub fn delivered(&self) -> u32 {
        self.delivered_below
    }

    /// Whether there is a piece to send.
    pub fn has_data(&self) -> bool {
        !self.lost.is_empty() || self.next < self.limit
    }

    /// The next piece to send, and whether it was sent before: lost ones first.
    pub fn take(&mut self) -> Option<(u32, bool)> {
        self.take_lost().map(|piece| (piece, true)).or_else(|| self.take_new().map(|piece| (piece, false)))
    }

    /// The first lost piece.
    pub fn take_lost(&mut self) -> Option<u32> {
        self.lost.pop_first()
    }

    fn take_new(&mut self) -> Option<u32> {
        let piece = self.next;
        (piece < self.limit).then(|| {
            self.next += 1;
            piece
        })
    }

    fn is_delivered(&self, piece: u32) -> bool {
        piece < self.delivered_below || self.delivered.contains(piece)
    }

    /// Records that a piece has arrived.
    pub fn deliver(&mut self, piece: u32) {
        self.lost.remove(&piece);
        if piece < self.delivered_below {
            return;
        }
        self.delivered.reserve(self.delivered_below, self.next);
        self.delivered.insert(piece);
        if piece == self.delivered_below {
            let end = self.delivered.first_absent(piece, self.next).unwrap_or(self.next);
            self.delivered.remove_range(piece, end);
            self.delivered_below = end;
        }
    }

    /// Records that the packet of a piece was lost.
    pub fn lose(&mut self, piece: u32) {
        if !self.is_delivered(piece) {
            self.lost.insert(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 to 3 leave; 1 is lost and leaves before 4. 0 and 2 arrive, then 1: 3 is the next without a gap.
    #[test]
    fn lost_pieces_go_first() {
        let mut stream = SendStream::default();
        stream.provide(5);
        let first: Vec<_> = (0..4).map(|_| stream.take().unwrap()).collect();
        assert_eq!(first, [(0, false), (1, false), (2, false), (3, false)]);
        stream.deliver(0);
        stream.deliver(2);
        stream.lose(1);
        stream.lose(2);
        assert_eq!((stream.take(), stream.take(), stream.take()), (Some((1, true)), Some((4, false)), None));
        assert_eq!(stream.delivered(), 1);
        stream.deliver(1);
        assert_eq!(stream.delivered(), 3);
    }

    /// A late ACK of a piece that waits to be sent again.
    #[test]
    fn a_piece_that_arrived_after_all_is_not_sent_again() {
        let mut stream = SendStream::default();
        stream.provide(1);
        stream.take();
        stream.lose(0);
        assert!(stream.has_data());
        stream.deliver(0);
        assert!(!stream.has_data());
    }
}
