//! Many runs on threads, with the interpreter free, progress and Ctrl-C.

use crate::faults::fault;
use crate::json::{self, Without};
use crate::pool::{work, FinishedRun, Job, Keep, PacketRow, Report};
use crate::rows::{self, PyRows};
use crate::scenario::PyScenario;
use crate::table::RowTable;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value;
use sim::account::TraceEvent;
use sim::{Engine, Watch};
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Period at which to check for Ctrl-C, collect finished runs and report progress. Runs are collected together because
/// each alone takes twice as long: after a simulation the caches are cold for the interpreter.
const POLL: Duration = Duration::from_millis(50);

/// Number of finished runs after which the next poll does not wait: collecting them takes about one period.
const MANY: usize = 64;

/// This many runs from the end, if they end close together, polls are more frequent, because no thread simulates while
/// the last are collected.
const LAST: usize = 16;
const CLOSE_POLL: Duration = Duration::from_millis(5);

/// One finished run.
#[pyclass(frozen, name = "Run", module = "dropcurve._core")]
pub struct PyRun(Arc<FinishedRun>);

/// Name, component, times and values, the latter as native float64.
type Curve<'py> = (&'static str, String, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Names of events, then columns as native integers: nanoseconds (u64), index of the name, flow, segment and bytes
/// (u32), and whether the packet travels from destination to source (u32).
type Columns<'py> = (Vec<&'static str>, [Bound<'py, PyBytes>; 6]);

#[pymethods]
impl PyRun {
    /// The summary of `docs/results.md` except for the keys `without`, given with their places: `links.*.drop_curve`.
    /// The lists of a summary of many flows are `Rows`, in which nothing is left out.
    #[pyo3(signature = (without=Vec::new()))]
    fn summary<'py>(&self, py: Python<'py>, without: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
        let summary =
            json::SummaryReader::default().python(py, &self.0.summary, Some(&Without::of(&without)))?;
        for (key, table) in self.tables().filter(|(key, _)| !without.iter().any(|path| path == key)) {
            summary.set_item(key, PyRows(Arc::clone(table)).into_pyobject(py)?)?;
        }
        Ok(summary)
    }

    /// The whole summary as JSON text, in a tenth of the time that Python objects would take.
    fn summary_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let text = py.detach(|| self.text()).map_err(|error| fault(error.to_string()))?;
        Ok(PyBytes::new(py, &text))
    }

    /// Quantities derived from the series, or `None` if not requested.
    fn derived<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0
            .derived
            .as_ref()
            .map(|found| json::SummaryReader::default().python(py, found, None))
            .transpose()
    }

    /// Each series as (name, component, times in seconds, values).
    fn series<'py>(&self, py: Python<'py>) -> Vec<Curve<'py>> {
        let bytes = |reals: &[f64]| {
            let flat: Vec<u8> = reals.iter().flat_map(|x| x.to_ne_bytes()).collect();
            PyBytes::new(py, &flat)
        };
        let all = self.0.series.iter();
        all.map(|one| (one.name, one.component.clone(), bytes(&one.time_s), bytes(&one.value))).collect()
    }

    /// The packet trace by column; empty unless requested.
    fn trace<'py>(&self, py: Python<'py>) -> Columns<'py> {
        let rows = &self.0.trace;
        let column = |of: fn(&PacketRow) -> u32| {
            let flat: Vec<u8> = rows.iter().flat_map(|row| of(row).to_ne_bytes()).collect();
            PyBytes::new(py, &flat)
        };
        let times: Vec<u8> = rows.iter().flat_map(|row| row.nanos.to_ne_bytes()).collect();
        let rest = [
            column(|row| row.what),
            column(|row| row.flow),
            column(|row| row.seq),
            column(|row| row.size),
            column(|row| u32::from(row.back)),
        ];
        let [what, flow, seq, size, back] = rest;
        (
            TraceEvent::ALL.map(TraceEvent::name).to_vec(),
            [PyBytes::new(py, &times), what, flow, seq, size, back],
        )
    }
}

impl PyRun {
    fn tables(&self) -> impl Iterator<Item = (&'static str, &Arc<RowTable>)> {
        let flows = self.0.flows.iter();
        flows.flat_map(|both| [("flows", &both.flows), ("conservation", &both.conservation)])
    }

    fn text(&self) -> serde_json::Result<Vec<u8>> {
        let (Value::Object(summary), Some(_)) = (&self.0.summary, &self.0.flows) else {
            return serde_json::to_vec(&self.0.summary);
        };
        let mut text = Vec::new();
        for (key, value) in summary {
            text.push(if text.is_empty() { b'{' } else { b',' });
            serde_json::to_writer(&mut text, key)?;
            text.push(b':');
            match self.tables().find(|(name, _)| name == key) {
                Some((_, table)) => rows::write(&mut text, table)?,
                None => serde_json::to_writer(&mut text, value)?,
            }
        }
        text.push(b'}');
        Ok(text)
    }
}

