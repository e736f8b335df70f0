//! Exceptions for runs that failed: the fault of a plug-in, or of dropcurve.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;

create_exception!(_core, PluginError, PyException, "A plug-in that cannot be loaded, or whose code failed.");

/// Blames a plug-in for what it did, and dropcurve for all else.
pub fn fault(message: String) -> PyErr {
    if let Some((_, reported)) = message.split_once("the plug-in ") {
        return PluginError::new_err(format!("the plug-in {reported}"));
    }
    PyRuntimeError::new_err(format!("this is a fault of dropcurve, please report it: {message}"))
}
