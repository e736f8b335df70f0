//! Whole runs of scenarios whose queue may be a plug-in: delivered data packets after the warm-up.
//!
//! `cargo bench -p dropcurve-capi --bench plugins -- --plugin=LIBRARY... FILE...` prints a line for each file. Under
//! callgrind with `--toggle-collect=*measured_part*` the instructions after the warm-up count
//! (`tools/bench/plugins.py`).
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use sim::account::Trace;
use sim::build::{build, measurement_window};
use sim::fast::{Fast, FastPaths};
use sim::network::{Carrier, Network};
use sim::scenario::Scenario;
use std::path::Path;

/// Executes the events after the warm-up. Returns how many.
#[inline(never)]
fn measured_part(network: &mut Network<Fast>) -> u64 {
    Fast::advance(network, u64::MAX).0
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    for library in args.iter().filter_map(|arg| arg.strip_prefix("--plugin=")) {
        plugin::load(Path::new(library)).unwrap();
    }
    for file in args.iter().filter(|arg| !arg.starts_with("--")) {
        let plan = Scenario::parse(&std::fs::read_to_string(file).unwrap()).unwrap().plan();
        let window = measurement_window(&plan, false);
        let mut network = build(&plan, 1, window, Trace::new(false), Fast::new(window.end, FastPaths::NONE));
        loop {
            let (done, now) = Fast::advance(&mut network, 256);
            if done < 256 || now >= window.warmup {
                break;
            }
        }
        let events = measured_part(&mut network);
        let mut records = network.into_records(window.end);
        records.gather_sessions(plan.flows());
        let segments: u64 = records.flows.iter().map(|flow| flow.probe.received.pkts()).sum();
        println!("{segments} segments, {events} events");
    }
}
