//! The ends of flows: deliveries, transmissions and timers.

use super::fabric::SendResult;
use super::{Network, Transit};
use crate::account::TraceEvent;
use crate::calendar::Key;
use crate::packet::Pkt;
use crate::source::{Sink, Source};
use transport::Sender;
use units::{Span, Time};

impl Network {
    /// A packet arrives at its end.
    #[inline(never)]
    pub(super) fn deliver<const LOOKAHEAD: bool>(&mut self, transit: &Transit) {
        if transit.pkt.is_back() {
            self.deliver_ack::<false, LOOKAHEAD>(transit.pkt, transit.key());
        } else {
            self.deliver_data::<false, LOOKAHEAD>(transit.pkt, transit.key());
        }
    }

    /// The same for a packet that still has to pass its flow's private last link.
    #[inline(never)]
    pub(super) fn deliver_over_private(&mut self, transit: &Transit) {
        if transit.pkt.is_back() {
            self.deliver_ack::<true, true>(transit.pkt, transit.key());
        } else {
            self.deliver_data::<true, true>(transit.pkt, transit.key());
        }
    }

    /// [`Network::deliver_over_private`] if that link is busy, or if the packet passed it after the end of the run (`late`).
    #[cold]
    #[inline(never)]
    fn deliver_slow<const LOOKAHEAD: bool>(&mut self, transit: &Transit, late: Option<Time>) {
        let flow = &mut self.flows[transit.pkt.flow as usize];
        match flow.pass_last_link_slow(transit, late, self.window.end) {
            Ok(key) => self.deliver::<LOOKAHEAD>(&Transit::new(transit.pkt, key)),
            Err(ended) => self.settle_send(ended),
        }
    }

    /// An acknowledgement arrives at its source. `PRIVATE`: it still has to pass its flow's private last link.
    /// `LOOKAHEAD`: the lookahead may be on. Here and in [`Network::deliver_data`] no reference to the packet is
    /// passed on, so that it stays in registers.
    #[inline(always)]
    pub(super) fn deliver_ack<const PRIVATE: bool, const LOOKAHEAD: bool>(&mut self, pkt: Pkt, at: Key) {
        let mut flow = &mut self.flows[pkt.flow as usize];
        let mut now = at.time;
        if PRIVATE {
            match flow.pass_last_link(1, pkt.size, now) {
                Some(time) if time <= self.window.end => now = time,
                late => return self.deliver_slow::<LOOKAHEAD>(&Transit::new(pkt, at), late),
            }
        }
        if flow.next_due[0] <= now {
            self.run_due(2 * pkt.flow, &Pkt { ..pkt }, now);
            flow = &mut self.flows[pkt.flow as usize];
        }
        flow.probe.conservation.delivered.add(pkt.size);
        let Source::Tcp(sender) = &mut flow.source else { return self.process_feedback(&Pkt { ..pkt }, now) };
        let probe = &mut flow.probe;
        let mut hold = |unchanged: &Sender| probe.record_cwnd(now, unchanged);
        let heard = if !pkt.is_plain_ack() {
            false
        } else if pkt.sack == 0 {
            hold(sender);
            sender.on_ack_fast(now, pkt.seq, pkt.stamp)
        } else {
            let held = sender.on_sack_fast(now, pkt.seq, self.sacks.get(&pkt), hold);
            if held {
                self.sacks.release(&pkt);
            }
            held
        };
        if !heard {
            self.process_ack(&Pkt { hop: 0, ..pkt }, now);
            flow = &mut self.flows[pkt.flow as usize];
        }
        let key = Key { time: now, birth: now, component: self.link_count + 2 * pkt.flow };
        match flow.send_fast::<LOOKAHEAD>(pkt.flow, key, &mut self.fabric, &mut self.trace) {
            Ok(Some(due)) => {
                if flow.needs_earlier_timer(due) {
                    self.schedule_timer_at(2 * pkt.flow, due.max(now));
                }
            }
            Ok(None) => self.drain_source(pkt.flow, now, now),
            Err(sent) => self.continue_sending(pkt.flow, key, sent),
        }
    }

    /// An acknowledgement that the fast path of the sender refuses, or the last one, which may complete the transfer.
    #[cold]
    #[inline(never)]
    pub(super) fn process_ack(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        let Source::Tcp(sender) = &mut flow.source else { return };
        flow.probe.record_cwnd(now, sender);
        sender.on_ack(now, &pkt.ack(&mut self.sacks));
        if sender.is_done() {
            flow.probe.record_finish(now);
        }
    }

    /// Work that is due at an end besides this arrival: a timer, a probe's sample, a row of the trace.
    #[cold]
    #[inline(never)]
    pub(super) fn run_due(&mut self, endpoint: u32, pkt: &Pkt, now: Time) {
        let side = (endpoint & 1) as usize;
        let number = (endpoint >> 1) as usize;
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
        flow.update_due(side, &self.window, &self.trace);
    }

