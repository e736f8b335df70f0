//! A run: build, execute in order, stop at the last moment or at a budget, account.

use crate::build::build;
use crate::network::Network;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::trace::Trace;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use units::time::DOUBLES;
use units::Time;

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Every arrival goes through the calendar; nothing is done early. Slower, same bits.
    pub hop_by_hop: bool,
    /// Keep series.
    pub series: bool,
    /// Keep a trace of every packet.
    pub trace: bool,
    /// Somebody who watches and may stop it.
    pub watch: Option<&'a Watch>,
}

/// Shared with whoever watches a run.
#[derive(Debug, Default)]
pub struct Watch {
    /// Set to stop the run at the next look.
    pub stop: Arc<AtomicBool>,
    /// Simulated nanoseconds so far, of all runs that share this.
    pub simulated_ns: Arc<AtomicU64>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoppedBy {
    /// It reached its duration.
    Duration,
    /// It used up its events.
    Events,
    /// It used up its memory.
    Memory,
    /// It was told to.
    Watch,
}

impl StoppedBy {
    /// The word in results.
    pub fn name(self) -> &'static str {
        match self {
            StoppedBy::Duration => "duration",
            StoppedBy::Events => "events",
            StoppedBy::Memory => "memory",
            StoppedBy::Watch => "interrupt",
        }
    }
}

/// Events between two looks at the memory budget and the watch.
const LOOK_EVERY: u64 = 1 << 16;

/// Executes the plan with this seed.
///
/// # Panics
/// If a packet appeared or vanished: that is a fault of the program, not of the plan. And if time is to be a sum of doubles
/// and this instance of the engine counts nanoseconds.
pub fn run(plan: &Plan, seed: u64, options: &Options<'_>) -> Outcome {
    assert!(DOUBLES || !plan.run.in_doubles(), "clock = \"doubles\" is for the engine of doubles/sim");
    let mut network = build(plan, seed, options.series);
    network.trace = Trace::new(options.trace);
    network.fold(!options.hop_by_hop);
    let (stopped_by, events, end) = execute(&mut network, plan, options.watch);
    network.finish(end);
    check_conservation(&network, stopped_by == StoppedBy::Duration);
    network.gather_sessions(plan.flows());
    Outcome { network, seed, stopped_by, events, end }
}

fn execute(network: &mut Network, plan: &Plan, watch: Option<&Watch>) -> (StoppedBy, u64, Time) {
    let last = network.window.end;
    let mut events = 0;
    let mut now = Time::ZERO;
    let mut seen = Time::ZERO;
    let mut next_look = LOOK_EVERY.min(plan.run.max_events);
    loop {
        let (done, time) = network.advance(next_look - events);
        if done > 0 {
            now = time;
        }
        events += done;
        if events < next_look {
            break;
        }
        if events >= plan.run.max_events {
            return (StoppedBy::Events, events, now);
        }
        if network.memory() > plan.run.max_memory.0 {
            return (StoppedBy::Memory, events, now);
        }
        if let Some(watch) = watch {
            watch.simulated_ns.fetch_add(now.since(seen).0, Ordering::Relaxed);
            seen = now;
            if watch.stop.load(Ordering::Relaxed) {
                return (StoppedBy::Watch, events, now);
            }
        }
        next_look = (events + LOOK_EVERY).min(plan.run.max_events);
    }
    if let Some(watch) = watch {
        watch.simulated_ns.fetch_add(last.since(seen.min(now)).0, Ordering::Relaxed);
    }
    (StoppedBy::Duration, events, last)
}

fn check_conservation(network: &Network, complete: bool) {
    for (number, flow) in network.flows.iter().enumerate() {
        let (account, left) = (&flow.probe.conservation, network.left(number));
        assert!(
            account.holds(&left),
            "flow {number} sent what did not end, or ended what it did not send: {account:?}, {left:?}"
        );
    }
    if complete {
        let queued: u64 = (0..network.flows.len()).map(|flow| network.left(flow).queued.pkts()).sum();
        let waiting = network.waiting();
        assert!(queued == waiting, "{queued} packets are accounted as queued, queues hold {waiting}");
    }
}
