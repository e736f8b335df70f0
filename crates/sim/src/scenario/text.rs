//! TOML text to a [`Table`] and back.
//!
//! Tables keep the order in which they were written: it is the order of the flows.

use crate::keys::part::dotted;
use std::fmt::Write;
use toml::de::{DeTable, DeValue};
use units::param::{Problem, Table, Value};

/// Characters of a part of a line that a message shows.
const CUT: usize = 60;

/// Parses TOML.
///
/// # Errors
/// All syntax errors, each with line, column and remedy.
pub fn read(text: &str) -> Result<Table, Vec<Problem>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<Problem> = Vec::new();
    for error in errors {
        let problem = syntax_problem(text, error.span().map_or(0, |span| span.start), error.message());
        // One slip often makes the parser stumble twice on the same line: the first message is the useful one.
        if problems.last().is_none_or(|last| last.value != problem.value || problem.value.is_empty()) {
            problems.push(problem);
        }
    }
    let table = table(document.get_ref(), "", &mut problems);
    if problems.is_empty() {
        Ok(table)
    } else {
        Err(problems)
    }
}

fn table(from: &DeTable<'_>, path: &str, problems: &mut Vec<Problem>) -> Table {
    let mut rows: Vec<_> = from.iter().map(|(key, value)| (key.span().start, key.get_ref(), value)).collect();
    rows.sort_by_key(|(start, ..)| *start);
    let mut table = Table::new();
    for (_, key, written) in rows {
        let here = dotted(path, key);
        if let Some(read) = value(written.get_ref(), &here, problems) {
            table.push((key.to_string(), read));
        }
    }
    table
}

fn value(from: &DeValue<'_>, path: &str, problems: &mut Vec<Problem>) -> Option<Value> {
    let mut refuse = |shown: &str, rule: &str, remedy: &str| {
        problems.push(Problem::new(path, shown, rule, remedy));
        None
    };
    match from {
        DeValue::String(text) => Some(Value::Text(text.to_string())),
        DeValue::Boolean(yes) => Some(Value::Bool(*yes)),
        DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(n) => Some(Value::Int(n)),
            Err(_) => refuse(digits.as_str(), "is too large for a whole number", "use at most 18 digits"),
        },
        DeValue::Float(digits) => match digits.as_str().parse::<f64>() {
            Ok(x) if x.is_finite() => Some(Value::Float(x)),
            _ => refuse(digits.as_str(), "must be a finite number", "for example 0.5"),
        },
        DeValue::Datetime(date) => {
            refuse(&date.to_string(), "dates are not used here", "lengths of time are text such as \"20 ms\"")
        }
        DeValue::Array(items) => {
            let each = items.iter().enumerate();
            each.map(|(i, item)| value(item.get_ref(), &format!("{path}[{i}]"), problems))
                .collect::<Option<Vec<_>>>()
                .map(Value::List)
        }
        DeValue::Table(inner) => Some(Value::Table(table(inner, path, problems))),
    }
}

/// The line, counted from 1, of a dotted path: that of its key, or of the section that lacks the key.
pub fn line(text: &str, path: &str) -> Option<usize> {
    let (document, _) = DeTable::parse_recoverable(text);
    let (mut table, mut rest, mut found) = (document.get_ref(), path, None);
    loop {
        // A quoted key may hold dots itself: the longest that the path begins with is meant.
        let begins =
            |key: &str| rest.strip_prefix(key).filter(|tail| tail.is_empty() || tail.starts_with(['.', '[']));
        let keys =
            table.iter().filter_map(|(key, value)| begins(key.get_ref()).map(|tail| (tail, key, value)));
        let Some((tail, key, value)) = keys.min_by_key(|(tail, ..)| tail.len()) else { break };
        found = Some(key.span().start);
        let (DeValue::Table(inner), Some(below)) = (value.get_ref(), tail.strip_prefix('.')) else { break };
        (table, rest) = (inner, below);
    }
    found.map(|at| text[..at].matches('\n').count() + 1)
}

