//! The link that most segments meet and the link that most acknowledgements meet take turns.
//!
//! What reaches either of them comes through the other, and takes a while: so all arrivals of the next while are known, and
//! each link takes its own in one go. Neither gets past what the calendar holds, which may be anything, nor past an alarm at which an
//! end has something to do. Nearly all find nothing, since what they were set for was put off: those are done with ahead of the clock.

use super::wires::{VIA_LINE, VIA_RED};
use super::{Flow, Network, Own, Transit};
use crate::approach::Approach;
use crate::calendar::Key;
use crate::line::Line;
use crate::packet::{About, Pkt, WAKE};
use crate::source::Source;
use std::cmp::Reverse;
use units::{Bytes, Span, Time};

/// The least time in which a departure from one link can cause an arrival at the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    /// From RED to the link of the way back.
    there: Span,
    /// From that to RED.
    back: Span,
    /// How often in a row the calendar had much of what was done.
    vain: u32,
}

/// Fewer events do not tell whether the calendar has much of what is done.
const TELLING: u64 = 8192;
/// So often it may have: while flows start it has, as every start is an alarm.
const PATIENCE: u32 = 16;
/// What is taken for the size of most packets.
const PACKET: Bytes = Bytes(1500);

impl Network {
    /// Finds out whether there are links that may take turns: the first RED link and the first of tail drop, where most flows meet both, and
    /// that often while a packet comes round that many can be taken in one go.
    pub(super) fn agree_on_turns(&mut self) {
        let met = |flow: &Flow| flow.about.map(About::via);
        let meets_both = |flow: &Flow| met(flow) == [VIA_RED, VIA_LINE];
        let meets_none = |flow: &Flow| met(flow)[0] != VIA_RED && met(flow)[1] != VIA_LINE;
        let answers = |flow: &&Flow| meets_both(flow) && matches!(flow.source, Source::Tcp(_));
        let many = 2 * self.flows.iter().filter(answers).count() > self.flows.len();
        let apart = self.flows.iter().all(|flow| meets_both(flow) || meets_none(flow));
        let ([red, ..], [line, ..]) = (&self.wires.red_lines[..], &self.wires.lines[..]) else { return };
        if !many || !apart || self.trace.is_kept() {
            return;
        }
        let delay = |own: &Option<Line>| own.as_ref().map_or(Span::ZERO, Line::delay);
        let least = |way: fn(&[Own; 2]) -> [&Option<Line>; 2]| {
            let delays = self.flows.iter().map(|flow| way(&flow.own).map(delay));
            delays.map(|[last, first]| last + first).min().unwrap_or(Span::ZERO)
        };
        let there = red.delay + least(|own| [&own[0].last, &own[1].first]);
        let back = line.delay() + least(|own| [&own[1].last, &own[0].first]);
        let gap = red.rate().time_for(PACKET).0;
        if self.wires.approaches.iter_mut().all(|approach| approach.open(gap, there.min(back).0)) {
            (self.turns, self.wires.in_turns) = (Some(Turns { there, back, vain: 0 }), true);
        }
    }

    /// [`Network::advance`] where links take turns. They end that if the calendar mostly goes between.
    #[inline(never)]
    pub(super) fn advance_in_turns(&mut self, turns: Turns, most: u64) -> (u64, Time) {
        let (mut done, mut apart, mut now) = (0, 0, Time::ZERO);
        while done < most {
            done += self.take_turns(turns, most - done, &mut now);
            if done == most {
                break;
            }
            match self.step_in_order() {
                Some(time) => now = now.max(time),
                None => break,
            }
            (done, apart) = (done + 1, apart + 1);
        }
        if done > TELLING {
            let vain = if 8 * apart > done { turns.vain + 1 } else { 0 };
            self.turns = Some(Turns { vain, ..turns });
        }
        if self.turns.is_some_and(|kept| kept.vain == PATIENCE) {
            self.end_turns();
        }
        (done, now)
    }

    /// From now on the calendar holds all.
    #[cold]
    fn end_turns(&mut self) {
        (self.turns, self.wires.in_turns) = (None, false);
        for coming in self.wires.approaches.each_mut().map(Approach::take_all).into_iter().flatten() {
            self.wires.calendar.push(coming.key(), coming.pkt);
        }
        for Reverse((time, endpoint)) in std::mem::take(&mut self.wires.alarms).into_vec() {
            self.wires.calendar.push(self.alarm_key(time, endpoint), Pkt::alarm(WAKE, endpoint));
        }
    }

