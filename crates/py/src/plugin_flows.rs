//! Congestion controls and traffic sources as Python classes, and the conformance kit for any control.

use crate::faults::PluginError;
use crate::plugins::{declared, failed, forever, Declared};
use pyo3::prelude::*;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};
use transport::cc::conformance::{check_control, Report};
use transport::cc::plugin::{ControlPlugin, ExternalControl};
use transport::cc::{AckEvent, Cause, CongestionEvent, ControlName, Window};
use units::param::{Param, Value};
use units::plugin::Declaration;
use units::{Bytes, Rate, Rng, Span, Stream, Time};

/// The declaration of a class: name, title and description; parameters; hash of the code.
fn declaration(texts: (String, String, String), parameters: Vec<Declared>, code: String) -> Declaration {
    let (name, title, about) = texts;
    let parameters = parameters.into_iter().map(declared).collect();
    Declaration { name: forever(name), title: forever(title), about: forever(about), parameters, code }
}

/// Registers a congestion control whose objects `make(values)` returns.
#[pyfunction]
pub fn register_control(
    make: Py<PyAny>,
    texts: (String, String, String),
    parameters: Vec<Declared>,
    options: (bool, bool),
    code: String,
) -> PyResult<()> {
    let (watches, paces) = options;
    let class = ControlClass { make, declared: declaration(texts, parameters, code), watches, paces };
    transport::cc::plugin::register(Arc::new(class)).map_err(PluginError::new_err)
}

/// Registers a source whose objects `make(values, draws)` returns.
#[pyfunction]
pub fn register_source(
    make: Py<PyAny>,
    texts: (String, String, String),
    parameters: Vec<Declared>,
    over_tcp: bool,
    typical: (u64, u64),
    code: String,
) -> PyResult<()> {
    let typical = (Bytes(typical.0), Rate(typical.1));
    let class = SourceClass { make, declared: declaration(texts, parameters, code), over_tcp, typical };
    sim::source::names::register(Arc::new(class)).map_err(PluginError::new_err)
}

/// A Python class as a congestion control.
struct ControlClass {
    make: Py<PyAny>,
    declared: Declaration,
    watches: bool,
    paces: bool,
}

impl ControlPlugin for ControlClass {
    fn declaration(&self) -> &Declaration {
        &self.declared
    }
    fn watches(&self) -> bool {
        self.watches
    }
    fn paces(&self) -> bool {
        self.paces
    }
    fn build(&self, values: &[f64]) -> Box<dyn ExternalControl> {
        let name = self.declared.name;
        Python::attach(|py| {
            let object = self.make.call1(py, (values.to_vec(),));
            let object = object.unwrap_or_else(|error| failed(py, name, "__init__", &error));
            Box::new(ControlObject { object, name })
        })
    }
}

/// An object of the class.
struct ControlObject {
    object: Py<PyAny>,
    name: &'static str,
}

impl ControlObject {
    fn call<T>(&self, method: &str, act: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        Python::attach(|py| act(py).unwrap_or_else(|error| failed(py, self.name, method, &error)))
    }
}

impl ExternalControl for ControlObject {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        *window = self.call("on_ack", |py| {
            let shown = Py::new(py, PluginWindow::of(window))?;
            self.object.call_method1(py, "on_ack", (&shown, PluginAck::of(event)))?;
            let set = shown.borrow(py);
            Ok(Window { cwnd: set.cwnd, ssthresh: set.ssthresh })
        });
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        let cause = match event.cause {
            Cause::Loss => "loss",
            Cause::Timeout => "timeout",
            Cause::Ecn => "ecn",
        };
        let CongestionEvent { load, flight, ecn_factor, .. } = *event;
        self.call("on_congestion", |py| {
            let event = PluginCongestion { now_ns: event.now.0, cause, load, flight, ecn_factor };
            self.object.call_method1(py, "on_congestion", (PluginWindow::of(window), event))?.extract(py)
        })
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        self.call("on_every_ack", |py| {
            self.object.call_method1(py, "on_every_ack", (PluginAck::of(event),)).map(|_| ())
        });
    }

    fn pace(&self, now: Time) -> Option<f64> {
        self.call("pace", |py| self.object.call_method1(py, "pace", (now.0,))?.extract(py))
    }

    fn save_before_reduction(&mut self) {
        self.call("save", |py| self.object.call_method0(py, "save").map(|_| ()));
    }

    fn undo_reduction(&mut self) {
        self.call("undo", |py| self.object.call_method0(py, "undo").map(|_| ()));
    }

    fn duplicate(&self) -> Box<dyn ExternalControl> {
        let object = self.call("__deepcopy__", |py| {
            py.import("copy")?.call_method1("deepcopy", (&self.object,)).map(Bound::unbind)
        });
        Box::new(ControlObject { object, name: self.name })
    }
}