    /// Feedback for anything but a plain TCP sender.
    #[inline(never)]
    pub(super) fn process_feedback(&mut self, pkt: &Pkt, now: Time) {
        let ack = pkt.ack(&mut self.sacks);
        let flow = &mut self.flows[pkt.flow as usize];
        if flow.source.is_over() {
            return;
        }
        flow.record_source(now, &self.window);
        flow.on_feedback(now, &ack, &self.window);
        self.drain_source(pkt.flow, now, now);
    }

    /// A data packet arrives at its destination.
    #[inline(always)]
    pub(super) fn deliver_data<const PRIVATE: bool, const LOOKAHEAD: bool>(&mut self, pkt: Pkt, at: Key) {
        let mut flow = &mut self.flows[pkt.flow as usize];
        let mut now = at.time;
        if PRIVATE {
            match flow.pass_last_link(0, pkt.size, now) {
                Some(time) if time <= self.window.end => now = time,
                late => return self.deliver_slow::<LOOKAHEAD>(&Transit::new(pkt, at), late),
            }
        }
        if flow.next_due[1] <= now {
            self.run_due(2 * pkt.flow + 1, &Pkt { ..pkt }, now);
            flow = &mut self.flows[pkt.flow as usize];
        }
        let delay = if now.is_apart() { now.since(pkt.stamp) } else { Span(now.0 - pkt.stamp.0) };
        flow.probe.arrived(now, pkt.size, delay, &self.window, &mut self.histograms);
        let Sink::Tcp(receiver) = &mut flow.sink else { return self.process_data(&Pkt { ..pkt }, now) };
        let next =
            if pkt.is_syn() { None } else { receiver.on_segment_fast(now, pkt.seq, pkt.size, pkt.stamp) };
        let plain = match next {
            Some(plain) => plain,
            None => {
                receiver.on_segment(now, &pkt.segment());
                receiver.poll_ack_fast()
            }
        };
        let Some(plain) = plain else {
            let delivered = receiver.delivered();
            flow.probe.delivered_in_order(now, delivered);
            return self.drain_sink(pkt.flow, now, now);
        };
        flow.probe.delivered_in_order(now, plain.ack);
        // The only answer to this arrival; it also carries what a delayed acknowledgement would have.
        let ack = Pkt::of_fast_ack(plain, pkt.flow, flow.first_hop[1], flow.attributes[1], &mut self.sacks);
        flow.next_due[1] = flow.probe_due[1];
        flow.probe.conservation.sent.add(ack.size);
        self.trace.note(now, TraceEvent::Acknowledge, &ack);
        let key = Key { time: now, birth: now, component: self.link_count + 2 * pkt.flow + 1 };
        match self.fabric.send::<1, LOOKAHEAD>(&mut flow.private[1].first, ack, key) {
            SendResult::Scheduled => {}
            other => self.settle_send(other),
        }
    }

    /// A packet arrives at a sink that is not a plain TCP receiver.
    #[inline(never)]
    pub(super) fn process_data(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        match (&mut flow.sink, &mut flow.source) {
            (Sink::Udp { payload }, Source::Udp(source)) => *payload += source.payload(pkt.size),
            (Sink::Rated(sink), Source::Rated(source)) => {
                sink.on_packet(now, pkt.seq, pkt.attributes.ecn(), source);
                self.drain_sink(pkt.flow, now, now);
            }
            (Sink::App(sink), Source::App(source)) => {
                sink.on_segment(now, &pkt.segment(), source);
                while let Some(object) = sink.completed(source) {
                    flow.probe.object_completed(now, &object, &self.window);
                }
                self.drain_sink(pkt.flow, now, now);
            }
            _ => {}
        }
    }

    /// Whether this timer is stale (lazy cancellation): firing would only re-arm it, whatever happens until then,
    /// because an earlier deadline arms a timer of its own.
    pub(super) fn is_stale_timer(&self, endpoint: u32, now: Time) -> bool {
        let side = (endpoint & 1) as usize;
        let flow = &self.flows[(endpoint >> 1) as usize];
        flow.armed_for[side] != now || !flow.is_due(side, now)
    }

    /// A timer event of an endpoint. It is stale if the endpoint has armed another since.
    pub(super) fn timer_fired(&mut self, endpoint: u32, now: Time) {
        let side = (endpoint & 1) as usize;
        let flow = &mut self.flows[(endpoint >> 1) as usize];
        if flow.armed_for[side] != now {
            return;
        }
        flow.armed_for[side] = Time::NEVER;
        if flow.is_due(side, now) {
            self.fire(endpoint, now, Time::NEVER);
        } else {
            self.arm(endpoint, now);
        }
    }

    /// Fires the timers that are due before an arrival at `now`. At equal times an arrival comes first at a source. At a
    /// sink its timer comes first, because it was armed before the arriving segment was on its last link. In ns-2 the
    /// timer comes first at both ends.
    #[cold]
    fn run_timers(&mut self, endpoint: u32, now: Time) {
        let first = endpoint & 1 == 1 || now.is_double();
        loop {
            let due = self.flows[(endpoint >> 1) as usize].deadline((endpoint & 1) as usize);
            if due > now || (due == now && !first) {
                return;
            }
            // What the timer sends must not be overtaken by the answer to the arrival, whose birth is `now`.
            self.fire(endpoint, due, if due == now { now } else { Time::NEVER });
        }
    }

