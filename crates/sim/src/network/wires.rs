//! What lies between the ends: steps of routes, links in short form, the calendar.
//!
//! Apart from the flows, so that an end at work can send what it makes without letting go of itself.

use super::Transit;
use crate::approach::Approach;
use crate::calendar::{Calendar, Key};
use crate::line::Line;
use crate::packet::{Pkt, WAKE};
use crate::red_line::RedLine;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use units::Time;

/// Where a packet goes next, and how it gets there: a place in [`Wires::steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// To a link in short form, a place in [`Wires::lines`], at once.
    LineAtOnce(u32),
    /// The same where its end follows, which is reached at once.
    LineToEnd(u32),
    /// The same where the calendar follows.
    LineToCalendar(u32),
    /// To its end.
    End,
    /// To a link in short form, through the calendar.
    Line(u32),
    /// To a RED link in short form, a place in [`Wires::red_lines`], through the calendar.
    Red(u32),
    /// To a link, through the calendar.
    Link(u32),
    /// To a RED link in short form, at once.
    RedAtOnce(u32),
    /// To a link, at once.
    LinkAtOnce(u32),
    /// To the line that the flow has to itself at the beginning or the end of its way, at once: [`Flow::own`].
    Own,
    /// [`Step::Line`] where such a line follows, and then the end.
    LineThenOwn(u32),
    /// [`Step::Red`] where such a line follows, and then the end.
    RedThenOwn(u32),
}

/// [`About::via`] of what goes forth to the first RED link in short form and then as [`Step::RedThenOwn`] says; those for the next
/// ones follow.
pub(super) const VIA_RED: u8 = 1;
/// The same of what goes back to the first tail-drop link and then as [`Step::LineThenOwn`] says.
pub(super) const VIA_LINE: u8 = 128;

impl Step {
    /// [`About::via`] of what takes this step through the calendar on the way forth, 0, or back.
    pub(super) fn via(self, side: usize) -> u8 {
        let number = |line: u32, first: u8| {
            u8::try_from(line).ok().filter(|line| *line < 127).map(|line| first + line)
        };
        match (side, self) {
            (0, Step::RedThenOwn(line)) => number(line, VIA_RED),
            (1, Step::LineThenOwn(line)) => number(line, VIA_LINE),
            _ => None,
        }
        .unwrap_or(0)
    }

    /// Whether it is taken through the calendar.
    #[inline(always)]
    pub(super) fn waits(self) -> bool {
        use Step::{Line, LineThenOwn, Link, Red, RedThenOwn};
        matches!(self, Line(_) | Red(_) | Link(_) | LineThenOwn(_) | RedThenOwn(_))
    }

    /// The line it leads to, if it is one of [`Wires::lines`].
    pub(super) fn line(&mut self) -> Option<&mut u32> {
        match self {
            Step::LineAtOnce(line) | Step::LineToEnd(line) | Step::LineToCalendar(line) => Some(line),
            Step::Line(line) | Step::LineThenOwn(line) => Some(line),
            _ => None,
        }
    }
}

/// What became of a packet that an end sent.
pub(super) enum Launched {
    /// It is in the calendar.
    Settled,
    /// It stands before a step that is not taken here.
    Stands(Transit),
    /// The link of this number had no room.
    Refused(u32, Transit),
    /// The run ends before it arrives.
    Over(Transit),
}

/// What packets meet between two ends.
pub(super) struct Wires {
    /// Pending events: packets, and the alarms of [`Pkt::alarm`].
    pub(super) calendar: Calendar<Pkt>,
    /// Packets on the way to the first RED link and to the first tail-drop link, as far as these take turns.
    pub(super) approaches: [Approach; 2],
    /// When endpoints are to be woken, while links take turns.
    pub(super) alarms: BinaryHeap<Reverse<(Time, u32)>>,
    /// Whether they do.
    pub(super) in_turns: bool,
    /// None of the events in the calendar comes before that, and the link whose turn it is gets no further than this.
    pub(super) horizon: Time,
    pub(super) until: Time,
    /// Tail-drop links in short form.
    pub(super) lines: Vec<Line>,
    /// RED links in short form.
    pub(super) red_lines: Vec<RedLine>,
    /// The steps of all routes, one after the other.
    pub(super) steps: Vec<Step>,
    /// The run's last moment.
    end: Time,
}