/// Runs jobs of (scenario, seed, records to return) on threads; results in the order of the jobs.
///
/// The third item of a job selects "summary", "derived" (and the summary), or "series" (and both). `progress`
/// receives (runs done, share of all simulated time); `finished` receives each run with its number soon after it is
/// done, and then none is returned, so that the caller decides how many stay in memory. Both are called from the
/// calling thread. An exception in them, and Ctrl-C, stop all runs at once. `trace` records the packet trace.
/// `engine` is "fast" or "plain".
#[pyfunction]
#[pyo3(signature = (jobs, threads, progress=None, finished=None, trace=false, engine="fast"))]
pub fn run_many(
    py: Python<'_>,
    jobs: Vec<(Py<PyScenario>, u64, String)>,
    threads: usize,
    progress: Option<Py<PyAny>>,
    finished: Option<Py<PyAny>>,
    trace: bool,
    engine: &str,
) -> PyResult<Vec<Py<PyRun>>> {
    let engine = Engine::named(engine)
        .ok_or_else(|| PyValueError::new_err(format!("engine \"{engine}\" is unknown: fast or plain")))?;
    let job =
        |(scenario, seed, keep): &(Py<PyScenario>, u64, String)| job(scenario, *seed, keep, (trace, engine));
    let whole: u64 = jobs.iter().map(|(scenario, ..)| scenario.get().duration_ns()).sum();
    let jobs: Vec<Job> = jobs.iter().map(job).collect::<PyResult<_>>()?;
    let (watch, next) = (Watch::default(), AtomicUsize::new(0));
    let (sender, reports) = channel();
    let (working, mut ended) = channel::<Infallible>();
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let (jobs, next, watch, sender, working) =
                (&jobs, &next, &watch, sender.clone(), working.clone());
            scope.spawn(move || {
                work(jobs, next, watch, &sender);
                drop(working);
            });
        }
        drop(working);
        let result = collect(py, &jobs, (&watch, whole), (reports, &mut ended), progress, finished);
        watch.stop.store(true, Ordering::Relaxed);
        // Detached: after an exception other runs may still wait for the interpreter, for the code of a plug-in.
        let ended = &mut ended;
        py.detach(move || ended.recv().is_err());
        result
    })
}

fn job(scenario: &Py<PyScenario>, seed: u64, keep: &str, (trace, engine): (bool, Engine)) -> PyResult<Job> {
    let scenario = scenario.get();
    let keep = match keep {
        "summary" => Keep::Summary,
        "derived" => Keep::Derived,
        "series" => Keep::Series,
        other => return Err(PyValueError::new_err(format!("unknown kind of results to keep: {other}"))),
    };
    Ok(Job { plan: scenario.clocked_plan(), scenario: scenario.name_of_results(), seed, keep, trace, engine })
}

fn collect(
    py: Python<'_>,
    jobs: &[Job],
    (watch, whole): (&Watch, u64),
    (reports, ended): (Receiver<Report>, &mut Receiver<Infallible>),
    progress: Option<Py<PyAny>>,
    finished: Option<Py<PyAny>>,
) -> PyResult<Vec<Py<PyRun>>> {
    let mut runs: Vec<Option<Py<PyRun>>> = jobs.iter().map(|_| None).collect();
    let (mut done, mut pause) = (0, POLL);
    while done < jobs.len() {
        py.check_signals()?;
        let over = wait(py, ended, pause);
        let fresh: Vec<Report> = reports.try_iter().collect();
        if over && fresh.is_empty() {
            return Err(fault("a run ended without a result".to_string()));
        }
        let count = fresh.len();
        for (number, end) in fresh {
            let run = Py::new(py, PyRun(end.map_err(fault)?))?;
            match &finished {
                Some(call) => drop(call.call1(py, (number, run))?),
                None => runs[number] = Some(run),
            }
        }
        done += count;
        pause = if count >= MANY {
            Duration::ZERO
        } else if count > 0 && jobs.len() - done <= LAST {
            CLOSE_POLL
        } else {
            POLL
        };
        let share = watch.simulated_ns.load(Ordering::Relaxed) as f64 / whole.max(1) as f64;
        progress.as_ref().map(|call| call.call1(py, (done, share.min(1.0)))).transpose()?;
    }
    Ok(runs.into_iter().flatten().collect())
}

/// Waits for `pause`, or until all threads have ended; returns whether they have. Other Python threads may run.
fn wait(py: Python<'_>, ended: &mut Receiver<Infallible>, pause: Duration) -> bool {
    py.detach(move || ended.recv_timeout(pause)) == Err(RecvTimeoutError::Disconnected)
}
