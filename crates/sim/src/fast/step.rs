//! The events of a run in the fast engine: in order, or with lookahead.

use super::fabric::Fast;
use super::hop::{FastHop, HOP_ARRIVAL, HOP_DROPTAIL};
use super::lookahead::{Lookahead, Situation};
use super::private_links::{FastFlow, PrivateLinks};
use super::{DroptailLink, FastLink, FastPath, FastStep};
use crate::calendar::{Key, Pending};
use crate::network::{Flow, Network, Transit};
use crate::packet::{Attributes, Pkt, TIMER};
use crate::source::Source;
use std::cmp::Reverse;
use units::{Ecn, Span, Time};

impl Network<Fast> {
    /// Executes events in the order of their keys. The steps that most events take are inlined into this loop, down to
    /// the ends, so that a packet stays in registers.
    #[inline(never)]
    pub(super) fn advance_in_order(&mut self, most: u64) -> (u64, Time) {
        let (mut done, mut now) = (0, Time::ZERO);
        while done < most {
            let some =
                self.carrier.calendar.until_resize().min(u32::try_from(most - done).unwrap_or(u32::MAX));
            let mut remaining = some;
            while remaining > 0 {
                let Some(time) = self.step_fast() else { break };
                now = time;
                remaining -= 1;
            }
            self.carrier.calendar.note_popped(some - remaining, now);
            done += u64::from(some - remaining);
            if remaining > 0 {
                break;
            }
        }
        (done, now)
    }

    /// Executes the first event, unless it lies after the end. Returns its time.
    #[inline(always)]
    fn step_fast(&mut self) -> Option<Time> {
        let carrier = &mut self.carrier;
        let node = carrier.calendar.pop_first()?;
        let (time, hop_code) = (node.time, node.event.attributes.hop_code());
        // A specialised link gets no more of the packet than it needs; the rest is read after it.
        if hop_code >= HOP_DROPTAIL {
            let link = &mut carrier.droptail_links[usize::from(hop_code - HOP_DROPTAIL)];
            let Ok(key) = link.pass(node.event.size, Ecn::NotEct, node.key()) else {
                let (component, transit) = (link.component(), Transit::new(node.event, node.key()));
                self.overflow(component, &transit);
                return Some(time);
            };
            let pkt = node.event;
            self.deliver_ack_fast::<true, false>(pkt, key);
        } else if hop_code >= HOP_ARRIVAL {
            let link = &mut carrier.arrival_links[usize::from(hop_code - HOP_ARRIVAL)];
            match link.pass(node.event.size, node.event.attributes.ecn(), node.key()) {
                Ok(key) => {
                    let pkt = node.event;
                    self.deliver_data_fast::<true, false>(pkt, key);
                }
                Err(passed) => {
                    let transit = Transit::new(node.event, node.key());
                    self.leave_arrival_link_with_fates(u32::from(hop_code - HOP_ARRIVAL), &transit, passed);
                }
            }
        } else if let Some(FastHop::Droptail(link)) = carrier.hops.get(node.event.hop as usize) {
            let link = &mut carrier.droptail_links[*link as usize];
            let Ok(key) = link.pass(node.event.size, Ecn::NotEct, node.key()) else {
                let (component, transit) = (link.component(), Transit::new(node.event, node.key()));
                self.overflow(component, &transit);
                return Some(time);
            };
            let pkt = node.event;
            self.leave_link(pkt, key);
        } else {
            let mut transit = Transit::new(node.event, node.key());
            self.dispatch::<false>(&mut transit);
        }
        Some(time)
    }

    /// Switches the lookahead on where it is eligible: at the first arrival link and the first tail-drop link.
    pub(super) fn enable_lookahead(&mut self) {
        let Some(situation) = self.situation().filter(|_| self.carrier.uses(FastPath::Lookahead)) else {
            return;
        };
        if Lookahead::is_eligible(&situation) {
            self.carrier.lookahead.enable(&situation);
        }
    }

