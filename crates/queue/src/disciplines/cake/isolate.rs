//! Isolation: which packets share a queue, and between which hosts the link is shared.
//!
//! Reference: HTM18 section III; tc-cake(8) for the modes.
//! Units: queues are counted.

use super::sets::{place_in_set, QUEUES};
use crate::disc::Packet;
use crate::flow_key::pair;
use alloc::vec::Vec;

units::choices! {
    /// Packets that share a queue, and hosts between which the link is shared.
    pub enum Isolate {
        /// All packets share one queue.
        FlowBlind = "flowblind",
        /// A queue for each source.
        SrcHost = "srchost",
        /// A queue for each destination.
        DstHost = "dsthost",
        /// A queue for each pair of source and destination.
        Hosts = "hosts",
        /// A queue for each flow; all flows get equal shares.
        Flows = "flows",
        /// A queue for each flow; sources get equal shares, then the flows of each.
        DualSrcHost = "dual_srchost",
        /// A queue for each flow; destinations get equal shares, then the flows of each.
        DualDstHost = "dual_dsthost",
        /// A queue for each flow; the busier one of its source and its destination sets its share.
        Triple = "triple",
    }
}

impl Isolate {
    /// The key that packets of one queue have in common.
    pub(super) fn tag<P: Packet>(self, pkt: &P, translated: Translated) -> u64 {
        let [source, destination] = translated.hosts(pkt);
        match self {
            Isolate::FlowBlind => 0,
            Isolate::SrcHost => source,
            Isolate::DstHost => destination,
            Isolate::Hosts => pair(source, destination),
            _ => pkt.flow(),
        }
    }

    /// Whether it distinguishes hosts.
    pub(super) fn reads_hosts(self) -> bool {
        !matches!(self, Isolate::FlowBlind | Isolate::Flows)
    }

    /// Whether the load of the source and of the destination divides the quantum.
    fn divides(self) -> [bool; 2] {
        [
            matches!(self, Isolate::DualSrcHost | Isolate::Triple),
            matches!(self, Isolate::DualDstHost | Isolate::Triple),
        ]
    }
}

units::choices! {
    /// The side of a queue whose hosts share one address, behind a router that translates addresses.
    pub enum Translated {
        /// Neither: every host has an address of its own, or `nat` finds it.
        Neither = "neither",
        /// The sources, as for an upload.
        Source = "source",
        /// The destinations, as for a download.
        Destination = "destination",
    }
}

impl Translated {
    /// The hosts of a packet by their addresses in front of the router.
    pub(super) fn hosts<P: Packet>(self, pkt: &P) -> [u64; 2] {
        let [source, destination] = pkt.hosts();
        match self {
            Translated::Neither => [source, destination],
            Translated::Source => [0, destination],
            Translated::Destination => [source, 0],
        }
    }
}

units::choices! {
    /// How the quantum is divided among the bulk queues of a host.
    pub enum Division {
        /// Each of n queues gets a whole quantum in every n-th round.
        Exact = "exact",
        /// Each of n queues gets 1/n of the quantum in every round, as a multiple of 1/65536 byte rounded at
        /// random; so even a single queue gets 1/65536 byte less than a quantum.
        SixteenBits = "sixteen_bits",
    }
}

/// A host that flows of the tin come from or go to.
#[derive(Clone, Copy, Debug, Default)]
struct Host {
    tag: u64,
    /// Queues that name it, and those of them that are bulk queues.
    flows: u32,
    bulk: u32,
}

/// The sources and the destinations of a tin.
#[derive(Clone, Debug)]
pub(super) struct Hosts {
    sides: [Vec<Host>; 2],
    divides: [bool; 2],
}

impl Hosts {
    /// No host yet.
    pub(super) fn new(isolate: Isolate) -> Hosts {
        let none = || vec![Host::default(); QUEUES];
        Hosts { sides: [none(), none()], divides: isolate.divides() }
    }

    /// Counts one more queue of this source and this destination; returns their places.
    pub(super) fn add(&mut self, hosts: [u64; 2]) -> [usize; 2] {
        [self.add_to(0, hosts[0]), self.add_to(1, hosts[1])]
    }

    fn add_to(&mut self, side: usize, tag: u64) -> usize {
        let hosts = &mut self.sides[side];
        let i = place_in_set(tag, |i| (hosts[i].flows > 0).then_some(hosts[i].tag));
        if hosts[i].flows == 0 {
            hosts[i].tag = tag;
        }
        hosts[i].flows += 1;
        i
    }

    /// Counts one queue fewer.
    pub(super) fn remove(&mut self, places: [usize; 2]) {
        self.each(places, |host| host.flows -= 1);
    }

    /// Counts one more bulk queue.
    pub(super) fn add_bulk(&mut self, places: [usize; 2]) {
        self.each(places, |host| host.bulk += 1);
    }

    /// Counts one bulk queue fewer.
    pub(super) fn remove_bulk(&mut self, places: [usize; 2]) {
        self.each(places, |host| host.bulk -= 1);
    }

    fn each(&mut self, places: [usize; 2], change: impl Fn(&mut Host)) {
        self.sides.iter_mut().zip(places).for_each(|(hosts, i)| change(&mut hosts[i]));
    }

    /// Bulk queues of the busier of two hosts, where the mode looks at them; at least 1.
    pub(super) fn load(&self, places: [usize; 2]) -> i64 {
        let of = |side: usize| if self.divides[side] { self.sides[side][places[side]].bulk } else { 0 };
        i64::from(of(0).max(of(1)).max(1))
    }
}
