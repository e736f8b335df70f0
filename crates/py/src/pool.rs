//! Jobs on threads: each thread takes the next job as soon as it is free.

use crate::reading::MOST_DICTS;
use crate::table::RowTable;
use serde_json::Value;
use sim::outcome::Series;
use sim::{Engine, Watch};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::Arc;

/// A plan, in the types of the crate with its clock.
#[derive(Clone)]
pub enum ClockedPlan {
    /// Time is integer nanoseconds.
    Nanoseconds(Arc<sim::plan::Plan>),
    /// Time is a sum of doubles.
    Doubles(Arc<sim_doubles::plan::Plan>),
}

/// One event of the packet trace.
pub struct PacketRow {
    /// In nanoseconds.
    pub nanos: u64,
    /// A place in `TraceEvent::ALL`.
    pub what: u32,
    /// The packet's flow.
    pub flow: u32,
    /// Segment number.
    pub seq: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// From destination to source.
    pub back: bool,
}

/// The parts of a run that are returned; each variant includes the ones before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keep {
    /// The summary.
    Summary,
    /// Quantities derived from the series.
    Derived,
    /// The series.
    Series,
}

/// A run to execute.
pub struct Job {
    /// The plan.
    pub plan: ClockedPlan,
    /// The scenario's hash, for the summary.
    pub scenario: String,
    /// Its seed.
    pub seed: u64,
    /// The parts of it that are returned.
    pub keep: Keep,
    /// Whether to record the packet trace.
    pub trace: bool,
    /// The engine that executes it.
    pub engine: Engine,
}

/// The result of a run.
pub struct FinishedRun {
    /// Its summary; without its lists of flows if they are in `flows`.
    pub summary: Value,
    /// The lists of its summary that are as long as there are flows, if there are many.
    pub flows: Option<FlowTables>,
    /// Quantities derived from its series, if requested.
    pub derived: Option<Value>,
    /// Its series, if requested.
    pub series: Vec<Series>,
    /// The packet trace, if requested.
    pub trace: Vec<PacketRow>,
}

/// `flows` and `conservation` of a summary.
pub struct FlowTables {
    /// `flows`.
    pub flows: Arc<RowTable>,
    /// `conservation`.
    pub conservation: Arc<RowTable>,
}

/// Stores the objects one by one, so that not all of them are in memory at once.
fn table(rows: impl Iterator<Item = Value>) -> Arc<RowTable> {
    let mut table = RowTable::default();
    for row in rows {
        assert!(table.push(&row), "flows have more forms than a table takes");
    }
    Arc::new(table)
}

/// A job's number with its result; `Err` is the message of a broken invariant.
pub type Report = (usize, Result<Arc<FinishedRun>, String>);

/// Executes jobs until none is left or the watch stops them. Interrupted runs are not reported.
///
/// It holds a reference to each result until no one else does, so that the memory is usually freed by the thread that
/// allocated it, not by the one that collects the results.
pub fn work(jobs: &[Job], next: &AtomicUsize, watch: &Watch, reports: &Sender<Report>) {
    let mut kept: VecDeque<Arc<FinishedRun>> = VecDeque::new();
    while !watch.stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(job) = jobs.get(number) else { return };
        let end = catch_unwind(AssertUnwindSafe(|| execute(job, watch))).map_err(|panic| message(&*panic));
        let report = match end {
            Ok(None) => return,
            Ok(Some(done)) => {
                while kept.front().is_some_and(|one| Arc::strong_count(one) == 1) {
                    kept.pop_front();
                }
                let done = Arc::new(done);
                kept.push_back(Arc::clone(&done));
                Ok(done)
            }
            Err(message) => Err(format!("seed {}: {message}", job.seed)),
        };
        if reports.send((number, report)).is_err() {
            return;
        }
    }
}

/// The message of a panic.
pub fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_string()
}

/// Executes a job in either crate; their types differ.
macro_rules! execute_in {
    ($clock:ident, $plan:expr, $job:expr, $watch:expr) => {{
        let options = $clock::Options {
            series: $job.keep >= Keep::Derived,
            trace: $job.trace,
            engine: $clock::Engine::named($job.engine.name()).unwrap_or_default(),
            watch: Some($watch),
            ..$clock::Options::default()
        };
        let outcome = $clock::run($plan, $job.seed, &options);
        if outcome.stopped_by == $clock::StoppedBy::Watch {
            return None;
        }
        let derived = ($job.keep >= Keep::Derived).then(|| outcome.derived($plan));
        let series = if $job.keep == Keep::Series { outcome.series($plan) } else { Vec::new() };
        let rows = outcome.records.trace.rows().into_iter().map(|row| PacketRow {
            nanos: row.time.nanos(),
            what: row.what as u32,
            flow: row.flow,
            seq: row.seq,
            size: row.size,
            back: row.back,
        });
        let many = outcome.records.flows.len() > MOST_DICTS;
        let summary = if many {
            outcome.summary_without_flows($plan, &$job.scenario)
        } else {
            outcome.summary($plan, &$job.scenario)
        };
        let flows = many.then(|| FlowTables {
            flows: table(outcome.flow_summaries($plan)),
            conservation: table(outcome.conserved_flows()),
        });
        ((summary, flows), derived, series, rows.collect())
    }};
}

fn execute(job: &Job, watch: &Watch) -> Option<FinishedRun> {
    let ((summary, flows), derived, series, trace) = match &job.plan {
        ClockedPlan::Nanoseconds(plan) => execute_in!(sim, plan, job, watch),
        ClockedPlan::Doubles(plan) => {
            let (stop, simulated_ns) = (Arc::clone(&watch.stop), Arc::clone(&watch.simulated_ns));
            let own = sim_doubles::Watch { stop, simulated_ns };
            let (summary, derived, series, trace) = execute_in!(sim_doubles, plan, job, &own);
            let series = series.into_iter().map(|one| Series {
                name: one.name,
                component: one.component,
                time_s: one.time_s,
                value: one.value,
            });
            (summary, derived, series.collect(), trace)
        }
    };
    Some(FinishedRun { summary, flows, derived, series, trace })
}
