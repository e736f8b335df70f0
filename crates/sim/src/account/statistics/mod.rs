//! Statistics in constant memory: moments, time averages, histograms.

mod few_times;
mod histogram;

pub use few_times::FewTimes;
pub use histogram::Histogram;
use units::{Span, Time};

/// Count and sum (ns) of times in one word, so that adding a time is one addition: 48 bits of count (10^14 packets)
/// above 80 bits of sum (38 million years), neither of which a run can fill.
#[derive(Clone, Copy, Debug, Default)]
struct Sum(u128);

/// Start of the count of a [`Sum`].
const COUNT: u32 = 80;

impl Sum {
    fn of(count: u64, nanos: u128) -> Sum {
        Sum(u128::from(count) << COUNT | nanos)
    }

    #[inline(always)]
    fn add(&mut self, span: Span) {
        self.0 += 1 << COUNT | u128::from(span.0);
    }

    fn count(self) -> u64 {
        (self.0 >> COUNT) as u64
    }

    fn total(self) -> u128 {
        self.0 & ((1 << COUNT) - 1)
    }

    fn nanos(self) -> f64 {
        self.total() as f64
    }

    fn mean_ms(self) -> f64 {
        self.nanos() / self.count().max(1) as f64 * 1e-6
    }
}

/// Count and mean of times.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeanSpan(Sum);

impl MeanSpan {
    /// Statistics of this many times with this sum in nanoseconds.
    pub fn of(count: u64, nanos: u128) -> MeanSpan {
        MeanSpan(Sum::of(count, nanos))
    }

    /// Their mean in milliseconds; zero if there are none.
    pub fn mean_ms(&self) -> f64 {
        self.0.mean_ms()
    }
}

/// The maximum of times; zero if there are none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Maximum(u64);

impl Maximum {
    /// Adds a time.
    #[inline(always)]
    pub fn add(&mut self, span: Span) {
        if span.0 > self.0 {
            self.raise(span);
        }
    }

    /// Out of line because a new maximum is rare.
    #[cold]
    #[inline(never)]
    fn raise(&mut self, span: Span) {
        self.0 = span.0;
    }

    /// The maximum.
    pub fn get(self) -> Span {
        Span(self.0)
    }
}

/// Count, mean, deviation and maximum of times. Sums are integers, so the order of adding and merging changes no bit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    sum: Sum,
    squares: u128,
    max: Maximum,
}

impl Moments {
    /// Statistics of this many times with known sums, in nanoseconds and their squares.
    pub fn of(count: u64, nanos: u128, squares: u128, max: Maximum) -> Moments {
        Moments { sum: Sum::of(count, nanos), squares, max }
    }

    /// Adds a time.
    #[inline]
    pub fn add(&mut self, span: Span) {
        self.add_below_max(span);
        self.max.add(span);
    }

    /// Adds a time that is known not to exceed the maximum of the statistics into which this is merged.
    #[inline(always)]
    pub fn add_below_max(&mut self, span: Span) {
        self.sum.add(span);
        self.squares += u128::from(span.0) * u128::from(span.0);
    }

    /// Adds this many times of zero.
    pub fn add_zeros(&mut self, times: u64) {
        self.sum.0 += u128::from(times) << COUNT;
    }

    /// Adds all times of another sequence.
    pub fn merge(&mut self, other: &Moments) {
        self.sum.0 += other.sum.0;
        self.squares += other.squares;
        self.max.add(other.max());
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.sum.count()
    }

    /// Their sum in nanoseconds.
    pub fn total(&self) -> u128 {
        self.sum.total()
    }

    /// The maximum.
    pub fn max(&self) -> Span {
        self.max.get()
    }

    /// Their mean in milliseconds; zero if there are none.
    pub fn mean_ms(&self) -> f64 {
        self.sum.mean_ms()
    }

