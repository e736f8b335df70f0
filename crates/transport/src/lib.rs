//! Transport endpoints.
#![forbid(unsafe_code)]
pub mod segment;
