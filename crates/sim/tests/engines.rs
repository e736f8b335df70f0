//! Both engines give the same bits in every summary and every series: for all shipped scenarios, and for random
//! networks with any discipline and any sender of the catalogue.

use proptest::prelude::*;
use serde_json::Value as Json;
use sim::outcome::Series;
use sim::plan::Plan;
use sim::scenario::{catalogue, Scenario};
use sim::{run, Engine, Options};
use std::path::{Path, PathBuf};
use units::param::Value;

/// Simulated time: long enough for the flows of every scenario to share a link.
const DURATION: &str = "20 s";

fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries = std::fs::read_dir(folder).expect("the scenarios are part of the tree");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let scenario = |path: &PathBuf| {
        path.extension().is_some_and(|is| is == "toml") && path.file_stem().is_some_and(|is| is != "INDEX")
    };
    let mut scenarios: Vec<PathBuf> = paths.filter(scenario).collect();
    scenarios.sort();
    scenarios
}

/// Summary and series of a run, without the number of events executed, of which the fast engine needs fewer.
fn report(plan: &Plan, seed: u64, engine: Engine) -> (String, Vec<Series>) {
    let outcome = run(plan, seed, &Options { engine, series: true, ..Options::default() });
    let mut summary = outcome.summary(plan, "");
    summary["events"] = Json::Null;
    for (name, link) in summary["links"].as_object().expect("a table") {
        assert_eq!(link["little_pkts"], 0.0, "Little's law at {name}, {} engine", engine.name());
    }
    (summary.to_string(), outcome.series(plan))
}

#[test]
fn engines_agree_on_all_shipped_scenarios() {
    let scenarios = shipped();
    assert!(scenarios.len() >= 10, "{scenarios:?}");
    for path in scenarios {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let short = [
            ("run.duration", Value::Text(DURATION.to_string())),
            ("run.warmup", Value::Text("auto".to_string())),
        ];
        let scenario = Scenario::parse(&text).and_then(|scenario| scenario.with(&short));
        let scenario = scenario.unwrap_or_else(|problems| panic!("{}: {problems:?}", path.display()));
        let plan = scenario.plan();
        // This instance of the engine counts nanoseconds; doubles/sim holds random networks on the other clock.
        assert!(!plan.run.in_doubles(), "{}", path.display());
        let ((fast, fast_series), (plain, plain_series)) =
            (report(&plan, 1, Engine::Fast), report(&plan, 1, Engine::Plain));
        assert_eq!(fast, plain, "summary of {}", path.display());
        assert!(fast_series == plain_series, "series of {}", path.display());
        assert!(!fast_series.is_empty(), "{} has no series", path.display());
    }
}

/// Windows of a few segments under ECN: reductions below the flight, retransmissions that are not ECN-capable, echoes at a
/// window of one.
#[test]
fn engines_agree_on_small_windows_with_ecn() {
    for (queue, sender) in [("red", ""), ("red", "profile = \"linux\""), ("codel", ""), ("blue", "")] {
        let text = format!(
            r#"
            [run]
            duration = "40 s"
            warmup = "10 s"
            [dumbbell]
            rate = "3 Mbit/s"
            delay = "80 ms"
            access_delay = "even 1 ms to 11 ms"
            [queue]
            kind = "{queue}"
            limit = "100 pkts"
            ecn = true
            [flows.tcp]
            count = 20
            start = "uniform 0 s to 2 s"
            ecn = true
            {sender}
            "#
        );
        let plan = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{problems:?}")).plan();
        let ((fast, fast_series), (plain, plain_series)) =
            (report(&plan, 1, Engine::Fast), report(&plan, 1, Engine::Plain));
        assert!(fast == plain && fast_series == plain_series, "{queue} {sender}");
    }
}

/// Names in one list of the catalogue.
fn names(list: &str, key: &str) -> Vec<String> {
    let all = catalogue();
    let rows = all[list].as_array().expect("a list");
    rows.iter().map(|row| row[key].as_str().expect("a name").to_string()).collect()
}

