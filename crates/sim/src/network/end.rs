//! The arrival of a packet at its end, and the packets that the ends of a flow send.

use super::{Carrier, Network, Transit};
use crate::account::TraceEvent;
use crate::calendar::Key;
use crate::packet::Pkt;
use crate::source::{Sink, Source};
use units::Time;

impl<C: Carrier> Network<C> {
    /// A packet arrives at its end.
    #[cold]
    #[inline(never)]
    pub(crate) fn deliver(&mut self, transit: &Transit) {
        let (pkt, now) = (&transit.pkt, transit.time);
        self.before_arrival(2 * pkt.flow + u32::from(!pkt.is_back()), pkt, now);
        if pkt.is_back() {
            self.deliver_ack(pkt, now);
        } else {
            self.deliver_data(pkt, now);
        }
    }

    /// Does the work that precedes an arrival at an end: timers that are due, the samples of the probe, a row of the
    /// trace.
    #[inline(always)]
    pub(crate) fn before_arrival(&mut self, endpoint: u32, pkt: &Pkt, now: Time) {
        let (side, number) = ((endpoint & 1) as usize, (endpoint >> 1) as usize);
        if self.flows[number].deadline(side) <= now {
            self.run_timers(endpoint, now);
        }
        let flow = &mut self.flows[number];
        if side == 1 {
            flow.probe.first_arrival(now, now.since(pkt.stamp), &self.window);
            flow.record_sink(now, &self.window);
        } else if !flow.source.is_over() {
            flow.record_source(now, &self.window);
        }
        self.trace.note(now, if side == 0 { TraceEvent::Acked } else { TraceEvent::Receive }, pkt);
    }

    /// An acknowledgement or a report arrives at its source.
    fn deliver_ack(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        flow.probe.conservation.delivered.add(pkt.size);
        if !matches!(flow.source, Source::Tcp(_)) {
            return self.process_feedback(pkt, now);
        }
        self.process_ack(pkt, now);
        self.drain_source(pkt.flow, now, now);
    }

    /// A TCP sender processes an acknowledgement, which may complete its transfer.
    #[cold]
    #[inline(never)]
    pub(crate) fn process_ack(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        let Source::Tcp(sender) = &mut flow.source else { return };
        flow.probe.record_cwnd(now, sender);
        sender.on_ack(now, &pkt.ack(&mut self.sacks));
        if pkt.is_syn() {
            flow.attributes[0] = flow.attributes[0].with_ecn(sender.codepoint());
        }
        if sender.is_done() {
            flow.probe.record_finish(now);
        }
    }

    /// Any other source processes its feedback and sends.
    #[inline(never)]
    pub(crate) fn process_feedback(&mut self, pkt: &Pkt, now: Time) {
        let ack = pkt.ack(&mut self.sacks);
        let flow = &mut self.flows[pkt.flow as usize];
        if flow.source.is_over() {
            return;
        }
        flow.record_source(now, &self.window);
        flow.on_feedback(now, &ack, &self.window);
        let is_app = matches!(flow.source, Source::App(_));
        self.drain_source(pkt.flow, now, now);
        if is_app {
            self.open_connections(pkt.flow, now);
        }
    }

    /// Data arrives at its destination.
    fn deliver_data(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        flow.probe.arrived(now, pkt.size, now.since(pkt.stamp), &self.window, &mut self.histograms);
        let Sink::Tcp(receiver) = &mut flow.sink else { return self.process_data(pkt, now) };
        receiver.on_segment(now, &pkt.segment());
        flow.probe.delivered_in_order(now, receiver.delivered());
        self.drain_sink(pkt.flow, now, now);
    }

    /// A sink that is not a plain TCP receiver processes its data.
    #[inline(never)]
    pub(crate) fn process_data(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        match (&mut flow.sink, &mut flow.source) {
            (Sink::Udp { payload }, Source::Udp(source)) => *payload += source.payload(pkt.size),
            (Sink::Rated(sink), Source::Rated(source)) => {
                sink.on_packet(now, pkt.seq, pkt.attributes.ecn(), source);
                self.drain_sink(pkt.flow, now, now);
            }
            (Sink::App(sink), Source::App(source)) => {
                sink.on_segment(now, &pkt.segment(), source);
                let mut objects = 0;
                while let Some(object) = sink.completed(source) {
                    flow.probe.object_completed(now, &object, &self.window);
                    objects += 1;
                }
                if let Some(first) = source.page.first().filter(|_| objects > 0) {
                    self.page_arrived(first, objects, now);
                }
                self.drain_sink(pkt.flow, now, now);
            }
            _ => {}
        }
    }

    /// Sends everything a source has to send at `now`; `birth` orders the packets among others of that moment.
    #[inline(never)]
    pub(crate) fn drain_source(&mut self, number: u32, now: Time, birth: Time) {
        let key = Key { time: now, birth, component: self.component_of(2 * number) };
        self.flows[number as usize].probe.start_counting(0, now, &self.window);
        loop {
            let flow = &mut self.flows[number as usize];
            let segment = match &mut flow.source {
                Source::Tcp(sender) => sender.poll_transmit(now),
                Source::Rated(source) => {
                    let segment = source.poll_transmit(now);
                    if source.is_done() {
                        flow.probe.record_finish(now);
                    }
                    segment
                }
                Source::Udp(source) => source.poll_transmit(now),
                Source::App(source) => source.poll_transmit(now),
                Source::Origin(_) => None,
            };
            let Some(segment) = segment else { break };
            flow.probe.sent.add(segment.size);
            let mut pkt = Pkt::of_segment(&segment, number, flow.first_hop[0]);
            pkt.set_class(flow.marker.beyond(now, segment.size).unwrap_or(flow.attributes[0].class()));
            self.trace.note(now, TraceEvent::Send, &pkt);
            C::send(self, pkt, key);
        }
        self.arm(2 * number, now);
    }

    /// Sends everything a receiver has to send at `now`.
    #[inline(never)]
    pub(crate) fn drain_sink(&mut self, number: u32, now: Time, birth: Time) {
        let key = Key { time: now, birth, component: self.component_of(2 * number + 1) };
        loop {
            let flow = &mut self.flows[number as usize];
            let Some(ack) = flow.sink.poll_transmit(now) else { break };
            flow.probe.conservation.sent.add(ack.size);
            let mut pkt = Pkt::of_ack(&ack, number, flow.first_hop[1], &mut self.sacks);
            pkt.set_class(flow.attributes[1].class());
            self.trace.note(now, TraceEvent::Acknowledge, &pkt);
            C::send(self, pkt, key);
        }
        self.arm(2 * number + 1, now);
    }
}
