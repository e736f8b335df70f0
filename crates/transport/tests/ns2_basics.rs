//! Every case of the recorded ns-2.35 runs of one flow over the path of Fall and Floyd (1996): the order and
//! time of every departure, acknowledgement and drop, every change of the sender's variables, and the totals.
//!
//! The traces are in `tests/traces`; `DROPCURVE_TRACES` names another folder of the same form.

#![allow(clippy::unwrap_used)]

mod harness;

use harness::{fall_floyd, Faults, Path, Shown};
use std::collections::BTreeMap;
use transport::rtt::Rtt;
use transport::tcp::Params;
use transport::{Receiver, Sender};
use units::param::{read_table, Described, Valid, Value};
use units::{Span, Stream};

/// One recorded run.
#[derive(Default)]
struct Case {
    name: String,
    keys: BTreeMap<String, String>,
    packets: Vec<(u64, Shown)>,
    /// Tens of microseconds, variable, value.
    variables: Vec<(u64, char, f64)>,
}

fn parse(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let (mut at_packet, mut at_variable) = (0, 0);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("case ") {
            let keys =
                rest.split(' ').filter_map(|pair| pair.split_once('=')).map(|(k, v)| (k.into(), v.into()));
            cases.push(Case { name: rest.into(), keys: keys.collect(), ..Case::default() });
            (at_packet, at_variable) = (0, 0);
        } else if let Some(rest) = line.strip_prefix("p ") {
            let case = cases.last_mut().unwrap();
            for token in rest.split(' ') {
                let split = token.find(char::is_alphabetic).unwrap();
                at_packet += token[..split].parse::<u64>().unwrap();
                let number = token[split + 1..].parse::<i64>().unwrap();
                let shown = match &token[split..=split] {
                    "S" => Shown::Sent(number as u32),
                    "A" => Shown::Acked((number + 1) as u32),
                    "D" => Shown::Dropped(number as u32),
                    _ => Shown::AckDropped((number + 1) as u32),
                };
                case.packets.push((at_packet, shown));
            }
        } else if let Some(rest) = line.strip_prefix("v ") {
            let case = cases.last_mut().unwrap();
            for token in rest.split(' ') {
                let split = token.find(char::is_alphabetic).unwrap();
                at_variable += token[..split].parse::<u64>().unwrap();
                let letter = token.as_bytes()[split] as char;
                case.variables.push((at_variable, letter, token[split + 1..].parse().unwrap()));
            }
        }
    }
    cases
}

fn list(text: &str) -> Vec<u64> {
    text.split(',').filter_map(|item| item.parse().ok()).collect()
}

/// Parameters for a recorded run: its profile, and the options of its ns-2 variables.
fn params(case: &Case) -> Valid<Params> {
    let key = |name: &str| case.keys[name].as_str();
    let era = key("profile") == "era";
    let text = |s: &str| Value::Text(s.into());
    let table = vec![("profile".to_string(), text(if era { "ns2-2000" } else { "ns2-2.35" }))];
    let mut problems = Vec::new();
    let mut params: Params = read_table("", &table, &mut problems);
    let mut set = |name: &str, value: &str| {
        params
            .set(name, &text(value))
            .unwrap_or_else(|| panic!("{name}"))
            .unwrap_or_else(|e| panic!("{name} = {value}: {e:?}"));
    };
    if key("tcp") == "Vegas" {
        set("recovery", "vegas");
        set("cc", "vegas");
        set("handshake", "none");
        set("bare_first", "false");
        set("headers", "0 B");
    } else {
        set("recovery", &key("tcp").to_lowercase());
    }
    set("window", key("window"));
    set("mss", if era || key("tcp") == "Vegas" { "1000 B" } else { "960 B" });
    if key("sink").contains("DelAck") {
        set("ack_every", "2");
    }
    set("boot_time", &format!("{} ns", (key("boot").parse::<f64>().unwrap() * 1e9).round()));
    for variable in
        case.keys.get("variables").map_or("-", String::as_str).split(',').filter(|variable| *variable != "-")
    {
        let parts: Vec<&str> = variable.split(':').collect();
        let other_sink = parts[1] == "interval_" && !parts[0].ends_with(&format!("TCPSink/{}", key("sink")));
        if other_sink {
            continue;
        }
        set_variable(&mut set, parts[1], parts[2]);
    }
    assert_eq!(problems, []);
    Valid::new(params).unwrap()
}

