//! Table to [`Model`]: every section, every problem.

use super::links::{self, limit_of, Queues};
use super::marking::Marking;
use super::model::{FlowGroup, Form, GroupPath, Model, RatedSends, Sends, Tcp};
use super::sections::{Access, Head};
use super::traffic::{DumbbellPath, GraphPath, Group, Source, SourceName};
use crate::keys::former::with_present_names;
use crate::keys::part::dotted;
use crate::keys::reader::{named_table, TableReader};
use crate::keys::Transport;
use crate::source::packets::Udp;
use crate::source::rated::Rated;
use transport::tcp;
use units::param::{Check, Choice, Param, Problem, Table, Valid, Value};
use units::Bytes;

/// Parses a whole scenario. `None` only if there are problems.
pub fn model(given: &Table, problems: &mut Vec<Problem>) -> Option<Model> {
    let mut own = Vec::new();
    let mut missing = Vec::new();
    let mut reader = TableReader::new("", given.clone(), &mut own);
    let head: Head = reader.part();
    let mut run_reader = reader.nested("run");
    let run = run_reader.part();
    run_reader.finish();
    let mut topologies = Vec::new();
    for form in [Form::Dumbbell, Form::Chain, Form::Graph] {
        topologies.extend(reader.child(form.section()).map(|table| (form, table)));
    }
    let queues = Queues { forward: reader.child("queue"), back: reader.child("back_queue") };
    let flows = reader.child("flows");
    let mut reported = reader.finish();

    let form = one_form(&topologies, &mut missing);
    let topology = match topologies.into_iter().next() {
        Some((Form::Graph, table)) => links::graph(table, &queues, &mut own),
        Some((hops, table)) => links::hops(hops, table, queues, &mut own, &mut missing),
        None => {
            links::queues(&queues, &mut own);
            None
        }
    };
    let access =
        topology.as_ref().and_then(|topology| topology.base.as_ref()).map(|base| base.access.clone());
    let flows = groups(form, flows, &access.unwrap_or_default(), &mut own, &mut missing);

    // A section that was misspelt, or is no section, is not reported as missing, too.
    reported.extend(own.iter().map(|problem| problem.path.clone()));
    own.extend(missing.into_iter().filter(|problem| !reported.contains(&problem.path)));
    let ok = own.is_empty();
    problems.extend(own);
    ok.then_some(Model { head, run, topology: topology?, flows: flows? })
}

fn one_form(given: &[(Form, Table)], missing: &mut Vec<Problem>) -> Option<Form> {
    if given.len() > 1 {
        let names: Vec<&str> = given.iter().map(|(form, _)| form.section()).collect();
        let rule = format!("is a second topology in addition to [{}]", names[0]);
        missing.push(Problem::new(names[1], "", rule, format!("keep one of {}", names.join(", "))));
    }
    if given.is_empty() {
        let remedy =
            "add [dumbbell] for one bottleneck, [chain] for several in a row, or [links.NAME] for any graph";
        missing.push(Problem::new("dumbbell", "", "no topology is given", remedy));
    }
    given.first().map(|(form, _)| *form)
}

fn groups(
    form: Option<Form>,
    table: Option<Table>,
    access: &Access,
    problems: &mut Vec<Problem>,
    missing: &mut Vec<Problem>,
) -> Option<Vec<FlowGroup>> {
    let table = table.unwrap_or_default();
    if table.is_empty() {
        let remedy = "add [flows.NAME], for example [flows.tcp] with count = 8";
        missing.push(Problem::new("flows", "", "there are no flows", remedy));
    }
    let mut flows = Vec::new();
    let mut whole = true;
    for (name, value) in table {
        let path = dotted("flows", &name);
        let flow = named_table(&path, &name, value, problems)
            .and_then(|own| group(form, &path, name, own, access, problems));
        whole &= flow.is_some();
        flows.extend(flow);
    }
    whole.then_some(flows)
}

