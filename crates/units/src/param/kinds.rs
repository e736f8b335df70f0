//! The kinds of values of parameters, and the parsing and formatting of each.

use super::{nearest, Choice, Problem, Value};
use crate::math;
use crate::quantity::{self, Amount};
use crate::{Bytes, Rate, Span};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Values that may be written for a parameter, for the schema and for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Short name: `rate`, `span`, `bytes`, `amount`, `number`, `count`, `switch`, `choice`, `text`, `spread`,
    /// `size law`, `time law`, `count law`, `queue`.
    pub name: &'static str,
    /// An example value.
    pub example: &'static str,
    /// Names and meanings, for a choice.
    pub choices: Vec<(&'static str, &'static str)>,
    /// Whether `"auto"` is also accepted.
    pub auto: bool,
    /// Whether it is a list.
    pub list: bool,
}

impl Kind {
    /// A kind with a name and an example, and nothing more.
    pub const fn plain(name: &'static str, example: &'static str) -> Kind {
        Kind { name, example, choices: Vec::new(), auto: false, list: false }
    }

    /// The kind of an enum declared with `choices!`.
    pub fn choice<T: Choice>() -> Kind {
        let choices = T::all().iter().map(|(_, name, doc)| (*name, doc.trim())).collect();
        Kind { choices, ..Kind::plain("choice", "") }
    }

    /// Parses one of an enum's names.
    ///
    /// # Errors
    /// The rule, with the nearest name.
    pub fn read_choice<T: Choice>(value: &Value) -> Result<T, String> {
        let names: Vec<&str> = T::all().iter().map(|(_, name, _)| *name).collect();
        let Value::Text(text) = value else {
            return Err(format!("must be one of {}", names.join(", ")));
        };
        T::all().iter().find(|(_, name, _)| name == text).map(|(choice, ..)| *choice).ok_or_else(|| {
            let hint =
                nearest(text, &names).map_or(String::new(), |name| format!("; did you mean '{name}'?"));
            format!("must be one of {}{hint}", names.join(", "))
        })
    }
}

/// A type of a value in a scenario.
pub trait Param: Sized {
    /// The values that may be written.
    fn kind() -> Kind;
    /// Parses it.
    ///
    /// # Errors
    /// The rule the value breaks.
    fn read(value: &Value) -> Result<Self, String>;
    /// Parses a value with keys of its own, which may have several problems.
    ///
    /// # Errors
    /// All problems, with paths below the parameter; an empty path is the parameter itself.
    fn read_whole(value: &Value) -> Result<Self, Vec<Problem>> {
        Self::read(value).map_err(|rule| vec![Problem::new("", value, rule, "")])
    }
    /// Writes it as a user would.
    fn show(&self) -> Value;
    /// The numbers in it, for range checks.
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
}

impl Param for bool {
    fn kind() -> Kind {
        Kind::plain("switch", "true")
    }
    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(b) => Ok(*b),
            Value::Text(s) if s == "true" || s == "false" => Ok(s == "true"),
            _ => Err("must be true or false".into()),
        }
    }
    fn show(&self) -> Value {
        Value::Bool(*self)
    }
}

impl Param for f64 {
    fn kind() -> Kind {
        Kind::plain("number", "0.1")
    }
    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Int(n) => Ok(*n as f64),
            Value::Float(x) if x.is_finite() => Ok(*x),
            Value::Text(s) => {
                quantity::number(s).ok_or_else(|| "must be a number such as 0.02 or \"1/50\"".into())
            }
            _ => Err("must be a number such as 0.02 or \"1/50\"".into()),
        }
    }
    fn show(&self) -> Value {
        Value::Float(*self)
    }
    fn numbers(&self) -> Vec<f64> {
        vec![*self]
    }
}

impl Param for u64 {
    fn kind() -> Kind {
        Kind::plain("count", "10")
    }
    fn read(value: &Value) -> Result<Self, String> {
        let rule = || "must be a whole number, 0 or more".to_string();
        match value {
            Value::Int(n) => u64::try_from(*n).map_err(|_| rule()),
            Value::Float(x) if math::floor(*x) == *x && *x >= 0.0 && *x < 9e15 => Ok(*x as u64),
            Value::Text(s) => s.replace('_', "").parse().map_err(|_| rule()),
            _ => Err(rule()),
        }
    }
    fn show(&self) -> Value {
        i64::try_from(*self).map_or(Value::Float(*self as f64), Value::Int)
    }
    fn numbers(&self) -> Vec<f64> {
        vec![*self as f64]
    }
}

impl Param for String {
    fn kind() -> Kind {
        Kind::plain("text", "")
    }
    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(s) => Ok(s.clone()),
            _ => Err("must be text in quotes".into()),
        }
    }
    fn show(&self) -> Value {
        Value::Text(self.clone())
    }
}

/// Implements [`Param`] for a quantity written as text with a unit.
macro_rules! quantity {
    ($ty:ty, $name:literal, $example:literal, $read:path, $show:path, $number:expr) => {
        impl Param for $ty {
            fn kind() -> Kind {
                Kind::plain($name, $example)
            }
            fn read(value: &Value) -> Result<Self, String> {
                let rule = concat!("must be text with a number and its unit, such as \"", $example, "\"");
                match value {
                    Value::Text(text) => $read(text).ok_or_else(|| rule.to_string()),
                    _ => Err(rule.to_string()),
                }
            }
            fn show(&self) -> Value {
                Value::Text($show(*self))
            }
            fn numbers(&self) -> Vec<f64> {
                vec![$number(*self)]
            }
        }
    };
}

