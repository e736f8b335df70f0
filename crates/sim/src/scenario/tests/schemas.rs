//! The JSON Schema and the catalogue agree with the parser.

use super::*;
use serde_json::{json, Value as Json};

/// Enough of a validator for the schema: every keyword it uses but `pattern`.
fn valid(root: &Json, schema: &Json, value: &Json) -> bool {
    if let Json::Bool(yes) = schema {
        return *yes;
    }
    let all = |key: &str, test: &dyn Fn(&Json) -> bool| schema.get(key).is_none_or(test);
    let list = |part: &Json| part.as_array().cloned().unwrap_or_default();
    let reference = |name: &Json| {
        let pointer = name.as_str().unwrap().trim_start_matches('#');
        valid(root, root.pointer(pointer).unwrap_or_else(|| panic!("{pointer} leads nowhere")), value)
    };
    let number = value.as_f64();
    let bound = |key: &str, holds: fn(f64, f64) -> bool| {
        all(key, &|limit| number.is_none_or(|number| holds(number, limit.as_f64().unwrap())))
    };
    all("$ref", &reference)
        && all("type", &|kinds| match kinds {
            Json::Array(kinds) => kinds.iter().any(|kind| is(value, kind.as_str().unwrap())),
            kind => is(value, kind.as_str().unwrap()),
        })
        && all("const", &|one| one == value)
        && all("enum", &|names| list(names).contains(value))
        && all("anyOf", &|each| list(each).iter().any(|part| valid(root, part, value)))
        && all("oneOf", &|each| list(each).iter().filter(|part| valid(root, part, value)).count() == 1)
        && bound("minimum", |x, limit| x >= limit)
        && bound("maximum", |x, limit| x <= limit)
        && bound("exclusiveMinimum", |x, limit| x > limit)
        && bound("exclusiveMaximum", |x, limit| x < limit)
        && value
            .as_array()
            .is_none_or(|items| all("items", &|part| items.iter().all(|item| valid(root, part, item))))
        && value.as_object().is_none_or(|members| {
            all("required", &|names| {
                list(names).iter().all(|name| members.contains_key(name.as_str().unwrap()))
            }) && all("minProperties", &|least| members.len() as u64 >= least.as_u64().unwrap())
                && members.iter().all(|(name, member)| {
                    let known = schema.get("properties").and_then(|known| known.get(name));
                    // The one pattern there is: the hops of a chain.
                    let pattern =
                        schema.get("patternProperties").filter(|_| name.starts_with("hop") && name != "hops");
                    let pattern = pattern.and_then(|patterns| patterns.as_object()?.values().next());
                    match known.or(pattern).or(schema.get("additionalProperties")) {
                        Some(part) => valid(root, part, member),
                        None => true,
                    }
                })
        })
}

fn is(value: &Json, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("unexpected type {other}"),
    }
}

/// The document as given, as JSON.
fn given(written: &str) -> Json {
    json::object(&text::read(written).unwrap())
}

#[test]
fn accepted_input_is_valid() {
    let schema = schema();
    for written in [FIRST, GRAPH, CHAIN] {
        assert!(valid(&schema, &schema, &given(written)), "{written}");
        let resolved = parsed(written).to_json();
        assert!(valid(&schema, &schema, &resolved), "{resolved:#}");
    }
}

#[test]
fn refused_input_is_invalid() {
    let schema = schema();
    for (good, bad) in [
        ("kind = \"red\"", "kind = \"rde\""),
        ("min_th = \"5 pkts\"", "min_thresh = \"5 pkts\""),
        ("kind = \"red\"", "kind = \"droptail\""),
        ("count = 8", "count = 0"),
        ("count = 8", "bytes = 8.5"),
        ("recovery = \"sack\"", "recovery = \"sock\""),
        ("recovery = \"sack\"", "jitter = 0.1"),
        ("packet = \"500 B\"", "recovery = \"sack\""),
        ("source = \"cbr\"", "source = \"ftp\""),
        ("[run]", "[runs]"),
        ("[dumbbell]", "[links.x]"),
        ("[dumbbell]", "[chain]\n[dumbbell]"),
        ("dialect = \"ns2\"", "dialect = \"ns1\""),
    ] {
        assert!(FIRST.contains(good), "{good}");
        let written = FIRST.replacen(good, bad, 1);
        assert!(!valid(&schema, &schema, &given(&written)), "{bad}");
        assert!(Scenario::parse(&written).is_err(), "{bad}");
    }
}

#[test]
fn every_key_of_the_schema_is_explained() {
    let schema = schema();
    let defs = schema["$defs"].as_object().unwrap();
    let mut keys = 0;
    for (name, part) in defs {
        for (key, described) in part["properties"].as_object().into_iter().flatten() {
            if described.get("$ref").is_some() || key == "kind" {
                continue;
            }
            keys += 1;
            assert!(described["examples"].is_array(), "{name}.{key}");
            for word in ["description", "examples"] {
                assert!(described.get(word).is_some(), "{name}.{key} lacks {word}: {described:#}");
            }
            let preset = ["dialect", "profile", "model"].contains(&key.as_str());
            assert!(preset || described.get("default").is_some(), "{name}.{key} lacks a default");
        }
    }
    assert!(keys > 100, "{keys}");
}

#[test]
fn the_catalogue_names_everything() {
    let catalogue = catalogue();
    let names = |list: &str, key: &str| -> Vec<String> {
        catalogue[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry[key].as_str().unwrap().to_string())
            .collect()
    };
    assert_eq!(names("disciplines", "kind"), queue::KINDS);
    assert_eq!(
        names("sources", "name"),
        ["ftp", "http", "telnet", "video", "shaped", "cbr", "onoff", "poisson", "voice", "replay"]
    );
    assert_eq!(
        names("transports", "name"),
        ["tcp", "quic", "tfrc", "rap", "tear", "lda", "drs", "scream", "gcc", "udp"]
    );
    assert!(names("recoveries", "name").contains(&"newreno".to_string()));
    assert_eq!(names("topologies", "name"), ["dumbbell", "chain", "links"]);
    let run = &catalogue["sections"][1];
    assert_eq!(run["path"], "run");
    let duration = json!({
        "name": "duration", "doc": "Simulated time.", "kind": "span", "unit": "", "default": "60 s", "auto": false,
        "list": false, "range": "must be above 0", "source": "", "assumed": false, "choices": [], "examples": ["20 ms"],
    });
    assert_eq!(run["fields"][0], duration);
}

#[test]
fn examples_and_defaults_are_what_the_schema_allows() {
    let schema = schema();
    for (name, part) in schema["$defs"].as_object().unwrap() {
        for (key, described) in part["properties"].as_object().into_iter().flatten() {
            let examples = described.get("examples").and_then(Json::as_array).cloned().unwrap_or_default();
            let default = described.get("default").cloned();
            for value in examples.into_iter().chain(default) {
                // A node has no default; the empty text says so.
                assert!(value == "" || valid(&schema, described, &value), "{name}.{key}: {value}");
            }
        }
    }
}
