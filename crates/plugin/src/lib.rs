//! Queue disciplines in shared libraries: the interface they are built against, and the loader.
//!
//! | module | holds |
//! |---|---|
//! | [`abi`] | the interface: structures, and the trait and macro that make a Rust type a plug-in |
//! | [`loan`] | a call lent to another language |
//! | [`library`] | a library as a [`queue::plugin::Plugin`] |

pub mod abi;
pub mod library;
pub mod loan;

pub use library::load;

/// The example of the README, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