quantity!(Span, "span", "20 ms", quantity::span, quantity::show_span, Span::as_secs);
quantity!(Rate, "rate", "10 Mbit/s", quantity::rate, quantity::show_rate, Rate::as_bps);
quantity!(Bytes, "bytes", "1500 B", quantity::bytes, quantity::show_bytes, |b: Bytes| b.0 as f64);
quantity!(Amount, "amount", "50 pkts", quantity::amount, quantity::show_amount, Amount::number);

impl<T: Param> Param for Option<T> {
    fn kind() -> Kind {
        Kind { auto: true, ..T::kind() }
    }
    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(s) if s == "auto" => Ok(None),
            other => T::read(other).map(Some).map_err(|rule| match rule.split_once(';') {
                Some((rule, remedy)) => format!("{rule}, or \"auto\";{remedy}"),
                None => format!("{rule}, or \"auto\""),
            }),
        }
    }
    fn show(&self) -> Value {
        self.as_ref().map_or(Value::Text("auto".into()), Param::show)
    }
    fn numbers(&self) -> Vec<f64> {
        self.as_ref().map_or(Vec::new(), Param::numbers)
    }
}

impl<T: Param> Param for Vec<T> {
    fn kind() -> Kind {
        Kind { list: true, ..T::kind() }
    }
    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(items) => items.iter().map(T::read).collect(),
            _ => Err("must be a list in square brackets".into()),
        }
    }
    fn read_whole(value: &Value) -> Result<Self, Vec<Problem>> {
        let Value::List(items) = value else {
            return Self::read(value).map_err(|rule| vec![Problem::new("", value, rule, "")]);
        };
        let (mut read, mut problems) = (Vec::new(), Vec::new());
        for (i, item) in items.iter().enumerate() {
            match T::read_whole(item) {
                Ok(one) => read.push(one),
                // A problem of a plain item is reported at the list, with the whole list as its value.
                Err(found) => problems.extend(found.into_iter().map(|problem| match problem.path.as_str() {
                    "" => Problem { value: value.to_string(), ..problem },
                    path => Problem { path: format!("{i}.{path}"), ..problem },
                })),
            }
        }
        problems.dedup();
        if problems.is_empty() {
            Ok(read)
        } else {
            Err(problems)
        }
    }
    fn show(&self) -> Value {
        Value::List(self.iter().map(Param::show).collect())
    }
    fn numbers(&self) -> Vec<f64> {
        self.iter().flat_map(Param::numbers).collect()
    }
}

/// One span for each member of a group: the same for all, spread evenly, drawn at random, or listed.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread {
    /// All the same: `"20 ms"`.
    Same(Span),
    /// From the first to the last in equal steps: `"even 1 ms to 5 ms"`.
    Even(Span, Span),
    /// Drawn uniformly for each: `"uniform 0 s to 5 s"`.
    Uniform(Span, Span),
    /// One for each, repeated if the group is larger: `["1 ms", "2 ms"]`.
    List(Vec<Span>),
}

impl Spread {
    /// The span of member `i` of `n`; `u` is a uniform draw in [0, 1) for the random form.
    pub fn of(&self, i: usize, n: usize, u: f64) -> Span {
        let mix = |low: Span, high: Span, share: f64| {
            Span(math::round(low.0 as f64 + (high.0 as f64 - low.0 as f64) * share) as u64)
        };
        match self {
            Spread::Same(span) => *span,
            Spread::Even(low, high) => mix(*low, *high, i as f64 / (n.max(2) - 1) as f64),
            Spread::Uniform(low, high) => mix(*low, *high, u),
            Spread::List(spans) => spans[i % spans.len()],
        }
    }
}

impl Param for Spread {
    fn kind() -> Kind {
        Kind::plain("spread", "20 ms\", \"even 1 ms to 5 ms\" or \"uniform 0 s to 5 s")
    }
    fn read(value: &Value) -> Result<Self, String> {
        let rule = "must be one span such as \"20 ms\", \"even 1 ms to 5 ms\", \"uniform 0 s to 5 s\", or a list of spans";
        let pair = |text: &str| {
            let (low, high) = text.split_once(" to ")?;
            Some((quantity::span(low)?, quantity::span(high)?)).filter(|(low, high)| low <= high)
        };
        match value {
            Value::List(items) if !items.is_empty() => {
                items.iter().map(Span::read).collect::<Result<_, _>>().map(Spread::List)
            }
            Value::Text(text) => {
                let spread = if let Some(rest) = text.strip_prefix("even ") {
                    pair(rest).map(|(low, high)| Spread::Even(low, high))
                } else if let Some(rest) = text.strip_prefix("uniform ") {
                    pair(rest).map(|(low, high)| Spread::Uniform(low, high))
                } else {
                    quantity::span(text).map(Spread::Same)
                };
                spread.ok_or_else(|| rule.to_string())
            }
            _ => Err(rule.to_string()),
        }
    }
    fn show(&self) -> Value {
        let text = quantity::show_span;
        match self {
            Spread::Same(span) => span.show(),
            Spread::Even(low, high) => Value::Text(format!("even {} to {}", text(*low), text(*high))),
            Spread::Uniform(low, high) => Value::Text(format!("uniform {} to {}", text(*low), text(*high))),
            Spread::List(spans) => spans.show(),
        }
    }
    fn numbers(&self) -> Vec<f64> {
        match self {
            Spread::Same(span) => span.numbers(),
            Spread::Even(low, high) | Spread::Uniform(low, high) => vec![low.as_secs(), high.as_secs()],
            Spread::List(spans) => spans.numbers(),
        }
    }
}
