//! How packets go from link to link: at once where that is allowed, else through the calendar.

use super::wires::{Launched, Step};
use super::{Network, Transit};
use crate::calendar::Key;
use crate::packet::{Pkt, Waiting, WAKE};
use queue::disc::{Fate, Packet, Reason};
use units::Ecn;

impl Network {
    /// RED dropped or marked a packet that came out of the calendar.
    #[cold]
    #[inline(never)]
    pub(super) fn leave_red_line_changed(&mut self, number: u32, transit: &Transit, passed: Option<Key>) {
        let ecn = self.settle_red_fates(number, transit);
        if let Some(key) = passed {
            let about = transit.pkt.about.with_ecn(ecn);
            self.leave_line_apart(&Transit::new(Pkt { about, ..transit.pkt }, key));
        }
    }

    /// A packet has passed the link of its present step, and will be at `key` then.
    #[inline(always)]
    pub(super) fn leave_line(&mut self, pkt: Pkt, key: Key) {
        let next = pkt.step + 1;
        let to_calendar = self.wires.steps[next as usize].waits() || !self.runs_ahead;
        if key.time > self.window.end || !to_calendar {
            return self.leave_line_apart(&Transit::new(pkt, key));
        }
        self.wires.calendar.push(key, Pkt { step: next, ..pkt });
    }

    #[inline(never)]
    fn leave_line_apart(&mut self, transit: &Transit) {
        if let Some(transit) = self.on_time(*transit) {
            self.travel(transit);
        }
    }

    /// A packet, or an alarm, comes out of the calendar at any other step.
    #[inline(never)]
    pub(super) fn come<const TURNS: bool>(&mut self, transit: &Transit) {
        let Some(step) = self.wires.steps.get(transit.pkt.step as usize) else {
            let (step, number) = (transit.pkt.step, transit.pkt.flow);
            return if step == WAKE {
                self.wake(number, transit.time)
            } else {
                self.free(number, transit.time)
            };
        };
        match *step {
            Step::End => self.reach::<TURNS>(transit),
            Step::Red(number) | Step::RedThenOwn(number) => {
                let line = &mut self.wires.red_lines[number as usize];
                match line.pass(transit.pkt.size, transit.pkt.about.ecn(), transit.key()) {
                    Ok(key) => self.leave_line(transit.pkt, key),
                    Err(passed) => self.leave_red_line_changed(number, transit, passed),
                }
            }
            Step::Link(link) => {
                let mut transit = *transit;
                if self.pass_link(link, &mut transit) {
                    self.travel(transit);
                }
            }
            Step::Line(line) => {
                if let Some(passed) = self.pass_line(line, *transit) {
                    self.travel(passed);
                }
            }
            Step::LineThenOwn(line) => {
                if let Some(passed) = self.pass_line(line, *transit) {
                    self.reach_last(&passed);
                }
            }
            _ => self.travel(*transit),
        }
    }

    /// A packet goes its way, at once where that is allowed, up to the calendar or to its end.
    pub(super) fn travel(&mut self, mut transit: Transit) {
        loop {
            let passed = match self.wires.steps[transit.pkt.step as usize] {
                Step::LineAtOnce(line) | Step::LineToEnd(line) | Step::LineToCalendar(line) => {
                    self.pass_line(line, transit)
                }
                Step::Own => self.pass_own(transit),
                Step::RedAtOnce(line) => self.pass_red_line(line, transit),
                Step::LinkAtOnce(link) => self.pass_link(link, &mut transit).then_some(transit),
                Step::End if self.runs_ahead => return self.reach::<true>(&transit),
                _ => return self.wires.enter(transit.key(), transit.pkt),
            };
            match passed {
                Some(passed) => transit = passed,
                None => return,
            }
        }
    }

    /// What became of a packet that an end sent, where that is not the common case.
    #[cold]
    #[inline(never)]
    pub(super) fn settle_launch(&mut self, launched: Launched) {
        match launched {
            Launched::Settled => {}
            Launched::Stands(transit) => self.travel(transit),
            Launched::Refused(component, transit) => self.refuse(component, &transit),
            Launched::Over(transit) => self.leave_over(&transit, self.window.end),
        }
    }

    /// A packet passes a link in short form and stands before its next step, unless its way ends here.
    fn pass_line(&mut self, number: u32, transit: Transit) -> Option<Transit> {
        let line = &mut self.wires.lines[number as usize];
        let Some(key) = line.pass(transit.pkt.size, transit.key()) else {
            let component = line.component;
            self.refuse(component, &transit);
            return None;
        };
        self.on_time(Transit::new(transit.pkt, key))
    }

    /// The same of a line of the flow's own.
    fn pass_own(&mut self, transit: Transit) -> Option<Transit> {
        let flow = &mut self.flows[transit.pkt.flow as usize];
        let side = usize::from(transit.pkt.is_back());
        let begins = transit.pkt.step == flow.first_step[side];
        let own = &mut flow.own[side];
        let line = if begins && own.first.is_some() { &mut own.first } else { &mut own.last };
        let Some(line) = line else { return Some(transit) };
        let Some(key) = line.pass(transit.pkt.size, transit.key()) else {
            let component = line.component;
            self.refuse(component, &transit);
            return None;
        };
        self.on_time(Transit::new(transit.pkt, key))
    }

    /// The same of a RED link.
    fn pass_red_line(&mut self, number: u32, mut transit: Transit) -> Option<Transit> {
        let line = &mut self.wires.red_lines[number as usize];
        let key = match line.pass(transit.pkt.size, transit.pkt.about.ecn(), transit.key()) {
            Ok(key) => key,
            Err(passed) => {
                let ecn = self.settle_red_fates(number, &transit);
                transit.pkt.set_ecn(ecn);
                passed?
            }
        };
        self.on_time(Transit::new(transit.pkt, key))
    }

    /// RED dropped or marked the packet that arrived. Gives what its ECN field says now.
    #[cold]
    #[inline(never)]
    fn settle_red_fates(&mut self, number: u32, transit: &Transit) -> Ecn {
        let line = &mut self.wires.red_lines[number as usize];
        let component = line.component;
        let mut pkt = transit.pkt;
        for fate in line.fates.drain(..) {
            self.fates.push(match fate {
                Fate::Dropped(_, reason) => Fate::Dropped(Waiting { pkt, enqueued: transit.time }, reason),
                Fate::Marked(slot, reason) => {
                    pkt.set_ecn(slot.ecn());
                    Fate::Marked(Waiting { pkt, enqueued: transit.time }, reason)
                }
            });
        }
        self.settle_fates(component, transit.time);
        pkt.about.ecn()
    }

    /// A link in short form had no room.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse(&mut self, component: u32, transit: &Transit) {
        let waiting = Waiting { pkt: transit.pkt, enqueued: transit.time };
        self.fates.push(Fate::Dropped(waiting, Reason::Overflow));
        self.settle_fates(component, transit.time);
    }

    /// Turns a packet to its next step, where it is at `key`. False if the run ends before.
    #[inline]
    pub(super) fn lead_on(&mut self, transit: &mut Transit, key: Key) -> bool {
        let on_time = self.on_time(Transit::new(transit.pkt, key));
        on_time.is_some_and(|turned| {
            *transit = turned;
            true
        })
    }

    /// Turns a packet to its next step, unless the run ends before it is there.
    #[inline(always)]
    pub(super) fn on_time(&mut self, mut transit: Transit) -> Option<Transit> {
        if transit.time > self.window.end {
            self.leave_over(&transit, self.window.end);
            return None;
        }
        transit.pkt.step += 1;
        Some(transit)
    }
}
