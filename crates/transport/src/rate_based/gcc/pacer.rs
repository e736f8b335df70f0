//! Pacer: packets leave in a group each `burst_time`, of the target rate's size.
//!
//! *Reference*: GCC02 section 4.
//! *Units*: bytes of payload.
//! *Deviations*: a group that is smaller than a packet is borrowed: the next groups are smaller.

use units::{Span, Time};

/// Pacer of one flow.
#[derive(Clone, Debug)]
pub struct GroupPacer {
    burst: Span,
    next: Time,
    /// Bytes that may leave; less than zero: bytes borrowed.
    budget: f64,
}

impl GroupPacer {
    /// No packets yet.
    pub fn new(burst: Span) -> GroupPacer {
        GroupPacer { burst, next: Time::ZERO, budget: 0.0 }
    }

    /// Begins a group if its time has come. `rate`: bytes per second.
    pub fn tick(&mut self, now: Time, rate: f64) {
        if self.next > now {
            return;
        }
        // Groups in which nothing waited add nothing, except to what was borrowed.
        let missed = now.since(self.next).ratio(self.burst).floor().min(1e6);
        let group = rate * self.burst.as_secs();
        self.budget = (self.budget + missed * group).min(0.0) + group;
        self.next = now + self.burst;
    }

    /// Whether a packet may leave.
    pub fn may_send(&self) -> bool {
        self.budget > 0.0
    }

    /// A packet left.
    pub fn sent(&mut self, payload: f64) {
        self.budget -= payload;
    }

    /// When the next group begins.
    pub fn next(&self) -> Time {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(rate: f64, ticks: u64) -> Vec<u32> {
        let mut pacer = GroupPacer::new(Span::from_millis(5));
        (0..ticks)
            .map(|n| {
                pacer.tick(Time(5_000_000 * n), rate);
                let mut packets = 0;
                while pacer.may_send() {
                    pacer.sent(1000.0);
                    packets += 1;
                }
                packets
            })
            .collect()
    }

    /// 500 kB/s: 2500 B each 5 ms, two packets and three in turn; 100 kB/s: a packet each second group.
    #[test]
    fn groups_by_hand() {
        assert_eq!(leaves(500e3, 4), [3, 2, 3, 2]);
        assert_eq!(leaves(100e3, 5), [1, 0, 1, 0, 1]);
    }

    /// After a second without packets there is one group, not 200.
    #[test]
    fn a_break_is_not_made_up_for() {
        let mut pacer = GroupPacer::new(Span::from_millis(5));
        pacer.tick(Time::ZERO, 500e3);
        pacer.tick(Time(1_000_000_000), 500e3);
        assert_eq!(pacer.budget, 2500.0);
    }
}
