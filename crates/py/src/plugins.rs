//! Plug-ins: disciplines of shared libraries and of Python classes; and the conformance kit for any discipline.

use crate::faults::PluginError;
use plugin::loan::Loan;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use queue::conformance::{drive, steps, Rules};
use queue::disc::{Decides, QueueDisc, Reason};
use queue::plugin::{ArrivingPacket, Call, External, Parameter, Plugin};
use queue::{Setting, Spec};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;
use units::{Bytes, Ecn, Rate, Span, Time};

/// Leaves the faults of plug-ins to the caller of the run: they are exceptions, and need no line of their own.
pub fn report_once() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !crate::pool::message(panic.payload()).starts_with("the plug-in ") {
            usual(panic);
        }
    }));
}

/// Loads a shared library and returns the name of its discipline.
#[pyfunction]
pub fn load_plugin(path: PathBuf) -> PyResult<String> {
    plugin::load(&path).map_err(PluginError::new_err)
}

/// A parameter: name, unit, meaning, default, least, greatest.
pub type Declared = (String, String, String, f64, f64, f64);

/// Registers a discipline whose objects `make(values, (rate_bps, delay_ns, packet_bytes))` returns; `flags`: whether it
/// shapes, and whether it decides at arrival.
#[pyfunction]
pub fn register_plugin(
    make: Py<PyAny>,
    texts: (String, String, String),
    parameters: Vec<Declared>,
    flags: (bool, bool),
    code: String,
) -> PyResult<()> {
    let parameters = parameters.into_iter().map(declared);
    let (name, title, about) = texts;
    let (shapes, decides_at_arrival) = flags;
    let class = PythonClass {
        make,
        name: forever(name),
        title: forever(title),
        about: forever(about),
        parameters: parameters.collect(),
        shapes,
        decides_at_arrival,
        code,
    };
    queue::plugin::register(Arc::new(class)).map_err(PluginError::new_err)
}

/// A parameter out of its row.
pub fn declared((name, unit, about, default, least, greatest): Declared) -> Parameter {
    let (name, unit, about) = (forever(name), forever(unit), forever(about));
    Parameter { name, unit, about, default, range: (least, greatest) }
}

/// A text that lives as long as the process, as those of built-in disciplines do.
pub fn forever(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// A Python class as a plug-in.
struct PythonClass {
    make: Py<PyAny>,
    name: &'static str,
    title: &'static str,
    about: &'static str,
    parameters: Vec<Parameter>,
    shapes: bool,
    decides_at_arrival: bool,
    code: String,
}

impl PythonClass {
    fn object(&self, values: &[f64], setting: &Setting) -> Py<PyAny> {
        let link = (setting.rate.0, setting.delay.0, setting.packet.0);
        Python::attach(|py| {
            self.make
                .call1(py, (values.to_vec(), link))
                .unwrap_or_else(|error| failed(py, self.name, "__init__", &error))
        })
    }
}

impl Plugin for PythonClass {
    fn name(&self) -> &'static str {
        self.name
    }
    fn title(&self) -> &'static str {
        self.title
    }
    fn about(&self) -> &'static str {
        self.about
    }
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }
    fn code(&self) -> &str {
        &self.code
    }
    fn shapes(&self) -> bool {
        self.shapes
    }
    fn decides_at_arrival(&self) -> bool {
        self.decides_at_arrival
    }
    fn first_deadline(&self, values: &[f64], setting: &Setting) -> Option<Span> {
        let object = self.object(values, setting);
        Python::attach(|py| {
            let answer = object.call_method0(py, "first_deadline").and_then(|found| found.extract(py));
            let first: Option<u64> =
                answer.unwrap_or_else(|error| failed(py, self.name, "first_deadline", &error));
            first.map(Span)
        })
    }
    fn build(&self, values: &[f64], setting: &Setting) -> Box<dyn External> {
        Box::new(PythonObject { object: self.object(values, setting), name: self.name })
    }
}

/// An object of the class.
struct PythonObject {
    object: Py<PyAny>,
    name: &'static str,
}

impl PythonObject {
    fn call<T>(
        &self,
        call: &mut Call<'_>,
        method: &str,
        act: impl FnOnce(Python<'_>, PluginCall) -> PyResult<T>,
    ) -> T {
        Loan::lend(call, |loan| {
            Python::attach(|py| {
                act(py, PluginCall(Arc::clone(loan)))
                    .unwrap_or_else(|error| failed(py, self.name, method, &error))
            })
        })
    }
}

impl External for PythonObject {
    fn enqueue(&mut self, packet: &ArrivingPacket, call: &mut Call<'_>) {
        let packet = PluginPacket {
            number: packet.number,
            size: packet.size,
            flow: packet.flow,
            ecn_capable: packet.ecn.capable(),
            marked: packet.ecn == Ecn::Ce,
            traffic_class: packet.class,
        };
        self.call(call, "enqueue", |py, call| {
            self.object.call_method1(py, "enqueue", (packet, call)).map(|_| ())
        });
    }

