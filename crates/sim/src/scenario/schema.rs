//! The JSON Schema of a scenario (draft 2020-12), from the declarations.
//!
//! The keys of a group follow from its transport and source, and its direction from the topology, so
//! each combination is a definition of its own with `additionalProperties: false`. Their keys point at the
//! definitions of the parts, where each key is described once.

use super::json::{json, one_line};
use super::marking::Marking;
use super::model::Form;
use super::sections::{Access, Chain, Ends, Head, Run, Wire};
use super::traffic::{ChainPath, DumbbellPath, GraphPath, Group, Source};
use crate::keys::part::keys;
use crate::keys::{Part, Transport};
use serde_json::{json as object, Map, Value as Json};
use units::param::{Check, Choice, Described, Field, Kind, Preset, Range};

const NUMBER: &str = r"^\s*[-+]?[0-9._]+([eE][-+]?[0-9]+)?\s*(/\s*[0-9._]+([eE][-+]?[0-9]+)?)?\s*$";
const LAW: &str = r"^\s*((exponential|uniform|pareto( from)?|lognormal)\s+)?[0-9]";
const DEPARTURE: &str =
    r"^\s*(0|[0-9._+/eE-]+\s*(s|ms|us|µs|ns|min|h))\s+[0-9._+/eE-]+\s*(B|bytes?|[kKMG]B|[KMG]iB)\s*$";
const NAME: &str = "^[A-Za-z0-9_-]+$";

/// The schema of a whole scenario.
pub fn schema() -> Json {
    let mut defs = Map::new();
    part::<Head>(&mut defs, "head");
    part::<Run>(&mut defs, "run");
    part::<Wire>(&mut defs, "wire");
    part::<Access>(&mut defs, "access");
    part::<Chain>(&mut defs, "chain_keys");
    part::<Ends>(&mut defs, "ends");
    part::<Group>(&mut defs, "group");
    part::<Marking>(&mut defs, "marking");
    part::<DumbbellPath>(&mut defs, "way_dumbbell");
    part::<ChainPath>(&mut defs, "way_chain");
    part::<GraphPath>(&mut defs, "way_links");
    for (transport, name, _) in Transport::all() {
        define(&mut defs, name, &transport.part());
    }
    for (source, name, _) in Source::all() {
        define(&mut defs, &source_name(name), &source.part());
    }
    disciplines(&mut defs);
    topologies(&mut defs);
    for form in [Form::Dumbbell, Form::Chain, Form::Graph] {
        flows(&mut defs, form);
    }
    let mut properties = pointers::<Head>("head");
    properties.insert("run".into(), point("run"));
    for name in ["dumbbell", "chain", "links", "queue", "back_queue", "flows"] {
        properties.insert(name.into(), Json::Bool(true));
    }
    object!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "dropcurve scenario",
        "description": "A network, its queues and its traffic.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "required": ["flows"],
        "oneOf": [top(Form::Dumbbell), top(Form::Chain), top(Form::Graph)],
        "$defs": defs,
    })
}

fn point(name: &str) -> Json {
    object!({ "$ref": format!("#/$defs/{name}") })
}

/// The name of a source's definition.
fn source_name(name: &str) -> String {
    format!("source_{name}")
}

/// Pointers to the keys of a part.
fn pointers<T: Check>(name: &str) -> Map<String, Json> {
    pointers_to(keys::<T>(), name)
}

fn pointers_to(keys: Vec<&str>, name: &str) -> Map<String, Json> {
    let each = keys.into_iter();
    each.map(|key| (key.to_string(), point(&format!("{name}/properties/{key}")))).collect()
}

/// The definition of a part.
fn part<T: Check>(defs: &mut Map<String, Json>, name: &str) {
    define(defs, name, &Part::of::<T>());
}

