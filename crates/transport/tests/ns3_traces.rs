//! Single-flow runs of ns-3.37 (NewReno without SACK and classic recovery; NewReno, CUBIC, Vegas, Westwood+ and BBR
//! with SACK and PRR): the order of every transmission and retransmission, each within one packet time (0.85 ms) of
//! ns-3's.
//!
//! Path: 100 Mb/s 1 ms, 10 Mb/s 24 ms, no queue limit; 300 segments of 1000 bytes; a drop destroys the first
//! transmissions of a segment on arrival. The properties of ns-3's stack that are options here are listed in
//! `docs/transports/tcp.md`.

#![allow(clippy::unwrap_used)]

mod harness;
#[path = "harness/loopback.rs"]
#[allow(dead_code)]
mod loopback;

use harness::{Faults, Path, Shown, Topology};
use transport::tcp::Params;
use transport::{Receiver, Sender};
use units::param::{read_table, Table, Valid, Value};
use units::{Span, Stream};

/// Time in microseconds, segment.
type Sent = (u64, u32);

fn parse(text: &str) -> Vec<(String, Vec<Sent>)> {
    let mut cases: Vec<(String, Vec<Sent>)> = Vec::new();
    let mut at = 0;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("case ") {
            cases.push((name.into(), Vec::new()));
            at = 0;
        } else if let Some(rest) = line.strip_prefix("p ") {
            for token in rest.split(' ') {
                let split = token.find(char::is_alphabetic).unwrap();
                at += token[..split].parse::<u64>().unwrap();
                cases.last_mut().unwrap().1.push((at, token[split + 1..].parse().unwrap()));
            }
        }
    }
    cases
}

fn lost(pattern: &str) -> Vec<(u32, u32)> {
    match pattern {
        "none" => vec![],
        "d1" => vec![(100, 1)],
        "d3" => vec![(100, 1), (101, 1), (102, 1)],
        "lostretx" => vec![(100, 2)],
        "tail1" => vec![(299, 1)],
        other => {
            let listed = other.split(' ').next().unwrap_or(other).split(',');
            listed
                .map(|one| one.split_once(':').unwrap())
                .map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap()))
                .collect()
        }
    }
}

fn play(pattern: &str, own: &[(&str, &str)]) -> Vec<Sent> {
    let text = |s: &str| match (s.parse(), s.parse(), s.parse()) {
        (Ok(whole), _, _) => Value::Int(whole),
        (_, Ok(real), _) => Value::Float(real),
        (_, _, Ok(switch)) => Value::Bool(switch),
        _ => Value::Text(s.into()),
    };
    let keys = [("profile", "ns3"), ("mss", "1000 B")];
    let mut table: Table =
        keys.iter().chain(own).map(|(key, value)| (key.to_string(), text(value))).collect();
    let every = if pattern.ends_with("every 2") { 2 } else { 1 };
    table.push(("ack_every".into(), Value::Int(every)));
    let mut problems = Vec::new();
    let params = Valid::new(read_table::<Params>("", &table, &mut problems)).unwrap();
    assert_eq!(problems, []);
    let mut sender = Sender::new(&params, Stream::new(1, "tcp"));
    sender.supply(300);
    let topology = Topology { links: [(100e6, 0.001), (10e6, 0.024), (1e15, 0.0)], limit: 1_000_000 };
    let faults = Faults { segments: lost(pattern), ..Faults::default() };
    let mut path = Path::new(sender, Receiver::new(&params), topology, faults);
    path.run(Span::from_millis(30_000), |_| {});
    assert!(path.sender.is_done(), "{pattern}: not everything arrived");
    let sent = path.shown.iter().filter_map(|(at, shown)| match shown {
        Shown::Sent(seq) => Some((at / 1000, *seq)),
        _ => None,
    });
    // The SYN is not in the trace.
    sent.skip(1).collect()
}

fn compare(file: &str, own: &[(&str, &str)], tolerance: u64) -> (usize, u64) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces").join(file);
    let (mut compared, mut worst, mut failures) = (0, 0, Vec::new());
    for (pattern, want) in parse(&std::fs::read_to_string(path).unwrap()) {
        let got = play(&pattern, own);
        let differs = want.iter().zip(&got).position(|(w, g)| w.1 != g.1 || w.0.abs_diff(g.0) > tolerance);
        if let Some(index) = differs {
            let near = |list: &[Sent]| format!("{:?}", &list[index..(index + 6).min(list.len())]);
            failures.push(format!("{pattern}, event {index}: ns-3 {}, here {}", near(&want), near(&got)));
        } else if want.len() != got.len() {
            failures.push(format!("{pattern}: ns-3 sent {}, here {}", want.len(), got.len()));
        }
        worst = want.iter().zip(&got).map(|(w, g)| w.0.abs_diff(g.0)).max().unwrap_or(0).max(worst);
        compared += want.len();
    }
    assert!(failures.is_empty(), "{file}:\n{}", failures.join("\n"));
    (compared, worst)
}

