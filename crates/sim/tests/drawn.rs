//! Random scenarios over the whole catalogue: no panic, no packet lost or made, both engines with the same bits.
//!
//! The example `fuzz_runs` does the same for hours: `make fuzz`. A case it finds becomes a test here, by its seed.

#[path = "common/drawn.rs"]
mod drawn;

use drawn::{judge, Drawer};
use sim::run::{run, Options};
use sim::scenario::Scenario;
use std::collections::BTreeSet;

/// All but half a discipline are drawn on average; with 200 runs three of 64 are not.
const RUNS: u64 = 300;

#[test]
fn random_scenarios_run_alike_in_both_engines() {
    let (mut queues, mut transports, mut arrived) = (BTreeSet::new(), BTreeSet::new(), 0);
    let mut drawer = Drawer::new(26);
    for seed in 0..RUNS {
        let one = drawer.next();
        arrived += judge(&one.scenario, seed).arrived;
        queues.insert(one.queue);
        transports.extend(one.transports);
    }
    assert!(arrived > 10_000, "{arrived} packets in all runs");
    assert!(queues.len() + 3 >= queue::KINDS.len(), "{queues:?}");
    assert!(transports.len() >= 14, "{transports:?}");
}

/// Frames of several flows are due in the same nanosecond, and their access links need no time.
#[test]
fn engines_agree_where_access_links_need_no_time() {
    for (transport, count) in [("tfrc", 4), ("tear", 4), ("tcp", 6)] {
        for (rate, delay) in [("0 bit/s", "0 s"), ("400 Gbit/s", "0 s"), ("0 bit/s", "1 ns")] {
            let source = if transport == "tcp" { "ftp" } else { "shaped" };
            let scenario = serde_json::json!({
                "run": {"duration": "3 s", "warmup": "0 s"},
                "dumbbell": {"rate": "5 Mbit/s", "access_rate": rate, "access_delay": delay},
                "queue": {"kind": "droptail", "limit": "50 pkts"},
                "flows": {"group": {"count": count, "transport": transport, "source": source}},
            });
            assert!(judge(&sound(&scenario), 900).arrived > 1000, "{transport} {rate} {delay}");
        }
    }
}

/// These disciplines sample the queue at a departure, and the packet on the wire counts.
#[test]
fn engines_agree_where_the_wire_counts_at_departures() {
    for kind in ["fred_flow", "fred_refined", "rio"] {
        let scenario = serde_json::json!({
            "run": {"duration": "3 s", "warmup": "0 s"},
            "dumbbell": {"rate": "1 Mbit/s", "counts_wire": true},
            "queue": {"kind": kind},
            "flows": {"group": {"count": 3, "transport": "tcp"}},
        });
        assert!(judge(&sound(&scenario), 1).arrived > 100, "{kind}");
    }
}

/// Links whose queue decides at arrival, at dequeue and by itself, below lines of cells and of code words.
#[test]
fn engines_agree_on_lines_that_add_bytes() {
    for kind in ["droptail", "red", "pie", "codel", "fq_codel", "cake"] {
        for framing in ["atm", "ptm", "plain"] {
            let scenario = serde_json::json!({
                "run": {"duration": "5 s", "warmup": "0 s"},
                "dumbbell": {"rate": "1500001 bit/s", "overhead": "40 B", "framing": framing, "mpu": "90 B"},
                "queue": {"kind": kind},
                "flows": {
                    "group": {"count": 3, "transport": "tcp"},
                    "call": {"count": 1, "transport": "udp", "source": "voice", "suppression": false},
                },
            });
            assert!(judge(&sound(&scenario), 3).arrived > 500, "{kind} {framing}");
        }
    }
}

/// Full packets get 1500 of 33 cells of 53 bytes, calls 200 of 5 cells: a queue that is never empty carries that share.
#[test]
fn a_line_of_cells_carries_the_share_of_its_payload() {
    let scenario = |framing: &str| {
        sound(&serde_json::json!({
            "run": {"duration": "30 s", "warmup": "10 s"},
            "dumbbell": {"rate": "1 Mbit/s", "overhead": "40 B", "framing": framing},
            "queue": {"kind": "droptail", "limit": "30 pkts"},
            "flows": {"group": {"count": 4, "transport": "tcp"}},
        }))
    };
    let bytes = |framing| {
        let plan = scenario(framing).plan();
        let summary = run(&plan, 1, &Options::default()).summary(&plan, "");
        summary["links"]["bottleneck"]["departed_bytes"].as_f64().unwrap_or(0.0)
    };
    let share = |framing| 8.0 * bytes(framing) / 20e6;
    let (atm, plain) = (share("atm"), share("plain"));
    assert!((atm - 1500.0 / (33.0 * 53.0)).abs() < 0.002, "{atm}");
    assert!((plain - 1500.0 / 1540.0).abs() < 0.002, "{plain}");
}

/// A packet that the link's faults mark arrives after a sample is due, and no transmission ends in between.
#[test]
fn engines_agree_on_the_sample_before_a_mark() {
    let marks: Vec<u32> = (20..200).collect();
    let scenario = serde_json::json!({
        "run": {"duration": "3 s", "warmup": "0 s"},
        "dumbbell": {"rate": "1 Mbit/s", "mark": marks},
        "queue": {"kind": "red_size"},
        "flows": {"group": {"count": 3, "transport": "tcp", "profile": "l4s", "cc": "cubic"}},
    });
    assert!(judge(&sound(&scenario), 1).arrived > 100);
}

fn sound(scenario: &serde_json::Value) -> Scenario {
    Scenario::from_json(scenario).unwrap_or_else(|problems| panic!("{problems:?}"))
}
