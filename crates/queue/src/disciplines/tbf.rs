//! Token bucket filter: a shaper above any discipline.
//!
//! Reference: RFC2697 section 3 for the bucket; names and their meanings are those of tc-tbf(8).
//! Units: `rate` and `peak_rate` are rates, `burst` and `mtu` bytes; `limit` counts packets or bytes.
//! Deviations: sizes are those on the link; no overhead is added. As in Linux, the discipline inside is asked for a
//! packet first and the packet is held until there are tokens for it.

use crate::child::Child;
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Limit, LimitTest};
use crate::flow_key::FlowKey;
use crate::registry::{Discipline, Setting};
use crate::store::buckets::Buckets;
use crate::store::token_bucket::TokenBucket;
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Rate, Time};

units::params! {
    /// A token bucket above a discipline.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Rate at which packets may leave. `auto`: no bound.
        rate: Option<Rate> = None => { range: Range::Positive, source: "Linux tbf" },
        /// Bytes that may leave at once after a pause; a longer packet is dropped.
        burst: Bytes = Bytes(5000) => { range: Range::Positive, source: "Linux tbf" },
        /// Rate at which even a burst leaves. `auto`: that of the link.
        peak_rate: Option<Rate> = None => { range: Range::Positive, source: "Linux tbf" },
        /// Bytes that may leave at once at the peak rate.
        mtu: Bytes = Bytes(1514) => { range: Range::Positive, source: "Linux tbf" },
        /// The discipline whose packets are shaped.
        child: Child = Child::PLAIN => { source: "Linux tbf" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        if let Some(peak) = self.peak_rate {
            let rule = "must exceed rate, which must be given with it";
            require(problems, self.rate.is_some_and(|rate| peak > rate), "peak_rate", peak.show(), rule, "");
        }
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Token bucket filter (TBF)";
    const ABOUT: &'static str =
        "Lets the packets of the discipline inside leave at a rate, with a burst after a pause. \
        The queue forms here and not in the device behind, so that the discipline inside can govern it.";
    const REFERENCE: &'static str = "RFC2697";
    type Disc<P: Packet + Copy> = Tbf<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Tbf<P> {
        Tbf::new(params, setting)
    }

    fn shapes(&self) -> bool {
        self.rate.is_some()
    }

    fn reads_headers(&self) -> bool {
        self.child.reads_headers()
    }

    fn resolved(&self, setting: &Setting) -> Table {
        self.child.resolved("child", &self.inside(setting))
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.child.fits("child", &self.inside(setting), problems);
    }
}

impl Params {
    /// The setting of the discipline inside: its link has the shaped rate.
    fn inside(&self, setting: &Setting) -> Setting {
        let shaped = self.rate.filter(|rate| setting.rate.0 == 0 || *rate < setting.rate);
        Setting { rate: shaped.unwrap_or(setting.rate), ..*setting }
    }
}

/// State of a token bucket filter.
#[derive(Clone, Debug)]
pub struct Tbf<P: Packet + Copy> {
    /// One queue, with the discipline inside.
    queue: Buckets<P>,
    limit: Limit,
    /// Whether a packet may have to wait for tokens.
    shapes: bool,
    burst: u64,
    bucket: TokenBucket,
    peak: TokenBucket,
    /// When the packet that was taken out of the discipline inside may leave.
    held_until: Option<Time>,
}

impl<P: Packet + Copy> Tbf<P> {
    /// An empty queue and full buckets.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Tbf<P> {
        let shapes = params.rate.is_some();
        let peak_bytes = params.peak_rate.map_or(u64::MAX, |_| params.mtu.0);
        Tbf {
            queue: Buckets::new(1, FlowKey::Flow, &params.child, &params.inside(setting)),
            limit: Limit::new(params.limit, params.limit_test),
            shapes,
            burst: if shapes { params.burst.0.min(peak_bytes) } else { u64::MAX },
            bucket: TokenBucket::new(params.rate.unwrap_or(Rate(0)), params.burst),
            peak: TokenBucket::new(params.peak_rate.unwrap_or(Rate(0)), params.mtu),
            held_until: None,
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Tbf<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let room = self.limit.has_room(self.queue.len(), self.queue.bytes(), &pkt, cx);
        if !room || pkt.size().0 > self.burst {
            return cx.drop(pkt, Reason::Overflow);
        }
        self.queue.push(0, pkt, 0, cx);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.queue.sent(cx);
        if self.held_until.is_some_and(|until| until > cx.now) {
            return None;
        }
        let size = Bytes(self.queue.head_size(0, cx)?);
        if self.shapes {
            let (cost, peak) = (self.bucket.cost(size), self.peak.cost(size));
            let until = self.bucket.reaches(cost).max(self.peak.reaches(peak));
            if until > cx.now {
                self.held_until = Some(until);
                return None;
            }
            self.bucket.spend(cost, cx.now);
            self.peak.spend(peak, cx.now);
            self.held_until = None;
        }
        let pkt = self.queue.pop(0, false, cx);
        self.queue.sends(0);
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

    #[inline]
    fn ready(&self) -> Option<Time> {
        self.held_until
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
    use crate::testing::{params, refused, Bench, Pkt, SETTING};
    use alloc::string::ToString;
    use units::param::Value;

    fn bench(rows: &[(&str, &str)]) -> Bench<Tbf<Pkt>> {
        Bench::new(Tbf::new(&params(rows), &SETTING))
    }

    #[test]
    fn a_burst_leaves_at_once_and_the_rest_at_the_rate() {
        // 0.5 MB/s: a packet of 1000 bytes each 2 ms; two may leave at once.
        let mut queue = bench(&[("rate", "4 Mbit/s"), ("burst", "2000 B")]);
        (0..5).for_each(|_| queue.arrive(0, Pkt::new(0)));
        let sent = |of: &mut Bench<Tbf<Pkt>>, us| of.depart(us).map(|pkt| pkt.id);
        assert_eq!([sent(&mut queue, 0), sent(&mut queue, 0), sent(&mut queue, 0)], [Some(0), Some(1), None]);
        assert_eq!(queue.disc.ready(), Some(Time(2_000_000)));
        assert_eq!([sent(&mut queue, 1_999), sent(&mut queue, 2_000)], [None, Some(2)]);
        assert_eq!([sent(&mut queue, 2_000), sent(&mut queue, 5_000)], [None, Some(3)]);
        // A millisecond was saved up at 5 ms.
        assert_eq!(
            [sent(&mut queue, 5_999), sent(&mut queue, 6_000), sent(&mut queue, 6_000)],
            [None, Some(4), None]
        );
        assert_eq!((queue.disc.ready(), queue.disc.len()), (None, 0));
    }

    #[test]
    fn a_peak_rate_spreads_the_burst() {
        let rows = [("rate", "4 Mbit/s"), ("burst", "4000 B"), ("peak_rate", "16 Mbit/s"), ("mtu", "1000 B")];
        let mut queue = bench(&rows);
        (0..6).for_each(|_| queue.arrive(0, Pkt::new(0)));
        let mut times = Vec::new();
        let mut us = 0;
        while times.len() < 6 {
            match queue.depart(us) {
                Some(_) => times.push(us),
                None => us = queue.disc.ready().unwrap().0 / 1000,
            }
        }
        // 0.5 ms a packet until the 8 ms of tokens are used up: at 2 ms 2 ms are left, a packet's worth.
        assert_eq!(times, [0, 500, 1000, 1500, 2000, 4000]);
    }

    #[test]
    fn the_discipline_inside_decides_before_the_packet_is_held() {
        let table = vec![
            ("rate".to_string(), Value::Text("800 kbit/s".into())),
            ("burst".to_string(), Value::Text("1000 B".into())),
            ("child".to_string(), Value::Text("codel".into())),
        ];
        let mut problems = Vec::new();
        let read: Params = units::param::read_table("", &table, &mut problems);
        assert_eq!(problems, []);
        let mut queue = Bench::new(Tbf::new(&Valid::new(read).unwrap(), &SETTING));
        // 10 ms each: the queue stands above 5 ms for more than 100 ms, and CoDel drops.
        (0..40).for_each(|_| queue.arrive(0, Pkt::new(0)));
        let mut us = 0;
        while queue.disc.len() > 0 {
            if queue.depart(us).is_none() {
                us = queue.disc.ready().map_or(us, |at| at.0 / 1000);
            }
        }
        assert!(!queue.dropped().is_empty());
        assert_eq!(us % 10_000, 0);
    }

    #[test]
    fn packets_that_no_burst_holds_are_dropped_and_rules_are_checked() {
        let mut queue = bench(&[("rate", "4 Mbit/s"), ("burst", "999 B")]);
        queue.arrive(0, Pkt::new(0));
        assert_eq!(queue.dropped(), [0]);
        assert!(refused::<Params>(&[("peak_rate", "1 Mbit/s")])[0].contains("must exceed rate"));
        assert!(!params::<Params>(&[]).shapes());
    }
}
