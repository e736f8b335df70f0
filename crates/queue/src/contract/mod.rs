//! The contract between a queue discipline and its driver.
//!
//! | module | holds |
//! |---|---|
//! | [`disc`] | the traits of a packet and of a discipline, and the context of a call |
//! | [`flow_key`] | the keys that tell flows apart |
//! | [`limit`] | the hard limit of a buffer |
//! | [`fifo`] | the packet store of most disciplines |
//! | [`registry`] | declarations of the disciplines |
//! | [`child`] | a discipline inside another |
//! | [`classes`] | from the class of a packet to an index |
//! | [`plugin`] | disciplines from outside this crate |
//! | [`conformance`] | the conformance kit that every discipline passes |

pub mod child;
pub mod classes;
pub mod conformance;
pub mod disc;
pub mod fifo;
pub mod flow_key;
pub mod limit;
pub mod plugin;
pub mod registry;
