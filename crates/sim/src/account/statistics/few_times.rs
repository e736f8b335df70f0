//! Times of which a flow has few.

use super::histogram::bucket_of;
use super::{Histogram, Moments};
use units::Span;

/// The counts and moments of a [`Histogram`], but of the buckets in use alone, each in eight bytes: the other takes four
/// for each bucket below the largest time, some kilobytes for a single object of a second.
#[derive(Clone, Debug, Default)]
pub struct FewTimes {
    /// Bucket and count, in order of the buckets.
    counts: Vec<(u16, u32)>,
    moments: Moments,
}

impl FewTimes {
    /// Adds a time.
    pub fn add(&mut self, span: Span) {
        self.moments.add(span);
        self.count(bucket_of(span) as u16, 1);
    }

    /// Adds all times of another.
    pub fn merge(&mut self, other: &FewTimes) {
        self.moments.merge(&other.moments);
        other.counts.iter().for_each(|(bucket, times)| self.count(*bucket, *times));
    }

    /// The histogram of the same times.
    pub fn histogram(&self) -> Histogram {
        let counts = self.counts.iter().map(|(bucket, times)| (usize::from(*bucket), *times));
        Histogram::of(counts, self.moments)
    }

    fn count(&mut self, bucket: u16, times: u32) {
        match self.counts.binary_search_by_key(&bucket, |(own, _)| *own) {
            Ok(place) => self.counts[place].1 += times,
            Err(place) => self.counts.insert(place, (bucket, times)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spans() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(prop_oneof![0..100_000_u64, any::<u64>().prop_map(|wide| wide >> 4)], 0..60)
    }

    proptest! {
        #[test]
        fn few_times_are_the_histogram_of_the_same_times(first in spans(), second in spans()) {
            let (mut few, mut more, mut plain) = <(FewTimes, FewTimes, Histogram)>::default();
            first.iter().for_each(|nanos| few.add(Span(*nanos)));
            second.iter().for_each(|nanos| more.add(Span(*nanos)));
            first.iter().chain(&second).for_each(|nanos| plain.add(Span(*nanos)));
            few.merge(&more);
            prop_assert_eq!(few.histogram().rows().collect::<Vec<_>>(), plain.rows().collect::<Vec<_>>());
            prop_assert_eq!(few.histogram().percentile(0.5), plain.percentile(0.5));
            let sums = |moments: &Moments| (moments.count(), moments.total(), moments.max(), moments.sd_ms());
            prop_assert_eq!(sums(&few.histogram().moments), sums(&plain.moments));
        }
    }

    #[test]
    fn a_long_time_takes_no_more_than_a_short_one() {
        let mut few = FewTimes::default();
        few.add(Span::from_secs(3600.0));
        assert!(few.counts.capacity() <= 4);
    }
}
