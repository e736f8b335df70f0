//! Running statistics that use constant memory: moments, time averages, histograms.

mod histogram;

pub use histogram::Histogram;
use units::{Span, Time};

/// How many times, and their sum in nanoseconds: the two halves of one word, so that one more is one addition.
#[derive(Clone, Copy, Debug, Default)]
struct Sum(u128);

impl Sum {
    fn of(count: u64, nanos: u64) -> Sum {
        Sum(u128::from(count) << 64 | u128::from(nanos))
    }

    #[inline(always)]
    fn add(&mut self, span: Span) {
        self.0 += 1 << 64 | u128::from(span.0);
    }

    fn count(self) -> u64 {
        (self.0 >> 64) as u64
    }

    fn nanos(self) -> f64 {
        self.0 as u64 as f64
    }

    fn mean_ms(self) -> f64 {
        self.nanos() / self.count().max(1) as f64 * 1e-6
    }
}

/// Count and mean of times.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeanSpan(Sum);

impl MeanSpan {
    /// Of so many times whose sum is known.
    pub fn of(count: u64, nanos: u64) -> MeanSpan {
        MeanSpan(Sum::of(count, nanos))
    }

    /// Their mean in milliseconds; zero if there are none.
    pub fn mean_ms(&self) -> f64 {
        self.0.mean_ms()
    }
}

/// The longest of times; zero if there are none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Longest(u64);

impl Longest {
    /// Takes one more time.
    #[inline(always)]
    pub fn add(&mut self, span: Span) {
        if span.0 > self.0 {
            self.raise(span);
        }
    }

    /// Kept apart because hardly any time is the longest so far.
    #[cold]
    #[inline(never)]
    fn raise(&mut self, span: Span) {
        self.0 = span.0;
    }

    /// The longest.
    pub fn get(self) -> Span {
        Span(self.0)
    }
}

/// Count, mean, deviation and maximum of times. Sums are whole numbers, so the order of adding and merging
/// does not matter to a single bit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    sum: Sum,
    squares: u128,
    max: Longest,
}

impl Moments {
    /// Of so many times whose sums are known, in nanoseconds and their squares.
    pub fn of(count: u64, nanos: u64, squares: u128, max: Longest) -> Moments {
        Moments { sum: Sum::of(count, nanos), squares, max }
    }

    /// Takes one more time.
    #[inline]
    pub fn add(&mut self, span: Span) {
        self.add_within(span);
        self.max.add(span);
    }

    /// Takes one more time that is not the longest, as another sequence has one as long.
    #[inline(always)]
    pub fn add_within(&mut self, span: Span) {
        self.sum.add(span);
        self.squares += u128::from(span.0) * u128::from(span.0);
    }

    /// Takes so many more times of zero.
    pub fn add_none(&mut self, times: u64) {
        self.sum.0 += u128::from(times) << 64;
    }

    /// Takes all times of another sequence.
    pub fn merge(&mut self, other: &Moments) {
        self.sum.0 += other.sum.0;
        self.squares += other.squares;
        self.max.add(other.max());
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.sum.count()
    }

    /// What they add up to.
    pub fn total(&self) -> Span {
        Span(self.sum.0 as u64)
    }

    /// The longest.
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

/// The mean over time of a number that changes in steps. The area is a whole number of units times nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct TimeMean {
    from: Time,
    last: Time,
    area: u128,
}

impl TimeMean {
    /// Counts from this moment on.
    pub fn from(from: Time) -> TimeMean {
        TimeMean { from, last: from, area: 0 }
    }

    /// The number was `held` until `now`.
    #[inline]
    pub fn hold(&mut self, held: u64, now: Time) {
        if now > self.last {
            self.area += u128::from(held) * u128::from(now.since(self.last).0);
            self.last = now;
        }
    }

    /// The mean until the last moment held; zero if no time has passed.
    pub fn mean(&self) -> f64 {
        self.area as f64 / self.nanos()
    }

    fn nanos(&self) -> f64 {
        self.last.since(self.from).0.max(1) as f64
    }
}

