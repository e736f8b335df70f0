//! Bulk transfer: without end, or one file.

use units::param::{Check, Range};
use units::{params, Bytes};

params! {
    /// The source of a bulk transfer.
    pub struct Ftp {
        /// Payload of a file; `"auto"` sends without end. Over a rate-based transport in whole packets, each sent once.
        bytes: Option<Bytes> = None => { range: Range::Positive },
    }
}

impl Check for Ftp {}
