//! The ends of flows: what arrives there, what they send, and when they are woken.

use super::wires::Launched;
use super::{Network, Transit};
use crate::calendar::Key;
use crate::packet::Pkt;
use crate::source::{Sink, Source};
use crate::trace::What;
use transport::Sender;
use units::{Span, Time};

impl Network {
    /// A packet arrives at its end.
    #[inline(never)]
    pub(super) fn reach<const TURNS: bool>(&mut self, transit: &Transit) {
        if transit.pkt.is_back() {
            self.reach_source::<false, TURNS>(transit.pkt, transit.key());
        } else {
            self.reach_sink::<false, TURNS>(transit.pkt, transit.key());
        }
    }

    /// The same of one that has yet to pass its flow's own last line.
    #[inline(never)]
    pub(super) fn reach_last(&mut self, transit: &Transit) {
        if transit.pkt.is_back() {
            self.reach_source::<true, true>(transit.pkt, transit.key());
        } else {
            self.reach_sink::<true, true>(transit.pkt, transit.key());
        }
    }

    /// [`Network::reach_last`] where that line is busy, or where the packet passed it, `late`, after the end of the run.
    #[cold]
    #[inline(never)]
    fn reach_apart<const TURNS: bool>(&mut self, transit: &Transit, late: Option<Time>) {
        let flow = &mut self.flows[transit.pkt.flow as usize];
        match flow.pass_last_apart(transit, late, self.window.end) {
            Ok(key) => self.reach::<TURNS>(&Transit::new(transit.pkt, key)),
            Err(ended) => self.settle_launch(ended),
        }
    }

