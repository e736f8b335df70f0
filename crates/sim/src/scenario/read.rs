//! Table to [`Model`]: every section, every problem.

use super::model::{Base, Both, Direction, Flow, Form, Model, Pattern, Sends, Tcp, Topology, Trunk};
use super::reader::Reader;
use super::sections::{
    Access, Cbr, Chain, ChainWay, DumbbellWay, Ends, Ftp, GraphWay, Group, Head, Onoff, Poisson, Source,
    Transport, Udp, Wire,
};
use super::text::dotted;
use queue::Spec;
use transport::tcp;
use units::param::{Check, Described, Param, Problem, Table, Valid, Value};

/// Reads a whole scenario. `None` only if there are problems.
pub fn model(table: &Table, problems: &mut Vec<Problem>) -> Option<Model> {
    let mut found = Vec::new();
    let mut missing = Vec::new();
    let mut reader = Reader::new("", table.clone(), &mut found);
    let head: Head = reader.part();
    let run = reader.child("run").unwrap_or_default();
    let sections =
        [Form::Dumbbell, Form::Chain, Form::Graph].map(|form| (form, reader.child(form.section())));
    let given: Vec<(Form, Table)> =
        sections.into_iter().filter_map(|(form, table)| Some((form, table?))).collect();
    let (queue, back_queue) = (reader.child("queue"), reader.child("back_queue"));
    let flows = reader.child("flows");
    let meant = reader.finish();

    let form = one_form(&given, &mut missing);
    let run = section("run", run, &mut found);
    let topology = given.into_iter().next().and_then(|(form, table)| match form {
        Form::Graph => {
            refuse_queues(&queue, &back_queue, &mut found);
            graph(table, &mut found)
        }
        _ => path_of_hops(form, table, queue, back_queue, &mut found, &mut missing),
    });
    let access =
        topology.as_ref().and_then(|topology| topology.base.as_ref()).map(|base| base.access.clone());
    let flows = groups(form, flows, &access.unwrap_or_default(), &mut found, &mut missing);

    // A section that was misspelt is not also missing.
    let is_news = |problem: &Problem| !meant.contains(&problem.path);
    found.extend(missing.into_iter().filter(is_news));
    let ok = found.is_empty();
    problems.extend(found);
    ok.then_some(Model { head, run, topology: topology?, flows: flows? })
}

fn one_form(given: &[(Form, Table)], missing: &mut Vec<Problem>) -> Option<Form> {
    if given.len() > 1 {
        let names: Vec<&str> = given.iter().map(|(form, _)| form.section()).collect();
        let rule = format!("is a second topology beside [{}]", names[0]);
        missing.push(Problem::new(names[1], "", rule, format!("keep one of {}", names.join(", "))));
    }
    if given.is_empty() {
        let remedy =
            "add [dumbbell] for one bottleneck, [chain] for several in a row, or [links.NAME] for any graph";
        missing.push(Problem::new("dumbbell", "", "no topology is given", remedy));
    }
    given.first().map(|(form, _)| *form)
}

fn section<T: Check>(path: &str, table: Table, problems: &mut Vec<Problem>) -> T {
    let mut reader = Reader::new(path, table, problems);
    let part = reader.part();
    reader.finish();
    part
}

fn refuse_queues(queue: &Option<Table>, back_queue: &Option<Table>, problems: &mut Vec<Problem>) {
    for (name, table, place) in
        [("queue", queue, "[links.NAME.queue]"), ("back_queue", back_queue, "[links.NAME.back.queue]")]
    {
        if table.is_some() {
            let rule = "belongs to [dumbbell] or [chain]; a link of a graph has its own";
            problems.push(Problem::new(name, "", rule, format!("move it to {place}")));
        }
    }
}

