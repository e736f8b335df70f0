//! A call lent to another language for as long as it lasts.

use queue::plugin::Call;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{current, ThreadId};

/// A call whose handle may outlive it in another language: after its end the handle is empty.
pub struct Loan {
    thread: ThreadId,
    call: Mutex<Place>,
}

/// Pointer to the call; null before the loan, after it, and during a use.
struct Place(Option<*mut Call<'static>>);

// SAFETY: only the lending thread follows the pointer (`Loan::with`); others only compare thread identifiers.
unsafe impl Send for Place {}

impl Loan {
    /// Lends a call while `act` runs.
    pub fn lend<T>(call: &mut Call<'_>, act: impl FnOnce(&Arc<Loan>) -> T) -> T {
        let place = (&raw mut *call).cast::<Call<'static>>();
        let loan = Arc::new(Loan { thread: current().id(), call: Mutex::new(Place(Some(place))) });
        // Takes the call back also when `act` panics.
        let back = LoanEnd(&loan);
        let answer = act(back.0);
        drop(back);
        answer
    }

    /// Uses the call; `None` if it is over, is in use, or was lent by another thread.
    pub fn with<T>(&self, act: impl FnOnce(&mut Call<'_>) -> T) -> Option<T> {
        if current().id() != self.thread {
            return None;
        }
        let place = self.lock(None)?;
        // SAFETY: the lender waits in `lend` on this thread and does not touch the call; the place is empty meanwhile,
        // so that nobody else follows the pointer; and the call is not over, or the place would have been emptied.
        let answer = act(unsafe { &mut *place });
        self.lock(Some(place));
        Some(answer)
    }

    /// Stores a value in the place; returns the previous one.
    fn lock(&self, new: Option<*mut Call<'static>>) -> Option<*mut Call<'static>> {
        std::mem::replace(&mut self.call.lock().unwrap_or_else(PoisonError::into_inner).0, new)
    }
}

/// Ends a loan when it is dropped.
struct LoanEnd<'a>(&'a Arc<Loan>);

impl Drop for LoanEnd<'_> {
    fn drop(&mut self) {
        self.0.lock(None);
    }
}
