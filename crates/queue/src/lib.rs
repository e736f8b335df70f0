//! Queue disciplines as pure state machines: each call brings the time and the rng.
//!
//! | module | holds |
//! |---|---|
//! | [`contract`] | the interface between a discipline and its driver |
//! | `store` | where packets and per-flow state are stored |
//! | [`disciplines`] | the disciplines, one file or folder each, and the list that names them |
//!
//! The modules of [`contract`] and [`disciplines`] are re-exported here: `queue::disc`, `queue::red`.
//!
//! A scenario's table is parsed into a [`Spec`] (validated parameters), a [`Spec`] builds a [`Disc`] (a discipline with
//! its state), and [`catalogue`] lists all disciplines with their parameters.
//!
//! The crate needs `core` and `alloc` only. The feature `std`, on by default, is the one of [`units`]: square roots by
//! the standard library instead of `libm`, faster and with the same bits.

#![no_std]
#![forbid(unsafe_code)]

#[macro_use]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub mod contract;
pub mod disciplines;
mod store;
#[cfg(test)]
mod testing;

pub use contract::registry::{CatalogueEntry, Chosen, Discipline, Setting};
pub use contract::*;
pub use disciplines::*;

/// The examples of the README and of the contributing guide, run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../../../CONTRIBUTING.md")]
    struct Contributing;
}
