//! The arrival link as a specialised link.

use super::ArrivalLink;
use crate::account::LinkProbe;
use crate::calendar::Key;
use crate::fast::FastLink;
use crate::link::Link;
use queue::Disc;
use units::{Ecn, Time};

impl FastLink for ArrivalLink {
    /// RED that decides at arrival, at a constant rate, without faults and on a clock of nanoseconds.
    fn is_eligible(link: &Link, in_doubles: bool) -> bool {
        let red = matches!(link.discipline(), Some(Disc::Red(_)));
        red && link.is_basic() && link.decides_at_arrival() && !in_doubles
    }

    fn take_over(link: &mut Link) -> Option<ArrivalLink> {
        let component = link.component()?;
        match link.take_over()? {
            (Disc::Red(red), rng, probe) => {
                Some(ArrivalLink::red(component, red.for_packets(), rng, link.rate(), link.delay, probe))
            }
            _ => None,
        }
    }

    fn component(&self) -> u32 {
        self.component
    }

    /// [`ArrivalLink::fates`] holds its drops and marks.
    #[inline(always)]
    fn pass(&mut self, size: u32, ecn: Ecn, key: Key) -> Result<Key, Option<Key>> {
        match self.accept(size, ecn, key) {
            Ok(wire) => Ok(self.arrival_key(size, wire)),
            Err(wire) => Err(wire.map(|wire| self.arrival_key(size, wire))),
        }
    }

    fn finish(&mut self, end: Time) -> u64 {
        self.materialise_queue();
        self.run_due((end, Time::NEVER, u32::MAX));
        let backlog = self.backlog();
        if let Some(probe) = &mut self.probe {
            let mut ahead = 0;
            if self.counting {
                self.queue.for_each(|slot| {
                    let wait = slot.start.since(end).0;
                    probe.queue.remove_sojourn(slot.bytes(), wait, ahead);
                    ahead += wait;
                });
            }
            probe.finish(end, self.busy_until, backlog, self.queue.disc());
        }
        backlog.pkts
    }

    fn take_probe(&mut self) -> Option<Box<LinkProbe>> {
        self.probe.take()
    }
}
