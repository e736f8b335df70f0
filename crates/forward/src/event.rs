//! Events at a queue, and the trait of their observers.

use crate::link::LinkSettings;
use queue::disc::Reason;
use units::{Ecn, Span, Time};

/// An event of a frame or of the link.
#[derive(Clone, Debug, PartialEq)]
pub enum PacketEvent<'a> {
    /// A frame reached the queue.
    Arrived {
        /// When.
        time: Time,
        /// Its number among the arrivals, from 0.
        number: u64,
        /// Its flow.
        flow: u64,
        /// Its source and its destination host.
        hosts: [u64; 2],
        /// Its size on the link, in bytes.
        size: u32,
        /// Its ECN field.
        ecn: Ecn,
        /// Its class.
        class: u8,
    },
    /// The discipline dropped it.
    Dropped {
        /// When.
        time: Time,
        /// Its number.
        number: u64,
        /// Why.
        reason: Reason,
        /// Its sojourn time.
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
        /// Its sojourn time.
        wait: Span,
        /// Whether this queue has marked it.
        marked: bool,
    },
    /// The link changed.
    Changed {
        /// When.
        time: Time,
        /// The new settings.
        link: &'a LinkSettings,
    },
}

/// An observer of events. Each event comes with the bytes of its frame at that time.
pub trait EventObserver {
    /// Records an event.
    fn on_event(&mut self, event: &PacketEvent<'_>, frame: &[u8]);
}

/// No observer.
impl EventObserver for () {
    #[inline]
    fn on_event(&mut self, _event: &PacketEvent<'_>, _frame: &[u8]) {}
}

/// Two observers; either may be absent.
impl<A: EventObserver, B: EventObserver> EventObserver for (Option<A>, Option<B>) {
    #[inline]
    fn on_event(&mut self, event: &PacketEvent<'_>, frame: &[u8]) {
        if let Some(first) = &mut self.0 {
            first.on_event(event, frame);
        }
        if let Some(second) = &mut self.1 {
            second.on_event(event, frame);
        }
    }
}

/// Returns the name of a reason in records and results.
pub fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::Early => "early",
        Reason::Forced => "forced",
        Reason::Overflow => "overflow",
    }
}
