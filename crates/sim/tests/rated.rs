//! RAP, TEAR, LDA+, SCReAM, GCC and shaped video through the engine.

mod common;

use common::{goodput_bps, summary, HEAD};
use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Options};

/// Name and profile of each, and the name of its second number in the series; the first is the rate.
const EACH: [(&str, &str, &str); 8] = [
    ("rap", "paper", "gap_ms"),
    ("rap", "paper-fine", "gap_ms"),
    ("rap", "ns2-2.35", "gap_ms"),
    ("tear", "paper", "emulated_cwnd"),
    ("lda", "paper", "loss"),
    ("lda", "quick", "loss"),
    ("scream", "quick", "cwnd_bytes"),
    ("gcc", "webrtc", "loss_rate_bps"),
];

fn goodput_mbps(flow: &Value) -> f64 {
    goodput_bps(flow) / 1e6
}

#[test]
fn alone_each_uses_the_link() {
    for (transport, profile, second) in EACH {
        let flows = format!("[flows.f]\ntransport = \"{transport}\"\nprofile = \"{profile}\"");
        let summary = summary(&flows, second);
        let flow = &summary["flows"][0];
        assert_eq!(flow["transport"], transport);
        let goodput = goodput_mbps(flow);
        assert!((1.5..4.0).contains(&goodput), "{transport} {profile}: {goodput} Mbit/s");
        let srtt = flow["srtt_ms"].as_f64().unwrap();
        assert!((40.0..200.0).contains(&srtt), "{transport}: {srtt} ms");
    }
}

#[test]
fn each_gets_a_share_next_to_tcp() {
    for (transport, profile, second) in EACH {
        let flows = format!(
            "[flows.t]\ncount = 2\n[flows.f]\ncount = 2\ntransport = \"{transport}\"\nprofile = \"{profile}\""
        );
        let summary = summary(&flows, second);
        let each: Vec<f64> = (0..4).map(|number| goodput_mbps(&summary["flows"][number])).collect();
        let ratio = (each[0] + each[1]) / (each[2] + each[3]);
        assert!((0.2..5.0).contains(&ratio), "{transport} {profile}: {each:?}");
    }
}

/// 100 packets of 1460 bytes: all leave, and nothing more; the transfer is over as the last one leaves.
#[test]
fn a_file_ends() {
    for transport in ["tfrc", "rap", "tear", "lda", "scream", "gcc"] {
        let text = format!(
            "{HEAD}[flows.f]\ntransport = \"{transport}\"\nmss = \"1460 B\"\nsource = \"ftp\"\nbytes = \"146 kB\"\nstart = \"25 s\""
        );
        let plan = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{problems:?}")).plan();
        let flow = &run(&plan, 1, &Options::default()).summary(&plan, "")["flows"][0];
        assert_eq!(flow["sent_pkts"], 100, "{transport}");
        let took = flow["finish_s"].as_f64().unwrap() - flow["start_s"].as_f64().unwrap();
        assert!((0.3..30.0).contains(&took), "{transport}: {took} s");
    }
}

/// A camera of 1 Mbit/s without other traffic sends that; one of 8 is shaped to the link, and few frames are left out.
#[test]
fn video_is_shaped_to_what_the_transport_allows() {
    for transport in ["tfrc", "rap", "tear", "lda", "scream", "gcc"] {
        let mut shares = Vec::new();
        for coded in [1, 8] {
            let flows = format!(
                "[flows.f]\ntransport = \"{transport}\"\nsource = \"shaped\"\ncoded_rate = \"{coded} Mbit/s\""
            );
            let summary = summary(&flows, "rate_bps");
            let video = &summary["flows"][0]["shaped_video"];
            assert_eq!(video["frames"], 2001, "{transport}");
            assert!(video["skipped"].as_u64().unwrap() < 400, "{transport}: {video}");
            let goodput = goodput_mbps(&summary["flows"][0]);
            let least = if coded == 1 { 0.85 } else { 1.0 };
            assert!((least..4.0).contains(&goodput), "{transport}, {coded} Mbit/s: {goodput}");
            shares.push(video["coded_share"].as_f64().unwrap());
        }
        assert!(shares[0] > 0.7 && shares[1] < 0.6, "{transport}: {shares:?}");
    }
}

