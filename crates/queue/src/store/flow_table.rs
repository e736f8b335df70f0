//! A table of the flows that have packets in a queue, with a value for each.
//!
//! Units: flows are named by [`Packet::flow`](crate::disc::Packet::flow).
//! Rows in one vector, sorted by flow, one for each flow with packets in the queue. Nothing is allocated once it has
//! grown.

use alloc::vec::Vec;

/// Table with one entry per flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowTable<T> {
    rows: Vec<(u64, T)>,
}

impl<T: Default> FlowTable<T> {
    /// Returns an empty table.
    pub(crate) fn new() -> FlowTable<T> {
        FlowTable { rows: Vec::with_capacity(64) }
    }

    /// Number of flows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of a flow, if it is here.
    pub(crate) fn find(&mut self, flow: u64) -> Option<&mut T> {
        let i = self.rows.binary_search_by_key(&flow, |row| row.0).ok()?;
        Some(&mut self.rows[i].1)
    }

    /// The row of a flow; a new one if it is not here.
    pub(crate) fn entry(&mut self, flow: u64) -> &mut T {
        let i = match self.rows.binary_search_by_key(&flow, |row| row.0) {
            Ok(i) => i,
            Err(i) => {
                self.rows.insert(i, (flow, T::default()));
                i
            }
        };
        &mut self.rows[i].1
    }

    /// The rows, in the order of their flows.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.rows.iter().map(|row| &row.1)
    }

    /// Flows and their rows, in the order of the flows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.rows.iter().map(|row| (row.0, &row.1))
    }

    /// Flows and their rows, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut T)> {
        self.rows.iter_mut().map(|row| (row.0, &mut row.1))
    }

    /// Removes the flows for which `keep` is false.
    pub(crate) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.rows.retain(|row| keep(&row.1));
    }

    /// Removes a flow.
    pub(crate) fn remove(&mut self, flow: u64) {
        if let Ok(i) = self.rows.binary_search_by_key(&flow, |row| row.0) {
            self.rows.remove(i);
        }
    }
}