/// Window and threshold, in segments; the control may set both in `on_ack`.
#[pyclass(get_all, set_all, module = "dropcurve._core")]
pub struct PluginWindow {
    cwnd: f64,
    ssthresh: f64,
}

impl PluginWindow {
    fn of(window: &Window) -> PluginWindow {
        PluginWindow { cwnd: window.cwnd, ssthresh: window.ssthresh }
    }
}

/// An ACK as a control sees it.
#[pyclass(frozen, get_all, module = "dropcurve._core")]
pub struct PluginAck {
    now_ns: u64,
    acked: u32,
    delivered: u32,
    rtt_ns: Option<u64>,
    flight: u32,
    una: u32,
    next: u32,
    echo: bool,
    marked: u32,
    recovering: bool,
}

impl PluginAck {
    fn of(event: &AckEvent) -> PluginAck {
        PluginAck {
            now_ns: event.now.0,
            acked: event.acked,
            delivered: event.delivered,
            rtt_ns: event.rtt.map(|rtt| rtt.0),
            flight: event.flight,
            una: event.una,
            next: event.next,
            echo: event.ece,
            marked: event.marked,
            recovering: event.recovering,
        }
    }
}

/// Congestion as a control sees it.
#[pyclass(frozen, get_all, module = "dropcurve._core")]
pub struct PluginCongestion {
    now_ns: u64,
    cause: &'static str,
    load: f64,
    flight: u32,
    ecn_factor: Option<f64>,
}

/// A Python class as a source.
struct SourceClass {
    make: Py<PyAny>,
    declared: Declaration,
    over_tcp: bool,
    typical: (Bytes, Rate),
}

impl sim::source::plugin::SourcePlugin for SourceClass {
    fn declaration(&self) -> &Declaration {
        &self.declared
    }
    fn over_tcp(&self) -> bool {
        self.over_tcp
    }
    fn typical(&self) -> (Bytes, Rate) {
        self.typical
    }
    fn build(&self, values: &[f64], rng: Stream) -> Box<dyn sim::source::plugin::ExternalSource> {
        let name = self.declared.name;
        Python::attach(|py| {
            let object = self.make.call1(py, (values.to_vec(), PluginDraws(Mutex::new(rng))));
            let object = object.unwrap_or_else(|error| failed(py, name, "__init__", &error));
            Box::new(SourceObject { object, name })
        })
    }
}

/// An object of the class.
struct SourceObject {
    object: Py<PyAny>,
    name: &'static str,
}

impl sim::source::plugin::ExternalSource for SourceObject {
    fn next(&mut self, now: Time) -> Option<sim::source::plugin::NextData> {
        let answer: Option<(f64, u64)> = Python::attach(|py| {
            let answer = self.object.call_method1(py, "next", (now.0,));
            let answer = answer.and_then(|found| found.extract(py));
            answer.unwrap_or_else(|error| failed(py, self.name, "next", &error))
        });
        answer.map(|(pause_s, bytes)| {
            assert!(
                pause_s.is_finite() && pause_s >= 0.0,
                "the plug-in {} pauses {pause_s} s: it must be 0 or more",
                self.name
            );
            sim::source::plugin::NextData { after: Span::from_secs(pause_s), bytes }
        })
    }
}

/// The random numbers of one source.
#[pyclass(frozen, module = "dropcurve._core")]
pub struct PluginDraws(Mutex<Stream>);

#[pymethods]
impl PluginDraws {
    fn uniform(&self) -> f64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).uniform()
    }

    fn exponential(&self, mean: f64) -> f64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).exponential(mean)
    }
}

/// Checks a congestion control with the conformance kit, twice with the same seed; returns (acks, reductions, undone),
/// or raises PluginError with the rule it broke.
#[pyfunction]
pub fn conformance_control(name: &str, seed: u64, count: usize) -> PyResult<(u64, u64, u64)> {
    let control = ControlName::read(&Value::Text(name.to_string())).map_err(PluginError::new_err)?;
    let run = || {
        let guarded = catch_unwind(AssertUnwindSafe(|| check_control(&control, count, seed)));
        guarded.map_err(|panic| crate::pool::message(&*panic)).and_then(|found| found)
    };
    let report: Report = run().map_err(PluginError::new_err)?;
    if report != run().map_err(PluginError::new_err)? {
        return Err(PluginError::new_err(
            "two checks with the same events differ: a control has no random numbers, and no state outside its object",
        ));
    }
    Ok((report.acks, report.reductions, report.undone))
}
