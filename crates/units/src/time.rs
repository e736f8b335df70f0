//! Time in integer nanoseconds from the start of a run.

use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A moment: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens.
    pub const NEVER: Time = Time(u64::MAX);

    /// Time elapsed since `earlier`; zero if `earlier` lies ahead.
    #[inline]
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Seconds since the start of the run.
    #[inline]
    pub fn as_secs(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// The moment `secs` seconds after the start, rounded to the nanosecond.
    pub fn from_secs(secs: f64) -> Time {
        Time(Span::from_secs(secs).0)
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// A whole number of microseconds.
    pub const fn from_micros(us: u64) -> Span {
        Span(us * 1_000)
    }

    /// A whole number of milliseconds.
    pub const fn from_millis(ms: u64) -> Span {
        Span(ms * 1_000_000)
    }

    /// `secs` seconds, rounded to the nanosecond; negative values and NaN give zero.
    pub fn from_secs(secs: f64) -> Span {
        Span((secs * 1e9).round() as u64)
    }

    /// Length in seconds.
    #[inline]
    pub fn as_secs(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// Length in milliseconds.
    #[inline]
    pub fn as_millis(self) -> f64 {
        // Signed numbers convert in one instruction; three centuries fit.
        self.0 as i64 as f64 * 1e-6
    }

    /// How many times `unit` fits into this span.
    #[inline]
    pub fn ratio(self, unit: Span) -> f64 {
        self.0 as f64 / unit.0 as f64
    }

    /// This span times a factor, rounded to the nanosecond.
    #[inline]
    pub fn scale(self, factor: f64) -> Span {
        Span((self.0 as f64 * factor).round() as u64)
    }
}

impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    /// Stops at the start of the run.
    #[inline]
    fn sub(self, span: Span) -> Time {
        Time(self.0.saturating_sub(span.0))
    }
}

impl Add for Span {
    type Output = Span;
    #[inline]
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Span;
    /// Stops at zero.
    #[inline]
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    #[inline]
    fn mul(self, n: u64) -> Span {
        Span(self.0.saturating_mul(n))
    }
}

impl Div<u64> for Span {
    type Output = Span;
    #[inline]
    fn div(self, n: u64) -> Span {
        Span(self.0 / n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_stops_at_the_ends_of_time() {
        assert_eq!(Time::NEVER + Span(1), Time::NEVER);
        assert_eq!(Time(5).since(Time(7)), Span::ZERO);
        assert_eq!(Time(5) - Span(7), Time::ZERO);
    }

    #[test]
    fn seconds_round_to_the_nanosecond() {
        assert_eq!(Span::from_secs(0.1), Span::from_millis(100));
        assert_eq!(Time::from_secs(1.0000000004), Time(1_000_000_000));
        assert_eq!(Span::from_secs(f64::NAN), Span::ZERO);
        assert_eq!(Span(3).scale(0.5), Span(2));
    }
}
