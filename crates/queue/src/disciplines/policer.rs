//! Policer: a token bucket that drops what exceeds a rate, above any discipline.
//!
//! Reference: RFC2697 section 3, colour-blind, with one bucket (a committed burst and no excess burst).
//! Units: `rate` is a rate, `burst` bytes; `limit` counts packets or bytes.
//! Deviations: sizes are those on the link; no overhead is added. The bucket is full at the start. What exceeds the
//! rate is dropped and never marked.

use crate::child::Child;
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Limit, LimitTest};
use crate::flow_key::FlowKey;
use crate::registry::{Discipline, Setting};
use crate::store::buckets::Buckets;
use crate::store::token_bucket::TokenBucket;
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Rate, Time};

units::params! {
    /// A token bucket that drops, above a discipline.
    pub struct Params {
        /// Limit of the queue behind the policer, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Rate above which packets are dropped (CIR). `auto`: none are.
        rate: Option<Rate> = None => { range: Range::Positive, source: "RFC2697" },
        /// Bytes that may arrive at once after a pause (CBS); a longer packet is dropped.
        burst: Bytes = Bytes(15_000) => { range: Range::Positive, source: "RFC2697 leaves it open", assumed: true },
        /// The discipline of the queue behind the policer.
        child: Child = Child::PLAIN => { source: "RFC2697" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Policer";
    const ABOUT: &'static str = "Drops the arrivals that exceed a rate and a burst, before they queue. \
        Nothing is delayed: what passes waits in the discipline inside only where the link is slower.";
    const REFERENCE: &'static str = "RFC2697";
    type Disc<P: Packet + Copy> = Policer<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Policer<P> {
        Policer::new(params, setting)
    }

    fn reads_headers(&self) -> bool {
        self.child.reads_headers()
    }

    fn resolved(&self, setting: &Setting) -> Table {
        self.child.resolved("child", setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.child.fits("child", setting, problems);
    }
}

/// State of a policer.
#[derive(Clone, Debug)]
pub struct Policer<P: Packet + Copy> {
    /// One queue, with the discipline inside.
    queue: Buckets<P>,
    limit: Limit,
    /// Whether there is a rate.
    polices: bool,
    bucket: TokenBucket,
}

impl<P: Packet + Copy> Policer<P> {
    /// An empty queue and a full bucket.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Policer<P> {
        Policer {
            queue: Buckets::new(1, FlowKey::Flow, &params.child, setting),
            limit: Limit::new(params.limit, params.limit_test),
            polices: params.rate.is_some(),
            bucket: TokenBucket::new(params.rate.unwrap_or(Rate(0)), params.burst),
        }
    }

    /// Whether a packet is within rate and burst, and spends its tokens if so.
    fn conforms(&mut self, size: Bytes, now: Time) -> bool {
        if !self.polices {
            return true;
        }
        let cost = self.bucket.cost(size);
        self.bucket.refill(now);
        if self.bucket.reaches(cost) > Time::ZERO {
            return false;
        }
        self.bucket.spend(cost, now);
        true
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Policer<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if !self.conforms(pkt.size(), cx.now) {
            return cx.drop(pkt, Reason::Forced);
        }
        if !self.limit.has_room(self.queue.len(), self.queue.bytes(), &pkt, cx) {
            return cx.drop(pkt, Reason::Overflow);
        }
        self.queue.push(0, pkt, 0, cx);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.queue.sent(cx);
        let pkt = self.queue.pop(0, false, cx);
        if pkt.is_some() {
            self.queue.sends(0);
        }
        pkt
    }

    #[inline]
    fn len(&self) -> usize {
        self.queue.len()
    }

    #[inline]
    fn backlog(&self) -> Bytes {
        Bytes(self.queue.bytes())
    }

    #[inline]
    fn decides(&self) -> Decides {
        Decides::Later
    }

    fn next_deadline(&self) -> Option<Time> {
        self.queue.next_deadline()
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        self.queue.on_deadline(cx);
    }

    fn probe(&self, out: &mut Probe) {
        out.note("tokens_ms", self.bucket.credit_ms());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    fn bench(rows: &[(&str, &str)]) -> Bench<Policer<Pkt>> {
        Bench::new(Policer::new(&params(rows), &SETTING))
    }

    #[test]
    fn a_burst_passes_at_once_and_then_the_rate() {
        // 0.5 MB/s: 1000 bytes are 2 ms of tokens; two packets fill the bucket.
        let mut queue = bench(&[("rate", "4 Mbit/s"), ("burst", "2000 B")]);
        (0..4).for_each(|_| queue.arrive(0, Pkt::new(0)));
        assert_eq!(queue.dropped(), [2, 3]);
        // 1.999 ms of tokens are not enough at 1.999 ms, and are not spent; those of 2 ms are.
        queue.arrive(1_999, Pkt::new(0));
        queue.arrive(2_000, Pkt::new(0));
        assert_eq!(queue.dropped(), [2, 3, 4]);
        // Nothing is held back: what has passed leaves at once.
        assert_eq!(
            [0, 0, 0, 0].map(|_| queue.depart(2_000).map(|pkt| pkt.id)),
            [Some(0), Some(1), Some(5), None]
        );
        assert_eq!(queue.disc.len(), 0);
        // No more than the burst is saved up in 100 ms.
        (0..3).for_each(|_| queue.arrive(100_000, Pkt::new(0)));
        assert_eq!(queue.dropped(), [2, 3, 4, 8]);
    }

    #[test]
    fn without_a_rate_it_drops_at_the_limit_alone() {
        let mut queue = bench(&[("limit", "2 pkts")]);
        (0..4).for_each(|_| queue.arrive(0, Pkt::new(0)));
        assert_eq!(queue.dropped(), [2, 3]);
        assert!(!params::<Params>(&[("rate", "1 Mbit/s")]).shapes());
    }

    #[test]
    fn a_packet_longer_than_the_burst_is_dropped() {
        let mut queue = bench(&[("rate", "4 Mbit/s"), ("burst", "999 B")]);
        queue.arrive(0, Pkt::new(0));
        assert_eq!(queue.dropped(), [0]);
    }
}
