//! Completion times of an application's objects, by size.

use crate::account::Histogram;
use units::Span;

/// Size classes: name, and the largest payload in bytes.
pub const CLASSES: [(&str, u64); 4] =
    [("short", 10_000), ("medium", 100_000), ("long", 1_000_000), ("huge", u64::MAX)];

/// Completion times: from the moment an object is offered until its last byte is delivered in order.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    /// Objects offered since the warm-up.
    pub begun: u64,
    /// Payload of the objects completed since the warm-up.
    pub bytes: u64,
    /// Their times, by class.
    pub times: [Histogram; CLASSES.len()],
    /// Times of web pages: from the offer of the first object until the last object is delivered.
    pub pages: Histogram,
}

impl Completions {
    /// An object with this payload was delivered `span` after it was offered.
    pub fn add(&mut self, bytes: u64, span: Span) {
        let class = CLASSES.iter().position(|(_, most)| bytes <= *most).unwrap_or(CLASSES.len() - 1);
        self.bytes += bytes;
        self.times[class].add(span);
    }

    /// Adds the records of another flow.
    pub fn merge(&mut self, other: &Completions) {
        self.begun += other.begun;
        self.bytes += other.bytes;
        self.times.iter_mut().zip(&other.times).for_each(|(mine, theirs)| mine.merge(theirs));
        self.pages.merge(&other.pages);
    }

    /// The times of all classes together.
    pub fn all(&self) -> Histogram {
        let mut all = Histogram::default();
        self.times.iter().for_each(|times| all.merge(times));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_counted_in_their_class() {
        let (mut one, mut other) = (Completions::default(), Completions::default());
        one.add(10_000, Span::from_millis(10));
        one.add(10_001, Span::from_millis(20));
        other.add(5_000_000, Span::from_millis(60));
        one.merge(&other);
        let counts = one.times.each_ref().map(|times| times.moments.count());
        assert_eq!((counts, one.bytes), ([1, 1, 0, 1], 5_020_001));
        assert_eq!(one.all().moments.mean_ms(), 30.0);
    }
}
