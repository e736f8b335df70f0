//! Classes of packets reach the disciplines: flows of a better class lose fewer packets.

use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Options};

/// Two groups of four TCP flows over 10 Mbit/s for half a minute; `good` are the keys of the favoured one.
fn report(queue: &str, good: &str) -> Value {
    let text = format!(
        r#"
        [run]
        duration = "30 s"
        warmup = "5 s"
        [dumbbell]
        rate = "10 Mbit/s"
        delay = "20 ms"
        [queue]
        {queue}
        [flows.good]
        count = 4
        start = "uniform 0 s to 1 s"
        {good}
        [flows.plain]
        count = 4
        start = "uniform 0 s to 1 s"
        "#
    );
    let scenario = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{text}\n{problems:?}"));
    let plan = scenario.plan();
    run(&plan, 1, &Options::default()).summary(&plan, "")
}

/// Bytes received, and drops a packet received, of a group.
fn got(report: &Value, group: &str) -> (f64, f64) {
    let of = |key: &str| -> f64 {
        let flows = report["flows"].as_array().into_iter().flatten();
        flows.filter(|flow| flow["group"] == group).filter_map(|flow| flow[key].as_f64()).sum()
    };
    (of("received_bytes"), of("dropped_pkts") / of("received_pkts"))
}

#[test]
fn wred_gred_and_dtred_spare_the_better_class() {
    for (queue, good) in [
        ("kind = \"wred\"\nexponent = 6\nmin_th = [\"5 pkts\", \"20 pkts\"]", "class = 1"),
        ("kind = \"wred\"\nexponent = 6\nclass_by = \"precedence\"", "class = \"CS7\""),
        ("kind = \"gred\"\nw_q = 0.02\nprobability = [0.1, 0.02]", "class = 2"),
        ("kind = \"dtred\"\nw_q = 0.02", "class = 2"),
    ] {
        let alike = report(queue, "");
        let unlike = report(queue, good);
        let ratio = |report: &Value| got(report, "good").1 / got(report, "plain").1;
        assert!((0.6..1.7).contains(&ratio(&alike)), "{queue}: {}", ratio(&alike));
        assert!(ratio(&unlike) < 0.5, "{queue}: {}", ratio(&unlike));
        assert!(got(&unlike, "good").0 > 1.3 * got(&unlike, "plain").0, "{queue}");
    }
}

#[test]
fn rio_gives_metered_flows_about_their_profile() {
    for meter in ["", "meter = \"sliding_window\""] {
        let keys = format!("class = 1\nmeter_rate = \"1.8 Mbit/s\"\n{meter}");
        let report = report("kind = \"rio\"", &keys);
        let [good, plain] = ["good", "plain"].map(|group| got(&report, group).0 * 8.0 / 25e6 / 4.0);
        // Equal shares would be 1.2 Mbit/s; the profile is 1.8 and leaves the others 0.7.
        assert!(good > 1.45 && good < 2.1 && plain < 0.95, "{meter}: {good} and {plain} Mbit/s a flow");
    }
}

#[test]
fn a_profile_of_nothing_but_one_class_is_refused() {
    let text = "[dumbbell]\n[queue]\nkind = \"rio\"\n[flows.a]\nmeter_rate = \"1 Mbit/s\"";
    let problems = Scenario::parse(text).map(|_| ()).unwrap_err();
    assert_eq!(problems[0].path, "flows.a.class");
}
