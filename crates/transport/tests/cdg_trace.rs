//! CDG against a transcription of its descriptions: the window after each round trip, and so each random number.

#![allow(clippy::unwrap_used)]

#[path = "harness/loopback.rs"]
#[allow(dead_code)]
mod loopback;

use loopback::params;
use transport::cc::{AckEvent, Cause, Cc, CongestionEvent, Control, Window};
use units::{Span, Time};

struct Replay {
    control: Cc,
    window: Window,
    now: u64,
    una: u32,
    /// Segment to be sent next.
    next: u32,
    /// The sender has whole segments.
    whole: bool,
}

impl Replay {
    fn ack(&mut self, rtt: Span, segments: u32) {
        self.now += u64::from(segments) * (rtt.0 as f64 / self.window.cwnd) as u64;
        let flight = self.next - self.una;
        self.una += segments;
        let event = AckEvent {
            now: Time(self.now),
            acked: segments,
            delivered: segments,
            rtt: Some(rtt),
            by_segment: false,
            reducing: false,
            flight,
            una: self.una,
            next: self.next,
            sacks: false,
            ece: false,
            marked: 0,
            recovering: false,
        };
        if self.control.watches() {
            self.control.on_every_ack(&event);
        }
        self.control.on_ack(&mut self.window, &event);
        self.next = self.next.max(self.una + self.window.cwnd as u32);
    }

    fn lose(&mut self) {
        let (cwnd, now) = (self.window.cwnd, Time(self.now));
        let loss =
            CongestionEvent { now, cause: Cause::Loss, load: cwnd, flight: cwnd as u32, ecn_factor: None };
        let left = self.control.on_congestion(&self.window, &loss).max(2.0);
        let left = if self.whole { left.floor() } else { left };
        self.window = Window { cwnd: left, ssthresh: left };
    }
}

/// Plays a trace; returns the number of round trips.
fn play(text: &str) -> usize {
    let keys = text.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(" = "));
    let keys: Vec<(&str, &str)> = [("cc", "cdg"), ("handshake", "none")].into_iter().chain(keys).collect();
    let window = Window { cwnd: 60.0, ssthresh: 2.0 };
    let whole = keys.contains(&("counting", "whole"));
    let mut replay = Replay { control: Cc::new(&params(&keys)), window, now: 0, una: 0, next: 60, whole };
    replay.control.on_open(Some(Span::from_millis(40)));
    let mut rounds = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        rounds += 1;
        let (acks, after) = line.split_once(" | ").unwrap();
        for word in acks.split(' ') {
            let ack = word.trim_end_matches('x');
            let (micros, segments) = ack.split_once('/').unwrap_or((ack, "1"));
            replay.ack(Span(1000 * micros.parse::<u64>().unwrap()), segments.parse().unwrap());
            if ack != word {
                replay.lose();
            }
        }
        let theirs: f64 = after.split(' ').next().unwrap().parse().unwrap();
        let ours = replay.window.cwnd;
        assert!(
            (ours / theirs - 1.0).abs() < 1e-9,
            "{keys:?}, round trip {rounds}: {ours} instead of {theirs}"
        );
    }
    rounds
}

#[test]
fn the_control_of_the_paper_agrees_with_the_transcription() {
    assert_eq!(play(include_str!("traces/cdg_paper.txt")), 260);
    assert_eq!(play(include_str!("traces/cdg_intolerant.txt")), 260);
}

#[test]
fn the_control_of_linux_agrees_with_the_transcription() {
    assert_eq!(play(include_str!("traces/cdg_linux.txt")), 260);
    assert_eq!(play(include_str!("traces/cdg_linux_tolerant.txt")), 260);
}
