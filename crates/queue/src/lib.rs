//! Queue disciplines.
#![forbid(unsafe_code)]
pub mod disc;