    fn dequeue(&mut self, call: &mut Call<'_>) -> Option<u32> {
        self.call(call, "dequeue", |py, call| {
            self.object.call_method1(py, "dequeue", (call,))?.extract::<Option<u32>>(py)
        })
    }

    fn on_deadline(&mut self, call: &mut Call<'_>) {
        self.call(call, "on_deadline", |py, call| {
            self.object.call_method1(py, "on_deadline", (call,)).map(|_| ())
        });
    }
}

/// The fault of a class: ends the run, which reports it.
pub fn failed(py: Python<'_>, name: &str, method: &str, error: &PyErr) -> ! {
    let line = error.traceback(py).and_then(|trace| {
        let last = std::iter::successors(Some(trace.into_any()), |one| {
            one.getattr("tb_next").ok().filter(|next| !next.is_none())
        });
        last.last()?.getattr("tb_lineno").ok()?.extract::<u32>().ok()
    });
    let place = line.map_or(String::new(), |line| format!(" (line {line})"));
    panic!("the plug-in {name} failed in {method}{place}: {error}")
}

/// A packet as a plug-in sees it.
#[pyclass(frozen, get_all, module = "dropcurve._core")]
pub struct PluginPacket {
    number: u32,
    size: u32,
    flow: u64,
    ecn_capable: bool,
    marked: bool,
    traffic_class: u8,
}

/// The call in progress; over when the method returns.
#[pyclass(frozen, module = "dropcurve._core")]
pub struct PluginCall(Arc<Loan>);

impl PluginCall {
    fn with<T>(&self, act: impl FnOnce(&mut Call<'_>) -> T) -> PyResult<T> {
        self.0
            .with(act)
            .ok_or_else(|| PyRuntimeError::new_err("this call is over; use the one that is passed"))
    }
}

fn reason(name: &str) -> PyResult<Reason> {
    match name {
        "early" => Ok(Reason::Early),
        "forced" => Ok(Reason::Forced),
        "overflow" => Ok(Reason::Overflow),
        other => Err(PyValueError::new_err(format!("reason = {other:?}: must be early, forced or overflow"))),
    }
}

#[pymethods]
impl PluginCall {
    #[getter]
    fn now_ns(&self) -> PyResult<u64> {
        self.with(|call| call.now.0)
    }

    #[getter]
    fn on_wire_bytes(&self) -> PyResult<u64> {
        self.with(|call| call.on_wire.0)
    }

    fn uniform(&self) -> PyResult<f64> {
        self.with(|call| call.host.uniform())
    }

    #[pyo3(signature = (number, reason="overflow"))]
    fn drop(&self, number: u32, reason: &str) -> PyResult<()> {
        let reason = self::reason(reason)?;
        self.with(|call| call.host.drop(number, reason))
    }

    #[pyo3(signature = (number, reason="early"))]
    fn mark(&self, number: u32, reason: &str) -> PyResult<bool> {
        let reason = self::reason(reason)?;
        self.with(|call| call.host.mark(number, reason))
    }

    fn set_deadline(&self, at_ns: u64) -> PyResult<()> {
        self.with(|call| call.deadline = Time(at_ns))
    }

    fn set_ready(&self, at_ns: u64) -> PyResult<()> {
        self.with(|call| call.ready = Time(at_ns))
    }

    fn set_average(&self, average: f64) -> PyResult<()> {
        self.with(|call| call.average = average)
    }
}

/// Checks a discipline with the conformance kit, twice with the same seed; returns (arrived, left, dropped, marked),
/// or raises PluginError with the broken rule. `queue` is a table in TOML.
#[pyfunction]
pub fn conformance(queue: &str, seed: u64, count: usize, reorders: bool) -> PyResult<(u64, u64, u64, u64)> {
    let setting = Setting { rate: Rate(10_000_000), delay: Span::from_millis(20), packet: Bytes(1000) };
    let mut problems = Vec::new();
    let spec = sim::scenario::read_toml(queue).and_then(|table| {
        let found = Spec::read("queue", &table, &mut problems);
        found.ok_or(std::mem::take(&mut problems))
    });
    let spec = spec.map_err(crate::scenario::refused)?;
    let rules = Rules { marks: true, reorders, ..Rules::default() };
    let run = || {
        let disc = spec.build(&setting);
        debug_assert!(!spec.is_plugin() || disc.decides() == Decides::Later);
        drive(disc, &steps(seed, count), seed, &rules)
    };
    let guarded = || catch_unwind(AssertUnwindSafe(run)).map_err(|panic| crate::pool::message(&*panic));
    let report = guarded().and_then(|found| found).map_err(PluginError::new_err)?;
    let again = guarded().and_then(|found| found).map_err(PluginError::new_err)?;
    if report != again {
        return Err(PluginError::new_err(
            "two runs with the same seed differ: take random numbers from call.uniform()",
        ));
    }
    Ok((report.arrived, report.left, report.dropped, report.marked))
}
