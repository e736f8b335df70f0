//! Random scenarios over the whole catalogue, in both engines, until a given number of events has been executed.
//!
//! `cargo run -p dropcurve-sim --example fuzz_runs -- EVENTS [SEED [FIRST]]`
//!
//! FIRST is the number of the first run, so that a search goes on where another one ended, or repeats one run.
//! The profile is the one of tests: optimised, with assertions and overflow checks. Exit code 1 where a run panicked,
//! lost a packet or differed between the engines; its scenario is printed.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program prints
#![allow(clippy::disallowed_methods)] // and reads the wall clock for its progress

#[path = "../tests/common/drawn.rs"]
mod drawn;

use drawn::{judge, Drawer};
use std::collections::BTreeMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::ExitCode;
use std::time::Instant;

/// Seconds between two lines of progress.
const REPORT_S: u64 = 60;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<f64>());
    let (wanted, seed, first) = (arguments.next(), arguments.next(), arguments.next());
    let (Some(Ok(wanted)), Ok(seed), Ok(first)) = (wanted, seed.unwrap_or(Ok(1.0)), first.unwrap_or(Ok(0.0)))
    else {
        eprintln!("usage: fuzz_runs EVENTS [SEED [FIRST]]");
        return ExitCode::from(2);
    };
    let (seed, first) = (seed as u64, first as u64);
    let (mut drawer, began, mut reports) = (Drawer::new(seed), Instant::now(), 0);
    (0..first).for_each(|_| drop(drawer.next()));
    let (mut runs, mut events, mut arrived, mut failures) = (first, 0_u64, 0_u64, 0_u64);
    let mut by_part: BTreeMap<String, u64> = BTreeMap::new();
    while (events as f64) < wanted {
        let one = drawer.next();
        match catch_unwind(AssertUnwindSafe(|| judge(&one.scenario, runs))) {
            Ok(ran) => {
                events += ran.events;
                arrived += ran.arrived;
                for part in one.transports.iter().chain([&one.queue]) {
                    *by_part.entry(part.clone()).or_default() += ran.events;
                }
            }
            Err(_) => {
                failures += 1;
                println!("FAILED with seed {runs}: {}", one.object);
            }
        }
        runs += 1;
        if began.elapsed().as_secs() / REPORT_S > reports {
            reports = began.elapsed().as_secs() / REPORT_S;
            println!("{runs} runs, {events} events, {arrived} packets at links, {failures} failures");
        }
    }
    println!("seed {seed}: {runs} runs, {events} events, {arrived} packets at links, {failures} failures");
    for (part, count) in &by_part {
        println!("{part}: {count}");
    }
    ExitCode::from(u8::from(failures > 0))
}
