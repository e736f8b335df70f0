//! The state of a queue: timers, length, average, internal values.

use crate::discipline::Queue;
use crate::fault::{guard, place, value};
use core::ffi::{c_char, c_double, c_int};
use queue::disc::{Probe, QueueDisc};

/// A time that never comes.
pub const NEVER: u64 = u64::MAX;

/// `dropcurve_queue_next_timer`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_next_timer(queue: *const Queue) -> u64 {
    guard(NEVER, || {
        // SAFETY: the caller's promise.
        Ok(unsafe { value("queue", queue) }?.disc.next_deadline().map_or(NEVER, |due| due.0))
    })
}

/// `dropcurve_queue_ready`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_ready(queue: *const Queue) -> u64 {
    guard(0, || {
        // SAFETY: the caller's promise.
        Ok(unsafe { value("queue", queue) }?.disc.ready().map_or(0, |ready| ready.0))
    })
}

/// `dropcurve_queue_length`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_length(queue: *const Queue) -> u64 {
    // SAFETY: the caller's promise.
    guard(0, || Ok(unsafe { value("queue", queue) }?.disc.len() as u64))
}

/// `dropcurve_queue_backlog`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_backlog(queue: *const Queue) -> u64 {
    // SAFETY: the caller's promise.
    guard(0, || Ok(unsafe { value("queue", queue) }?.disc.backlog().0))
}

/// `dropcurve_queue_average`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_average(queue: *const Queue) -> c_double {
    // SAFETY: the caller's promise.
    guard(f64::NAN, || Ok(unsafe { value("queue", queue) }?.disc.avg().unwrap_or(f64::NAN)))
}

/// `dropcurve_queue_value`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`, `name` and `number` are places for a text and a number.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_value(
    queue: *const Queue,
    index: usize,
    name: *mut *const c_char,
    number: *mut c_double,
) -> c_int {
    guard(-1, || {
        // SAFETY: the caller's promise.
        let (queue, name, number) =
            unsafe { (value("queue", queue)?, place("name", name)?, place("number", number)?) };
        let mut probe = Probe::default();
        queue.disc.probe(&mut probe);
        match (queue.names.get(index), probe.values.get(index)) {
            (Some(text), Some((_, value))) => {
                (*name, *number) = (text.as_ptr(), *value);
                Ok(1)
            }
            _ => Ok(0),
        }
    })
}
