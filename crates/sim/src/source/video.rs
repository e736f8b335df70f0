//! Video on demand over TCP: chunks of a few seconds, each in the best quality that the network seems to carry.
//!
//! *Reference*: ISO-23009 (DASH) for chunks and qualities. Two classic rules: by throughput, the best quality within a
//! share of the rate of past chunks; by buffer, HJMTW14: the quality rises with the seconds in the buffer between a
//! reservoir and a cushion. *Units*: bits a second, seconds. *Deviations*: a chunk counts as received when the server
//! has its last acknowledgement; requests take no packets; chunks of one quality have one size.

use super::action::AppAction;
use units::param::{require, Check, Param, Problem, Range};
use units::{choices, params, Rate, Span, Time};

choices! {
    /// The measure that the quality follows.
    pub enum Adapt {
        /// The throughput of past chunks.
        Throughput = "throughput",
        /// The seconds in the buffer.
        Buffer = "buffer",
    }
}

params! {
    /// A viewer.
    pub struct Video {
        /// The qualities there are, ascending.
        qualities: Vec<Rate> = [300, 750, 1200, 1850, 2850, 4300].map(|kbps| Rate(kbps * 1000)).to_vec() => { range: Range::Positive, source: "dropcurve", assumed: true },
        /// Video in a chunk.
        chunk: Span = Span::from_millis(4000) => { range: Range::Positive, source: "ISO-23009 leaves it open", assumed: true },
        /// The measure that the quality follows.
        adapt: Adapt = Adapt::Throughput,
        /// Share of the throughput that is used (`adapt = "throughput"`).
        share: f64 = 0.8 => { range: Range::Above(0.0, 1.0), source: "dropcurve", assumed: true },
        /// Weight of the last chunk in the estimate of the throughput.
        weight: f64 = 0.4 => { range: Range::Above(0.0, 1.0), source: "dropcurve", assumed: true },
        /// Below this much in the buffer the lowest quality is played (`adapt = "buffer"`).
        reservoir: Span = Span::from_millis(8000) => { source: "HJMTW14, for a smaller buffer", assumed: true },
        /// From this much in the buffer on the highest quality is played (`adapt = "buffer"`).
        cushion: Span = Span::from_millis(24_000) => { range: Range::Positive, source: "HJMTW14, for a smaller buffer", assumed: true },
        /// Most video in the buffer; with more to come the next chunk waits.
        buffer: Span = Span::from_millis(30_000) => { range: Range::Positive, source: "dropcurve", assumed: true },
    }
}

impl Check for Video {
    fn relations(&self, problems: &mut Vec<Problem>) {
        let ascends = !self.qualities.is_empty() && self.qualities.windows(2).all(|pair| pair[0] < pair[1]);
        let shown = self.qualities.show();
        require(problems, ascends, "qualities", shown, "must be one or more rates that ascend", "");
        require(
            problems,
            self.chunk <= self.buffer,
            "buffer",
            self.buffer.show(),
            "must hold a chunk",
            "lengthen it",
        );
        let rule = "must exceed reservoir";
        require(problems, self.cushion > self.reservoir, "cushion", self.cushion.show(), rule, "");
    }
}

/// Statistics of playback.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaybackStatistics {
    /// Chunks received, and the sum of their rates in bits a second.
    pub chunks: u64,
    /// Sum of the rates of the chunks received.
    pub bps: f64,
    /// Times the picture froze.
    pub stalls: u64,
    /// Seconds for which the picture was frozen.
    pub stalled_s: f64,
    /// Changes of quality.
    pub switches: u64,
}

/// The state of a video player.
#[derive(Clone, Debug, Default)]
pub struct VideoPlayer {
    /// Its statistics.
    pub playback: PlaybackStatistics,
    /// The quality of the chunk in flight, and when it was requested.
    quality: usize,
    asked: Option<Time>,
    /// Bits a second of past chunks.
    estimate: Option<f64>,
    /// Seconds in the buffer at the last update.
    buffer_s: f64,
    updated: Time,
}

impl VideoPlayer {
    /// Requests the next chunk.
    pub fn next_action(&mut self, plan: &Video, now: Time) -> AppAction {
        self.play_until(now);
        let quality = self.choose(plan);
        self.playback.switches += u64::from(self.playback.chunks > 0 && quality != self.quality);
        self.quality = quality;
        let fresh = self.asked.replace(now).is_none();
        let bytes = (plan.qualities[quality].as_bps() * plan.chunk.as_secs() / 8.0).round() as u64;
        AppAction::Send { bytes: bytes.max(1), fresh }
    }

