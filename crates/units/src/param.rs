//! Parameters that describe and validate themselves.
//!
//! [`params!`](crate::params) declares a struct once, with the unit, default, range, source and meaning of each field.
//! From that one declaration come the reader of scenario files, the JSON Schema, `describe`, the docs tables and the
//! range checks. [`choices!`](crate::choices) does the same for options with names. A *preset* (a dialect of RED, a
//! profile of TCP) is a row of named options: it fills them in before the user's own keys.

mod declare;
mod kinds;
mod law;
mod read;
mod remedy;

pub use kinds::{Kind, Param, Spread};
pub use law::{Distribution, DistributionShape, RandomAmount};
pub use read::{closest, hint, nearest, read_table};
pub use remedy::with_default;

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Deref;

/// Re-exported names the macros need.
#[doc(hidden)]
pub mod macros {
    pub use alloc::string::{String, ToString};
    pub use alloc::vec::Vec;

    pub use super::{Choice, Described, Field, Kind, Meta, Param, Preset, Problem, Value};
}

/// A value of a scenario file.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A real number.
    Float(f64),
    /// Text, often a quantity with its unit.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Keys and values in the order written.
    Table(Table),
}

/// Keys and values in the order written.
pub type Table = Vec<(String, Value)>;

impl core::fmt::Display for Value {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) => write!(f, "{n}"),
            Value::Float(x) => write!(f, "{x}"),
            Value::Text(s) => write!(f, "\"{s}\""),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Value::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Value::Table(_) => write!(f, "a table"),
        }
    }
}

/// One thing wrong with the user's input.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The path: dotted keys, such as `queue.max_th`.
    pub path: String,
    /// The value at that path; empty if there is none.
    pub value: String,
    /// The rule it breaks.
    pub rule: String,
    /// The remedy.
    pub remedy: String,
}

impl Problem {
    /// A problem with the parameter called `path`.
    pub fn new(
        path: impl Into<String>,
        value: impl ToString,
        rule: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Problem {
        Problem { path: path.into(), value: value.to_string(), rule: rule.into(), remedy: remedy.into() }
    }

    /// The same problem seen from one level up.
    pub fn under(mut self, parent: &str) -> Problem {
        if self.path.is_empty() {
            self.path = parent.to_string();
        } else if !parent.is_empty() {
            self.path = format!("{parent}.{}", self.path);
        }
        self
    }
}

impl core::fmt::Display for Problem {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}", self.path)?;
        if !self.value.is_empty() {
            write!(f, " = {}", self.value)?;
        }
        write!(f, ": {}", self.rule)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        Ok(())
    }
}

/// The numbers a parameter may take. Written so that NaN is never inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Anything its kind allows.
    Any,
    /// Above zero.
    Positive,
    /// From `.0` to `.1`, both included.
    Within(f64, f64),
    /// Above `.0`, up to and including `.1`.
    Above(f64, f64),
    /// Strictly between `.0` and `.1`.
    Between(f64, f64),
}

impl Range {
    /// Whether `x` lies inside.
    pub fn holds(self, x: f64) -> bool {
        match self {
            Range::Any => !x.is_nan(),
            Range::Positive => x > 0.0,
            Range::Within(low, high) => x >= low && x <= high,
            Range::Above(low, high) => x > low && x <= high,
            Range::Between(low, high) => x > low && x < high,
        }
    }

    /// The rule in words.
    pub fn rule(self) -> String {
        match self {
            Range::Any => "any".into(),
            Range::Positive => "must be above 0".into(),
            Range::Within(low, high) if high == f64::INFINITY => format!("must be at least {low}"),
            Range::Within(low, high) => format!("must lie in [{low}, {high}]"),
            Range::Above(low, high) => format!("must lie in ({low}, {high}]"),
            Range::Between(low, high) => format!("must lie in ({low}, {high})"),
        }
    }
}

/// The declaration of a field beyond its type and default.
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// The unit of a bare number; `""` where the text has one, `"1"` for pure ratios.
    pub unit: &'static str,
    /// Numbers it may take (in packets, bytes, seconds or bits per second).
    pub range: Range,
    /// The source of the default.
    pub source: &'static str,
    /// Whether the default is our own choice because the source leaves it open.
    pub assumed: bool,
}

impl Meta {
    /// No details.
    pub const NONE: Meta = Meta { unit: "", range: Range::Any, source: "", assumed: false };
}

/// A field as `describe`, the schema and the docs show it.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its key.
    pub name: &'static str,
    /// Its meaning.
    pub doc: String,
    /// The values that may be written there.
    pub kind: Kind,
    /// Unit, range, source.
    pub meta: Meta,
    /// The default in the form the user would write it.
    pub default: Value,
}

/// A row of named options under one name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name, such as `ns2`.
    pub name: &'static str,
    /// Its meaning.
    pub doc: &'static str,
    /// Keys and the text a user would write for them.
    pub options: &'static [(&'static str, &'static str)],
}

/// A struct declared with [`params!`](crate::params).
pub trait Described: Clone + Default {
    /// One sentence on its purpose.
    const DOC: &'static str;
    /// All fields, in the order declared.
    fn fields() -> Vec<Field>;
    /// Sets one field from a scenario value; the error is all that is wrong with it, with paths below the field.
    /// Unknown names are `None`.
    fn set(&mut self, name: &str, value: &Value) -> Option<Result<(), Vec<Problem>>>;
    /// All values in the form a user would write.
    fn show(&self) -> Table;
    /// One problem for each field outside its range.
    fn out_of_range(&self) -> Vec<Problem>;
}

