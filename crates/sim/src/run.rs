//! A run: builds the network, executes events in order until the end or a limit, checks that no packet was lost.

use crate::account::Trace;
use crate::build::build;
use crate::engine::Engine;
use crate::network::Network;
use crate::outcome::{Outcome, StoppedBy};
use crate::plan::Plan;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use units::time::DOUBLES;
use units::Time;

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Which engine executes the run.
    pub engine: Engine,
    /// In the fast engine: every hop goes through the event queue, at specialised links.
    pub hop_by_hop: bool,
    /// Record series.
    pub series: bool,
    /// Record the packet trace.
    pub trace: bool,
    /// Observes the run and may stop it.
    pub watch: Option<&'a Watch>,
}

/// Shared between runs and their observer.
#[derive(Debug, Default)]
pub struct Watch {
    /// Set to stop the run at the next check.
    pub stop: Arc<AtomicBool>,
    /// Nanoseconds simulated so far, by all runs that share this.
    pub simulated_ns: Arc<AtomicU64>,
}

/// Events between two checks of the memory limit and of the observer.
const CHECK_EVERY: u64 = 1 << 16;

/// Executes the plan with this seed.
///
/// # Panics
/// If a packet was created or lost, which is a fault of the program and not of the plan; and if the plan asks for a clock
/// of doubles and this instance of the engine counts nanoseconds.
pub fn run(plan: &Plan, seed: u64, options: &Options<'_>) -> Outcome {
    assert!(DOUBLES || !plan.run.in_doubles(), "clock = \"doubles\" is for the engine of doubles/sim");
    let mut network = build(plan, seed, options.series, options.engine);
    network.trace = Trace::new(options.trace);
    network.fold(!options.hop_by_hop && options.engine == Engine::Fast);
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
    let mut next_check = CHECK_EVERY.min(plan.run.max_events);
    loop {
        let (done, time) = network.advance(next_check - events);
        if done > 0 {
            now = time;
        }
        events += done;
        if events < next_check {
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
        next_check = (events + CHECK_EVERY).min(plan.run.max_events);
    }
    if let Some(watch) = watch {
        watch.simulated_ns.fetch_add(last.since(seen.min(now)).0, Ordering::Relaxed);
    }
    (StoppedBy::Duration, events, last)
}

fn check_conservation(network: &Network, complete: bool) {
    for (number, flow) in network.flows.iter().enumerate() {
        let (account, left) = (&flow.probe.conservation, network.outstanding(number));
        assert!(
            account.holds(&left),
            "flow {number} sent what did not end, or ended what it did not send: {account:?}, {left:?}"
        );
    }
    if complete {
        let queued: u64 = (0..network.flows.len()).map(|flow| network.outstanding(flow).queued.pkts()).sum();
        let waiting = network.queued();
        assert!(queued == waiting, "{queued} packets are accounted as queued, queues hold {waiting}");
    }
}
