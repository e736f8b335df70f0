//! Folding: decides which hops are taken at once instead of through the event queue.

use super::fabric::Fast;
use super::hop::FastHop;
use super::private_links::PrivateLinks;
use super::{DroptailLink, FastPath, FastStep};
use crate::link::Link;
use crate::network::{Hop, Network};
use crate::source::Source;
use std::collections::BTreeMap;
use std::ops::Range;
use units::Span;

/// The hops of the packets that each end of a flow sends, without [`Hop::End`]: ranges of the hops of all routes.
type Routes = [Range<usize>; 2];

/// The fast path of a tail-drop link where data queues: an [`ArrivalLink`].
struct TailDropQueue;

impl FastStep for TailDropQueue {
    /// The link, whether it is the slowest of the route of some data, and whether times are sums of doubles.
    type Situation<'a> = (&'a DroptailLink, bool, bool);

    /// The link has a probe and an empty queue, is the slowest of a route of data, and times are nanoseconds.
    fn is_eligible((link, slowest, in_doubles): (&DroptailLink, bool, bool)) -> bool {
        slowest && !in_doubles && link.can_be_converted()
    }
}

/// The fast path of a hop that is taken at once.
struct Fold;

/// The properties of a link that decide whether it is folded.
struct FoldedLink {
    /// Whether more than one component feeds it.
    shared: bool,
    /// Whether every packet takes at least a nanosecond on it.
    delays: bool,
    /// Whether its departures are known at arrival.
    knows_departures: bool,
}

impl FastStep for Fold {
    type Situation<'a> = FoldedLink;

    /// A single component feeds the link, so that packets come in the order in which they are sent; every packet takes
    /// at least a nanosecond, so that its arrival follows all events that are due when it is sent; and departures are
    /// known at arrival.
    fn is_eligible(link: FoldedLink) -> bool {
        !link.shared && link.delays && link.knows_departures
    }
}

impl Network<Fast> {
    /// Hands tail-drop links over to [`ArrivalLink`] where data queues: the first of the slowest links of the route of
    /// each flow, among those with a probe.
    pub(super) fn convert_data_links(&mut self) {
        if !self.carrier.uses(FastPath::TailDropQueue) {
            return;
        }
        let in_doubles = self.window.end.is_double();
        let mut rates = vec![None; self.link_count as usize];
        for (number, link) in self.links.iter().enumerate() {
            rates[number] = Some(link.rate());
        }
        let mut slowest = vec![false; rates.len()];
        for flow in &self.flows {
            let route = self.route(flow.first_hop[0]);
            let rate = |link: usize| rates[link].filter(|rate| rate.0 > 0).map(|rate| (rate, link));
            let least = self.links_of(&route).filter_map(rate).map(|(rate, _)| rate).min();
            let is_slowest = |link: &usize| rates[*link].is_some() && rates[*link] == least;
            // What leaves the first at its rate mostly finds no queue at others of that rate. Where other traffic makes
            // one, a `DroptailLink` counts it all the same.
            if let Some(link) = self.links_of(&route).find(is_slowest) {
                slowest[link] = true;
            }
        }
        let (queues, others): (Vec<DroptailLink>, Vec<DroptailLink>) =
            std::mem::take(&mut self.carrier.droptail_links).into_iter().partition(|link| {
                TailDropQueue::is_eligible((link, slowest[link.component as usize], in_doubles))
            });
        self.carrier.droptail_links = others;
        self.carrier.arrival_links.extend(queues.into_iter().map(DroptailLink::into_arrival_link));
        let uniform = self.carrier.uses(FastPath::UniformSize);
        self.carrier.arrival_links.iter_mut().for_each(|link| link.uses_uniform_size = uniform);
    }

    /// Turns the routes into those of the fast engine.
    pub(super) fn fold(&mut self) {
        let routes: Vec<Routes> =
            self.flows.iter().map(|flow| flow.first_hop.map(|at| self.route(at))).collect();
        self.carrier.folded = self.carrier.uses(FastPath::Fold);
        let hops = self.hops_over_links(&routes);
        let translated = std::mem::take(&mut self.hops).into_iter().map(|hop| match hop {
            Hop::Link(link) => hops[link as usize],
            Hop::End => FastHop::End,
        });
        self.carrier.hops = translated.collect();
        self.join_hops();
        if self.carrier.uses(FastPath::PrivateLinks) {
            self.assign_private_links(&routes);
        }
        self.share_routes(routes);
        if self.carrier.uses(FastPath::HopCodes) {
            self.assign_hop_codes();
        }
    }