/// A dumbbell, or a chain: hops in a row, alike unless they say otherwise.
fn path_of_hops(
    form: Form,
    table: Table,
    queue: Option<Table>,
    back_queue: Option<Table>,
    problems: &mut Vec<Problem>,
    missing: &mut Vec<Problem>,
) -> Option<Topology> {
    let path = form.section();
    let queue = discipline("queue", queue, problems, missing);
    let back_queue = queue_or_usual("back_queue", back_queue, problems);
    let mut reader = Reader::new(path, table, problems);
    let chain: Chain = if form == Form::Chain { reader.part() } else { Chain { hops: 1 } };
    let wire: Wire = reader.part();
    let access: Access = reader.part();
    let back = reader.child("back");
    // Hops out of range were refused above; do not read a million sections for them.
    let hops = chain.hops.clamp(1, 250);
    let own: Vec<Option<Table>> = match form {
        Form::Chain => (1..=hops).map(|k| reader.child(&format!("hop{k}"))).collect(),
        _ => vec![None],
    };
    too_many_hops(&mut reader, hops);
    reader.finish();
    let back = back_wire(&dotted(path, "back"), &wire, back, problems);
    let access = with_access_rates(access, &wire);
    limit_of("", &access, problems);
    let both = Both {
        forward: Direction { wire, queue: queue? },
        back: Some(Direction { wire: back, queue: back_queue? }),
    };
    let node = |k: usize| match form {
        Form::Chain => format!("r{}", k + 1),
        _ => ["left", "right"][k].to_string(),
    };
    let trunks = own.into_iter().enumerate().map(|(k, own)| {
        let name = if form == Form::Chain { format!("hop{}", k + 1) } else { "bottleneck".into() };
        let both = own_both(&dotted(path, &name), &both, own.unwrap_or_default(), problems)?;
        Some(Trunk { name, from: node(k), to: node(k + 1), both })
    });
    let trunks = trunks.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>()?;
    Some(Topology { form, base: Some(Base { both, access }), trunks })
}

fn too_many_hops(reader: &mut Reader<'_>, hops: u64) {
    for key in reader.rest() {
        let number = key.strip_prefix("hop").and_then(|digits| digits.parse::<u64>().ok());
        if let Some(number) = number.filter(|number| *number != hops) {
            if reader.child(&key).is_some() {
                let remedy = format!("hops are hop1 to hop{hops}; raise hops if there should be more");
                reader.complain(&key, "", format!("there is no hop {number}"), remedy);
            }
        }
    }
}

/// What a hop or a link says of itself, over what it inherits.
fn own_both(path: &str, base: &Both, own: Table, problems: &mut Vec<Problem>) -> Option<Both> {
    if own.is_empty() {
        return Some(base.clone());
    }
    let mut reader = Reader::new(path, own, problems);
    let wire: Wire = reader.part_over(&base.forward.wire);
    let (queue, back) = (reader.child("queue"), reader.child("back"));
    reader.finish();
    let queue = match queue {
        Some(table) => Spec::read(&dotted(path, "queue"), &table, problems),
        None => Some(base.forward.queue.clone()),
    };
    let back = base.back.as_ref().map(|inherited| {
        let path = dotted(path, "back");
        let mut reader = Reader::new(&path, back.unwrap_or_default(), problems);
        let over = followed(&inherited.wire, &base.forward.wire, &wire);
        let wire = reader.part_over(&over);
        let queue = reader.child("queue");
        reader.finish();
        let queue = match queue {
            Some(table) => Spec::read(&dotted(&path, "queue"), &table, problems),
            None => Some(inherited.queue.clone()),
        };
        Some(Direction { wire, queue: queue? })
    });
    let back = match back {
        Some(direction) => Some(direction?),
        None => None,
    };
    Some(Both { forward: Direction { wire, queue: queue? }, back })
}

/// The wire back of a hop: where the chain's is like the chain's wire forward, it is like the hop's.
fn followed(back: &Wire, forward: &Wire, own: &Wire) -> Wire {
    let rate = if back.rate == forward.rate { own.rate } else { back.rate };
    let delay = if back.delay == forward.delay { own.delay } else { back.delay };
    Wire { rate, delay, ..back.clone() }
}

/// The other direction of a wire: same rate and delay, without its losses.
fn back_wire(path: &str, wire: &Wire, own: Option<Table>, problems: &mut Vec<Problem>) -> Wire {
    let base = Wire { rate: wire.rate, delay: wire.delay, counts_wire: wire.counts_wire, ..Wire::default() };
    let mut reader = Reader::new(path, own.unwrap_or_default(), problems);
    let back = reader.part_over(&base);
    reader.finish();
    back
}

