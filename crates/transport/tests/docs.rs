//! Pages of the transports: the tables of `docs/transports/tcp.md` equal the declarations (`DROPCURVE_BLESS=1` renews
//! them), and all pages have their sections in one order.

#![allow(clippy::unwrap_used)]

use transport::catalogue;

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn options() -> String {
    let mut out = String::from("| option | default | meaning | source |\n|---|---|---|---|\n");
    for field in catalogue().fields {
        let mut meaning = one_line(&field.doc);
        for (name, doc) in &field.kind.choices {
            meaning += &format!("<br>`{name}`: {}", one_line(doc));
        }
        let assumed = if field.meta.assumed { " (assumed)" } else { "" };
        let default = field.default.to_string().replace('"', "");
        out += &format!("| `{}` | {default} | {meaning} | {}{assumed} |\n", field.name, field.meta.source);
    }
    out
}

fn profiles() -> String {
    let mut out = String::from("| profile | what it is | options |\n|---|---|---|\n");
    for profile in catalogue().profiles {
        let options: Vec<String> =
            profile.options.iter().map(|(key, value)| format!("`{key}` {value}")).collect();
        out += &format!("| `{}` | {} | {} |\n", profile.name, profile.doc, options.join(", "));
    }
    out
}

#[test]
fn the_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/transports/tcp.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut renewed = page.clone();
    for (marker, table) in [("<!-- options -->", options()), ("<!-- profiles -->", profiles())] {
        let start = renewed.find(marker).unwrap() + marker.len();
        let end = start + renewed[start..].find("<!-- end -->").unwrap();
        renewed.replace_range(start..end, &format!("\n{table}"));
    }
    if std::env::var_os("DROPCURVE_BLESS").is_some() {
        std::fs::write(path, &renewed).unwrap();
    } else {
        assert!(
            page == renewed,
            "out of date: run DROPCURVE_BLESS=1 cargo test -p dropcurve-transport --test docs"
        );
    }
}

/// The sections of a page in order, and whether every page has them.
const SECTIONS: [(&str, bool); 7] = [
    ("Algorithm", true),
    ("Measured behaviour", false),
    ("Parameters", false),
    ("Ambiguities in the sources", false),
    ("When to use it", true),
    ("Validation", true),
    ("What is not modelled", false),
];

#[test]
fn every_page_has_the_same_sections_and_something_in_each() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/transports");
    let mut pages = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        pages += 1;
        let page = std::fs::read_to_string(&path).unwrap();
        let sections: Vec<(&str, &str)> =
            page.split("\n## ").skip(1).filter_map(|section| section.split_once('\n')).collect();
        let titles: Vec<&str> = sections.iter().map(|(title, _)| *title).collect();
        let expected: Vec<&str> = SECTIONS
            .iter()
            .filter(|(title, required)| *required || titles.contains(title))
            .map(|(title, _)| *title)
            .collect();
        assert_eq!(titles, expected, "{}", path.display());
        for (title, text) in sections {
            assert!(text.trim().len() > 3, "{}: nothing under {title:?}", path.display());
        }
    }
    assert!(pages > 20, "{pages} pages");
}
