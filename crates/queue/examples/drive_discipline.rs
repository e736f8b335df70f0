//! Drives one discipline alone, with packets of its own: which share of an overload does it drop, and how long is the
//! queue?
//!
//! `cargo run --release -p dropcurve-queue --example drive_discipline [KIND]`
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program prints

use queue::disc::{Cx, Fate, Packet, QueueDisc};
use queue::{Setting, Spec};
use std::process::ExitCode;
use units::param::Value;
use units::{Bytes, Ecn, Rate, Span, Stream, Time};

/// The packet type that a discipline needs; everything else stays with its owner.
#[derive(Clone, Copy)]
struct Frame {
    flow: u64,
    enqueued: Time,
}

impl Packet for Frame {
    fn size(&self) -> Bytes {
        Bytes(1500)
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ce(&mut self) {}
    fn enqueued(&self) -> Time {
        self.enqueued
    }
    fn set_enqueued(&mut self, now: Time) {
        self.enqueued = now;
    }
}

/// Packets that arrived, left, were dropped and are still in the queue.
#[derive(Debug, PartialEq)]
struct Counts {
    arrived: usize,
    sent: usize,
    dropped: usize,
    queued: usize,
}

fn main() -> ExitCode {
    let kind = std::env::args().nth(1).unwrap_or_else(|| "red".to_string());
    match overload(&kind) {
        Ok(counts) => {
            println!("{kind}: {counts:?}");
            ExitCode::SUCCESS
        }
        Err(problems) => {
            eprintln!("drive_discipline: {problems}");
            ExitCode::from(2)
        }
    }
}

/// Ten seconds at 10 Mbit/s with five arrivals for every four departures, or why there is no such discipline.
fn overload(kind: &str) -> Result<Counts, String> {
    let table = vec![("kind".to_string(), Value::Text(kind.to_string()))];
    let mut problems = Vec::new();
    let Some(spec) = Spec::read("queue", &table, &mut problems) else {
        return Err(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    };
    let setting = Setting { rate: Rate(10_000_000), delay: Span::from_millis(20), packet: Bytes(1500) };
    let mut queue = spec.build::<Frame>(&setting);
    let (mut rng, mut fates) = (Stream::new(1, "example"), Vec::new());
    let mut counts = Counts { arrived: 0, sent: 0, dropped: 0, queued: 0 };
    let mut now = Time::ZERO;
    for slot in 0.. {
        if now >= Time::from_secs(10.0) {
            break;
        }
        for _ in 0..if slot % 4 == 0 { 2 } else { 1 } {
            let frame = Frame { flow: counts.arrived as u64 % 8, enqueued: now };
            queue.enqueue(frame, &mut Cx::new(now, &mut rng, &mut fates));
            counts.arrived += 1;
        }
        if queue.next_deadline().is_some_and(|due| due <= now) {
            queue.on_deadline(&mut Cx::new(now, &mut rng, &mut fates));
        }
        counts.sent += usize::from(queue.dequeue(&mut Cx::new(now, &mut rng, &mut fates)).is_some());
        counts.dropped += fates.drain(..).filter(|fate| matches!(fate, Fate::Dropped(..))).count();
        now += Span::from_micros(1200);
    }
    counts.queued = queue.len();
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::overload;

    #[test]
    fn every_packet_is_sent_dropped_or_queued() {
        for kind in ["droptail", "red", "codel", "pie"] {
            let counts = overload(kind).expect("a discipline of the catalogue");
            assert_eq!(counts.arrived, counts.sent + counts.dropped + counts.queued, "{kind}");
            assert!(counts.dropped > 0, "{kind}: a fifth of the load cannot be sent");
        }
    }

    #[test]
    fn an_unknown_discipline_is_refused() {
        assert!(overload("raid").expect_err("no such discipline").contains("queue.kind"));
    }
}
