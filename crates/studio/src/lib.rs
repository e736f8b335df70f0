//! The engine for a browser: sessions driven step by step behind exported functions.
//!
//! A host calls [`buffer`] with the length of a text, writes the text there, and calls a function. The output of a
//! function is at [`output`] and has [`output_len`] bytes. Texts are JSON in UTF-8, frames are little-endian doubles.

// Exported names are the only unsafe feature used here.
#![allow(unsafe_code)]

mod calls;
mod frame;
mod hash;

pub use hash::{results_hash, sessions_hash};

use calls::Calls;
use std::cell::RefCell;

thread_local! {
    static CALLS: RefCell<Calls> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Calls) -> T) -> T {
    CALLS.with_borrow_mut(work)
}

/// Allocates the text of the next call and returns its address.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    with(|calls| calls.buffer(length))
}

/// The address of the output of the last call.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn output() -> *const u8 {
    with(|calls| calls.output().as_ptr())
}

/// The length in bytes of the output of the last call.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn output_len() -> usize {
    with(|calls| calls.output().len())
}

/// The version and the catalogue, as JSON.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn catalogue() {
    with(Calls::catalogue);
}

/// Parses a scenario with its edits and describes it, as JSON: its parts, or every problem.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn describe() {
    with(Calls::describe);
}

/// Opens a session on a scenario, edits and a seed; returns its number, or zero with the problems as output.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn open() -> u32 {
    with(Calls::open)
}

/// Advances a session up to a time in seconds, with a sample after each `step` seconds and about `most` events at most.
/// Returns the time reached.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn advance(session: u32, until: f64, step: f64, most: u32) -> f64 {
    with(|calls| calls.advance(session, until, step, most))
}

/// Outputs the state of a session and its samples since the last call, as doubles: see [`frame`].
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn frame(session: u32) {
    with(|calls| calls.frame(session));
}

/// Ends a session and outputs its digest and summary, as JSON.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn finish(session: u32) {
    with(|calls| calls.finish(session));
}

/// Removes a session.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn close(session: u32) {
    with(|calls| calls.close(session));
}

/// Returns the hash of results of this build.
// SAFETY: no other function of this name is linked.
#[no_mangle]
pub extern "C" fn hash(seed: u32) -> u64 {
    sessions_hash(u64::from(seed))
}
