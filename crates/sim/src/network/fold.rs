//! Finds out which work may be done early.

use super::{Entry, Network, Route};

impl Network {
    /// Finds out what may be done early: links that a single component feeds, and whose departures are known at
    /// arrival. One link of each round trip stays in the calendar, so that no flow runs on for ever.
    pub fn fold(&mut self) {
        let shared = self.shared_links();
        let mut folds: Vec<bool> =
            shared.iter().zip(&self.links).map(|(shared, link)| !shared && link.knows_ahead()).collect();
        for routes in &self.routes {
            let mut round_trip = routes.iter().flat_map(|route| self.links_of(*route)).peekable();
            let first = round_trip.peek().map(|link| **link as usize);
            if round_trip.all(|link| folds[*link as usize]) {
                first.into_iter().for_each(|link| folds[link] = false);
            }
        }
        for link in (0..self.links.len()).filter(|link| folds[*link]) {
            self.entries[link] = match self.links[link].as_line() {
                Some(line) => {
                    self.lines.push(line);
                    Entry::Line(self.lines.len() as u32 - 1)
                }
                None => Entry::AtOnce,
            };
        }
        self.runs_ahead = true;
    }

    /// Which links take packets from more than one component.
    fn shared_links(&self) -> Vec<bool> {
        let mut feeders: Vec<Option<u32>> = vec![None; self.links.len()];
        let mut shared = vec![false; self.links.len()];
        for (number, routes) in self.routes.iter().enumerate() {
            for (side, route) in routes.iter().enumerate() {
                let mut feeder = self.component_of(2 * number as u32 + side as u32);
                for link in self.links_of(*route) {
                    let known = feeders[*link as usize].get_or_insert(feeder);
                    shared[*link as usize] |= *known != feeder;
                    feeder = *link;
                }
            }
        }
        shared
    }

    fn links_of(&self, route: Route) -> &[u32] {
        &self.steps[route.start as usize..][..usize::from(route.len)]
    }
}
