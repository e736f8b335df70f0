//! Tables of objects in Python: a sequence of rows, each a mapping that makes values on access.

use crate::json;
use crate::table::{Cell, Keys, Row, RowTable};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PySlice, PyString};
use std::sync::Arc;

/// A list of objects, stored by column.
#[pyclass(frozen, sequence, name = "Rows", module = "dropcurve._core")]
pub struct PyRows(pub Arc<RowTable>);

/// One of them.
#[pyclass(frozen, mapping, name = "Row", module = "dropcurve._core")]
pub struct PyRow {
    table: Arc<RowTable>,
    number: usize,
}

#[pymethods]
impl PyRows {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// A row, or the rows of a slice as a list.
    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let count = self.0.len() as isize;
        if let Ok(slice) = index.cast::<PySlice>() {
            let range = slice.indices(count)?;
            let numbers = (0..range.slicelength as isize).map(|i| range.start + i * range.step);
            return Ok(
                PyList::new(py, numbers.map(|number| self.row(number)).collect::<Vec<_>>())?.into_any()
            );
        }
        let number: isize = index.extract()?;
        let number = if number < 0 { number + count } else { number };
        if !(0..count).contains(&number) {
            return Err(PyIndexError::new_err("there is no such row"));
        }
        Ok(Bound::new(py, self.row(number))?.into_any())
    }

    fn __eq__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<PyRows>() else {
            // A list of mappings that are equal to the rows.
            let Ok(list) = other.cast::<PyList>() else { return Ok(false) };
            if list.len() != self.0.len() {
                return Ok(false);
            }
            for (number, item) in list.iter().enumerate() {
                if !Bound::new(py, self.row(number as isize))?.eq(item)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        };
        let (mine, theirs) = (&self.0, &other.get().0);
        let rows = 0..mine.len();
        Ok(Arc::ptr_eq(mine, theirs)
            || (mine.len() == theirs.len()
                && rows
                    .map(|row| (mine.row(row), theirs.row(row)))
                    .all(|(a, b)| a.map(|row| row.value()) == b.map(|row| row.value()))))
    }

    fn __repr__(&self) -> String {
        format!("<{} rows>", self.0.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let read = py.import("dropcurve._core")?.getattr("rows_of_json")?;
        Ok((read, (self.json(py)?,)))
    }

    /// The values of a key of all rows, in their order; None where a row does not have it. `part` is the key of a value
    /// in the object that `key` then is.
    #[pyo3(signature = (key, part=None))]
    fn column<'py>(&self, py: Python<'py>, key: &str, part: Option<&str>) -> PyResult<Bound<'py, PyList>> {
        let values = PyList::empty(py);
        for row in (0..self.0.len()).filter_map(|number| self.0.row(number)) {
            let keys = match (find(row.keys(), key), part) {
                (Some(Keys::Object(inner)), Some(part)) => find(inner, part),
                (keys, None) => keys,
                _ => None,
            };
            values.append(keys.map_or(Ok(py.None().into_bound(py)), |keys| python(py, row, keys))?)?;
        }
        Ok(values)
    }

    /// The rows as JSON text, a list of objects.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (table, mut text) = (&self.0, Vec::new());
        py.detach(|| write(&mut text, table)).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &text))
    }

    /// Numbers of rows that together have every type of value of every key, so that only these need a type check.
    fn rows_of_each_type(&self) -> Vec<usize> {
        self.0.rows_of_each_type()
    }
}

impl PyRows {
    fn row(&self, number: isize) -> PyRow {
        PyRow { table: Arc::clone(&self.0), number: number as usize }
    }
}

/// Appends a table as JSON text.
pub fn write(text: &mut Vec<u8>, table: &RowTable) -> serde_json::Result<()> {
    text.push(b'[');
    for number in 0..table.len() {
        if number > 0 {
            text.push(b',');
        }
        serde_json::to_writer(&mut *text, &table.row(number).map(|row| row.value()))?;
    }
    text.push(b']');
    Ok(())
}

#[pymethods]
impl PyRow {
    fn __len__(&self) -> usize {
        self.row().map_or(0, |row| row.keys().len())
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        key.extract::<String>()
            .is_ok_and(|key| self.row().is_some_and(|row| find(row.keys(), &key).is_some()))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.get_value(py, key)?.ok_or_else(|| PyKeyError::new_err(key.clone().unbind()))
    }

    #[pyo3(signature = (key, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.get_value(py, key)?.or(default).unwrap_or_else(|| py.None().into_bound(py)))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.keys(py)?.try_iter()?.into_any())
    }

    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.dict(py)?.call_method0("keys")
    }

    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.dict(py)?.call_method0("values")
    }

    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.dict(py)?.call_method0("items")
    }

    fn __eq__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<bool> {
        match other.cast::<PyRow>() {
            Ok(other) => self.dict(py)?.eq(other.get().dict(py)?),
            Err(_) => self.dict(py)?.eq(other),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.dict(py)?.repr()?.to_string())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        Ok((py.get_type::<PyDict>().into_any(), (self.dict(py)?,)))
    }
}

impl PyRow {
    fn row(&self) -> Option<Row<'_>> {
        self.table.row(self.number)
    }

    fn get_value<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Ok(key) = key.cast::<PyString>() else { return Ok(None) };
        let key = key.to_str()?;
        let keys = self.row().and_then(|row| Some((row, find(row.keys(), key)?)));
        keys.map(|(row, keys)| python(py, row, keys)).transpose()
    }

    fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let row_dict = PyDict::new(py);
        for (row, (key, keys)) in
            self.row().into_iter().flat_map(|row| row.keys().iter().map(move |one| (row, one)))
        {
            row_dict.set_item(PyString::intern(py, key), python(py, row, keys)?)?;
        }
        Ok(row_dict.into_any())
    }
}

fn find<'a>(keys: &'a [(String, Keys)], key: &str) -> Option<&'a Keys> {
    keys.iter().find(|(name, _)| name == key).map(|(_, keys)| keys)
}

/// A value of a row as a Python object.
fn python<'py>(py: Python<'py>, row: Row<'_>, keys: &Keys) -> PyResult<Bound<'py, PyAny>> {
    let column = match keys {
        Keys::Cell(column) => *column,
        Keys::Object(inner) => {
            let dict = PyDict::new(py);
            for (key, below) in inner {
                dict.set_item(PyString::intern(py, key), python(py, row, below)?)?;
            }
            return Ok(dict.into_any());
        }
    };
    Ok(match row.cell(column) {
        Cell::Null => py.None().into_bound(py),
        Cell::Bool(yes) => yes.into_pyobject(py)?.to_owned().into_any(),
        Cell::Whole(whole) => whole.into_pyobject(py)?.into_any(),
        Cell::Real(real) => real.into_pyobject(py)?.into_any(),
        Cell::Text(place) => PyString::intern(py, row.text(place)).into_any(),
        Cell::Other(place) => json::SummaryReader::default().python(py, row.other(place), None)?,
    })
}
