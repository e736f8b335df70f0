//! Deliveries in the plain engine: the steps that the fast paths of `end.rs` have to equal.

use super::{Network, Transit};
use crate::packet::Pkt;
use crate::source::{Sink, Source};
use units::Time;

impl Network {
    /// A packet arrives at its end.
    #[cold]
    #[inline(never)]
    pub(super) fn deliver_plain(&mut self, transit: &Transit) {
        let (pkt, now) = (&transit.pkt, transit.time);
        let side = usize::from(!pkt.is_back());
        if self.flows[pkt.flow as usize].next_due[side] <= now {
            self.run_due(2 * pkt.flow + side as u32, pkt, now);
        }
        if pkt.is_back() {
            self.deliver_ack_plain(pkt, now);
        } else {
            self.deliver_data_plain(pkt, now);
        }
    }

    /// An acknowledgement arrives at its source.
    fn deliver_ack_plain(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        flow.probe.conservation.delivered.add(pkt.size);
        if !matches!(flow.source, Source::Tcp(_)) {
            return self.process_feedback(pkt, now);
        }
        self.process_ack(pkt, now);
        self.drain_source(pkt.flow, now, now);
    }

    /// Data arrives at its destination.
    fn deliver_data_plain(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        flow.probe.arrived(now, pkt.size, now.since(pkt.stamp), &self.window, &mut self.histograms);
        let Sink::Tcp(receiver) = &mut flow.sink else { return self.process_data(pkt, now) };
        receiver.on_segment(now, &pkt.segment());
        flow.probe.delivered_in_order(now, receiver.delivered());
        self.drain_sink(pkt.flow, now, now);
    }
}
