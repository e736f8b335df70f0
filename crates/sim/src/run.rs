//! A run: builds the network, executes events in order until the end or a limit, checks that no packet was lost.

use crate::account::{MeasurementWindow, Trace};
use crate::build::{build, measurement_window};
use crate::engine::Engine;
use crate::fast::{Fast, FastPaths};
use crate::network::{Carrier, Flow, Network, Plain};
use crate::outcome::{Outcome, Records, StoppedBy};
use crate::packet::WaitingPacket;
use crate::plan::Plan;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use units::time::DOUBLES;
use units::Time;

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The engine that executes the run.
    pub engine: Engine,
    /// In the fast engine: fast paths that are not taken.
    pub without: FastPaths,
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
/// If a packet was created or lost, which is a fault of the program and not of the plan; and if the plan asks for a
/// clock of doubles and this instance of the engine counts nanoseconds.
pub fn run(plan: &Plan, seed: u64, options: &Options<'_>) -> Outcome {
    assert!(DOUBLES || !plan.run.in_doubles(), "clock = \"doubles\" is for the engine of doubles/sim");
    let window = measurement_window(plan, options.series);
    match options.engine {
        Engine::Plain => run_with(plan, seed, options, window, Plain::default()),
        Engine::Fast => run_with(plan, seed, options, window, Fast::new(window.end, options.without)),
    }
}

fn run_with<C: Carrier>(
    plan: &Plan,
    seed: u64,
    options: &Options<'_>,
    window: MeasurementWindow,
    carrier: C,
) -> Outcome {
    let mut network = build(plan, seed, window, Trace::new(options.trace), carrier);
    let (stopped_by, events, end) = execute(&mut network, plan, options.watch);
    let mut records = network.into_records(end);
    check_conservation(&records, stopped_by == StoppedBy::Duration);
    records.gather_sessions(plan.flows());
    Outcome { records, seed, stopped_by, events, end }
}

/// Estimated bytes held by packets, events and records.
fn memory_in_use<C: Carrier>(network: &Network<C>) -> u64 {
    let queued: usize = network.links.iter().map(|link| link.queue_len() * size_of::<WaitingPacket>()).sum();
    let recorded = if network.window.series { &network.flows[..] } else { &[] };
    let series = recorded.iter().filter_map(|flow| flow.probe.series());
    let series: usize = series.map(|series| 16 * series.received.capacity()).sum();
    let flows = network.flows.len() * size_of::<Flow<C::FlowState>>();
    (network.carrier.memory() + queued + series + flows) as u64
}

fn execute<C: Carrier>(
    network: &mut Network<C>,
    plan: &Plan,
    watch: Option<&Watch>,
) -> (StoppedBy, u64, Time) {
    let last = network.window.end;
    // The summary needs memory after the run.
    let most = plan.run.max_memory.0.saturating_sub(plan.memory().0);
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
        if memory_in_use(network) > most {
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

/// Checks that no packet was created or lost; `complete`: the run reached its duration.
pub(crate) fn check_conservation(records: &Records, complete: bool) {
    for (number, flow) in records.flows.iter().enumerate() {
        let (account, left) = (&flow.probe.conservation, records.outstanding(number));
        assert!(
            account.holds(&left),
            "flow {number}: sent packets do not equal delivered, dropped and outstanding ones: {account:?}, {left:?}"
        );
    }
    if complete {
        let queued: u64 = (0..records.flows.len()).map(|flow| records.outstanding(flow).queued.pkts()).sum();
        let waiting = records.queued();
        assert!(queued == waiting, "{queued} packets are accounted as queued, queues hold {waiting}");
    }
}
