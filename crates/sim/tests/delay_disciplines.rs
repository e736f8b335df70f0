//! Disciplines with a delay target, under TCP: they keep the target, and flow queues spare a sparse flow that delay.

use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Engine, Options};

fn summary(text: &str, seed: u64) -> Value {
    let scenario = Scenario::parse(text).unwrap_or_else(|problems| panic!("{text}\n{problems:?}"));
    let plan = scenario.plan();
    run(&plan, seed, &Options::default()).summary(&plan, "")
}

/// 10 Mbit/s and a round-trip time of `rtt_ms`, of which the bottleneck has 80 %; segments of 1448 bytes and headers.
fn dumbbell(flows: u32, rtt_ms: f64, queue: &str, more: &str) -> String {
    format!(
        r#"
        title = "delay"
        [run]
        duration = "60 s"
        warmup = "20 s"
        [dumbbell]
        rate = "10 Mbit/s"
        delay = "{} ms"
        access_rate = "100 Mbit/s"
        access_delay = "{} ms"
        [queue]
        {queue}
        [flows.tcp]
        count = {flows}
        transport = "tcp"
        start = "uniform 0 s to 1 s"
        {more}
        "#,
        rtt_ms * 0.4,
        rtt_ms * 0.05
    )
}

fn number(value: &Value, path: &[&str]) -> f64 {
    path.iter().fold(value, |inner, key| &inner[*key]).as_f64().unwrap_or_else(|| panic!("{path:?}"))
}

fn sojourn(all: &Value, figure: &str) -> f64 {
    number(all, &["links", "bottleneck", "sojourn_ms", figure])
}

#[test]
fn pie_holds_its_target_over_the_load() {
    for (flows, rtt) in [(10, 100.0), (50, 50.0), (50, 100.0)] {
        let all = summary(&dumbbell(flows, rtt, "kind = \"pie\"\nlimit = \"200 pkts\"", ""), 1);
        let mean = sojourn(&all, "mean");
        assert!((10.0..20.0).contains(&mean), "{flows} flows, {rtt} ms: {mean} ms");
    }
}

#[test]
fn codel_keeps_the_queue_short_and_the_link_busy() {
    let all = summary(&dumbbell(10, 50.0, "kind = \"codel\"\nlimit = \"200 pkts\"", ""), 1);
    assert!((5.0..15.0).contains(&sojourn(&all, "mean")), "{}", sojourn(&all, "mean"));
    assert!(number(&all, &["links", "bottleneck", "busy_s"]) > 0.95 * 40.0);
}

#[test]
fn drops_by_codel_count_as_departures_with_their_sojourn() {
    let all = summary(&dumbbell(10, 50.0, "kind = \"codel\"\nlimit = \"200 pkts\"", ""), 1);
    let of = |times: &str, figure: &str| number(&all, &["links", "bottleneck", times, figure]);
    assert_eq!(of("dropped_ms", "count"), number(&all, &["links", "bottleneck", "early_pkts"]));
    assert!(of("dropped_ms", "mean") > of("sojourn_ms", "mean"));
    assert_eq!(of("left_ms", "count"), of("dropped_ms", "count") + of("sojourn_ms", "count"));
    let total = |times| of(times, "mean") * of(times, "count");
    let apart = total("left_ms") - total("dropped_ms") - total("sojourn_ms");
    assert!(apart.abs() < 1e-9 * total("left_ms"), "{apart}");
    let tail = summary(&dumbbell(10, 50.0, "kind = \"droptail\"\nlimit = \"20 pkts\"", ""), 1);
    assert_eq!(number(&tail, &["links", "bottleneck", "dropped_ms", "count"]), 0.0);
}

/// Mean one-way delay of a thin flow together with ten long ones, in milliseconds.
fn thin_flow(kind: &str) -> f64 {
    let voice = r#"
        [flows.voice]
        count = 1
        transport = "udp"
        source = "cbr"
        rate = "80 kbit/s"
        packet = "200 B"
    "#;
    let all = summary(&dumbbell(10, 50.0, &format!("kind = \"{kind}\"\nlimit = \"200 pkts\""), voice), 1);
    let voice_flow = all["flows"].as_array().expect("a list of flows").last().expect("the voice");
    number(voice_flow, &["delay_ms", "mean"])
}

#[test]
fn flow_queues_keep_a_thin_flow_out_of_the_queue() {
    let in_turn = thin_flow("fq_codel");
    let in_line = thin_flow("droptail");
    // 25 ms of propagation, 0.2 ms of transmission, and at most two full packets ahead.
    assert!(in_turn < 25.2 + 2.5, "{in_turn} ms");
    assert!(in_line > 100.0, "{in_line} ms");
}

#[test]
fn ticks_fall_at_the_same_times_in_both_engines() {
    for kind in ["pie", "pi", "fq_pie", "dualpi2"] {
        let more = if kind == "pi" { "q_ref = \"10 pkts\"" } else { "" };
        let text = dumbbell(5, 20.0, &format!("kind = \"{kind}\"\nlimit = \"100 pkts\"\n{more}"), "");
        let plan = Scenario::parse(&text).expect("a sound scenario").plan();
        let report = |engine| {
            let mut summary = run(&plan, 3, &Options { engine, ..Options::default() }).summary(&plan, "");
            summary["events"] = Value::Null;
            summary
        };
        assert!(report(Engine::Fast) == report(Engine::Plain), "{kind}");
    }
}
