//! JSON values as Python objects.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// Keys whose values are left out, each in its place; `*` is any key of an object or item of a list.
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

/// Makes of JSON values what `json.loads` would make of their text.
#[derive(Default)]
pub struct Reader<'a, 'py> {
    /// A key of many objects is one string. Its length comes first because most comparisons end there.
    keys: BTreeMap<(usize, &'a str), Bound<'py, PyString>>,
}

impl<'a, 'py> Reader<'a, 'py> {
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
                let found = PyList::empty(py);
                for item in items {
                    found.append(self.python(py, item, without)?)?;
                }
                found.into_any()
            }
            Value::Object(map) => {
                let found = PyDict::new(py);
                for (key, item) in map {
                    let without = without.and_then(|without| without.at(key));
                    if without.is_some_and(Without::ends) {
                        continue;
                    }
                    let item = self.python(py, item, without)?;
                    found.set_item(self.key(py, key), item)?;
                }
                found.into_any()
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
