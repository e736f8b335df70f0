//! The addresses and ports of a packet's ends, for disciplines that read its header.

/// The hosts of a flow's data, and whether its acknowledgements are those of TCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowLabel {
    /// The number of the source host, and in the highest bit whether the flow is a TCP connection.
    source: u32,
    destination: u32,
}

const TCP: u32 = 1 << 31;

impl FlowLabel {
    /// The label of a flow between two hosts, whose numbers are below 2^31.
    pub fn new([source, destination]: [u32; 2], tcp: bool) -> FlowLabel {
        FlowLabel { source: source & !TCP | if tcp { TCP } else { 0 }, destination }
    }

    /// The source and the destination of a packet: those of the flow, or exchanged if it travels `back`.
    #[inline]
    pub fn hosts(self, back: bool) -> [u64; 2] {
        let [source, destination] = [self.source & !TCP, self.destination].map(u64::from);
        if back {
            [destination, source]
        } else {
            [source, destination]
        }
    }

    /// Whether the flow is a TCP connection.
    #[inline]
    pub fn is_tcp(self) -> bool {
        self.source & TCP != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledgements_have_the_hosts_swapped() {
        for tcp in [false, true] {
            let label = FlowLabel::new([7, 8], tcp);
            assert_eq!((label.hosts(false), label.hosts(true), label.is_tcp()), ([7, 8], [8, 7], tcp));
        }
    }
}
