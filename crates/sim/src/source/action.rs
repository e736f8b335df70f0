//! The next action of an application.

use units::Span;

/// The next action of an application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AppAction {
    /// Send an object.
    Send {
        /// Its payload.
        bytes: u64,
        /// On a new connection.
        fresh: bool,
    },
    /// Send an object, and act again after a while without waiting for its acknowledgement.
    Type {
        /// Its payload.
        bytes: u64,
        /// On a new connection.
        fresh: bool,
        /// Time until the next action.
        span: Span,
    },
    /// Wait.
    Wait {
        /// Time to wait.
        span: Span,
        /// Whether the connection is closed first.
        close: bool,
    },
    /// Nothing: the next action follows an acknowledgement or a timer.
    Rest,
    /// End the session.
    End,
}
