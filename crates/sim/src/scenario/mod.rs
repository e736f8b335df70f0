//! The reader of scenarios: TOML text to a [`Plan`], every problem at once.
//!
//! | module | does |
//! |---|---|
//! | `text`, `json` | TOML and JSON to a table of keys and values, and back |
//! | [`sections`] | declares every key |
//! | `reader`, `read` | the table to the `model`: typed sections |
//! | `build`, `routes` | the model to a [`Plan`] |
//! | `show` | the model back to a table, defaults written out |
//! | `edit` | changes by dotted path |

mod build;
mod json;
mod model;
mod read;
mod reader;
mod routes;
pub mod sections;
mod show;
mod text;

use crate::plan::Plan;
use model::Model;
use units::param::{Problem, Table};

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
    /// Reads TOML.
    ///
    /// # Errors
    /// Every problem there is, each with its path, value, rule and remedy.
    pub fn parse(text: &str) -> Result<Scenario, Vec<Problem>> {
        Scenario::from_table(text::read(text)?)
    }

    /// Reads a table.
    ///
    /// # Errors
    /// As for [`Scenario::parse`].
    pub fn from_table(given: Table) -> Result<Scenario, Vec<Problem>> {
        let mut problems = Vec::new();
        let model = read::model(&given, &mut problems);
        let plan = model.as_ref().and_then(|model| build::plan(model, &mut problems));
        match (model, plan) {
            (Some(model), Some(plan)) if problems.is_empty() => {
                let resolved = show::table(&model, &plan);
                Ok(Scenario { given, resolved, model, plan })
            }
            _ => {
                assert!(!problems.is_empty(), "a scenario that cannot be read says why");
                Err(problems)
            }
        }
    }

    /// Every section and key, defaults written out.
    pub fn resolved(&self) -> &Table {
        &self.resolved
    }

    /// The resolved scenario as TOML; reading it gives the same plan.
    pub fn to_toml(&self) -> String {
        text::write(&self.resolved)
    }

    /// The resolved scenario as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        json::object(&self.resolved)
    }

    /// What the engine builds a network from.
    pub fn plan(&self) -> Plan {
        self.plan.clone()
    }

    /// What the scenario calls itself.
    pub fn title(&self) -> &str {
        &self.model.head.title
    }
}

#[cfg(test)]
mod tests;
