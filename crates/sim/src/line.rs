//! A private tail-drop link in short form.
//!
//! Where one component feeds a link whose only rule is a number of packets, nothing needs to be stored: the
//! time each packet starts follows from the one before, and the packets waiting are those whose start lies ahead.

use crate::calendar::Key;
use std::collections::VecDeque;
use units::{Bytes, Rate, Serializer, Span, Time};

/// A private tail-drop link that counts instead of storing.
#[derive(Clone, Debug)]
pub struct Line {
    /// Propagation delay.
    pub delay: Span,
    /// The transmitter is sending until then; the last packet accepted starts at `last_start`.
    until: Time,
    last_start: Time,
    /// Start of the packet on the wire, and of those that wait.
    serving: Time,
    waiting: VecDeque<Time>,
    limit: u64,
    serializer: Serializer,
    component: u32,
}

impl Line {
    /// An idle line that lets `limit` packets wait.
    pub fn new(component: u32, limit: u64, rate: Rate, delay: Span) -> Line {
        Line {
            delay,
            until: Time::ZERO,
            last_start: Time::ZERO,
            serving: Time::ZERO,
            waiting: VecDeque::new(),
            limit,
            serializer: Serializer::new(rate),
            component,
        }
    }

    /// Takes a packet of this size: start and end of its transmission, or `None` if there is no room.
    #[inline]
    pub fn accept(&mut self, size: u32, key: Key) -> Option<(Time, Time)> {
        let now = key.time;
        let start = if self.is_before(self.until, self.last_start, key) {
            self.waiting.clear();
            if now > self.until {
                self.serializer.restart();
            }
            self.serving = now;
            now
        } else {
            self.start_waiting_before(key);
            if self.waiting.len() as u64 >= self.limit {
                return None;
            }
            self.waiting.push_back(self.until);
            self.until
        };
        self.last_start = start;
        self.until = start + self.serializer.next(Bytes(u64::from(size)));
        Some((start, self.until))
    }

    /// Packets that still wait at the end of the run.
    pub fn waiting_at(&mut self, end: Time) -> usize {
        self.waiting.iter().filter(|start| **start > end).count()
    }

    #[cold]
    fn start_waiting_before(&mut self, key: Key) {
        while let Some(next) =
            self.waiting.front().copied().filter(|next| self.is_before(*next, self.serving, key))
        {
            self.serving = next;
            self.waiting.pop_front();
        }
    }

    /// Whether the transmitter becomes free at `time`, after a packet that started at `birth`, before `key`.
    #[inline]
    fn is_before(&self, time: Time, birth: Time, key: Key) -> bool {
        time < key.time || (time == key.time && (birth, self.component) < (key.birth, key.component))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time: u64) -> Key {
        Key { time: Time(time), birth: Time(time), component: 9 }
    }

    #[test]
    fn packets_follow_one_another_and_the_rest_is_refused() {
        // 1000 bytes take 1 ms; two may wait.
        let mut line = Line::new(0, 2, Rate(8_000_000), Span::ZERO);
        let ms = |n: u64| Time(n * 1_000_000);
        assert_eq!(line.accept(1000, key(0)), Some((ms(0), ms(1))));
        assert_eq!(line.accept(1000, key(0)), Some((ms(1), ms(2))));
        assert_eq!(line.accept(1000, key(0)), Some((ms(2), ms(3))));
        assert_eq!(line.accept(1000, key(0)), None);
        assert_eq!(line.accept(1000, key(1_000_000)), Some((ms(3), ms(4))));
        assert_eq!(line.waiting_at(ms(1)), 2);
        assert_eq!(line.accept(500, key(9_000_000)), Some((ms(9), Time(9_500_000))));
    }
}
