//! Which links can be specialised.

use super::{Link, Transmitter};
use crate::fast::DroptailLink;
use crate::fast::RedLink;
use queue::disc::QueueDisc;
use queue::Disc;

/// A specialised link.
pub enum Specialised {
    /// For tail drop.
    Droptail(DroptailLink),
    /// For RED.
    Red(Box<RedLink>),
}

impl Link {
    /// Replaces the link by its specialised form, if it has one: [`DroptailLink`] or [`RedLink`]. The probe moves along.
    /// `in_doubles`: times are sums of doubles.
    pub fn specialise(&mut self, in_doubles: bool) -> Option<Specialised> {
        let plain = |transmitter: &Transmitter| {
            !transmitter.counts_wire && !transmitter.serializer.is_varying() && transmitter.ring.is_none()
        };
        let state = self.state.as_mut().filter(|state| self.faults.is_none() && plain(&state.transmitter))?;
        self.avg_unit = state.queue.avg_unit();
        let Transmitter { component, probe, rng, departures_known, .. } = &mut state.transmitter;
        let short = match &state.queue {
            Disc::Red(red) if *departures_known && !in_doubles => {
                let (queue, rng) = (red.for_packets(), rng.clone());
                let line = RedLink::new(*component, queue, rng, self.rate, self.delay, probe.take());
                Specialised::Red(Box::new(line))
            }
            other => {
                let limit = other.plain_limit()?;
                Specialised::Droptail(DroptailLink::new(
                    *component,
                    limit,
                    self.rate,
                    self.delay,
                    probe.take(),
                ))
            }
        };
        self.state = None;
        Some(short)
    }
}