fn group(
    form: Option<Form>,
    path: &str,
    name: String,
    own: Table,
    access: &Access,
    problems: &mut Vec<Problem>,
) -> Option<FlowGroup> {
    let mut reader = TableReader::new(path, with_present_names(own), problems);
    let group: Group = reader.part();
    let marking: Marking = reader.part();
    let through = group_path(form, &mut reader);
    let access = match form {
        Some(Form::Dumbbell | Form::Chain) => Some(reader.part_over(access)),
        Some(Form::Graph) => {
            let rule = "a graph has no private links";
            reader.refuse::<Access>(rule, "add a [links.NAME] for each host");
            None
        }
        None => {
            reader.ignore::<Access>();
            None
        }
    };
    let kind = carried(&group);
    let source_preset = reader.text(kind.part().presets.0);
    let source = kind.read_keys(&mut reader);
    let written_mss = reader.text("mss");
    let mut sends = sends(&group, &kind, &mut reader);
    if let (Some(Sends::Tcp(tcp)), Some(segment)) = (&mut sends, source.segment()) {
        set_segment(tcp, segment, written_mss, &mut reader);
    }
    refuse_others(&group, &kind, &mut reader);
    reader.finish();
    if let Some(access) = &access {
        limit_of(path, access, problems)?;
    }
    Some(FlowGroup { name, group, marking, path: through, access, sends: sends?, source, source_preset })
}

/// Parses a group's path through the topology; a dumbbell's if no topology is known.
fn group_path(form: Option<Form>, reader: &mut TableReader<'_>) -> GroupPath {
    match form {
        Some(Form::Dumbbell) => {
            let way = reader.part();
            let remedy = "its flows run from left to right, or the other way with reverse = true";
            reader.refuse::<GraphPath>("a dumbbell has only two sides", remedy);
            GroupPath::Dumbbell(way)
        }
        Some(Form::Chain) => GroupPath::Chain(reader.part()),
        Some(Form::Graph) => {
            let way = reader.part();
            reader.refuse::<DumbbellPath>("a graph names its directions", "swap from and to");
            GroupPath::Graph(way)
        }
        None => {
            reader.ignore::<GraphPath>();
            reader.ignore::<DumbbellPath>();
            GroupPath::Dumbbell(DumbbellPath::default())
        }
    }
}

/// A source that sets the segment size of its connection.
fn set_segment(tcp: &mut Tcp, segment: Bytes, written: Option<String>, reader: &mut TableReader<'_>) {
    let params = tcp::Params { mss: segment, ..(**tcp.params).clone() };
    if let Some(written) = written.filter(|_| params != **tcp.params) {
        let rule = format!("the source makes segments of {}", units::quantity::show_bytes(segment));
        reader.complain("mss", Value::Text(written), rule, "remove it");
    }
    if let Ok(valid) = Valid::new(params) {
        *tcp.params = valid;
    }
}

/// The source of a group, or the default one if it names one that its transport cannot carry, which is reported
/// elsewhere.
fn carried(group: &Group) -> SourceName {
    let named = group.source();
    if named.transports().contains(&group.transport) {
        named
    } else {
        Group { source: None, ..group.clone() }.source()
    }
}

fn sends(group: &Group, kind: &SourceName, reader: &mut TableReader<'_>) -> Option<Sends> {
    match group.transport {
        Transport::Tcp => {
            let profile = reader.text(tcp::Params::PRESET_KEY);
            let params: tcp::Params = reader.part();
            let params = Box::new(Valid::new(params).ok()?);
            Some(Sends::Tcp(Tcp { profile, params }))
        }
        Transport::Udp if kind.packets() => Some(Sends::Udp(reader.part())),
        Transport::Udp => Some(Sends::Udp(Udp::default())),
        rate_based => {
            let profile = reader.text(rate_based.part().presets.0);
            Some(Sends::Rated(RatedSends { profile, rated: Rated::read(rate_based, reader)? }))
        }
    }
}

/// Keys that belong to another transport or another source.
fn refuse_others(group: &Group, kind: &SourceName, reader: &mut TableReader<'_>) {
    let foreign = |transport: Transport| {
        let name = transport.name().to_uppercase();
        let rule = format!("is a key of {name}, and this group's transport is {}", group.transport.show());
        (rule, format!("remove it, or write transport = {}", transport.show()))
    };
    for (transport, ..) in Transport::all() {
        let (rule, remedy) = foreign(*transport);
        match transport {
            Transport::Udp if group.transport == Transport::Udp && !kind.packets() => {
                let alone = format!("is not a key of source {}", kind.show());
                reader.refuse::<Udp>(&alone, "remove it: the source sets its packets by itself");
            }
            _ => reader.refuse_keys(transport.part().keys(), &rule, &remedy),
        }
    }
    for (other, name, _) in Source::all().iter().filter(|(other, ..)| kind != other) {
        let (rule, remedy) = match other.transports().iter().find(|over| **over != group.transport) {
            Some(over) if !other.transports().contains(&group.transport) => foreign(*over),
            _ => {
                let rule = format!("is a key of another source than {}", kind.show());
                (rule, format!("remove it, or write source = \"{name}\""))
            }
        };
        reader.refuse_keys(other.part().keys(), &rule, &remedy);
    }
}
