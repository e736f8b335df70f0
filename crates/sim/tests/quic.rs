//! QUIC through the engine.

mod common;

use common::{goodput_bps, summary};
use proptest::prelude::*;
use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Engine, Options};

const CONTROLS: [&str; 4] = ["newreno", "cubic", "bbr", "bbr3"];

fn quic(cc: &str) -> String {
    format!("transport = \"quic\"\ncc = \"{cc}\"\n")
}

/// 4 Mbit/s carry at most 3.83 Mbit/s of payload.
#[test]
fn alone_each_control_fills_the_link() {
    for cc in CONTROLS {
        let flow = &summary(&format!("[flows.f]\n{}", quic(cc)), "cwnd")["flows"][0];
        assert_eq!(flow["transport"], "quic");
        let goodput = goodput_bps(flow);
        assert!((3.0e6..3.84e6).contains(&goodput), "{cc}: {goodput}");
        let srtt = flow["srtt_ms"].as_f64().unwrap();
        assert!((42.0..250.0).contains(&srtt), "{cc}: {srtt} ms");
    }
}

/// NewReno of QUIC and Reno with SACK of TCP follow the same law, and so do the two CUBICs.
#[test]
fn shares_equal_those_of_tcp() {
    for (cc, tcp) in [("newreno", "reno"), ("cubic", "cubic")] {
        let flows = format!(
            "[flows.t]\ncount = 2\nprofile = \"linux\"\ncc = \"{tcp}\"\n[flows.f]\ncount = 2\n{}",
            quic(cc)
        );
        let summary = summary(&flows, "cwnd");
        let each: Vec<f64> = (0..4).map(|number| goodput_bps(&summary["flows"][number])).collect();
        let ratio = (each[2] + each[3]) / (each[0] + each[1]);
        assert!((0.6..1.67).contains(&ratio), "{cc}: {each:?}");
    }
}

/// Fields of a flow with a file of 200 packets over a link that loses a share of both directions.
fn file(loss: f64, cc: &str, seed: u64) -> Value {
    let text = format!(
        "title = \"file\"\n[run]\nduration = \"300 s\"\nwarmup = \"0 s\"\n[dumbbell]\nrate = \"4 Mbit/s\"\ndelay = \
         \"20 ms\"\nloss = {loss}\n[queue]\nkind = \"droptail\"\nlimit = \"300 pkts\"\n[flows.f]\n{}bytes = \"287.2 kB\"",
        quic(cc)
    );
    let plan = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{problems:?}")).plan();
    let outcome = run(&plan, seed, &Options::default());
    assert!(outcome.records.is_conserved(0));
    outcome.summary(&plan, "")["flows"][0].clone()
}

/// Everything arrives whatever is lost, and no packet leaves after the last acknowledgement: without losses the
/// handshake and 200 packets leave.
#[test]
fn a_file_arrives_whatever_is_lost() {
    for cc in CONTROLS {
        for (loss, seed) in [(0.0, 1), (0.02, 2), (0.2, 3)] {
            let flow = file(loss, cc, seed);
            assert_eq!(flow["goodput_bytes"], 200 * 1436, "{cc} at {loss}");
            let (sent, resent) = (flow["sent_pkts"].as_u64().unwrap(), flow["resent_pkts"].as_f64().unwrap());
            assert!(flow["finish_s"].as_f64().unwrap() < 300.0, "{cc} at {loss}");
            if loss == 0.0 {
                assert_eq!((sent, resent), (201, 0.0), "{cc}");
            } else {
                assert!(
                    resent > 0.0 && resent < 2.5 * loss * sent as f64 + 8.0,
                    "{cc} at {loss}: {resent} of {sent}"
                );
            }
        }
    }
}

/// Marks of RED replace losses.
#[test]
fn marks_reduce_the_window_without_losses() {
    let flows = format!("ecn = true\n[flows.f]\ncount = 4\necn = true\n{}", quic("newreno"));
    let summary = summary(&flows, "cwnd");
    let total = |key: &str| (0..4).map(|n| summary["flows"][n][key].as_f64().unwrap()).sum::<f64>();
    assert!(total("marked_pkts") > 100.0 && total("reductions") > 50.0, "{summary}");
    assert!(total("dropped_pkts") < 0.2 * total("marked_pkts"), "{}", total("dropped_pkts"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// On random networks packets are conserved, payload is at most what arrived, and both engines have the same bits.
    #[test]
    fn random_networks_conserve_packets(
        rate in 300u32..20_000,
        delay in 1u32..120,
        limit in 2u32..80,
        count in 1u32..6,
        loss in prop_oneof![Just(0.0), 0.0f64..0.3],
        cc in prop::sample::select(CONTROLS.to_vec()),
        queue in prop::sample::select(vec!["droptail", "red", "codel", "fq_codel", "pie"]),
        ecn in any::<bool>(),
        start in prop::sample::select(vec!["1rtt", "0rtt"]),
        probe in prop::sample::select(vec!["new", "oldest"]),
        seed in any::<u64>(),
    ) {
        let text = format!(
            "title = \"random\"\n[run]\nduration = \"8 s\"\nwarmup = \"0 s\"\n[dumbbell]\nrate = \"{rate} kbit/s\"\ndelay = \
             \"{delay} ms\"\nloss = {loss}\n[queue]\nkind = \"{queue}\"\nlimit = \"{limit} pkts\"\n[flows.tcp]\ncount = \
             2\n[flows.f]\ncount = {count}\necn = {ecn}\nhandshake = \"{start}\"\nprobe = \"{probe}\"\n{}",
            quic(cc)
        );
        let plan = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{text}\n{problems:?}")).plan();
        let report = |engine| {
            let outcome = run(&plan, seed, &Options { engine, ..Options::default() });
            let flows = outcome.records.flows.len();
            assert!((0..flows).all(|flow| outcome.records.is_conserved(flow)));
            outcome.summary(&plan, "")["flows"].clone()
        };
        let (fast, plain) = (report(Engine::Fast), report(Engine::Plain));
        prop_assert_eq!(&fast, &plain);
        for flow in fast.as_array().unwrap() {
            prop_assert!(flow["goodput_bytes"].as_u64() <= flow["received_bytes"].as_u64(), "{}", flow);
        }
    }
}
