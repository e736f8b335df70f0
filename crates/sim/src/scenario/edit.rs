//! Changes by dotted path: how sweeps, comparisons and tuning edit a scenario.
//!
//! An edit changes the table as it was given and the whole is parsed again, so that defaults which follow other
//! keys follow the edit too. Three rules make single edits useful:
//! * A choice that decides which keys there are (`kind` of a queue, `transport` and `source` of a group)
//!   drops the keys of its table that the new choice does not know, and keeps the others. A `dialect`
//!   belongs to one kind and is dropped with it.
//! * An edit inside a queue that was inherited or left out starts from the inherited keys.
//! * No edit of a single key makes a new group or link: their names are open, so a misspelt one would pass.

use super::links::usual_queue;
use super::sections::Access;
use super::traffic::{ChainPath, GraphPath, Group, SourceName};
use crate::keys::part::{dotted, keys};
use crate::keys::Transport;
use units::param::{nearest, Choice, Param, Problem, Table, Value};

/// Replaces the value at `path`.
pub fn apply(given: &mut Table, path: &str, value: Value) -> Result<(), Problem> {
    let names: Vec<&str> = path.split('.').collect();
    if names.iter().any(|name| name.trim().is_empty()) {
        let rule = "is not a path of keys joined by dots";
        return Err(Problem::new(format!("'{path}'"), "", rule, "write one such as queue.max_p"));
    }
    if let [open @ ("flows" | "links"), name, _, ..] = names[..] {
        known_name(given, open, name)?;
    }
    let (last, parents) = names.split_last().expect("a split has at least one part");
    let usual = inherited_queue(given, parents, last);
    let mut table = given;
    for (depth, name) in parents.iter().enumerate() {
        let whole = names[..=depth].join(".");
        let fresh = if depth + 1 == parents.len() { usual.clone() } else { Table::new() };
        let section = slot(table, name, Value::Table(fresh));
        if let ("child", Value::Text(word)) = (*name, &*section) {
            // A single word names a discipline with its defaults; an edit inside it first writes its table out.
            *section = Value::Table(queue::child::Child::table(word).unwrap_or_default());
        }
        table = match section {
            Value::Table(inner) => inner,
            other => {
                return Err(Problem::new(whole, &*other, "is a value, not a section", "shorten the path"))
            }
        };
    }
    let changes = table.iter().any(|(key, old)| key == last && *old != value);
    if changes {
        drop_unknown(table, last, &value);
    }
    *slot(table, last, Value::Bool(false)) = value;
    Ok(())
}

/// The value under a key, put there if it is missing.
fn slot<'a>(table: &'a mut Table, key: &str, fresh: Value) -> &'a mut Value {
    let at = table.iter().position(|(name, _)| name == key).unwrap_or_else(|| {
        table.push((key.to_string(), fresh));
        table.len() - 1
    });
    &mut table[at].1
}

fn known_name(given: &Table, open: &str, name: &str) -> Result<(), Problem> {
    let names: Vec<&str> = match find(given, open) {
        Some(Value::Table(inner)) => inner.iter().map(|(key, _)| key.as_str()).collect(),
        _ => Vec::new(),
    };
    if names.contains(&name) {
        return Ok(());
    }
    let what = if open == "flows" { "group" } else { "link" };
    let remedy = match nearest(name, &names) {
        Some(hint) => format!("did you mean '{hint}'?"),
        None => format!("there are {}", names.join(", ")),
    };
    Err(Problem::new(dotted(open, name), "", format!("no such {what}"), remedy))
}

/// The table to start from where an edit reaches into a queue that is not written.
fn inherited_queue(given: &Table, parents: &[&str], last: &str) -> Table {
    let written = |key: &str| match find(given, key) {
        Some(Value::Table(table)) => table.clone(),
        _ => usual_queue(),
    };
    if last == "kind" {
        return Table::new();
    }
    match parents {
        ["back_queue"] | ["links", _, "queue"] | ["links", _, "back", "queue"] => usual_queue(),
        ["chain", _, "queue"] => written("queue"),
        ["chain", _, "back", "queue"] => written("back_queue"),
        _ => Table::new(),
    }
}