/// The option a variable of ns-2 stands for.
fn set_variable(set: &mut dyn FnMut(&str, &str), name: &str, value: &str) {
    let on = matches!(value, "1" | "true");
    let yes = if on { "true" } else { "false" };
    let no = if on { "false" } else { "true" };
    let seconds = format!("{value} s");
    match name {
        "singledup_" => set("limited_transmit", yes),
        "newreno_changes1_" => set("partial_ack", if on { "impatient" } else { "slow_but_steady" }),
        "partial_window_deflation_" => set("partial_deflation", yes),
        "exit_recovery_fix_" => set("exit_window", if on { "bare_flight" } else { "ssthresh" }),
        "exitFastRetrans_" => set("inflate_always", no),
        "bugFix_" => set("once_a_window", yes),
        "bugfix_ss_" => set("opening_fix", yes),
        "oldCode_" => set("pipe_from_flight", no),
        "precisionReduce_" => set("arithmetic", if on { "whole_ssthresh" } else { "integer" }),
        "windowInit_" => set("initial_window", value),
        "maxburst_" => set("max_burst", value),
        "maxcwnd_" => set("max_cwnd", value),
        "numdupacks_" => set("dupack_threshold", value),
        "tcpTick_" => set("tick", &seconds),
        "minrto_" => set("min_rto", &seconds),
        "maxrto_" => set("max_rto", &seconds),
        "rfc2988_" => set("min_after_backoff", no),
        "timerfix_" => set("timer_after_sample", yes),
        "timestamps_" => set("samples", if on { "timestamps" } else { "per_window" }),
        "syn_" => set("handshake", if on { "ns2_syn" } else { "none" }),
        "delay_growth_" => set("delay_growth", yes),
        "ecn_" => set("ecn", yes),
        "interval_" => set("ack_timeout", &seconds),
        "maxSackBlocks_" => set("sack_blocks", value),
        "RFC2581_immediate_ack_" => set("ack_gaps", yes),
        other => panic!("no option for {other}"),
    }
}

/// The sender's variables as ns-2 prints them.
fn observe(sender: &Sender) -> [(char, f64); 7] {
    let seconds = |span: Option<Span>| span.map_or(0.0, Span::as_secs);
    let rtt = sender.rtt();
    [
        ('w', sender.cwnd()),
        ('h', sender.ssthresh()),
        ('r', seconds(rtt.last())),
        ('s', whole_ticks(rtt)),
        ('v', rtt.rttvar().as_secs()),
        ('b', f64::from(rtt.backoff())),
        ('d', f64::from(sender.dupacks())),
    ]
}

/// ns-2 prints its smoothed round trip in whole ticks.
fn whole_ticks(rtt: Rtt<'_>) -> f64 {
    let tick = rtt.tick().as_secs();
    rtt.srtt().map_or(0.0, |srtt| ((srtt.as_secs() / tick + 1e-6).floor()) * tick)
}

fn play(case: &Case) -> (Path, Vec<(u64, char, f64)>) {
    let key = |name: &str| case.keys.get(name).map_or("-", String::as_str);
    let params = params(case);
    let mut sender = Sender::new(&params, Stream::new(1, "tcp"));
    match key("npkts").parse::<u32>() {
        Ok(n) => sender.supply(n),
        Err(_) => sender.supply_forever(),
    }
    let until = Span::from_secs(key("dur").parse().unwrap());
    let faults = Faults {
        data: list(key("drop")),
        acks: list(key("adrop")),
        marks: list(key("mark")),
        segments: Vec::new(),
    };
    let topology = fall_floyd(key("limit").parse().unwrap());
    let mut path = Path::new(sender, Receiver::new(&params), topology, faults);
    let mut seen: Vec<(u64, char, f64)> = Vec::new();
    let mut before: BTreeMap<char, f64> = BTreeMap::new();
    path.run(until, |path| {
        for (letter, value) in observe(&path.sender) {
            if before.insert(letter, value) != Some(value) {
                seen.push((path.now, letter, value));
            }
        }
    });
    (path, seen)
}

