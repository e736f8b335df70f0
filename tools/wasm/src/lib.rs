//! Runs of the simulator behind one exported function, for a host that offers nothing.

#![allow(unsafe_code)]

use sim::scenario::Scenario;
use sim::{run, Engine, Options};
use units::random::fnv1a;

/// A run of this discipline under every kind of transport.
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

/// Returns a hash of the summaries of one run for each discipline of the catalogue, with this seed, in the fast engine
/// or, if `plain` is not zero, in the plain one.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn dropcurve_hash(seed: u32, plain: u32) -> u64 {
    let engine = if plain == 0 { Engine::Fast } else { Engine::Plain };
    let options = Options { engine, ..Options::default() };
    let mut hash = 0u64;
    for entry in queue::catalogue() {
        // A discipline that needs more than its kind is left to the tests of its crate.
        let Ok(scenario) = Scenario::parse(&text(entry.kind)) else { continue };
        let plan = scenario.plan();
        let mut summary = run(&plan, u64::from(seed), &options).summary(&plan, "");
        summary["events"] = 0.into();
        hash = hash.rotate_left(1) ^ fnv1a(summary.to_string().as_bytes());
    }
    hash
}