    /// The numbers that decide whether the lookahead is eligible; `None` if there are not both kinds of links.
    fn situation(&self) -> Option<Situation> {
        let (red, link) = (self.carrier.arrival_links.first()?, self.carrier.droptail_links.first()?);
        let over = |flow: &Flow<FastFlow>| {
            let [data, ack] = flow.attributes.map(Attributes::hop_code);
            [data == HOP_ARRIVAL, ack == HOP_DROPTAIL]
        };
        let greedy =
            |flow: &&Flow<FastFlow>| over(flow) == [true; 2] && matches!(flow.source, Source::Tcp(_));
        let delay = |private: &Option<DroptailLink>| private.as_ref().map_or(Span::ZERO, DroptailLink::delay);
        let least = |way: fn(&[PrivateLinks; 2]) -> [&Option<DroptailLink>; 2]| {
            let delays = self.flows.iter().map(|flow| way(&flow.state.private).map(delay));
            delays.map(|[last, first]| last + first).min().unwrap_or(Span::ZERO)
        };
        let data_span = red.delay + least(|private| [&private[0].last, &private[1].first]);
        let ack_span = link.delay() + least(|private| [&private[1].last, &private[0].first]);
        Some(Situation {
            flows: self.flows.len(),
            over_both: self.flows.iter().filter(greedy).count(),
            some_over_one: self.flows.iter().map(over).any(|[data, ack]| data != ack),
            traced: self.trace.is_kept(),
            spans: [data_span, ack_span],
            rate: red.rate(),
        })
    }

    /// [`Network::advance_in_order`] with lookahead, which is switched off if the event queue has too much to do.
    #[inline(never)]
    pub(super) fn advance_with_lookahead(&mut self, most: u64) -> (u64, Time) {
        let (mut done, mut from_queue, mut now) = (0, 0, Time::ZERO);
        while done < most {
            done += self.run_window(most - done, &mut now);
            if done == most {
                break;
            }
            match self.event_in_order() {
                Some(time) => now = now.max(time),
                None => break,
            }
            (done, from_queue) = (done + 1, from_queue + 1);
        }
        if self.carrier.lookahead.note_misses(done, from_queue) {
            self.disable_lookahead();
        }
        (done, now)
    }

    /// From now on all events are in the event queue.
    #[cold]
    fn disable_lookahead(&mut self) {
        let (arrivals, timers) = self.carrier.lookahead.disable();
        for coming in arrivals {
            self.carrier.calendar.push(coming.key(), coming.pkt);
        }
        for (time, endpoint) in timers {
            let key = self.timer_key(time, endpoint);
            self.carrier.calendar.push(key, Pkt::event(TIMER, endpoint));
        }
    }

    /// Both links handle the arrivals that are known, in turns, until neither can go on or `most` events are done.
    fn run_window(&mut self, most: u64, now: &mut Time) -> u64 {
        let end = Time(self.window.end.0.saturating_add(1));
        let first = self.carrier.calendar.first_key();
        self.carrier.lookahead.horizon = first.map_or(end, |key| key.time.min(end));
        let (mut done, mut before) = (0, [Time::NEVER; 2]);
        let mut earliest = self.carrier.lookahead.earliest();
        // Opening a bucket tightens the bound of its first arrival, and so extends the window of the other link.
        while done < most && before != earliest {
            before = earliest;
            done += self.pass_data(self.carrier.lookahead.known_until(0, earliest), most - done, now);
            earliest = self.carrier.lookahead.earliest();
            done += self.pass_acks(self.carrier.lookahead.known_until(1, earliest), most - done, now);
            earliest = self.carrier.lookahead.earliest();
        }
        done
    }

    /// Ends the window at the first event of the event queue, at `known` (all arrivals before it are known), or at the
    /// first timer that is not stale. Stale timers before that are re-armed now.
    #[inline(never)]
    fn limit_window(&mut self, known: Time) {
        let mut until = self.carrier.lookahead.horizon.min(known);
        while let Some((time, endpoint)) = self.carrier.lookahead.first_timer() {
            if time >= until || !self.is_stale_timer(endpoint, time) {
                until = until.min(time);
                break;
            }
            self.carrier.lookahead.timers.pop();
            self.timer_fired(endpoint, time);
        }
        self.carrier.lookahead.until = until;
    }