fn differences(case: &Case) -> Result<(usize, usize), String> {
    let (path, seen) = play(case);
    for (index, (want, got)) in case.packets.iter().zip(&path.shown).enumerate() {
        let got = (got.0 / 1000, got.1);
        if *want != got && !(want.1 == got.1 && want.0.abs_diff(got.0) <= 1) {
            let before: Vec<_> = seen.iter().filter(|v| v.0 / 1000 <= want.0).rev().take(8).collect();
            return Err(format!("event {index}: ns-2 {want:?}, here {got:?}; last changes here {before:?}"));
        }
    }
    if case.packets.len() != path.shown.len() {
        return Err(format!("ns-2 has {} events, here {}", case.packets.len(), path.shown.len()));
    }
    let changes = variables_differ(case, &seen)?;
    let counters = path.sender.counters();
    let totals = [
        ("sent", counters.sent as f64),
        ("rtx", counters.retransmits as f64),
        ("timeouts", counters.timeouts as f64),
        ("acked", f64::from(path.sender.una()) - 1.0),
        ("ssthresh", path.sender.ssthresh()),
        ("rcvd_bytes", path.receiver.delivered_bytes() as f64),
    ];
    for (name, got) in totals {
        if let Some(want) = case.keys.get(name) {
            if want.parse::<f64>().unwrap() != got {
                return Err(format!("{name}: ns-2 {want}, here {got}"));
            }
        }
    }
    let want: f64 = case.keys["cwnd"].parse().unwrap();
    if (path.sender.cwnd() - want).abs() > 1e-5 * want {
        return Err(format!("cwnd: ns-2 {want}, here {}", path.sender.cwnd()));
    }
    Ok((case.packets.len(), changes))
}

/// Each variable's changes, in order, to the three decimals ns-2 prints.
fn variables_differ(case: &Case, seen: &[(u64, char, f64)]) -> Result<usize, String> {
    let mut compared = 0;
    for letter in ['w', 'h', 'd', 'b', 'r', 's', 'v'] {
        let mut want: Vec<(u64, f64)> =
            case.variables.iter().filter(|v| v.1 == letter).map(|v| (v.0, v.2)).collect();
        let mut got: Vec<(u64, f64)> = Vec::new();
        for (at, _, value) in seen.iter().filter(|v| v.1 == letter) {
            let rounded = (value * 1000.0).round() / 1000.0;
            let moment = (at + 5_000) / 10_000 * 10_000;
            if got.last().is_some_and(|last: &(u64, f64)| last.0 == moment) {
                got.pop();
            }
            if got.last().is_none_or(|last: &(u64, f64)| last.1 != rounded) {
                got.push((moment, rounded));
            }
        }
        // Before the first sample the estimator of ns-2 holds placeholders.
        want.retain(|v| v.0 > 0);
        got.retain(|v| v.0 > 0);
        for (index, (ours, theirs)) in got.iter().zip(&want).enumerate() {
            let same_time = (theirs.0 * 10_000).abs_diff(ours.0) <= 10_000;
            if !same_time || (theirs.1 - ours.1).abs() > 0.0011 {
                return Err(format!("variable {letter}, change {index}: ns-2 {theirs:?}, here {ours:?}"));
            }
        }
        if want.len() != got.len() {
            return Err(format!("variable {letter}: ns-2 has {} changes, here {}", want.len(), got.len()));
        }
        compared += want.len();
    }
    Ok(compared)
}

fn folder() -> std::path::PathBuf {
    let own = || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    std::env::var_os("DROPCURVE_TRACES").map_or_else(own, Into::into)
}

#[test]
fn every_recorded_run_is_reproduced() {
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("ns2_"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let (mut cases, mut failures, mut packets, mut changes) = (0, Vec::new(), 0, 0);
    for file in files {
        for case in parse(&std::fs::read_to_string(&file).unwrap()) {
            cases += 1;
            match differences(&case) {
                Ok((p, v)) => {
                    packets += p;
                    changes += v;
                }
                Err(why) => failures.push(format!("{}\n    {why}", case.name)),
            }
        }
    }
    let shown: Vec<String> = failures.iter().take(40).cloned().collect();
    assert!(failures.is_empty(), "{} of {cases} cases differ:\n{}", failures.len(), shown.join("\n"));
    assert!(cases > 0 && packets > 0 && changes > 0);
}
