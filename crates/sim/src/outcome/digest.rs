//! The digest of a run: sixteen hex digits, equal for two runs with equal results.

use super::Outcome;
use crate::plan::Plan;
use units::random::fnv1a;

impl Outcome {
    /// A hash of the summary to the last bit of each number, without the number of events, in which the engines differ.
    pub fn digest(&self, plan: &Plan) -> u64 {
        let mut summary = self.summary(plan, "");
        summary["events"] = 0.into();
        fnv1a(summary.to_string().as_bytes())
    }
}
