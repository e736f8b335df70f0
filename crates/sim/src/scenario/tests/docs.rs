//! The guide: its tables equal those of the declarations, its examples parse.

use super::files::folder;
use super::*;
use crate::keys::Transport;
use crate::scenario::json::one_line;
use crate::scenario::marking::Marking;
use crate::scenario::sections::{Access, Chain, Ends, Head, Run, Wire};
use crate::scenario::traffic::{ChainPath, DumbbellPath, GraphPath, Group, Source};
use transport::tcp;
use units::param::{Check, Choice, Described, Field, Range};

/// The fields of a part, with docs on one line.
fn fields_of<T: Described>() -> Vec<Field> {
    let mut fields = T::fields();
    for field in &mut fields {
        field.doc = one_line(&field.doc);
    }
    fields
}

/// A table of keys in Markdown.
fn keys_table(fields: &[Field]) -> String {
    let mut out = String::from("| key | default | what it is |\n|---|---|---|\n");
    for field in fields {
        out += &format!("| `{}` | `{}` | {} |\n", field.name, field.default, meaning(field));
    }
    out
}

fn meaning(field: &Field) -> String {
    let mut parts = vec![one_line(&field.doc)];
    if !field.kind.choices.is_empty() {
        let each: Vec<String> = field
            .kind
            .choices
            .iter()
            .map(|(name, doc)| format!("`{name}`: {}", one_line(doc).trim_end_matches('.')))
            .collect();
        parts.push(format!("One of {}.", each.join("; ")));
    }
    if field.meta.range != Range::Any {
        let unit = if field.meta.unit.len() > 1 { format!(" {}", field.meta.unit) } else { String::new() };
        let rule = field.meta.range.rule();
        parts.push(format!("{}{}{unit}.", rule[..1].to_uppercase(), &rule[1..]));
    }
    let source = match (field.meta.source, field.meta.assumed) {
        ("" | "dropcurve", true) => "*(assumed)*".to_string(),
        ("", false) => String::new(),
        (source, true) => format!("*({source}; assumed)*"),
        (source, false) => format!("*({source})*"),
    };
    parts.push(source);
    parts.join(" ").trim().replace('|', "\\|")
}

fn rows_table(head: &str, rows: impl Iterator<Item = (String, String)>) -> String {
    let mut out = format!("| {head} | what it is |\n|---|---|\n");
    for (name, doc) in rows {
        out += &format!("| `{name}` | {} |\n", one_line(&doc).replace('|', "\\|"));
    }
    out
}

/// The text between a marker and its end.
fn generated(marker: &str) -> String {
    fn part<T: Described>() -> String {
        keys_table(&fields_of::<T>())
    }
    match marker {
        "keys: head" => part::<Head>(),
        "keys: run" => part::<Run>(),
        "keys: wire" => part::<Wire>(),
        "keys: access" => part::<Access>(),
        "keys: chain" => part::<Chain>(),
        "keys: ends" => part::<Ends>(),
        "keys: group" => part::<Group>(),
        "keys: marking" => part::<Marking>(),
        "keys: way_dumbbell" => part::<DumbbellPath>(),
        "keys: way_chain" => part::<ChainPath>(),
        "keys: way_links" => part::<GraphPath>(),
        "profiles" => {
            let rows = tcp::Params::presets().iter().map(|row| (row.name.to_string(), row.doc.to_string()));
            rows_table("profile", rows)
        }
        "disciplines" => {
            let entries = queue::catalogue().into_iter();
            rows_table("kind", entries.map(|entry| (entry.kind.to_string(), entry.about.to_string())))
        }
        other => of_part(other).unwrap_or_else(|| panic!("docs/scenarios.md has an unknown marker: {other}")),
    }
}

/// The keys of a transport or a source (`keys: http`), or its rows of options (`models: http`).
fn of_part(marker: &str) -> Option<String> {
    let (what, name) = marker.split_once(": ")?;
    let source = Source::all().iter().find(|(_, other, _)| *other == name).map(|(source, ..)| source.part());
    let transport =
        || Transport::all().iter().find(|(_, other, _)| *other == name).map(|(one, ..)| one.part());
    let mut part = source.or_else(transport)?;
    match what {
        "keys" => {
            part.fields.iter_mut().for_each(|field| field.doc = one_line(&field.doc));
            Some(keys_table(&part.fields))
        }
        "models" => {
            let (key, rows) = part.presets;
            Some(rows_table(key, rows.iter().map(|row| (row.name.to_string(), row.doc.to_string()))))
        }
        _ => None,
    }
}

/// The page with its tables as they should be.
fn renewed(page: &str) -> String {
    let mut out = String::new();
    let mut skipping = false;
    for line in page.lines() {
        let marker = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        skipping &= marker != Some("end");
        if !skipping {
            out += &format!("{line}\n");
        }
        if let Some(marker) = marker.filter(|marker| *marker != "end") {
            out += &format!("\n{}\n", generated(marker));
            skipping = true;
        }
    }
    out
}

#[test]
fn docs_tables_are_what_the_declarations_say() {
    let path = folder("docs/scenarios.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let renewed = renewed(&page);
    if std::env::var_os("DROPCURVE_BLESS").is_some() {
        std::fs::write(&path, &renewed).unwrap();
    }
    let differing = page.lines().zip(renewed.lines()).find(|(old, new)| old != new);
    let rewrites = std::env::var_os("DROPCURVE_BLESS").is_some();
    let hint = "run DROPCURVE_BLESS=1 cargo test -p dropcurve-sim docs";
    assert!(rewrites || page == renewed, "docs/scenarios.md is out of date: {hint}\n{differing:#?}");
}

#[test]
fn docs_examples_are_read() {
    for name in ["docs/scenarios.md", "docs/architecture.md"] {
        let page = std::fs::read_to_string(folder(name)).unwrap();
        let blocks: Vec<&str> =
            page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!blocks.is_empty(), "{name} has no examples");
        for block in blocks {
            let problems = complaints(block);
            assert!(problems.is_empty(), "{name}:\n{block}\n{problems:#?}");
        }
    }
}
