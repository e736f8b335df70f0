//! libdropcurve: queue disciplines and whole simulations behind a C interface, declared in `include/dropcurve.h`.
//!
//! | module | holds |
//! |---|---|
//! | [`discipline`] | a discipline driven with the caller's packets and clock |
//! | [`state`] | timers, length, average and internal values of a discipline |
//! | [`simulation`] | a run: takes the text of a scenario, returns the summary |
//! | [`fault`] | the error of the last call of a thread |
//!
//! No panic crosses the interface: every function catches one, and reports it as an error of the call. The header is
//! the documentation of the functions; a test compares it with this crate.

pub mod discipline;
pub mod fault;
pub mod simulation;
pub mod state;

use core::ffi::{c_char, c_int};
use std::path::Path;

/// The version of this interface: the major number of the library.
pub const INTERFACE: u32 = 1;

/// `dropcurve_version`.
#[no_mangle]
pub extern "C" fn dropcurve_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// `dropcurve_interface`.
#[no_mangle]
pub extern "C" fn dropcurve_interface() -> u32 {
    INTERFACE
}

/// `dropcurve_load_plugin`.
///
/// # Safety
/// `path` is a text that ends with a zero byte.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_load_plugin(path: *const c_char) -> c_int {
    fault::guard(-1, || {
        // SAFETY: the header requires a text that ends with a zero byte.
        let path = unsafe { fault::text("path", path) }?;
        plugin::load(Path::new(path)).map(|_| 0)
    })
}
