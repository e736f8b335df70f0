//! The filter of acknowledgements: on a link that is slow in one direction they must not take all of it.
//!
//! Reference: HTM18 section III; observed in Linux where that is silent.
//! Units: packets.
//! Deviations: an acknowledgement that carries SACK blocks is never dropped; Linux drops one whose blocks a later one
//! covers.

use crate::disc::Packet;
use alloc::collections::VecDeque;

units::choices! {
    /// Redundant acknowledgements that are dropped.
    pub enum AckFilter {
        /// None.
        Off = "off",
        /// The oldest of a flow, if two others of it are in the queue.
        Conservative = "conservative",
        /// The oldest of a flow, if one other of it is in the queue.
        Aggressive = "aggressive",
    }
}

impl AckFilter {
    /// The place of the packet that the newest packet of a queue lets the filter drop.
    pub(super) fn redundant<P: Packet>(self, packets: &VecDeque<P>) -> Option<usize> {
        if self == AckFilter::Off {
            return None;
        }
        let newest = packets.back()?;
        let later = newest.acknowledgement()?;
        let superseded = |pkt: &P| {
            pkt.flow() == newest.flow()
                && pkt.acknowledgement().is_some_and(|ack| ack.is_superseded_by(&later))
        };
        let mut redundant = (0..packets.len() - 1).filter(|&place| superseded(&packets[place]));
        let oldest = redundant.next()?;
        (self == AckFilter::Aggressive || redundant.next().is_some()).then_some(oldest)
    }
}