#[test]
fn each_stops_when_stopped() {
    for transport in ["rap", "tear", "lda", "scream", "gcc"] {
        let flows = format!("[flows.f]\ntransport = \"{transport}\"\nstop = \"5 s\"");
        assert_eq!(summary(&flows, "rate_bps")["flows"][0]["sent_pkts"], 0, "nothing after the warm-up");
    }
}

/// 2 Mbit/s with 40 ms round trip and a buffer of 200 packets (0.8 s of CUBIC's): the mean queueing delay of one flow,
/// and the share of the link that it uses.
fn alone_over(queue: &str, sender: &str) -> (f64, f64) {
    let text = format!(
        "title = \"one\"\n[run]\nduration = \"120 s\"\nwarmup = \"40 s\"\n[dumbbell]\nrate = \"2 Mbit/s\"\ndelay = \"20 ms\"\n\
         [queue]\n{queue}\n[flows.f]\n{sender}"
    );
    let plan = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{problems:?}")).plan();
    let summary = run(&plan, 1, &Options::default()).summary(&plan, "");
    let (flow, link) = (&summary["flows"][0], &summary["links"]["bottleneck"]);
    let delay = flow["delay_ms"]["mean"].as_f64().expect("packets arrived") - 20.0;
    let departed = link["departed_bytes"].as_f64().expect("a count of every link");
    (delay, departed * 8.0 / 80.0 / 2e6)
}

/// RFC 8298: SCReAM keeps the queueing delay at its least target of 100 ms where a loss-based control fills the buffer.
/// Its own stable queue raises the target up to 400 ms where it is to compensate for competing flows. Over CoDel it
/// stays near CoDel's target.
#[test]
fn scream_keeps_the_queueing_delay_at_its_target() {
    let deep = "kind = \"droptail\"\nlimit = \"200 pkts\"";
    let (fixed, used) = alone_over(deep, "transport = \"scream\"\ncompensation = false");
    let (raised, _) = alone_over(deep, "transport = \"scream\"");
    let (cubic, _) = alone_over(deep, "transport = \"tcp\"\ncc = \"cubic\"");
    let (codel, used_codel) = alone_over("kind = \"codel\"", "transport = \"scream\"");
    assert!((80.0..115.0).contains(&fixed) && used > 0.95, "{fixed} ms, {used}");
    assert!(raised > 1.4 * fixed && raised < 415.0, "{raised} ms");
    assert!(cubic > 8.0 * fixed, "{cubic} ms against {fixed}");
    assert!(codel < 20.0 && used_codel > 0.9, "{codel} ms, {used_codel}");
}

/// Over DualPI2 SCReAM with L4S stays in the low-latency queue, whose marks it follows: a tenth of the delay of SCReAM
/// without ECN, and most of the link. A CUBIC flow in the other queue keeps its share and its delay.
#[test]
fn scream_with_l4s_stays_in_the_low_latency_queue() {
    let queue = "kind = \"dualpi2\"";
    let (classic, used) = alone_over(queue, "transport = \"scream\"\nprofile = \"quick\"");
    let (l4s, used_l4s) = alone_over(queue, "transport = \"scream\"\nprofile = \"l4s\"");
    assert!(used > 0.9 && used_l4s > 0.8, "{used}, {used_l4s}");
    assert!(classic > 12.0 && l4s < 0.6 * classic, "{classic} ms, {l4s} ms");
    let beside = "transport = \"scream\"\nprofile = \"l4s\"\n[flows.t]\ncc = \"cubic\"";
    let (with_cubic, used_both) = alone_over(queue, beside);
    assert!(with_cubic < 12.0 && used_both > 0.9, "{with_cubic} ms, {used_both}");
}
