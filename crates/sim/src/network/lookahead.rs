//! Lookahead: the busiest RED link and the busiest tail-drop link of the reverse direction advance in turns.
//!
//! Whatever arrives at one of them has passed the other, which takes a known minimum time. So all arrivals of the next
//! window are known, and each link handles its own as a batch. A window ends with the first event of the event queue,
//! which may be anything, and with the first timer at which an end has something to do. Most timers are stale; those
//! are re-armed ahead of the clock.

use super::fabric::{HOP_DROPTAIL, HOP_RED};
use super::{Flow, Network, PrivateLinks, Transit};
use crate::calendar::Key;
use crate::fast::ArrivalBatches;
use crate::fast::DroptailLink;
use crate::packet::{Attributes, Pkt, TIMER};
use crate::source::Source;
use std::cmp::Reverse;
use units::{Bytes, Span, Time};

/// The lookahead: minimum times in which a departure from one link can cause an arrival at the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookahead {
    /// From the RED link to the link of the reverse direction.
    data_span: Span,
    /// From there to the RED link.
    ack_span: Span,
    /// Consecutive batches in which more than 1/8 of the events came from the event queue.
    misses: u32,
}

/// Smaller batches are no evidence of how much the event queue has to do.
const MIN_BATCH: u64 = 8192;
/// After this many such batches the lookahead is switched off. While flows start there are some: every start is a timer.
const MAX_MISSES: u32 = 16;
/// Assumed size of most packets.
const PACKET: Bytes = Bytes(1500);

impl Network {
    /// Switches the lookahead on if most flows pass both the first RED link and the first tail-drop link, and if a round
    /// trip is long enough for batches to be worth it.
    pub(super) fn enable_lookahead(&mut self) {
        let met = |flow: &Flow| flow.attributes.map(Attributes::hop_code);
        let meets_both = |flow: &Flow| met(flow) == [HOP_RED, HOP_DROPTAIL];
        let meets_none = |flow: &Flow| met(flow)[0] != HOP_RED && met(flow)[1] != HOP_DROPTAIL;
        let answers = |flow: &&Flow| meets_both(flow) && matches!(flow.source, Source::Tcp(_));
        let many = 2 * self.flows.iter().filter(answers).count() > self.flows.len();
        let apart = self.flows.iter().all(|flow| meets_both(flow) || meets_none(flow));
        let ([red, ..], [link, ..]) = (&self.fabric.red_links[..], &self.fabric.droptail_links[..]) else {
            return;
        };
        if !many || !apart || self.trace.is_kept() {
            return;
        }
        let delay = |private: &Option<DroptailLink>| private.as_ref().map_or(Span::ZERO, DroptailLink::delay);
        let least = |way: fn(&[PrivateLinks; 2]) -> [&Option<DroptailLink>; 2]| {
            let delays = self.flows.iter().map(|flow| way(&flow.private).map(delay));
            delays.map(|[last, first]| last + first).min().unwrap_or(Span::ZERO)
        };
        let data_span = red.delay + least(|private| [&private[0].last, &private[1].first]);
        let ack_span = link.delay() + least(|private| [&private[1].last, &private[0].first]);
        let gap = red.rate().time_for(PACKET).0;
        if self.fabric.arrivals.iter_mut().all(|approach| approach.enable(gap, data_span.min(ack_span).0)) {
            (self.lookahead, self.fabric.looks_ahead) =
                (Some(Lookahead { data_span, ack_span, misses: 0 }), true);
        }
    }

    /// [`Network::advance`] with lookahead, which is switched off if the event queue has too much to do.
    #[inline(never)]
    pub(super) fn advance_with_lookahead(&mut self, lookahead: Lookahead, most: u64) -> (u64, Time) {
        let (mut done, mut apart, mut now) = (0, 0, Time::ZERO);
        while done < most {
            done += self.run_window(lookahead, most - done, &mut now);
            if done == most {
                break;
            }
            match self.event_in_order() {
                Some(time) => now = now.max(time),
                None => break,
            }
            (done, apart) = (done + 1, apart + 1);
        }
        if done > MIN_BATCH {
            let misses = if 8 * apart > done { lookahead.misses + 1 } else { 0 };
            self.lookahead = Some(Lookahead { misses, ..lookahead });
        }
        if self.lookahead.is_some_and(|kept| kept.misses == MAX_MISSES) {
            self.disable_lookahead();
        }
        (done, now)
    }

    /// From now on all events are in the event queue.
    #[cold]
    fn disable_lookahead(&mut self) {
        (self.lookahead, self.fabric.looks_ahead) = (None, false);
        for coming in self.fabric.arrivals.each_mut().map(ArrivalBatches::take_all).into_iter().flatten() {
            self.fabric.calendar.push(coming.key(), coming.pkt);
        }
        for Reverse((time, endpoint)) in std::mem::take(&mut self.fabric.timers).into_vec() {
            self.fabric.calendar.push(self.timer_key(time, endpoint), Pkt::event(TIMER, endpoint));
        }
    }

