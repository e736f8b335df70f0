//! Running statistics that use constant memory: moments, time averages, histograms.

use units::{Span, Time};

/// Count, mean, deviation and maximum of times. Sums are whole numbers, so the order of adding and merging
/// does not matter to a single bit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    /// How many.
    pub count: u64,
    sum: u64,
    squares: u128,
    max: u64,
}

impl Moments {
    /// Takes one more time.
    #[inline]
    pub fn add(&mut self, span: Span) {
        self.count += 1;
        self.sum += span.0;
        self.squares += u128::from(span.0) * u128::from(span.0);
        self.max = self.max.max(span.0);
    }

    /// Takes all times of another sequence.
    pub fn merge(&mut self, other: &Moments) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.max = self.max.max(other.max);
    }

    /// Their mean in milliseconds; zero if there are none.
    pub fn mean_ms(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64 * 1e-6
    }

    /// Standard deviation of the sample in milliseconds; zero below two times.
    pub fn sd_ms(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let n = self.count as f64;
        let (sum, squares) = (self.sum as f64 * 1e-6, self.squares as f64 * 1e-12);
        ((squares - sum * sum / n) / (n - 1.0)).max(0.0).sqrt()
    }

    /// The largest in milliseconds.
    pub fn max_ms(&self) -> f64 {
        Span(self.max).as_millis()
    }
}

/// Mean, standard deviation and maximum over time of `N` counts that change together, in steps. Areas are whole
/// numbers of counts times nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct TimeAverages<const N: usize> {
    from: Time,
    last: Time,
    areas: [Area; N],
}

/// The time average of a single count.
pub type TimeAverage = TimeAverages<1>;

#[derive(Clone, Copy, Debug, Default)]
struct Area {
    sum: u128,
    squares: u128,
    max: u64,
}

impl Area {
    /// The count was this for so long.
    #[inline(always)]
    fn add(&mut self, count: u64, ns: u64) {
        let ns = u128::from(ns);
        self.sum += u128::from(count) * ns;
        // One multiplication in place of two where the square fits a word.
        self.squares += match count.checked_mul(count) {
            Some(square) => u128::from(square) * ns,
            None => u128::from(count) * u128::from(count) * ns,
        };
        self.max = self.max.max(count);
    }
}

impl<const N: usize> TimeAverages<N> {
    /// Counts from this moment on.
    pub fn from(from: Time) -> TimeAverages<N> {
        TimeAverages { from, last: from, areas: [Area::default(); N] }
    }

    /// The values were `held` until `now`.
    #[inline]
    pub fn hold(&mut self, held: [u64; N], now: Time) {
        if now > self.last {
            let ns = now.since(self.last).0;
            self.last = now;
            for (area, count) in self.areas.iter_mut().zip(held) {
                // Most queues are empty most of the time.
                if count > 0 {
                    area.add(count, ns);
                }
            }
        }
    }

    /// Mean of the count number `n` until the last moment held; zero if no time has passed.
    pub fn mean(&self, n: usize) -> f64 {
        self.areas[n].sum as f64 / self.last.since(self.from).0.max(1) as f64
    }

    /// Standard deviation over the same time.
    pub fn sd(&self, n: usize) -> f64 {
        let span = self.last.since(self.from).0.max(1) as f64;
        let mean = self.mean(n);
        (self.areas[n].squares as f64 / span - mean * mean).max(0.0).sqrt()
    }

    /// The largest value held.
    pub fn max(&self, n: usize) -> f64 {
        self.areas[n].max as f64
    }
}

/// Count, mean and deviation of real numbers (Welford 1962), for the few that are sampled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Samples {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    squares: f64,
}

impl Samples {
    /// Takes one more number.
    pub fn add(&mut self, x: f64) {
        self.count += 1;
        let delta = x - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (x - self.mean);
    }

    /// Standard deviation of the sample; zero below two numbers.
    pub fn sd(&self) -> f64 {
        if self.count < 2 {
            0.0
        } else {
            (self.squares / (self.count - 1) as f64).sqrt()
        }
    }
}

/// Sub-buckets of an octave: a value is known to 1/64 of itself.
const STEPS: u64 = 64;
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// Times are counted in units of 1.024 microseconds.
const UNIT_BITS: u32 = 10;

