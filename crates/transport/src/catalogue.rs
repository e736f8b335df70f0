//! Catalogue of this crate's options, profiles and algorithms, for `describe`, the schema and the docs.

use crate::cc::Algorithm;
use crate::params::{Params, Recovery};
use units::param::{Check, Choice, Described, Field, Preset};

/// Options and variants of a TCP connection.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// One-sentence description.
    pub about: &'static str,
    /// The options, with units, ranges, defaults and sources.
    pub fields: Vec<Field>,
    /// The key that names a profile.
    pub preset_key: &'static str,
    /// Profiles.
    pub profiles: &'static [Preset],
    /// Recovery algorithms: name and description.
    pub recoveries: Vec<(&'static str, &'static str)>,
    /// Congestion controls: name and description.
    pub controls: Vec<(&'static str, &'static str)>,
}

/// Returns the catalogue of TCP.
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
    use crate::params::{Codepoint, EcnRule};
    use units::param::{read_table, Problem, Table, Valid, Value};

    fn read(keys: &[(&str, &str)]) -> (Params, Vec<Problem>) {
        let table: Table =
            keys.iter().map(|(key, text)| (key.to_string(), Value::Text(text.to_string()))).collect();
        let mut problems = Vec::new();
        (read_table("", &table, &mut problems), problems)
    }

    /// A congestion control that needs ECN sets its ECN options, overriding a profile but not the user's own
    /// keys.
    #[test]
    fn a_control_of_marks_brings_its_echo() {
        let dialogue = |keys: &[(&str, &str)]| {
            let (params, problems) = read(keys);
            assert_eq!(problems, []);
            (params.ecn, params.ecn_rule, params.ect)
        };
        for profile in catalogue().profiles {
            let (ecn, rule, _) = dialogue(&[("cc", "dctcp"), ("profile", profile.name)]);
            assert_eq!((ecn, rule), (true, EcnRule::Dctcp), "{}", profile.name);
        }
        assert_eq!(dialogue(&[("cc", "prague")]), (true, EcnRule::AccEcn, Codepoint::Ect1));
        let own = [("ecn_rule", "accecn"), ("cc", "dctcp"), ("ect", "ect1")];
        assert_eq!(dialogue(&own), (true, EcnRule::AccEcn, Codepoint::Ect1));
        assert!(!read(&[("cc", "reno")]).0.ecn);
        let (_, refused) = read(&[("cc", "dctcp"), ("ecn", "false")]);
        assert_eq!((refused.len(), refused[0].path.as_str()), (1, "ecn"));
    }

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
