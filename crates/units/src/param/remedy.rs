//! Remedies for problems whose rule alone does not name a valid value.

use super::{Check, Field, Problem, Value};
use alloc::string::{String, ToString};

/// Marks the nearest name within a rule, which is a remedy.
const MEANT: &str = "; did you mean ";

/// The same problem with a remedy: the nearest name, else an example of a valid value at its key. The path begins
/// with a key of `T`.
pub fn with_example<T: Check>(problem: Problem) -> Problem {
    remedied::<T>(problem, example)
}

/// The same for values that are of the right kind: the remedy is the default.
pub fn with_default<T: Check>(problem: Problem) -> Problem {
    remedied::<T>(problem, |field| {
        let named = !matches!(&field.default, Value::Table(_)) && field.default.to_string() != "\"\"";
        if named {
            format!("the default is {}", field.default)
        } else {
            example(field)
        }
    })
}

fn remedied<T: Check>(mut problem: Problem, remedy: impl Fn(&Field) -> String) -> Problem {
    if !problem.remedy.is_empty() {
        return problem;
    }
    if let Some(at) = problem.rule.find(MEANT) {
        let meant = problem.rule.split_off(at);
        problem.remedy = meant[2..].to_string();
        return problem;
    }
    let key = problem.path.split(['.', '[']).next().unwrap_or_default();
    if let Some(field) = T::fields().iter().find(|field| field.name == key) {
        problem.remedy = remedy(field);
    }
    problem
}

/// An example of a line for a field.
fn example(field: &Field) -> String {
    let kind = &field.kind;
    let first = kind.choices.first().map_or(kind.example, |(choice, _)| *choice);
    // Some examples show several forms; the first is enough.
    let first = first.split('"').next().unwrap_or_default();
    let value = match kind.name {
        "number" | "count" | "class" | "switch" => first.to_string(),
        _ if first.is_empty() => "\"text\"".to_string(),
        _ => format!("\"{first}\""),
    };
    let value = if kind.list { format!("[{value}]") } else { value };
    format!("for example {} = {value}", field.name)
}
