//! The declaration of the summary's keys equals the keys of real runs, and Python's types equal the declaration.
//! With `DROPCURVE_BLESS=1` the test writes Python's types from the declaration instead.

use serde_json::Value;
use sim::outcome::keys::{KeyTable, Presence, SummaryKey, ValueKind, TABLES};
use sim::scenario::Scenario;
use sim::{run, Options};
use std::collections::BTreeSet;
use std::path::Path;

/// Every transport and every source that leaves keys of its own behind.
const FLOWS: &str = r#"
    title = "every kind of flow"
    [run]
    duration = "30 s"
    warmup = "1 s"
    [dumbbell]
    rate = "8 Mbit/s"
    delay = "10 ms"
    [queue]
    kind = "red"
    limit = "60 pkts"
    [flows.tcp]
    count = 2
    [flows.file]
    bytes = "20 kB"
    [flows.voice]
    transport = "udp"
    source = "cbr"
    rate = "100 kbit/s"
    [flows.tfrc]
    transport = "tfrc"
    [flows.quic]
    transport = "quic"
    [flows.rap]
    transport = "rap"
    [flows.tear]
    transport = "tear"
    [flows.lda]
    transport = "lda"
    [flows.scream]
    transport = "scream"
    [flows.gcc]
    transport = "gcc"
    [flows.camera]
    transport = "tfrc"
    source = "shaped"
    [flows.web]
    source = "http"
    [flows.pages]
    source = "http"
    model = "browser"
    arrival = "2 s"
    [flows.film]
    source = "video"
"#;

fn summary(text: &str) -> Value {
    let scenario = Scenario::parse(text).unwrap_or_else(|problems| panic!("{problems:?}"));
    let plan = scenario.plan();
    run(&plan, 1, &Options::default()).summary(&plan, "0123456789abcdef")
}

fn named(name: &str) -> &'static KeyTable {
    TABLES.iter().find(|table| table.name == name).unwrap_or_else(|| panic!("{name} is not declared"))
}

/// The outcome of a comparison: the keys that had a value, and the faults.
#[derive(Default)]
struct Found {
    seen: BTreeSet<(&'static str, String)>,
    faults: BTreeSet<String>,
}

impl Found {
    /// Compares a table with its declaration.
    fn table(&mut self, value: &Value, table: &'static KeyTable, path: &str) {
        let Value::Object(map) = value else {
            self.faults.insert(format!("{path} is not a table"));
            return;
        };
        for key in table.keys {
            let always = matches!(key.presence, Presence::Always | Presence::Gap);
            if always && !map.contains_key(key.name) {
                self.faults.insert(format!("{path}.{} is missing", key.name));
            }
        }
        for (name, entry) in map {
            let path = format!("{path}.{name}");
            let Some(key) = table.keys.iter().find(|key| key.name == name) else {
                self.faults.insert(format!("{path} is not declared"));
                continue;
            };
            if entry.is_null() {
                if !matches!(key.presence, Presence::Gap | Presence::SomeGap) {
                    self.faults.insert(format!("{path} is null"));
                }
                continue;
            }
            self.seen.insert((table.name, name.clone()));
            self.value(entry, key.kind, &path);
        }
    }

