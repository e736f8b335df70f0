//! The next dequeue of a link that dequeues lazily; see [`super::lazy_dequeue`].

use crate::calendar::Key;
use units::{Span, Time};

/// The next dequeue of a link, and the event that guards it.
#[derive(Clone, Copy)]
pub(super) struct NextDequeue {
    /// How far a dequeue may be postponed; zero if the link is not eligible.
    pub(super) slack: Span,
    /// The position of the next dequeue in the order of events.
    pub(super) next: Key,
    /// Whether an event guards it.
    pub(super) guarded: bool,
}

/// No dequeue.
pub(super) const NONE: Key = Key { time: Time::NEVER, birth: Time::NEVER, component: u32::MAX };

impl NextDequeue {
    /// The state of a link that is not eligible.
    pub(super) const NOT_ELIGIBLE: NextDequeue =
        NextDequeue { slack: Span::ZERO, next: NONE, guarded: false };
}
