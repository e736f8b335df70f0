//! A discipline inside another, such as the one that a scheduler uses in each of its queues.
//!
//! It is written as a table with `kind`, as any queue of a scenario is, or as one word for its defaults:
//! `"codel"`, `"red:ns2"`. Its parameters are checked with their full path, so a problem names `queue.child.max_th`.

use crate::disc::Packet;
use crate::registry::Setting;
use crate::{Disc, Spec};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use units::param::{Kind, Param, Problem, Table, Value};

/// The discipline of an inner queue, or none: a plain queue of the scheduler itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Child(Option<Arc<Spec>>);

impl Child {
    /// A plain queue.
    pub const PLAIN: Child = Child(None);

    /// The discipline inside, if it is not a plain queue.
    pub fn spec(&self) -> Option<&Spec> {
        self.0.as_deref()
    }

    /// The table that a word such as `red:ns2` stands for; `None` for a plain queue.
    pub fn table(word: &str) -> Option<Table> {
        let (kind, dialect) = word.split_once(':').map_or((word, None), |(kind, rest)| (kind, Some(rest)));
        let text = |key: &str, text: &str| (key.to_string(), Value::Text(text.trim().to_string()));
        let mut table = vec![text("kind", kind)];
        table.extend(dialect.map(|name| text("dialect", name)));
        (word.trim() != "plain").then_some(table)
    }

    /// Makes the discipline.
    pub(crate) fn build<P: Packet + Copy>(&self, setting: &Setting) -> Option<Disc<P>> {
        self.0.as_ref().map(|spec| spec.build(setting))
    }

    /// Values of its automatic parameters, each under its name in the table above.
    pub(crate) fn resolved(&self, name: &str, setting: &Setting) -> Table {
        let own = self.0.as_ref().map(|spec| spec.resolved(setting)).unwrap_or_default();
        own.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)).collect()
    }

    /// Whether it reads the hosts of packets, or their acknowledgements.
    pub(crate) fn reads_headers(&self) -> bool {
        self.0.as_ref().is_some_and(|spec| spec.reads_headers())
    }

    /// Adds its problems with a setting.
    pub(crate) fn fits(&self, name: &str, setting: &Setting, problems: &mut Vec<Problem>) {
        if let Some(spec) = &self.0 {
            spec.fits(setting, name, problems);
        }
    }
}

impl Param for Child {
    fn kind() -> Kind {
        Kind::plain("queue", "codel")
    }

    fn read(value: &Value) -> Result<Self, String> {
        Self::read_whole(value).map_err(|problems| {
            problems.first().map_or(String::new(), |problem| format!("{}: {}", problem.path, problem.rule))
        })
    }

    fn read_whole(value: &Value) -> Result<Self, Vec<Problem>> {
        let known = "must be \"plain\", the name of a discipline, or a table such as { kind = \"codel\" }";
        let table = match value {
            Value::Text(word) => Child::table(word),
            Value::Table(table) => Some(table.clone()),
            _ => return Err(vec![Problem::new("", value, known, "write \"plain\" if in doubt")]),
        };
        let Some(table) = table else { return Ok(Child::PLAIN) };
        let mut problems = Vec::new();
        match Spec::read("", &table, &mut problems) {
            Some(spec) if spec.shapes() => {
                let rule = "is a shaper, and a discipline inside another must not delay packets";
                Err(vec![Problem::new(
                    "",
                    spec.kind(),
                    rule,
                    "make its rate unlimited, and give the link the rate",
                )])
            }
            Some(spec) => Ok(Child(Some(Arc::new(spec)))),
            None => Err(problems),
        }
    }

    fn show(&self) -> Value {
        self.0.as_ref().map_or(Value::Text("plain".into()), |spec| Value::Table(spec.show()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &str) -> Value {
        Value::Text(words.to_string())
    }

    #[test]
    fn a_word_stands_for_a_table() {
        let named = Child::read(&text("red:ns2")).unwrap();
        let table = vec![("kind".to_string(), text("red")), ("dialect".to_string(), text("ns2"))];
        assert_eq!(named, Child::read(&Value::Table(table)).unwrap());
        assert_eq!(Child::read(&named.show()), Ok(named));
        assert_eq!(Child::read(&text("plain")), Ok(Child::PLAIN));
    }

    #[test]
    fn every_problem_of_a_child_is_reported_with_its_path() {
        let table = vec![
            ("kind".to_string(), text("red")),
            ("max_p".to_string(), Value::Float(2.0)),
            ("min_thh".to_string(), text("5 pkts")),
        ];
        let queue = vec![("kind".to_string(), text("drr")), ("child".to_string(), Value::Table(table))];
        let mut problems = Vec::new();
        assert_eq!(Spec::read("queue", &queue, &mut problems), None);
        let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert!(shown.iter().any(|s| s.starts_with("queue.child.max_p = 2: must lie in")), "{shown:?}");
        assert!(
            shown.iter().any(|s| s.starts_with("queue.child.min_thh") && s.contains("'min_th'")),
            "{shown:?}"
        );
    }

    #[test]
    fn unknown_disciplines_are_refused() {
        let message = |value: Value| Child::read_whole(&value).unwrap_err()[0].to_string();
        assert!(message(Value::Int(3)).contains("must be \"plain\""));
        assert!(message(text("codle")).contains("did you mean 'codel'?"));
    }
}
