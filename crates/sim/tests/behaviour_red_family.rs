//! Known behaviour of RED's relatives and the classics in the simulator: short runs, fixed seeds, bounds wide
//! enough for other seeds.

use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Options};

/// `tcp` greedy flows over 10 Mbit/s and 20 ms for a minute, and a UDP flow of `udp` Mbit/s if that is not 0.
fn report(queue: &str, tcp: u32, udp: u32, seed: u64) -> Value {
    let mut text = format!(
        r#"
        title = "behaviour"
        [run]
        duration = "60 s"
        warmup = "20 s"
        [dumbbell]
        rate = "10 Mbit/s"
        delay = "20 ms"
        access_rate = "100 Mbit/s"
        access_delay = "even 1 ms to 5 ms"
        [queue]
        {queue}
        [flows.tcp]
        count = {tcp}
        transport = "tcp"
        start = "uniform 0 s to 2 s"
        "#
    );
    if udp > 0 {
        text += &format!(
            r#"
        [flows.udp]
        count = 1
        transport = "udp"
        source = "cbr"
        rate = "{udp} Mbit/s"
        packet = "1000 B"
        "#
        );
    }
    let scenario = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{text}\n{problems:?}"));
    let plan = scenario.plan();
    run(&plan, seed, &Options::default()).summary(&plan, "")
}

fn link(report: &Value, key: &str) -> f64 {
    report["links"]["bottleneck"][key].as_f64().unwrap_or(f64::NAN)
}

/// Share of the link that was used after the warm-up.
fn utilisation(report: &Value) -> f64 {
    link(report, "busy_s") / 40.0
}

/// Share of the received bytes that are those of the UDP flow.
fn udp_share(report: &Value) -> f64 {
    let bytes = |transport: &str| -> f64 {
        let flows = report["flows"].as_array().into_iter().flatten();
        flows
            .filter(|flow| flow["transport"] == transport)
            .filter_map(|flow| flow["received_bytes"].as_f64())
            .sum()
    };
    bytes("udp") / (bytes("udp") + bytes("tcp"))
}

/// If every packet above `max_th` is dropped, an upper threshold that falls to a slow average costs utilisation; a
/// gentle slope does not.
#[test]
fn moving_thresholds_keep_the_link_busy() {
    let gentle = |kind: &str| format!("{}\nabove_max = \"gentle\"", with(kind));
    let rows = [
        (with("red_at"), [0.93, 0.95]),
        (with("rtred"), [0.93, 0.98]),
        (gentle("red_at"), [0.93, 0.98]),
        (gentle("rtred"), [0.93, 0.98]),
    ];
    for (kind, least) in rows {
        for (flows, bound) in [8, 40].into_iter().zip(least) {
            let each = [1, 2, 3, 4].map(|seed| utilisation(&report(&kind, flows, 0, seed)));
            let busy = each.iter().sum::<f64>() / 4.0;
            assert!(busy > bound, "{kind}, {flows} flows: {busy}");
        }
    }
}

fn with(kind: &str) -> String {
    format!("kind = \"{kind}\"\nlimit = \"100 pkts\"")
}

/// Both loads, 8 and 40 flows, under two seeds.
fn loads(kind: &str) -> Vec<(Value, Value)> {
    (1..=2).map(|seed| (report(&with(kind), 8, 0, seed), report(&with(kind), 40, 0, seed))).collect()
}

/// Thresholds 5 and 15: the band is 9 to 11. The average of RED follows the load instead.
#[test]
fn adaptive_red_keeps_its_average_in_the_band_over_load() {
    for (light, heavy) in loads("ared") {
        for report in [&light, &heavy] {
            let avg = link(report, "avg_mean");
            assert!((8.5..11.5).contains(&avg), "{avg}");
        }
    }
    for (light, heavy) in loads("red") {
        let moved = link(&heavy, "avg_mean") - link(&light, "avg_mean");
        assert!(moved > 2.5, "RED's average moved by {moved}");
    }
}

/// It aims at 98 % with marks; with drops and many flows it stays below, and the queue stays short.
#[test]
fn avq_holds_utilisation_and_keeps_the_queue_short() {
    for (light, heavy) in loads("avq") {
        for report in [&light, &heavy] {
            let used = utilisation(report);
            assert!((0.85..0.99).contains(&used), "{used}");
            assert!(link(report, "queue_pkts_mean") < 25.0);
            assert_eq!(link(report, "overflow_pkts"), 0.0);
        }
    }
}

#[test]
fn blue_learns_to_signal_without_overflow_and_fills_the_link() {
    let blue = with("blue") + "\nd1 = 0.02\nd2 = 0.002";
    for seed in [1, 2] {
        let (blue, tail) = (report(&blue, 40, 0, seed), report(&with("droptail"), 40, 0, seed));
        let overflow = |report: &Value| link(report, "overflow_pkts");
        assert!(overflow(&blue) < 0.02 * overflow(&tail), "{} of {}", overflow(&blue), overflow(&tail));
        assert!(link(&blue, "queue_pkts_mean") < 0.6 * link(&tail, "queue_pkts_mean"));
        assert!(utilisation(&blue) > 0.98);
    }
}

/// The target is 20 packets; with five times the flows it drifts by a dozen, and tail drop fills the buffer.
#[test]
fn rem_keeps_the_backlog_near_its_target() {
    for (light, heavy) in loads("rem") {
        assert!((14.0..27.0).contains(&link(&light, "queue_pkts_mean")));
        assert!((14.0..40.0).contains(&link(&heavy, "queue_pkts_mean")));
        assert!(utilisation(&light) > 0.97 && utilisation(&heavy) > 0.97);
    }
}

/// HMDC12 section 6: FRED has the lowest delay and pays with utilisation, WTRED the reverse.
#[test]
fn wtred_uses_the_link_and_refined_red_keeps_the_queue_short() {
    for (weighted, refined) in loads("wtred").iter().zip(loads("fred_refined")) {
        assert!(link(&weighted.0, "queue_pkts_mean") > 2.0 * link(&refined.0, "queue_pkts_mean"));
        assert!(utilisation(&weighted.0) > utilisation(&refined.0) + 0.03);
        assert!(utilisation(&weighted.1) > utilisation(&refined.1));
    }
}

/// One UDP flow at the rate of the link against eight TCP flows: a ninth would be fair.
#[test]
fn an_unresponsive_flow_is_held_down() {
    for seed in [1, 2] {
        let share = |kind: &str| udp_share(&report(&with(kind), 8, 10, seed));
        let (tail, red, choke) = (share("droptail"), share("red"), share("choke"));
        assert!(tail > 0.9 && red > 0.8, "{tail}, {red}");
        assert!(choke < red - 0.05, "CHOKe {choke}, RED {red}");
        assert!(share("fred_flow") < 0.5);
        for kind in ["drr", "sfb"] {
            let held = share(kind);
            assert!((0.05..0.2).contains(&held), "{kind} {held}");
        }
    }
}