    /// The hops of a route, from its first to before its end.
    fn route(&self, first: u32) -> Range<usize> {
        let first = first as usize;
        let len = self.hops[first..].iter().take_while(|hop| **hop != Hop::End).count();
        first..first + len
    }

    /// The hop over each link, by the link's number.
    fn hops_over_links(&self, routes: &[Routes]) -> Vec<FastHop> {
        let count = self.link_count as usize;
        let folds = if self.carrier.folded { self.foldable_links(routes) } else { vec![false; count] };
        let hop = |now: bool, number: u32| if now { FastHop::LinkNow(number) } else { FastHop::Link(number) };
        let mut hops: Vec<FastHop> = folds.iter().zip(0..).map(|(now, number)| hop(*now, number)).collect();
        for (link, number) in self.carrier.droptail_links.iter().zip(0..) {
            let place = link.component as usize;
            hops[place] = if folds[place] { FastHop::DroptailNow(number) } else { FastHop::Droptail(number) };
        }
        for (link, number) in self.carrier.arrival_links.iter().zip(0..) {
            let place = link.component as usize;
            hops[place] = if folds[place] { FastHop::ArrivalNow(number) } else { FastHop::Arrival(number) };
        }
        hops
    }

    /// The links that are folded: those that are eligible, except one of each round trip, so that no flow runs ahead
    /// for ever. An arrival link stays if there is one, because then packets pass the tail-drop links on both sides of
    /// it at once.
    fn foldable_links(&self, routes: &[Routes]) -> Vec<bool> {
        let (shared, delays) = (self.shared_links(routes), self.links_that_delay());
        let knows_departures = |link: usize| self.links.get(link).is_none_or(|link| link.knows_departures());
        let eligible = |link: usize| {
            Fold::is_eligible(FoldedLink {
                shared: shared[link],
                delays: delays[link],
                knows_departures: knows_departures(link),
            })
        };
        let mut folds: Vec<bool> = (0..shared.len()).map(eligible).collect();
        let mut red = vec![false; folds.len()];
        self.carrier.arrival_links.iter().for_each(|link| red[link.component as usize] = true);
        for pair in routes {
            let round_trip = || pair.iter().flat_map(|route| self.links_of(route));
            if round_trip().all(|link| folds[link]) {
                let kept = round_trip().find(|link| red[*link]).or_else(|| round_trip().next());
                kept.into_iter().for_each(|link| folds[link] = false);
            }
        }
        folds
    }

    /// The links that delay every packet. Where a packet may arrive in the nanosecond in which it is sent, its arrival
    /// precedes the timer that sends it in the order of keys, and also timers of other flows that are due before that
    /// one.
    fn links_that_delay(&self) -> Vec<bool> {
        let mut delays: Vec<bool> = self.links.iter().map(Link::delays_every_packet).collect();
        delays.resize(self.link_count as usize, true);
        for link in &self.carrier.droptail_links {
            delays[link.component as usize] =
                link.delay() > Span::ZERO || link.byte_time.rate().delays_every_packet();
        }
        delays
    }

    /// The links that are fed by more than one component.
    fn shared_links(&self, routes: &[Routes]) -> Vec<bool> {
        let count = self.link_count as usize;
        let (mut feeders, mut shared) = (vec![None; count], vec![false; count]);
        for (number, pair) in routes.iter().enumerate() {
            // Sessions are flows of their own, and share even the private links.
            let many = matches!(self.flows[number].source, Source::Origin(_));
            for (side, route) in pair.iter().enumerate() {
                if let Some(first) = self.links_of(route).next().filter(|_| many) {
                    shared[first] = true;
                }
                let mut feeder = self.component_of(2 * number as u32 + side as u32);
                for link in self.links_of(route) {
                    let known = feeders[link].get_or_insert(feeder);
                    shared[link] |= *known != feeder;
                    feeder = link as u32;
                }
            }
        }
        shared
    }

