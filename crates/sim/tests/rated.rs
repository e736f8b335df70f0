//! RAP, TEAR, LDA+ and shaped video through the engine.

mod common;

use common::{goodput_bps, summary, HEAD};
use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Options};

/// Name and profile of each, and the name of its second number in the series; the first is the rate.
const EACH: [(&str, &str, &str); 6] = [
    ("rap", "paper", "gap_ms"),
    ("rap", "paper-fine", "gap_ms"),
    ("rap", "ns2-2.35", "gap_ms"),
    ("tear", "paper", "emulated_cwnd"),
    ("lda", "paper", "loss"),
    ("lda", "quick", "loss"),
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
    for transport in ["tfrc", "rap", "tear", "lda"] {
        let text = format!(
            "{HEAD}[flows.f]\ntransport = \"{transport}\"\nsource = \"ftp\"\nbytes = \"146 kB\"\nstart = \"25 s\""
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
    for transport in ["tfrc", "rap", "tear", "lda"] {
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
    for transport in ["rap", "tear", "lda"] {
        let flows = format!("[flows.f]\ntransport = \"{transport}\"\nstop = \"5 s\"");
        assert_eq!(summary(&flows, "rate_bps")["flows"][0]["sent_pkts"], 0, "nothing after the warm-up");
    }
}
