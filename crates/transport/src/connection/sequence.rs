//! Sequence space of a sender.
//!
//! *Reference*: RFC 9293 section 3.4.
//! *Units*: segments.

/// Sequence number that stands for "no segment".
pub(crate) const NONE: u32 = u32::MAX;

/// Send sequence variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SequenceSpace {
    /// The first unacknowledged segment (SND.UNA).
    pub(crate) una: u32,
    /// The next segment to send in order; a timeout moves it back to `una`.
    pub(crate) nxt: u32,
    /// One past the highest segment sent (SND.NXT).
    pub(crate) max: u32,
    /// One past the last segment supplied by the source.
    pub(crate) limit: u32,
    /// Receive window.
    pub(crate) rwnd: u32,
}

impl SequenceSpace {
    /// Segments sent and not acknowledged cumulatively.
    #[inline]
    pub(crate) fn outstanding(&self) -> u32 {
        self.max - self.una
    }

    /// Takes the receive window of an ACK: a new one counts, and of several with the same number the widest.
    pub(crate) fn update_window(&mut self, ack: u32, window: u32) {
        if ack > self.una {
            self.rwnd = window;
        } else if ack == self.una {
            self.rwnd = self.rwnd.max(window);
        }
    }

    /// One past the last segment that the receive window allows.
    #[inline]
    pub(crate) fn window_end(&self) -> u32 {
        self.una.saturating_add(self.rwnd)
    }

    /// One past the last segment that the source and the receive window allow.
    #[inline]
    pub(crate) fn send_end(&self) -> u32 {
        self.limit.min(self.window_end())
    }
}