fn with_access_rates(access: Access, wire: &Wire) -> Access {
    let rate = access.access_rate.unwrap_or(units::Rate(wire.rate.0.saturating_mul(10)));
    Access { access_rate: Some(rate), exit_rate: Some(access.exit_rate.unwrap_or(rate)), ..access }
}

fn discipline(
    path: &str,
    table: Option<Table>,
    problems: &mut Vec<Problem>,
    missing: &mut Vec<Problem>,
) -> Option<Spec> {
    let Some(table) = table else {
        let remedy = "add [queue] with kind = \"droptail\", \"red\" or another discipline";
        missing.push(Problem::new(path, "", "the bottleneck has no queue discipline", remedy));
        return None;
    };
    Spec::read(path, &table, problems)
}

/// The discipline of a direction nobody asks about: tail drop, 1000 packets.
pub fn queue_or_usual(path: &str, table: Option<Table>, problems: &mut Vec<Problem>) -> Option<Spec> {
    Spec::read(path, &table.unwrap_or_else(|| tail_drop(Value::Text("1000 pkts".into()))), problems)
}

fn tail_drop(limit: Value) -> Table {
    vec![("kind".into(), Value::Text("droptail".into())), ("limit".into(), limit)]
}

/// The queue of a private link; the problem is reported under `access_queue`.
pub fn limit_of(path: &str, access: &Access, problems: &mut Vec<Problem>) -> Option<Spec> {
    let mut found = Vec::new();
    let spec = Spec::read("", &tail_drop(access.access_queue.show()), &mut found);
    let here = dotted(path, "access_queue");
    problems.extend(found.into_iter().map(|problem| Problem { path: here.clone(), ..problem }));
    spec
}

fn graph(table: Table, problems: &mut Vec<Problem>) -> Option<Topology> {
    let mut trunks = Vec::new();
    let mut whole = true;
    for (name, value) in table {
        let path = dotted("links", &name);
        let Some(own) = named_table(&path, &name, value, problems) else {
            whole = false;
            continue;
        };
        match link(&path, name, own, problems) {
            Some(trunk) => trunks.push(trunk),
            None => whole = false,
        }
    }
    if trunks.is_empty() && whole {
        let remedy = "add [links.NAME] with from, to, rate and delay";
        problems.push(Problem::new("links", "", "there are no links", remedy));
    }
    whole.then_some(Topology { form: Form::Graph, base: None, trunks })
}

fn link(path: &str, name: String, own: Table, problems: &mut Vec<Problem>) -> Option<Trunk> {
    let mut reader = Reader::new(path, own, problems);
    let ends: Ends = reader.part();
    let wire: Wire = reader.part();
    let queue = reader.child("queue");
    let back = reader.child("back");
    if ends.one_way && back.is_some() {
        reader.complain(
            "back",
            "",
            "a link with one_way = true has no direction back",
            "remove one of the two",
        );
    }
    reader.finish();
    let queue = queue_or_usual(&dotted(path, "queue"), queue, problems);
    let back_path = dotted(path, "back");
    let mut back = back.unwrap_or_default();
    let at = back.iter().position(|(key, _)| key == "queue");
    let back_queue = at.map(|at| back.remove(at).1);
    let back_queue = match back_queue {
        Some(Value::Table(table)) => Some(table),
        Some(other) => {
            let path = dotted(&back_path, "queue");
            problems.push(Problem::new(
                path,
                other,
                "must be a section",
                "write it as a section with a kind",
            ));
            None
        }
        None => None,
    };
    let back_queue = queue_or_usual(&dotted(&back_path, "queue"), back_queue, problems);
    let back = back_wire(&back_path, &wire, Some(back), problems);
    let back = if ends.one_way { None } else { Some(Direction { wire: back, queue: back_queue? }) };
    let both = Both { forward: Direction { wire, queue: queue? }, back };
    Some(Trunk { name, from: ends.from.0, to: ends.to.0, both })
}

