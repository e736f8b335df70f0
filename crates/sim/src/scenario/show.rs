//! [`Model`] back to a [`Table`], every default written out.

use super::model::{Both, Direction, FlowGroup, Form, GroupPath, Model, Sends, Topology};
use super::sections::{Run, Wire};
use super::traffic::Group;
use crate::keys::part::difference;
use crate::plan::Plan;
use std::collections::BTreeMap;
use units::param::{Described, Table, Value};
use units::Bytes;

/// The typical packet size of each link, by the name of the link.
type PacketSizes<'a> = BTreeMap<&'a str, Bytes>;

/// The whole scenario. Inherited keys are shown once, in the table that they are inherited from.
pub fn table(model: &Model, plan: &Plan) -> Table {
    let mut table: Table =
        model.head.show().into_iter().filter(|(_, value)| *value != Value::Text(String::new())).collect();
    let run = Run { warmup: Some(model.run.warmup()), sample: Some(model.run.sample()), ..model.run.clone() };
    put(&mut table, "run", run.show());
    let sizes = plan.links.iter().map(|link| (link.name.as_str(), link.packet)).collect();
    topology(&mut table, &model.topology, &sizes);
    let flows = model.flows.iter().map(|flow| (flow.name.clone(), Value::Table(group(model, flow))));
    put(&mut table, "flows", flows.collect());
    table
}

fn put(table: &mut Table, key: &str, inner: Table) {
    table.push((key.to_string(), Value::Table(inner)));
}

fn topology(table: &mut Table, topology: &Topology, sizes: &PacketSizes<'_>) {
    let Some(base) = &topology.base else {
        let links = topology.trunks.iter().map(|trunk| {
            let mut rows: Table = vec![
                ("from".into(), Value::Text(trunk.from.clone())),
                ("to".into(), Value::Text(trunk.to.clone())),
                ("one_way".into(), Value::Bool(trunk.both.back.is_none())),
            ];
            let worked = with_packet_size(&trunk.both, &trunk.name, sizes);
            rows.extend(worked.forward.wire.show());
            put(&mut rows, "queue", worked.forward.queue.show());
            if let Some(back) = &worked.back {
                let mut inner = back.wire.show();
                put(&mut inner, "queue", back.queue.show());
                put(&mut rows, "back", inner);
            }
            (trunk.name.clone(), Value::Table(rows))
        });
        put(table, "links", links.collect());
        return;
    };
    let mut rows = Table::new();
    let both = if topology.form == Form::Chain {
        rows.push(("hops".into(), Value::Int(topology.trunks.len() as i64)));
        base.both.clone()
    } else {
        with_packet_size(&base.both, "bottleneck", sizes)
    };
    rows.extend(both.forward.wire.show());
    rows.extend(base.access.show());
    if let Some(back) = &both.back {
        put(&mut rows, "back", back.wire.show());
    }
    if topology.form == Form::Chain {
        for trunk in &topology.trunks {
            let own = hop(&base.both, &with_packet_size(&trunk.both, &trunk.name, sizes));
            if !own.is_empty() {
                put(&mut rows, &trunk.name, own);
            }
        }
    }
    put(table, topology.form.section(), rows);
    put(table, "queue", both.forward.queue.show());
    if let Some(back) = &both.back {
        put(table, "back_queue", back.queue.show());
    }
}

/// Both directions with the typical packet size that the plan found.
fn with_packet_size(both: &Both, name: &str, sizes: &PacketSizes<'_>) -> Both {
    let with_size = |direction: &Direction, link_name: &str| {
        let packet = sizes.get(link_name).copied();
        Direction { wire: Wire { packet, ..direction.wire.clone() }, queue: direction.queue.clone() }
    };
    Both {
        forward: with_size(&both.forward, name),
        back: both.back.as_ref().map(|back| with_size(back, &format!("{name}.back"))),
    }
}

/// The keys of a hop that differ from the chain's.
fn hop(base: &Both, own: &Both) -> Table {
    let mut rows = difference(&own.forward.wire, &base.forward.wire);
    if own.forward.queue.show() != base.forward.queue.show() {
        put(&mut rows, "queue", own.forward.queue.show());
    }
    if let (Some(base), Some(own)) = (&base.back, &own.back) {
        let mut back = difference(&own.wire, &base.wire);
        if own.queue.show() != base.queue.show() {
            put(&mut back, "queue", own.queue.show());
        }
        if !back.is_empty() {
            put(&mut rows, "back", back);
        }
    }
    rows
}

fn group(model: &Model, flow: &FlowGroup) -> Table {
    let counted_as = flow.group.counted_as.clone().unwrap_or_else(|| flow.name.clone());
    let group =
        Group { counted_as: Some(counted_as), source: Some(flow.source.named()), ..flow.group.clone() };
    let mut rows = group.show();
    rows.extend(flow.marking.show());
    let text = |name: &str| Value::Text(name.to_string());
    rows.extend(match &flow.path {
        GroupPath::Dumbbell(way) => way.show(),
        GroupPath::Chain(way) => way.numbers(model.topology.trunks.len() as u64).show(),
        GroupPath::Graph(way) => way.show(),
    });
    if let (Some(own), Some(base)) = (&flow.access, &model.topology.base) {
        rows.extend(difference(own, &base.access));
    }
    let row_key = flow.source.named().part().presets.0;
    rows.extend(flow.source_preset.iter().map(|name| (row_key.to_string(), text(name))));
    match &flow.sends {
        Sends::Tcp(tcp) => {
            rows.extend(flow.source.show());
            rows.extend(tcp.profile.iter().map(|name| ("profile".to_string(), text(name))));
            rows.extend(tcp.params.show());
        }
        Sends::Rated(sends) => {
            rows.extend(flow.source.show());
            rows.extend(sends.profile.iter().map(|name| ("profile".to_string(), text(name))));
            rows.extend(sends.rated.show());
        }
        Sends::Udp(udp) => {
            if flow.source.named().packets() {
                rows.extend(udp.show());
            }
            rows.extend(flow.source.show());
        }
    }
    rows
}
