//! What the accounts of few flows hold.

use super::FlowSeries;
use crate::completions::Completions;
use units::Time;

/// Samples, objects, and the end of what is finite.
pub(super) struct Kept {
    pub(super) series: Option<Box<FlowSeries>>,
    pub(super) completions: Option<Box<Completions>>,
    pub(super) finished: Time,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept { series: None, completions: None, finished: Time::NEVER }
    }
}
