//! The hard limit of a buffer, and the unit a queue counts in.
//!
//! Units: packets or bytes, as each type says.

use alloc::vec::Vec;
use units::param::{require, Problem};
use units::quantity::{show_amount, Amount};

units::choices! {
    /// How an arriving packet is compared with the limit.
    pub enum LimitTest {
        /// It is dropped if the queue would exceed the limit with it.
        After = "after",
        /// It is dropped if the queue has already reached the limit; in bytes, the last packet may exceed it.
        Before = "before",
        /// It is dropped if the queue would reach the limit with it, so a limit of 10 packets allows 9 in the
        /// queue.
        CountsArrival = "counts_arrival",
    }
}

units::choices! {
    /// The unit in which a queue is measured.
    pub enum Unit {
        /// Packets of any size.
        Packets = "packets",
        /// Bytes.
        Bytes = "bytes",
    }
}

/// Requires of an amount that it is in the unit of the limit and below it.
pub(crate) fn below_limit(key: &str, amount: Amount, limit: Amount, problems: &mut Vec<Problem>) {
    let fits = amount.is_bytes() == limit.is_bytes() && amount.number() < limit.number();
    let rule = format!("must lie below limit ({}), in the same unit", show_amount(limit));
    require(problems, fits, key, show_amount(amount), rule, "");
}

/// A hard limit, ready to be tested with one comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// An arrival is dropped at this many packets in the queue.
    Packets(u64),
    /// An arrival is dropped at this many bytes in the queue.
    BytesBefore(u64),
    /// An arrival is dropped if the queue would exceed this many bytes with it.
    BytesAfter(u64),
}

impl Limit {
    /// The limit a scenario asks for.
    pub fn new(limit: Amount, test: LimitTest) -> Limit {
        let whole = limit.number() as u64;
        match (limit.is_bytes(), test) {
            (false, LimitTest::CountsArrival) => Limit::Packets(whole.saturating_sub(1)),
            (false, _) => Limit::Packets(whole),
            (true, LimitTest::Before) => Limit::BytesBefore(whole),
            (true, LimitTest::After) => Limit::BytesAfter(whole),
            (true, LimitTest::CountsArrival) => Limit::BytesAfter(whole.saturating_sub(1)),
        }
    }

    /// The check every discipline makes of its limit.
    pub fn check(limit: Amount, test: LimitTest, problems: &mut Vec<Problem>) {
        let least = if test == LimitTest::CountsArrival { 2.0 } else { 1.0 };
        require(
            problems,
            limit.number() >= least && limit.number() <= 1e15,
            "limit",
            show_amount(limit),
            format!("must be at least {least}, so that the queue can hold a packet"),
            "",
        );
    }

    /// Whether this is a limit in packets and a store of `len` packets has room for one more.
    #[inline(always)]
    pub(crate) fn admits_packets(self, len: u64) -> bool {
        matches!(self, Limit::Packets(most) if len < most)
    }

    /// Whether a store of `len` packets and `bytes` bytes has room for `size` more.
    #[inline]
    pub(crate) fn admits(self, len: u64, bytes: u64, size: u64) -> bool {
        match self {
            Limit::Packets(most) => len < most,
            Limit::BytesBefore(most) => bytes < most,
            Limit::BytesAfter(most) => bytes + size <= most,
        }
    }
}
