//! Packet spacer: departures at a rate while the source has data.
//!
//! *Units*: seconds unless stated otherwise.

use super::ENDLESS;
use units::{Span, Time};

/// Departure schedule of packets.
#[derive(Clone, Copy, Debug)]
pub struct Spacer {
    /// Packets supplied by the source.
    limit: u32,
    /// Sequence number of the next packet.
    pub seq: u32,
    last: Time,
    next: Option<Time>,
    due: u32,
    ceased: bool,
    /// The source was empty when a packet could have left, since [`Spacer::take_starved`].
    starved: bool,
}

impl Default for Spacer {
    fn default() -> Spacer {
        Spacer { limit: ENDLESS, seq: 0, last: Time::ZERO, next: None, due: 0, ceased: false, starved: false }
    }
}

impl Spacer {
    /// Supplies `packets` in total; one may leave at once if its time has passed.
    pub fn provide(&mut self, now: Time, packets: u32, started: bool) {
        let waited = self.seq >= self.limit;
        self.limit = packets;
        if started && waited && self.next.is_none() && self.seq < packets {
            self.next = Some(now);
        }
    }

    /// Releases a packet now, the next one a gap later.
    pub fn release(&mut self, now: Time, gap: Span) {
        if self.ceased {
            return;
        }
        if self.seq + self.due >= self.limit {
            self.starved = true;
            self.next = None;
            return;
        }
        self.due += 1;
        self.last = now;
        self.next = Some(now + gap.max(Span(1)));
    }

    /// Releases another packet back to back.
    pub fn double(&mut self) {
        if self.due > 0 && self.seq + self.due < self.limit {
            self.due += 1;
        }
    }

    /// Changes the gap, counted from the last departure.
    pub fn respace(&mut self, now: Time, gap: Span) {
        if self.next.is_some() {
            self.next = Some((self.last + gap.max(Span(1))).max(now));
        }
    }

    /// Whether the next departure is due.
    pub fn is_due(&self, now: Time) -> bool {
        self.next.is_some_and(|next| next <= now)
    }

    /// Whether a released packet is waiting to be polled.
    pub fn has_due(&self) -> bool {
        self.due > 0
    }

    /// Takes the sequence number of a packet to send now.
    pub fn take(&mut self) -> Option<u32> {
        if self.due == 0 {
            return None;
        }
        self.due -= 1;
        self.seq += 1;
        Some(self.seq - 1)
    }

    /// Time of the next departure.
    pub fn next(&self) -> Option<Time> {
        self.next
    }

    /// Stops departures.
    pub fn cease(&mut self) {
        self.ceased = true;
        self.due = 0;
        self.next = None;
    }

    /// Whether it was stopped.
    pub fn has_ceased(&self) -> bool {
        self.ceased
    }

    /// Whether the source was empty since the last call.
    pub fn take_starved(&mut self) -> bool {
        std::mem::take(&mut self.starved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packets are supplied: the third waits for the source and then leaves at once.
    #[test]
    fn a_dry_source_waits_without_a_timer() {
        let mut spacer = Spacer::default();
        spacer.provide(Time(0), 2, false);
        let mut sent = Vec::new();
        spacer.release(Time(0), Span(10));
        for now in [10, 20, 30] {
            sent.extend(spacer.take());
            if spacer.is_due(Time(now)) {
                spacer.release(Time(now), Span(10));
            }
        }
        assert_eq!((sent, spacer.next(), spacer.take_starved()), (vec![0, 1], None, true));
        spacer.provide(Time(50), 3, true);
        assert_eq!((spacer.next(), spacer.take_starved()), (Some(Time(50)), false));
        spacer.release(Time(50), Span(10));
        assert_eq!((spacer.take(), spacer.next()), (Some(2), Some(Time(60))));
    }

    #[test]
    fn a_new_gap_counts_from_the_last_departure() {
        let mut spacer = Spacer::default();
        spacer.release(Time(100), Span(50));
        spacer.respace(Time(120), Span(30));
        assert_eq!(spacer.next(), Some(Time(130)));
        spacer.respace(Time(140), Span(10));
        assert_eq!(spacer.next(), Some(Time(140)), "never in the past");
    }
}