    /// A chunk was received.
    pub fn on_acknowledged(&mut self, plan: &Video, now: Time) -> AppAction {
        self.play_until(now);
        let rate = plan.qualities[self.quality].as_bps();
        let took = now.since(self.asked.unwrap_or(now)).as_secs().max(1e-9);
        let got = rate * plan.chunk.as_secs() / took;
        self.estimate = Some(self.estimate.map_or(got, |past| past + plan.weight * (got - past)));
        self.playback.chunks += 1;
        self.playback.bps += rate;
        self.buffer_s += plan.chunk.as_secs();
        let full = self.buffer_s + plan.chunk.as_secs() - plan.buffer.as_secs();
        AppAction::Wait { span: Span::from_secs(full.max(0.0)), close: false }
    }

    /// Plays until `now`: the picture runs while the buffer is not empty, and before the first chunk nothing is
    /// counted.
    fn play_until(&mut self, now: Time) {
        let passed = now.since(self.updated).as_secs();
        self.updated = now;
        if self.playback.chunks == 0 {
            return;
        }
        if passed > self.buffer_s {
            self.playback.stalls += 1;
            self.playback.stalled_s += passed - self.buffer_s;
            self.buffer_s = 0.0;
        } else {
            self.buffer_s -= passed;
        }
    }

    fn choose(&self, plan: &Video) -> usize {
        let last = plan.qualities.len() - 1;
        let within = |bps: f64| plan.qualities.iter().rposition(|rate| rate.as_bps() <= bps).unwrap_or(0);
        match (plan.adapt, self.estimate) {
            (_, None) => 0,
            (Adapt::Throughput, Some(estimate)) => within(plan.share * estimate),
            (Adapt::Buffer, Some(_)) => {
                let (low, high) = (plan.reservoir.as_secs(), plan.cushion.as_secs());
                let share = ((self.buffer_s - low) / (high - low)).clamp(0.0, 1.0);
                let (least, most) = (plan.qualities[0].as_bps(), plan.qualities[last].as_bps());
                within(least + share * (most - least))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Time {
        Time::ZERO + Span::from_secs(seconds)
    }

    /// Chunks of 4 s; qualities 1 and 2 Mbit/s; a buffer of 8 s. The first takes 1 s (4 Mbit at 4 Mbit/s, of which 0.8
    /// count), so the second has the better quality; it takes 6 s, of which 4 s are played and 2 s are a stall.
    #[test]
    fn a_viewer_by_hand() {
        let plan = Video {
            qualities: vec![Rate(1_000_000), Rate(2_000_000)],
            buffer: Span::from_secs(8.0),
            weight: 1.0,
            ..Video::default()
        };
        let mut player = VideoPlayer::default();
        assert_eq!(player.next_action(&plan, at(0.0)), AppAction::Send { bytes: 500_000, fresh: true });
        assert_eq!(
            player.on_acknowledged(&plan, at(1.0)),
            AppAction::Wait { span: Span::ZERO, close: false }
        );
        assert_eq!(player.next_action(&plan, at(1.0)), AppAction::Send { bytes: 1_000_000, fresh: false });
        assert_eq!(
            player.on_acknowledged(&plan, at(7.0)),
            AppAction::Wait { span: Span::ZERO, close: false }
        );
        assert_eq!((player.playback.stalls, player.playback.stalled_s), (1, 2.0));
        // 8 Mbit in 6 s are 1.33 Mbit/s, of which 1.07 count: back to the lower one, which comes in half a second.
        assert_eq!(player.next_action(&plan, at(7.0)), AppAction::Send { bytes: 500_000, fresh: false });
        assert_eq!(
            player.on_acknowledged(&plan, at(7.5)),
            AppAction::Wait { span: Span::from_secs(3.5), close: false }
        );
        assert_eq!((player.playback.chunks, player.playback.switches, player.playback.bps), (3, 2, 4e6));
    }

    /// 16 s in the buffer are half way from 8 to 24, so the rate is half way from 300 to 4300 kbit/s, and 1850 is
    /// chosen.
    #[test]
    fn the_buffer_maps_to_a_quality() {
        let plan = Video { adapt: Adapt::Buffer, ..Video::default() };
        let player = |buffer_s| VideoPlayer { buffer_s, estimate: Some(1e9), ..VideoPlayer::default() };
        assert_eq!([0.0, 16.0, 30.0].map(|seconds| player(seconds).choose(&plan)), [0, 3, 5]);
    }

    #[test]
    fn bad_ladders_are_refused() {
        let plan = Video { qualities: vec![Rate(2), Rate(1)], ..Video::default() };
        assert_eq!(units::param::Valid::new(plan).unwrap_err()[0].path, "qualities");
    }
}
