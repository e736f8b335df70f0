//! Completion times of an application's objects, by size.

use crate::account::{FewTimes, Histogram};
use units::Span;

/// Size classes: name, and the largest payload in bytes.
pub const CLASSES: [(&str, u64); 4] =
    [("short", 10_000), ("medium", 100_000), ("long", 1_000_000), ("huge", u64::MAX)];

/// Completion times: from the moment an object is offered until its last byte is delivered in order. Few flows have
/// objects of all classes, and pages.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    /// Objects offered since the warm-up.
    pub begun: u64,
    /// Payload of the objects completed since the warm-up.
    pub bytes: u64,
    times: [Option<Box<FewTimes>>; CLASSES.len()],
    pages: Option<Box<FewTimes>>,
}

impl Completions {
    /// An object with this payload was delivered `span` after it was offered.
    pub fn add(&mut self, bytes: u64, span: Span) {
        let class = CLASSES.iter().position(|(_, most)| bytes <= *most).unwrap_or(CLASSES.len() - 1);
        self.bytes += bytes;
        self.times[class].get_or_insert_default().add(span);
    }

    /// The last object of a page was delivered `span` after the first was offered.
    pub fn add_page(&mut self, span: Span) {
        self.pages.get_or_insert_default().add(span);
    }

    /// Adds the records of another flow.
    pub fn merge(&mut self, other: &Completions) {
        self.begun += other.begun;
        self.bytes += other.bytes;
        let pages = (&mut self.pages, &other.pages);
        for (mine, theirs) in self.times.iter_mut().zip(&other.times).chain([pages]) {
            if let Some(theirs) = theirs {
                mine.get_or_insert_default().merge(theirs);
            }
        }
    }

    /// The times of each class.
    pub fn times(&self) -> [Histogram; CLASSES.len()] {
        self.times
            .each_ref()
            .map(|times| times.as_ref().map_or_else(Histogram::default, |few| few.histogram()))
    }

    /// The times of web pages, if there are any.
    pub fn pages(&self) -> Option<Histogram> {
        self.pages.as_ref().map(|pages| pages.histogram())
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
        let counts = one.times().map(|times| times.moments.count());
        assert_eq!((counts, one.bytes), ([1, 1, 0, 1], 5_020_001));
        assert!(one.pages().is_none());
        other.add_page(Span::from_millis(70));
        one.merge(&other);
        assert_eq!(one.pages().map(|pages| pages.moments.mean_ms()), Some(70.0));
    }
}