/// The keys of `[links.NAME]` or `[flows.NAME]`, with a name fit for a path.
fn named_table(path: &str, name: &str, value: Value, problems: &mut Vec<Problem>) -> Option<Table> {
    let fit = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(fit) {
        let rule = "a name is made of letters, digits, _ and -";
        problems.push(Problem::new(path, "", rule, "rename it"));
    }
    match value {
        Value::Table(table) => Some(table),
        other => {
            let remedy = format!("write a section [{path}] with keys below it");
            problems.push(Problem::new(path, other, "must be a section", remedy));
            None
        }
    }
}

fn groups(
    form: Option<Form>,
    table: Option<Table>,
    access: &Access,
    problems: &mut Vec<Problem>,
    missing: &mut Vec<Problem>,
) -> Option<Vec<Flow>> {
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
) -> Option<Flow> {
    let mut reader = Reader::new(path, own, problems);
    let group: Group = reader.part();
    let (from, to) = way(form, &mut reader);
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
    let sends = sends(&group, &mut reader);
    reader.finish();
    if let Some(access) = &access {
        limit_of(path, access, problems)?;
    }
    Some(Flow { name, group, from, to, access, sends: sends? })
}

/// Names of the nodes between which a group's data runs.
fn way(form: Option<Form>, reader: &mut Reader<'_>) -> (String, String) {
    let swapped = |reverse: bool, a: String, b: String| if reverse { (b, a) } else { (a, b) };
    match form {
        Some(Form::Dumbbell) => {
            let way: DumbbellWay = reader.part();
            let remedy = "its flows run from left to right, or the other way with reverse = true";
            reader.refuse::<GraphWay>("a dumbbell has only two sides", remedy);
            swapped(way.reverse, "left".into(), "right".into())
        }
        Some(Form::Chain) => {
            let way: ChainWay = reader.part();
            let router = |number: Option<u64>| number.map_or(String::new(), |n| format!("r{n}"));
            swapped(way.reverse, router(way.from), router(way.to))
        }
        Some(Form::Graph) => {
            let way: GraphWay = reader.part();
            reader.refuse::<DumbbellWay>("a graph names its directions", "swap from and to");
            (way.from.0, way.to.0)
        }
        None => {
            reader.ignore::<GraphWay>();
            reader.ignore::<DumbbellWay>();
            (String::new(), String::new())
        }
    }
}

fn sends(group: &Group, reader: &mut Reader<'_>) -> Option<Sends> {
    match group.transport {
        Transport::Tcp => {
            let ftp: Ftp = reader.part();
            let profile = reader.text(tcp::Params::PRESET_KEY);
            let params: tcp::Params = reader.part();
            let rule = "is a key of UDP, and this group's transport is \"tcp\"";
            let remedy = "remove it, or write transport = \"udp\"";
            reader.refuse::<Udp>(rule, remedy);
            reader.refuse::<Cbr>(rule, remedy);
            reader.refuse::<Onoff>(rule, remedy);
            reader.refuse::<Poisson>(rule, remedy);
            let params = Box::new(Valid::new(params).ok()?);
            Some(Sends::Tcp(Tcp { profile, params, bytes: ftp.bytes }))
        }
        Transport::Udp => {
            let udp: Udp = reader.part();
            let pattern = match group.source() {
                Source::Onoff => Pattern::Onoff(reader.part()),
                Source::Poisson => Pattern::Poisson(reader.part()),
                Source::Cbr | Source::Ftp => Pattern::Cbr(reader.part()),
            };
            let rule = "is a key of TCP, and this group's transport is \"udp\"";
            let remedy = "remove it, or write transport = \"tcp\"";
            reader.refuse::<Ftp>(rule, remedy);
            reader.refuse::<tcp::Params>(rule, remedy);
            let rule = format!("is a key of another source than {}", group.source().show());
            reader.refuse::<Onoff>(&rule, "remove it, or write source = \"onoff\"");
            reader.refuse::<Poisson>(&rule, "remove it, or write source = \"poisson\"");
            reader.refuse::<Cbr>(&rule, "remove it, or write source = \"cbr\"");
            Some(Sends::Udp(udp, pattern))
        }
    }
}

/// The fields a part shows, without those equal to `base`.
pub fn difference<T: Described>(part: &T, base: &T) -> Table {
    let base = base.show();
    part.show().into_iter().filter(|row| !base.contains(row)).collect()
}
