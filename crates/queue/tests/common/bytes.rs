//! Any bytes as a discipline and a list of its inputs: for the fuzz target, and for the test that needs no fuzzer.
//!
//! The first bytes choose a kind, a dialect and values for its parameters; the rest are arrivals, departures and waits.
//! Inputs whose parameters are invalid together are skipped. All others must pass the conformance kit of
//! [`queue::conformance`], whose rules hold for every discipline: nothing is lost, lengths are true, limits hold, only
//! capable packets are marked.

use queue::conformance::{drive, KitStep, Rules};
use queue::{catalogue, CatalogueEntry, Setting, Spec, KINDS};
use units::param::{Field, Table, Value};
use units::quantity::Amount;
use units::{Bytes, Ecn, Rate, Span};

const SETTING: Setting =
    Setting { rate: Rate(10_000_000), delay: Span::from_millis(20), packet: Bytes(1000) };
/// Longer lists only repeat themselves, and a fuzzer would grow them.
const MOST_STEPS: usize = 600;

/// Reads bytes one by one; beyond the end there are zeros.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> usize {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                usize::from(*first)
            }
            None => 0,
        }
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.byte() % list.len()]
    }
}

/// The discipline that the bytes name, if its parameters fit, and the table they made.
fn discipline(bytes: &mut Reader<'_>) -> Option<(Spec, Table)> {
    let entries = catalogue();
    let entry = &entries[bytes.byte() % entries.len()];
    let mut table = vec![("kind".to_string(), Value::Text(entry.kind.to_string()))];
    if !entry.presets.is_empty() && bytes.byte() % 2 == 1 {
        let name = entry.presets[bytes.byte() % entry.presets.len()].name;
        table.push((entry.preset_key.to_string(), Value::Text(name.to_string())));
    }
    // Which parameters get a value of their own: a bit for each.
    let own: Vec<usize> = (0..entry.fields.len().div_ceil(8)).map(|_| bytes.byte()).collect();
    for (i, field) in entry.fields.iter().enumerate() {
        let chosen = own[i / 8] >> (i % 8) & 1 == 1;
        if field.name == "limit" || chosen {
            if let Some(value) = value(entry, field, bytes) {
                table.push((field.name.to_string(), value));
            }
        }
    }
    let mut problems = Vec::new();
    let spec = Spec::read("queue", &table, &mut problems)?;
    spec.fits(&SETTING, "queue", &mut problems);
    problems.is_empty().then_some((spec, table))
}

/// A value for a parameter; sizes and times are small enough that something happens in a few hundred steps.
fn value(entry: &CatalogueEntry, field: &Field, bytes: &mut Reader<'_>) -> Option<Value> {
    if !field.kind.list {
        return one(entry, field, bytes);
    }
    let n = 1 + bytes.byte() % 4;
    (0..n).map(|_| one(entry, field, bytes)).collect::<Option<Vec<Value>>>().map(Value::List)
}

fn one(entry: &CatalogueEntry, field: &Field, bytes: &mut Reader<'_>) -> Option<Value> {
    let text = |text: &str| Some(Value::Text(text.to_string()));
    if field.kind.auto && bytes.byte() % 4 == 0 {
        return text("auto");
    }
    let choices: Vec<&str> = field.kind.choices.iter().map(|(name, _)| *name).collect();
    match field.kind.name {
        "switch" => Some(Value::Bool(bytes.byte() % 2 == 1)),
        "choice" => text(bytes.pick(&choices)),
        "number" => {
            Some(Value::Float(bytes.pick(&[0.0, 1e-6, 0.002, 0.1, 0.25, 0.5, 0.9, 1.0, 1.5, 3.0, 20.0])))
        }
        "count" => Some(Value::Int(bytes.pick(&[0, 1, 2, 3, 4, 7, 8, 9, 16, 31, 64, 255]))),
        "bytes" => text(bytes.pick(&["1 B", "64 B", "256 B", "1000 B", "1500 B", "3000 B", "20000 B"])),
        "span" => text(bytes.pick(&["0 s", "100 us", "1 ms", "5 ms", "15 ms", "100 ms", "1 s", "600 s"])),
        "rate" => text(bytes.pick(&["8 kbit/s", "1 Mbit/s", "10 Mbit/s", "1 Gbit/s"])),
        "amount" if bytes.byte() % 3 == 0 => {
            text(bytes.pick(&["1 B", "1500 B", "4000 B", "9999 B", "30000 B"]))
        }
        "amount" => text(
            bytes.pick(&["1 pkts", "2 pkts", "3 pkts", "5 pkts", "8 pkts", "12 pkts", "20 pkts", "0.5 pkts"]),
        ),
        "queue" if bytes.byte() % 4 == 0 => text("plain"),
        "queue" => text(bytes.pick(KINDS)),
        "text" if entry.kind == "curve" => {
            text(bytes.pick(&["points 2 0, 5 0.3, 9 1", "x^2", "until 4: 0; 0.5", "x"]))
        }
        _ => None,
    }
}

fn steps(bytes: &mut Reader<'_>) -> Vec<KitStep> {
    let mut list = Vec::new();
    while !bytes.0.is_empty() && list.len() < MOST_STEPS {
        let byte = bytes.byte();
        list.push(match byte % 8 {
            0..=3 => {
                let size = [1, 40, 64, 576, 1000, 1499, 1500, 9000][byte / 32];
                let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][byte % 4];
                KitStep::Arrive { flow: (byte / 8 % 4) as u8, size, ecn }
            }
            4..=6 => KitStep::Depart,
            _ => KitStep::Wait(Span(
                [0, 1, 1_000, 100_000, 800_000, 5_000_000, 20_000_000, 1_000_000_000][byte / 32],
            )),
        });
    }
    list
}

/// The rules that hold for all parameters.
fn rules(spec: &Spec) -> Rules {
    let shown = spec.show();
    let says = |key: &str, text: &str| shown.contains(&(key.to_string(), Value::Text(text.to_string())));
    let limit = shown.iter().find(|(key, _)| key == "limit").and_then(|(_, value)| match value {
        Value::Text(text) => units::quantity::amount(text),
        _ => None,
    });
    // Linux's gred bounds its virtual queues, not the whole.
    let binds = !shown.contains(&("limit_binds".to_string(), Value::Bool(false)));
    let packets = match limit {
        Some(Amount::Packets(n)) if binds && !says("unit", "bytes") => Some(n.floor() as usize),
        _ => None,
    };
    Rules { packets, marks: true, reorders: true, ..Rules::default() }
}

/// Runs the conformance kit that the bytes describe; returns whether they describe one.
///
/// # Panics
/// The place where a rule is broken, with the parameters.
pub fn examine(data: &[u8]) -> bool {
    let mut bytes = Reader(data);
    let Some((spec, table)) = discipline(&mut bytes) else { return false };
    let list = steps(&mut bytes);
    let first = drive(spec.build(&SETTING), &list, 1, &rules(&spec));
    let first = first.unwrap_or_else(|rule| panic!("{rule}\n{table:?}"));
    assert_eq!(first.arrived, first.left + first.dropped + first.waiting, "{table:?}");
    true
}
