//! The scenario files and the docs.

use super::*;
use std::path::PathBuf;

pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn scenario_files() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder("scenarios"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .map(|path| {
            (path.file_stem().unwrap().to_string_lossy().into(), std::fs::read_to_string(&path).unwrap())
        })
        .filter(|(name, _)| name != "INDEX")
        .collect();
    files.sort();
    files
}

fn index() -> Table {
    text::read(&std::fs::read_to_string(folder("scenarios/INDEX.toml")).unwrap()).unwrap()
}

fn entry<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    table.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

#[test]
fn every_scenario_is_read_and_says_what_it_is() {
    for (name, written) in scenario_files() {
        let scenario =
            Scenario::parse(&written).unwrap_or_else(|problems| panic!("{name}: {:#?}", lines(&problems)));
        assert_eq!(plan_text(&parsed(&scenario.to_toml())), plan_text(&scenario), "{name}");
        for key in ["title", "description", "source"] {
            assert!(
                matches!(scenario.get(key), Ok(Value::Text(text)) if !text.is_empty()),
                "{name} lacks {key}"
            );
        }
    }
}

#[test]
fn the_index_lists_every_scenario_once() {
    let index = index();
    let mut listed: Vec<&str> = index.iter().map(|(name, _)| name.as_str()).collect();
    listed.sort_unstable();
    let files: Vec<String> = scenario_files().into_iter().map(|(name, _)| name).collect();
    assert_eq!(listed, files);
    for (name, value) in &index {
        let Value::Table(rows) = value else { panic!("{name} is not a section") };
        for key in ["title", "claim", "expect"] {
            assert!(matches!(entry(rows, key), Some(Value::Text(_))), "{name} lacks {key}");
        }
    }
}

#[test]
fn every_variant_of_the_index_is_read() {
    let index = index();
    for (name, written) in scenario_files() {
        let scenario = parsed(&written);
        let Some(Value::Table(rows)) = entry(&index, &name) else { continue };
        let Some(Value::Table(variants)) = entry(rows, "variants") else { continue };
        for (variant, edits) in variants {
            let Value::Table(edits) = edits else { panic!("{name}.{variant}") };
            let edits: Vec<(&str, Value)> =
                edits.iter().map(|(path, value)| (path.as_str(), value.clone())).collect();
            if let Err(problems) = scenario.with(&edits) {
                panic!("{name}.{variant}: {:#?}", lines(&problems));
            }
        }
    }
}
