//! Acknowledgements with extras on the fast path: those that offer a receive window, built at a receiver with the rule
//! `linux` and processed at its source, and those with the counters of accurate ECN.

use super::fabric::{Fast, SendResult};
use crate::account::TraceEvent;
use crate::calendar::Key;
use crate::network::Network;
use crate::packet::Pkt;
use crate::source::{Sink, Source};
use units::Time;

impl Network<Fast> {
    /// A TCP receiver that [`transport::Receiver::answers_with_extras`] processes a segment and answers.
    #[inline(never)]
    pub(super) fn answer_with_extras<const LOOKAHEAD: bool>(&mut self, pkt: &Pkt, now: Time) {
        match &self.flows[pkt.flow as usize].sink {
            Sink::Tcp(receiver) if receiver.offers_window() => self.answer_with_window::<LOOKAHEAD>(pkt, now),
            Sink::Tcp(receiver) if receiver.counts_marks() => {
                self.answer_with_counters::<LOOKAHEAD>(pkt, now);
            }
            _ => self.answer_slow(pkt, now),
        }
    }

    /// A TCP receiver whose acknowledgements offer a window processes a segment and answers.
    #[inline(always)]
    fn answer_with_window<const LOOKAHEAD: bool>(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        let Sink::Tcp(receiver) = &mut flow.sink else { return };
        let answer = if pkt.is_plain_data() {
            receiver.on_segment_fast_linux(now, (pkt.seq, pkt.size), pkt.stamp, pkt.is_pushed())
        } else {
            None
        };
        let Some(answer) = answer else { return self.answer_slow(pkt, now) };
        flow.probe.delivered_in_order(now, pkt.seq + 1);
        let Some((ack, window)) = answer else { return self.arm(2 * pkt.flow + 1, now) };
        let attributes = flow.attributes[1];
        let ack = Pkt::of_window_ack(ack, window, pkt.flow, flow.first_hop[1], attributes, &mut self.sacks);
        self.send_answer::<LOOKAHEAD>(ack, now);
    }

    /// A TCP receiver with accurate ECN processes a segment and answers.
    #[inline(always)]
    fn answer_with_counters<const LOOKAHEAD: bool>(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        let Sink::Tcp(receiver) = &mut flow.sink else { return };
        let answer = if pkt.is_unmarked_data() {
            receiver.on_segment_fast_accecn(now, (pkt.seq, pkt.size), pkt.stamp, pkt.attributes.ecn())
        } else {
            None
        };
        let Some(answer) = answer else { return self.answer_slow(pkt, now) };
        flow.probe.delivered_in_order(now, pkt.seq + 1);
        let Some(ack) = answer else { return self.arm(2 * pkt.flow + 1, now) };
        let attributes = flow.attributes[1];
        let ack = Pkt::of_counting_ack(ack, pkt.flow, flow.first_hop[1], attributes, &mut self.sacks);
        self.send_answer::<LOOKAHEAD>(ack, now);
    }

    /// A TCP receiver processes a segment on the slow path.
    #[inline(never)]
    fn answer_slow(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        let Sink::Tcp(receiver) = &mut flow.sink else { return };
        receiver.on_segment(now, &pkt.segment());
        flow.probe.delivered_in_order(now, receiver.delivered());
        self.drain_sink(pkt.flow, now, now);
    }

    /// Sends the only answer to an arrival.
    #[inline(always)]
    fn send_answer<const LOOKAHEAD: bool>(&mut self, ack: Pkt, now: Time) {
        let flow = &mut self.flows[ack.flow as usize];
        flow.state.next_due[1] = flow.state.probe_due[1];
        flow.probe.conservation.sent.add(ack.size);
        self.trace.note(now, TraceEvent::Acknowledge, &ack);
        let key = Key { time: now, birth: now, component: self.link_count + 2 * ack.flow + 1 };
        match self.carrier.send_from::<1, LOOKAHEAD>(&mut flow.state.private[1].first, ack, key) {
            SendResult::Scheduled => {}
            other => self.settle_send(other),
        }
    }

    /// A TCP sender processes an acknowledgement that it did not take on its fast path.
    #[inline(never)]
    pub(super) fn process_other_ack(&mut self, pkt: &Pkt, now: Time) {
        if pkt.has_window() {
            self.process_ack_with_window(pkt, now);
        } else {
            self.process_ack(pkt, now);
        }
    }

    /// A TCP sender processes an acknowledgement with a window: on its fast path if that is all that it has besides.
    #[inline(never)]
    fn process_ack_with_window(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        let (Source::Tcp(sender), Some(window)) = (&mut flow.source, self.sacks.window_alone(pkt)) else {
            return self.process_ack(pkt, now);
        };
        flow.probe.record_cwnd(now, sender);
        sender.update_window(pkt.seq, window);
        let blocks = self.sacks.get(pkt);
        let processed = if blocks.is_empty() {
            sender.on_ack_fast(now, pkt.seq, pkt.stamp)
        } else {
            sender.is_tracked() && sender.on_sack_fast(now, (pkt.seq, pkt.stamp), blocks, |_| {})
        };
        if processed {
            self.sacks.release(pkt);
        } else {
            self.process_ack(pkt, now);
        }
    }
}
