//! The two kinds of fast paths: specialised links ([`FastLink`]) and specialised steps ([`FastStep`]). Every
//! precondition is the `is_eligible` of one of these traits.

use crate::account::LinkProbe;
use crate::calendar::Key;
use crate::link::Link;
use units::{Ecn, Time};

/// Specialised steps of packets, timers or links, with the same bits as the steps of the plain engine.
pub(super) trait FastStep {
    /// The facts that the precondition depends on.
    type Situation<'a>;

    /// Precondition: whether the steps may be taken in this situation.
    fn is_eligible(situation: Self::Situation<'_>) -> bool;
}

/// A link that is specialised for one discipline and gives the same bits as the general [`Link`].
pub trait FastLink: Sized {
    /// Precondition: whether this form can take over the work of `link`. `in_doubles`: times are sums of doubles.
    fn is_eligible(link: &Link, in_doubles: bool) -> bool;

    /// Takes over the work of an eligible link, and its probe.
    fn take_over(link: &mut Link) -> Option<Self>;

    /// Its number, which is its place in the order of events.
    fn component(&self) -> u32;

    /// A packet of this size arrives. Returns where it is next; `Err(None)` if it was dropped, `Err(Some(_))` if it was
    /// marked and continues.
    fn pass(&mut self, size: u32, ecn: Ecn, key: Key) -> Result<Key, Option<Key>>;

    /// Brings the link to the end of the run. Returns the packets in its queue.
    fn finish(&mut self, end: Time) -> u64;

    /// Removes the probe.
    fn take_probe(&mut self) -> Option<Box<LinkProbe>>;
}
