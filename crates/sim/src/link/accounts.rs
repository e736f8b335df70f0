//! What a link writes to results.

use super::Link;
use crate::probe::LinkProbe;

impl Link {
    /// The same link with accounts.
    pub fn with_probe(mut self, probe: LinkProbe) -> Link {
        *self.probe_mut() = Some(Box::new(probe));
        self
    }

    /// What it writes to results, if anything.
    pub fn probe(&self) -> Option<&LinkProbe> {
        let at_work = self.works.as_ref().and_then(|works| works.transmitter.probe.as_deref());
        at_work.or(self.kept.as_deref())
    }

    /// What it writes to results, to be written.
    pub fn probe_mut(&mut self) -> &mut Option<Box<LinkProbe>> {
        match &mut self.works {
            Some(works) => &mut works.transmitter.probe,
            None => &mut self.kept,
        }
    }
}