    /// The links of a route.
    fn links_of(&self, route: &Range<usize>) -> impl Iterator<Item = usize> + '_ {
        self.hops[route.clone()].iter().filter_map(|hop| match hop {
            Hop::Link(link) => Some(*link as usize),
            Hop::End => None,
        })
    }

    /// Joins each folded tail-drop link with the hop that follows it.
    fn join_hops(&mut self) {
        let Fast { hops, folded, .. } = &mut self.carrier;
        for place in 1..hops.len() {
            let FastHop::DroptailNow(link) = hops[place - 1] else { continue };
            if hops[place].goes_through_queue() {
                hops[place - 1] = FastHop::DroptailThenQueue(link);
            } else if *folded && hops[place] == FastHop::End {
                hops[place - 1] = FastHop::DroptailThenEnd(link);
            }
        }
    }

    /// Moves eligible tail-drop links next to an end into the flow: they are in its cache lines then.
    fn assign_private_links(&mut self, routes: &[Routes]) {
        let hops = &mut self.carrier.hops;
        let droptail_links = std::mem::take(&mut self.carrier.droptail_links).into_iter();
        let mut droptail_links: Vec<Option<DroptailLink>> = droptail_links.map(Some).collect();
        let mut uses = vec![0; droptail_links.len()];
        hops.iter_mut().filter_map(FastHop::droptail_index).for_each(|link| uses[*link as usize] += 1);
        let mut take = |number: u32| {
            let number = number as usize;
            droptail_links[number].take_if(|link| PrivateLinks::is_eligible((link, uses[number])))
        };
        for (flow, pair) in self.flows.iter_mut().zip(routes) {
            // Sessions share the route of the flow they belong to.
            if matches!(flow.source, Source::Origin(_)) {
                continue;
            }
            for (private, route) in flow.state.private.iter_mut().zip(pair) {
                let hops = &mut hops[route.clone()];
                if let [first @ FastHop::DroptailThenQueue(_), ..] = hops {
                    private.first = first.droptail_index().and_then(|link| take(*link));
                    *first = if private.first.is_some() { FastHop::Private } else { *first };
                }
                let [.., before, last @ FastHop::DroptailThenEnd(_)] = hops else { continue };
                let then = match *before {
                    FastHop::Droptail(link) => FastHop::DroptailThenPrivate(link),
                    FastHop::Arrival(link) => FastHop::ArrivalThenPrivate(link),
                    FastHop::Link(link) => FastHop::LinkThenPrivate(link),
                    _ => continue,
                };
                private.last = last.droptail_index().and_then(|link| take(*link));
                if private.last.is_some() {
                    (*before, *last) = (then, FastHop::Private);
                }
            }
        }
        self.renumber_links(droptail_links);
    }

    /// Renumbers the tail-drop links that remain shared.
    fn renumber_links(&mut self, droptail_links: Vec<Option<DroptailLink>>) {
        let mut next = 0..;
        let number =
            |link: &Option<DroptailLink>| link.as_ref().and_then(|_| next.next()).unwrap_or_default();
        let numbers: Vec<u32> = droptail_links.iter().map(number).collect();
        let hops = self.carrier.hops.iter_mut();
        hops.filter_map(FastHop::droptail_index).for_each(|link| *link = numbers[*link as usize]);
        self.carrier.droptail_links = droptail_links.into_iter().flatten().collect();
        self.carrier.droptail_links.shrink_to_fit();
    }

    /// Flows whose packets take the same hops share them; without private links, most do.
    fn share_routes(&mut self, routes: Vec<Routes>) {
        let hops = std::mem::take(&mut self.carrier.hops);
        let mut known: BTreeMap<&[FastHop], u32> = BTreeMap::new();
        for (flow, pair) in self.flows.iter_mut().zip(routes) {
            for (first, route) in flow.first_hop.iter_mut().zip(pair) {
                let hops = &hops[route.start..=route.end];
                *first = *known.entry(hops).or_insert_with(|| {
                    let place = self.carrier.hops.len() as u32;
                    self.carrier.hops.extend(hops);
                    place
                });
            }
        }
        self.carrier.hops.shrink_to_fit();
    }

    /// Sets the hop code of the packets that the ends send, if their first hop in the event queue has one.
    fn assign_hop_codes(&mut self) {
        for flow in &mut self.flows {
            for side in [0, 1] {
                let private = usize::from(flow.state.private[side].first.is_some());
                let code = self.carrier.hops[flow.first_hop[side] as usize + private].hop_code(side);
                flow.attributes[side] = flow.attributes[side].with_hop_code(code);
            }
        }
    }
}
