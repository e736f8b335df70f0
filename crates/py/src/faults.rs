//! Exceptions for runs that failed: the fault of a plug-in, or of dropcurve.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;

create_exception!(_core, PluginError, PyException, "A plug-in that cannot be loaded, or whose code failed.");

/// Returns the exception for a failed run: `PluginError` if the message names a plug-in, else a fault of dropcurve.
pub fn fault(message: String) -> PyErr {
    if let Some((_, reported)) = message.split_once("the plug-in ") {
        return PluginError::new_err(format!("the plug-in {reported}"));
    }
    PyRuntimeError::new_err(format!("this is a fault of dropcurve, please report it: {message}"))
}