fn syntax_problem(text: &str, at: usize, message: &str) -> Problem {
    let before = text.get(..at.min(text.len())).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let line = text[start..].lines().next().unwrap_or("").trim();
    let number = before.matches('\n').count() + 1;
    let column = before[start..].chars().count() + 1;
    let place = format!("line {number}, column {column}");
    let (rule, remedy) = explain(message, line);
    Problem::new(place, format!("`{line}`"), rule, remedy)
}

/// The text, or its beginning with an ellipsis: a message shows a line of a file, however long that is.
fn cut(text: &str) -> String {
    match text.char_indices().nth(CUT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// The parser's message and a remedy in the words of this format.
fn explain(message: &str, line: &str) -> (String, String) {
    let after = line.split_once('=').map_or("", |(_, after)| after.trim());
    let key = line.split('=').next().unwrap_or("").trim();
    let quantity = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let unit = after.trim_start_matches(quantity).trim();
    if message.contains("duplicate key") {
        let remedy = "each key and each [section] may be given once; remove or rename one of the two";
        return (format!("`{}` was given before", cut(key.trim_matches(['[', ']']))), remedy.into());
    }
    if after.starts_with(quantity) && unit.starts_with(char::is_alphabetic) {
        let bare = after.split('#').next().unwrap_or(after).trim();
        return (
            "a quantity with a unit must be text".into(),
            format!("put it in quotes: {} = \"{}\"", cut(key), cut(bare)),
        );
    }
    if after.starts_with(char::is_alphabetic) && !after.starts_with("true") && !after.starts_with("false") {
        let bare = after.split('#').next().unwrap_or(after).trim();
        return ("text must be in quotes".into(), format!("write {} = \"{}\"", cut(key), cut(bare)));
    }
    if line.starts_with('[') && !line.contains(']') {
        return ("the section's name is not closed".into(), format!("write {}]", cut(line)));
    }
    if after.matches('"').count() == 1 {
        return ("the quote is not closed".into(), "end the text with \" on the same line".into());
    }
    if !line.is_empty() && !line.contains('=') && !line.starts_with('[') {
        return ("is neither a key, a [section] nor a # comment".into(), "write key = value".into());
    }
    (format!("is not valid TOML: {message}"), "write key = value, or [section]".into())
}

/// Writes a table as TOML that [`read`] reads back.
pub fn write(table: &Table) -> String {
    let mut out = String::new();
    section(&mut out, "", table);
    out
}

fn section(out: &mut String, path: &str, table: &Table) {
    let keys = table.iter().filter(|(_, value)| !matches!(value, Value::Table(_)));
    let has_keys = keys.clone().next().is_some();
    let inner = table.iter().filter_map(|(key, value)| match value {
        Value::Table(inner) => Some((key, inner)),
        _ => None,
    });
    if !path.is_empty() && (has_keys || inner.clone().next().is_none()) {
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{gap}[{path}]");
    }
    for (key, value) in keys {
        let _ = writeln!(out, "{} = {}", bare_or_quoted(key), literal(value));
    }
    for (key, below) in inner {
        section(out, &dotted(path, &bare_or_quoted(key)), below);
    }
}

fn bare_or_quoted(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) {
        key.to_string()
    } else {
        quoted(key)
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn literal(value: &Value) -> String {
    match value {
        Value::Bool(yes) => yes.to_string(),
        Value::Int(n) => n.to_string(),
        // `{:?}` keeps the point of a whole number, so that it stays a real number.
        Value::Float(x) => format!("{x:?}"),
        Value::Text(text) => quoted(text),
        Value::List(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Table(inner) => {
            let rows: Vec<String> = inner
                .iter()
                .map(|(key, item)| format!("{} = {}", bare_or_quoted(key), literal(item)))
                .collect();
            format!("{{ {} }}", rows.join(", "))
        }
    }
}