    /// Standard deviation of the sample in milliseconds; zero below two times.
    pub fn sd_ms(&self) -> f64 {
        if self.count() < 2 {
            return 0.0;
        }
        let n = self.count() as f64;
        let (sum, squares) = (self.sum.nanos() * 1e-6, self.squares as f64 * 1e-12);
        ((squares - sum * sum / n) / (n - 1.0)).max(0.0).sqrt()
    }

    /// The largest in milliseconds.
    pub fn max_ms(&self) -> f64 {
        self.max().as_millis()
    }
}

/// The time average of a step function. The area is a whole number of units times nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct TimeAverage {
    from: Time,
    last: Time,
    area: u128,
}

impl TimeAverage {
    /// Averages from this time on.
    pub fn from(from: Time) -> TimeAverage {
        TimeAverage { from, last: from, area: 0 }
    }

    /// The value was `value` until `now`.
    #[inline]
    pub fn hold(&mut self, value: u64, now: Time) {
        if now > self.last {
            self.area += u128::from(value) * u128::from(now.since(self.last).0);
            self.last = now;
        }
    }

    /// The average until the last update; zero if no time has passed.
    pub fn mean(&self) -> f64 {
        self.area as f64 / self.nanos()
    }

    fn nanos(&self) -> f64 {
        self.last.since(self.from).0.max(1) as f64
    }
}

/// Queue statistics over time: mean, standard deviation and maximum of packets, mean of bytes.
#[derive(Clone, Copy, Debug)]
pub struct QueueStatistics {
    packets: TimeAverage,
    squares: u128,
    max: u64,
    bytes: u128,
}

impl QueueStatistics {
    /// Averages from this time on.
    pub fn from(from: Time) -> QueueStatistics {
        QueueStatistics { packets: TimeAverage::from(from), squares: 0, max: 0, bytes: 0 }
    }

    /// The queue held this many packets and bytes until `now`.
    #[inline(always)]
    pub fn hold(&mut self, packets: u64, bytes: u64, now: Time) {
        let last = self.packets.last;
        if now <= last {
            return;
        }
        // Most queues are empty most of the time.
        if packets > 0 {
            let ns = u128::from(now.since(last).0);
            self.packets.area += u128::from(packets) * ns;
            // Memory runs out long before the square of a queue length overflows.
            self.squares += u128::from(packets * packets) * ns;
            self.bytes += u128::from(bytes) * ns;
            self.max = self.max.max(packets);
        }
        self.packets.last = now;
    }

    /// The queue length, summed over time, in packets times nanoseconds.
    pub fn area(&self) -> u128 {
        self.packets.area
    }

    /// Maximum queue length in packets.
    pub fn max_pkts(&self) -> u64 {
        self.max
    }

    /// The queue held this many packets for some time.
    pub fn raise_max(&mut self, packets: u64) {
        self.max = self.max.max(packets);
    }

    /// The queue held this many packets until `now`; their sums come from [`QueueStatistics::add_sojourn`].
    pub fn hold_max(&mut self, packets: u64, now: Time) {
        if now > self.packets.last {
            self.max = self.max.max(packets);
            self.packets.last = now;
        }
    }

    /// Adds a packet's sojourn of `wait` ns behind others whose remaining sojourns sum to `ahead`. It contributes 2 k -
    /// 1 to the square of the queue length while it is the k-th, because n^2 is the sum of the first n odd numbers.
    #[inline(always)]
    pub fn add_sojourn(&mut self, bytes: u32, wait: u64, ahead: u64) {
        self.packets.area += u128::from(wait);
        self.squares += 2 * u128::from(ahead) + u128::from(wait);
        self.bytes += u128::from(wait) * u128::from(bytes);
    }

    /// Adds the sojourns of many packets of one size: their total in ns, and their contribution to the squares.
    pub fn add_sojourns(&mut self, bytes: u32, total: u128, squares: u128) {
        self.packets.area += total;
        self.squares += squares;
        self.bytes += total * u128::from(bytes);
    }

