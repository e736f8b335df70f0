//! The reader of scenarios: TOML text to a [`Plan`], every problem at once.
//!
//! | module | does |
//! |---|---|
//! | `text`, `json` | TOML and JSON to a table of keys and values, and back |
//! | [`sections`], [`traffic`] | declare every key |
//! | `reader`, `read`, `links` | the table to the `model`: typed sections |
//! | `build`, `routes` | the model to a [`Plan`] |
//! | `show` | the model back to a table, defaults written out |
//! | `edit` | changes by dotted path |
//! | `schema`, `catalogue` | the declarations as JSON Schema, and as a list of everything available |

mod build;
mod catalogue;
mod edit;
mod json;
mod links;
mod marking;
mod model;
mod read;
mod routes;
mod schema;
pub mod sections;
mod shortest;
mod show;
mod text;
pub mod traffic;

use crate::plan::{Plan, TransportPlan};
use crate::source::datagrams::{Gaps, UdpPlan};
use crate::source::load::{AppPlan, Load};
use model::Model;
use units::param::{Problem, Table, Value};
use units::random::fnv1a;

pub use catalogue::catalogue;
pub use edit::typed;
pub use schema::schema;
pub use text::{line, read as read_toml};

/// The problem of a plug-in under the clock of doubles, whose times it cannot use.
fn counts_nanoseconds(plan: &Plan) -> Option<Problem> {
    if !plan.run.in_doubles() {
        return None;
    }
    let queue = plan.links.iter().find(|link| link.queue.is_plugin());
    let queue = queue.map(|link| ("the queue of a link", format!("another queue at {}", link.name)));
    let flow = plan.groups.iter().find_map(|flow| match &flow.transport {
        TransportPlan::Tcp { params, .. } if params.cc.built_in().is_none() => {
            Some(("a congestion control", format!("another cc for {}", flow.name)))
        }
        TransportPlan::Tcp { load: Load::App(app), .. } if matches!(&**app, AppPlan::Plugin(_)) => {
            Some(("a source", format!("another source for {}", flow.name)))
        }
        TransportPlan::Udp(UdpPlan { gaps: Gaps::Plugin(_), .. }) => {
            Some(("a source", format!("another source for {}", flow.name)))
        }
        _ => None,
    });
    let (what, other) = queue.or(flow)?;
    let rule = format!("is for what is built in; {what} is a plug-in");
    Some(Problem::new("run.clock", "doubles", rule, format!("use the default clock, or {other}")))
}

/// A checked scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// As written, for edits.
    given: Table,
    /// Every default written out.
    resolved: Table,
    model: Model,
    plan: Plan,
}

impl Scenario {
    /// Parses TOML.
    ///
    /// # Errors
    /// All problems, each with path, value, rule and remedy.
    pub fn parse(text: &str) -> Result<Scenario, Vec<Problem>> {
        Scenario::from_table(text::read(text)?)
    }

    /// Parses a table.
    ///
    /// # Errors
    /// As for [`Scenario::parse`].
    pub fn from_table(given: Table) -> Result<Scenario, Vec<Problem>> {
        let mut problems = Vec::new();
        let model = read::model(&given, &mut problems);
        let plan = model.as_ref().and_then(|model| build::plan(model, &mut problems));
        problems.extend(plan.as_ref().and_then(counts_nanoseconds));
        match (model, plan) {
            (Some(model), Some(plan)) if problems.is_empty() => {
                let resolved = show::table(&model, &plan);
                Ok(Scenario { given, resolved, model, plan })
            }
            _ => {
                assert!(!problems.is_empty(), "a scenario that cannot be read says why");
                problems.sort_by_key(|problem| place(&given, &problem.path));
                Err(problems)
            }
        }
    }

    /// Parses a JSON object with the sections as its members.
    ///
    /// # Errors
    /// As for [`Scenario::parse`].
    pub fn from_json(object: &serde_json::Value) -> Result<Scenario, Vec<Problem>> {
        Scenario::from_table(json::table(object)?)
    }

    /// The scenario with one value changed: see [`Scenario::with`].
    ///
    /// # Errors
    /// Every problem of the changed scenario, or that the path leads nowhere.
    pub fn set(&self, path: &str, value: Value) -> Result<Scenario, Vec<Problem>> {
        self.with(&[(path, value)])
    }

    /// The scenario with several values changed at once, so that no order of them need be valid.
    ///
    /// A path is dotted, such as `queue.max_p` or `flows.tcp.count`; a value may be a whole table. Another
    /// `kind`, `transport` or `source` drops the other keys of the table that the new one does not have.
    ///
    /// # Errors
    /// Every problem of the changed scenario, or the paths that lead nowhere.
    pub fn with(&self, edits: &[(&str, Value)]) -> Result<Scenario, Vec<Problem>> {
        let mut given = self.given.clone();
        let mut problems = Vec::new();
        for (path, value) in edits {
            problems.extend(edit::apply(&mut given, path, value.clone()).err());
        }
        if problems.is_empty() {
            Scenario::from_table(given)
        } else {
            Err(problems)
        }
    }

    /// The value at a dotted path, defaults and inherited values included.
    ///
    /// # Errors
    /// The path leads nowhere.
    pub fn get(&self, path: &str) -> Result<Value, Problem> {
        edit::look_up(&self.resolved, path)
    }

    /// Sixteen hex digits that two scenarios share if they mean the same: over the resolved form without
    /// title, description and source.
    pub fn hash(&self) -> String {
        let descriptive = crate::keys::part::keys::<sections::Head>();
        let mut meant = self.resolved.clone();
        meant.retain(|(key, _)| !descriptive.contains(&key.as_str()));
        fingerprint(&meant)
    }

    /// As it was given, without defaults.
    pub fn given(&self) -> &Table {
        &self.given
    }

    /// Every section and key, defaults written out.
    pub fn resolved(&self) -> &Table {
        &self.resolved
    }

    /// The resolved scenario as TOML; parsing it gives the same plan.
    pub fn to_toml(&self) -> String {
        text::write(&self.resolved)
    }

    /// The resolved scenario as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        json::object(&self.resolved)
    }

    /// Values of the automatic parameters of each shared link's discipline, by the link's name.
    pub fn automatic(&self) -> Table {
        let mut by_link = Table::new();
        for link in &self.plan.links {
            let setting = queue::Setting { rate: link.rate, delay: link.delay, packet: link.packet };
            let values = link.queue.resolved(&setting);
            if !values.is_empty() {
                by_link.push((link.name.clone(), Value::Table(values)));
            }
        }
        by_link
    }

    /// The plan that the engine builds a network from.
    pub fn plan(&self) -> Plan {
        self.plan.clone()
    }

    /// The scenario's title.
    pub fn title(&self) -> &str {
        &self.model.head.title
    }
}

/// The order of keys in a table; keys that are not listed come last.
fn place(table: &Table, path: &str) -> Vec<usize> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    match table.iter().position(|(key, _)| key == first) {
        None => vec![usize::MAX],
        Some(at) => match &table[at].1 {
            Value::Table(inner) if !rest.is_empty() => [vec![at], place(inner, rest)].concat(),
            _ => vec![at],
        },
    }
}

fn fingerprint(table: &Table) -> String {
    format!("{:016x}", fnv1a(text::write(table).as_bytes()))
}

#[cfg(test)]
mod tests;
