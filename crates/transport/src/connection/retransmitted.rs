//! Segments in flight that were retransmitted: an ACK that starts with one of them is ambiguous (Karn).
//!
//! *Reference*: Karn's rule, RFC 6298 section 3, as ns-3 applies it even with timestamps (`sample_retransmissions`).
//! *Units*: segments.

use crate::marks::Marks;

/// Retransmitted segments from the first unacknowledged one on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Retransmitted {
    marks: Marks,
    /// Everything below has been removed.
    from: u32,
}

impl Retransmitted {
    /// Records the retransmission of `seq`, with `[una, max)` outstanding.
    pub(crate) fn note(&mut self, seq: u32, una: u32, max: u32) {
        self.forget_below(una);
        self.marks.reserve(una, max);
        self.marks.insert(seq);
    }

    /// Whether `seq`, which is in flight, was retransmitted.
    pub(crate) fn has(&self, seq: u32) -> bool {
        self.marks.contains(seq)
    }

    /// Whether `first` was retransmitted; removes everything below `una`, now acknowledged.
    pub(crate) fn take(&mut self, first: u32, una: u32) -> bool {
        let was = self.has(first);
        self.forget_below(una);
        was
    }

    fn forget_below(&mut self, una: u32) {
        if self.from < una {
            self.marks.remove_range(self.from, una);
            self.from = una;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledged_segments_are_removed() {
        let mut retransmitted_set = Retransmitted::default();
        retransmitted_set.note(3, 3, 40);
        retransmitted_set.note(5, 3, 40);
        assert!(!retransmitted_set.take(0, 3), "below all");
        assert!(retransmitted_set.take(3, 4));
        assert!(!retransmitted_set.take(4, 6), "what an acknowledgement begins with decides");
        // The sequence number that shares its place in a ring of 512.
        assert!(!retransmitted_set.has(3 + 512) && !retransmitted_set.has(5 + 512));
        retransmitted_set.note(600, 590, 700);
        assert!(!retransmitted_set.has(599) && retransmitted_set.has(600));
    }
}