    /// Removes the part of a packet's sojourn that lies after the end of the run. In a run that hit a limit a link may
    /// be ahead of its end, so that less was added than is removed.
    pub fn remove_sojourn(&mut self, bytes: u32, wait: u64, ahead: u64) {
        let rest = |sum: u128, less: u128| sum.saturating_sub(less);
        self.packets.area = rest(self.packets.area, wait.into());
        self.squares = rest(self.squares, 2 * u128::from(ahead) + u128::from(wait));
        self.bytes = rest(self.bytes, u128::from(wait) * u128::from(bytes));
    }

    /// The queue was empty until `now`.
    pub fn hold_empty(&mut self, now: Time) {
        self.packets.last = self.packets.last.max(now);
    }

    /// Mean queue length until the last update; zero if no time has passed.
    pub fn mean(&self) -> f64 {
        self.packets.mean()
    }

    /// Standard deviation of the queue length.
    pub fn sd(&self) -> f64 {
        let mean = self.mean();
        (self.squares as f64 / self.packets.nanos() - mean * mean).max(0.0).sqrt()
    }

    /// Maximum queue length.
    pub fn max(&self) -> f64 {
        self.max_pkts() as f64
    }

    /// Mean backlog in bytes.
    pub fn mean_bytes(&self) -> f64 {
        self.bytes as f64 / self.packets.nanos()
    }
}

/// Count, mean and deviation of real numbers (Welford 1962), for samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct SampleMoments {
    /// Count.
    pub count: u64,
    /// Mean.
    pub mean: f64,
    squares: f64,
}

impl SampleMoments {
    /// Adds a number.
    pub fn add(&mut self, x: f64) {
        self.count += 1;
        let delta = x - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (x - self.mean);
    }

    /// Standard deviation of the sample; zero for fewer than two.
    pub fn sd(&self) -> f64 {
        if self.count < 2 {
            0.0
        } else {
            (self.squares / (self.count - 1) as f64).sqrt()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_wrap_within_a_run() {
        // A hundred thousand packets that wait a hundred days each: 27 thousand years, where 64 bits end after 584.
        let day = 86_400_000_000_000;
        let mut moments = Moments::default();
        let mut queue = QueueStatistics::from(Time::ZERO);
        for _ in 0..100_000 {
            moments.add(Span(100 * day));
            queue.add_sojourn(1, 100 * day, u64::MAX);
        }
        moments.merge(&Moments::of(
            1,
            u128::from(100 * day),
            u128::from(100 * day).pow(2),
            Maximum::default(),
        ));
        assert_eq!(
            (moments.count(), moments.mean_ms(), moments.sd_ms()),
            (100_001, 100.0 * day as f64 * 1e-6, 0.0)
        );
        assert_eq!(moments.total(), 100_001 * u128::from(100 * day));
        assert!(queue.sd().is_finite());
    }

    #[test]
    fn moments_by_hand() {
        let (mut moments, mut samples) = (Moments::default(), SampleMoments::default());
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
        assert_eq!(
            (left.mean_ms(), left.sd_ms(), left.count()),
            (whole.mean_ms(), whole.sd_ms(), whole.count())
        );
    }

    #[test]
    fn time_average_by_hand() {
        let mut queue = QueueStatistics::from(Time(10));
        let mut mean = TimeAverage::from(Time(10));
        for (packets, bytes, now) in [(7, 70, Time(5)), (2, 100, Time(20)), (4, 300, Time(30))] {
            queue.hold(packets, bytes, now);
            mean.hold(packets, now);
        }
        assert_eq!((queue.mean(), queue.sd(), queue.max(), queue.mean_bytes()), (3.0, 1.0, 4.0, 200.0));
        assert_eq!(mean.mean(), 3.0);
        queue.hold_empty(Time(50));
        assert_eq!((queue.mean(), queue.max()), (1.5, 4.0));
    }
}