/// Two-way traffic of one kind of sender, with web sessions, through one discipline in both directions. `None` if the
/// discipline needs more than its kind.
fn network(queue: &str, sender: &str, rate: u32, flows: u32) -> Option<Plan> {
    let text = format!(
        r#"
        [run]
        duration = "4 s"
        [dumbbell]
        rate = "{rate} kbit/s"
        delay = "8 ms"
        [queue]
        kind = "{queue}"
        [back_queue]
        kind = "{queue}"
        [flows.there]
        count = {flows}
        start = "uniform 0 s to 1 s"
        {sender}
        [flows.back]
        reverse = true
        start = "300 ms"
        {sender}
        [flows.web]
        source = "http"
        "#
    );
    Scenario::parse(&text).ok().map(|scenario| scenario.plan())
}

/// Every kind of sender, as keys of a group: transports, congestion controls, recoveries, profiles.
fn senders() -> Vec<String> {
    let transports = names("transports", "name").into_iter().map(|name| format!("transport = \"{name}\""));
    let controls = names("congestion_controls", "name").into_iter().map(|name| format!("cc = \"{name}\""));
    let recoveries = names("recoveries", "name").into_iter().map(|name| format!("recovery = \"{name}\""));
    let profiles = ["linux", "linux-7.3", "ns3", "ns2-2.35"].map(|name| format!("profile = \"{name}\""));
    let linux = names("congestion_controls", "name")
        .into_iter()
        .map(|name| format!("profile = \"linux\"\ncc = \"{name}\""));
    transports.chain(controls).chain(recoveries).chain(profiles).chain(linux).collect()
}

#[test]
fn most_disciplines_and_senders_need_no_more_than_their_name() {
    let fits = |queue: &String| network(queue, "", 4000, 2).is_some();
    let (queues, senders) = (names("disciplines", "kind"), senders());
    assert!(5 * queues.iter().filter(|queue| fits(queue)).count() >= 4 * queues.len(), "{queues:?}");
    let runs = |sender: &String| network("droptail", sender, 4000, 2).is_some();
    assert!(5 * senders.iter().filter(|sender| runs(sender)).count() >= 4 * senders.len(), "{senders:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn engines_agree_on_any_discipline_and_any_sender(
        queue in prop::sample::select(names("disciplines", "kind")),
        sender in prop::sample::select(senders()),
        rate in 500u32..20_000,
        flows in 1u32..6,
        seed in any::<u64>(),
    ) {
        if let Some(plan) = network(&queue, &sender, rate, flows) {
            let ((fast, fast_series), (plain, plain_series)) =
                (report(&plan, seed, Engine::Fast), report(&plan, seed, Engine::Plain));
            prop_assert_eq!(fast, plain);
            prop_assert!(fast_series == plain_series);
        }
    }
}

/// Sessions that begin during the run have the hosts of the group they belong to.
#[test]
fn sessions_pass_disciplines_that_read_hosts() {
    for queue in ["kind = \"cake\"", "kind = \"drr\"\nby = \"source\""] {
        let text = format!(
            "[run]\nduration = \"10 s\"\n[dumbbell]\nrate = \"4 Mbit/s\"\ndelay = \"10 ms\"\n[queue]\n{queue}\n\
             [flows.web]\ncount = 2\nsource = \"http\"\nsessions = \"open\"\narrival = \"exponential 100 ms\"\n\
             size = \"pareto from 2000 B shape 1.2 up to 500000 B\"\n[flows.bulk]\nsource_host = \"other\"\n"
        );
        let plan = Scenario::parse(&text).expect("a scenario").plan();
        let ((fast, fast_series), (plain, plain_series)) =
            (report(&plan, 1, Engine::Fast), report(&plan, 1, Engine::Plain));
        assert_eq!(fast, plain, "{queue}");
        assert!(fast_series == plain_series, "{queue}");
    }
}
