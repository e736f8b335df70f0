//! Tests of the whole reader: text in, plan or problems out.

mod docs;
mod edits;
mod errors;
mod files;
mod properties;
mod schemas;

use super::*;
use crate::plan::{member_of, TransportPlan};
use units::{Bytes, Rate, Span};

/// The example of the architecture page.
const FIRST: &str = r#"
title = "Tail drop or RED at a congested access link"

[run]
duration = "60 s"
warmup = "10 s"

[dumbbell]
rate = "10 Mbit/s"
delay = "20 ms"
access_rate = "100 Mbit/s"
access_delay = "even 1 ms to 5 ms"

[queue]
kind = "red"
dialect = "ns2"
limit = "100 pkts"
min_th = "5 pkts"
max_th = "15 pkts"

[flows.tcp]
count = 8
transport = "tcp"
profile = "rfc"
recovery = "sack"
source = "ftp"
start = "uniform 0 s to 1 s"

[flows.voice]
count = 1
transport = "udp"
source = "cbr"
rate = "1 Mbit/s"
packet = "500 B"
"#;

/// Two hosts, two routers, a way round.
const GRAPH: &str = r#"
[links.up]
from = "s"
to = "a"
delay = "1 ms"

[links.direct]
from = "a"
to = "b"
delay = "10 ms"
drop = [14, 28]
mark = [3]

[links.direct.queue]
kind = "red"
limit = "50 pkts"

[links.direct.back]
rate = "1 Mbit/s"

[links.round1]
from = "a"
to = "c"
delay = "4 ms"

[links.round2]
from = "c"
to = "b"
delay = "6 ms"

[links.down]
from = "b"
to = "d"
delay = "1 ms"

[flows.tcp]
from = "s"
to = "d"
bytes = "1 MB"
"#;

/// Two hops, one of them different, and traffic both ways.
const CHAIN: &str = r#"
[chain]
hops = 2
rate = "10 Mbit/s"
delay = "5 ms"

[chain.back]
rate = "2 Mbit/s"

[chain.hop2]
rate = "5 Mbit/s"

[chain.hop2.queue]
kind = "droptail"
limit = "30 pkts"

[queue]
kind = "red"
limit = "60 pkts"

[flows.long]
count = 2

[flows.cross]
from = 2
to = 3
reverse = true
access_delay = "7 ms"
stagger = "100 ms"
count = 3
"#;

fn parsed(text: &str) -> Scenario {
    Scenario::parse(text).unwrap_or_else(|problems| panic!("{}", lines(&problems).join("\n")))
}

/// The problems of a text, as a user reads them.
fn complaints(text: &str) -> Vec<String> {
    lines(&Scenario::parse(text).err().unwrap_or_default())
}

fn lines(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(Problem::to_string).collect()
}

fn text(s: &str) -> Value {
    Value::Text(s.to_string())
}

/// The plan of a scenario as text: equal plans have equal text.
fn plan_text(scenario: &Scenario) -> String {
    format!("{:?}", scenario.plan())
}

#[test]
fn a_dumbbell_gets_hosts_routers_and_private_links() {
    let plan = parsed(FIRST).plan();
    assert_eq!(plan.nodes, ["left", "right"]);
    let names: Vec<&str> = plan.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["bottleneck", "bottleneck.back"]);
    assert_eq!((plan.flows(), plan.members().count()), (9, 9));
    let [tcp, voice] = &plan.groups[..] else { panic!("two groups") };
    // Numbers go through the members: there and back at the source, there and back at the destination.
    assert_eq!((tcp.route_forward(0), tcp.route_back(0)), (vec![2, 0, 4], vec![5, 1, 3]));
    assert_eq!((tcp.route_forward(7), tcp.route_back(7)), (vec![30, 0, 32], vec![33, 1, 31]));
    assert_eq!((voice.route_forward(0), voice.route_back(0)), (vec![34, 0, 36], vec![37, 1, 35]));
    assert_eq!((tcp.member(3), tcp.private_link(3, 0, false)), ("tcp/3".into(), "access/tcp.3".into()));
    assert_eq!(tcp.private_link(3, 1, true), "exit/tcp.3.back");
}

