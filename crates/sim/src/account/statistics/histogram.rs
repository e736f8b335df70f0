//! Histograms of times.

use super::Moments;
use units::Span;

/// Buckets per octave: a value is known to 1/64 of itself.
const STEPS: u64 = 64;
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// Times are counted in units of 1.024 microseconds.
const UNIT_BITS: u32 = 10;
/// Exponent and leading bits of a double number the buckets; the first octave begins at bucket 0.
const OTHER_BITS: u32 = f64::MANTISSA_DIGITS - 1 - STEP_BITS;
const FIRST: u64 = ((STEPS << UNIT_BITS) as f64).to_bits() >> OTHER_BITS;

/// A histogram of times with logarithmic buckets (the layout of HdrHistogram): linear below 64 units of 1.024 µs, then
/// 64 buckets per octave, so percentiles are within 0.8 %.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    linear: Vec<u32>,
    octaves: Vec<u32>,
    /// Count, mean, deviation and maximum in milliseconds, exact.
    pub moments: Moments,
}

impl Histogram {
    /// The histogram with these counts of buckets, from [`bucket_of`].
    pub(super) fn of(counts: impl Iterator<Item = (usize, u32)>, moments: Moments) -> Histogram {
        let mut histogram = Histogram { moments, ..Histogram::default() };
        for (bucket, times) in counts {
            match bucket.checked_sub(STEPS as usize) {
                None => count(&mut histogram.linear, bucket, times),
                Some(octave_bucket) => count(&mut histogram.octaves, octave_bucket, times),
            }
        }
        histogram
    }

    /// Adds a time.
    #[inline]
    pub fn add(&mut self, span: Span) {
        self.moments.add(span);
        self.tally(span);
    }

    /// Adds this many times of zero.
    pub fn add_zeros(&mut self, times: u64) {
        self.moments.add_zeros(times);
        count(&mut self.linear, 0, times as u32);
    }

    /// Counts a time whose moments are recorded elsewhere and merged into [`Histogram::moments`] after the run.
    #[inline]
    pub fn tally(&mut self, span: Span) {
        let bucket = octave_bucket(span);
        match self.octaves.get_mut(bucket) {
            Some(count) => *count += 1,
            None => self.count_bucket_slow(span, bucket),
        }
    }

    /// A time below the octaves, or above all so far.
    #[cold]
    #[inline(never)]
    fn count_bucket_slow(&mut self, span: Span, bucket: usize) {
        let units = span.0 >> UNIT_BITS;
        if units < STEPS {
            count(&mut self.linear, units as usize, 1);
        } else {
            count(&mut self.octaves, bucket, 1);
        }
    }

    /// Adds all times of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        self.moments.merge(&other.moments);
        for (own, others) in [(&mut self.linear, &other.linear), (&mut self.octaves, &other.octaves)] {
            own.resize(own.len().max(others.len()), 0);
            for (count, more) in own.iter_mut().zip(others) {
                *count += more;
            }
        }
    }

    /// Index and count of every bucket.
    fn buckets(&self) -> impl Iterator<Item = (usize, &u32)> {
        self.linear.iter().enumerate().chain((STEPS as usize..).zip(&self.octaves))
    }

    /// The `p`-quantile in milliseconds: the middle of its bucket, at most the maximum, and the mean if one bucket
    /// holds all times, so that a constant is exact; `None` if the histogram is empty.
    pub fn percentile(&self, p: f64) -> Option<f64> {
        let rank = ((p * self.moments.count() as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, count) in self.buckets() {
            seen += u64::from(*count);
            if u64::from(*count) == self.moments.count() {
                return Some(self.moments.mean_ms());
            }
            if seen >= rank {
                let middle = 0.5 * (lower_ms(bucket) + lower_ms(bucket + 1));
                return Some(middle.min(self.moments.max_ms()));
            }
        }
        None
    }

    /// Upper edge in milliseconds and count of each non-empty bucket.
    pub fn rows(&self) -> impl Iterator<Item = (f64, u32)> + '_ {
        let used = |(bucket, count): (usize, &u32)| (*count > 0).then(|| (lower_ms(bucket + 1), *count));
        self.buckets().filter_map(used)
    }
}

/// The bucket of a time, counted from the first.
pub(super) fn bucket_of(span: Span) -> usize {
    let units = span.0 >> UNIT_BITS;
    if units < STEPS {
        units as usize
    } else {
        STEPS as usize + octave_bucket(span)
    }
}

/// The bucket of a time, counted from the first octave; out of range for times below it.
#[inline]
fn octave_bucket(span: Span) -> usize {
    // A signed number converts in one instruction; its range is three centuries.
    ((span.0 as i64 as f64).to_bits() >> OTHER_BITS).wrapping_sub(FIRST) as usize
}

/// Adds to a bucket, which may be the first of its octave.
fn count(counts: &mut Vec<u32>, bucket: usize, times: u32) {
    if bucket >= counts.len() {
        counts.resize((bucket + 1).next_multiple_of(STEPS as usize), 0);
    }
    counts[bucket] += times;
}

/// Lower edge of a bucket.
fn lower_ms(bucket: usize) -> f64 {
    let bucket = bucket as u64;
    let units = if bucket < STEPS {
        bucket
    } else {
        let octave = bucket / STEPS - 1;
        (bucket - octave * STEPS) << octave
    };
    Span(units << UNIT_BITS).as_millis()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_meet_without_gap() {
        for bucket in 0..2000 {
            let lower = lower_ms(bucket);
            let next = lower_ms(bucket + 1);
            assert!(next > lower);
            let mut histogram = Histogram::default();
            let ns = |ms: f64| (ms * 1e6).round() as u64;
            [ns(lower), ns(next) - 1].iter().for_each(|ns| histogram.add(Span(*ns)));
            assert_eq!(histogram.rows().collect::<Vec<_>>(), [(next, 2)]);
        }
    }

    #[test]
    fn percentiles_are_within_a_percent() {
        let mut histogram = Histogram::default();
        for us in 1..=100_000 {
            histogram.add(Span::from_micros(us));
        }
        for p in [0.01, 0.05, 0.5, 0.95, 0.99, 0.999] {
            let exact = p * 100.0;
            let got = histogram.percentile(p).unwrap();
            assert!((got / exact - 1.0).abs() < 0.01, "{p}: {got} for {exact}");
        }
        assert_eq!(Histogram::default().percentile(0.5), None);
    }

    #[test]
    fn a_constant_is_reported_exactly() {
        let mut histogram = Histogram::default();
        (0..5).for_each(|_| histogram.add(Span::from_micros(22_480)));
        assert_eq!(histogram.percentile(0.01), Some(histogram.moments.mean_ms()));
        assert_eq!(histogram.percentile(0.95), Some(histogram.moments.max_ms()));
    }
}
