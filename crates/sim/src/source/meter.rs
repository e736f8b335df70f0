//! The class of each packet of a flow: a fixed one, or one of two by a traffic profile.
//!
//! Reference: RFC2697 section 3 (a bucket of tokens, of which only the first is used here); CF98 section 4 and
//! RFC2859 section 3 (the time sliding window and its tagger, of which RFC2859's first two colours are used).
//! Units: bytes on the wire, seconds.
//! Deviations: the window's estimate starts at zero and not at the target.

use units::{Bytes, Rate, Rng, Span, Stream, Time};

/// A traffic profile: packets beyond it get another class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeterPlan {
    /// The profile's rate, on the wire.
    pub rate: Rate,
    /// How the rate of a flow is measured.
    pub measure: Measure,
    /// Class of packets beyond it.
    pub out_class: u8,
}

/// How a rate is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// By a token bucket of this depth.
    Bucket(Bytes),
    /// By a sliding-window average.
    Window(Span),
}

/// Assigns classes to packets.
#[derive(Clone, Debug)]
pub struct Marker(Option<Box<Meter>>);

/// A flow measured against its profile.
#[derive(Clone, Debug)]
struct Meter {
    out_class: u8,
    /// Bytes per second.
    rate: f64,
    measure: Measure,
    /// Tokens in the bucket, in bytes; or the estimated rate, in bytes per second.
    state: f64,
    last: Time,
    rng: Stream,
}

impl Marker {
    /// A marker without a history. The random stream is for a meter that draws.
    pub fn new(meter: Option<MeterPlan>, rng: impl FnOnce() -> Stream) -> Marker {
        Marker(meter.map(|plan| {
            let state = match plan.measure {
                Measure::Bucket(depth) => depth.0 as f64,
                Measure::Window(_) => 0.0,
            };
            let rate = plan.rate.as_bps() / 8.0;
            let MeterPlan { out_class, measure, .. } = plan;
            Box::new(Meter { out_class, rate, measure, state, last: Time::ZERO, rng: rng() })
        }))
    }

    /// The class of a packet of this size sent at `now`, if it differs from that of its flow.
    #[inline(always)]
    pub fn beyond(&mut self, now: Time, size: u32) -> Option<u8> {
        self.0.as_mut()?.beyond(now, size)
    }
}

impl Meter {
    /// The class of a packet beyond the profile.
    fn beyond(&mut self, now: Time, size: u32) -> Option<u8> {
        (!self.conforms(now, f64::from(size))).then_some(self.out_class)
    }

    fn conforms(&mut self, now: Time, size: f64) -> bool {
        let elapsed = now.since(self.last).as_secs();
        self.last = now;
        match self.measure {
            Measure::Bucket(depth) => {
                self.state = (self.state + self.rate * elapsed).min(depth.0 as f64);
                let conforms = self.state >= size;
                if conforms {
                    self.state -= size;
                }
                conforms
            }
            Measure::Window(window) => {
                let window = window.as_secs();
                self.state = (self.state * window + size) / (elapsed + window);
                let beyond = 1.0 - self.rate / self.state;
                beyond <= 0.0 || self.rng.uniform() >= beyond
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::{Bytes, Rate, Span};

    fn marker(measure: Measure) -> Marker {
        let plan = MeterPlan { rate: Rate(8_000_000), measure, out_class: 2 };
        Marker::new(Some(plan), || Stream::new(1, "meter"))
    }

    #[test]
    fn a_bucket_lets_a_burst_pass_and_then_its_rate() {
        let mut marker = marker(Measure::Bucket(Bytes(2500)));
        // 1000 bytes a millisecond: two packets from the full bucket, 500 bytes are left.
        let classes: Vec<u8> = (0..4).map(|_| marker.beyond(Time(0), 1000).unwrap_or(5)).collect();
        assert_eq!(classes, [5, 5, 2, 2]);
        assert_eq!(marker.beyond(Time(400_000), 1000), Some(2), "900 bytes");
        assert_eq!(marker.beyond(Time(500_000), 1000), None, "1000 bytes");
        assert_eq!(marker.beyond(Time(1_000_000_000), 2500), None, "full again, and no fuller");
        assert_eq!(marker.beyond(Time(1_000_000_000), 1), Some(2));
    }

    #[test]
    fn a_window_tags_the_share_beyond_the_target() {
        let share = |gap: u64| {
            let mut marker = marker(Measure::Window(Span::from_millis(100)));
            let classes: Vec<u8> =
                (0..20_000).map(|i| marker.beyond(Time(i * gap), 1000).unwrap_or(5)).collect();
            classes[2000..].iter().filter(|class| **class == 2).count() as f64 / 18_000.0
        };
        // At the target rate none is Out, at twice the target half of them are.
        assert_eq!(share(1_010_000), 0.0);
        assert!((share(500_000) - 0.5).abs() < 0.02, "{}", share(500_000));
    }

    #[test]
    fn the_window_by_hand() {
        let mut marker = marker(Measure::Window(Span::from_millis(10)));
        marker.beyond(Time(0), 1000);
        marker.beyond(Time(10_000_000), 1000);
        // 1000 B / 10 ms = 100 kB/s; then (100 kB/s 10 ms + 1000 B) / 20 ms = 100 kB/s.
        assert!((marker.0.unwrap().state - 1e5).abs() < 1e-9);
    }

    #[test]
    fn without_a_profile_every_packet_has_the_class_of_its_flow() {
        let mut marker = Marker::new(None, || Stream::new(1, "meter"));
        assert_eq!(marker.beyond(Time(1), 1500), None);
    }
}
