//! Runs of applications over a link whose times are worked by hand.

use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Options};

/// The summary of one run with a group of flows, whose packets are conserved. 12 Mbit/s: 1500 bytes take 1 ms. 22 ms
/// one way, and the private links take no time to send.
pub fn summary(group: &str, rate: &str, limit: u32, seconds: u32, seed: u64) -> Value {
    let text = format!(
        r#"
        [run]
        duration = "{seconds} s"
        warmup = "0 s"
        [dumbbell]
        rate = "{rate}"
        delay = "20 ms"
        access_rate = "0 bit/s"
        [queue]
        kind = "droptail"
        limit = "{limit} pkts"
        {group}
        "#
    );
    let scenario = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{text}\n{problems:?}"));
    let plan = scenario.plan();
    let outcome = run(&plan, seed, &Options::default());
    assert!((0..plan.groups[0].count).all(|flow| outcome.records.is_conserved(flow)));
    outcome.summary(&plan, "")
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}