/// After a change of `key` in a table: removes the keys that the new choice does not have.
fn drop_unknown(table: &mut Table, key: &str, value: &Value) {
    let Value::Text(choice) = value else { return };
    let known: Vec<&str> = match (key, choice.as_str()) {
        ("kind", kind) => match queue::catalogue().into_iter().find(|entry| entry.kind == kind) {
            Some(entry) => entry.fields.iter().map(|field| field.name).collect(),
            None => return,
        },
        ("transport", name) => match Transport::all().iter().find(|(_, other, _)| *other == name) {
            Some((transport, ..)) => {
                let usual = Group { transport: *transport, ..Group::default() }.source();
                [carried_by(*transport), usual.part().keys()].concat()
            }
            None => return,
        },
        ("source", _) => match SourceName::read(value) {
            Ok(source) => {
                let carriers = source.transports().iter().flat_map(|transport| carried_by(*transport));
                carriers.chain(source.part().keys()).collect()
            }
            Err(_) => return,
        },
        _ => return,
    };
    let mut common = vec![key];
    if key != "kind" {
        common.extend([keys::<Group>(), keys::<ChainPath>(), keys::<GraphPath>(), keys::<Access>()].concat());
    }
    // A source goes with its transport.
    let stale = |name: &str| key == "transport" && name == "source";
    table.retain(|(name, _)| {
        !stale(name) && (common.contains(&name.as_str()) || known.contains(&name.as_str()))
    });
}

/// The keys of a transport.
fn carried_by(transport: Transport) -> Vec<&'static str> {
    transport.part().keys()
}

/// The value at `path` of a resolved scenario; a value that a part inherits is looked up where it is inherited from.
pub fn look_up(resolved: &Table, path: &str) -> Result<Value, Problem> {
    let names: Vec<&str> = path.split('.').collect();
    let mut failure = match descend(resolved, &names) {
        Ok(value) => return Ok(value),
        Err(problem) => problem,
    };
    let elsewhere = match names[..] {
        ["flows", name, key]
            if known_name(resolved, "flows", name).is_ok() && keys::<Access>().contains(&key) =>
        {
            let form = if find(resolved, "chain").is_some() { "chain" } else { "dumbbell" };
            Some(vec![form, key])
        }
        ["chain", _, "queue", ref rest @ ..] => Some([&["queue"], rest].concat()),
        ["chain", _, "back", "queue", ref rest @ ..] => Some([&["back_queue"], rest].concat()),
        ["chain", hop, ref rest @ ..] if hop.starts_with("hop") => Some([&["chain"], rest].concat()),
        _ => None,
    };
    if let Some(value) = elsewhere.and_then(|place| descend(resolved, &place).ok()) {
        return Ok(value);
    }
    failure.value.clear();
    Err(failure)
}

fn descend(table: &Table, names: &[&str]) -> Result<Value, Problem> {
    let mut here = table;
    for (depth, name) in names.iter().enumerate() {
        let path = names[..=depth].join(".");
        let Some(value) = find(here, name) else {
            let known: Vec<&str> = here.iter().map(|(key, _)| key.as_str()).collect();
            let remedy = match nearest(name, &known) {
                Some(hint) => format!("did you mean '{hint}'?"),
                None => format!("known here: {}", known.join(", ")),
            };
            return Err(Problem::new(path, "", "no such key here", remedy));
        };
        match value {
            _ if depth + 1 == names.len() => return Ok(value.clone()),
            Value::Table(inner) => here = inner,
            other => return Err(Problem::new(path, other, "is a value, not a section", "shorten the path")),
        }
    }
    Ok(Value::Table(table.clone()))
}

fn find<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    table.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// Parses a value from the command line: a boolean, a number, a list, or text.
pub fn typed(text: &str) -> Value {
    let trimmed = text.trim();
    let listed = || {
        let table = super::text::read(&format!("value = {trimmed}")).ok()?;
        table.into_iter().next().map(|(_, value)| value)
    };
    match trimmed {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ if trimmed.starts_with(['[', '"']) => listed().unwrap_or_else(|| Value::Text(text.into())),
        _ => match (trimmed.parse::<i64>(), trimmed.parse::<f64>()) {
            (Ok(n), _) => Value::Int(n),
            (_, Ok(x)) if x.is_finite() => Value::Float(x),
            _ => Value::Text(trimmed.into()),
        },
    }
}
