//! Declarations of plug-ins: a name, texts, parameters, and the hash of the code, for whatever kind of thing it is.
//!
//! Units: seconds, bits per second, or the unit that a parameter declares.

use crate::param::{nearest, Choice, Param, Problem, Value};
use crate::{Rate, Span};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A parameter of a plug-in: a number, whose unit decides how it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// `s` (written `"20 ms"`), `bit/s` (written `"10 Mbit/s"`), or any other word, which may follow the number.
    pub unit: &'static str,
    /// Its meaning.
    pub about: &'static str,
    /// Its default, in seconds, bits per second, or the unit.
    pub default: f64,
    /// The least and the greatest value.
    pub range: (f64, f64),
}

impl Parameter {
    /// Parses a value, in its range.
    ///
    /// # Errors
    /// The rule that it breaks, with the default as remedy.
    pub fn read(&self, value: &Value) -> Result<f64, Problem> {
        let fault = |rule: String| {
            Problem::new(self.name, value, rule, format!("the default is {}", self.show(self.default)))
        };
        let number = match self.unit {
            "s" => Span::read(value).map(Span::as_secs),
            "bit/s" => Rate::read(value).map(|rate| rate.as_bps()),
            unit => match value {
                Value::Text(text) => {
                    f64::read(&Value::Text(text.trim().trim_end_matches(unit).trim().to_string()))
                }
                _ => f64::read(value),
            },
        };
        let (low, high) = self.range;
        match number.map_err(fault)? {
            number if low <= number && number <= high => Ok(number),
            _ => Err(fault(format!("must lie in {low} to {high} {}", self.unit).trim_end().to_string())),
        }
    }

    /// A value as a user would write it.
    pub fn show(&self, value: f64) -> Value {
        match self.unit {
            "s" => Span::from_secs(value).show(),
            "bit/s" => Rate(value as u64).show(),
            _ if value == value as i64 as f64 => Value::Int(value as i64),
            _ => Value::Float(value),
        }
    }
}

/// The declaration of a plug-in that a scenario names in one text: `name`, or `name:key=value,key=value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The name that a scenario writes.
    pub name: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// Description in one paragraph.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// A hash of its code, stored with results so that those of other code are never taken for its own.
    pub code: String,
}

impl Declaration {
    /// Parses the part of a text after the name and its colon: the parameters' values, in order of the parameters.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn read(&self, options: Option<&str>) -> Result<Vec<f64>, String> {
        let mut values: Vec<f64> = self.parameters.iter().map(|one| one.default).collect();
        for option in options.into_iter().flat_map(|text| text.split(',')) {
            let Some((key, value)) = option.split_once('=') else {
                return Err(format!("must be {0} or {0}:KEY=VALUE,…; {option:?} has no =", self.name));
            };
            let (key, value) = (key.trim(), Value::Text(value.trim().to_string()));
            match self.parameters.iter().position(|one| one.name == key) {
                Some(place) => {
                    values[place] = self.parameters[place]
                        .read(&value)
                        .map_err(|fault| format!("{key} {}; {}", fault.rule, fault.remedy))?;
                }
                None if key == "code" => same_code(&self.code, &value)?,
                None => return Err(unknown(key, self.name, &self.parameters)),
            }
        }
        Ok(values)
    }

    /// The text of these values, with the hash of the code.
    pub fn show(&self, values: &[f64]) -> String {
        let mut text = format!("{}:", self.name);
        for (one, value) in self.parameters.iter().zip(values) {
            let shown = match one.show(*value) {
                Value::Text(words) => words,
                other => other.to_string(),
            };
            text += &format!("{}={shown},", one.name);
        }
        text + "code=" + &self.code
    }

    /// Checks the name and the parameters; `built_in` are names that are taken.
    ///
    /// # Errors
    /// The rule that is broken.
    pub fn check(&self, built_in: &[&str]) -> Result<(), String> {
        check(self.name, &self.parameters, built_in)
    }
}

/// Checks the name and the parameters of a plug-in; `built_in` are names that are taken.
///
/// # Errors
/// The rule that is broken.
pub fn check(name: &str, parameters: &[Parameter], built_in: &[&str]) -> Result<(), String> {
    let word = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_lowercase())
            && text.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_')
    };
    if !word(name) {
        return Err(format!("{name}: a plug-in's name is lower-case letters, digits and _"));
    }
    if built_in.contains(&name) {
        return Err(format!("{name}: is built in; give the plug-in another name"));
    }
    for one in parameters {
        let (low, high) = one.range;
        if !word(one.name) || ["kind", "code"].contains(&one.name) {
            return Err(format!("{name}: a parameter must not be called {:?}", one.name));
        }
        if !(low <= one.default && one.default <= high) {
            return Err(format!("{name}: the default of {} is outside its range", one.name));
        }
    }
    Ok(())
}

/// Checks a hash that a scenario names against the loaded code.
///
/// # Errors
/// They differ.
pub fn same_code(code: &str, value: &Value) -> Result<(), String> {
    if *value == Value::Text(code.to_string()) {
        return Ok(());
    }
    Err(format!("the plug-in that is loaded has other code ({code})"))
}

