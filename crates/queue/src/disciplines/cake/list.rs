//! Lists of queues, linked by index, so that a queue joins and leaves in constant time.
//!
//! Units: queues are counted.

use alloc::vec::Vec;

/// No queue.
const NONE: u32 = u32::MAX;

/// The links of all queues of a tin. A queue is in one list at most.
#[derive(Clone, Debug)]
pub(super) struct Links {
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Links {
    /// Links of `queues` queues that are in no list.
    pub(super) fn new(queues: usize) -> Links {
        Links { next: vec![NONE; queues], previous: vec![NONE; queues] }
    }
}

/// One list.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    head: u32,
    tail: u32,
    len: u32,
}

impl List {
    /// A list without queues.
    pub(super) const EMPTY: List = List { head: NONE, tail: NONE, len: 0 };

    /// Number of queues in the list.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// The first queue.
    #[inline]
    pub(super) fn front(&self) -> Option<usize> {
        (self.head != NONE).then_some(self.head as usize)
    }

    /// Appends a queue that is in no list.
    #[inline]
    pub(super) fn push_back(&mut self, links: &mut Links, i: usize) {
        links.next[i] = NONE;
        links.previous[i] = self.tail;
        match self.tail {
            NONE => self.head = i as u32,
            tail => links.next[tail as usize] = i as u32,
        }
        self.tail = i as u32;
        self.len += 1;
    }

    /// Removes a queue that is in this list.
    #[inline]
    pub(super) fn remove(&mut self, links: &mut Links, i: usize) {
        let (before, behind) = (links.previous[i], links.next[i]);
        match before {
            NONE => self.head = behind,
            before => links.next[before as usize] = behind,
        }
        match behind {
            NONE => self.tail = before,
            behind => links.previous[behind as usize] = before,
        }
        self.len -= 1;
    }

    /// Appends the queues of another list in their order.
    pub(super) fn append(&mut self, links: &mut Links, other: List) {
        match (self.tail, other.head) {
            (_, NONE) => return,
            (NONE, head) => self.head = head,
            (tail, head) => {
                links.next[tail as usize] = head;
                links.previous[head as usize] = tail;
            }
        }
        self.tail = other.tail;
        self.len += other.len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(list: &List, links: &Links) -> Vec<usize> {
        core::iter::successors(list.front(), |&i| (links.next[i] != NONE).then_some(links.next[i] as usize))
            .collect()
    }

    #[test]
    fn queues_leave_from_the_middle_and_lists_join() {
        let mut links = Links::new(8);
        let (mut one, mut other) = (List::EMPTY, List::EMPTY);
        (0..4).for_each(|i| one.push_back(&mut links, i));
        (4..6).for_each(|i| other.push_back(&mut links, i));
        one.remove(&mut links, 2);
        one.remove(&mut links, 0);
        one.append(&mut links, other);
        one.append(&mut links, List::EMPTY);
        one.push_back(&mut links, 2);
        assert_eq!((all(&one, &links), one.len()), (vec![1, 3, 4, 5, 2], 5));
        [2, 1, 3, 4, 5].iter().for_each(|&i| one.remove(&mut links, i));
        assert_eq!((one.front(), one.len()), (None, 0));
        one.append(&mut links, List::EMPTY);
        one.push_back(&mut links, 7);
        assert_eq!(all(&one, &links), [7]);
    }
}
