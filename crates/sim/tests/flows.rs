//! Flows that start late, stop early or have only so much to send.

use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Options};

fn summary(flow: &str) -> Value {
    summary_over("", flow)
}

fn summary_over(wire: &str, flow: &str) -> Value {
    let text = format!(
        r#"
        title = "flows"
        [run]
        duration = "20 s"
        warmup = "0 s"
        [dumbbell]
        rate = "4 Mbit/s"
        delay = "10 ms"
        {wire}
        [queue]
        kind = "droptail"
        limit = "50 pkts"
        [flows.one]
        {flow}
        "#
    );
    let plan = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{problems:?}")).plan();
    run(&plan, 1, &Options::default()).summary(&plan, "")
}

#[test]
fn a_file_arrives_to_the_byte_and_its_last_segment_is_short() {
    let summary = summary("transport = \"tcp\"\nbytes = \"100001 B\"");
    let flow = &summary["flows"][0];
    assert_eq!(flow["goodput_bytes"], 100_001);
    assert_eq!(flow["size_bytes"], 100_001);
    let finish = flow["finish_s"].as_f64().unwrap();
    // 68 full segments and one of 721 bytes at 4 Mbit/s take 205.5 ms, and ten of them more than a round trip, so that
    // the line is never idle. The handshake of 24 ms and the one-way delay of 12 are added.
    assert!((0.2415..0.2445).contains(&finish), "{finish}");
}

#[test]
fn a_stopped_flow_ends_what_it_has_sent_and_no_more() {
    let summary = summary("transport = \"tcp\"\nstart = \"2 s\"\nstop = \"7 s\"");
    let goodput = summary["flows"][0]["goodput_bytes"].as_f64().unwrap() * 8.0 / 4e6;
    assert!((4.5..5.2).contains(&goodput), "{goodput} s at the full rate");
    let account = &summary["conservation"][0];
    assert_eq!(account["in_flight"]["pkts"], 0);
    assert_eq!(account["queued"]["pkts"], 0);
}

#[test]
fn constant_rate_stops_on_time() {
    let summary = summary(
        "transport = \"udp\"\nrate = \"800 kbit/s\"\npacket = \"1000 B\"\nstart = \"1 s\"\nstop = \"3 s\"",
    );
    assert_eq!(summary["conservation"][0]["sent"]["pkts"], 200);
}

#[test]
fn listed_packets_are_marked_where_they_are_capable() {
    let run = |flow: &str| {
        let summary = summary_over("mark = [40, 41, 400]\ndrop = [41]", flow);
        let (one, link) = (&summary["flows"][0], &summary["links"]["bottleneck"]);
        assert_eq!(one["marked_pkts"], link["marked_pkts"]);
        (one["marked_pkts"].as_u64().unwrap(), one["cwnd_mean"].as_f64().unwrap())
    };
    let (capable, other) = (run("ecn = true\nwindow = 20"), run("ecn = false\nwindow = 20"));
    assert_eq!((capable.0, other.0), (2, 0), "41 is destroyed");
    assert!(capable.1 < other.1, "the sender answers: {capable:?}, {other:?}");
}
