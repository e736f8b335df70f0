//! Shared parts of this crate's tests: a packet, random numbers that replay, and a line to drive a queue.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use queue::disc::{Acknowledgement, Packet};
use queue::{Setting, Spec};
use units::param::{Problem, Table, Value};
use units::{Bytes, Ecn, Rate, Rng, Span, Time};

/// A packet of a few words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pkt {
    pub id: u64,
    pub flow: u64,
    pub size: u64,
    pub ecn: Ecn,
    /// Its class; none: its flow is its class.
    pub class: Option<u8>,
    pub hosts: [u64; 2],
    pub ack: Option<Acknowledgement>,
    pub enqueued: Time,
}

impl Pkt {
    pub fn new(id: u64, size: u64) -> Pkt {
        Pkt {
            id,
            flow: 0,
            size,
            ecn: Ecn::NotEct,
            class: None,
            hosts: [0; 2],
            ack: None,
            enqueued: Time::ZERO,
        }
    }
}

impl Packet for Pkt {
    fn size(&self) -> Bytes {
        Bytes(self.size)
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn hosts(&self) -> [u64; 2] {
        self.hosts
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn class(&self) -> u8 {
        self.class.unwrap_or(self.flow as u8)
    }
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        self.ack
    }
    fn enqueued(&self) -> Time {
        self.enqueued
    }
    fn set_enqueued(&mut self, now: Time) {
        self.enqueued = now;
    }
}

/// Rng that give the numbers noted, in order, and nothing beyond.
pub struct Tape(pub std::collections::VecDeque<f64>);

impl Rng for Tape {
    fn uniform(&mut self) -> f64 {
        self.0.pop_front().expect("a draw the record does not have")
    }
}

/// The link behind the queue: 10 Mbit/s, 20 ms, packets of 1000 bytes.
pub const SETTING: Setting =
    Setting { rate: Rate(10_000_000), delay: Span::from_millis(20), packet: Bytes(1000) };

/// A table of a scenario from keys and the text a user would write; a list is in square brackets, and a table in it
/// in braces, with a semicolon between its rows.
pub fn table(rows: &[(&str, &str)]) -> Table {
    let row = |row: &str| {
        let (key, value) = row.split_once('=').unwrap();
        (key.trim().to_string(), Value::Text(value.trim().to_string()))
    };
    let text = |text: &str| match text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(inner) => Value::Table(inner.split(';').map(row).collect()),
        None => Value::Text(text.trim().to_string()),
    };
    let value = |written: &str| match written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(items) => Value::List(items.split(',').map(text).collect()),
        None => text(written),
    };
    rows.iter().map(|(key, written)| (key.to_string(), value(written))).collect()
}

/// A discipline from keys and text; panics with the problems if there are any.
pub fn spec(rows: &[(&str, &str)]) -> Spec {
    let mut problems: Vec<Problem> = Vec::new();
    let spec = Spec::read("queue", &table(rows), &mut problems);
    spec.unwrap_or_else(|| panic!("{problems:?}"))
}

/// A text file of `tests/traces`, split into the `# key = value` lines of its head and its rows.
pub fn read_trace(path: &std::path::Path) -> (Vec<(String, String)>, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let (head, rows): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let keys = head.iter().filter_map(|line| line[1..].split_once(" = "));
    let keys = keys.map(|(key, value)| (key.trim().to_string(), value.trim().to_string())).collect();
    (keys, rows.into_iter().map(String::from).collect())
}

/// Every trace of a folder whose name starts with `prefix`, in order of name.
pub fn traces(folder: &str, prefix: &str) -> Vec<std::path::PathBuf> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let starts = |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(prefix);
    let mut files: Vec<_> = files.filter(starts).collect();
    files.sort();
    assert!(!files.is_empty(), "no trace {prefix}* to replay");
    files
}
