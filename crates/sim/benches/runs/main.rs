//! Whole runs: of the dumbbell that other simulators are compared on, or of any scenarios.
//!
//! `cargo bench -p dropcurve-sim --bench runs` prints the table of the dumbbell; `-- FLOWS SECONDS [folded|hops|plain]
//! [series]` runs one case of it; `-- FILE...` runs scenarios. `--without-PATH` leaves a fast path out. One program
//! for both, as linking it takes longer than its runs.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use sim::fast::{FastPath, FastPaths};

mod cells;
mod dumbbell;

fn main() {
    let (options, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let named = |path: &&FastPath| {
        options.iter().any(|option| option.strip_prefix("--without-") == Some(path.name()))
    };
    let without =
        FastPath::ALL.iter().filter(named).fold(FastPaths::NONE, |without, path| without.with(*path));
    match words.as_slice() {
        [] => dumbbell::table(without),
        [flows, seconds, modes @ ..] if flows.parse::<u64>().is_ok() => {
            dumbbell::case(flows.parse().unwrap(), seconds.parse().unwrap(), modes, without);
        }
        files => files.iter().for_each(|file| cells::cell(file, without)),
    }
}
