//! Finds out which work may be done early.

use super::wires::Step;
use super::{Network, Route};
use crate::line::Line;
use crate::source::Source;
use std::collections::BTreeMap;

impl Network {
    /// Finds out what may be done early if that is `allowed`: links that a single component feeds, and whose departures
    /// are known at arrival. One link of each round trip stays in the calendar, so that no flow runs on for ever: one of RED
    /// where there is one, because packets take the tail-drop links at both ends in one go then.
    pub fn fold(&mut self, allowed: bool) {
        let folds = if allowed { self.foldable_links() } else { vec![false; self.link_count as usize] };
        let numbered = folds.into_iter().zip(0u32..);
        let mut steps: Vec<Step> = numbered
            .map(|(at_once, link)| if at_once { Step::LinkAtOnce(link) } else { Step::Link(link) })
            .collect();
        for (line, number) in self.wires.lines.iter().zip(0u32..) {
            let step = &mut steps[line.component as usize];
            let at_once = matches!(step, Step::LinkAtOnce(_));
            *step = if at_once { Step::LineAtOnce(number) } else { Step::Line(number) };
        }
        for (line, number) in self.wires.red_lines.iter().zip(0u32..) {
            let step = &mut steps[line.component as usize];
            let at_once = matches!(step, Step::LinkAtOnce(_));
            *step = if at_once { Step::RedAtOnce(number) } else { Step::Red(number) };
        }
        for step in &mut self.wires.steps {
            if let Step::Link(link) = *step {
                *step = steps[link as usize];
            }
        }
        self.runs_ahead = allowed;
        self.join_steps();
        self.give_away_lines();
        self.share_routes();
        self.number_ways();
        self.agree_on_turns();
    }

    /// Flows whose packets take the same steps share them: with lines of their own given away, most do.
    fn share_routes(&mut self) {
        let steps = std::mem::take(&mut self.wires.steps);
        let mut known: BTreeMap<&[Step], u32> = BTreeMap::new();
        for (flow, routes) in self.flows.iter_mut().zip(std::mem::take(&mut self.routes)) {
            for (first, Route { start, len }) in flow.first_step.iter_mut().zip(routes) {
                let way = &steps[start as usize..][..=len as usize];
                *first = *known.entry(way).or_insert_with(|| {
                    let place = self.wires.steps.len() as u32;
                    self.wires.steps.extend(way);
                    place
                });
            }
        }
        self.wires.steps.shrink_to_fit();
    }

    /// What the ends send into the calendar gets the number of what it meets there, where that has one.
    fn number_ways(&mut self) {
        for flow in &mut self.flows {
            for side in [0, 1] {
                let entered = flow.first_step[side] as usize + usize::from(flow.own[side].first.is_some());
                flow.about[side] = flow.about[side].with_via(self.wires.steps[entered].via(side));
            }
        }
    }

    /// Lines that one flow alone uses, before or behind the calendar and next to an end, go to the flow if they have no probe:
    /// there they are at hand.
    fn give_away_lines(&mut self) {
        let steps = &mut self.wires.steps;
        let lines = std::mem::take(&mut self.wires.lines).into_iter();
        let mut lines: Vec<Option<Line>> = lines.map(Some).collect();
        let mut uses = vec![0; lines.len()];
        steps.iter_mut().filter_map(Step::line).for_each(|line| uses[*line as usize] += 1);
        let mut take = |number: u32| {
            let alone = uses[number as usize] == 1;
            lines[number as usize].take_if(|line| alone && !line.is_watched())
        };
        for (flow, routes) in self.flows.iter_mut().zip(&self.routes) {
            // Sessions go the way of the flow they belong to.
            if matches!(flow.source, Source::Origin(_)) {
                continue;
            }
            for (own, route) in flow.own.iter_mut().zip(routes) {
                let way = &mut steps[route.start as usize..][..route.len as usize];
                if let [first @ Step::LineToCalendar(_), ..] = way {
                    own.first = first.line().and_then(|line| take(*line));
                    *first = if own.first.is_some() { Step::Own } else { *first };
                }
                let [.., before, last @ Step::LineToEnd(_)] = way else { continue };
                let then = match *before {
                    Step::Line(line) => Step::LineThenOwn(line),
                    Step::Red(line) => Step::RedThenOwn(line),
                    _ => continue,
                };
                own.last = last.line().and_then(|line| take(*line));
                if own.last.is_some() {
                    (*before, *last) = (then, Step::Own);
                }
            }
        }
        self.close_ranks(lines);
    }

    /// The lines that are left get numbers anew.
    fn close_ranks(&mut self, lines: Vec<Option<Line>>) {
        let mut left = 0..;
        let number = |line: &Option<Line>| line.as_ref().and_then(|_| left.next()).unwrap_or_default();
        let numbers: Vec<u32> = lines.iter().map(number).collect();
        let steps = self.wires.steps.iter_mut();
        steps.filter_map(Step::line).for_each(|line| *line = numbers[*line as usize]);
        self.wires.lines = lines.into_iter().flatten().collect();
        self.wires.lines.shrink_to_fit();
    }

    /// Tells the links in short form that are taken at once by what follows them.
    fn join_steps(&mut self) {
        let steps = &mut self.wires.steps;
        for place in 1..steps.len() {
            let Step::LineAtOnce(line) = steps[place - 1] else { continue };
            if steps[place].waits() {
                steps[place - 1] = Step::LineToCalendar(line);
            } else if self.runs_ahead && steps[place] == Step::End {
                steps[place - 1] = Step::LineToEnd(line);
            }
        }
    }

    fn foldable_links(&self) -> Vec<bool> {
        let shared = self.shared_links();
        let mut folds: Vec<bool> = shared.iter().map(|shared| !shared).collect();
        folds.iter_mut().zip(&self.links).for_each(|(folds, link)| *folds &= link.knows_ahead());
        let mut red = vec![false; folds.len()];
        self.wires.red_lines.iter().for_each(|line| red[line.component as usize] = true);
        for routes in &self.routes {
            let round_trip = || routes.iter().flat_map(|route| self.links_of(*route));
            if round_trip().all(|link| folds[link]) {
                let kept = round_trip().find(|link| red[*link]).or_else(|| round_trip().next());
                kept.into_iter().for_each(|link| folds[link] = false);
            }
        }
        folds
    }

    /// Which links take packets from more than one component.
    fn shared_links(&self) -> Vec<bool> {
        let count = self.link_count as usize;
        let (mut feeders, mut shared) = (vec![None; count], vec![false; count]);
        for (number, routes) in self.routes.iter().enumerate() {
            // Sessions that arrive here are flows of their own, and share even the private links.
            let many = matches!(self.flows[number].source, Source::Origin(_));
            for (side, route) in routes.iter().enumerate() {
                if let Some(first) = self.links_of(*route).next().filter(|_| many) {
                    shared[first] = true;
                }
                let mut feeder = self.component_of(2 * number as u32 + side as u32);
                for link in self.links_of(*route) {
                    let known = feeders[link].get_or_insert(feeder);
                    shared[link] |= *known != feeder;
                    feeder = link as u32;
                }
            }
        }
        shared
    }

    /// The links of a route, before any of them is folded.
    fn links_of(&self, route: Route) -> impl Iterator<Item = usize> + '_ {
        let steps = &self.wires.steps[route.start as usize..][..route.len as usize];
        steps.iter().filter_map(|step| match step {
            Step::Link(link) => Some(*link as usize),
            _ => None,
        })
    }
}
