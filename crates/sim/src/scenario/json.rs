//! A [`Table`] as JSON and back.

use serde_json::{Map, Number, Value as Json};
use units::param::{Problem, Table, Value};

/// A table as a JSON object.
pub fn object(table: &Table) -> Json {
    Json::Object(table.iter().map(|(key, item)| (key.clone(), json(item))).collect::<Map<_, _>>())
}

/// A value as JSON.
pub fn json(value: &Value) -> Json {
    match value {
        Value::Bool(yes) => Json::Bool(*yes),
        Value::Int(n) => Json::from(*n),
        Value::Float(x) => Number::from_f64(*x).map_or(Json::Null, Json::Number),
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => Json::Array(items.iter().map(json).collect()),
        Value::Table(table) => object(table),
    }
}

/// A JSON object as a table.
///
/// # Errors
/// One problem for each `null` and each number out of reach.
pub fn table(from: &Json) -> Result<Table, Vec<Problem>> {
    let mut problems = Vec::new();
    match value(from, "", &mut problems) {
        Some(Value::Table(table)) if problems.is_empty() => Ok(table),
        Some(_) if problems.is_empty() => Err(vec![Problem::new(
            "scenario",
            from,
            "must be an object with sections",
            "for example {\"run\": {\"duration\": \"10 s\"}}",
        )]),
        _ => Err(problems),
    }
}

/// A JSON value as a value of a scenario; problems carry the path.
pub fn value(from: &Json, path: &str, problems: &mut Vec<Problem>) -> Option<Value> {
    match from {
        Json::Null => {
            problems.push(Problem::new(path, "null", "has no value", "leave the key out to get its default"));
            None
        }
        Json::Bool(yes) => Some(Value::Bool(*yes)),
        Json::Number(n) => n.as_i64().map(Value::Int).or_else(|| n.as_f64().map(Value::Float)),
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Array(items) => {
            let read: Vec<Option<Value>> = items
                .iter()
                .enumerate()
                .map(|(i, item)| value(item, &format!("{path}[{i}]"), problems))
                .collect();
            read.into_iter().collect::<Option<Vec<_>>>().map(Value::List)
        }
        Json::Object(map) => {
            let mut table = Table::new();
            for (key, item) in map {
                if let Some(read) = value(item, &crate::keys::part::dotted(path, key), problems) {
                    table.push((key.clone(), read));
                }
            }
            Some(Value::Table(table))
        }
    }
}

/// Text that was wrapped in the source, on one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
