//! Nanoseconds for one segment and its acknowledgement through sender and receiver, for each recovery and
//! profile, without losses and with one segment in a hundred lost. Includes the ring that carries them.

#![allow(clippy::print_stdout, clippy::disallowed_methods, missing_docs)]

#[path = "../tests/harness/loopback.rs"]
mod loopback;

use loopback::Loopback;
use std::time::Instant;

fn measure(name: &str, keys: &[(&str, &str)], lose_every: u64) {
    let mut line = Loopback::new(keys);
    line.lose_every = lose_every;
    while line.receiver.delivered() < 100_000 {
        line.step();
    }
    let (carried, delivered, start) = (line.carried, line.receiver.delivered(), Instant::now());
    while line.receiver.delivered() < delivered + 2_000_000 {
        line.step();
    }
    let ns = start.elapsed().as_nanos() as f64 / (line.carried - carried) as f64;
    println!("{name:<28} {ns:6.1} ns a segment");
}

fn main() {
    println!("sender {} B, receiver {} B", size_of::<transport::Sender>(), size_of::<transport::Receiver>());
    for recovery in ["tahoe", "reno", "newreno", "sack", "sack1"] {
        for lose_every in [0, 100] {
            let keys = [
                ("profile", "rfc"),
                ("recovery", recovery),
                ("window", "200"),
                ("ack_every", "1"),
                ("min_rto", "10 ms"),
            ];
            measure(&format!("{recovery}, lost 1 in {lose_every}"), &keys, lose_every);
        }
    }
    for profile in ["rfc", "linux", "ns3", "ns2-2.35", "ns2-2000"] {
        measure(profile, &[("profile", profile), ("window", "200")], 0);
    }
}
