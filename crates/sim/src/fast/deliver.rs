//! Arrivals at the ends of flows on the fast path of TCP: plain acknowledgements and plain segments.
//!
//! Anything else is left to the plain engine's steps in `network/end.rs`. No reference to a packet is passed on in
//! [`Network::deliver_ack_fast`] and [`Network::deliver_data_fast`], so that it stays in registers.

use super::fabric::{Fast, SendResult};
use super::private_links::{FastFlow, StopReason};
use super::FastStep;
use crate::account::{Trace, TraceEvent};
use crate::calendar::Key;
use crate::network::{Flow, Network, Transit};
use crate::packet::{Attributes, Pkt, PUSH, RETRANSMIT};
use crate::source::{Sink, Source};
use transport::sender::SegmentKind;
use transport::Sender;
use units::{Span, Time};

impl Network<Fast> {
    /// A packet arrives at its end.
    #[inline(never)]
    pub(super) fn deliver_fast<const LOOKAHEAD: bool>(&mut self, transit: &Transit) {
        if transit.pkt.is_back() {
            self.deliver_ack_fast::<false, LOOKAHEAD>(transit.pkt, transit.key());
        } else {
            self.deliver_data_fast::<false, LOOKAHEAD>(transit.pkt, transit.key());
        }
    }

    /// The same for a packet that still has to pass its flow's private last link.
    #[inline(never)]
    pub(super) fn deliver_over_private(&mut self, transit: &Transit) {
        if transit.pkt.is_back() {
            self.deliver_ack_fast::<true, true>(transit.pkt, transit.key());
        } else {
            self.deliver_data_fast::<true, true>(transit.pkt, transit.key());
        }
    }

    /// [`Network::deliver_over_private`] if that link is busy, or if the packet passed it after the end of the run
    /// (`late`).
    #[cold]
    #[inline(never)]
    fn deliver_slow<const LOOKAHEAD: bool>(&mut self, transit: &Transit, late: Option<Time>) {
        let flow = &mut self.flows[transit.pkt.flow as usize];
        match flow.pass_last_link_slow(transit, late, self.window.end) {
            Ok(key) => self.deliver_fast::<LOOKAHEAD>(&Transit::new(transit.pkt, key)),
            Err(StopReason::AfterEnd(transit)) => self.count_outstanding(&transit, self.window.end),
            Err(StopReason::Overflow(component, transit)) => self.overflow(component, &transit),
        }
    }

    /// Work that is due at an end before this arrival.
    #[cold]
    #[inline(never)]
    fn run_due(&mut self, endpoint: u32, pkt: &Pkt, now: Time) {
        let number = endpoint >> 1;
        if endpoint & 1 == 0 {
            while let Some(due) = self.flows[number as usize].fire_pacing_before(now) {
                self.send_rest::<true>(number, due, Time::NEVER);
                if self.flows[number as usize].state.next_due[0] > now {
                    return;
                }
            }
        }
        self.before_arrival(endpoint, pkt, now);
        let flow = &mut self.flows[number as usize];
        flow.update_due((endpoint & 1) as usize, &self.window, &self.trace);
    }

    /// An acknowledgement arrives at its source. `PRIVATE`: it still has to pass its flow's private last link.
    /// `LOOKAHEAD`: the lookahead may be on.
    #[inline(always)]
    pub(super) fn deliver_ack_fast<const PRIVATE: bool, const LOOKAHEAD: bool>(&mut self, pkt: Pkt, at: Key) {
        let mut flow = &mut self.flows[pkt.flow as usize];
        let mut now = at.time;
        if PRIVATE {
            match flow.pass_last_link(1, pkt.size, now) {
                Some(time) if time <= self.window.end => now = time,
                late => return self.deliver_slow::<LOOKAHEAD>(&Transit::new(pkt, at), late),
            }
        }
        if flow.state.next_due[0] <= now {
            self.run_due(2 * pkt.flow, &Pkt { ..pkt }, now);
            flow = &mut self.flows[pkt.flow as usize];
        }
        flow.probe.conservation.delivered.add(pkt.size);
        let Source::Tcp(sender) = &mut flow.source else { return self.process_feedback(&Pkt { ..pkt }, now) };
        let probe = &mut flow.probe;
        let mut hold = |unchanged: &Sender| probe.record_cwnd(now, unchanged);
        let processed = if !AckStep::is_eligible(&pkt) {
            false
        } else if pkt.sack == 0 {
            hold(sender);
            sender.on_ack_fast(now, pkt.seq, pkt.stamp)
        } else {
            let processed = sender.on_sack_fast(now, (pkt.seq, pkt.stamp), self.sacks.get(&pkt), hold);
            if processed {
                self.sacks.release(&pkt);
            }
            processed
        };
        if !processed {
            self.process_other_ack(&Pkt { hop: 0, ..pkt }, now);
            flow = &mut self.flows[pkt.flow as usize];
        }
        let key = Key { time: now, birth: now, component: self.link_count + 2 * pkt.flow };
        match flow.send_fast::<LOOKAHEAD>(pkt.flow, key, &mut self.carrier, &mut self.trace) {
            Ok(Some(due)) => {
                if flow.needs_earlier_timer(due) {
                    self.arm_at(2 * pkt.flow, due, now);
                }
            }
            Ok(None) => self.send_rest::<LOOKAHEAD>(pkt.flow, now, now),
            Err(sent) => self.continue_sending(pkt.flow, key, sent),
        }
    }

