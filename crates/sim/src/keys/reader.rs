//! Parses one table of a scenario part by part, and reports the keys that remain.

use super::part::{dotted, keys};
use queue::Spec;
use units::param::{hint, nearest, read_table, Check, Described, Problem, Table, Value};

/// A table being read: each part takes its keys, [`TableReader::finish`] reports the rest.
pub struct TableReader<'a> {
    path: String,
    left: Table,
    known: Vec<String>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> TableReader<'a> {
    /// Begins to read `table`, whose path is `path`.
    pub fn new(path: &str, table: Table, problems: &'a mut Vec<Problem>) -> TableReader<'a> {
        TableReader { path: path.to_string(), left: table, known: Vec::new(), problems }
    }

    /// Parses the keys of `T`.
    pub fn part<T: Check>(&mut self) -> T {
        let own = self.take(&keys::<T>());
        read_table(&self.path, &own, self.problems)
    }

    /// Parses the keys of `T`, with `base` instead of its defaults. Problems of the base are not repeated.
    pub fn part_over<T: Check>(&mut self, base: &T) -> T {
        let own = self.take(&keys::<T>());
        let mut merged = base.show();
        merged.retain(|(key, _)| own.iter().all(|(mine, _)| mine != key));
        merged.extend(own.iter().cloned());
        let mut problems = Vec::new();
        let read = read_table("", &merged, &mut problems);
        let mine = |problem: &Problem| own.iter().any(|(key, _)| *key == problem.path);
        self.problems.extend(problems.into_iter().filter(mine).map(|problem| problem.under(&self.path)));
        read
    }

    /// Removes and returns the sub-table `key`, if there is one.
    pub fn child(&mut self, key: &str) -> Option<Table> {
        self.known.push(key.to_string());
        let at = self.left.iter().position(|(name, _)| name == key)?;
        match self.left.remove(at).1 {
            Value::Table(table) => Some(table),
            other => {
                let path = dotted(&self.path, key);
                let remedy = format!("write a section [{path}] with keys below it");
                self.problems.push(Problem::new(path, other, "must be a section", remedy));
                None
            }
        }
    }

    /// Removes the sub-table `key`, to report a problem with it; returns whether there was one.
    pub fn take_section(&mut self, key: &str) -> bool {
        let before = self.left.len();
        self.left.retain(|(name, value)| name != key || !matches!(value, Value::Table(_)));
        self.left.len() < before
    }

    /// A reader of the sub-table `key`, which is empty if it is absent.
    pub fn nested(&mut self, key: &str) -> TableReader<'_> {
        let table = self.child(key).unwrap_or_default();
        TableReader::new(&dotted(&self.path, key), table, self.problems)
    }

    /// The discipline under `queue`, or the inherited one.
    pub fn queue(&mut self, inherited: &Spec) -> Option<Spec> {
        match self.child("queue") {
            Some(table) => Spec::read(&dotted(&self.path, "queue"), &table, self.problems),
            None => Some(inherited.clone()),
        }
    }

    /// The text under a key that is not yet read.
    pub fn text(&self, key: &str) -> Option<String> {
        self.left.iter().find(|(name, _)| name == key).and_then(|(_, value)| match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        })
    }

    /// The names of the keys not yet read.
    pub fn rest(&self) -> Vec<String> {
        self.left.iter().map(|(key, _)| key.clone()).collect()
    }

    /// Removes keys that are known elsewhere but not here, and reports them.
    pub fn refuse<T: Described + Check>(&mut self, rule: &str, remedy: &str) {
        self.refuse_keys(keys::<T>(), rule, remedy);
    }

    /// The same for keys known by name.
    pub fn refuse_keys(&mut self, mut foreign: Vec<&str>, rule: &str, remedy: &str) {
        let known = self.known.clone();
        foreign.retain(|key| known.iter().all(|name| name != key));
        for (key, value) in self.take(&foreign) {
            let path = dotted(&self.path, &key);
            self.problems.push(Problem::new(path, shown(&value), rule, remedy));
        }
        self.known = known;
    }

    /// Leaves out keys that cannot be checked because of an earlier problem.
    pub fn ignore<T: Check>(&mut self) {
        self.take(&keys::<T>());
    }

    /// Adds a problem with one of this table's keys.
    pub fn complain(
        &mut self,
        key: &str,
        value: impl ToString,
        rule: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.problems.push(Problem::new(dotted(&self.path, key), value, rule, remedy));
    }

    /// Reports every remaining key; the remedy names the nearest known one.
    pub fn finish(self) -> Vec<String> {
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        let mut meant = Vec::new();
        for (key, value) in &self.left {
            let what = if matches!(value, Value::Table(_)) { "section" } else { "key" };
            meant.extend(nearest(key, &known).map(str::to_string));
            let (rule, remedy) = (format!("no such {what} here"), hint(key, &known));
            self.problems.push(Problem::new(dotted(&self.path, key), shown(value), rule, remedy));
        }
        meant
    }

    fn take(&mut self, keys: &[&str]) -> Table {
        self.known.extend(keys.iter().map(|key| key.to_string()));
        let (own, left) =
            std::mem::take(&mut self.left).into_iter().partition(|(key, _)| keys.contains(&key.as_str()));
        self.left = left;
        own
    }
}

/// The keys of `[links.NAME]` or `[flows.NAME]`, with a name fit for a path.
pub fn named_table(path: &str, name: &str, value: Value, problems: &mut Vec<Problem>) -> Option<Table> {
    let fit = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(fit) {
        let rule = "a name is made of letters, digits, _ and -";
        let plain: String = name.chars().map(|c| if fit(c) { c } else { '_' }).collect();
        let remedy = if plain.is_empty() { "give it a name".into() } else { format!("call it {plain}") };
        problems.push(Problem::new(path, "", rule, remedy));
    }
    match value {
        Value::Table(table) => Some(table),
        other => {
            let remedy = format!("write a section [{path}] with keys below it");
            problems.push(Problem::new(path, other, "must be a section", remedy));
            None
        }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Table(_) => String::new(),
        other => other.to_string(),
    }
}
