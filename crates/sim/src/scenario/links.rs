//! Parses the three forms of a topology.

use super::model::{Base, Both, Direction, Form, Topology, Trunk};
use super::sections::{Access, Chain, Ends, Wire};
use crate::keys::part::dotted;
use crate::keys::reader::{named_table, TableReader};
use queue::Spec;
use units::param::{Param, Problem, Table, Value};
use units::Rate;

/// The queues of a scenario that belong to its bottlenecks.
pub struct Queues {
    /// `[queue]`
    pub forward: Option<Table>,
    /// `[back_queue]`
    pub back: Option<Table>,
}

/// A table for tail drop with this limit.
pub fn tail_drop(limit: Value) -> Table {
    vec![("kind".into(), Value::Text("droptail".into())), ("limit".into(), limit)]
}

/// The default discipline of directions that are not bottlenecks.
pub fn usual_queue() -> Table {
    tail_drop(Value::Text("1000 pkts".into()))
}

/// The queue of a private link; a problem is reported under `access_queue`.
pub fn limit_of(path: &str, access: &Access, problems: &mut Vec<Problem>) -> Option<Spec> {
    let mut below = Vec::new();
    let spec = Spec::read("", &tail_drop(access.access_queue.show()), &mut below);
    let here = dotted(path, "access_queue");
    problems.extend(below.into_iter().map(|problem| Problem { path: here.clone(), ..problem }));
    spec
}

/// Parses the queues of a scenario without a topology, for their problems alone.
pub fn queues(queues: &Queues, problems: &mut Vec<Problem>) {
    for (path, table) in [("queue", &queues.forward), ("back_queue", &queues.back)] {
        if let Some(table) = table {
            Spec::read(path, table, problems);
        }
    }
}

/// Parses a dumbbell or a chain; the hops of a chain are equal unless they differ explicitly.
pub fn hops(
    form: Form,
    table: Table,
    queues: Queues,
    problems: &mut Vec<Problem>,
    missing: &mut Vec<Problem>,
) -> Option<Topology> {
    let path = form.section();
    let queue = match queues.forward {
        Some(own) => Spec::read("queue", &own, problems),
        None => {
            let remedy = "add [queue] with kind = \"droptail\", \"red\" or another discipline";
            missing.push(Problem::new("queue", "", "the bottleneck has no queue discipline", remedy));
            None
        }
    };
    let back_queue = Spec::read("back_queue", &queues.back.unwrap_or_else(usual_queue), problems);
    let mut reader = TableReader::new(path, table, problems);
    let chain: Chain = if form == Form::Chain { reader.part() } else { Chain { hops: 1 } };
    let wire: Wire = reader.part();
    let mut access: Access = reader.part();
    fill_rates(&mut access, wire.rate);
    let mut back = reader.nested("back");
    let back_wire = back.part_over(&followed(&Wire::default(), &Wire::default(), &wire));
    back.finish();
    // A number out of range was refused above; do not look for a million hops because of it.
    let count = chain.hops.clamp(1, Chain::MOST_HOPS);
    let own: Vec<Option<Table>> = match form {
        Form::Chain => (1..=count).map(|k| reader.child(&format!("hop{k}"))).collect(),
        _ => vec![None],
    };
    hops_too_many(&mut reader, count);
    reader.finish();
    limit_of(path, &access, problems);
    let both = Both {
        forward: Direction { wire, queue: queue? },
        back: Some(Direction { wire: back_wire, queue: back_queue? }),
    };
    let trunks: Vec<Option<Trunk>> =
        own.into_iter().enumerate().map(|(k, own)| hop(form, k, own, &both, problems)).collect();
    let trunks = trunks.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Topology { form, base: Some(Base { both, access }), trunks })
}

/// Automatic rates of private links: ten times the bottleneck's, equal on both sides.
fn fill_rates(access: &mut Access, rate: Rate) {
    let usual = *access.access_rate.get_or_insert(Rate(rate.0.saturating_mul(10)));
    access.exit_rate.get_or_insert(usual);
}

fn hops_too_many(reader: &mut TableReader<'_>, count: u64) {
    for key in reader.rest() {
        let number = key.strip_prefix("hop").and_then(|digits| digits.parse::<u64>().ok());
        if let Some(number) = number.filter(|_| reader.take_section(&key)) {
            let remedy = format!("hops are hop1 to hop{count}; raise hops if there should be more");
            reader.complain(&key, "", format!("there is no hop {number}"), remedy);
        }
    }
}