/// A plan stores once the settings that its flows share, so that a million flows are possible.
#[test]
fn a_plan_does_not_grow_with_the_flows() {
    let of = |count: i64| parsed(FIRST).with(&[("flows.tcp.count", Value::Int(count))]).unwrap().plan();
    let (few, many) = (of(2), of(100_000));
    assert_eq!(many.flows(), 100_001);
    assert_eq!((many.links.len(), many.groups.len()), (few.links.len(), few.groups.len()));
    let digits = |plan: &Plan| format!("{plan:?}").chars().filter(|c| !c.is_ascii_digit()).count();
    assert_eq!(digits(&many), digits(&few));
}

#[test]
fn members_of_a_group_share_its_spreads() {
    let plan = parsed(FIRST).plan();
    let tcp = plan.groups[0].private.as_ref().unwrap();
    let delays: Vec<Span> = (0..8).map(|i| member_of(&tcp.delays[0], i, 8, || unreachable!())).collect();
    assert_eq!((delays[0], delays[7]), (Span::from_millis(1), Span::from_millis(5)));
    assert!(delays.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn automatic_values_follow_their_rules() {
    let plan = parsed("[dumbbell]\nrate = \"4 Mbit/s\"\n[queue]\nkind = \"droptail\"\n[flows.a]").plan();
    assert_eq!(plan.run.warmup, Span::from_millis(12_000));
    assert_eq!(plan.run.sample, Span::from_millis(60));
    assert_eq!(plan.groups[0].private.as_ref().unwrap().rates, [Rate(40_000_000); 2]);
    assert_eq!(plan.groups[0].counted_as, "a");
    // 8 flows of 1500 bytes and one of 500 make 1389; nobody sends data back.
    let mixed = parsed(FIRST).plan();
    assert_eq!((mixed.links[0].packet, mixed.links[1].packet), (Bytes(1389), Bytes(1000)));
}

#[test]
fn automatic_parameters_of_queues_are_worked_out_for_each_link() {
    let scenario =
        parsed(FIRST).with(&[("queue.w_q", text("auto")), ("queue.unit", text("packets"))]).unwrap();
    let automatic = scenario.automatic();
    assert_eq!(automatic.len(), 1);
    let (name, Value::Table(values)) = &automatic[0] else { panic!("{automatic:?}") };
    assert_eq!(name, "bottleneck");
    assert!(values.iter().any(|(key, _)| key == "w_q"), "{values:?}");
}

#[test]
fn a_graph_routes_by_delay_then_hops() {
    let scenario = parsed(GRAPH);
    let plan = scenario.plan();
    let route = |links: &[usize]| links.iter().map(|&i| plan.links[i].name.clone()).collect::<Vec<_>>();
    assert_eq!(route(&plan.groups[0].route_forward(0)), ["up", "direct", "down"]);
    assert_eq!(route(&plan.groups[0].route_back(0)), ["down.back", "direct.back", "up.back"]);
    let direct = plan.links.iter().find(|link| link.name == "direct").unwrap();
    let back = plan.links.iter().find(|link| link.name == "direct.back").unwrap();
    assert_eq!((&direct.loss.positions[..], &direct.loss.marks[..]), (&[14, 28][..], &[3][..]));
    assert_eq!((back.rate, back.loss.positions.len()), (Rate(1_000_000), 0));
    assert_eq!((direct.queue.kind(), back.queue.kind()), ("red", "droptail"));
    let slower = scenario.set("links.direct.delay", text("11 ms")).unwrap().plan();
    let names: Vec<&str> = slower.groups[0].forward.iter().map(|&i| slower.links[i].name.as_str()).collect();
    assert_eq!(names, ["up", "round1", "round2", "down"]);
}

#[test]
fn hops_of_a_chain_differ_where_they_say_so() {
    let plan = parsed(CHAIN).plan();
    let link = |name: &str| plan.links.iter().find(|link| link.name == name).unwrap();
    assert_eq!((link("hop1").rate, link("hop2").rate), (Rate(10_000_000), Rate(5_000_000)));
    assert_eq!((link("hop1.back").rate, link("hop2.back").rate), (Rate(2_000_000), Rate(2_000_000)));
    assert_eq!((link("hop1").queue.kind(), link("hop2").queue.kind()), ("red", "droptail"));
    assert_eq!(plan.nodes, ["r1", "r2", "r3"]);
    let group = |name: &str| plan.groups.iter().find(|group| group.name == name).unwrap();
    let route = |name: &str| -> Vec<&str> {
        group(name).forward.iter().map(|&i| plan.links[i].name.as_str()).collect()
    };
    assert_eq!((route("long"), route("cross")), (vec!["hop1", "hop2"], vec!["hop2.back"]));
    let delay = |name: &str| group(name).private.as_ref().unwrap().delays[0].of(0, 1, 0.0);
    assert_eq!((delay("cross"), delay("long")), (Span::from_millis(7), Span::from_millis(1)));
    let starts: Vec<Span> = (0..3).map(|i| group("cross").start(i, || unreachable!())).collect();
    assert_eq!(starts, [Span::ZERO, Span::from_millis(100), Span::from_millis(200)]);
}

#[test]
fn udp_counts_its_headers() {
    let flow = |keys: &str| {
        let head = "[dumbbell]\n[queue]\nkind = \"droptail\"\n[flows.u]\ntransport = \"udp\"\n";
        match parsed(&format!("{head}{keys}")).plan().groups[0].transport.clone() {
            TransportPlan::Udp(plan) => plan,
            TransportPlan::Tcp { .. } | TransportPlan::Rated { .. } => panic!("it is UDP"),
        }
    };
    let wire = flow("rate = \"1 Mbit/s\"\npacket = \"158 B\"\nheaders = \"30 B\"");
    assert_eq!((wire.rate, wire.packet, wire.headers), (Rate(1_000_000), Bytes(158), Bytes(30)));
    let payload =
        flow("rate = \"0.8 Mbit/s\"\nrate_of = \"payload\"\npacket = \"158 B\"\nheaders = \"30 B\"");
    assert_eq!(payload.rate, Rate(987_500));
    let bursts =
        flow("source = \"onoff\"\non = \"1 s\"\noff = \"2 s\"\nshape = 1.5\njitter = 0.1").bursts.unwrap();
    assert_eq!(
        (bursts.on, bursts.off, bursts.shape),
        (Span::from_millis(1000), Span::from_millis(2000), Some(1.5))
    );
}

#[test]
fn the_resolved_scenario_means_the_same() {
    for written in [FIRST, GRAPH, CHAIN] {
        let scenario = parsed(written);
        let again = parsed(&scenario.to_toml());
        assert_eq!(plan_text(&again), plan_text(&scenario));
        assert_eq!(again.to_toml(), scenario.to_toml());
        assert_eq!(again.hash(), scenario.hash());
        let sent = serde_json::to_string(&scenario.to_json()).unwrap();
        let received = Scenario::from_json(&serde_json::from_str(&sent).unwrap()).unwrap();
        assert_eq!(plan_text(&received), plan_text(&scenario));
    }
}

#[test]
fn only_meaning_changes_the_hash() {
    let scenario = parsed(FIRST);
    assert_eq!(scenario.hash().len(), 16);
    let same =
        [("title", text("other")), ("run.sample", text("0.06 s")), ("flows.tcp.counted_as", text("tcp"))];
    for (path, value) in same {
        assert_eq!(scenario.set(path, value).unwrap().hash(), scenario.hash(), "{path}");
    }
    for (path, value) in [("run.duration", text("61 s")), ("queue.max_p", Value::Float(0.2))] {
        assert_ne!(scenario.set(path, value).unwrap().hash(), scenario.hash(), "{path}");
    }
    assert_eq!(fingerprint(&vec![("a".into(), Value::Int(1))]), "58ac462f1a79636e");
}