impl Wires {
    /// These links, and no routes yet.
    pub(super) fn new(lines: Vec<Line>, red_lines: Vec<RedLine>, end: Time) -> Wires {
        Wires {
            calendar: Calendar::new(),
            approaches: Default::default(),
            alarms: BinaryHeap::new(),
            in_turns: false,
            horizon: Time::ZERO,
            until: Time::ZERO,
            lines,
            red_lines,
            steps: Vec::new(),
            end,
        }
    }

    /// An end sends a packet: over the links that take it at once into the calendar. The first of them may be its `own`.
    #[inline(always)]
    pub(super) fn launch<const SIDE: usize, const TURNS: bool>(
        &mut self,
        own: &mut Option<Line>,
        pkt: Pkt,
        key: Key,
    ) -> Launched {
        let Some(line) = own else {
            if !self.steps[pkt.step as usize].waits() {
                return self.launch_apart(&Transit::new(pkt, key));
            }
            self.set_out::<SIDE, TURNS>(key, pkt);
            return Launched::Settled;
        };
        match line.pass_unwatched(pkt.size, key) {
            Some(key) if key.time <= self.end => {
                self.set_out::<SIDE, TURNS>(key, Pkt { step: pkt.step + 1, ..pkt });
                Launched::Settled
            }
            Some(key) => Launched::Over(Transit::new(pkt, key)),
            None => Launched::Refused(line.component, Transit::new(pkt, key)),
        }
    }

    /// A packet is on its way to what it meets first of several flows.
    #[inline(always)]
    fn set_out<const SIDE: usize, const TURNS: bool>(&mut self, key: Key, pkt: Pkt) {
        if !TURNS || !self.in_turns {
            return self.calendar.push(key, pkt);
        }
        if pkt.about.via() != [VIA_RED, VIA_LINE][SIDE] || !self.approaches[SIDE].push(key, pkt) {
            self.enter_apart(key, &Pkt { ..pkt });
        }
    }

    /// Before these moments nothing comes to either of the links that take turns.
    #[inline(always)]
    pub(super) fn earliest(&self) -> [Time; 2] {
        self.approaches.each_ref().map(Approach::earliest)
    }

    #[cold]
    #[inline(never)]
    fn enter_apart(&mut self, key: Key, pkt: &Pkt) {
        self.enter(key, *pkt);
    }

    /// Into the calendar; a link that takes its turn gets no further than that.
    #[inline]
    pub(super) fn enter(&mut self, key: Key, pkt: Pkt) {
        self.horizon = self.horizon.min(key.time);
        self.until = self.until.min(key.time);
        self.calendar.push(key, pkt);
    }

    /// An endpoint is to be woken.
    pub(super) fn enter_alarm(&mut self, key: Key, endpoint: u32) {
        if !self.in_turns {
            return self.enter(key, Pkt::alarm(WAKE, endpoint));
        }
        self.until = self.until.min(key.time);
        self.alarms.push(Reverse((key.time, endpoint)));
    }

    /// [`Wires::launch`] where several links take it at once.
    #[inline(never)]
    fn launch_apart(&mut self, transit: &Transit) -> Launched {
        let (mut pkt, mut key) = (transit.pkt, transit.key());
        loop {
            let step = self.steps[pkt.step as usize];
            let (Step::LineAtOnce(number) | Step::LineToEnd(number) | Step::LineToCalendar(number)) = step
            else {
                break;
            };
            let line = &mut self.lines[number as usize];
            match line.pass(pkt.size, key) {
                Some(passed) if passed.time <= self.end => key = passed,
                Some(passed) => return Launched::Over(Transit::new(pkt, passed)),
                None => return Launched::Refused(line.component, Transit::new(pkt, key)),
            }
            pkt.step += 1;
        }
        if self.steps[pkt.step as usize].waits() {
            self.enter(key, pkt);
            return Launched::Settled;
        }
        Launched::Stands(Transit::new(pkt, key))
    }
}