    /// A timer of an endpoint fires, or its source starts. `birth` orders the packets sent among others of that moment.
    #[cold]
    fn fire(&mut self, endpoint: u32, now: Time, birth: Time) {
        let number = endpoint >> 1;
        let flow = &mut self.flows[number as usize];
        if endpoint & 1 == 1 {
            match &mut flow.sink {
                Sink::Tcp(receiver) => receiver.on_timer(now),
                Sink::Rated(sink) => sink.on_timer(now),
                Sink::App(sink) => sink.receiver.on_timer(now),
                Sink::Udp { .. } => {}
            }
            self.drain_sink(number, now, birth);
            return;
        }
        flow.record_source(now, &self.window);
        let starts = !std::mem::replace(&mut flow.probe.started, true);
        let stops = now >= flow.stop;
        match &mut flow.source {
            Source::Tcp(sender) if stops => {
                sender.cease();
                flow.stop = Time::NEVER;
            }
            Source::Tcp(sender) if starts => sender.start(now),
            Source::Tcp(sender) => sender.on_timer(now),
            Source::Rated(source) if stops => {
                source.cease();
                flow.stop = Time::NEVER;
            }
            Source::Rated(source) if starts => source.start(now),
            Source::Rated(source) => source.on_timer(now),
            Source::Udp(source) if starts => source.start(now),
            Source::Udp(source) => source.on_timer(now),
            Source::App(source) if stops => {
                source.cease();
                flow.stop = Time::NEVER;
            }
            Source::App(source) => {
                let before = source.objects_begun();
                if starts {
                    source.start(now);
                } else {
                    source.on_timer(now);
                }
                flow.probe.objects_begun(now, source.objects_begun() - before, &self.window);
            }
            Source::Origin(origin) if starts => origin.start(now),
            Source::Origin(_) => self.admit_sessions(number, now),
        }
        self.drain_source(number, now, birth);
    }

    /// Sends everything a source has to send at `now`; `birth` orders the packets among others of that moment.
    #[inline(never)]
    pub(super) fn drain_source(&mut self, number: u32, now: Time, birth: Time) {
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
            pkt.attributes = pkt.attributes.with_hop_code(flow.attributes[0].hop_code());
            pkt.set_class(flow.marker.beyond(now, segment.size).unwrap_or(flow.attributes[0].class()));
            self.trace.note(now, TraceEvent::Send, &pkt);
            let sent = self.fabric.send::<0, true>(&mut flow.private[0].first, pkt, key);
            self.settle_send(sent);
        }
        self.arm(2 * number, now);
    }

    /// Handles a packet of a TCP source that could not be scheduled directly, before the next packet is sent.
    #[cold]
    #[inline(never)]
    fn continue_sending(&mut self, number: u32, key: Key, sent: SendResult) {
        self.settle_send(sent);
        self.drain_source(number, key.time, key.birth);
    }

    /// Sends everything a receiver has to send at `now`.
    #[inline(never)]
    pub(super) fn drain_sink(&mut self, number: u32, now: Time, birth: Time) {
        let key = Key { time: now, birth, component: self.component_of(2 * number + 1) };
        loop {
            let flow = &mut self.flows[number as usize];
            let ack = match &mut flow.sink {
                Sink::Tcp(receiver) => receiver.poll_transmit(now),
                Sink::Rated(sink) => sink.poll_transmit(now),
                Sink::App(sink) => sink.receiver.poll_transmit(now),
                Sink::Udp { .. } => None,
            };
            let Some(ack) = ack else { break };
            flow.probe.conservation.sent.add(ack.size);
            let mut pkt = Pkt::of_ack(&ack, number, flow.first_hop[1], &mut self.sacks);
            pkt.attributes = pkt.attributes.with_hop_code(flow.attributes[1].hop_code());
            pkt.set_class(flow.attributes[1].class());
            self.trace.note(now, TraceEvent::Acknowledge, &pkt);
            let sent = self.fabric.send::<1, true>(&mut flow.private[1].first, pkt, key);
            self.settle_send(sent);
        }
        self.arm(2 * number + 1, now);
    }

    /// Arms the timer for the next deadline of an endpoint, unless an earlier one is armed.
    #[inline(always)]
    fn arm(&mut self, endpoint: u32, now: Time) {
        let side = (endpoint & 1) as usize;
        let flow = &mut self.flows[(endpoint >> 1) as usize];
        let due = flow.deadline(side);
        flow.next_due[side] = due.min(flow.probe_due[side]);
        if due < flow.armed_for[side] {
            self.schedule_timer_at(endpoint, due.max(now));
        }
    }

    #[cold]
    fn schedule_timer_at(&mut self, endpoint: u32, time: Time) {
        self.flows[(endpoint >> 1) as usize].armed_for[(endpoint & 1) as usize] = time;
        if time <= self.window.end {
            self.fabric.schedule_timer(self.timer_key(time, endpoint), endpoint);
        }
    }
}