/// The rule that a key is not a parameter, with the nearest name.
fn unknown(key: &str, plugin: &str, parameters: &[Parameter]) -> String {
    let names: Vec<&str> = parameters.iter().map(|one| one.name).collect();
    let remedy = remedy(key, &names);
    format!("{key} is not a parameter of the plug-in {plugin}; {remedy}")
}

/// Returns the remedy for an unknown key.
pub fn remedy(key: &str, names: &[&str]) -> String {
    match nearest(key, names) {
        Some(name) => format!("did you mean '{name}'?"),
        None if names.is_empty() => "it has no parameter".to_string(),
        None => format!("there are {}", names.join(", ")),
    }
}

/// Returns the rule for a text such as `mine:gain=0.5` that names no plug-in which is loaded: what is built in, by the
/// names of `T`, has no parameters in its name. `rule` is that for any other text.
pub fn not_loaded<T: Choice>(text: &str, rule: String) -> String {
    match text.split_once(':') {
        Some((name, _)) if T::all().iter().any(|(_, built_in, _)| *built_in == name) => {
            format!("must be {name} alone, whose parameters are keys of the flow; did you mean '{name}'?")
        }
        Some((name, _)) => format!("names the plug-in {name}, which is not loaded: --plugin FILE loads it"),
        None => rule,
    }
}

/// The plug-ins of one kind, by name, for the whole process.
#[cfg(feature = "std")]
pub struct Registry<T: ?Sized>(std::sync::RwLock<Vec<alloc::sync::Arc<T>>>);

#[cfg(feature = "std")]
impl<T: ?Sized> Registry<T> {
    /// An empty one.
    #[allow(clippy::new_without_default)] // for statics
    pub const fn new() -> Registry<T> {
        Registry(std::sync::RwLock::new(Vec::new()))
    }

    /// The registered plug-ins.
    pub fn all(&self) -> Vec<alloc::sync::Arc<T>> {
        self.0.read().map(|known| known.clone()).unwrap_or_default()
    }

    /// Adds a plug-in, whose name and code `identity` returns; the same code under the same name is no error.
    ///
    /// # Errors
    /// Another plug-in has the name.
    pub fn add(
        &self,
        plugin: alloc::sync::Arc<T>,
        identity: impl Fn(&T) -> (&str, &str),
    ) -> Result<(), String> {
        let mut known = self.0.write().map_err(|_| "the list of plug-ins is damaged".to_string())?;
        let (name, code) = identity(&plugin);
        match known.iter().map(|other| identity(other)).find(|(other, _)| *other == name) {
            Some((_, other)) if other != code => {
                return Err(format!("{name}: two plug-ins have this name; load one of them"));
            }
            Some(_) => return Ok(()),
            None => {}
        }
        known.push(plugin);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declaration() -> Declaration {
        let parameters = vec![
            Parameter { name: "gain", unit: "", about: "", default: 0.5, range: (0.0, 1.0) },
            Parameter { name: "pause", unit: "s", about: "", default: 0.02, range: (0.0, 10.0) },
        ];
        Declaration { name: "mine", title: "Mine", about: "", parameters, code: "ab".to_string() }
    }

    #[test]
    fn shown_values_are_read_again() {
        let mine = declaration();
        assert_eq!(mine.read(None), Ok(vec![0.5, 0.02]));
        assert_eq!(mine.read(Some("pause=5 ms, gain=0.25")), Ok(vec![0.25, 0.005]));
        let shown = mine.show(&[0.25, 0.005]);
        assert_eq!(shown, "mine:gain=0.25,pause=5 ms,code=ab");
        assert_eq!(mine.read(shown.strip_prefix("mine:")), Ok(vec![0.25, 0.005]));
    }

    #[test]
    fn faults_are_named_with_their_remedy() {
        let mine = declaration();
        for (options, rule) in [
            ("gain", "has no ="),
            ("gian=1", "did you mean 'gain'?"),
            ("gain=2", "must lie in 0 to 1"),
            ("code=cd", "other code (ab)"),
        ] {
            let fault = mine.read(Some(options)).unwrap_err();
            assert!(fault.contains(rule), "{fault}");
        }
        assert!(mine.check(&["mine"]).is_err());
        assert!(check("My-one", &[], &[]).is_err());
    }

    #[test]
    fn one_name_is_one_code() {
        let known = Registry::new();
        let other = Declaration { code: "cd".to_string(), ..declaration() };
        let identity = |one: &Declaration| -> (&'static str, &'static str) {
            (one.name, if one.code == "ab" { "ab" } else { "cd" })
        };
        let add = |one: Declaration| known.add(alloc::sync::Arc::new(one), |one| identity(one));
        assert_eq!((add(declaration()), add(declaration())), (Ok(()), Ok(())));
        assert!(add(other).is_err());
        assert_eq!(known.all().len(), 1);
    }
}
