//! The probe of a link.

use super::Link;
use crate::account::LinkProbe;

impl Link {
    /// The same link with a probe.
    pub fn with_probe(mut self, probe: LinkProbe) -> Link {
        *self.probe_mut() = Some(Box::new(probe));
        self
    }

    /// Its record, if it has a probe.
    pub fn probe(&self) -> Option<&LinkProbe> {
        let at_work = self.state.as_ref().and_then(|state| state.transmitter.probe.as_deref());
        at_work.or(self.probe_after_run.as_deref())
    }

    /// The probe, mutable.
    pub fn probe_mut(&mut self) -> &mut Option<Box<LinkProbe>> {
        match &mut self.state {
            Some(state) => &mut state.transmitter.probe,
            None => &mut self.probe_after_run,
        }
    }
}
