//! Settings as JSON: from the Python front, at the head of a record, and sent to a running forwarder.
//!
//! A link is `{"queue": {"kind": "red", ...}, "rate": "10 Mbit/s", "delay": "20 ms", "packet": "1500 B",
//! "counts_wire": false}`; the keys of `queue` are those of a scenario.

use crate::link::{LinkPath, LinkSettings};
use crate::pump::WIRE_BYTES;
use queue::Spec;
use serde_json::{json, Value as Json};
use units::param::{Problem, Table, Value};
use units::quantity;
use units::{Bytes, Rate, Span};

/// A link as JSON.
pub fn show_link(link: &LinkSettings) -> Json {
    let queue: serde_json::Map<String, Json> =
        link.spec.show().into_iter().map(|(key, value)| (key, show(&value))).collect();
    json!({
        "queue": queue,
        "rate": quantity::show_rate(link.rate),
        "delay": quantity::show_span(link.delay),
        "packet": quantity::show_bytes(link.packet),
        "counts_wire": link.counts_wire,
    })
}

/// A link from JSON.
///
/// # Errors
/// Every problem, each in a line.
pub fn read_link(json: &Json) -> Result<LinkSettings, Vec<String>> {
    let mut problems = Vec::new();
    let spec = match table(&json["queue"]) {
        Some(keys) => Spec::read("queue", &keys, &mut problems),
        None => {
            problems.push(Problem::new(
                "queue",
                &json["queue"],
                "must be a table with a kind",
                "for example {\"kind\": \"codel\"}",
            ));
            None
        }
    };
    let mut words: Vec<String> = problems.iter().map(Problem::to_string).collect();
    let rate = quantity(json, "rate", quantity::rate, "10 Mbit/s", &mut words);
    let delay = quantity(json, "delay", quantity::span, "20 ms", &mut words);
    let packet = quantity(json, "packet", quantity::bytes, "1500 B", &mut words);
    let counts_wire = json["counts_wire"].as_bool().unwrap_or(false);
    match (spec, rate, delay, packet) {
        (Some(spec), Some(rate), Some(delay), Some(packet)) if words.is_empty() => {
            Ok(LinkSettings { spec, rate, delay, packet, counts_wire })
        }
        _ => Err(words),
    }
}

/// A link from JSON for forwarding, not only for replay: its discipline must be valid at its rate and delay,
/// and its wire must fit into memory.
///
/// # Errors
/// Every problem, each in a line.
pub fn usable_link(json: &Json) -> Result<LinkSettings, Vec<String>> {
    let link = read_link(json)?;
    let mut unfit = Vec::new();
    link.spec.fits(&link.setting(), "queue", &mut unfit);
    let on_wire = link.rate.as_bps() / 8.0 * link.delay.as_secs();
    if on_wire > WIRE_BYTES as f64 {
        unfit.push(Problem::new(
            "delay",
            quantity::show_span(link.delay),
            format!(
                "puts {:.0} MB on the wire at {}, more than the {} MB that fit there",
                on_wire / 1e6,
                quantity::show_rate(link.rate),
                WIRE_BYTES / 1_000_000
            ),
            "lower the delay or the rate",
        ));
    }
    if unfit.is_empty() {
        Ok(link)
    } else {
        Err(unfit.iter().map(Problem::to_string).collect())
    }
}

/// The paths around the bottleneck: a list of `{"access_rate", "access_delay", "exit_rate", "exit_delay"}`.
///
/// # Errors
/// Every problem, each in a line.
pub fn read_paths(json: &Json) -> Result<Vec<LinkPath>, Vec<String>> {
    let mut problems = Vec::new();
    let rows = json.as_array().map_or(&[][..], Vec::as_slice);
    let paths = rows.iter().map(|row| {
        let mut side = |rate: &str, delay: &str| {
            let rate: Option<Rate> = quantity(row, rate, quantity::rate, "100 Mbit/s", &mut problems);
            let delay: Option<Span> = quantity(row, delay, quantity::span, "1 ms", &mut problems);
            (rate.unwrap_or(Rate(0)), delay.unwrap_or(Span::ZERO))
        };
        LinkPath { access: side("access_rate", "access_delay"), exit: side("exit_rate", "exit_delay") }
    });
    let paths = paths.collect();
    if problems.is_empty() {
        Ok(paths)
    } else {
        Err(problems)
    }
}

/// A link with some values changed: paths such as `queue.max_p`, `rate`, `delay`, with values as in a scenario.
///
/// # Errors
/// Every problem, each in a line.
pub fn edit_link(link: &LinkSettings, edits: &[(String, Json)]) -> Result<LinkSettings, Vec<String>> {
    let mut json = show_link(link);
    let mut kind = None;
    for (path, value) in edits {
        match path.split_once('.') {
            Some(("queue", "kind")) => kind = Some(value.clone()),
            _ => continue,
        }
    }
    if let Some(kind) = kind {
        json["queue"] = json!({ "kind": kind });
    }
    for (path, value) in edits {
        match path.split_once('.') {
            Some(("queue", key)) => json["queue"][key] = value.clone(),
            None if ["rate", "delay"].contains(&path.as_str()) => json[path] = value.clone(),
            _ => return Err(vec![format!("{path}: no such value; there are rate, delay and queue.KEY")]),
        }
    }
    let edited = usable_link(&json)?;
    if edited.rate.0 == 0 {
        let problem = Problem::new(
            "rate",
            &json["rate"],
            "must be above 0",
            "a link without a rate has no queue to manage",
        );
        return Err(vec![problem.to_string()]);
    }
    Ok(edited)
}

fn quantity<T>(
    json: &Json,
    key: &str,
    read: fn(&str) -> Option<T>,
    example: &str,
    problems: &mut Vec<String>,
) -> Option<T> {
    let parsed = json[key].as_str().and_then(read);
    if parsed.is_none() {
        problems.push(format!("{key} = {}: must be text with its unit, such as \"{example}\"", json[key]));
    }
    parsed
}

fn table(json: &Json) -> Option<Table> {
    json.as_object()?.iter().map(|(key, item)| Some((key.clone(), value(item)?))).collect()
}

fn value(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Bool(yes) => Value::Bool(*yes),
        Json::Number(n) => {
            n.as_i64().map_or_else(|| Value::Float(n.as_f64().unwrap_or(f64::NAN)), Value::Int)
        }
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(value).collect::<Option<_>>()?),
        Json::Object(_) => Value::Table(table(json)?),
        Json::Null => return None,
    })
}

fn show(value: &Value) -> Json {
    match value {
        Value::Bool(yes) => (*yes).into(),
        Value::Int(n) => (*n).into(),
        Value::Float(x) => (*x).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(show).collect(),
        Value::Table(rows) => rows.iter().map(|(key, item)| (key.clone(), show(item))).collect(),
    }
}

/// Bytes that a link counts for a packet beyond its own, as `tc stab` does.
pub fn with_overhead(size: usize, overhead: i64) -> u32 {
    let counted = i64::try_from(size).unwrap_or(i64::MAX).saturating_add(overhead);
    Bytes(counted.clamp(1, i64::from(u32::MAX)) as u64).0 as u32
}
