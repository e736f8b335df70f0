//! The ECN field of the IP header, which queues and transports share.

/// The ECN field of a packet (RFC 3168 section 5; RFC 9331 for ECT(1)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct,
    /// ECN-capable, classic.
    Ect0,
    /// ECN-capable, low latency.
    Ect1,
    /// Congestion experienced.
    Ce,
}

impl Ecn {
    /// Whether a queue may mark instead of drop.
    #[inline]
    pub fn capable(self) -> bool {
        self != Ecn::NotEct
    }
}
