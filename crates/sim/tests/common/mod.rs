//! Shared parts of the tests of rate-based flows: a RED bottleneck of 4 Mbit/s, and the summary of a run over it.

use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Options};

/// A scenario without its flows.
pub const HEAD: &str = r#"
    title = "rated"
    [run]
    duration = "80 s"
    warmup = "20 s"
    [dumbbell]
    rate = "4 Mbit/s"
    delay = "20 ms"
    [queue]
    kind = "red"
    dialect = "ns2_explicit"
    limit = "60 pkts"
    min_th = "5 pkts"
    max_th = "15 pkts"
"#;

/// Seconds in the measurement window.
pub const SECONDS: f64 = 60.0;

/// The summary of a run of [`HEAD`] with `flows`, whose packets are conserved and whose series hold the rate and the
/// number called `second`.
pub fn summary(flows: &str, second: &str) -> Value {
    let text = format!("{HEAD}{flows}");
    let plan = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{problems:?}")).plan();
    let outcome = run(&plan, 1, &Options { series: true, ..Options::default() });
    assert!((0..outcome.records.flows.len()).all(|flow| outcome.records.is_conserved(flow)));
    let names: Vec<&str> = outcome.series(&plan).iter().map(|series| series.name).collect();
    assert!(names.contains(&"rate_bps") && names.contains(&second), "{names:?}");
    outcome.summary(&plan, "")
}

/// Payload delivered, in bits a second.
pub fn goodput_bps(flow: &Value) -> f64 {
    flow["goodput_bytes"].as_f64().expect("a number") * 8.0 / SECONDS
}