    /// Both links take what is known to come, until neither can go on, or so much is done.
    fn take_turns(&mut self, turns: Turns, most: u64, now: &mut Time) -> u64 {
        let end = Time(self.window.end.0.saturating_add(1));
        self.wires.horizon = self.wires.calendar.first_key().map_or(end, |key| key.time.min(end));
        let mut done = 0;
        let mut stood = [Time::NEVER; 2];
        let [mut red, mut line] = self.wires.earliest();
        // A bin that was opened says more exactly when its first packet comes, which may let the other link go on.
        while done < most && stood != [red, line] {
            stood = [red, line];
            done +=
                self.pass_segments(after(line.min(after(red, turns.there)), turns.back), most - done, now);
            [red, line] = self.wires.earliest();
            done += self.pass_acks(after(red.min(after(line, turns.back)), turns.there), most - done, now);
            [red, line] = self.wires.earliest();
        }
        done
    }

    /// How far a link gets where all that comes before `known` is known: up to the calendar's first event, and to the first alarm that is not
    /// in vain. Those that are only arm their ends anew, which may be done early.
    #[inline(never)]
    fn set_limit(&mut self, known: Time) {
        let mut until = self.wires.horizon.min(known);
        while let Some(&Reverse((time, endpoint))) = self.wires.alarms.peek() {
            if time >= until || !self.wakes_in_vain(endpoint, time) {
                until = until.min(time);
                break;
            }
            self.wires.alarms.pop();
            self.wake(endpoint, time);
        }
        self.wires.until = until;
    }

    /// The RED link takes what comes before anything else has to be done, at most so many; all that comes before `known` is known. Gives how
    /// many.
    #[inline(never)]
    fn pass_segments(&mut self, known: Time, most: u64, now: &mut Time) -> u64 {
        let (mut left, mut last) = (most, Time::ZERO);
        self.set_limit(known);
        while left > 0 {
            let wires = &mut self.wires;
            let Some(coming) = wires.approaches[0].next_before(known, wires.until) else { break };
            let line = &mut wires.red_lines[0];
            (last, left) = (coming.time, left - 1);
            match line.pass(coming.pkt.size, coming.pkt.about.ecn(), coming.key()) {
                Ok(key) => {
                    let pkt = coming.pkt;
                    self.reach_sink::<true, true>(pkt, key);
                }
                Err(passed) => {
                    let transit = Transit::new(coming.pkt, coming.key());
                    self.leave_red_line_changed(0, &transit, passed);
                }
            }
        }
        *now = last.max(*now);
        most - left
    }

    /// The same of the link of the way back.
    #[inline(never)]
    fn pass_acks(&mut self, known: Time, most: u64, now: &mut Time) -> u64 {
        let (mut left, mut last) = (most, Time::ZERO);
        self.set_limit(known);
        while left > 0 {
            let wires = &mut self.wires;
            let Some(coming) = wires.approaches[1].next_before(known, wires.until) else { break };
            let line = &mut wires.lines[0];
            (last, left) = (coming.time, left - 1);
            let Some(key) = line.pass(coming.pkt.size, coming.key()) else {
                let (component, transit) = (line.component, Transit::new(coming.pkt, coming.key()));
                self.refuse(component, &transit);
                continue;
            };
            let pkt = coming.pkt;
            self.reach_source::<true, true>(pkt, key);
        }
        *now = last.max(*now);
        most - left
    }

    /// The first event of all, unless it lies after the end. Gives its time.
    #[inline(never)]
    fn step_in_order(&mut self) -> Option<Time> {
        let end = self.window.end;
        let first = self.wires.calendar.first_key();
        let alarm = self.wires.alarms.peek().map(|Reverse(alarm)| *alarm);
        let alarm_key = alarm.map(|(time, endpoint)| self.alarm_key(time, endpoint));
        let until = [first, alarm_key].into_iter().flatten().fold(end, |until, key| until.min(key.time));
        let [red, line] = [0, 1].map(|side| self.wires.approaches[side].first_until(until));
        let precedes = |one: Option<Key>, other: Option<Key>| match (one, other) {
            (Some(one), Some(other)) => one.precedes(&other),
            (one, _) => one.is_some(),
        };
        let (side, key) = if precedes(line, red) { (1, line) } else { (0, red) };
        if let Some((time, endpoint)) =
            alarm.filter(|_| precedes(alarm_key, first) && !precedes(key, alarm_key))
        {
            self.wires.alarms.pop();
            self.wake(endpoint, time);
            return Some(time);
        }
        let transit = if precedes(key, first) {
            let past = Time(key?.time.0 + 1);
            let coming = self.wires.approaches[side].next_before(Time::ZERO, past)?;
            Transit::new(coming.pkt, coming.key())
        } else {
            self.wires.calendar.note_taken(1, until);
            let node = self.wires.calendar.unlink_first()?;
            Transit::new(node.event, node.key())
        };
        self.come::<true>(&transit);
        Some(transit.time)
    }
}

fn after(time: Time, span: Span) -> Time {
    Time(time.0.saturating_add(span.0))
}
