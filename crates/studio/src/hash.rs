//! A hash of many results, by which two builds of the engine are compared.

use sim::plan::Plan;
use sim::scenario::{catalogue, Scenario};
use sim::session::Session;
use sim::{run, Engine, Options};
use units::Span;

/// Simulated time between two calls of a host.
const STEP: Span = Span::from_millis(100);

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

/// Returns a hash of the digests of one run for each discipline, with this seed.
pub fn results_hash(seed: u64, engine: Engine) -> u64 {
    let options = Options { engine, ..Options::default() };
    over_disciplines(|plan| run(&plan, seed, &options).digest(&plan))
}

/// The same from sessions, as a host drives them.
pub fn sessions_hash(seed: u64) -> u64 {
    over_disciplines(|plan| {
        let mut session = Session::new(plan, seed, 0);
        while !session.has_ended() {
            session.advance(session.now() + STEP, STEP, u64::MAX);
        }
        let (outcome, ended) = session.into_outcome();
        outcome.digest(&ended)
    })
}

fn over_disciplines(digest: impl Fn(Plan) -> u64) -> u64 {
    let known = catalogue();
    let kinds = known["disciplines"].as_array().into_iter().flatten().filter_map(|one| one["kind"].as_str());
    // A discipline that needs more than its kind is left to the tests of its crate.
    let scenarios = kinds.filter_map(|kind| Scenario::parse(&text(kind)).ok());
    scenarios.fold(0, |hash: u64, scenario| hash.rotate_left(1) ^ digest(scenario.plan()))
}
