//! DCTCP against a transcription of RFC 8257 by someone who had not read the code: the window after each ACK, and the
//! ACKs after each segment. `reference/dctcp.py` explains the lines.

#![allow(clippy::unwrap_used)]

#[path = "harness/loopback.rs"]
#[allow(dead_code)]
mod loopback;

use loopback::params;
use transport::{Ack, Receiver, Segment, Sender};
use units::{Ecn, Stream, Time};

const KEYS: &[(&str, &str)] = &[("cc", "dctcp"), ("handshake", "none"), ("initial_window", "10")];

fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once(" | ").unwrap())
}

/// Sends all that may leave; returns one past the last segment so far.
fn send(sender: &mut Sender, now: Time, next: u32) -> u32 {
    let new =
        std::iter::from_fn(|| sender.poll_transmit(now)).inspect(|segment| assert!(!segment.retransmit));
    next + new.count() as u32
}

#[test]
fn the_sender_agrees_with_the_transcription() {
    let mut sender = Sender::new(&params(KEYS), Stream::new(1, "dctcp"));
    sender.supply_forever();
    sender.start(Time(0));
    let (mut next, mut una) = (send(&mut sender, Time(0), 0), 0);
    let text = include_str!("traces/dctcp_sender.txt");
    for (place, (event, after)) in lines(text).enumerate() {
        let words: Vec<u32> = event.split(' ').skip(1).map(|word| word.parse().unwrap()).collect();
        let [acked, echo, sent] = words[..] else { panic!("no event: {event}") };
        assert_eq!(next, sent, "segments sent before line {place}");
        let now = Time(1_000_000 * (place as u64 + 1));
        una += acked;
        sender.on_ack(now, &Ack { ece: echo == 1, ..Ack::plain(una, 40, Time(now.0 - 1_000_000)) });
        let theirs: Vec<f64> = after.split(' ').map(|word| word.parse().unwrap()).collect();
        assert_eq!((sender.cwnd(), sender.ssthresh()), (theirs[0], theirs[1]), "line {place}: {event}");
        next = send(&mut sender, now, next);
    }
    assert_eq!(lines(text).count(), 1000);
}

#[test]
fn the_receiver_agrees_with_the_transcription() {
    let mut receiver = Receiver::new(&params(KEYS));
    let (mut seq, text) = (0, include_str!("traces/dctcp_receiver.txt"));
    for (place, (event, acks)) in lines(text).enumerate() {
        let now = Time(1000 * (place as u64 + 1));
        if let Some(mark) = event.strip_prefix("p ") {
            let ecn = if mark == "1" { Ecn::Ce } else { Ecn::Ect0 };
            receiver.on_segment(now, &Segment { ecn, ..Segment::data(seq, 1500, now) });
            seq += 1;
        } else if let Some(due) = receiver.poll_timeout() {
            receiver.on_timer(due);
        }
        let ours: Vec<String> = std::iter::from_fn(|| receiver.poll_transmit(now))
            .map(|ack| format!("{}{}", ack.ack, if ack.ece { "e" } else { "" }))
            .collect();
        let theirs = acks.replace('-', "");
        assert_eq!(ours.join(" "), theirs, "line {place}: {event}");
    }
    assert_eq!(lines(text).count(), 300);
}
