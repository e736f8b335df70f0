//! All keys, disciplines, transports and sources as data: for `list`, `describe`, the studio and the docs.

use super::json::{json, object as table_json, one_line};
use super::marking::Marking;
use super::schema::examples;
use super::sections::{Access, Chain, Ends, Head, Run, Wire};
use super::traffic::{ChainPath, DumbbellPath, GraphPath, Group, Source};
use crate::keys::{Part, Transport};
use crate::source::plugin::registered;
use serde_json::{json as object, Value as Json};
use transport::tcp;
use units::param::{Check, Choice, Described, Field, Preset, Table, Value};
use units::plugin::Declaration;

/// Disciplines, transports, sources, topologies and sections.
pub fn catalogue() -> Json {
    object!({
        "version": env!("CARGO_PKG_VERSION"),
        "disciplines": disciplines(),
        "transports": transports(),
        "recoveries": choices_of::<tcp::Params>("recovery"),
        "congestion_controls": congestion_controls(),
        "sources": sources(),
        "topologies": topologies(),
        "sections": sections(),
    })
}

/// A field as data.
fn field(field: &Field) -> Json {
    let named = |(name, doc): &(&str, &str)| object!({ "name": name, "doc": one_line(doc) });
    object!({
        "name": field.name,
        "doc": one_line(&field.doc),
        "kind": field.kind.name,
        "unit": field.meta.unit,
        "default": json(&field.default),
        "auto": field.kind.auto,
        "list": field.kind.list,
        "range": if field.meta.range == units::param::Range::Any { Json::Null } else { object!(field.meta.range.rule()) },
        "source": field.meta.source,
        "assumed": field.meta.assumed,
        "choices": field.kind.choices.iter().map(named).collect::<Vec<_>>(),
        "examples": examples(field),
    })
}

fn presets(presets: &[Preset]) -> Vec<Json> {
    let each = presets.iter().map(|preset| {
        let options: Table = preset
            .options
            .iter()
            .map(|(key, text)| (key.to_string(), Value::Text(text.to_string())))
            .collect();
        object!({ "name": preset.name, "doc": preset.doc, "options": table_json(&options) })
    });
    each.collect()
}

fn disciplines() -> Vec<Json> {
    let each = queue::catalogue().into_iter().map(|entry| {
        object!({
            "kind": entry.kind,
            "title": entry.title,
            "about": entry.about,
            "reference": entry.reference,
            "preset_key": entry.preset_key,
            "dialects": presets(entry.presets),
            "fields": entry.fields.iter().map(field).collect::<Vec<_>>(),
        })
    });
    each.collect()
}

fn transports() -> Vec<Json> {
    let doc = |transport: Transport| {
        let all = Transport::all().iter().find(|(value, ..)| *value == transport);
        all.map_or(String::new(), |(_, _, doc)| one_line(doc))
    };
    let each = Transport::all().iter().map(|(transport, name, _)| {
        let part = transport.part();
        object!({
            "name": name,
            "doc": doc(*transport),
            "preset_key": part.presets.0,
            "profiles": presets(part.presets.1),
            "fields": part.fields.iter().map(field).collect::<Vec<_>>(),
        })
    });
    each.collect()
}

fn choices_of<T: Described>(key: &str) -> Vec<Json> {
    let field_of = T::fields().into_iter().find(|field| field.name == key);
    let choices = field_of.map(|field| field.kind.choices).unwrap_or_default();
    choices.iter().map(|(name, doc)| object!({ "name": name, "doc": one_line(doc) })).collect()
}

/// The congestion controls of the table, and those of plug-ins with their parameters.
fn congestion_controls() -> Vec<Json> {
    let mut all = choices_of::<tcp::Params>("cc");
    all.extend(transport::cc::plugin::registered().iter().map(|one| {
        let declared = one.declaration();
        object!({ "name": declared.name, "doc": declared.about, "fields": parameters(declared) })
    }));
    all
}

/// The parameters of a plug-in, as fields.
fn parameters(declared: &Declaration) -> Vec<Json> {
    declared.parameters.iter().map(|one| field(&queue::plugin::field(one))).collect()
}

