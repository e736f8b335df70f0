//! Jobs on threads: each thread takes the next job as soon as it is free.

use sim::outcome::Series;
use sim::plan::Plan;
use sim::trace::Row;
use sim::{Options, StoppedBy, Watch};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::Arc;

/// One run to do.
pub struct Job {
    /// What to run.
    pub plan: Arc<Plan>,
    /// The scenario's hash, for the summary.
    pub scenario: String,
    /// Its seed.
    pub seed: u64,
    /// Whether to keep series.
    pub series: bool,
    /// Whether to keep a trace of every packet.
    pub trace: bool,
}

/// What is left of a run.
pub struct Done {
    /// Its summary as JSON.
    pub summary: String,
    /// Its series, if they were wanted.
    pub series: Vec<Series>,
    /// What happened to each packet, if that was wanted.
    pub trace: Vec<Row>,
}

/// A job's number with its end: `Err` is the message of a broken invariant.
pub type Report = (usize, Result<Done, String>);

/// Takes jobs until there are none or the watch says stop. Interrupted runs are not reported.
pub fn work(jobs: &[Job], next: &AtomicUsize, watch: &Watch, reports: &Sender<Report>) {
    while !watch.stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(job) = jobs.get(number) else { return };
        let end = catch_unwind(AssertUnwindSafe(|| execute(job, watch))).map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_string()
        });
        let report = match end {
            Ok(None) => return,
            Ok(Some(done)) => Ok(done),
            Err(message) => Err(format!("seed {}: {message}", job.seed)),
        };
        if reports.send((number, report)).is_err() {
            return;
        }
    }
}

fn execute(job: &Job, watch: &Watch) -> Option<Done> {
    let options = Options { series: job.series, trace: job.trace, watch: Some(watch), ..Options::default() };
    let outcome = sim::run(&job.plan, job.seed, &options);
    if outcome.stopped_by == StoppedBy::Watch {
        return None;
    }
    let series = if job.series { outcome.series(&job.plan) } else { Vec::new() };
    let trace = outcome.network.trace.rows();
    Some(Done { summary: outcome.summary(&job.plan, &job.scenario).to_string(), series, trace })
}
