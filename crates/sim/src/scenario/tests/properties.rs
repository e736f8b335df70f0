//! Properties of all texts and all edits.

use super::*;
use proptest::prelude::*;

/// Values that a slip of the pen, or a machine, might write instead.
fn fragments() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("=".into()),
        Just("\"".into()),
        Just("[".into()),
        Just("]\n".into()),
        Just("\n[queue]\n".into()),
        Just("\n[links.x]\nfrom = \"a\"\nto = \"b\"\n".into()),
        Just("auto".into()),
        Just("-1".into()),
        Just("999999999999999999999".into()),
        Just("1e308 s".into()),
        Just("nan".into()),
        Just("{ a = 1 }".into()),
        "[a-z_]{1,8}",
        "\\PC{0,6}",
        "[0-9.]{1,12} ?(s|ms|B|pkts|Mbit/s|GB)",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(given in "\\PC{0,200}") {
        let _ = Scenario::parse(&given);
    }

    #[test]
    fn no_mutation_makes_it_panic(
        which in 0usize..3,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, fragments()), 1..5),
    ) {
        let mut given: Vec<char> = [FIRST, GRAPH, CHAIN][which].chars().collect();
        for (at, length, fragment) in cuts {
            let start = at.index(given.len().max(1)).min(given.len());
            let end = (start + length).min(given.len());
            given.splice(start..end, fragment.chars());
        }
        let given: String = given.into_iter().collect();
        if let Ok(scenario) = Scenario::parse(&given) {
            // Every accepted scenario round-trips.
            let again = Scenario::parse(&scenario.to_toml());
            prop_assert!(again.is_ok(), "{:?}", again.err());
            prop_assert_eq!(plan_text(&again.unwrap()), plan_text(&scenario));
        }
    }

    #[test]
    fn no_value_anywhere_makes_it_panic(
        which in 0usize..3,
        at in any::<prop::sample::Index>(),
        value in fragments(),
    ) {
        let scenario = parsed([FIRST, GRAPH, CHAIN][which]);
        let paths = paths(scenario.resolved(), "");
        let path = &paths[at.index(paths.len())];
        if let Ok(changed) = scenario.set(path, typed(&value)) {
            // An empty title is not written out.
            let written = !value.is_empty() || path.contains('.');
            prop_assert!(!written || changed.get(path).is_ok(), "{path} = {value} is gone");
        }
    }

    #[test]
    fn values_of_get_are_accepted_by_set(which in 0usize..3, at in any::<prop::sample::Index>()) {
        let scenario = parsed([FIRST, GRAPH, CHAIN][which]);
        let paths = paths(scenario.resolved(), "");
        let path = &paths[at.index(paths.len())];
        let same = scenario.set(path, scenario.get(path).unwrap());
        prop_assert!(same.is_ok(), "{path}: {:?}", same.err());
        prop_assert_eq!(plan_text(&same.unwrap()), plan_text(&scenario), "{}", path);
    }

    #[test]
    fn text_survives_toml(key in "\\PC{1,8}", value in "\\PC{0,20}") {
        let table = vec![(key, Value::Text(value))];
        prop_assert_eq!(text::read(&text::write(&table)), Ok(table));
    }
}

/// The paths of all values of a table.
fn paths(table: &Table, parent: &str) -> Vec<String> {
    let each = table.iter().flat_map(|(key, value)| {
        let path = crate::keys::part::dotted(parent, key);
        match value {
            Value::Table(inner) => paths(inner, &path),
            _ => vec![path],
        }
    });
    each.collect()
}
