//! Prague against a transcription of its draft by someone who had not read the code: the window after each ACK.
//! `reference/prague.py` explains the lines.

#![allow(clippy::unwrap_used)]

#[path = "harness/loopback.rs"]
#[allow(dead_code)]
mod loopback;

use loopback::params;
use transport::{Ack, Sender};
use units::{Span, Stream, Time};

const KEYS: &[(&str, &str)] =
    &[("cc", "prague"), ("handshake", "none"), ("initial_window", "10"), ("pacing", "off")];

fn agrees(theirs: f64, ours: f64) -> bool {
    theirs == ours || (ours / theirs - 1.0).abs() < 1e-12
}

/// Plays a trace on a path with this round-trip time; returns the number of ACKs.
fn play(text: &str, rtt: Span) -> usize {
    let mut sender = Sender::new(&params(KEYS), Stream::new(1, "prague"));
    sender.supply_forever();
    let start = Time(1_000_000_000);
    sender.start(start);
    let (mut next, mut una, mut ce) = (0, 0, 5);
    next += std::iter::from_fn(|| sender.poll_transmit(start)).count();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .enumerate()
        .map(|(place, line)| {
            let (event, after) = line.split_once(" | ").unwrap();
            let words: Vec<u64> = event.split(' ').skip(1).map(|word| word.parse().unwrap()).collect();
            let [time, acked, marked, sent] = words[..] else { panic!("no event: {event}") };
            assert_eq!(next as u64, sent, "segments sent before line {place}");
            let now = start + Span(time);
            (una, ce) = (una + acked as u32, ce + marked);
            let plain = Ack::plain(una, 40, Time(now.0 - rtt.0));
            sender.on_ack(now, &Ack { ace: (ce % 8) as u8, ..plain });
            let theirs: Vec<f64> = after.split(' ').map(|word| word.parse().unwrap()).collect();
            let (cwnd, ssthresh) = (sender.cwnd(), sender.ssthresh());
            assert!(
                agrees(theirs[0], cwnd) && agrees(theirs[1], ssthresh),
                "line {place}: {event}: {cwnd} {ssthresh} instead of {theirs:?}"
            );
            next += std::iter::from_fn(|| sender.poll_transmit(now)).count();
        })
        .count()
}

#[test]
fn the_sender_agrees_with_the_transcription() {
    assert_eq!(play(include_str!("traces/prague_long.txt"), Span::from_millis(40)), 1000);
}

#[test]
fn short_round_trips_agree_with_the_transcription() {
    assert_eq!(play(include_str!("traces/prague_short.txt"), Span::from_millis(10)), 1000);
}
