//! Packets that are neither acknowledged nor marked lost, in the order they were sent.

use std::collections::VecDeque;

/// A packet in flight, by what its sender keeps of it.
pub(crate) trait Sent {
    /// Sequence number.
    fn seq(&self) -> u32;
}

impl Sent for u32 {
    fn seq(&self) -> u32 {
        *self
    }
}

/// Removes acknowledged packets; returns how many. None above `highest` is covered, so only those up to it are looked
/// at: a report costs what it acknowledges, however many packets are in flight.
pub(crate) fn remove_acknowledged<T: Sent>(
    outstanding: &mut VecDeque<T>,
    highest: u32,
    covers: impl Fn(u32) -> bool,
) -> usize {
    let reached = outstanding.partition_point(|sent| sent.seq() <= highest);
    let mut kept = 0;
    for at in 0..reached {
        if !covers(outstanding[at].seq()) {
            outstanding.swap(kept, at);
            kept += 1;
        }
    }
    outstanding.drain(kept..reached);
    reached - kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn acknowledged_packets_go_and_the_others_keep_their_order() {
        let mut outstanding: VecDeque<u32> = (10..20).collect();
        assert_eq!(remove_acknowledged(&mut outstanding, 15, |seq| seq % 2 == 0), 3);
        assert_eq!(outstanding, [11, 13, 15, 16, 17, 18, 19]);
        assert_eq!(remove_acknowledged(&mut outstanding, 9, |_| true), 0);
        assert_eq!(remove_acknowledged(&mut outstanding, 99, |_| true), 7);
    }

    /// A million packets in flight, and a report of the second: two are looked at.
    #[test]
    fn a_report_costs_what_it_acknowledges() {
        let mut outstanding: VecDeque<u32> = (0..1_000_000).collect();
        let looks = Cell::new(0);
        let covers = |seq| {
            looks.set(looks.get() + 1);
            seq == 1
        };
        assert_eq!(remove_acknowledged(&mut outstanding, 1, covers), 1);
        assert_eq!((looks.get(), outstanding.len()), (2, 999_999));
    }
}