#[test]
fn newreno_without_sack() {
    let (compared, worst) =
        compare("ns3_newreno_nosack_classic.txt", &[("recovery", "newreno"), ("reduction", "at_once")], 850);
    assert!(compared > 1500 && worst <= 20, "{compared} transmissions, {worst} us apart at most");
}

#[test]
fn newreno_with_sack_and_prr() {
    let (compared, worst) = compare("ns3_newreno_sack_prr.txt", &[("recovery", "sack")], 850);
    assert!(compared > 1500 && worst <= 850, "{compared} transmissions, {worst} us apart at most");
}

#[test]
fn cubic_with_sack_and_prr() {
    let own = [("recovery", "sack"), ("cc", "cubic"), ("cubic_rule", "ns3"), ("hystart", "ns3")];
    let (compared, worst) = compare("ns3_cubic_sack_prr.txt", &own, 850);
    assert!(compared > 4500 && worst <= 850, "{compared} transmissions, {worst} us apart at most");
}

/// `westwood_rule` is part of the profile.
#[test]
fn westwood_with_sack_and_prr() {
    let own = [("recovery", "sack"), ("cc", "westwood")];
    let (compared, worst) = compare("ns3_westwood_sack_prr.txt", &own, 850);
    assert!(compared > 4500 && worst <= 850, "{compared} transmissions, {worst} us apart at most");
}

/// ns-3's own thresholds: 2 and 4 segments queued, slow start up to 1.
#[test]
fn vegas_with_sack_and_prr() {
    let thresholds = [("vegas_alpha", "2"), ("vegas_beta", "4"), ("vegas_gamma", "1")];
    let own = [("recovery", "sack"), ("cc", "vegas"), ("vegas_rule", "ns3")];
    let (compared, worst) = compare("ns3_vegas_sack_prr.txt", &[&own[..], &thresholds[..]].concat(), 850);
    assert!(compared > 4000 && worst <= 850, "{compared} transmissions, {worst} us apart at most");
}

/// Every habit of ns-3's BBR, its profile's options, at once.
#[test]
fn bbr_with_sack() {
    let own = [("recovery", "sack"), ("cc", "bbr")];
    let (compared, worst) = compare("ns3_bbr_sack_prr.txt", &own, 850);
    assert!(compared > 4000 && worst <= 20, "{compared} transmissions, {worst} us apart at most");
}

/// Each habit of ns-3's BBR matters: without it, some run is apart.
#[test]
fn every_option_of_bbr_has_an_effect() {
    let options = [
        ("bbr_gain", "2.885"),
        ("bbr_quantum", "rate"),
        ("bbr_filter", "exact"),
        ("bbr_exit", "restored"),
        ("bbr_recovery_round", "true"),
        ("rate_interval", "newest"),
        ("rate_origin", "own"),
        ("rate_ends", "true"),
        ("pace_retransmissions", "true"),
        ("pace_first", "false"),
    ];
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/ns3_bbr_sack_prr.txt");
    let cases = parse(&std::fs::read_to_string(path).unwrap());
    for (key, value) in options {
        let own = [("recovery", "sack"), ("cc", "bbr"), (key, value)];
        let apart = cases.iter().any(|(pattern, want)| {
            let got = play(pattern, &own);
            want.len() != got.len()
                || want.iter().zip(&got).any(|(w, g)| w.1 != g.1 || w.0.abs_diff(g.0) > 20)
        });
        assert!(apart, "{key} = {value} changes nothing");
    }
}

/// BBR of ns-3.37 loses its model with a retransmission: after the timeout each sample spans two rounds of one segment,
/// the rate falls from round to round, and only a higher sample could end that. Its goodput in 20 s over 10 Mbit/s and
/// 20 ms one way, in Mbit/s, with an ACK for each segment and for every second.
#[test]
fn bbr_does_not_recover_from_a_lost_retransmission() {
    let rows = [
        ((363, 1), [9.320, 9.316]),
        ((100, 2), [0.621, 0.623]),
        ((363, 2), [0.718, 0.707]),
        ((2000, 2), [1.354, 1.337]),
    ];
    for (lost, recorded) in rows {
        for (ack_every, goodput) in ["1", "2"].into_iter().zip(recorded) {
            let keys = [("profile", "ns3"), ("cc", "bbr"), ("mss", "1000 B"), ("ack_every", ack_every)];
            let mut line = loopback::Loopback::over(&keys, Span(843_200), Span(20_084_000));
            line.lose.push(lost);
            while line.now.nanos() < 20_000_000_000 {
                line.step();
            }
            let ours = f64::from(line.receiver.delivered()) * 8000.0 / 20.0 / 1e6;
            assert!(
                (ours / goodput - 1.0).abs() < 0.05,
                "{lost:?}, an ACK for {ack_every}: {ours} to {goodput}"
            );
        }
    }
}
