//! A hash of many results, by which two builds of the engine are compared.

use serde_json::Value as Json;
use sim::scenario::{catalogue, Scenario};
use sim::{run, Engine, Options};
use units::random::fnv1a;

/// A run of a discipline under every kind of transport.
fn text(kind: &str) -> String {
    format!(
        r#"
        [run]
        duration = "2 s"
        [dumbbell]
        rate = "5 Mbit/s"
        [queue]
        kind = "{kind}"
        [flows.tcp]
        count = 2
        [flows.linux]
        profile = "linux"
        [flows.tfrc]
        transport = "tfrc"
        [flows.web]
        source = "http"
        [flows.voice]
        transport = "udp"
        source = "voice"
        "#
    )
}

/// Returns a hash of the summaries of one run for each discipline, with this seed.
pub fn results_hash(seed: u64, engine: Engine) -> u64 {
    let options = Options { engine, ..Options::default() };
    let known = catalogue();
    let kinds = known["disciplines"].as_array().into_iter().flatten().filter_map(|one| one["kind"].as_str());
    // A discipline that needs more than its kind is left to the tests of its crate.
    let scenarios = kinds.filter_map(|kind| Scenario::parse(&text(kind)).ok());
    scenarios.fold(0, |hash: u64, scenario| {
        let plan = scenario.plan();
        let mut summary = run(&plan, seed, &options).summary(&plan, "");
        summary["events"] = Json::from(0);
        hash.rotate_left(1) ^ fnv1a(summary.to_string().as_bytes())
    })
}
