//! Records that few flows have.

use super::FlowSeries;
use crate::account::Completions;
use units::Time;

/// Series, completion times of objects, and the end of a finite transfer.
pub(super) struct ColdState {
    pub(super) series: Option<Box<FlowSeries>>,
    pub(super) completions: Option<Box<Completions>>,
    pub(super) finished: Time,
}

impl Default for ColdState {
    fn default() -> ColdState {
        ColdState { series: None, completions: None, finished: Time::NEVER }
    }
}
