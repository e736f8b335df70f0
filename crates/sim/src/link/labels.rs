//! Labels of packets, for a discipline that reads their hosts or their acknowledgements.

use super::transmitter::Transmitter;
use super::Link;
use crate::packet::{FlowLabel, Pkt, WaitingPacket};
use std::sync::Arc;
use units::Time;

impl Link {
    /// Adds a label to the packets of each flow.
    pub fn set_labels(&mut self, labels: &Arc<Vec<FlowLabel>>) {
        self.state().transmitter.labels = Some(labels.clone());
    }

    /// Adds to the packets of the next flow the label of flow `parent`, which began it.
    pub fn add_label(&mut self, parent: u32) {
        if let Some(labels) = self.state.as_mut().and_then(|state| state.transmitter.labels.as_mut()) {
            let label = labels[parent as usize];
            Arc::make_mut(labels).push(label);
        }
    }
}

impl Transmitter {
    /// A packet as it enters the queue, with the label of its flow if the discipline reads labels.
    #[inline]
    pub(super) fn labelled(&self, pkt: &Pkt, now: Time) -> WaitingPacket {
        let label = self.labels.as_ref().map_or_else(FlowLabel::default, |labels| labels[pkt.flow as usize]);
        WaitingPacket { pkt: *pkt, enqueued: now, label }
    }
}
