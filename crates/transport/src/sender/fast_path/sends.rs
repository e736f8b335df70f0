//! Segments that a sender may send until its next input: on the fast path, and besides.

/// Segments that may be ready besides those of [`Sender::poll_fast`](super::Sender::poll_fast).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pending {
    /// Nothing.
    Nothing,
    /// The segments of [`Sender::poll_tracked`](super::Sender::poll_tracked).
    Tracked,
    /// Those, of which the next is the retransmission of a lost segment.
    Retransmission,
    /// Any segment: the slow path decides.
    Any,
}

/// The new segments that may be sent on the fast path until the next input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sends {
    /// One past the last of them.
    pub(super) end: u32,
    /// Whether others may be ready then.
    pub(super) slow_pending: bool,
}

impl Sends {
    /// The slow path decides on every segment.
    pub(super) const SLOW: Sends = Sends { end: 0, slow_pending: true };
    /// No segment may be sent.
    pub(super) const NOTHING: Sends = Sends { end: 0, slow_pending: false };

    /// All before `past` and nothing else, if that ends before the `limit` of the data; `None` leaves all to the slow
    /// path.
    #[inline(always)]
    pub(super) fn until(past: Option<u32>, limit: u32) -> Sends {
        match past {
            Some(end) if end < limit => Sends { end, slow_pending: false },
            _ => Sends::SLOW,
        }
    }
}