    fn value(&mut self, value: &Value, kind: ValueKind, path: &str) {
        let all = |right: fn(&Value) -> bool| value.as_array().is_some_and(|list| list.iter().all(right));
        let right = match kind {
            ValueKind::Whole => value.is_u64(),
            ValueKind::Real => value.is_f64(),
            ValueKind::Text => value.is_string(),
            ValueKind::Wholes => all(Value::is_u64),
            ValueKind::Reals => all(Value::is_f64),
            ValueKind::Table(name) => return self.table(value, named(name), path),
            ValueKind::List(name) => {
                value.as_array().into_iter().flatten().for_each(|one| self.table(one, named(name), path));
                value.is_array()
            }
            ValueKind::Named(name) => {
                value.as_object().into_iter().for_each(|map| {
                    map.values().for_each(|one| self.table(one, named(name), path));
                });
                value.is_object()
            }
        };
        if !right {
            self.faults.insert(format!("{path} = {value} is not {kind:?}"));
        }
    }
}

fn compared(text: &str) -> Found {
    let mut comparison = Found::default();
    comparison.table(&summary(text), &TABLES[0], "summary");
    comparison
}

#[test]
fn every_key_of_a_summary_is_declared_and_every_declared_key_is_seen() {
    let mut comparison = compared(FLOWS);
    for table in TABLES.iter().filter(|table| table.name != "DerivedSummary") {
        for key in table.keys.iter().filter(|key| key.name != "derived") {
            if !comparison.seen.contains(&(table.name, key.name.to_string())) {
                comparison.faults.insert(format!("{}.{} has no value", table.name, key.name));
            }
        }
    }
    assert!(comparison.faults.is_empty(), "{:#?}", comparison.faults);
}

#[test]
fn a_run_that_hardly_counts_has_the_same_keys() {
    let comparison = compared(&FLOWS.replace("warmup = \"1 s\"", "warmup = \"29.999 s\""));
    assert!(comparison.faults.is_empty(), "{:#?}", comparison.faults);
}

#[test]
fn the_types_of_python_are_those_declared() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/dropcurve/metrics/summary.py");
    let text = python();
    if std::env::var_os("DROPCURVE_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let hint = "run DROPCURVE_BLESS=1 cargo test -p dropcurve-sim --test summary_keys";
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == text, "{}: is out of date: {hint}", path.display());
}

fn python() -> String {
    let mut text = String::from(
        "\"\"\"Types of a run's summary. Generated from `crates/sim/src/outcome/keys.rs`: do not edit.\n\n\
         `DROPCURVE_BLESS=1 cargo test -p dropcurve-sim --test summary_keys` writes it.\n\"\"\"\n\n\
         from __future__ import annotations\n\nfrom collections.abc import Sequence\nfrom typing import NotRequired, TypedDict\n",
    );
    for table in TABLES {
        // A key that is a word of Python's own comes from a base that is written in another way.
        let (words, keys): (Vec<&SummaryKey>, Vec<&SummaryKey>) =
            table.keys.iter().partition(|key| key.name == "class");
        let base = match words[..] {
            [] => "TypedDict".to_string(),
            _ => format!("_{}", table.name),
        };
        for key in words {
            let (name, kind) = (key.name, annotation(*key));
            text += &format!(
                "\n\n#: {}\n{base} = TypedDict(\"{base}\", {{\"{name}\": {kind}}})\n",
                sentence(key.doc)
            );
        }
        text += &format!("\n\nclass {}({base}):\n    \"\"\"{}\"\"\"\n\n", table.name, table.doc);
        for key in keys {
            text += &format!("    #: {}\n    {}: {}\n", sentence(key.doc), key.name, annotation(*key));
        }
    }
    text
}

/// The words with a capital and a full stop.
fn sentence(words: &str) -> String {
    let (first, rest) = words.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}

fn annotation(key: SummaryKey) -> String {
    let kind = match key.kind {
        ValueKind::Whole => "int".to_string(),
        ValueKind::Real => "float".to_string(),
        ValueKind::Text => "str".to_string(),
        ValueKind::Wholes => "list[int]".to_string(),
        ValueKind::Reals => "list[float]".to_string(),
        ValueKind::Table(name) => name.to_string(),
        ValueKind::List(name) => format!("Sequence[{name}]"),
        ValueKind::Named(name) => format!("dict[str, {name}]"),
    };
    match key.presence {
        Presence::Always => kind,
        Presence::Gap => format!("{kind} | None"),
        Presence::Some => format!("NotRequired[{kind}]"),
        Presence::SomeGap => format!("NotRequired[{kind} | None]"),
    }
}
