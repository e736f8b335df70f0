//! Whole runs of SACK flows through RED on a dumbbell: nanoseconds and events for each delivered segment,
//! folded and hop by hop.

use sim::fast::{FastPath, FastPaths};
use sim::scenario::Scenario;
use sim::{run, Engine, Options};

/// Nanoseconds this process has been on a processor, so that a busy machine does not show.
fn cpu_ns() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse().unwrap()
}

/// The most memory this process held so far, in bytes; the kernel counts kilobytes.
fn most_held() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    1024.0 * line.trim().trim_end_matches(" kB").parse::<f64>().unwrap()
}

/// The case: buffer of 100 ms, RED thresholds at 1/8 and 3/8 of it, as many Mbit/s as flows.
fn scenario(flows: u64, seconds: u64) -> String {
    let mbps = flows;
    let buffer = mbps * 1_000_000 / 10 / 8 / 1500;
    format!(
        r#"
        title = "speed"
        [run]
        duration = "{seconds} s"
        warmup = "{warmup} s"
        [dumbbell]
        rate = "{mbps} Mbit/s"
        delay = "10 ms"
        access_rate = "{access} Mbit/s"
        access_delay = "even 0.5 ms to 20 ms"
        [queue]
        kind = "red"
        limit = "{buffer} pkts"
        min_th = "{min} pkts"
        max_th = "{max} pkts"
        max_p = 0.1
        above_max = "gentle"
        [flows.tcp]
        count = {flows}
        transport = "tcp"
        recovery = "sack"
        ack_every = 1
        start = "uniform 0 s to 1 s"
        "#,
        warmup = (seconds / 5).max(1),
        access = mbps * 10,
        min = (buffer / 8).max(2),
        max = (3 * buffer / 8).max(6),
    )
}

fn measure(flows: u64, seconds: u64, engine: Engine, without: FastPaths, series: bool) -> (f64, f64, u64) {
    let plan = Scenario::parse(&scenario(flows, seconds)).unwrap().plan();
    let start = cpu_ns();
    let outcome = run(&plan, 1, &Options { engine, without, series, ..Options::default() });
    let elapsed = cpu_ns() - start;
    let delivered: u64 = outcome
        .records
        .flows
        .iter()
        .map(|flow| u64::from(flow.probe.conservation.delivered.pkts() as u32))
        .sum();
    // Every delivered segment has its acknowledgement, which is a packet too.
    let segments = delivered / 2;
    (elapsed / segments as f64, outcome.events as f64 / segments as f64, segments)
}

/// Runs one case, in the mode that these words name, and prints its line.
pub fn case(flows: u64, seconds: u64, modes: &[String], without: FastPaths) {
    let asked = |word| modes.iter().any(|other| other == word);
    let engine = if asked("plain") { Engine::Plain } else { Engine::Fast };
    let without = if asked("hops") { without.with(FastPath::Fold) } else { without };
    let (ns, events, n) = measure(flows, seconds, engine, without, asked("series"));
    let (all, held) = (cpu_ns() / 1e6, most_held() / 1e6);
    println!("{n} segments, {ns:.1} ns and {events:.2} events each, {all:.3} ms in all, {held:.2} MB held");
}

/// Runs all cases, folded and hop by hop, and prints a table.
pub fn table(without: FastPaths) {
    println!("flows   seconds  mode      segments   ns/segment  events/segment");
    for (flows, seconds) in [(1, 200), (10, 200), (100, 60), (1000, 20), (10_000, 6), (100_000, 3)] {
        let rounds = if flows > 1000 { 1 } else { 3 };
        for (mode, paths) in [("folded", without), ("hops", without.with(FastPath::Fold))] {
            let measured = (0..rounds).map(|_| measure(flows, seconds, Engine::Fast, paths, false));
            let (ns, events, n) = measured.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            println!("{flows:<7} {seconds:<8} {mode:<8} {n:>10} {ns:>12.1} {events:>15.2}");
        }
    }
}
