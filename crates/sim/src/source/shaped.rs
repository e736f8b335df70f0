//! Live video with dynamic rate shaping: each frame is as large as the transport's rate allows.
//!
//! *Reference*: JE98: a stream that was coded once is brought down to a rate that a congestion control sets, frame by
//! frame, and nothing is sent twice. *Units*: bits a second, bytes of payload. *Deviations*: assumed: how far a frame
//! may lie behind before frames are left out, and the spread of sizes. The measure of quality is the share of the coded
//! rate that is sent.

use std::sync::Arc;
use units::param::{require, Check, Param, Problem, Range};
use units::{params, Bytes, Rate, Rng, Span, Stream, Time};

params! {
    /// A camera, its coder and the shaper behind it.
    pub struct Shaped {
        /// Rate at which the video was coded: no more is ever sent.
        coded_rate: Rate = Rate(4_000_000) => { range: Range::Positive, assumed: true },
        /// Least rate to which it can be shaped.
        least_rate: Rate = Rate(300_000) => { range: Range::Positive, assumed: true },
        /// Time between frames.
        frame: Span = Span::from_millis(40) => { range: Range::Positive, source: "25 frames a second" },
        /// Frames differ in size by a uniform factor in 1 ± this.
        frame_spread: f64 = 0.0 => { unit: "1", range: Range::Within(0.0, 1.0), assumed: true },
        /// Share of the allowed rate that is used.
        rate_share: f64 = 1.0 => { range: Range::Above(0.0, 1.0), source: "JE98" },
        /// With more frames than this still to be sent, a frame is left out.
        most_behind: u64 = 5 => { range: Range::Within(1.0, 1e6), assumed: true },
    }
}

impl Check for Shaped {
    fn relations(&self, problems: &mut Vec<Problem>) {
        require(
            problems,
            self.least_rate <= self.coded_rate,
            "least_rate",
            self.least_rate.show(),
            format!("must not exceed coded_rate ({})", self.coded_rate.show()),
            "",
        );
    }
}

/// The state of a shaper.
#[derive(Clone, Debug)]
pub struct Shaper {
    plan: Arc<Shaped>,
    rng: Stream,
    next: Time,
    /// Packets offered to the transport, and that number at the end of each recent frame.
    provided: u32,
    ends: std::collections::VecDeque<u32>,
    /// Payload that did not fill a packet.
    rest: f64,
    /// Frames made, including those skipped.
    pub frames: u64,
    /// Frames skipped.
    pub skipped: u64,
    bits: f64,
}

impl Shaper {
    /// Before the first frame.
    pub fn new(plan: Arc<Shaped>, rng: Stream) -> Shaper {
        Shaper {
            plan,
            rng,
            next: Time::ZERO,
            provided: 0,
            ends: std::collections::VecDeque::new(),
            rest: 0.0,
            frames: 0,
            skipped: 0,
            bits: 0.0,
        }
    }

    /// When the next frame is due.
    pub fn next(&self) -> Time {
        self.next
    }

    /// A frame is due. Returns the number of packets offered so far, including it. `rate`: the rate that the transport
    /// allows, in bytes per second; `sent`: packets sent.
    pub fn frame(&mut self, now: Time, rate: f64, sent: u32, payload: Bytes) -> u32 {
        self.next = now + self.plan.frame;
        self.frames += 1;
        while self.ends.front().is_some_and(|end| *end <= sent) {
            self.ends.pop_front();
        }
        if self.ends.len() as u64 > self.plan.most_behind {
            self.skipped += 1;
            return self.provided;
        }
        let least = self.plan.least_rate.as_bps();
        let shaped = (8.0 * rate * self.plan.rate_share).clamp(least, self.plan.coded_rate.as_bps());
        let spread = 1.0 + self.plan.frame_spread * (2.0 * self.rng.uniform() - 1.0);
        let bits = shaped * self.plan.frame.as_secs() * spread;
        self.bits += bits;
        self.rest += bits / 8.0;
        let packets = (self.rest / payload.0 as f64).floor();
        self.rest -= packets * payload.0 as f64;
        self.provided = self.provided.saturating_add(packets as u32).min(u32::MAX - 1);
        self.ends.push_back(self.provided);
        self.provided
    }

    /// Rate of the frames made, over time, in bits a second; `None` before the first.
    pub fn mean_bps(&self) -> Option<f64> {
        (self.frames > 0).then(|| self.bits / (self.frames as f64 * self.plan.frame.as_secs()))
    }

    /// The share of the coded rate that remains after shaping.
    pub fn mean_share(&self) -> Option<f64> {
        self.mean_bps().map(|bps| bps / self.plan.coded_rate.as_bps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shaper(plan: Shaped) -> Shaper {
        Shaper::new(Arc::new(plan), Stream::new(1, "video"))
    }

    /// 100 kB/s allowed: 4000 bytes in 40 ms are four packets of 1000; 50 bytes of rest a frame make one more each
    /// twentieth.
    #[test]
    fn frames_follow_the_rate_by_hand() {
        let mut shaper = shaper(Shaped::default());
        assert_eq!(shaper.frame(Time(0), 100_000.0, 0, Bytes(1000)), 4);
        assert_eq!(shaper.next(), Time(40_000_000));
        assert_eq!(
            shaper.frame(Time(40_000_000), 1.0, 4, Bytes(1000)),
            5,
            "300 kbit/s are the least: 1500 bytes"
        );
        assert_eq!(
            shaper.frame(Time(80_000_000), 1e9, 5, Bytes(1000)),
            25,
            "4 Mbit/s the most: 20 000, and 500 were left"
        );
        assert_eq!(shaper.mean_bps().map(f64::round), Some(1_700_000.0));
    }

    #[test]
    fn frames_are_left_out_while_too_many_wait() {
        let mut shaper = shaper(Shaped { most_behind: 2, ..Shaped::default() });
        let provided: Vec<u32> =
            (0..5).map(|n| shaper.frame(Time(n * 40_000_000), 25_000.0, 0, Bytes(1000))).collect();
        assert_eq!((provided, shaper.skipped), (vec![1, 3, 4, 4, 4], 2));
        assert_eq!(shaper.frame(Time(200_000_000), 25_000.0, 4, Bytes(1000)), 6);
    }
}