/// Relations between fields, and presets. Implemented by hand in addition to [`params!`](crate::params).
pub trait Check: Described {
    /// The key that names a preset (`dialect`, `profile`), if there are any.
    const PRESET_KEY: &'static str = "";

    /// The presets, in the order to show them.
    fn presets() -> &'static [Preset] {
        &[]
    }

    /// Values of other options that the ones read so far imply. They set every option without a key of its own, and
    /// override a preset.
    fn implied(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Adds a problem for each broken relation between fields.
    fn relations(&self, _problems: &mut Vec<Problem>) {}
}

/// An enum declared with [`choices!`](crate::choices).
pub trait Choice: Copy + PartialEq + 'static {
    /// Every value with the name a user writes and its meaning.
    fn all() -> &'static [(Self, &'static str, &'static str)];

    /// The name a user writes.
    fn name(self) -> &'static str {
        Self::all().iter().find(|(value, ..)| *value == self).map_or("", |(_, name, _)| name)
    }
}

/// Parameters that passed every check. Algorithms accept only these, so their data path has no errors. Clones share
/// them, so that a hundred thousand flows of a group need one copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Valid<T>(Arc<T>);

impl<T: Check + Clone> Valid<T> {
    /// Checks ranges, then relations.
    ///
    /// # Errors
    /// All problems at once; paths are field names.
    pub fn new(params: T) -> Result<Valid<T>, Vec<Problem>> {
        let mut problems = params.out_of_range();
        if problems.is_empty() {
            params.relations(&mut problems);
        }
        if problems.is_empty() {
            Ok(Valid(Arc::new(params)))
        } else {
            Err(problems)
        }
    }

    /// The parameters themselves.
    pub fn into_inner(self) -> T {
        Arc::unwrap_or_clone(self.0)
    }
}

impl<T> Deref for Valid<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Adds a problem unless `holds`. For [`Check::relations`].
pub fn require(
    problems: &mut Vec<Problem>,
    holds: bool,
    path: &str,
    value: impl ToString,
    rule: impl Into<String>,
    remedy: impl Into<String>,
) {
    if !holds {
        problems.push(Problem::new(path, value, rule, remedy));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{choices, params, Rate, Span};

    choices! {
        /// A colour.
        pub enum Colour {
            /// Like grass.
            Green = "green",
            /// Like fire.
            Red = "red",
        }
    }

    params! {
        /// Things to test with.
        pub struct Things {
            /// How fast.
            rate: Rate = Rate(1_000_000),
            /// How long.
            wait: Span = Span::from_millis(20) => { range: Range::Positive },
            /// How likely.
            chance: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), source: "made up" },
            /// The colour.
            colour: Colour = Colour::Green,
            /// How many, if known.
            many: Option<u64> = None,
        }
    }

    impl Check for Things {
        const PRESET_KEY: &'static str = "style";
        fn presets() -> &'static [Preset] {
            &[Preset {
                name: "loud",
                doc: "Red and certain.",
                options: &[("colour", "red"), ("chance", "1")],
            }]
        }
        fn relations(&self, problems: &mut Vec<Problem>) {
            require(
                problems,
                self.chance < 1.0 || self.colour == Colour::Red,
                "chance",
                self.chance,
                "only red is certain",
                "",
            );
        }
    }

    fn table(rows: &[(&str, Value)]) -> Table {
        rows.iter().map(|(key, value)| (key.to_string(), value.clone())).collect()
    }

    fn text(s: &str) -> Value {
        Value::Text(s.to_string())
    }

    #[test]
    fn all_problems_are_found_at_once() {
        let mut problems = Vec::new();
        let input = table(&[
            ("rate", text("fast")),
            ("chanse", Value::Float(0.2)),
            ("wait", text("0 ms")),
            ("colour", text("rd")),
        ]);
        read_table::<Things>("x", &input, &mut problems);
        let shown: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert_eq!(problems.len(), 4, "{shown:?}");
        assert!(
            shown.iter().any(|s| s.contains("x.chanse") && s.contains("did you mean 'chance'")),
            "{shown:?}"
        );
        assert!(shown.iter().any(|s| s.contains("x.colour = \"rd\"") && s.contains("'red'")), "{shown:?}");
    }

    #[test]
    fn a_preset_fills_in_and_own_keys_win() {
        let mut problems = Vec::new();
        let loud: Things = read_table("x", &table(&[("style", text("loud"))]), &mut problems);
        assert_eq!((loud.colour, loud.chance), (Colour::Red, 1.0));
        let own: Things =
            read_table("x", &table(&[("chance", Value::Float(0.5)), ("style", text("loud"))]), &mut problems);
        assert_eq!((own.colour, own.chance), (Colour::Red, 0.5));
        assert_eq!(problems, []);
    }

    #[test]
    fn relations_are_checked_once_ranges_hold() {
        let broken = Things { chance: 1.0, ..Things::default() };
        assert_eq!(Valid::new(broken).unwrap_err()[0].rule, "only red is certain");
        assert_eq!(
            Valid::new(Things { chance: f64::NAN, ..Things::default() }).unwrap_err()[0].rule,
            "must lie in (0, 1]"
        );
    }

    #[test]
    fn shown_values_are_read_back() {
        let things = Things { wait: Span(1234), many: Some(7), colour: Colour::Red, ..Things::default() };
        let mut problems = Vec::new();
        assert_eq!(read_table::<Things>("", &things.show(), &mut problems), things);
        assert_eq!(problems, []);
    }
}
