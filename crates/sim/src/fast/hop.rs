//! The next hop of a packet in the fast engine: a link or the end, now or through the event queue.

use super::FastStep;

/// The next hop of a packet, and whether it goes there now or through the event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FastHop {
    /// A specialised tail-drop link, an index into [`Fast::droptail_links`](super::Fast), now.
    DroptailNow(u32),
    /// The same if the end of the flow follows, also now.
    DroptailThenEnd(u32),
    /// The same if the event queue follows.
    DroptailThenQueue(u32),
    /// The end of the flow.
    End,
    /// A specialised tail-drop link, through the event queue.
    Droptail(u32),
    /// An arrival link, an index into [`Fast::arrival_links`](super::Fast), through the event queue.
    Arrival(u32),
    /// Any link, through the event queue.
    Link(u32),
    /// An arrival link, now.
    ArrivalNow(u32),
    /// Any link, now.
    LinkNow(u32),
    /// The flow's private link at the beginning or the end of its route, now.
    Private,
    /// [`FastHop::Droptail`], then a private link and the end.
    DroptailThenPrivate(u32),
    /// [`FastHop::Arrival`], then a private link and the end.
    ArrivalThenPrivate(u32),
    /// [`FastHop::Link`], then a private link and the end.
    LinkThenPrivate(u32),
}

/// The hop code of data packets whose next event is [`FastHop::ArrivalThenPrivate`] at arrival link 0; the codes of
/// further arrival links follow.
pub(super) const HOP_ARRIVAL: u8 = 1;
/// The same for packets of the reverse direction and [`FastHop::DroptailThenPrivate`] at tail-drop link 0.
pub(super) const HOP_DROPTAIL: u8 = 128;
/// Codes for each kind of link.
const CODES: u32 = 127;

/// The fast path of packets whose next hop is coded in the packet.
struct HopCodes;

impl FastStep for HopCodes {
    /// The hop, and the end that sends the packet.
    type Situation<'a> = (FastHop, usize);

    /// The hop leads over one of the first shared links, specialised, to an end with a private link.
    fn is_eligible((hop, side): (FastHop, usize)) -> bool {
        match (side, hop) {
            (0, FastHop::ArrivalThenPrivate(link)) | (1, FastHop::DroptailThenPrivate(link)) => link < CODES,
            _ => false,
        }
    }
}

impl FastHop {
    /// The hop code of a packet that takes this hop through the event queue, forward (side 0) or in reverse; zero if it
    /// has none.
    pub(super) fn hop_code(self, side: usize) -> u8 {
        match self {
            FastHop::ArrivalThenPrivate(link) if HopCodes::is_eligible((self, side)) => {
                HOP_ARRIVAL + link as u8
            }
            FastHop::DroptailThenPrivate(link) if HopCodes::is_eligible((self, side)) => {
                HOP_DROPTAIL + link as u8
            }
            _ => 0,
        }
    }

    /// Whether the packet waits in the event queue until it arrives there.
    #[inline(always)]
    pub(super) fn goes_through_queue(self) -> bool {
        use FastHop::{Arrival, ArrivalThenPrivate, Droptail, DroptailThenPrivate, Link, LinkThenPrivate};
        matches!(self, Droptail(_) | Arrival(_) | Link(_))
            || matches!(self, DroptailThenPrivate(_) | ArrivalThenPrivate(_) | LinkThenPrivate(_))
    }

    /// The index of its specialised tail-drop link, if that is where it leads.
    pub(super) fn droptail_index(&mut self) -> Option<&mut u32> {
        use FastHop::{Droptail, DroptailNow, DroptailThenEnd, DroptailThenPrivate, DroptailThenQueue};
        match self {
            DroptailNow(link) | DroptailThenEnd(link) | DroptailThenQueue(link) => Some(link),
            Droptail(link) | DroptailThenPrivate(link) => Some(link),
            _ => None,
        }
    }
}
