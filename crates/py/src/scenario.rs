//! Scenarios: text in, checked scenario out, values as JSON.

use crate::faults::fault;
use crate::pool::{message, ClockedPlan};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use units::param::{Problem, Value};

create_exception!(_core, ScenarioError, PyException, "A scenario that cannot be used; `args[0]` lists why.");

/// A checked scenario.
#[pyclass(frozen, name = "Scenario", module = "dropcurve._core")]
pub struct PyScenario {
    inner: sim::scenario::Scenario,
    hash: String,
    plan: Arc<sim::plan::Plan>,
}

#[pymethods]
impl PyScenario {
    #[new]
    fn new(text: &str) -> PyResult<PyScenario> {
        sim::scenario::Scenario::parse(text).map(PyScenario::from).map_err(refused)
    }

    /// Everything, defaults written out, as JSON.
    fn resolved(&self) -> String {
        self.inner.to_json().to_string()
    }

    /// As it was given, without defaults, as JSON.
    fn given(&self) -> String {
        shown(&Value::Table(self.inner.given().clone())).to_string()
    }

    /// Everything, defaults written out, as TOML.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    /// Sixteen hex digits over the resolved scenario.
    fn hash(&self) -> &str {
        &self.hash
    }

    /// With values changed at once: pairs of path and JSON text.
    fn edit(&self, edits: Vec<(String, String)>) -> PyResult<PyScenario> {
        let read = |(path, text): &(String, String)| Ok((path.clone(), value(&json(text)?)?));
        let edits: Vec<(String, Value)> = edits.iter().map(read).collect::<PyResult<_>>()?;
        let edits: Vec<(&str, Value)> =
            edits.iter().map(|(path, value)| (path.as_str(), value.clone())).collect();
        self.inner.with(&edits).map(PyScenario::from).map_err(refused)
    }

    /// The resolved value at a path as JSON.
    fn get(&self, path: &str) -> PyResult<String> {
        self.inner.get(path).map(|value| shown(&value).to_string()).map_err(|problem| refused(vec![problem]))
    }

    /// Values of the automatic parameters of each reported link's discipline, by link, as JSON.
    fn automatic(&self) -> String {
        shown(&Value::Table(self.inner.automatic())).to_string()
    }

    /// Runs it once and returns the digest of the run: sixteen hex digits.
    fn digest(&self, py: Python<'_>, seed: u64) -> PyResult<String> {
        let plan = self.clocked_plan();
        let run = || match &plan {
            ClockedPlan::Nanoseconds(plan) => sim::run(plan, seed, &sim::Options::default()).digest(plan),
            ClockedPlan::Doubles(plan) => {
                sim_doubles::run(plan, seed, &sim_doubles::Options::default()).digest(plan)
            }
        };
        let digest = py.detach(|| catch_unwind(AssertUnwindSafe(run)).map_err(|panic| message(&*panic)));
        digest.map(|digest| format!("{digest:016x}")).map_err(fault)
    }

    /// Number of flows.
    fn flows(&self) -> usize {
        self.plan.flows()
    }
}

impl PyScenario {
    /// The plan, for the crate with its clock.
    pub fn clocked_plan(&self) -> ClockedPlan {
        if !self.plan.run.in_doubles() {
            return ClockedPlan::Nanoseconds(Arc::clone(&self.plan));
        }
        let same = sim_doubles::scenario::Scenario::parse(&self.inner.to_toml());
        ClockedPlan::Doubles(Arc::new(same.expect("a checked scenario reads again").plan()))
    }

    /// Simulated nanoseconds of a run.
    pub fn duration_ns(&self) -> u64 {
        self.plan.run.duration.0
    }

    /// The hash stored in results.
    pub fn name_of_results(&self) -> String {
        self.hash.clone()
    }
}

impl From<sim::scenario::Scenario> for PyScenario {
    fn from(inner: sim::scenario::Scenario) -> PyScenario {
        PyScenario { plan: Arc::new(inner.plan()), hash: inner.hash(), inner }
    }
}

/// The line of a scenario's text, counted from 1, with the key of a dotted path, or with the nearest section above it.
#[pyfunction]
pub fn line_of(text: &str, path: &str) -> Option<usize> {
    sim::scenario::line(text, path)
}

/// A scenario's problems as an exception.
pub fn refused(problems: Vec<Problem>) -> PyErr {
    let rows: Vec<_> = problems.into_iter().map(|p| (p.path, p.value, p.rule, p.remedy)).collect();
    ScenarioError::new_err((rows,))
}

fn json(text: &str) -> PyResult<serde_json::Value> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn value(from: &serde_json::Value) -> PyResult<Value> {
    use serde_json::Value as Json;
    Ok(match from {
        Json::Bool(yes) => Value::Bool(*yes),
        Json::Number(n) => {
            n.as_i64().map_or_else(|| Value::Float(n.as_f64().unwrap_or(f64::NAN)), Value::Int)
        }
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(value).collect::<PyResult<_>>()?),
        Json::Object(map) => {
            let rows = map.iter().map(|(key, item)| Ok((key.clone(), value(item)?)));
            Value::Table(rows.collect::<PyResult<_>>()?)
        }
        Json::Null => return Err(PyValueError::new_err("null is not a value of a scenario")),
    })
}

fn shown(from: &Value) -> serde_json::Value {
    match from {
        Value::Bool(yes) => (*yes).into(),
        Value::Int(n) => (*n).into(),
        Value::Float(x) => (*x).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(shown).collect(),
        Value::Table(rows) => rows.iter().map(|(key, item)| (key.clone(), shown(item))).collect(),
    }
}