fn hop(form: Form, k: usize, own: Option<Table>, base: &Both, problems: &mut Vec<Problem>) -> Option<Trunk> {
    if form != Form::Chain {
        let (from, to) = ("left".into(), "right".into());
        return Some(Trunk { name: "bottleneck".into(), from, to, both: base.clone() });
    }
    let name = format!("hop{}", k + 1);
    let mut reader = TableReader::new(&dotted("chain", &name), own.unwrap_or_default(), problems);
    let both = both_over(&mut reader, base);
    reader.finish();
    Some(Trunk { name, from: format!("r{}", k + 1), to: format!("r{}", k + 2), both: both? })
}

/// Parses both directions of a link; keys that are absent are inherited.
fn both_over(reader: &mut TableReader<'_>, base: &Both) -> Option<Both> {
    let wire = reader.part_over(&base.forward.wire);
    let queue = reader.queue(&base.forward.queue);
    let back = base.back.as_ref().map(|inherited| {
        let over = followed(&inherited.wire, &base.forward.wire, &wire);
        let mut back_reader = reader.nested("back");
        let back_wire = back_reader.part_over(&over);
        let back_queue = back_reader.queue(&inherited.queue);
        back_reader.finish();
        Some(Direction { wire: back_wire, queue: back_queue? })
    });
    let back = match back {
        Some(direction) => Some(direction?),
        None => None,
    };
    Some(Both { forward: Direction { wire, queue: queue? }, back })
}

/// The reverse wire of a link: a value that the inherited reverse wire shares with the inherited forward wire follows
/// the link's own forward wire. Losses are not inherited.
fn followed(back: &Wire, forward: &Wire, own: &Wire) -> Wire {
    let mut wire = back.clone();
    if back.rate == forward.rate {
        wire.rate = own.rate;
    }
    if back.delay == forward.delay {
        wire.delay = own.delay;
    }
    if back.counts_wire == forward.counts_wire {
        wire.counts_wire = own.counts_wire;
    }
    if back.ring == forward.ring {
        wire.ring = own.ring;
    }
    if (back.overhead, back.mpu, back.framing) == (forward.overhead, forward.mpu, forward.framing) {
        (wire.overhead, wire.mpu, wire.framing) = (own.overhead, own.mpu, own.framing);
    }
    wire
}

/// A free graph.
pub fn graph(table: Table, queues: &Queues, problems: &mut Vec<Problem>) -> Option<Topology> {
    let misplaced = [
        ("queue", &queues.forward, "[links.NAME.queue]"),
        ("back_queue", &queues.back, "[links.NAME.back.queue]"),
    ];
    for (name, _, place) in misplaced.into_iter().filter(|(_, given, _)| given.is_some()) {
        let rule = "belongs to [dumbbell] or [chain]; a link of a graph has its own";
        problems.push(Problem::new(name, "", rule, format!("move it to {place}")));
    }
    if table.is_empty() {
        let remedy = "add [links.NAME] with from, to, rate and delay";
        problems.push(Problem::new("links", "", "there are no links", remedy));
    }
    let read = |(name, value): (String, Value)| {
        let path = dotted("links", &name);
        let own = named_table(&path, &name, value, problems)?;
        link(&path, name, own, problems)
    };
    let trunks: Vec<Option<Trunk>> = table.into_iter().map(read).collect();
    let trunks = trunks.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Topology { form: Form::Graph, base: None, trunks })
}

fn link(path: &str, name: String, own: Table, problems: &mut Vec<Problem>) -> Option<Trunk> {
    let usual = Direction { wire: Wire::default(), queue: Spec::read("", &usual_queue(), &mut Vec::new())? };
    let mut reader = TableReader::new(path, own, problems);
    let ends: Ends = reader.part();
    let back = if ends.one_way { None } else { Some(usual.clone()) };
    if ends.one_way && reader.take_section("back") {
        reader.complain(
            "back",
            "",
            "a link with one_way = true has no direction back",
            "remove one of the two",
        );
    }
    let both = both_over(&mut reader, &Both { forward: usual, back });
    reader.finish();
    Some(Trunk { name, from: ends.from.0, to: ends.to.0, both: both? })
}
