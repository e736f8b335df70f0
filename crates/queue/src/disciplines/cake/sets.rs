//! The set-associative hash of a tin's queues and hosts.
//!
//! Reference: HTM18 section III.
//! Units: places are counted.

use crate::store::hash::mix;

/// Queues of a tin, and how many of them a flow may choose among.
pub(super) const QUEUES: usize = 1024;
const WAYS: usize = 8;

/// The place of a tag in a table of sets of eight, where `holder` returns the tag of a place that is in use: the place
/// it holds, else one that is free, else the one that the hash names.
pub(super) fn place_in_set(tag: u64, holder: impl Fn(usize) -> Option<u64>) -> usize {
    let direct = (mix(tag) % QUEUES as u64) as usize;
    let first = direct - direct % WAYS;
    let set = (0..WAYS).map(|k| first + (direct + k) % WAYS);
    let own = set.clone().find(|&i| holder(i) == Some(tag));
    own.or_else(|| set.clone().find(|&i| holder(i).is_none())).unwrap_or(direct)
}
