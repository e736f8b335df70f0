//! [`Model`] to [`Plan`]: names become indices, groups become flows, routes are found.

use super::model::{Direction, Flow, Form, Model, Pattern, Sends, Trunk};
use super::read::limit_of;
use super::routes::{shortest, Edge};
use super::sections::{bare, Onoff, RateOf, Sizes, Source, Udp};
use crate::plan::{
    Bursts, FlowPlan, Gaps, LinkPlan, LossPlan, Member, Plan, RunPlan, TransportPlan, UdpPlan,
};
use std::collections::BTreeMap;
use units::param::{nearest, Param, Problem, Spread};
use units::{Bytes, Rate};

/// Most flows of a scenario, all groups together.
const MOST_FLOWS: u64 = 999_999;

/// Works a model out. `None` only if there are problems.
pub fn plan(model: &Model, problems: &mut Vec<Problem>) -> Option<Plan> {
    let before = problems.len();
    check_numbers(model, problems);
    let mut nodes = Nodes::default();
    let mut links = trunk_links(&model.topology.trunks, &mut nodes);
    let ways: Vec<Option<Way>> =
        model.flows.iter().map(|flow| way(model, flow, &links, &nodes, problems)).collect();
    if problems.len() > before {
        return None;
    }
    let ways: Vec<Way> = ways.into_iter().collect::<Option<_>>()?;
    typical_packets(model, &ways, &mut links);
    let mut flows = Vec::new();
    for (flow, way) in model.flows.iter().zip(&ways) {
        add_members(flow, way, &mut nodes, &mut links, &mut flows);
    }
    let run = RunPlan {
        duration: model.run.duration,
        warmup: model.run.warmup(),
        sample: model.run.sample(),
        max_events: model.run.max_events,
        max_memory: model.run.max_memory,
    };
    Some(Plan { title: model.head.title.clone(), run, nodes: nodes.names, links, flows })
}

fn check_numbers(model: &Model, problems: &mut Vec<Problem>) {
    let total: u64 = model.flows.iter().map(|flow| flow.group.count).sum();
    if total > MOST_FLOWS {
        let rule = format!("must be at most {MOST_FLOWS}, all groups together");
        problems.push(Problem::new("flows", format!("{total} flows"), rule, "lower the counts"));
    }
    for flow in &model.flows {
        let (first, _) = flow.group.starts();
        if first >= model.run.duration {
            let rule = format!("no member starts before the end of the run ({})", bare(model.run.duration));
            let path = format!("flows.{}.start", flow.name);
            let remedy = "start earlier, or lengthen run.duration";
            problems.push(Problem::new(path, flow.group.start.show(), rule, remedy));
        }
    }
}

/// Node names and their numbers.
#[derive(Default)]
struct Nodes {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Nodes {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), number);
        number
    }
}

fn trunk_links(trunks: &[Trunk], nodes: &mut Nodes) -> Vec<LinkPlan> {
    let mut links = Vec::new();
    for trunk in trunks {
        let (from, to) = (nodes.number(&trunk.from), nodes.number(&trunk.to));
        links.push(trunk_link(trunk.name.clone(), from, to, &trunk.both.forward));
        if let Some(back) = &trunk.both.back {
            links.push(trunk_link(format!("{}.back", trunk.name), to, from, back));
        }
    }
    links
}

fn trunk_link(name: String, from: usize, to: usize, direction: &Direction) -> LinkPlan {
    let wire = &direction.wire;
    LinkPlan {
        name,
        from,
        to,
        rate: wire.rate,
        delay: Member { spread: Spread::Same(wire.delay), index: 0, of: 1 },
        queue: direction.queue.clone(),
        packet: wire.packet.unwrap_or(Bytes(0)),
        counts_wire: wire.counts_wire,
        loss: LossPlan { random: wire.loss, positions: wire.drop.clone() },
        reported: true,
    }
}

/// A group's way over the shared links.
struct Way {
    from: usize,
    to: usize,
    forward: Vec<usize>,
    back: Vec<usize>,
}

