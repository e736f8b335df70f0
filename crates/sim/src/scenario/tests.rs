//! Tests of the whole reader: text in, plan or problems out.

use super::*;

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

fn parsed(text: &str) -> Scenario {
    Scenario::parse(text).unwrap_or_else(|problems| {
        let shown: Vec<String> = problems.iter().map(Problem::to_string).collect();
        panic!("{}", shown.join("\n"))
    })
}

#[test]
fn the_first_example_is_read() {
    let scenario = parsed(FIRST);
    let plan = scenario.plan();
    assert_eq!(plan.flows.len(), 9);
    assert_eq!(plan.nodes.len(), 2 + 18);
    assert_eq!(plan.links.len(), 2 + 4 * 9);
    let again = parsed(&scenario.to_toml());
    assert_eq!(format!("{:?}", again.plan()), format!("{plan:?}"));
    println!("{}", scenario.to_toml());
}
