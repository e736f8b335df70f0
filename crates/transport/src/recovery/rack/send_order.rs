//! Segments still expected, in the order of their last transmission: a list linked through the ledger.
//!
//! RACK asks two questions of every ACK: which segments were sent long enough before the newest one delivered, and
//! which of the others was sent last before it. The first are at the front of this list. For the second a cursor
//! follows the newest delivered segment, which only moves forward. Both take O(1) amortised over transmissions.
//!
//! *Reference*: RFC 8985 section 6.2 step 5, which leaves the data structure open.
//! *Units*: segments.

use crate::connection::NONE;
use crate::ledger::Ledger;
use units::Time;

/// Head, tail and cursor of the list. A segment is in it from each transmission until it arrives or is marked lost.
#[derive(Clone, Debug)]
pub(crate) struct SendOrder {
    oldest: u32,
    latest: u32,
    /// The last segment sent before the newest one delivered; `NONE` if there is none.
    candidate: u32,
}

impl Default for SendOrder {
    fn default() -> SendOrder {
        SendOrder { oldest: NONE, latest: NONE, candidate: NONE }
    }
}

impl SendOrder {
    /// The segments in the order of their transmission.
    #[inline]
    pub(super) fn iter<'a>(&self, ledger: &'a Ledger) -> impl Iterator<Item = u32> + 'a {
        let listed = |seq: u32| (seq != NONE).then_some(seq);
        std::iter::successors(listed(self.oldest), move |seq| listed(ledger.get(*seq).order.1))
    }

    /// Appends a segment that is being sent. Segments of one moment are ordered by number.
    #[inline]
    pub(crate) fn append(&mut self, ledger: &mut Ledger, seq: u32) {
        let key = (ledger.get(seq).at, seq);
        let mut before = self.latest;
        while before != NONE && (ledger.get(before).at, before) > key {
            before = ledger.get(before).order.0;
        }
        let after = if before == NONE { self.oldest } else { ledger.get(before).order.1 };
        ledger.get_mut(seq).order = (before, after);
        self.join(ledger, before, seq);
        self.join(ledger, seq, after);
    }

    /// The first segment of the list; `NONE` if it is empty.
    #[inline(always)]
    pub(super) fn oldest(&self) -> u32 {
        self.oldest
    }

    /// Appends a segment that is being sent and is the newest by number, so that none in the list follows it.
    #[inline(always)]
    pub(super) fn append_newest(&mut self, ledger: &mut Ledger, seq: u32) {
        let before = std::mem::replace(&mut self.latest, seq);
        debug_assert!(before == NONE || (ledger.get(before).at, before) < (ledger.get(seq).at, seq));
        ledger.get_mut(seq).order = (before, NONE);
        if before == NONE {
            self.oldest = seq;
        } else {
            ledger.get_mut(before).order.1 = seq;
        }
    }

    /// Removes a segment that is in the list.
    #[inline]
    pub(crate) fn remove(&mut self, ledger: &mut Ledger, seq: u32) {
        let (before, after) = ledger.get(seq).order;
        if self.candidate == seq {
            self.candidate = before;
        }
        if before == NONE {
            self.oldest = after;
        } else {
            ledger.get_mut(before).order.1 = after;
        }
        if after == NONE {
            self.latest = before;
        } else {
            ledger.get_mut(after).order.0 = before;
        }
    }

    /// Makes `second` follow `first`; `NONE` stands for either end.
    #[inline]
    fn join(&mut self, ledger: &mut Ledger, first: u32, second: u32) {
        if first == NONE {
            self.oldest = second;
        } else {
            ledger.get_mut(first).order.1 = second;
        }
        if second == NONE {
            self.latest = first;
        } else {
            ledger.get_mut(second).order.0 = first;
        }
    }

    /// The last segment sent before `newest`, which no later call may precede.
    #[inline]
    pub(super) fn last_before(&mut self, ledger: &Ledger, newest: (Time, u32)) -> Option<u32> {
        loop {
            let next = if self.candidate == NONE { self.oldest } else { ledger.get(self.candidate).order.1 };
            if next == NONE || (ledger.get(next).at, next) >= newest {
                break;
            }
            self.candidate = next;
        }
        (self.candidate != NONE).then_some(self.candidate)
    }

    /// Rebuilds the list from the segments expected, in any order.
    pub(super) fn rebuild(&mut self, ledger: &mut Ledger, mut expected: Vec<u32>) {
        *self = SendOrder::default();
        expected.sort_unstable_by_key(|seq| (ledger.get(*seq).at, *seq));
        expected.into_iter().for_each(|seq| self.append(ledger, seq));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(order: &mut SendOrder, ledger: &mut Ledger, ms: u64, seq: u32) {
        ledger.open(0, seq, false).at = Time(ms);
        order.append(ledger, seq);
    }

    fn in_order(order: &SendOrder, ledger: &Ledger) -> Vec<u32> {
        order.iter(ledger).collect()
    }

    /// Segment 1 is retransmitted at 5, together with the new segment 4, which was appended first.
    #[test]
    fn a_retransmission_moves_to_the_end() {
        let (mut order, mut ledger) = (SendOrder::default(), Ledger::default());
        (0..4).for_each(|seq| send(&mut order, &mut ledger, u64::from(seq), seq));
        send(&mut order, &mut ledger, 5, 4);
        order.remove(&mut ledger, 1);
        send(&mut order, &mut ledger, 5, 1);
        assert_eq!(in_order(&order, &ledger), [0, 2, 3, 1, 4]);
        order.remove(&mut ledger, 0);
        order.remove(&mut ledger, 4);
        assert_eq!(in_order(&order, &ledger), [2, 3, 1]);
        order.rebuild(&mut ledger, vec![4, 3, 2, 1, 0]);
        assert_eq!(in_order(&order, &ledger), [0, 2, 3, 1, 4]);
    }

    /// The cursor steps back when its segment leaves, and forward as later segments arrive.
    #[test]
    fn the_cursor_follows_the_newest_delivery() {
        let (mut order, mut ledger) = (SendOrder::default(), Ledger::default());
        (0..6).for_each(|seq| send(&mut order, &mut ledger, u64::from(seq), seq));
        assert_eq!(order.last_before(&ledger, (Time(0), 0)), None);
        assert_eq!(order.last_before(&ledger, (Time(3), 3)), Some(2));
        order.remove(&mut ledger, 2);
        assert_eq!(order.last_before(&ledger, (Time(3), 3)), Some(1));
        order.remove(&mut ledger, 0);
        order.remove(&mut ledger, 1);
        assert_eq!(order.last_before(&ledger, (Time(3), 3)), None);
        assert_eq!(order.last_before(&ledger, (Time(5), 5)), Some(4));
    }
}