fn way(
    model: &Model,
    flow: &Flow,
    links: &[LinkPlan],
    nodes: &Nodes,
    problems: &mut Vec<Problem>,
) -> Option<Way> {
    let from = end(model, flow, "from", &flow.from, nodes, problems);
    let to = end(model, flow, "to", &flow.to, nodes, problems);
    let (from, to) = (from?, to?);
    let path = format!("flows.{}", flow.name);
    if from == to {
        let rule = "must be another place than from";
        problems.push(Problem::new(format!("{path}.to"), format!("\"{}\"", flow.to), rule, ""));
        return None;
    }
    let edges: Vec<Edge<'_>> = links
        .iter()
        .map(|link| Edge {
            from: link.from,
            to: link.to,
            delay: link.delay.spread.of(0, 1, 0.0),
            name: &link.name,
        })
        .collect();
    let mut route = |a: usize, b: usize, needed: bool| {
        let found = shortest(&edges, a, b);
        if found.is_none() && needed {
            let rule = format!("no links lead from '{}' to '{}'", nodes.names[a], nodes.names[b]);
            problems.push(Problem::new(path.clone(), "", rule, loose_end(links, nodes)));
        }
        found
    };
    let needs_back = matches!(flow.sends, Sends::Tcp(..));
    let (forward, back) = (route(from, to, true), route(to, from, needs_back));
    let back = if needs_back { back? } else { back.unwrap_or_default() };
    Some(Way { from, to, forward: forward?, back })
}

/// The node a group's `from` or `to` means.
fn end(
    model: &Model,
    flow: &Flow,
    key: &str,
    name: &str,
    nodes: &Nodes,
    problems: &mut Vec<Problem>,
) -> Option<usize> {
    let trunks = &model.topology.trunks;
    let name = match (model.topology.form, name, key) {
        (Form::Chain, "", "from") => trunks.first()?.from.as_str(),
        (Form::Chain, "", _) => trunks.last()?.to.as_str(),
        (_, name, _) => name,
    };
    if let Some(&number) = nodes.numbers.get(name) {
        return Some(number);
    }
    let path = format!("flows.{}.{key}", flow.name);
    if model.topology.form == Form::Chain {
        let rule = format!("routers are numbered 1 to {}", trunks.len() + 1);
        let remedy = "choose one of them, or raise chain.hops";
        problems.push(Problem::new(path, name.trim_start_matches('r'), rule, remedy));
        return None;
    }
    let known: Vec<&str> = nodes.names.iter().map(String::as_str).collect();
    if name.is_empty() {
        let remedy = format!("write {key} = one of {}", known.join(", "));
        problems.push(Problem::new(path, "", "names the node where the group's data begins or ends", remedy));
        return None;
    }
    let remedy = match nearest(name, &known) {
        Some(hint) => format!("did you mean '{hint}'?"),
        None => format!("nodes are {}", known.join(", ")),
    };
    problems.push(Problem::new(path, format!("\"{name}\""), "no link has a node of this name", remedy));
    None
}

/// A hint at a node's name that was misspelt in a link.
fn loose_end(links: &[LinkPlan], nodes: &Nodes) -> String {
    let uses = |node: usize| links.iter().filter(|link| link.from == node || link.to == node).count();
    for (number, name) in nodes.names.iter().enumerate() {
        let others: Vec<&str> =
            nodes.names.iter().filter(|other| *other != name).map(String::as_str).collect();
        if let (true, Some(hint)) = (uses(number) <= 2, nearest(name, &others)) {
            return format!("only one link has a node '{name}': is it '{hint}'? otherwise add a link");
        }
    }
    "add a link, or correct from and to".into()
}

/// Fills in `packet = "auto"`: the mean size of data packets over the flows that cross the link.
fn typical_packets(model: &Model, ways: &[Way], links: &mut [LinkPlan]) {
    for (index, link) in links.iter_mut().enumerate().filter(|(_, link)| link.packet == Bytes(0)) {
        let crossing = model.flows.iter().zip(ways).filter(|(_, way)| way.forward.contains(&index));
        let (mut flows, mut bytes) = (0, 0);
        for (flow, _) in crossing {
            flows += flow.group.count;
            bytes += flow.group.count * flow.sends.packet().0;
        }
        link.packet = if flows == 0 { Bytes(1000) } else { Bytes((bytes + flows / 2) / flows) };
    }
}

