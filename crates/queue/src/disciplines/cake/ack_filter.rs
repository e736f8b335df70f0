//! The filter of acknowledgements: on a link that is slow in one direction they must not take all of it.
//!
//! Reference: HTM18 section III; observed in Linux where that is silent.
//! Units: packets.
//! Deviations: none known; `reference/linux/acks.py` recorded which acknowledgements a kernel drops.

use crate::disc::{Packet, SackLookup};
use alloc::collections::VecDeque;

units::choices! {
    /// Redundant acknowledgements that are dropped.
    pub enum AckFilter {
        /// None.
        Off = "off",
        /// The oldest redundant one of a flow, if another redundant one with its ECN flags is behind it.
        Conservative = "conservative",
        /// Also a single one, if it is next to the newest packet and has its ECN flags.
        Aggressive = "aggressive",
    }
}

impl AckFilter {
    /// The place of the packet that the newest packet of a queue lets the filter drop.
    pub(super) fn redundant<P: Packet>(
        self,
        packets: &VecDeque<P>,
        sacks: Option<&dyn SackLookup>,
    ) -> Option<usize> {
        if self == AckFilter::Off {
            return None;
        }
        let newest = packets.back()?;
        let later = newest.acknowledgement()?;
        // The oldest redundant one since the ECN flags of the flow last changed: with it a change of flags would be
        // lost.
        let mut oldest: Option<(usize, u8)> = None;
        for (place, pkt) in packets.iter().enumerate().take(packets.len() - 1) {
            let Some(ack) = pkt.acknowledgement().filter(|_| pkt.flow() == newest.flow()) else { continue };
            oldest = oldest.filter(|&(_, flags)| flags == ack.flags);
            if ack.is_superseded_by(&later, sacks) {
                if let Some((before, _)) = oldest {
                    return Some(before);
                }
                oldest = Some((place, ack.flags));
            }
        }
        let next_to_newest =
            |(place, flags): &(usize, u8)| place + 2 == packets.len() && *flags == later.flags;
        let alone = oldest.filter(|_| self == AckFilter::Aggressive).filter(next_to_newest);
        alone.map(|(place, _)| place)
    }
}