    /// Whether this timer is stale (lazy cancellation): firing would only re-arm it, also after other events,
    /// because an earlier deadline arms a timer of its own.
    fn is_stale_timer(&self, endpoint: u32, now: Time) -> bool {
        let side = (endpoint & 1) as usize;
        let flow = &self.flows[(endpoint >> 1) as usize];
        flow.armed_for[side] != now || !flow.is_due(side, now)
    }

    /// The arrival link handles its arrivals within the window, at most `most` of them. Returns how many.
    #[inline(never)]
    fn pass_data(&mut self, known: Time, most: u64, now: &mut Time) -> u64 {
        let (mut remaining, mut last) = (most, Time::ZERO);
        self.limit_window(known);
        while remaining > 0 {
            let Fast { lookahead, arrival_links, .. } = &mut self.carrier;
            let Some(coming) = lookahead.arrivals[0].next_before(known, lookahead.until) else { break };
            let link = &mut arrival_links[0];
            (last, remaining) = (coming.time, remaining - 1);
            match link.pass(coming.pkt.size, coming.pkt.attributes.ecn(), coming.key()) {
                Ok(key) => {
                    let pkt = coming.pkt;
                    self.deliver_data_fast::<true, true>(pkt, key);
                }
                Err(passed) => {
                    let transit = Transit::new(coming.pkt, coming.key());
                    self.leave_arrival_link_with_fates(0, &transit, passed);
                }
            }
        }
        *now = last.max(*now);
        most - remaining
    }

    /// The same for the link of the reverse direction.
    #[inline(never)]
    fn pass_acks(&mut self, known: Time, most: u64, now: &mut Time) -> u64 {
        let (mut remaining, mut last) = (most, Time::ZERO);
        self.limit_window(known);
        while remaining > 0 {
            let Fast { lookahead, droptail_links, .. } = &mut self.carrier;
            let Some(coming) = lookahead.arrivals[1].next_before(known, lookahead.until) else { break };
            let link = &mut droptail_links[0];
            (last, remaining) = (coming.time, remaining - 1);
            let Ok(key) = link.pass(coming.pkt.size, Ecn::NotEct, coming.key()) else {
                let (component, transit) = (link.component(), Transit::new(coming.pkt, coming.key()));
                self.overflow(component, &transit);
                continue;
            };
            let pkt = coming.pkt;
            self.deliver_ack_fast::<true, true>(pkt, key);
        }
        *now = last.max(*now);
        most - remaining
    }

    /// Executes the first of all events, unless it lies after the end. Returns its time.
    #[inline(never)]
    fn event_in_order(&mut self) -> Option<Time> {
        let end = self.window.end;
        let first = self.carrier.calendar.first_key();
        let timer = self.carrier.lookahead.timers.peek().map(|Reverse(timer)| *timer);
        let timer_key = timer.map(|(time, endpoint)| self.timer_key(time, endpoint));
        let until = [first, timer_key].into_iter().flatten().fold(end, |until, key| until.min(key.time));
        let [red, link] = [0, 1].map(|side| self.carrier.lookahead.arrivals[side].first_until(until));
        let precedes = |one: Option<Key>, other: Option<Key>| match (one, other) {
            (Some(one), Some(other)) => one.precedes(&other),
            (one, _) => one.is_some(),
        };
        let (side, key) = if precedes(link, red) { (1, link) } else { (0, red) };
        let fires = precedes(timer_key, first) && !precedes(key, timer_key);
        if let Some((time, endpoint)) = timer.filter(|_| fires) {
            self.carrier.lookahead.timers.pop();
            self.timer_fired(endpoint, time);
            return Some(time);
        }
        let mut transit = if precedes(key, first) {
            let past = Time(key?.time.0 + 1);
            let coming = self.carrier.lookahead.arrivals[side].next_before(Time::ZERO, past)?;
            Transit::new(coming.pkt, coming.key())
        } else {
            self.carrier.calendar.note_popped(1, until);
            let node = self.carrier.calendar.pop_first()?;
            Transit::new(node.event, node.key())
        };
        let time = transit.time;
        self.dispatch::<true>(&mut transit);
        Some(time)
    }
}