fn define(defs: &mut Map<String, Json>, name: &str, part: &Part) {
    let mut properties = Map::new();
    let (preset_key, presets) = part.presets;
    if !preset_key.is_empty() {
        properties.insert(preset_key.into(), preset(presets));
    }
    for field in &part.fields {
        let field = Field { doc: one_line(&field.doc), ..field.clone() };
        properties.insert(field.name.to_string(), key(&field));
    }
    defs.insert(name.into(), closed(part.doc, properties, &[]));
}

fn closed(description: &str, properties: Map<String, Json>, required: &[&str]) -> Json {
    object!({
        "description": description.trim(),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn preset(presets: &[Preset]) -> Json {
    let names: Vec<&str> = presets.iter().map(|preset| preset.name).collect();
    let each: Vec<Json> =
        presets.iter().map(|preset| object!({ "const": preset.name, "description": preset.doc })).collect();
    object!({
        "description": "A row of options by name; keys of the table override it.",
        "enum": names,
        "anyOf": each,
        "examples": names.iter().take(1).collect::<Vec<_>>(),
    })
}

/// The values that may be written for one key.
fn key(field: &Field) -> Json {
    let mut schema = kind(&field.kind, field.meta.range);
    schema.insert("description".into(), Json::from(field.doc.as_str()));
    schema.insert("default".into(), json(&field.default));
    schema.insert("examples".into(), Json::Array(examples(field)));
    for (name, text) in [("x-unit", field.meta.unit), ("x-source", field.meta.source)] {
        if !text.is_empty() {
            schema.insert(name.into(), Json::from(text));
        }
    }
    if field.meta.assumed {
        schema.insert("x-assumed".into(), Json::Bool(true));
    }
    Json::Object(schema)
}

/// Values for a key, as examples of the right type.
pub fn examples(field: &Field) -> Vec<Json> {
    let Kind { name, example, choices, list, .. } = &field.kind;
    let one: Vec<Json> = match *name {
        "choice" => choices.iter().map(|(choice, _)| Json::from(*choice)).collect(),
        "spread" => ["20 ms", "even 1 ms to 5 ms", "uniform 0 s to 5 s"].map(Json::from).to_vec(),
        "switch" => vec![Json::Bool(true)],
        "number" => {
            [0.1, 1.5].into_iter().filter(|x| field.meta.range.holds(*x)).take(1).map(Json::from).collect()
        }
        "count" => [10, 2]
            .into_iter()
            .filter(|n| field.meta.range.holds(f64::from(*n)))
            .take(1)
            .map(Json::from)
            .collect(),
        "text" if example.is_empty() => vec![json(&field.default)],
        _ => vec![Json::from(*example)],
    };
    if *list {
        vec![Json::Array(one)]
    } else {
        one
    }
}

fn kind(kind: &Kind, range: Range) -> Map<String, Json> {
    let one = single(kind, range);
    let many = if kind.list { object!({ "type": "array", "items": one }) } else { one };
    let whole = if kind.auto { object!({ "anyOf": [{ "const": "auto" }, many] }) } else { many };
    match whole {
        Json::Object(map) => map,
        _ => Map::new(),
    }
}

/// Numbers are bounded here; the numbers inside texts are checked by the reader.
fn single(kind: &Kind, range: Range) -> Json {
    let text = |units: &str| {
        let pattern = format!(r"^\s*[0-9._+/eE-]+\s*({units})\s*$");
        object!({ "type": "string", "pattern": pattern })
    };
    let span = || text(r"s|ms|us|µs|ns|min|h").as_object().cloned().unwrap_or_default();
    match kind.name {
        "span" => object!({ "anyOf": [span(), { "const": "0" }] }),
        "rate" => text(r"([kKMGT]?(bit/s|b/s|bit|bps|B/s|byte/s))|[mg]bit(/s)?"),
        "bytes" => text("B|byte|bytes|kB|KB|MB|GB|KiB|MiB|GiB"),
        "departure" => object!({ "type": "string", "pattern": DEPARTURE }),
        "amount" => text("pkts?|packets?|B|byte|bytes|kB|KB|MB|GB|KiB|MiB|GiB"),
        "spread" => {
            let one = r"\s*[0-9._+/eE-]+\s*(s|ms|us|µs|ns|min|h)\s*";
            let pattern = format!("^({one}|(even|uniform) {one} to {one}|0)$");
            let list = object!({ "type": "array", "minItems": 1, "items": span() });
            object!({ "anyOf": [{ "type": "string", "pattern": pattern }, list] })
        }
        "number" => bounded(object!({ "type": ["number", "string"], "pattern": NUMBER }), range),
        "count" => {
            let floor = object!({ "type": ["integer", "string"], "pattern": "^[0-9_]+$", "minimum": 0 });
            bounded(floor, range)
        }
        "switch" => object!({ "enum": [true, false, "true", "false"] }),
        "choice" => {
            let names: Vec<&str> = kind.choices.iter().map(|(name, _)| *name).collect();
            let each = kind.choices.iter().map(|(name, doc)| object!({ "const": name, "description": doc }));
            object!({ "enum": names, "anyOf": each.collect::<Vec<_>>() })
        }
        "queue" => {
            let word =
                object!({ "type": "string", "description": "A discipline with its defaults, or \"plain\"." });
            object!({ "anyOf": [word, point("queue")] })
        }
        // The keys of a class, and the text that the examples show, are checked by the reader.
        "htb class" => object!({ "type": ["object", "string"] }),
        "size law" | "time law" => object!({ "type": "string", "pattern": LAW }),
        "count law" => object!({ "type": ["string", "integer"], "pattern": LAW, "minimum": 0 }),
        _ if kind.example.is_empty() => object!({ "type": "string" }),
        _ => object!({ "type": ["string", "integer"] }),
    }
}

fn bounded(mut schema: Json, range: Range) -> Json {
    let (low, high) = match range {
        Range::Any => (None, None),
        Range::Positive => (Some(("exclusiveMinimum", 0.0)), None),
        Range::Within(low, high) => (Some(("minimum", low)), Some(("maximum", high))),
        Range::Above(low, high) => (Some(("exclusiveMinimum", low)), Some(("maximum", high))),
        Range::Between(low, high) => (Some(("exclusiveMinimum", low)), Some(("exclusiveMaximum", high))),
    };
    for (name, bound) in [low, high].into_iter().flatten().filter(|(_, bound)| bound.is_finite()) {
        schema[name] = Json::from(bound);
    }
    schema
}

/// One definition for each discipline, and `queue` to choose among them by `kind`.
fn disciplines(defs: &mut Map<String, Json>) {
    let mut each = Vec::new();
    for entry in queue::catalogue() {
        let mut properties = Map::new();
        let naming = object!({ "const": entry.kind, "description": entry.title });
        properties.insert("kind".into(), naming);
        if !entry.preset_key.is_empty() {
            properties.insert(entry.preset_key.into(), preset(entry.presets));
        }
        properties.extend(entry.fields.iter().map(|field| (field.name.to_string(), key(field))));
        let name = format!("queue_{}", entry.kind);
        defs.insert(name.clone(), closed(entry.about, properties, &["kind"]));
        each.push(point(&name));
    }
    let queue = object!({
        "description": "A queue discipline: `kind` names it, the other keys are its parameters.",
        "type": "object",
        "required": ["kind"],
        "properties": { "kind": { "enum": queue::KINDS } },
        "oneOf": each,
        "discriminator": { "propertyName": "kind" },
    });
    defs.insert("queue".into(), queue);
}

fn topologies(defs: &mut Map<String, Json>) {
    let with_queue = |mut properties: Map<String, Json>| {
        properties.insert("queue".into(), point("queue"));
        properties
    };
    let direction = closed("The direction back: what differs.", with_queue(pointers::<Wire>("wire")), &[]);
    defs.insert("back".into(), direction);
    let mut both = with_queue(pointers::<Wire>("wire"));
    both.insert("back".into(), point("back"));
    defs.insert("hop".into(), closed("A hop of a chain: what differs.", both.clone(), &[]));
    both.extend(pointers::<Ends>("ends"));
    defs.insert("link".into(), closed("A link of a free graph.", both, &["from", "to"]));
    let mut shared = pointers::<Wire>("wire");
    shared.extend(pointers::<Access>("access"));
    shared.insert("back".into(), point("wire"));
    defs.insert("dumbbell".into(), closed("One bottleneck and private access links.", shared.clone(), &[]));
    shared.extend(pointers::<Chain>("chain_keys"));
    let mut chain = closed("Bottlenecks in a row and private access links.", shared, &[]);
    chain["patternProperties"] = object!({ "^hop[1-9][0-9]*$": point("hop") });
    defs.insert("chain".into(), chain);
}

/// A definition for each combination of transport and source in a topology of this form.
fn flows(defs: &mut Map<String, Json>, form: Form) {
    let section = form.section();
    let mut common = pointers::<Group>("group");
    common.extend(pointers::<Marking>("marking"));
    common.extend(match form {
        Form::Dumbbell => pointers::<DumbbellPath>("way_dumbbell"),
        Form::Chain => pointers::<ChainPath>("way_chain"),
        Form::Graph => pointers::<GraphPath>("way_links"),
    });
    if form != Form::Graph {
        common.extend(pointers::<Access>("access"));
    }
    let required = if form == Form::Graph { vec!["from", "to"] } else { Vec::new() };
    let mut each = Vec::new();
    for (transport, transport_name, _) in Transport::all() {
        for (source, source_key, _) in
            Source::all().iter().filter(|(source, ..)| source.transports().contains(transport))
        {
            let mut properties = common.clone();
            properties.extend(match transport {
                Transport::Udp if !source.packets() => Map::new(),
                _ => pointers_to(transport.part().keys(), transport_name),
            });
            properties.extend(pointers_to(source.part().keys(), &source_name(source_key)));
            let usual = Group { transport: *transport, ..Group::default() }.source() == *source;
            let among = |key: &str, schema: Json| object!({ "$ref": format!("#/$defs/group/properties/{key}"), "enum": schema });
            let named = if usual { object!([source_key, "auto"]) } else { object!([source_key]) };
            properties.insert("transport".into(), among("transport", object!([transport_name])));
            properties.insert("source".into(), among("source", named));
            let mut needed = required.clone();
            needed.extend(Some("transport").filter(|_| *transport != Transport::Tcp));
            needed.extend(Some("source").filter(|_| !usual));
            let name = format!("flow_{section}_{transport_name}_{source_key}");
            defs.insert(name.clone(), closed(Group::DOC, properties, &needed));
            each.push(point(&name));
        }
    }
    defs.insert(format!("flow_{section}"), object!({ "oneOf": each }));
}

/// The content of a scenario with a topology of this form.
fn top(form: Form) -> Json {
    let section = form.section();
    let named = |name: &str| {
        let names = object!({ "pattern": NAME });
        object!({
            "type": "object",
            "minProperties": 1,
            "propertyNames": names,
            "additionalProperties": point(name),
        })
    };
    let mut properties = Map::new();
    for other in ["dumbbell", "chain", "links"].into_iter().filter(|other| *other != section) {
        properties.insert(other.into(), Json::Bool(false));
    }
    properties.insert("flows".into(), named(&format!("flow_{section}")));
    let mut required = vec![section];
    if form == Form::Graph {
        properties.insert(section.into(), named("link"));
        properties.insert("queue".into(), Json::Bool(false));
        properties.insert("back_queue".into(), Json::Bool(false));
    } else {
        properties.insert(section.into(), point(section));
        properties.insert("queue".into(), point("queue"));
        properties.insert("back_queue".into(), point("queue"));
        required.push("queue");
    }
    object!({ "title": section, "properties": properties, "required": required })
}
