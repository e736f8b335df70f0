//! What happens at a queue, and who may watch.

use crate::pump::Link;
use queue::disc::Reason;
use units::{Ecn, Span, Time};

/// Something that happened to a frame, or to the link.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// A frame reached the queue.
    Arrived {
        /// When.
        time: Time,
        /// Its number among the arrivals, from 0.
        number: u64,
        /// Its flow.
        flow: u64,
        /// What it counts on the link, in bytes.
        size: u32,
        /// Its ECN field.
        ecn: Ecn,
        /// Its class.
        class: u8,
    },
    /// The discipline ended it.
    Dropped {
        /// When.
        time: Time,
        /// Its number.
        number: u64,
        /// Why.
        reason: Reason,
        /// How long it had waited.
        wait: Span,
    },
    /// The discipline set CE.
    Marked {
        /// When.
        time: Time,
        /// Its number.
        number: u64,
        /// Why.
        reason: Reason,
    },
    /// Its transmission began.
    Sent {
        /// When.
        time: Time,
        /// Its number.
        number: u64,
        /// How long it had waited.
        wait: Span,
        /// Whether it bears a mark of this queue.
        marked: bool,
    },
    /// The link changed.
    Changed {
        /// When.
        time: Time,
        /// What it is from now on.
        link: &'a Link,
    },
}

/// Somebody who watches. Frames come with their bytes, as they are at that moment.
pub trait Witness {
    /// Is told of an event.
    fn saw(&mut self, event: &Event<'_>, frame: &[u8]);
}

/// Nobody.
impl Witness for () {
    #[inline]
    fn saw(&mut self, _event: &Event<'_>, _frame: &[u8]) {}
}

/// Two of them; either may be absent.
impl<A: Witness, B: Witness> Witness for (Option<A>, Option<B>) {
    #[inline]
    fn saw(&mut self, event: &Event<'_>, frame: &[u8]) {
        if let Some(first) = &mut self.0 {
            first.saw(event, frame);
        }
        if let Some(second) = &mut self.1 {
            second.saw(event, frame);
        }
    }
}

/// The name of a reason in records and results.
pub fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::Early => "early",
        Reason::Forced => "forced",
        Reason::Overflow => "overflow",
    }
}
