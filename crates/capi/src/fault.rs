//! The last error of a thread, and the boundary that no panic crosses.

use core::ffi::{c_char, CStr};
use std::cell::RefCell;
use std::ffi::CString;
use std::panic::{catch_unwind, AssertUnwindSafe};

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs a call and returns its value. After an error or a panic, which becomes the thread's last error, it returns
/// `otherwise`.
pub fn guard<T>(otherwise: T, act: impl FnOnce() -> Result<T, String>) -> T {
    let message = match catch_unwind(AssertUnwindSafe(act)) {
        Ok(Ok(answer)) => return answer,
        Ok(Err(message)) => message,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            format!("internal error: {text}")
        }
    };
    let text: Vec<u8> = message.into_bytes().into_iter().filter(|byte| *byte != 0).collect();
    LAST.set(CString::new(text).unwrap_or_default());
    otherwise
}

/// Returns a text of the caller.
///
/// # Safety
/// The pointer is null, or points to a text that ends with a zero byte and is not changed while it is used.
// SAFETY: the caller's promise is the section above.
pub unsafe fn text<'a>(name: &str, from: *const c_char) -> Result<&'a str, String> {
    if from.is_null() {
        return Err(format!("{name}: is null; pass a text that ends with a zero byte"));
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(from) };
    bytes.to_str().map_err(|_| format!("{name}: is not UTF-8"))
}

/// Refuses a null pointer of the caller, by its name.
///
/// # Safety
/// The pointer is null, or points to a value that is not changed while it is used.
// SAFETY: the caller's promise is the section above.
pub unsafe fn value<'a, T>(name: &str, from: *const T) -> Result<&'a T, String> {
    // SAFETY: the caller's promise.
    unsafe { from.as_ref() }.ok_or_else(|| format!("{name}: is null"))
}

/// Refuses a null pointer of the caller to a value that is written.
///
/// # Safety
/// The pointer is null, or points to a value that is used by no one else meanwhile.
// SAFETY: the caller's promise is the section above.
pub unsafe fn place<'a, T>(name: &str, from: *mut T) -> Result<&'a mut T, String> {
    // SAFETY: the caller's promise.
    unsafe { from.as_mut() }.ok_or_else(|| format!("{name}: is null"))
}

/// `dropcurve_last_error`.
#[no_mangle]
pub extern "C" fn dropcurve_last_error() -> *const c_char {
    // The text stays where it is until the next error of this thread replaces it.
    LAST.with_borrow(|last| last.as_ptr())
}
