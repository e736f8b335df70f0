//! Parses JSON text into Python, with long lists of objects stored by column.

use crate::json::SummaryReader;
use crate::rows::PyRows;
use crate::table::RowTable;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// The longest list of objects that is a list of dicts in Python; a longer one is stored by column.
pub const MOST_DICTS: usize = 1000;

/// A value in which long lists of objects are tables.
enum Node {
    /// It has no table.
    Plain(Value),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
    Table(RowTable),
}

/// Parses JSON text as `json.loads` does, except for lists of more than 1000 objects of few forms, which become `Rows`.
///
/// Raises ValueError if it is no JSON; numbers beyond 64 bits are read as float.
#[pyfunction]
pub fn read_json<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let node: Node = py
        .detach(|| serde_json::from_slice(text))
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    python(py, node)
}

/// The rows of a list of objects in JSON text; the inverse of `Rows.json`.
#[pyfunction]
pub fn rows_of_json(text: &[u8]) -> PyResult<PyRows> {
    let rows: Vec<Value> =
        serde_json::from_slice(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut table = RowTable::default();
    if rows.iter().all(|row| table.push(row)) {
        Ok(PyRows(Arc::new(table)))
    } else {
        Err(PyValueError::new_err("the rows have no forms in common"))
    }
}

fn python(py: Python<'_>, node: Node) -> PyResult<Bound<'_, PyAny>> {
    Ok(match node {
        Node::Plain(value) => SummaryReader::default().python(py, &value, None)?,
        Node::List(items) => {
            let items = items.into_iter().map(|item| python(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Node::Object(items) => {
            let dict = PyDict::new(py);
            for (key, item) in items {
                dict.set_item(PyString::intern(py, &key), python(py, item)?)?;
            }
            dict.into_any()
        }
        Node::Table(table) => Bound::new(py, PyRows(Arc::new(table)))?.into_any(),
    })
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Plain(Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Plain(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Plain(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Plain(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Plain(value.into()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Plain(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = List::default();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(list.node())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let (mut plain, mut nodes) = (Map::new(), Vec::new());
        while let Some((key, item)) = items.next_entry::<String, Node>()? {
            match item {
                Node::Plain(value) if nodes.is_empty() => drop(plain.insert(key, value)),
                other => {
                    // From the first table on the object cannot be a plain value.
                    nodes.extend(
                        std::mem::take(&mut plain)
                            .into_iter()
                            .map(|(name, value)| (name, Node::Plain(value))),
                    );
                    nodes.push((key, other));
                }
            }
        }
        Ok(if nodes.is_empty() { Node::Plain(Value::Object(plain)) } else { Node::Object(nodes) })
    }
}

/// A list that is being read.
#[derive(Default)]
struct List {
    values: Vec<Value>,
    /// All items, once one of them has a table.
    nodes: Vec<Node>,
    /// All items, once there are many that are like objects.
    table: Option<RowTable>,
    /// Whether reading as a table has failed.
    mixed: bool,
}

impl List {
    fn push(&mut self, item: Node) {
        let value = match item {
            Node::Plain(value) if self.nodes.is_empty() => value,
            other => {
                self.leave_table();
                self.nodes.extend(std::mem::take(&mut self.values).into_iter().map(Node::Plain));
                self.nodes.push(other);
                return;
            }
        };
        if let Some(table) = &mut self.table {
            if table.push(&value) {
                return;
            }
            self.leave_table();
        }
        self.values.push(value);
        if self.values.len() > MOST_DICTS && !self.mixed {
            let mut table = RowTable::default();
            self.mixed = !self.values.iter().all(|listed| table.push(listed));
            if !self.mixed {
                self.values = Vec::new();
                self.table = Some(table);
            }
        }
    }

    /// Returns to a list of values.
    fn leave_table(&mut self) {
        if let Some(table) = self.table.take() {
            self.mixed = true;
            self.values = (0..table.len()).filter_map(|row| table.row(row)).map(|row| row.value()).collect();
        }
    }

    fn node(self) -> Node {
        match self.table {
            Some(table) => Node::Table(table),
            None if self.nodes.is_empty() => Node::Plain(Value::Array(self.values)),
            None => Node::List(self.nodes),
        }
    }
}