    /// Both links handle the arrivals that are known, in turns, until neither can go on or `most` events are done.
    fn run_window(&mut self, lookahead: Lookahead, most: u64, now: &mut Time) -> u64 {
        let end = Time(self.window.end.0.saturating_add(1));
        self.fabric.horizon = self.fabric.calendar.first_key().map_or(end, |key| key.time.min(end));
        let mut done = 0;
        let mut stood = [Time::NEVER; 2];
        let [mut red, mut link] = self.fabric.earliest();
        // Opening a bucket tightens the bound of its first arrival, and so extends the window of the other link.
        while done < most && stood != [red, link] {
            stood = [red, link];
            done += self.pass_data(
                after(link.min(after(red, lookahead.data_span)), lookahead.ack_span),
                most - done,
                now,
            );
            [red, link] = self.fabric.earliest();
            done += self.pass_acks(
                after(red.min(after(link, lookahead.ack_span)), lookahead.data_span),
                most - done,
                now,
            );
            [red, link] = self.fabric.earliest();
        }
        done
    }

    /// Ends the window at the first event of the event queue, at `known` (all arrivals before it are known), or at the first
    /// timer that is not stale. Stale timers before that are re-armed now.
    #[inline(never)]
    fn limit_window(&mut self, known: Time) {
        let mut until = self.fabric.horizon.min(known);
        while let Some(&Reverse((time, endpoint))) = self.fabric.timers.peek() {
            if time >= until || !self.is_stale_timer(endpoint, time) {
                until = until.min(time);
                break;
            }
            self.fabric.timers.pop();
            self.timer_fired(endpoint, time);
        }
        self.fabric.until = until;
    }

    /// The RED link handles its arrivals within the window, at most `most` of them. Returns how many.
    #[inline(never)]
    fn pass_data(&mut self, known: Time, most: u64, now: &mut Time) -> u64 {
        let (mut remaining, mut last) = (most, Time::ZERO);
        self.limit_window(known);
        while remaining > 0 {
            let fabric = &mut self.fabric;
            let Some(coming) = fabric.arrivals[0].next_before(known, fabric.until) else { break };
            let link = &mut fabric.red_links[0];
            (last, remaining) = (coming.time, remaining - 1);
            match link.pass(coming.pkt.size, coming.pkt.attributes.ecn(), coming.key()) {
                Ok(key) => {
                    let pkt = coming.pkt;
                    self.deliver_data::<true, true>(pkt, key);
                }
                Err(passed) => {
                    let transit = Transit::new(coming.pkt, coming.key());
                    self.leave_red_link_with_fates(0, &transit, passed);
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
            let fabric = &mut self.fabric;
            let Some(coming) = fabric.arrivals[1].next_before(known, fabric.until) else { break };
            let link = &mut fabric.droptail_links[0];
            (last, remaining) = (coming.time, remaining - 1);
            let Some(key) = link.pass(coming.pkt.size, coming.key()) else {
                let (component, transit) = (link.component, Transit::new(coming.pkt, coming.key()));
                self.overflow(component, &transit);
                continue;
            };
            let pkt = coming.pkt;
            self.deliver_ack::<true, true>(pkt, key);
        }
        *now = last.max(*now);
        most - remaining
    }

    /// Executes the first of all events, unless it lies after the end. Returns its time.
    #[inline(never)]
    fn event_in_order(&mut self) -> Option<Time> {
        let end = self.window.end;
        let first = self.fabric.calendar.first_key();
        let alarm = self.fabric.timers.peek().map(|Reverse(alarm)| *alarm);
        let timer_key = alarm.map(|(time, endpoint)| self.timer_key(time, endpoint));
        let until = [first, timer_key].into_iter().flatten().fold(end, |until, key| until.min(key.time));
        let [red, link] = [0, 1].map(|side| self.fabric.arrivals[side].first_until(until));
        let precedes = |one: Option<Key>, other: Option<Key>| match (one, other) {
            (Some(one), Some(other)) => one.precedes(&other),
            (one, _) => one.is_some(),
        };
        let (side, key) = if precedes(link, red) { (1, link) } else { (0, red) };
        if let Some((time, endpoint)) =
            alarm.filter(|_| precedes(timer_key, first) && !precedes(key, timer_key))
        {
            self.fabric.timers.pop();
            self.timer_fired(endpoint, time);
            return Some(time);
        }
        let transit = if precedes(key, first) {
            let past = Time(key?.time.0 + 1);
            let coming = self.fabric.arrivals[side].next_before(Time::ZERO, past)?;
            Transit::new(coming.pkt, coming.key())
        } else {
            self.fabric.calendar.note_popped(1, until);
            let node = self.fabric.calendar.pop_first()?;
            Transit::new(node.event, node.key())
        };
        self.dispatch::<true>(&transit);
        Some(transit.time)
    }
}

fn after(time: Time, span: Span) -> Time {
    Time(time.0.saturating_add(span.0))
}
