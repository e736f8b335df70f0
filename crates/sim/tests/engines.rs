//! The shipped scenarios in both engines: the same bits in every summary and every series.

use serde_json::Value as Json;
use sim::scenario::Scenario;
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
    let mut found: Vec<PathBuf> = paths.filter(scenario).collect();
    found.sort();
    found
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
        let report = |engine| {
            let outcome = run(&plan, 1, &Options { engine, series: true, ..Options::default() });
            let mut summary = outcome.summary(&plan, "");
            // The number of events executed is what the fast engine saves.
            summary["events"] = Json::Null;
            (summary.to_string(), outcome.series(&plan))
        };
        let ((fast, fast_series), (plain, plain_series)) = (report(Engine::Fast), report(Engine::Plain));
        assert_eq!(fast, plain, "summary of {}", path.display());
        assert!(fast_series == plain_series, "series of {}", path.display());
        assert!(!fast_series.is_empty(), "{} has no series", path.display());
    }
}
