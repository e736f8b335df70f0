//! What this crate offers, as data: for `describe`, the schema and the docs.

use crate::cc::Algorithm;
use crate::params::{Params, Recovery};
use units::param::{Check, Choice, Described, Field, Preset};

/// Everything a TCP connection can be told, and the names of its variants.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// One sentence on what it is.
    pub about: &'static str,
    /// The options, with units, ranges, defaults and sources.
    pub fields: Vec<Field>,
    /// The key that names a profile.
    pub preset_key: &'static str,
    /// The profiles.
    pub profiles: &'static [Preset],
    /// The recoveries: name and meaning.
    pub recoveries: Vec<(&'static str, &'static str)>,
    /// The congestion controls: name and meaning.
    pub controls: Vec<(&'static str, &'static str)>,
}

/// The catalogue of TCP.
pub fn catalogue() -> Catalogue {
    Catalogue {
        about: Params::DOC.trim(),
        fields: Params::fields(),
        preset_key: Params::PRESET_KEY,
        profiles: Params::presets(),
        recoveries: names::<Recovery>(),
        controls: names::<Algorithm>(),
    }
}

fn names<T: Choice>() -> Vec<(&'static str, &'static str)> {
    T::all().iter().map(|(_, name, doc)| (*name, doc.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::param::{read_table, Table, Valid, Value};

    #[test]
    fn every_profile_is_valid_with_every_recovery() {
        let offer = catalogue();
        for profile in offer.profiles {
            for (recovery, _) in &offer.recoveries {
                let text = |name: &str| Value::Text(name.to_string());
                let table: Table =
                    vec![("profile".into(), text(profile.name)), ("recovery".into(), text(recovery))];
                let mut problems = Vec::new();
                let params: Params = read_table("", &table, &mut problems);
                assert_eq!(problems, [], "{} with {recovery}", profile.name);
                assert!(Valid::new(params).is_ok());
            }
        }
    }
}
