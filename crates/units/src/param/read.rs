//! Parses a table of a scenario into a parameter struct, collecting every problem on the way.

use super::remedy::{with_default, with_example};
use super::{Check, Problem, Table, Value};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Parses `table` into a `T`: defaults first, then the preset it names, then its own keys, then the values they imply
/// for keys it does not have; ranges and relations are checked last. Problems carry paths below `path`.
pub fn read_table<T: Check>(path: &str, table: &Table, problems: &mut Vec<Problem>) -> T {
    let before = problems.len();
    let mut params = T::default();
    if let Some((_, value)) = table.iter().find(|(key, _)| key == T::PRESET_KEY && !key.is_empty()) {
        if let Err(problem) = apply_preset(&mut params, value) {
            problems.push(problem.under(path));
        }
    }
    for (key, value) in table {
        if key == T::PRESET_KEY {
            continue;
        }
        match params.set(key, value) {
            Some(Ok(())) => {}
            Some(Err(own)) => {
                let own = own.into_iter().map(|problem| with_example::<T>(problem.under(key)));
                problems.extend(own.map(|problem| problem.under(path)))
            }
            None => problems.push(unknown_key::<T>(key, value).under(path)),
        }
    }
    let not_given = |key: &str| table.iter().all(|(own, _)| own != key);
    let implied: Vec<_> = params.implied().iter().filter(|(key, _)| not_given(key)).copied().collect();
    fill(&mut params, "the implied values", &implied);
    let misread = problems.len() > before;
    let mut own = params.out_of_range();
    if own.is_empty() && !misread {
        params.relations(&mut own);
    }
    problems.extend(own.into_iter().map(|problem| with_default::<T>(problem).under(path)));
    params
}

fn apply_preset<T: Check>(params: &mut T, value: &Value) -> Result<(), Problem> {
    let names: Vec<&str> = T::presets().iter().map(|preset| preset.name).collect();
    let rule = format!("must be one of {}", names.join(", "));
    let usual =
        names.first().map_or(String::new(), |first| format!("for example {} = \"{first}\"", T::PRESET_KEY));
    let Value::Text(name) = value else {
        return Err(Problem::new(T::PRESET_KEY, value, rule, usual));
    };
    let Some(preset) = T::presets().iter().find(|preset| preset.name == name) else {
        let remedy = nearest(name, &names).map_or(usual, |hint| format!("did you mean '{hint}'?"));
        return Err(Problem::new(T::PRESET_KEY, value, rule, remedy));
    };
    fill(params, preset.name, preset.options);
    Ok(())
}

/// Parses the text of a row; a list is in square brackets.
fn written(text: &str) -> Value {
    let value = |item: &str| Value::Text(item.trim().to_string());
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(items) => Value::List(items.split(',').map(value).collect()),
        None => value(text),
    }
}

/// Sets a row of options. Panics with the name of the `row` if one of them is invalid.
fn fill<T: Check>(params: &mut T, row: &str, options: &[(&str, &str)]) {
    for (key, text) in options {
        let set = params.set(key, &written(text));
        assert!(matches!(set, Some(Ok(()))), "{row} sets {key} = {text}: {set:?}");
    }
}

fn unknown_key<T: Check>(key: &str, value: &Value) -> Problem {
    let fields = T::fields();
    let mut names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    if !T::PRESET_KEY.is_empty() {
        names.push(T::PRESET_KEY);
    }
    Problem::new(key, value, "no such key here", hint(key, &names))
}

/// The remedy of an unknown name: the most similar one, else all names if they are few, else the nearest ones.
pub fn hint(text: &str, names: &[&str]) -> String {
    if let Some(meant) = nearest(text, names) {
        return format!("did you mean '{meant}'?");
    }
    if names.len() <= FEW {
        return format!("known here: {}", names.join(", "));
    }
    format!("the nearest of {} known here: {}", names.len(), closest(text, names, FEW).join(", "))
}

/// The names that differ least from a text, at most `count`.
pub fn closest<'a>(text: &str, names: &[&'a str], count: usize) -> Vec<&'a str> {
    let mut by_distance: Vec<&str> = names.to_vec();
    by_distance.sort_by_key(|name| slips(&text.to_lowercase(), &name.to_lowercase()));
    by_distance.truncate(count);
    by_distance
}

/// At most this number of names is listed.
const FEW: usize = 8;

/// Most typing errors with which a name is still recognised.
fn most(name: &str) -> usize {
    1 + name.chars().count() / 4
}

/// The name most similar to `text`, if one is close enough to be a typing error.
pub fn nearest<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
    let distance = |name: &str| slips(&text.to_lowercase(), &name.to_lowercase());
    names
        .iter()
        .map(|name| (distance(name), *name))
        .filter(|(distance, name)| *distance <= most(name).min(text.chars().count() / 2))
        .min_by_key(|(distance, name)| (*distance, name.chars().next() != text.chars().next()))
        .map(|(_, name)| name)
}

/// Number of typing errors between `a` and `b`: a letter omitted, inserted or replaced, or two adjacent letters swapped
/// (Damerau's distance, each pair swapped at most once).
fn slips(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    let mut previous = None;
    for (i, x) in a.chars().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != *y);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if j > 0 && previous == Some(*y) && b[j - 1] == x {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        (before, last, previous) = (last, row, Some(x));
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted_as_people_make_them() {
        for (a, b, count) in [
            ("", "", 0),
            ("", "red", 3),
            ("codel", "codel", 0),
            ("cdoel", "codel", 1),
            ("codl", "codel", 1),
            ("coddel", "codel", 1),
            ("kodel", "codel", 1),
            ("max_ht", "max_th", 1),
            ("pie", "red", 3),
        ] {
            assert_eq!((slips(a, b), slips(b, a)), (count, count), "{a} {b}");
        }
        assert_eq!(nearest("Max_ht", &["min_th", "max_th"]), Some("max_th"));
        assert_eq!(nearest("weight", &["min_th", "max_th"]), None);
        assert_eq!(nearest("foo", &["root"]), None);
        assert_eq!(nearest("redd", &["dred", "red"]), Some("red"));
    }
}
