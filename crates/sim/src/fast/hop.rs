//! The next hop of a packet in the fast engine: a link or the end, now or through the event queue.

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

/// The hop code of data packets whose next event is [`FastHop::ArrivalThenPrivate`] at arrival link 0; the codes of further arrival
/// links follow.
pub(super) const HOP_ARRIVAL: u8 = 1;
/// The same for packets of the reverse direction and [`FastHop::DroptailThenPrivate`] at tail-drop link 0.
pub(super) const HOP_DROPTAIL: u8 = 128;
/// Codes for each kind of link.
const CODES: u32 = 127;

impl FastHop {
    /// Precondition of a hop code: the hop leads over one of the first shared links, specialised, to an end with a private
    /// link. Returns that link's number and the first code of its kind.
    fn is_eligible(self, side: usize) -> Option<(u32, u8)> {
        match (side, self) {
            (0, FastHop::ArrivalThenPrivate(link)) if link < CODES => Some((link, HOP_ARRIVAL)),
            (1, FastHop::DroptailThenPrivate(link)) if link < CODES => Some((link, HOP_DROPTAIL)),
            _ => None,
        }
    }

    /// The hop code of a packet that takes this hop through the event queue, forward (side 0) or in reverse; zero if it has
    /// none.
    pub(super) fn hop_code(self, side: usize) -> u8 {
        self.is_eligible(side).map_or(0, |(link, first)| first + link as u8)
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
