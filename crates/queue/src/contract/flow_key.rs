//! Keys by which disciplines tell flows apart: the packets of one queue or account have them in common.
//!
//! Units: none.

use super::disc::Packet;

units::choices! {
    /// The header fields that packets of one flow have in common.
    pub enum FlowKey {
        /// Their flow.
        Flow = "flow",
        /// Their source host.
        Source = "source",
        /// Their destination host.
        Destination = "destination",
        /// Both of their hosts.
        Hosts = "hosts",
    }
}

impl FlowKey {
    /// The number that packets of one flow share.
    #[inline]
    pub(crate) fn of<P: Packet>(self, pkt: &P) -> u64 {
        if self == FlowKey::Flow {
            return pkt.flow();
        }
        let [source, destination] = pkt.hosts();
        match self {
            FlowKey::Source => source,
            FlowKey::Destination => destination,
            _ => pair(source, destination),
        }
    }

    /// Whether it distinguishes hosts.
    pub(crate) fn reads_hosts(self) -> bool {
        self != FlowKey::Flow
    }
}

/// One number for a pair of hosts.
#[inline]
pub(crate) fn pair(source: u64, destination: u64) -> u64 {
    source.rotate_left(32) ^ destination
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Pkt;

    #[test]
    fn hosts_and_flows_are_distinguished() {
        let pkt = |flow, hosts| Pkt { flow, hosts, ..Pkt::new(0) };
        let (one, other) = (pkt(1, [5, 6]), pkt(2, [5, 7]));
        let same = |key: FlowKey| key.of(&one) == key.of(&other);
        let keys = [FlowKey::Flow, FlowKey::Source, FlowKey::Destination, FlowKey::Hosts];
        assert_eq!(keys.map(same), [false, true, false, false]);
        assert_ne!(FlowKey::Hosts.of(&one), FlowKey::Hosts.of(&pkt(1, [6, 5])));
    }
}
