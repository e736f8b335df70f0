//! TFRC flows through the engine.

mod common;

use common::{goodput_bps, HEAD};
use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Options};

fn summary(flows: &str) -> Value {
    common::summary(flows, "loss_event_rate")
}

#[test]
fn alone_it_fills_the_link() {
    for profile in ["rfc", "ns2-2.35", "ns2-2000"] {
        let summary = summary(&format!("[flows.f]\ntransport = \"tfrc\"\nprofile = \"{profile}\""));
        let flow = &summary["flows"][0];
        assert_eq!(flow["transport"], "tfrc");
        let goodput = goodput_bps(flow);
        assert!((3.0e6..4.0e6).contains(&goodput), "{profile}: {goodput}");
        let rate = flow["rate_bps_mean"].as_f64().unwrap();
        assert!((0.8..1.3).contains(&(rate / goodput)), "{profile}: allowed {rate}, got {goodput}");
        let p = flow["loss_event_rate"].as_f64().unwrap();
        assert!(p > 0.0 && p < 0.05, "{profile}: {p}");
        assert_eq!(flow["loss_intervals_pkts"].as_array().unwrap().len(), 8, "{profile}");
    }
}

#[test]
fn each_gets_a_share_next_to_tcp() {
    let flows = "[flows.t]\ncount = 2\nprofile = \"ns2-2.35\"\nrecovery = \"sack1\"\n[flows.f]\ncount = 2\ntransport = \"tfrc\"\nprofile = \"ns2-2.35\"";
    let summary = summary(flows);
    let goodput = |i: usize| goodput_bps(&summary["flows"][i]);
    let ratio = (goodput(2) + goodput(3)) / (goodput(0) + goodput(1));
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
    assert!(summary["flows"][0].get("rate_bps").is_none() && summary["flows"][2].get("cwnd_mean").is_none());
}

#[test]
fn it_stops_when_stopped() {
    let summary = summary("[flows.f]\ntransport = \"tfrc\"\nstop = \"5 s\"");
    assert_eq!(summary["flows"][0]["sent_pkts"], 0, "nothing after the warm-up");
}

#[test]
fn keys_of_other_transports_are_refused() {
    for (transport, key) in [("tfrc", "window = 20"), ("tcp", "damping = true")] {
        let text = format!("{HEAD}[flows.f]\ntransport = \"{transport}\"\n{key}");
        let problems = Scenario::parse(&text).err().unwrap_or_default();
        assert!(
            problems.len() == 1 && problems[0].to_string().contains("is a key of"),
            "{key}: {problems:?}"
        );
    }
}

#[test]
fn with_ecn_it_is_marked_where_it_would_be_dropped_and_slows_down_alike() {
    let rates = ["rfc", "ns2-2.35", "ns2-2000"].map(|profile| {
        [false, true].map(|ecn| {
            let head = HEAD.replace("max_th = \"15 pkts\"", &format!("max_th = \"15 pkts\"\necn = {ecn}"));
            let flow = format!("[flows.f]\ntransport = \"tfrc\"\nprofile = \"{profile}\"\necn = {ecn}");
            let plan = Scenario::parse(&format!("{head}{flow}")).expect("a scenario").plan();
            let summary = run(&plan, 1, &Options::default()).summary(&plan, "");
            let link = &summary["links"]["bottleneck"];
            let (early, marked) =
                (link["early_pkts"].as_u64().unwrap(), link["marked_pkts"].as_u64().unwrap());
            assert_eq!(
                (early == 0, marked > 0),
                (ecn, ecn),
                "{profile}, ecn {ecn}: {early} dropped, {marked} marked"
            );
            assert!(summary["flows"][0]["loss_event_rate"].as_f64().unwrap() > 0.0);
            link["queue_pkts_mean"].as_f64().unwrap()
        })
    });
    // Had it not slowed down, the queue would be at its limit of 60.
    assert!(rates.as_flattened().iter().all(|queue| (1.0..20.0).contains(queue)), "{rates:?}");
}