fn sources() -> Vec<Json> {
    let each = Source::all().iter().map(|(source, name, doc)| {
        let part = source.part();
        let over: Vec<&str> = source.transports().iter().map(|transport| transport.name()).collect();
        object!({
            "name": name,
            "doc": one_line(doc),
            "transport": over[0],
            "transports": over,
            "preset_key": part.presets.0,
            "presets": presets(part.presets.1),
            "fields": part.fields.iter().map(field).collect::<Vec<_>>(),
        })
    });
    let plugins = registered().into_iter().map(|one| {
        let (declared, over) = (one.declaration(), if one.over_tcp() { "tcp" } else { "udp" });
        object!({
            "name": declared.name,
            "doc": declared.about,
            "transport": over,
            "transports": [over],
            "preset_key": "",
            "presets": Vec::<Json>::new(),
            "fields": parameters(declared),
        })
    });
    each.chain(plugins).collect()
}

fn topologies() -> Vec<Json> {
    let topology =
        |name: &str, doc: &str, links: &[&str]| object!({ "name": name, "doc": doc, "links": links });
    vec![
        topology("dumbbell", "One bottleneck between two routers.", &["bottleneck", "bottleneck.back"]),
        topology("chain", "Several bottlenecks in a row.", &["hop1", "hop1.back", "hop2"]),
        topology("links", "Any graph, link by link.", &["NAME", "NAME.back"]),
    ]
}

/// A table of the file and the part that reads some of its keys.
pub struct Section {
    /// The path of the table; capital letters are placeholders of a name.
    pub path: &'static str,
    /// Description of the part.
    pub doc: String,
    /// When its keys apply; empty if always.
    pub when: String,
    /// Its keys.
    pub fields: Vec<Field>,
    /// The key that names a row of options, and the rows.
    pub presets: (&'static str, &'static [Preset]),
}

/// Every table of a scenario, part by part, in the order to read them.
pub fn parts() -> Vec<Section> {
    let mut parts = vec![
        part::<Head>("", ""),
        part::<Run>("run", ""),
        part::<Wire>("dumbbell", ""),
        part::<Access>("dumbbell", ""),
        part::<Wire>("dumbbell.back", ""),
        part::<Chain>("chain", ""),
        part::<Wire>("chain", ""),
        part::<Access>("chain", ""),
        part::<Wire>("chain.back", ""),
        part::<Wire>("chain.hopK", ""),
        part::<Wire>("chain.hopK.back", ""),
        part::<Ends>("links.NAME", ""),
        part::<Wire>("links.NAME", ""),
        part::<Wire>("links.NAME.back", "unless one_way"),
        part::<Group>("flows.NAME", ""),
        part::<Marking>("flows.NAME", ""),
        part::<DumbbellPath>("flows.NAME", "in a dumbbell"),
        part::<ChainPath>("flows.NAME", "in a chain"),
        part::<GraphPath>("flows.NAME", "in a graph"),
        part::<Access>("flows.NAME", "in a dumbbell or chain"),
    ];
    parts.extend(
        Transport::all()
            .iter()
            .map(|(one, name, _)| section(one.part(), "flows.NAME", format!("transport = \"{name}\""))),
    );
    parts.extend(
        Source::all()
            .iter()
            .map(|(source, name, _)| section(source.part(), "flows.NAME", format!("source = \"{name}\""))),
    );
    parts
}

fn part<T: Check>(path: &'static str, when: &str) -> Section {
    section(Part::of::<T>(), path, when.to_string())
}

fn section(part: Part, path: &'static str, when: String) -> Section {
    let mut fields = part.fields;
    for field in &mut fields {
        field.doc = one_line(&field.doc);
    }
    Section { path, doc: one_line(part.doc), when, fields, presets: part.presets }
}

fn sections() -> Vec<Json> {
    let each = parts().into_iter().map(|section| {
        let (preset_key, rows) = section.presets;
        object!({
            "path": section.path,
            "doc": section.doc,
            "when": section.when,
            "preset_key": preset_key,
            "presets": rows.iter().map(|row| row.name).collect::<Vec<_>>(),
            "fields": section.fields.iter().map(field).collect::<Vec<_>>(),
        })
    });
    each.collect()
}
