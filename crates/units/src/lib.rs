//! Time, sizes, rates, random streams, mathematics with the same bits on every machine, and parameters that describe
//! and validate themselves. All other crates use them.
//!
//! | module | holds |
//! |---|---|
//! | [`time`] | [`Time`] and [`Span`]: integer nanoseconds |
//! | [`ecn`] | the [`Ecn`] field of a packet |
//! | [`size`] | [`Bytes`], [`Rate`] and the drift-free [`Serializer`] of a link |
//! | [`random`] | counter-based random streams, one for each named component |
//! | [`math`] | `pow`, `ln`, `exp` with the same bits everywhere |
//! | [`quantity`] | text such as `"10 Mbit/s"` or `"20 ms"` to values and back |
//! | [`param`] | parameter structs with units, ranges, defaults and sources: [`params!`], [`choices!`] |
//! | [`plugin`] | declarations of plug-ins, and the list of those that are loaded |
//!
//! Without the feature `std` (on by default) it needs `core` and `alloc` only, and gives the same bits: square
//! roots, exact either way, are then those of `libm`.

#![no_std]
#![forbid(unsafe_code)]

#[macro_use]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub mod ecn;
pub mod framing;
pub mod math;
pub mod param;
pub mod plugin;
pub mod quantity;
pub mod random;
pub mod size;
pub mod time;

pub use ecn::Ecn;
pub use random::{BufferedStream, Rng, Stream};
pub use size::{Bytes, Rate, Serializer};
pub use time::{Span, Time};

/// The example of the README, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