    /// An acknowledgement arrives at its source. `OWN`: it has yet to pass its flow's own last line. Here and in
    /// [`Network::reach_sink`] the packet's address is given to nobody, so that it needs none. `TURNS`: links may take turns.
    #[inline(always)]
    pub(super) fn reach_source<const OWN: bool, const TURNS: bool>(&mut self, pkt: Pkt, at: Key) {
        let mut flow = &mut self.flows[pkt.flow as usize];
        let mut now = at.time;
        if OWN {
            match flow.pass_last(1, pkt.size, now) {
                Some(time) if time <= self.window.end => now = time,
                late => return self.reach_apart::<TURNS>(&Transit::new(pkt, at), late),
            }
        }
        if flow.look[0] <= now {
            self.attend(2 * pkt.flow, &Pkt { ..pkt }, now);
            flow = &mut self.flows[pkt.flow as usize];
        }
        flow.probe.conservation.delivered.add(pkt.size);
        let Source::Tcp(sender) = &mut flow.source else { return self.give_feedback(&Pkt { ..pkt }, now) };
        let probe = &mut flow.probe;
        let mut hold = |unchanged: &Sender| probe.hold_window(now, unchanged);
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
            self.hear(&Pkt { step: 0, ..pkt }, now);
            flow = &mut self.flows[pkt.flow as usize];
        }
        let key = Key { time: now, birth: now, component: self.link_count + 2 * pkt.flow };
        match flow.send_plain::<TURNS>(pkt.flow, key, &mut self.wires, &mut self.trace) {
            Ok(Some(due)) => {
                if flow.is_woken_late(due) {
                    self.set_alarm(2 * pkt.flow, due.max(now));
                }
            }
            Ok(None) => self.drain_source(pkt.flow, now, now),
            Err(launched) => self.go_on_sending(pkt.flow, key, launched),
        }
    }

    /// An acknowledgement arrives that takes no short way, or the last, after which the source may be done.
    #[cold]
    #[inline(never)]
    fn hear(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        let Source::Tcp(sender) = &mut flow.source else { return };
        flow.probe.hold_window(now, sender);
        sender.on_ack(now, &pkt.ack(&mut self.sacks));
        if sender.is_done() {
            flow.probe.finish_at(now);
        }
    }

    /// Something besides the arrival of this packet is due at its end: a timer, a note to the accounts, or to the trace.
    #[cold]
    #[inline(never)]
    fn attend(&mut self, endpoint: u32, pkt: &Pkt, now: Time) {
        let side = (endpoint & 1) as usize;
        let number = (endpoint >> 1) as usize;
        if self.flows[number].deadline(side) <= now {
            self.run_timers(endpoint, now);
        }
        let flow = &mut self.flows[number];
        if side == 1 {
            flow.probe.begin(now, now.since(pkt.stamp), &self.window);
            flow.observe_sink(now, &self.window);
        } else if !flow.source.is_over() {
            flow.observe_source(now, &self.window);
        }
        self.trace.note(now, if side == 0 { What::Acked } else { What::Receive }, pkt);
        flow.note_next(side, &self.window, &self.trace);
    }

    /// Feedback arrives that is not for a plain TCP sender.
    #[inline(never)]
    fn give_feedback(&mut self, pkt: &Pkt, now: Time) {
        let ack = pkt.ack(&mut self.sacks);
        let flow = &mut self.flows[pkt.flow as usize];
        if flow.source.is_over() {
            return;
        }
        flow.observe_source(now, &self.window);
        flow.on_feedback(now, &ack, &self.window);
        self.drain_source(pkt.flow, now, now);
    }

    /// Data arrives at its destination.
    #[inline(always)]
    pub(super) fn reach_sink<const OWN: bool, const TURNS: bool>(&mut self, pkt: Pkt, at: Key) {
        let mut flow = &mut self.flows[pkt.flow as usize];
        let mut now = at.time;
        if OWN {
            match flow.pass_last(0, pkt.size, now) {
                Some(time) if time <= self.window.end => now = time,
                late => return self.reach_apart::<TURNS>(&Transit::new(pkt, at), late),
            }
        }
        if flow.look[1] <= now {
            self.attend(2 * pkt.flow + 1, &Pkt { ..pkt }, now);
            flow = &mut self.flows[pkt.flow as usize];
        }
        let delay = if now.is_apart() { now.since(pkt.stamp) } else { Span(now.0 - pkt.stamp.0) };
        flow.probe.arrived(now, pkt.size, delay, &self.window, &mut self.histograms);
        let Sink::Tcp(receiver) = &mut flow.sink else { return self.hand_over(&Pkt { ..pkt }, now) };
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
            flow.probe.note_delivered(now, delivered);
            return self.drain_sink(pkt.flow, now, now);
        };
        flow.probe.note_delivered(now, plain.ack);
        // Its only answer to what just arrived; what was due to be sent later is sent with it.
        let ack = Pkt::of_fast_ack(plain, pkt.flow, flow.first_step[1], flow.about[1], &mut self.sacks);
        flow.look[1] = flow.notice[1];
        flow.probe.conservation.sent.add(ack.size);
        self.trace.note(now, What::Acknowledge, &ack);
        let key = Key { time: now, birth: now, component: self.link_count + 2 * pkt.flow + 1 };
        match self.wires.launch::<1, TURNS>(&mut flow.own[1].first, ack, key) {
            Launched::Settled => {}
            other => self.settle_launch(other),
        }
    }

    /// A packet arrives at a sink that is no plain TCP receiver.
    #[inline(never)]
    fn hand_over(&mut self, pkt: &Pkt, now: Time) {
        let flow = &mut self.flows[pkt.flow as usize];
        match (&mut flow.sink, &mut flow.source) {
            (Sink::Udp { payload }, Source::Udp(source)) => *payload += source.payload(pkt.size),
            (Sink::Rated(sink), Source::Rated(source)) => {
                sink.on_packet(now, pkt.seq, pkt.about.ecn(), source);
                self.drain_sink(pkt.flow, now, now);
            }
            (Sink::App(sink), Source::App(source)) => {
                sink.on_segment(now, &pkt.segment(), source);
                while let Some(object) = sink.completed(source) {
                    flow.probe.completed(now, &object, &self.window);
                }
                self.drain_sink(pkt.flow, now, now);
            }
            _ => {}
        }
    }

    /// Whether an endpoint's wake-up would do no more than arm it anew, whatever comes until then: what is due sooner sets an alarm of
    /// its own.
    pub(super) fn wakes_in_vain(&self, endpoint: u32, now: Time) -> bool {
        let side = (endpoint & 1) as usize;
        let flow = &self.flows[(endpoint >> 1) as usize];
        flow.armed[side] != now || !flow.is_due(side, now)
    }

    /// An endpoint's wake-up. Out of date if the endpoint armed an earlier one since.
    pub(super) fn wake(&mut self, endpoint: u32, now: Time) {
        let side = (endpoint & 1) as usize;
        let flow = &mut self.flows[(endpoint >> 1) as usize];
        if flow.armed[side] != now {
            return;
        }
        flow.armed[side] = Time::NEVER;
        if flow.is_due(side, now) {
            self.fire(endpoint, now, Time::NEVER);
        } else {
            self.arm(endpoint, now);
        }
    }

    /// Fires the timers that are due before an arrival at `now`. At equal times arrivals come first at a source; at a
    /// sink its timer does, because it was set before the arriving segment was on its last link. In ns-2 that holds at
    /// both ends.
    #[cold]
    fn run_timers(&mut self, endpoint: u32, now: Time) {
        let first = endpoint & 1 == 1 || now.is_double();
        loop {
            let due = self.flows[(endpoint >> 1) as usize].deadline((endpoint & 1) as usize);
            if due > now || (due == now && !first) {
                return;
            }
            // What it sends must not be overtaken by the answer to the arrival, which is born now.
            self.fire(endpoint, due, if due == now { now } else { Time::NEVER });
        }
    }

    /// A timer of an endpoint fires, or its source starts; `birth` places what it sends among others of that moment.
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
        flow.observe_source(now, &self.window);
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
                let before = source.begun();
                if starts {
                    source.start(now);
                } else {
                    source.on_timer(now);
                }
                flow.probe.handed_over(now, source.begun() - before, &self.window);
            }
            Source::Origin(origin) if starts => origin.start(now),
            Source::Origin(_) => self.admit_sessions(number, now),
        }
        self.drain_source(number, now, birth);
    }

    /// Sends all a source has to send at `now`; `birth` places the packets among others of that moment.
    #[inline(never)]
    pub(super) fn drain_source(&mut self, number: u32, now: Time, birth: Time) {
        let key = Key { time: now, birth, component: self.component_of(2 * number) };
        self.flows[number as usize].probe.count_from(0, now, &self.window);
        loop {
            let flow = &mut self.flows[number as usize];
            let segment = match &mut flow.source {
                Source::Tcp(sender) => sender.poll_transmit(now),
                Source::Rated(source) => {
                    let segment = source.poll_transmit(now);
                    if source.is_done() {
                        flow.probe.finish_at(now);
                    }
                    segment
                }
                Source::Udp(source) => source.poll_transmit(now),
                Source::App(source) => source.poll_transmit(now),
                Source::Origin(_) => None,
            };
            let Some(segment) = segment else { break };
            flow.probe.sent.add(segment.size);
            let mut pkt = Pkt::of_segment(&segment, number, flow.first_step[0]);
            pkt.about = pkt.about.with_via(flow.about[0].via());
            pkt.set_class(flow.marker.beyond(now, segment.size).unwrap_or(flow.about[0].class()));
            self.trace.note(now, What::Send, &pkt);
            let launched = self.wires.launch::<0, true>(&mut flow.own[0].first, pkt, key);
            self.settle_launch(launched);
        }
        self.arm(2 * number, now);
    }

    /// A packet of a TCP source is not in the calendar: what becomes of it is settled before the next is sent.
    #[cold]
    #[inline(never)]
    fn go_on_sending(&mut self, number: u32, key: Key, launched: Launched) {
        self.settle_launch(launched);
        self.drain_source(number, key.time, key.birth);
    }

    /// Sends all a receiver has to send at `now`.
    #[inline(never)]
    fn drain_sink(&mut self, number: u32, now: Time, birth: Time) {
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
            let mut pkt = Pkt::of_ack(&ack, number, flow.first_step[1], &mut self.sacks);
            pkt.about = pkt.about.with_via(flow.about[1].via());
            pkt.set_class(flow.about[1].class());
            self.trace.note(now, What::Acknowledge, &pkt);
            let launched = self.wires.launch::<1, true>(&mut flow.own[1].first, pkt, key);
            self.settle_launch(launched);
        }
        self.arm(2 * number + 1, now);
    }

    /// Makes sure that an endpoint is woken by its next deadline.
    #[inline(always)]
    fn arm(&mut self, endpoint: u32, now: Time) {
        let side = (endpoint & 1) as usize;
        let flow = &mut self.flows[(endpoint >> 1) as usize];
        let due = flow.deadline(side);
        flow.look[side] = due.min(flow.notice[side]);
        if due < flow.armed[side] {
            self.set_alarm(endpoint, due.max(now));
        }
    }

    #[cold]
    fn set_alarm(&mut self, endpoint: u32, time: Time) {
        self.flows[(endpoint >> 1) as usize].armed[(endpoint & 1) as usize] = time;
        if time <= self.window.end {
            self.wires.enter_alarm(self.alarm_key(time, endpoint), endpoint);
        }
    }
}