/// A histogram of times with logarithmic buckets (the layout of HdrHistogram): linear below 64 units
/// of 1.024 µs, then 64 buckets an octave, so percentiles are within 0.8 %.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u32>,
    /// Count, mean, deviation and maximum in milliseconds, exact.
    pub moments: Moments,
}

impl Histogram {
    /// Takes one more time.
    #[inline]
    pub fn add(&mut self, span: Span) {
        self.moments.add(span);
        self.tally(span);
    }

    /// Takes one more time of zero.
    #[inline(always)]
    pub fn add_none(&mut self) {
        self.moments.count += 1;
        match self.counts.first_mut() {
            Some(count) => *count += 1,
            None => self.grow(0),
        }
    }

    /// Counts one more time whose moments are kept elsewhere, to be merged into [`Histogram::moments`] in the end.
    #[inline]
    pub fn tally(&mut self, span: Span) {
        let bucket = bucket_of(span);
        match self.counts.get_mut(bucket) {
            Some(count) => *count += 1,
            None => self.grow(bucket),
        }
    }

    /// The first time in a bucket beyond those there are.
    #[cold]
    fn grow(&mut self, bucket: usize) {
        self.counts.resize((bucket + 1).next_multiple_of(STEPS as usize), 0);
        self.counts[bucket] = 1;
    }

    /// Takes all times of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        self.moments.merge(&other.moments);
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// The value in milliseconds below which a share `p` of the times lie (the middle of its bucket, but never above
    /// the maximum); `None` if empty.
    pub fn percentile(&self, p: f64) -> Option<f64> {
        let rank = ((p * self.moments.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= rank {
                let middle = 0.5 * (lower_ms(bucket) + lower_ms(bucket + 1));
                return Some(middle.min(self.moments.max_ms()));
            }
        }
        None
    }

    /// Upper edge in milliseconds and count of each bucket in use.
    pub fn rows(&self) -> impl Iterator<Item = (f64, u32)> + '_ {
        let used = |(bucket, count): (usize, &u32)| (*count > 0).then(|| (lower_ms(bucket + 1), *count));
        self.counts.iter().enumerate().filter_map(used)
    }
}

#[inline]
fn bucket_of(span: Span) -> usize {
    let units = span.0 >> UNIT_BITS;
    // The two linear octaves count as number 0.
    let octave = (units | STEPS).ilog2() - STEP_BITS;
    (u64::from(octave) * STEPS + (units >> octave)) as usize
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
    fn moments_by_hand() {
        let (mut moments, mut samples) = (Moments::default(), Samples::default());
        for ms in [2, 4, 9] {
            moments.add(Span::from_millis(ms));
            samples.add(ms as f64);
        }
        // Deviations -3, -1, 4: squares 26, over 2.
        assert_eq!((moments.mean_ms(), moments.max_ms(), samples.mean), (5.0, 9.0, 5.0));
        assert!((moments.sd_ms() - 13f64.sqrt()).abs() < 1e-12);
        assert!((samples.sd() - 13f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn merged_moments_are_those_of_the_whole() {
        let (mut whole, mut left, mut right) = (Moments::default(), Moments::default(), Moments::default());
        for i in 0..20u64 {
            let span = Span(i * i % 11);
            whole.add(span);
            if i < 7 { &mut left } else { &mut right }.add(span);
        }
        left.merge(&right);
        assert_eq!((left.mean_ms(), left.sd_ms(), left.count), (whole.mean_ms(), whole.sd_ms(), whole.count));
    }

    #[test]
    fn time_average_by_hand() {
        let mut average = TimeAverage::from(Time(10));
        average.hold([7], Time(5));
        average.hold([2], Time(20));
        average.hold([4], Time(30));
        assert_eq!((average.mean(0), average.sd(0), average.max(0)), (3.0, 1.0, 4.0));
    }

    #[test]
    fn buckets_meet_without_gap() {
        for bucket in 0..2000 {
            let lower = lower_ms(bucket);
            let span = Span((lower * 1e6).round() as u64);
            assert_eq!(bucket_of(span), bucket);
            assert!(lower_ms(bucket + 1) > lower);
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
}
