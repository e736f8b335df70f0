//! Jobs on threads: each thread takes the next job as soon as it is free.

use serde_json::Value;
use sim::outcome::Series;
use sim::Watch;
use std::collections::VecDeque;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::Arc;

/// A plan, for the engine whose clock it asks for.
#[derive(Clone)]
pub enum Engine {
    /// Time is whole nanoseconds.
    Nanoseconds(Arc<sim::plan::Plan>),
    /// Time is a sum of doubles.
    Doubles(Arc<sim_doubles::plan::Plan>),
}

/// What happened to a packet: when, the number of the word for it, flow, segment, bytes, and whether it travelled back.
pub struct Row {
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

/// What to keep of a run, each with what comes before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keep {
    /// What was counted.
    Summary,
    /// What the samples tell.
    Derived,
    /// The samples.
    Series,
}

/// One run to do.
pub struct Job {
    /// What to run.
    pub plan: Engine,
    /// The scenario's hash, for the summary.
    pub scenario: String,
    /// Its seed.
    pub seed: u64,
    /// What to keep of it.
    pub keep: Keep,
    /// Whether to keep a trace of every packet.
    pub trace: bool,
}

/// What is left of a run.
pub struct Done {
    /// Its summary.
    pub summary: Value,
    /// What its samples tell, if that was wanted.
    pub derived: Option<Value>,
    /// Its series, if they were wanted.
    pub series: Vec<Series>,
    /// What happened to each packet, if that was wanted.
    pub trace: Vec<Row>,
}

/// A job's number with its end: `Err` is the message of a broken invariant.
pub type Report = (usize, Result<Arc<Done>, String>);

/// Takes jobs until there are none or the watch says stop. Interrupted runs are not reported.
///
/// It holds on to what is left of its runs until nobody else does, so that as a rule the thread that made it clears it
/// away, not the one that all report to.
pub fn work(jobs: &[Job], next: &AtomicUsize, watch: &Watch, reports: &Sender<Report>) {
    let mut kept: VecDeque<Arc<Done>> = VecDeque::new();
    while !watch.stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(job) = jobs.get(number) else { return };
        let end = catch_unwind(AssertUnwindSafe(|| execute(job, watch))).map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_string()
        });
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

/// The same steps for either engine.
macro_rules! execute_in {
    ($engine:ident, $plan:expr, $job:expr, $watch:expr) => {{
        let options = $engine::Options {
            series: $job.keep >= Keep::Derived,
            trace: $job.trace,
            watch: Some($watch),
            ..$engine::Options::default()
        };
        let outcome = $engine::run($plan, $job.seed, &options);
        if outcome.stopped_by == $engine::StoppedBy::Watch {
            return None;
        }
        let derived = ($job.keep >= Keep::Derived).then(|| outcome.derived($plan));
        let series = if $job.keep == Keep::Series { outcome.series($plan) } else { Vec::new() };
        let rows = outcome.network.trace.rows().into_iter().map(|row| Row {
            nanos: row.time.nanos(),
            what: row.what as u32,
            flow: row.flow,
            seq: row.seq,
            size: row.size,
            back: row.back,
        });
        (outcome.summary($plan, &$job.scenario), derived, series, rows.collect())
    }};
}

fn execute(job: &Job, watch: &Watch) -> Option<Done> {
    let (summary, derived, series, trace) = match &job.plan {
        Engine::Nanoseconds(plan) => execute_in!(sim, plan, job, watch),
        Engine::Doubles(plan) => {
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
    Some(Done { summary, derived, series, trace })
}
