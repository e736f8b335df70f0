//! Which segments in flight were sent more than once: an acknowledgement that begins with such a one may answer either transmission.
//!
//! *Reference*: Karn's rule, RFC 6298 section 3, as ns-3 keeps it although timestamps would tell (`sample_repairs`).
//! *Units*: segments.

use crate::marks::Marks;

/// The segments sent more than once from the first unacknowledged one on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resent {
    marks: Marks,
    /// What lies below is forgotten.
    from: u32,
}

impl Resent {
    /// `seq`, of what is in flight from `una` to `max`, leaves once more.
    pub(crate) fn note(&mut self, seq: u32, una: u32, max: u32) {
        self.forget_below(una);
        self.marks.reserve(una, max);
        self.marks.insert(seq);
    }

    /// Whether `seq`, which is in flight, was sent more than once.
    pub(crate) fn has(&self, seq: u32) -> bool {
        self.marks.contains(seq)
    }

    /// The same of `first`, from which all up to `una` is acknowledged.
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
    fn what_is_acknowledged_is_forgotten() {
        let mut resent = Resent::default();
        resent.note(3, 3, 40);
        resent.note(5, 3, 40);
        assert!(!resent.take(0, 3), "below all");
        assert!(resent.take(3, 4));
        assert!(!resent.take(4, 6), "what an acknowledgement begins with decides");
        // The number that takes the same place in a store of 512.
        assert!(!resent.has(3 + 512) && !resent.has(5 + 512));
        resent.note(600, 590, 700);
        assert!(!resent.has(599) && resent.has(600));
    }
}
