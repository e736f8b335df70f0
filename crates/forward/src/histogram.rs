//! A histogram of times with logarithmic buckets, from nanoseconds to hours.

use units::Span;

/// Buckets in each doubling: quantiles are right to one part in 64.
const FINE: u64 = 64;
const BITS: u32 = FINE.trailing_zeros();

/// Counts of times, in buckets whose width is 1/64 of the time or less.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DelayHistogram {
    counts: Vec<u64>,
    count: u64,
    total_ns: u128,
    max: Span,
}

impl DelayHistogram {
    /// Counts a time.
    #[inline]
    pub fn note(&mut self, time: Span) {
        let bucket = bucket(time.0);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.count += 1;
        self.total_ns += u128::from(time.0);
        self.max = self.max.max(time);
    }

    /// Number of times counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; `None` if there are none.
    pub fn mean_ms(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total_ns as f64 / self.count as f64 * 1e-6)
    }

    /// The greatest, in milliseconds.
    pub fn max_ms(&self) -> Option<f64> {
        (self.count > 0).then(|| self.max.as_millis())
    }

    /// The time that a share `p` of them does not exceed, in milliseconds: the middle of its bucket.
    pub fn quantile_ms(&self, p: f64) -> Option<f64> {
        let rank = ((p * self.count as f64).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        let number = self.counts.iter().position(|count| {
            seen += count;
            *count > 0 && seen >= rank
        })?;
        let (low, high) = (floor(number), floor(number + 1));
        Some(((low + high - 1) as f64 / 2.0 * 1e-6).min(self.max.as_millis()))
    }

    /// The buckets that are not empty, each with its upper end (not included) in milliseconds.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(bucket, count)| (floor(bucket + 1) as f64 * 1e-6, *count))
    }
}

/// The bucket of a time.
#[inline]
fn bucket(ns: u64) -> usize {
    if ns < FINE {
        return ns as usize;
    }
    let octave = 63 - ns.leading_zeros() - BITS;
    (u64::from(octave) * FINE + (ns >> octave)) as usize
}

/// The least time of a bucket.
fn floor(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * FINE {
        return bucket;
    }
    let octave = bucket / FINE - 1;
    (bucket % FINE + FINE) << octave
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_of_a_few_are_theirs() {
        let mut histogram = DelayHistogram::default();
        assert_eq!(histogram.quantile_ms(0.5), None);
        for us in [10, 20, 30, 40, 1000] {
            histogram.note(Span::from_micros(us));
        }
        let near = |p: f64, ms: f64| {
            let quantile = histogram.quantile_ms(p).unwrap();
            assert!((quantile / ms - 1.0).abs() < 1.0 / 64.0, "{p}: {quantile} for {ms}");
        };
        near(0.5, 0.03);
        near(0.99, 1.0);
        near(0.0, 0.01);
        assert_eq!(histogram.mean_ms(), Some(0.22));
    }

    proptest! {
        #[test]
        fn a_time_lies_in_its_bucket(ns in 0u64..1 << 62) {
            let number = bucket(ns);
            prop_assert!(floor(number) <= ns && ns < floor(number + 1));
            let width = floor(number + 1) - floor(number);
            prop_assert!(width == 1 || width <= ns / FINE);
        }
    }
}