    /// A data packet arrives at its destination; the parameters are those of [`Network::deliver_ack_fast`].
    #[inline(always)]
    pub(super) fn deliver_data_fast<const PRIVATE: bool, const LOOKAHEAD: bool>(
        &mut self,
        pkt: Pkt,
        at: Key,
    ) {
        let mut flow = &mut self.flows[pkt.flow as usize];
        let mut now = at.time;
        if PRIVATE {
            match flow.pass_last_link(0, pkt.size, now) {
                Some(time) if time <= self.window.end => now = time,
                late => return self.deliver_slow::<LOOKAHEAD>(&Transit::new(pkt, at), late),
            }
        }
        if flow.state.next_due[1] <= now {
            self.run_due(2 * pkt.flow + 1, &Pkt { ..pkt }, now);
            flow = &mut self.flows[pkt.flow as usize];
        }
        let delay = if now.is_special() { now.since(pkt.stamp) } else { Span(now.0 - pkt.stamp.0) };
        flow.probe.arrived(now, pkt.size, delay, &self.window, &mut self.histograms);
        let Sink::Tcp(receiver) = &mut flow.sink else { return self.process_data(&Pkt { ..pkt }, now) };
        let next = if DataStep::is_eligible(&pkt) {
            receiver.on_segment_fast(now, pkt.seq, pkt.size, pkt.stamp)
        } else {
            None
        };
        let plain = match next {
            Some(plain) => plain,
            None => {
                if receiver.answers_with_extras() {
                    return self.answer_with_extras::<LOOKAHEAD>(&Pkt { ..pkt }, now);
                }
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
        // The only answer to this arrival; it also covers the segments of a delayed acknowledgement.
        let ack = Pkt::of_fast_ack(plain, pkt.flow, flow.first_hop[1], flow.attributes[1], &mut self.sacks);
        flow.state.next_due[1] = flow.state.probe_due[1];
        flow.probe.conservation.sent.add(ack.size);
        self.trace.note(now, TraceEvent::Acknowledge, &ack);
        let key = Key { time: now, birth: now, component: self.link_count + 2 * pkt.flow + 1 };
        match self.carrier.send_from::<1, LOOKAHEAD>(&mut flow.state.private[1].first, ack, key) {
            SendResult::Scheduled => {}
            other => self.settle_send(other),
        }
    }

    /// The timer of an endpoint fires: on the fast path if it is the pacing timer of a TCP source and nothing else is
    /// due.
    #[inline(never)]
    pub(super) fn timer_fired_fast<const LOOKAHEAD: bool>(&mut self, endpoint: u32, now: Time) {
        let number = endpoint >> 1;
        let flow = &mut self.flows[number as usize];
        if endpoint & 1 == 1 || !flow.fire_pacing_timer(now) {
            return self.timer_fired(endpoint, now);
        }
        // As `fire` and `drain_source` do; nothing has changed that the probe records.
        self.send_rest::<LOOKAHEAD>(number, now, Time::NEVER);
    }

    /// Sends the segments that [`Flow::send_fast`] leaves: tracked segments on their fast path, all else on the slow
    /// path.
    #[inline(never)]
    fn send_rest<const LOOKAHEAD: bool>(&mut self, number: u32, now: Time, birth: Time) {
        match &self.flows[number as usize].source {
            Source::Tcp(sender) if sender.is_tracked() => self.send_tracked::<LOOKAHEAD>(number, now, birth),
            _ => self.drain_source(number, now, birth),
        }
    }

    /// Sends tracked segments. A loop of its own, so that the one of untracked segments has no call in it and keeps its
    /// registers.
    #[inline(always)]
    fn send_tracked<const LOOKAHEAD: bool>(&mut self, number: u32, now: Time, birth: Time) {
        let flow = &mut self.flows[number as usize];
        let key = Key { time: now, birth, component: self.link_count + 2 * number };
        match flow.send_tracked::<LOOKAHEAD>(number, key, &mut self.carrier, &mut self.trace) {
            Ok(Some(due)) => {
                let due = due.min(flow.stop);
                flow.state.next_due[0] = due.min(flow.state.probe_due[0]);
                if due < flow.armed_for[0] {
                    self.arm_at(2 * number, due, now);
                }
            }
            Ok(None) => self.drain_source(number, now, birth),
            Err(sent) => self.continue_sending(number, key, sent),
        }
    }

    /// Handles a packet of a TCP source that could not be scheduled directly, before the next packet is sent.
    #[cold]
    #[inline(never)]
    fn continue_sending(&mut self, number: u32, key: Key, sent: SendResult) {
        self.settle_send(sent);
        self.drain_source(number, key.time, key.birth);
    }
}

/// The fast path of an acknowledgement.
struct AckStep;

impl FastStep for AckStep {
    type Situation<'a> = &'a Pkt;

    /// The packet has none of the options that the fast path skips; the sender adds its own precondition.
    #[inline(always)]
    fn is_eligible(pkt: &Pkt) -> bool {
        pkt.is_plain_ack()
    }
}

/// The fast path of a data segment.
struct DataStep;

impl FastStep for DataStep {
    type Situation<'a> = &'a Pkt;

    /// The packet has none of the options that the fast path skips; the receiver adds its own precondition.
    #[inline(always)]
    fn is_eligible(pkt: &Pkt) -> bool {
        pkt.is_plain_data()
    }
}

impl Flow<FastFlow> {
    /// Fires the pacing timer of a TCP source. Returns false, without effect, if this timer is stale, or if more is due
    /// than to send.
    #[inline(always)]
    fn fire_pacing_timer(&mut self, now: Time) -> bool {
        let alone = self.armed_for[0] == now && now < self.state.probe_due[0] && now < self.stop;
        let Source::Tcp(sender) = &mut self.source else { return false };
        let fired = alone && self.probe.started && sender.on_pacing_timer_fast(now);
        if fired {
            self.armed_for[0] = Time::NEVER;
        }
        fired
    }

    /// Fires the pacing timer of a TCP source if it is due before an arrival at `now`. Returns its time; `None`,
    /// without effect, if it is not, or if more is due than to send.
    #[inline(always)]
    fn fire_pacing_before(&mut self, now: Time) -> Option<Time> {
        if now >= self.state.probe_due[0] || now >= self.stop || now.is_double() || !self.probe.started {
            return None;
        }
        let Source::Tcp(sender) = &mut self.source else { return None };
        let due = sender.due();
        (due < now && sender.on_pacing_timer_fast(due)).then_some(due)
    }

    /// Sends on the fast path of an untracked TCP sender at the time of `key`. Returns the sender's next deadline,
    /// `None` if more may be ready ([`Network::send_rest`]), and an error if the last packet was not scheduled.
    #[inline(always)]
    fn send_fast<const LOOKAHEAD: bool>(
        &mut self,
        number: u32,
        key: Key,
        carrier: &mut Fast,
        trace: &mut Trace,
    ) -> Result<Option<Time>, SendResult> {
        loop {
            let Source::Tcp(sender) = &mut self.source else { return Ok(Some(Time::NEVER)) };
            let Some(segment) = sender.poll_fast(key.time) else { return Ok(sender.due_on_fast_path()) };
            let attributes = self.attributes[0];
            self.send_segment::<LOOKAHEAD>(segment, attributes, number, key, carrier, trace)?;
        }
    }

    /// The same for a tracked sender.
    #[inline(always)]
    fn send_tracked<const LOOKAHEAD: bool>(
        &mut self,
        number: u32,
        key: Key,
        carrier: &mut Fast,
        trace: &mut Trace,
    ) -> Result<Option<Time>, SendResult> {
        loop {
            let Source::Tcp(sender) = &mut self.source else { return Ok(Some(Time::NEVER)) };
            let Some((seq, size, kind)) = sender.poll_tracked(key.time) else {
                return Ok(sender.due_on_tracked_path());
            };
            let attributes = match kind {
                SegmentKind::New => self.attributes[0],
                SegmentKind::Pushed => self.attributes[0].and_flags(PUSH),
                SegmentKind::Retransmission => self.attributes[0].and_flags(RETRANSMIT),
            };
            self.send_segment::<LOOKAHEAD>((seq, size), attributes, number, key, carrier, trace)?;
        }
    }

    /// Sends one full segment: its sequence number and size, and the attributes of its packet. Returns an error if its packet was not scheduled.
    #[inline(always)]
    fn send_segment<const LOOKAHEAD: bool>(
        &mut self,
        (seq, size): (u32, u32),
        attributes: Attributes,
        number: u32,
        key: Key,
        carrier: &mut Fast,
        trace: &mut Trace,
    ) -> Result<(), SendResult> {
        let mut pkt = Pkt::plain(key.time, seq, size, number, self.first_hop[0], attributes);
        self.probe.sent.add(size);
        if let Some(class) = self.marker.beyond(key.time, size) {
            pkt.set_class(class);
        }
        trace.note(key.time, TraceEvent::Send, &pkt);
        match carrier.send_from::<0, LOOKAHEAD>(&mut self.state.private[0].first, pkt, key) {
            SendResult::Scheduled => Ok(()),
            other => Err(other),
        }
    }
}
