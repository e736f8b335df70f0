//! A scenario's text in, the summary of a run out.

use crate::fault::{guard, place, text};
use core::ffi::{c_char, c_int};
use sim::scenario::Scenario;
use std::ffi::CString;
use units::param::Problem;

/// A run's summary and digest.
struct Ran {
    summary: String,
    digest: u64,
}

/// Runs a scenario in either crate; their types differ.
macro_rules! run_in {
    ($clock:ident, $plan:expr, $hash:expr, $seed:expr) => {{
        let plan = $plan;
        let outcome = $clock::run(plan, $seed, &$clock::Options::default());
        Ran { summary: outcome.summary(plan, $hash).to_string(), digest: outcome.digest(plan) }
    }};
}

fn run(scenario: &Scenario, seed: u64) -> Result<Ran, String> {
    let (plan, hash) = (scenario.plan(), scenario.hash());
    if !plan.run.in_doubles() {
        return Ok(run_in!(sim, &plan, &hash, seed));
    }
    let same = sim_doubles::scenario::Scenario::parse(&scenario.to_toml());
    let same = same.map_err(|_| "internal error: a checked scenario is refused".to_string())?;
    Ok(run_in!(sim_doubles, &same.plan(), &hash, seed))
}

fn lines(problems: Vec<Problem>) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn owned(text: String) -> Result<*mut c_char, String> {
    CString::new(text).map(CString::into_raw).map_err(|_| "a text holds a zero byte".to_string())
}

/// `dropcurve_run`.
///
/// # Safety
/// `scenario` is a text that ends with a zero byte; `digest` is null or a place for a number.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_run(scenario: *const c_char, seed: u64, digest: *mut u64) -> *mut c_char {
    guard(core::ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let scenario = Scenario::parse(unsafe { text("scenario", scenario) }?).map_err(lines)?;
        let ran = run(&scenario, seed)?;
        if !digest.is_null() {
            // SAFETY: the caller's promise.
            *unsafe { place("digest", digest) }? = ran.digest;
        }
        owned(ran.summary)
    })
}

/// `dropcurve_resolve`.
///
/// # Safety
/// `scenario` is a text that ends with a zero byte.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_resolve(scenario: *const c_char) -> *mut c_char {
    guard(core::ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let scenario = Scenario::parse(unsafe { text("scenario", scenario) }?).map_err(lines)?;
        owned(scenario.to_toml())
    })
}

/// `dropcurve_catalogue`.
#[no_mangle]
pub extern "C" fn dropcurve_catalogue() -> *mut c_char {
    guard(core::ptr::null_mut(), || owned(sim::scenario::catalogue().to_string()))
}

/// `dropcurve_free_text`.
///
/// # Safety
/// `text` is null, or was returned by a function of this library and not freed.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_free_text(text: *mut c_char) {
    let _: c_int = guard(0, || {
        if !text.is_null() {
            // SAFETY: the text was made by `owned`, and this is its last use.
            drop(unsafe { CString::from_raw(text) });
        }
        Ok(0)
    });
}