/// A queue over time: mean, standard deviation and maximum of its packets, mean of its bytes.
#[derive(Clone, Copy, Debug)]
pub struct QueueOverTime {
    packets: TimeMean,
    squares: u128,
    max: u64,
    bytes: u128,
}

impl QueueOverTime {
    /// Counts from this moment on.
    pub fn from(from: Time) -> QueueOverTime {
        QueueOverTime { packets: TimeMean::from(from), squares: 0, max: 0, bytes: 0 }
    }

    /// So many packets and bytes waited until `now`.
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
            // Memory ends long before the square of a queue leaves its word.
            self.squares += u128::from(packets * packets) * ns;
            self.bytes += u128::from(bytes) * ns;
            self.max = self.max.max(packets);
        }
        self.packets.last = now;
    }

    /// The most that were ever held.
    pub fn most(&self) -> u64 {
        self.max
    }

    /// So many packets waited for a while.
    pub fn reach(&mut self, packets: u64) {
        self.max = self.max.max(packets);
    }

    /// So many packets waited until `now`, whose waits are counted apart: [`QueueOverTime::wait`].
    pub fn hold_longest(&mut self, packets: u64, now: Time) {
        if now > self.packets.last {
            self.max = self.max.max(packets);
            self.packets.last = now;
        }
    }

    /// A packet waits for `wait` behind others whose waits add up to `ahead`: what it adds to the sums of all moments while it
    /// waits, as the square of n is the sum of the first n odd numbers. Moments are whole nanoseconds.
    #[inline(always)]
    pub fn wait(&mut self, bytes: u32, wait: u64, ahead: u64) {
        self.packets.area += u128::from(wait);
        self.squares += u128::from(2 * ahead + wait);
        self.bytes += u128::from(wait) * u128::from(bytes);
    }

    /// Packets of so many bytes each wait for `total`, and add `squares` to the sum of the squares: [`QueueOverTime::wait`] of all of
    /// them.
    pub fn wait_all(&mut self, bytes: u32, total: Span, squares: u128) {
        self.packets.area += u128::from(total.0);
        self.squares += squares;
        self.bytes += u128::from(total.0) * u128::from(bytes);
    }

    /// Takes back what a packet added of its wait, because the run ends before.
    pub fn unwait(&mut self, bytes: u32, wait: u64, ahead: u64) {
        self.packets.area -= u128::from(wait);
        self.squares -= u128::from(2 * ahead + wait);
        self.bytes -= u128::from(wait) * u128::from(bytes);
    }

    /// Nothing waited until `now`.
    pub fn hold_none(&mut self, now: Time) {
        self.packets.last = self.packets.last.max(now);
    }

    /// Mean of the packets until the last moment held; zero if no time has passed.
    pub fn mean(&self) -> f64 {
        self.packets.mean()
    }

    /// Standard deviation of the packets over the same time.
    pub fn sd(&self) -> f64 {
        let mean = self.mean();
        (self.squares as f64 / self.packets.nanos() - mean * mean).max(0.0).sqrt()
    }

    /// Most packets held.
    pub fn max(&self) -> f64 {
        self.most() as f64
    }

    /// Mean of the bytes.
    pub fn mean_bytes(&self) -> f64 {
        self.bytes as f64 / self.packets.nanos()
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
        assert_eq!(
            (left.mean_ms(), left.sd_ms(), left.count()),
            (whole.mean_ms(), whole.sd_ms(), whole.count())
        );
    }

    #[test]
    fn time_average_by_hand() {
        let mut queue = QueueOverTime::from(Time(10));
        let mut mean = TimeMean::from(Time(10));
        for (packets, bytes, now) in [(7, 70, Time(5)), (2, 100, Time(20)), (4, 300, Time(30))] {
            queue.hold(packets, bytes, now);
            mean.hold(packets, now);
        }
        assert_eq!((queue.mean(), queue.sd(), queue.max(), queue.mean_bytes()), (3.0, 1.0, 4.0, 200.0));
        assert_eq!(mean.mean(), 3.0);
        queue.hold_none(Time(50));
        assert_eq!((queue.mean(), queue.max()), (1.5, 4.0));
    }
}
