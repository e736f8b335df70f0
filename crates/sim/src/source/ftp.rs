//! Bulk transfer: without end, or one file.

use super::SourcePart;
use crate::plan::Load;
use crate::scenario::traffic::Transport;
use units::param::{Check, Range};
use units::{params, Bytes};

params! {
    /// What a bulk transfer has to send.
    pub struct Ftp {
        /// Payload of a file; `"auto"` sends without end. Over a rate-based transport in whole packets, each sent once.
        bytes: Option<Bytes> = None => { range: Range::Positive },
    }
}

impl Check for Ftp {}

impl SourcePart for Ftp {
    const OVER: &'static [Transport] =
        &[Transport::Tcp, Transport::Tfrc, Transport::Rap, Transport::Tear, Transport::Lda];

    fn load(&self) -> Load {
        self.bytes.map_or(Load::Greedy, Load::File)
    }
}
