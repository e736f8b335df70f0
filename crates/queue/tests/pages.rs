//! The tables of `docs/disciplines/*.md` equal the catalogue.
//!
//! `UPDATE_PAGES=1 cargo test -p dropcurve-queue --test pages` regenerates them.
#![allow(clippy::unwrap_used)]

use queue::{catalogue, CatalogueEntry};
use units::param::{Field, Range, Value};

fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => other.to_string(),
    }
}

fn may_be(field: &Field) -> String {
    let kind = match field.meta.unit {
        "" | "1" => field.kind.name.to_string(),
        unit => format!("{} ({unit})", field.kind.name),
    };
    let mut text = match field.kind.choices.as_slice() {
        [] if field.meta.range == Range::Any => kind,
        [] => format!("{kind}, {}", field.meta.range.rule()),
        choices => choices.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    };
    if field.kind.auto {
        text += ", or `auto`";
    }
    text
}

fn parameters(entry: &CatalogueEntry) -> String {
    let mut text = String::from("| key | default | may be | meaning | source |\n|---|---|---|---|---|\n");
    for field in &entry.fields {
        let doc = field.doc.replace('\n', " ");
        let source = match (field.meta.source, field.meta.assumed) {
            ("", true) => "assumed",
            (source, _) => source,
        };
        let default = plain(&field.default);
        text += &format!("| `{}` | {default} | {} | {doc} | {source} |\n", field.name, may_be(field));
    }
    let options: Vec<&Field> = entry.fields.iter().filter(|field| !field.kind.choices.is_empty()).collect();
    if !options.is_empty() {
        text += "\n| option | value | meaning |\n|---|---|---|\n";
        for field in options {
            for (name, doc) in &field.kind.choices {
                text += &format!("| `{}` | `{name}` | {doc} |\n", field.name);
            }
        }
    }
    text
}

fn dialects(entry: &CatalogueEntry) -> String {
    let mut text = String::from("| dialect | what it is | options |\n|---|---|---|\n");
    for row in entry.presets {
        let options: Vec<String> =
            row.options.iter().map(|(key, value)| format!("`{key}` {value}")).collect();
        text += &format!("| `{}` | {} | {} |\n", row.name, row.doc, options.join(", "));
    }
    text
}

/// The page with the block between `<!-- NAME: KIND -->` and `<!-- end -->` replaced.
fn with_block(page: &str, name: &str, kind: &str, block: &str) -> String {
    let start = format!("<!-- {name}: {kind} -->\n");
    let (before, rest) = page.split_once(&start).unwrap_or_else(|| panic!("{kind}.md has no {start}"));
    let (_, after) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("{kind}.md: no end of {name}"));
    format!("{before}{start}{block}<!-- end -->{after}")
}

#[test]
fn every_page_shows_the_parameters_and_dialects_there_are() {
    for entry in catalogue() {
        let path = format!("{}/../../docs/disciplines/{}.md", env!("CARGO_MANIFEST_DIR"), entry.kind);
        let page = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{path} is missing"));
        let mut right = with_block(&page, "parameters", entry.kind, &parameters(&entry));
        if !entry.presets.is_empty() {
            right = with_block(&right, "dialects", entry.kind, &dialects(&entry));
        }
        if std::env::var_os("UPDATE_PAGES").is_some() {
            std::fs::write(&path, &right).unwrap();
        } else {
            assert!(page == right, "{path} is out of date: UPDATE_PAGES=1 regenerates its tables");
        }
    }
}

#[test]
fn every_page_shows_a_figure_that_exists_and_describes_it() {
    for entry in catalogue() {
        let folder = format!("{}/../../docs/disciplines", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(format!("{folder}/{}.md", entry.kind)).unwrap();
        let (alt, rest) = page
            .split_once("## Measured behaviour\n\n![")
            .and_then(|(_, rest)| rest.split_once("]("))
            .unwrap_or_else(|| panic!("{}.md has no figure", entry.kind));
        assert!(alt.len() > 30, "{}.md: {alt:?} does not describe the figure", entry.kind);
        let (file, _) = rest.split_once(')').unwrap();
        let figure = std::fs::read_to_string(format!("{folder}/{file}"));
        assert!(figure.is_ok_and(|text| text.contains("<svg")), "{}.md: {file} is no SVG", entry.kind);
    }
}

/// The sections every page has, in this order; it may have others between them.
const SECTIONS: [&str; 8] = [
    "Algorithm",
    "Measured behaviour",
    "Parameters",
    "Ambiguities in the sources",
    "ECN",
    "When to use it",
    "When not to use it",
    "Sources",
];

#[test]
fn every_page_has_the_same_sections_and_something_in_each() {
    for entry in catalogue() {
        let path = format!("{}/../../docs/disciplines/{}.md", env!("CARGO_MANIFEST_DIR"), entry.kind);
        let page = std::fs::read_to_string(path).unwrap();
        let sections: Vec<(&str, &str)> =
            page.split("\n## ").skip(1).filter_map(|section| section.split_once('\n')).collect();
        let required: Vec<&str> =
            sections.iter().map(|(title, _)| *title).filter(|title| SECTIONS.contains(title)).collect();
        assert_eq!(required, SECTIONS, "{}.md", entry.kind);
        for (title, text) in sections {
            assert!(text.trim().len() > 3, "{}.md: nothing under {title:?}", entry.kind);
        }
    }
}

/// A page that speaks of marks has the option, and one that has the option speaks of it.
#[test]
fn every_page_says_what_ecn_does() {
    for entry in catalogue() {
        let path = format!("{}/../../docs/disciplines/{}.md", env!("CARGO_MANIFEST_DIR"), entry.kind);
        let page = std::fs::read_to_string(path).unwrap();
        let (_, rest) = page.split_once("\n## ECN\n").unwrap();
        let (text, _) = rest.split_once("\n## ").unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let field = entry.fields.iter().find(|field| field.name == "ecn");
        let on = field.map(|field| field.default == Value::Bool(true));
        let stated = match on {
            None => text.contains("None"),
            Some(true) => text.contains("n by default") || text.contains("`ecn` is on, as it is by default"),
            Some(false) => text.contains("off by default"),
        };
        assert!(stated, "{}.md: by default {on:?}, but {text}", entry.kind);
    }
}

#[test]
fn every_parameter_has_a_meaning_a_source_and_a_unit_where_it_needs_one() {
    let mut bare = Vec::new();
    for entry in catalogue() {
        for field in entry.fields {
            let sourced = field.meta.assumed || !field.meta.source.is_empty();
            let united = field.kind.name != "number" || !field.meta.unit.is_empty();
            if !sourced || !united || field.doc.trim().is_empty() {
                bare.push(format!("{}.{}", entry.kind, field.name));
            }
        }
    }
    assert!(bare.is_empty(), "{}", bare.join(", "));
}

#[test]
fn the_page_of_costs_has_a_row_for_each() {
    let path = format!("{}/../../docs/disciplines/cost.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(path).unwrap();
    for kind in queue::KINDS {
        let row = format!("| [`{kind}`]({kind}.md) | ");
        assert_eq!(page.matches(&row).count(), 1, "{kind}: tools/bench/cost.py regenerates cost.md");
    }
}
