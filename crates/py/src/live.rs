//! The live forwarder and its replays.

use forward::record::RecordReader;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::fs::File;
use std::io::BufReader;

/// Runs a forwarder in this thread until it is stopped; settings and counters are JSON.
#[pyfunction]
pub fn live_forward(py: Python<'_>, settings: &str) -> PyResult<String> {
    #[cfg(target_os = "linux")]
    return py.detach(|| forward::daemon::run(settings)).map_err(PyOSError::new_err);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (py, settings);
        Err(PyOSError::new_err("the live forwarder needs Linux"))
    }
}

/// Drops the rights of this process, except for administering the network if `administers`, and filters its system
/// calls down to those of a keeper. Returns false where there is no filter.
#[pyfunction]
pub fn live_confine(administers: bool) -> PyResult<bool> {
    #[cfg(target_os = "linux")]
    {
        use forward::sys::{drop_capabilities, filter_calls, FilterScope};
        drop_capabilities(administers)?;
        Ok(filter_calls(FilterScope::Keeper)?)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = administers;
        Ok(false)
    }
}

/// Replays a record through the simulator's queue; the comparison is JSON.
#[pyfunction]
pub fn live_replay(py: Python<'_>, path: &str) -> PyResult<String> {
    let replayed = py.detach(|| {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let reader = RecordReader::new(BufReader::with_capacity(1 << 20, file))?;
        let head = forward::config::show_link(&reader.head.link);
        forward::replay::replay(reader).map(|found| found.show(&head).to_string())
    });
    replayed.map_err(|what| PyOSError::new_err(format!("{path}: {what}")))
}
