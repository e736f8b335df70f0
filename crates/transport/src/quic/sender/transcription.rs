//! Loss detection and NewReno against a transcription of RFC 9002 by someone who had not read the code: every number
//! after every event. `reference/quic_recovery.py` explains the lines.

use super::*;
use crate::quic::packets::QuicFate;
use crate::quic::ranges::Ranges;
use std::collections::BTreeSet;

struct Replay {
    sender: QuicSender,
    /// Packets that are neither acknowledged nor lost by the trace.
    outstanding: BTreeSet<u32>,
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().ok().unwrap()
}

/// Ranges of an ACK, each `FIRST-LAST`, highest first.
fn ranges(words: &str) -> Ranges {
    let mut ranges = Ranges::default();
    for word in words.split(',') {
        let (first, last) = word.split_once('-').unwrap();
        for packet in number(first)..=number(last) {
            ranges.insert(packet, 16);
        }
    }
    ranges
}

impl Replay {
    fn new() -> Replay {
        let params = QuicParams {
            handshake: QuicStart::ZeroRtt,
            pacing: false,
            max_pto: Span::from_millis(1_000_000_000),
            ..QuicParams::default()
        };
        let mut sender = QuicSender::new(&Valid::new(params).unwrap());
        sender.start(Time::ZERO);
        Replay { sender, outstanding: BTreeSet::new() }
    }

    fn send(&mut self, now: Time, packet: &str) {
        assert_eq!(self.sender.emit(now, Frames::Ping).number, number::<u32>(packet));
        self.outstanding.insert(number(packet));
    }

    fn event(&mut self, event: &str) {
        let words: Vec<&str> = event.split(' ').collect();
        let now = Time(number(words[1]));
        match words[..] {
            ["s", _, packet] => {
                assert!(self.sender.congestion.has_room(self.sender.in_flight()));
                self.send(now, packet);
            }
            ["p", _, packet] => {
                self.sender.probes -= 1;
                self.send(now, packet);
            }
            ["a", _, delay, ce, limited, list] => {
                self.sender.limited = limited == "1";
                let (ranges, delay) = (ranges(list), Span(number(delay)));
                self.outstanding.retain(|packet| ranges.end_of(*packet).is_none());
                let ack = QuicAck { number: 0, size: 66, echo: Time::ZERO, ranges, delay, ce: number(ce) };
                self.sender.on_report(now, &ack);
            }
            ["t", _] => {
                assert!(self.sender.timer.is_some_and(|timer| timer <= now));
                self.sender.on_timer(now);
            }
            _ => panic!("no event: {event}"),
        }
    }

    /// The state of a line of the trace, with a timer in the past at the present.
    fn state(&self) -> String {
        let QuicSender { rtt, congestion, timer, .. } = &self.sender;
        let timer = timer.map_or("-".into(), |timer| timer.0.to_string());
        format!(
            "{} {} {} {} {} {} {} {} {timer}",
            congestion.window(),
            congestion.ssthresh(),
            self.sender.in_flight(),
            rtt.latest.0,
            rtt.min.0,
            rtt.smoothed.0,
            rtt.deviation.0,
            self.sender.backoff
        )
    }
}

/// The state that a line names, in our words.
fn theirs(words: &[&str], now: u64) -> String {
    let float = |word: &str| number::<f64>(word).to_string();
    let timer = if words[8] == "-" { "-".into() } else { number::<u64>(words[8]).max(now).to_string() };
    format!("{} {} {} {timer}", float(words[0]), float(words[1]), words[2..8].join(" "))
}

/// Plays a trace; returns the number of events.
fn play(text: &str) -> usize {
    let mut replay = Replay::new();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .enumerate()
        .map(|(place, line)| {
            let (event, after) = line.split_once(" | ").unwrap();
            let words: Vec<&str> = after.split(' ').collect();
            replay.event(event);
            for lost in words[9].split(',').filter(|word| *word != "-") {
                replay.outstanding.remove(&number(lost));
            }
            let now = number(event.split(' ').nth(1).unwrap());
            assert_eq!(replay.state(), theirs(&words, now), "line {place}: {event}");
            for &packet in &replay.outstanding {
                let fate = replay.sender.packets.get_mut(packet).fate;
                assert_eq!(fate, QuicFate::InFlight, "line {place}: packet {packet}");
            }
            assert_eq!(replay.outstanding.len(), replay.sender.in_flight() as usize);
        })
        .count()
}

macro_rules! trace {
    ($name:ident, $events:literal) => {
        #[test]
        fn $name() {
            let text = include_str!(concat!("../../../tests/traces/quic_", stringify!($name), ".txt"));
            assert_eq!(play(text), $events);
        }
    };
}

trace!(bursts, 600);
trace!(outages, 600);
trace!(pauses, 600);
trace!(marks, 600);
trace!(late, 600);
trace!(reordered, 600);
