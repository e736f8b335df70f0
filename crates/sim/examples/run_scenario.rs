//! Runs one scenario with the engine alone, without Python: utilisation and queueing delay of a bottleneck.
//!
//! `cargo run --release -p dropcurve-sim --example run_scenario [FILE.toml [SEED]]`
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program prints

use sim::scenario::Scenario;
use sim::{run, Options};
use std::process::ExitCode;

const SCENARIO: &str = r#"
title = "Four transfers over CoDel"

[run]
duration = "10 s"
warmup = "2 s"

[dumbbell]
rate = "10 Mbit/s"
delay = "20 ms"

[queue]
kind = "codel"

[flows.transfer]
count = 4
start = "uniform 0 s to 1 s"
"#;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let text = match arguments.next().map(std::fs::read_to_string) {
        None => SCENARIO.to_string(),
        Some(Ok(text)) => text,
        Some(Err(error)) => return refuse(&error.to_string()),
    };
    let seed = match arguments.next().map(|seed| seed.parse()) {
        None => 1,
        Some(Ok(seed)) => seed,
        Some(Err(_)) => return refuse("the seed must be a whole number"),
    };
    match report(&text, seed) {
        Ok(lines) => {
            print!("{lines}");
            ExitCode::SUCCESS
        }
        Err(problems) => refuse(&problems),
    }
}

fn refuse(problem: &str) -> ExitCode {
    eprintln!("run_scenario: {problem}");
    ExitCode::from(2)
}

/// A line for each link, or all problems of the scenario.
fn report(text: &str, seed: u64) -> Result<String, String> {
    let scenario = Scenario::parse(text)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let plan = scenario.plan();
    let outcome = run(&plan, seed, &Options::default());
    let summary = outcome.summary_without_flows(&plan, "example");
    let number = |value: &serde_json::Value, key: &str| value[key].as_f64().unwrap_or(f64::NAN);
    let measured_s = number(&summary, "simulated_s") - number(&summary, "warmup_s");
    let mut lines = String::new();
    for (name, link) in summary["links"].as_object().into_iter().flatten() {
        lines += &format!(
            "{name}: utilisation {:.2} %, queue length {:.1} packets, dropped {} of {} packets\n",
            100.0 * number(link, "busy_s") / measured_s,
            number(link, "queue_pkts_mean"),
            number(link, "early_pkts") + number(link, "forced_pkts") + number(link, "overflow_pkts"),
            number(link, "arrived_pkts"),
        );
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::{report, SCENARIO};

    #[test]
    fn the_bottleneck_is_busy_and_the_same_seed_gives_the_same_lines() {
        let lines = report(SCENARIO, 1).expect("the example's own scenario is valid");
        assert!(lines.starts_with("bottleneck: utilisation 9"), "{lines}");
        assert_eq!(report(SCENARIO, 1).as_ref(), Ok(&lines));
        assert_ne!(report(SCENARIO, 2).as_ref(), Ok(&lines));
    }

    #[test]
    fn a_scenario_that_is_wrong_is_refused_with_its_problems() {
        let problem = report(&SCENARIO.replace("codel", "kodel"), 1).expect_err("no such discipline");
        assert!(problem.contains("queue.kind"), "{problem}");
    }
}
