//! Packets in flight: acknowledged, reordered, lost.
//!
//! *Reference*: RFC8298 section 4.1.2.4.
//! *Deviations*: assumed: the reordering window is at most a smoothed round trip.

use super::{ScreamReport, NAMED};
use std::collections::VecDeque;
use units::{Span, Time};

#[derive(Clone, Copy, Debug)]
struct Outstanding {
    seq: u32,
    /// When a higher packet was acknowledged first.
    missing: Option<Time>,
    lost: bool,
}

/// Packets that feedback has not named.
#[derive(Clone, Debug, Default)]
pub struct Arrivals {
    outstanding: VecDeque<Outstanding>,
    /// Longest time by which a missing packet was late.
    reordering: Span,
}

impl Arrivals {
    /// A packet left.
    pub fn sent(&mut self, seq: u32) {
        self.outstanding.push_back(Outstanding { seq, missing: None, lost: false });
    }

    /// Processes feedback; returns the number of packets lost.
    pub fn on_report(&mut self, now: Time, report: &ScreamReport, most: Span) -> u64 {
        let (mut lost, mut late) = (0, self.reordering);
        let window = self.reordering.min(most);
        self.outstanding.retain_mut(|packet| {
            if packet.seq > report.highest {
                return true;
            }
            if report.covers(packet.seq) {
                late = packet.missing.map_or(late, |since| late.max(now.since(since)));
                return false;
            }
            let since = *packet.missing.get_or_insert(now);
            if !packet.lost && now.since(since) >= window {
                packet.lost = true;
                lost += 1;
            }
            let named = packet.seq.saturating_add(NAMED) > report.highest;
            if !named && !packet.lost {
                lost += 1;
            }
            named
        });
        self.reordering = late;
        lost
    }

    /// All packets are lost; returns their number.
    pub fn give_up(&mut self) -> u64 {
        let lost = self.outstanding.iter().filter(|packet| !packet.lost).count();
        self.outstanding.clear();
        lost as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_based::scream::WORDS;

    fn report(highest: u32, missing: &[u32]) -> ScreamReport {
        let all = (1u64 << (highest + 1)) - 1;
        let bits = missing.iter().fold(all, |bits, seq| bits & !(1 << (highest - seq)));
        let mut received = [0; WORDS];
        received[0] = bits;
        let (echo, arrived) = (Time::ZERO, Time::ZERO);
        ScreamReport { number: 0, size: 72, echo, arrived, held: Span::ZERO, highest, received, marked: 0 }
    }

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// Packet 1 is missing at once and counts as lost. It arrives 30 ms later: from then on a missing packet has 30 ms.
    #[test]
    fn reordering_delays_the_next_loss() {
        let mut arrivals = Arrivals::default();
        let most = Span::from_millis(100);
        (0..8).for_each(|seq| arrivals.sent(seq));
        assert_eq!(arrivals.on_report(ms(0), &report(2, &[1]), most), 1);
        assert_eq!(arrivals.on_report(ms(10), &report(3, &[1]), most), 0, "counted once");
        assert_eq!(arrivals.on_report(ms(30), &report(4, &[]), most), 0);
        assert_eq!(arrivals.on_report(ms(40), &report(6, &[5]), most), 0);
        assert_eq!(arrivals.on_report(ms(69), &report(6, &[5]), most), 0);
        assert_eq!(arrivals.on_report(ms(70), &report(6, &[5]), most), 1);
        assert_eq!(arrivals.give_up(), 1, "packet 7");
    }
}