fn add_members(
    flow: &Flow,
    way: &Way,
    nodes: &mut Nodes,
    links: &mut Vec<LinkPlan>,
    flows: &mut Vec<FlowPlan>,
) {
    let group = &flow.group;
    let of = group.count as usize;
    let class = group.class.clone().unwrap_or_else(|| flow.name.clone());
    let transport = transport_plan(&flow.sends);
    let private = flow.access.as_ref().and_then(|access| {
        let queue = limit_of("", access, &mut Vec::new())?;
        Some((access, queue))
    });
    for index in 0..of {
        let (mut forward, mut back) = (way.forward.clone(), way.back.clone());
        if let Some((access, queue)) = &private {
            let mut pair = |side: &str, near: usize, rate: Option<Rate>, spread: &Spread| {
                let name = format!("{side}/{}.{index}", flow.name);
                let host = nodes.number(&name);
                let link = |name: String, from: usize, to: usize| LinkPlan {
                    name,
                    from,
                    to,
                    rate: rate.unwrap_or_default(),
                    delay: Member { spread: spread.clone(), index, of },
                    queue: queue.clone(),
                    packet: flow.sends.packet(),
                    counts_wire: false,
                    loss: LossPlan::default(),
                    reported: false,
                };
                let first = links.len();
                links.push(link(name.clone(), host, near));
                links.push(link(format!("{name}.back"), near, host));
                (first, first + 1)
            };
            let (up, up_back) = pair("access", way.from, access.access_rate, &access.access_delay);
            let (down_back, down) = pair("exit", way.to, access.exit_rate, &access.exit_delay);
            forward.insert(0, up);
            forward.push(down);
            if !back.is_empty() {
                back.insert(0, down_back);
                back.push(up_back);
            }
        }
        let start = Member { spread: staggered(&group.start, group.stagger * index as u64), index, of };
        flows.push(FlowPlan {
            group: flow.name.clone(),
            class: class.clone(),
            start,
            stop: group.stop,
            transport: transport.clone(),
            forward,
            back,
        });
    }
}

/// A spread moved by a span.
fn staggered(spread: &Spread, by: units::Span) -> Spread {
    match spread {
        Spread::Same(span) => Spread::Same(*span + by),
        Spread::Even(low, high) => Spread::Even(*low + by, *high + by),
        Spread::Uniform(low, high) => Spread::Uniform(*low + by, *high + by),
        Spread::List(spans) => Spread::List(spans.iter().map(|span| *span + by).collect()),
    }
}

fn transport_plan(sends: &Sends) -> TransportPlan {
    match sends {
        Sends::Tcp(tcp) => TransportPlan::Tcp { params: (*tcp.params).clone(), size: tcp.bytes },
        Sends::Udp(udp, pattern) => TransportPlan::Udp(udp_plan(udp, pattern)),
    }
}

fn udp_plan(udp: &Udp, pattern: &Pattern) -> UdpPlan {
    let payload = udp.packet - udp.headers;
    let rate = match udp.rate_of {
        RateOf::Wire => udp.rate,
        RateOf::Payload => {
            Rate((u128::from(udp.rate.0) * u128::from(udp.packet.0) / u128::from(payload.0)) as u64)
        }
    };
    let jittered = |jitter: f64| if jitter > 0.0 { Gaps::Jittered(jitter) } else { Gaps::Constant };
    let (gaps, bursts) = match pattern {
        Pattern::Cbr(cbr) => (jittered(cbr.jitter), None),
        Pattern::Onoff(Onoff { on, off, shape, jitter }) => {
            (jittered(*jitter), Some(Bursts { on: *on, off: *off, shape: *shape }))
        }
        Pattern::Poisson(poisson) if poisson.sizes == Sizes::Exponential => (Gaps::ExponentialSizes, None),
        Pattern::Poisson(_) => (Gaps::Exponential, None),
    };
    UdpPlan { rate, packet: udp.packet, payload, bursts, gaps }
}

impl Sends {
    /// Size of a data packet on the wire.
    pub fn packet(&self) -> Bytes {
        match self {
            Sends::Tcp(tcp) => tcp.params.mss + tcp.params.headers,
            Sends::Udp(udp, _) => udp.packet,
        }
    }

    /// The source that goes without saying.
    pub fn source(&self) -> Source {
        match self {
            Sends::Tcp(..) => Source::Ftp,
            Sends::Udp(_, Pattern::Cbr(_)) => Source::Cbr,
            Sends::Udp(_, Pattern::Onoff(_)) => Source::Onoff,
            Sends::Udp(_, Pattern::Poisson(_)) => Source::Poisson,
        }
    }
}
