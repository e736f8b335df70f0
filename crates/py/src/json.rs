//! JSON values as Python objects, and a row of them as text.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyList, PyString};
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// Paths of values to leave out; `*` is any key of an object or item of a list.
#[derive(Default)]
pub struct Without<'a>(BTreeMap<&'a str, Without<'a>>);

impl<'a> Without<'a> {
    /// From paths with dots.
    pub fn of(paths: &'a [String]) -> Without<'a> {
        let mut whole = Without::default();
        for path in paths {
            path.split('.').fold(&mut whole, |at, key| at.0.entry(key).or_default());
        }
        whole
    }

    fn at(&self, key: &str) -> Option<&Without<'a>> {
        self.0.get(key).or_else(|| self.0.get("*"))
    }

    fn ends(&self) -> bool {
        self.0.is_empty()
    }
}

/// Converts JSON values to the objects that `json.loads` returns for their text.
#[derive(Default)]
pub struct SummaryReader<'a, 'py> {
    /// Interned keys, ordered by length first, which decides most comparisons.
    keys: BTreeMap<(usize, &'a str), Bound<'py, PyString>>,
}

impl<'a, 'py> SummaryReader<'a, 'py> {
    /// The value as a Python object.
    pub fn python(
        &mut self,
        py: Python<'py>,
        value: &'a Value,
        without: Option<&Without<'_>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(match value {
            Value::Null => py.None().into_bound(py),
            Value::Bool(yes) => yes.into_pyobject(py)?.to_owned().into_any(),
            Value::Number(number) => real(py, number)?,
            Value::String(text) => PyString::new(py, text).into_any(),
            Value::Array(items) => {
                let without = without.and_then(|without| without.at("*"));
                let converted = items.iter().map(|item| self.python(py, item, without));
                PyList::new(py, converted.collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            Value::Object(map) => {
                let converted = PyDict::new(py);
                for (key, item) in map {
                    let without = without.and_then(|without| without.at(key));
                    if without.is_some_and(Without::ends) {
                        continue;
                    }
                    let item = self.python(py, item, without)?;
                    converted.set_item(self.key(py, key), item)?;
                }
                converted.into_any()
            }
        })
    }

    fn key(&mut self, py: Python<'py>, key: &'a str) -> &Bound<'py, PyString> {
        self.keys.entry((key.len(), key)).or_insert_with(|| PyString::intern(py, key))
    }
}

fn real<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    match (number.as_u64(), number.as_i64(), number.as_f64()) {
        (Some(whole), _, _) => Ok(whole.into_pyobject(py)?.into_any()),
        (None, Some(whole), _) => Ok(whole.into_pyobject(py)?.into_any()),
        (None, None, real) => Ok(real.into_pyobject(py)?.into_any()),
    }
}

/// A row of numbers and text as a line of JSON, equal to that of `json.dumps` when parsed, in a fraction of its time.
#[pyfunction]
pub fn json_line<'py>(py: Python<'py>, row: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyBytes>> {
    let mut line = String::from("{");
    for (name, value) in row {
        if line.len() > 1 {
            line.push(',');
        }
        line += &Value::from(name.cast::<PyString>()?.to_str()?).to_string();
        line.push(':');
        line += &scalar(&value)?;
    }
    line += "}\n";
    Ok(PyBytes::new(py, line.as_bytes()))
}

fn scalar(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::from(text.to_str()?).to_string());
    }
    let Ok(real) = value.cast::<PyFloat>().map(PyFloatMethods::value) else {
        return Ok(value.extract::<i64>()?.to_string());
    };
    Ok(match Number::from_f64(real) {
        Some(real) => real.to_string(),
        None if real.is_nan() => "NaN".to_string(),
        None if real > 0.0 => "Infinity".to_string(),
        None => "-Infinity".to_string(),
    })
}
