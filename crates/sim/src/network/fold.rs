//! Folding: decides which hops are taken at once instead of through the event queue.

use super::fabric::Hop;
use super::{Network, Route};
use crate::fast::DroptailLink;
use crate::source::Source;
use std::collections::BTreeMap;

impl Network {
    /// Folds the routes if `allowed`. A link can be folded if a single component feeds it and its departures are known at
    /// arrival. One link of each round trip stays in the event queue, so that no flow runs ahead for ever: a RED link if
    /// there is one, because then packets pass the tail-drop links on both sides of it at once.
    pub fn fold(&mut self, allowed: bool) {
        let folds = if allowed { self.foldable_links() } else { vec![false; self.link_count as usize] };
        let numbered = folds.into_iter().zip(0u32..);
        let mut hops: Vec<Hop> = numbered
            .map(|(at_once, link)| if at_once { Hop::LinkNow(link) } else { Hop::Link(link) })
            .collect();
        for (link, number) in self.fabric.droptail_links.iter().zip(0u32..) {
            let step = &mut hops[link.component as usize];
            let at_once = matches!(step, Hop::LinkNow(_));
            *step = if at_once { Hop::DroptailNow(number) } else { Hop::Droptail(number) };
        }
        for (link, number) in self.fabric.red_links.iter().zip(0u32..) {
            let step = &mut hops[link.component as usize];
            let at_once = matches!(step, Hop::LinkNow(_));
            *step = if at_once { Hop::RedNow(number) } else { Hop::Red(number) };
        }
        for step in &mut self.fabric.hops {
            if let Hop::Link(link) = *step {
                *step = hops[link as usize];
            }
        }
        self.folded = allowed;
        self.join_hops();
        self.assign_private_links();
        self.share_routes();
        self.assign_hop_codes();
        self.enable_lookahead();
    }

    /// Flows whose packets take the same hops share them; with private links taken out, most do.
    fn share_routes(&mut self) {
        let hops = std::mem::take(&mut self.fabric.hops);
        let mut known: BTreeMap<&[Hop], u32> = BTreeMap::new();
        for (flow, routes) in self.flows.iter_mut().zip(std::mem::take(&mut self.routes)) {
            for (first, Route { start, len }) in flow.first_hop.iter_mut().zip(routes) {
                let way = &hops[start as usize..][..=len as usize];
                *first = *known.entry(way).or_insert_with(|| {
                    let place = self.fabric.hops.len() as u32;
                    self.fabric.hops.extend(way);
                    place
                });
            }
        }
        self.fabric.hops.shrink_to_fit();
    }

    /// Sets the hop code of what the ends schedule, if its first hop in the event queue has one.
    fn assign_hop_codes(&mut self) {
        for flow in &mut self.flows {
            for side in [0, 1] {
                let entered = flow.first_hop[side] as usize + usize::from(flow.private[side].first.is_some());
                flow.attributes[side] =
                    flow.attributes[side].with_hop_code(self.fabric.hops[entered].hop_code(side));
            }
        }
    }

    /// Specialised tail-drop links that one flow alone uses, next to one of its ends, move into the flow if they have no
    /// probe: they are in its cache lines then.
    fn assign_private_links(&mut self) {
        let hops = &mut self.fabric.hops;
        let droptail_links = std::mem::take(&mut self.fabric.droptail_links).into_iter();
        let mut droptail_links: Vec<Option<DroptailLink>> = droptail_links.map(Some).collect();
        let mut uses = vec![0; droptail_links.len()];
        hops.iter_mut().filter_map(Hop::droptail_index).for_each(|link| uses[*link as usize] += 1);
        let mut take = |number: u32| {
            let alone = uses[number as usize] == 1;
            droptail_links[number as usize].take_if(|link| alone && !link.has_probe())
        };
        for (flow, routes) in self.flows.iter_mut().zip(&self.routes) {
            // Sessions share the route of the flow they belong to.
            if matches!(flow.source, Source::Origin(_)) {
                continue;
            }
            for (private, route) in flow.private.iter_mut().zip(routes) {
                let way = &mut hops[route.start as usize..][..route.len as usize];
                if let [first @ Hop::DroptailThenQueue(_), ..] = way {
                    private.first = first.droptail_index().and_then(|link| take(*link));
                    *first = if private.first.is_some() { Hop::Private } else { *first };
                }
                let [.., before, last @ Hop::DroptailThenEnd(_)] = way else { continue };
                let then = match *before {
                    Hop::Droptail(link) => Hop::DroptailThenPrivate(link),
                    Hop::Red(link) => Hop::RedThenPrivate(link),
                    _ => continue,
                };
                private.last = last.droptail_index().and_then(|link| take(*link));
                if private.last.is_some() {
                    (*before, *last) = (then, Hop::Private);
                }
            }
        }
        self.renumber_links(droptail_links);
    }

    /// Renumbers the links that remain.
    fn renumber_links(&mut self, droptail_links: Vec<Option<DroptailLink>>) {
        let mut next = 0..;
        let number =
            |link: &Option<DroptailLink>| link.as_ref().and_then(|_| next.next()).unwrap_or_default();
        let numbers: Vec<u32> = droptail_links.iter().map(number).collect();
        let hops = self.fabric.hops.iter_mut();
        hops.filter_map(Hop::droptail_index).for_each(|link| *link = numbers[*link as usize]);
        self.fabric.droptail_links = droptail_links.into_iter().flatten().collect();
        self.fabric.droptail_links.shrink_to_fit();
    }

    /// Tells each folded tail-drop link what follows it.
    fn join_hops(&mut self) {
        let hops = &mut self.fabric.hops;
        for place in 1..hops.len() {
            let Hop::DroptailNow(link) = hops[place - 1] else { continue };
            if hops[place].goes_through_queue() {
                hops[place - 1] = Hop::DroptailThenQueue(link);
            } else if self.folded && hops[place] == Hop::End {
                hops[place - 1] = Hop::DroptailThenEnd(link);
            }
        }
    }

    fn foldable_links(&self) -> Vec<bool> {
        let shared = self.shared_links();
        let mut folds: Vec<bool> = shared.iter().map(|shared| !shared).collect();
        folds.iter_mut().zip(&self.links).for_each(|(folds, link)| *folds &= link.knows_departures());
        let mut red = vec![false; folds.len()];
        self.fabric.red_links.iter().for_each(|link| red[link.component as usize] = true);
        for routes in &self.routes {
            let round_trip = || routes.iter().flat_map(|route| self.links_of(*route));
            if round_trip().all(|link| folds[link]) {
                let kept = round_trip().find(|link| red[*link]).or_else(|| round_trip().next());
                kept.into_iter().for_each(|link| folds[link] = false);
            }
        }
        folds
    }

    /// Which links are fed by more than one component.
    fn shared_links(&self) -> Vec<bool> {
        let count = self.link_count as usize;
        let (mut feeders, mut shared) = (vec![None; count], vec![false; count]);
        for (number, routes) in self.routes.iter().enumerate() {
            // Sessions are flows of their own, and share even the private links.
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

    /// The links of a route, before folding.
    fn links_of(&self, route: Route) -> impl Iterator<Item = usize> + '_ {
        let hops = &self.fabric.hops[route.start as usize..][..route.len as usize];
        hops.iter().filter_map(|step| match step {
            Hop::Link(link) => Some(*link as usize),
            _ => None,
        })
    }
}
