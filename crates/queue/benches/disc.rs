//! Nanoseconds for an enqueue and a dequeue, for every registered kind and dialect.
//!
//! `cargo bench -p dropcurve-queue`: one line each, the best of several runs. The load keeps the queue near 10
//! packets of eight flows, so RED is between its thresholds and draws for each packet; drops are part of the cost,
//! and so are ticks. `KIND PACKETS` enqueues that number of packets and nothing else, for a tool that counts
//! instructions (`tools/bench/cost.py`). `KIND PACKETS FLOWS` does so with a backlog of two packets for each flow of
//! one pair of hosts.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{spec, Pkt, SETTING};
use queue::disc::{Cx, QueueDisc};
use queue::{catalogue, Disc};
use std::time::Instant;
use units::{Span, Stream, Time};

const PACKETS: u64 = 1_000_000;

/// Nanoseconds a packet; the count of survivors keeps the work from being optimised away.
fn run(mut disc: Disc<Pkt>, packets: u64, flows: u64, backlog: usize) -> (f64, u64) {
    let ticks = disc.next_deadline().is_some();
    let mut rng = Stream::new(1, "bench");
    let mut fates = Vec::with_capacity(16);
    let (mut now, mut left) = (Time::ZERO, 0);
    let start = Instant::now();
    for id in 0..packets {
        while ticks && disc.next_deadline().is_some_and(|tick| tick <= now) {
            disc.on_deadline(&mut Cx::new(now, &mut rng, &mut fates));
        }
        disc.enqueue(
            Pkt { flow: id % flows, enqueued: now, ..Pkt::new(id, 1000) },
            &mut Cx::new(now, &mut rng, &mut fates),
        );
        if disc.len() > backlog {
            left += u64::from(disc.dequeue(&mut Cx::new(now, &mut rng, &mut fates)).is_some());
        }
        fates.clear();
        now += Span::from_micros(800);
    }
    (start.elapsed().as_nanos() as f64 / packets as f64, left)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    if let [kind, packets, rest @ ..] = words.as_slice() {
        let flows: u64 = rest.first().map_or(8, |flows| flows.parse().unwrap());
        let (limit, backlog) = if rest.is_empty() { (100, 10) } else { (10_000, 2 * flows as usize) };
        let disc = spec(&[("kind", kind), ("limit", &format!("{limit} pkts"))]).build(&SETTING);
        let (_, left) = run(disc, packets.parse().unwrap(), flows, backlog);
        return println!("{left} of {packets} left");
    }
    for entry in catalogue() {
        for dialect in std::iter::once(None).chain(entry.presets.iter().map(|row| Some(row.name))) {
            let mut rows = vec![("kind", entry.kind), ("limit", "100 pkts")];
            rows.extend(dialect.map(|name| (entry.preset_key, name)));
            let spec = spec(&rows);
            let runs: Vec<(f64, u64)> = (0..7).map(|_| run(spec.build(&SETTING), PACKETS, 8, 10)).collect();
            let best = runs.iter().map(|(ns, _)| *ns).fold(f64::INFINITY, f64::min);
            println!(
                "{:<10} {:<16} {best:6.1} ns  {} of {PACKETS} left",
                entry.kind,
                dialect.unwrap_or("-"),
                runs[0].1
            );
        }
    }
}
