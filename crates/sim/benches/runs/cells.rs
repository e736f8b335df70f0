//! Whole runs of any scenarios: nanoseconds and events for each data packet delivered after the warm-up.
//!
//! Under callgrind with `--toggle-collect=*measured_part*` and `--dump-after=*measured_part*` each file makes a dump of
//! the part after its warm-up (`tools/bench/matrix.py`).

use std::time::Instant;

use sim::account::Trace;
use sim::build::{build, measurement_window};
use sim::fast::{Fast, FastPaths};
use sim::network::{Carrier, Network};
use sim::scenario::Scenario;
use units::Time;

/// Events between two checks of the time, while the warm-up lasts.
const STEP: u64 = 256;

/// Executes the events of the warm-up; the last step may go a little further.
fn warm_up(network: &mut Network<Fast>) {
    loop {
        let (done, now): (u64, Time) = Fast::advance(network, STEP);
        if done < STEP || now >= network.window.warmup {
            return;
        }
    }
}

/// Executes the events after the warm-up. Returns how many.
#[inline(never)]
fn measured_part(network: &mut Network<Fast>) -> u64 {
    Fast::advance(network, u64::MAX).0
}

/// Runs a file's scenario and prints its line.
pub fn cell(file: &str, without: FastPaths) {
    let plan = Scenario::parse(&std::fs::read_to_string(file).unwrap()).unwrap().plan();
    let window = measurement_window(&plan, false);
    let mut network = build(&plan, 1, window, Trace::new(false), Fast::new(window.end, without));
    warm_up(&mut network);
    // The counter of processor time advances in ticks of some milliseconds, longer than a run takes.
    let start = Instant::now();
    let events = measured_part(&mut network);
    let elapsed = start.elapsed().as_secs_f64() * 1e9;
    let mut records = network.into_records(window.end);
    records.gather_sessions(plan.flows());
    let segments: u64 = records.flows.iter().map(|flow| flow.probe.received.pkts()).sum();
    let (ns, each) = (elapsed / segments as f64, events as f64 / segments as f64);
    println!("{segments} segments, {ns:.1} ns and {each:.2} events each");
}
