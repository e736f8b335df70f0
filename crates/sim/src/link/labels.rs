//! Labels of packets, for a discipline that reads their hosts or their acknowledgements.

use super::transmitter::Transmitter;
use super::Link;
use crate::packet::{FlowLabel, Pkt, Waiting};
use std::sync::Arc;
use units::Time;

impl Link {
    /// Gives the packets of each flow a label.
    pub fn set_labels(&mut self, labels: &Arc<[FlowLabel]>) {
        self.state().transmitter.labels = Some(labels.clone());
    }
}

impl Transmitter {
    /// A packet as it enters the queue, with the label of its flow if the discipline reads labels.
    #[inline]
    pub(super) fn labelled(&self, pkt: &Pkt, now: Time) -> Waiting {
        let label = self.labels.as_ref().map_or_else(FlowLabel::default, |labels| labels[pkt.flow as usize]);
        Waiting { pkt: *pkt, enqueued: now, label }
    }
}
