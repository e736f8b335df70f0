//! JSON values as Python objects.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// Makes of JSON values what `json.loads` would make of their text.
pub struct Reader<'a, 'py> {
    /// A key of many objects is one string.
    keys: BTreeMap<&'a str, Bound<'py, PyString>>,
    /// Keys whose values are left out, at any depth.
    without: &'a [String],
}

impl<'a, 'py> Reader<'a, 'py> {
    /// Leaves out the values of the keys `without`.
    pub fn new(without: &'a [String]) -> Reader<'a, 'py> {
        Reader { keys: BTreeMap::new(), without }
    }

    /// The value as a Python object.
    pub fn python(&mut self, py: Python<'py>, value: &'a Value) -> PyResult<Bound<'py, PyAny>> {
        Ok(match value {
            Value::Null => py.None().into_bound(py),
            Value::Bool(yes) => yes.into_pyobject(py)?.to_owned().into_any(),
            Value::Number(number) => real(py, number)?,
            Value::String(text) => PyString::new(py, text).into_any(),
            Value::Array(items) => {
                let found = PyList::empty(py);
                for item in items {
                    found.append(self.python(py, item)?)?;
                }
                found.into_any()
            }
            Value::Object(map) => {
                let found = PyDict::new(py);
                for (key, item) in map.iter().filter(|(key, _)| !self.without.contains(key)) {
                    let item = self.python(py, item)?;
                    found.set_item(self.key(py, key), item)?;
                }
                found.into_any()
            }
        })
    }

    fn key(&mut self, py: Python<'py>, key: &'a str) -> &Bound<'py, PyString> {
        self.keys.entry(key).or_insert_with(|| PyString::intern(py, key))
    }
}

fn real<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    match (number.as_u64(), number.as_i64(), number.as_f64()) {
        (Some(whole), _, _) => Ok(whole.into_pyobject(py)?.into_any()),
        (None, Some(whole), _) => Ok(whole.into_pyobject(py)?.into_any()),
        (None, None, real) => Ok(real.into_pyobject(py)?.into_any()),
    }
}
