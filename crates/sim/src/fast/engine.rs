//! The fast engine as the carrier of a network.

use super::fabric::{Fast, SendResult};
use super::known_departures::KnownDepartures;
use super::private_links::FastFlow;
use super::{ArrivalLink, DroptailLink, FastLink, FastPath, FastStep};
use crate::account::LinkProbe;
use crate::calendar::{Key, Pending};
use crate::link::Link;
use crate::network::{Carrier, Flow, Network, Transit};
use crate::packet::{Pkt, TIMER, TRANSMITTER_FREE};
use units::{Rate, Span, Time};

impl Carrier for Fast {
    type FlowState = FastFlow;

    #[inline]
    fn schedule(&mut self, key: Key, event: Pkt) {
        if event.hop == TRANSMITTER_FREE && self.postpone(event.flow, key) {
            return;
        }
        self.add_event(key, event);
    }

    fn schedule_timer(&mut self, key: Key, endpoint: u32) {
        if self.lookahead.is_on {
            self.lookahead.add_timer(key.time, endpoint);
        } else {
            self.add_event(key, Pkt::event(TIMER, endpoint));
        }
    }

    fn send(network: &mut Network<Self>, mut pkt: Pkt, key: Key) {
        let side = usize::from(pkt.is_back());
        let flow = &mut network.flows[pkt.flow as usize];
        pkt.attributes = pkt.attributes.with_hop_code(flow.attributes[side].hop_code());
        let private = &mut flow.state.private[side].first;
        let sent = match side {
            0 => network.carrier.send_from::<0, true>(private, pkt, key),
            _ => network.carrier.send_from::<1, true>(private, pkt, key),
        };
        if !matches!(sent, SendResult::Scheduled) {
            network.settle_send(sent);
        }
    }

    fn forward(network: &mut Network<Self>, mut transit: Transit) {
        network.travel(&mut transit);
    }

    fn advance(network: &mut Network<Self>, most: u64) -> (u64, Time) {
        network.carrier.calendar.stop_after(network.window.end);
        let (done, last) = if network.carrier.lookahead.is_on {
            network.advance_with_lookahead(most)
        } else {
            network.advance_in_order(most)
        };
        if done < most {
            network.dequeue_until_end();
        }
        (done, last)
    }

    fn pending(&self) -> Vec<(Key, Pkt)> {
        let arrivals = self.lookahead.arrivals.iter().flat_map(|batches| batches.iter());
        let arrivals = arrivals.map(|coming| (coming.key(), coming.pkt));
        self.calendar.iter().map(|(key, pkt)| (key, *pkt)).chain(arrivals).collect()
    }

    fn memory(&self) -> usize {
        self.calendar.memory() + self.lookahead.memory()
    }

    fn adopt(&mut self, link: &mut Link) {
        let in_doubles = self.end.is_double();
        if self.uses(FastPath::DroptailLink) && DroptailLink::is_eligible(link, in_doubles) {
            self.droptail_links.extend(DroptailLink::take_over(link));
        } else if self.uses(FastPath::RedLink) && ArrivalLink::is_eligible(link, in_doubles) {
            let mut red = ArrivalLink::take_over(link);
            if let Some(red) = &mut red {
                red.uses_uniform_size = self.uses(FastPath::UniformSize);
            }
            self.arrival_links.extend(red);
        } else if self.uses(FastPath::KnownDepartures) && KnownDepartures::is_eligible(link) {
            link.set_departures_known();
        } else {
            self.postpone_dequeues(link);
        }
    }

    fn adopt_droptail(&mut self, number: u32, limit: u64, rate: Rate, delay: Span) -> bool {
        let adopts = self.uses(FastPath::DroptailLink);
        if adopts {
            self.droptail_links.push(DroptailLink::new(number, limit, rate, delay, None));
        }
        adopts
    }

    fn prepare(network: &mut Network<Self>) {
        network.convert_data_links();
        network.fold();
        network.enable_lookahead();
    }

    fn finish(network: &mut Network<Self>, end: Time) -> u64 {
        let Network { carrier, links, flows, .. } = network;
        let mut queued = 0;
        for link in &mut carrier.droptail_links {
            queued += finish_link(link, end, links);
        }
        for link in &mut carrier.arrival_links {
            queued += finish_link(link, end, links);
        }
        let private = flows.iter_mut().flat_map(|flow| &mut flow.state.private);
        for link in private.flat_map(|private| [&mut private.first, &mut private.last]).flatten() {
            queued += link.finish(end);
        }
        queued
    }

    #[inline(always)]
    fn deadline_known(flow: &mut Flow<FastFlow>, side: usize, due: Time) {
        flow.state.next_due[side] = due.min(flow.state.probe_due[side]);
    }
}

/// Brings a link to the end of the run, and returns its probe to the general link that it replaces.
fn finish_link<L: FastLink>(link: &mut L, end: Time, links: &mut [Link]) -> u64 {
    let queued = link.finish(end);
    let probe: Option<Box<LinkProbe>> = link.take_probe();
    if let Some(replaced) = links.get_mut(link.component() as usize).filter(|_| probe.is_some()) {
        *replaced.probe_mut() = probe;
    }
    queued
}
