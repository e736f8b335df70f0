//! Queue protection: a low-latency queue redirects the packets of flows that build it up.
//!
//! Reference: RFC9957 section 4, before the queues of RFC9332.
//! Units: scores are seconds inside; `aging` is the rate of congested bytes that a flow may sustain.
//! Deviations: the queues behind it are those of DualPI2, whose marks come from its own ramp at departure;
//! the ramp here only scores. The delay is the backlog of the low-latency queue over the rate of the link; on
//! an unlimited link it is zero. Buckets are chosen by a hash of this project, as RFC9957 leaves it to the
//! vendor.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::dualpi2::{self, DualPi2};
use crate::fifo::LimitTest;
use crate::registry::{Discipline, Setting};
use crate::store::hash::mix;
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Ecn, Rate, Span, Time};

units::params! {
    /// DualPI2 with a guard before its low-latency queue.
    pub struct Params {
        /// Limit of both queues together, in packets or bytes.
        limit: Amount = Amount::Packets(10000.0) => { source: "Linux dualpi2" },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target delay of the classic queue.
        target: Span = Span::from_millis(15) => { range: Range::Positive, source: "RFC9332" },
        /// Time between two steps of the controller.
        t_update: Span = Span::from_millis(16) => { range: Range::Positive, source: "RFC9332" },
        /// Weight of the distance from the target, per second.
        alpha: f64 = 0.16 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "RFC9332" },
        /// Weight of the change since the last step, per second.
        beta: f64 = 3.2 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "RFC9332" },
        /// Scalable marks per unit of the controller's output: `k`.
        coupling: f64 = 2.0 => { unit: "1", range: Range::Within(1.0, 100.0), source: "RFC9332" },
        /// Whether capable packets of the classic queue are marked instead of dropped.
        ecn: bool = true => { source: "RFC9332" },
        /// Rate of congested bytes that a flow may sustain: `AGING`, 2^19 bytes a second.
        aging: Rate = Rate(4_194_304) => { range: Range::Positive, source: "RFC9957" },
        /// Delay of the low-latency queue above which flows are judged: `CRITICALqL`.
        critical_delay: Span = Span::from_millis(1) => { range: Range::Positive, source: "RFC9957" },
        /// Score above which a flow is redirected at the critical delay, and less at a longer one:
        /// `CRITICALqLSCORE`.
        critical_score: Span = Span::from_millis(4) => { range: Range::Positive, source: "RFC9957" },
        /// Score at which a flow is redirected at any delay: `qLSCORE_MAX`.
        most_score: Span = Span::from_millis(5_000) => { range: Range::Positive, source: "RFC9957" },
        /// Delay from which every byte counts as congested: `MAXTH`.
        max_th: Span = Span::from_millis(1) => { range: Range::Positive, source: "RFC9957" },
        /// Width of the ramp below `max_th`: `RANGE`, 2^19 ns.
        range: Span = Span(524_288) => { range: Range::Positive, source: "RFC9957" },
        /// Backlog at which the ramp begins at the earliest: `FLOOR`, two frames.
        floor: Bytes = Bytes(4000) => { source: "RFC9957" },
        /// Number of buckets, without the shared one of flows that find none: a power of two.
        buckets: u64 = 32 => { unit: "1", range: Range::Within(2.0, 65536.0), source: "RFC9957" },
        /// Buckets that a flow tries: `ATTEMPTS`.
        attempts: u64 = 2 => { unit: "1", range: Range::Within(1.0, 4.0), source: "RFC9957" },
    }
}

impl Params {
    fn queues(&self) -> dualpi2::Params {
        dualpi2::Params {
            limit: self.limit,
            limit_test: self.limit_test,
            target: self.target,
            t_update: self.t_update,
            alpha: self.alpha,
            beta: self.beta,
            coupling: self.coupling,
            ecn: self.ecn,
            min_len: 1,
            ..dualpi2::Params::default()
        }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.queues().relations(problems);
        let two = self.buckets.is_power_of_two();
        require(problems, two, "buckets", self.buckets.show(), "must be a power of two", "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Queue protection (DOCSIS)";
    const ABOUT: &'static str = "DualPI2 whose low-latency queue is guarded: each flow has a score that grows with the bytes it \
        sends while that queue is delayed and ages at a fixed rate. While the delay is critical, packets of flows with a \
        high score go to the classic queue, so that one flow that builds a queue does not harm the others.";
    const REFERENCE: &'static str = "RFC9957, RFC9332";
    type Disc<P: Packet + Copy> = Qprot<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Qprot<P> {
        Qprot::new(params, setting)
    }
}

/// State of a flow: a leaky bucket that is empty at `expiry`.
#[derive(Clone, Copy, Debug)]
struct ScoreBucket {
    flow: Option<u64>,
    /// Seconds.
    expiry: f64,
}

/// State of a protected dual queue.
#[derive(Clone, Debug)]
pub struct Qprot<P> {
    queues: DualPi2<P>,
    /// All buckets, the shared one last.
    buckets: Vec<ScoreBucket>,
    attempts: u64,
    /// Seconds a byte takes on the link.
    byte_time: f64,
    /// Congested bytes a second that age away.
    aging: f64,
    /// The ramp, in seconds of delay.
    min_th: f64,
    range: f64,
    critical_delay: f64,
    /// Product of delay and score above which a packet is redirected.
    critical_product: f64,
    most_score: f64,
    sanctioned: u64,
}

impl<P: Packet + Copy> Qprot<P> {
    /// Empty queues, and no flow with a score.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Qprot<P> {
        let byte_time = if setting.rate.0 == 0 { 0.0 } else { 8.0 / setting.rate.as_bps() };
        let range = params.range.as_secs();
        let floor = params.floor.0 as f64 * byte_time;
        let unused = ScoreBucket { flow: None, expiry: 0.0 };
        Qprot {
            queues: DualPi2::new(&params.queues()),
            buckets: vec![unused; params.buckets as usize + 1],
            attempts: params.attempts,
            byte_time,
            aging: params.aging.as_bps() / 8.0,
            min_th: (params.max_th.as_secs() - range).max(floor),
            range,
            critical_delay: params.critical_delay.as_secs(),
            critical_product: params.critical_delay.as_secs() * params.critical_score.as_secs(),
            most_score: params.most_score.as_secs(),
            sanctioned: 0,
        }
    }

    /// `pick_bucket()`: the bucket of a flow, its own if it has one, else an expired one, else the shared
    /// one.
    fn pick(&mut self, flow: u64, now: f64) -> usize {
        let shared = self.buckets.len() - 1;
        let mut hash = mix(flow) & 0xffff_ffff;
        let mut bucket = shared;
        for _ in 0..self.attempts {
            let i = (hash % shared as u64) as usize;
            if self.buckets[i].flow == Some(flow) {
                self.buckets[i].expiry = self.buckets[i].expiry.max(now);
                return i;
            }
            if bucket == shared && self.buckets[i].expiry <= now {
                bucket = i;
            }
            hash /= shared as u64;
        }
        let expiry = self.buckets[bucket].expiry.max(now);
        self.buckets[bucket] = ScoreBucket { flow: Some(flow), expiry };
        bucket
    }

    /// `qprotect()`: whether a packet for the low-latency queue is redirected.
    fn sanctions(&mut self, pkt: &P, now: Time) -> bool {
        let now = now.as_secs();
        let qdelay = self.queues.low_latency_backlog().0 as f64 * self.byte_time;
        let congested = ((qdelay - self.min_th) / self.range).clamp(0.0, 1.0);
        let i = self.pick(pkt.flow(), now);
        let bucket = &mut self.buckets[i];
        let added = congested * pkt.size().0 as f64 / self.aging;
        let score = (bucket.expiry - now + added).min(self.most_score);
        bucket.expiry = now + score;
        let critical = qdelay > self.critical_delay && qdelay * score > self.critical_product;
        critical || score >= self.most_score
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Qprot<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if !self.queues.has_room(&pkt, cx) {
            return cx.drop(pkt, Reason::Overflow);
        }
        if matches!(pkt.ecn(), Ecn::Ect1 | Ecn::Ce) && self.sanctions(&pkt, cx.now) {
            self.sanctioned += 1;
            self.queues.push_classic(pkt, cx);
        } else {
            self.queues.enqueue(pkt, cx);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.queues.dequeue(cx)
    }

    fn len(&self) -> usize {
        self.queues.len()
    }

    fn backlog(&self) -> Bytes {
        self.queues.backlog()
    }

    fn decides(&self) -> Decides {
        Decides::Later
    }

    fn next_deadline(&self) -> Option<Time> {
        self.queues.next_deadline()
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        self.queues.on_deadline(cx);
    }

    fn probe(&self, out: &mut Probe) {
        self.queues.probe(out);
        out.note("sanctioned", self.sanctioned as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    /// One MB/s; every byte from the first counts as congested, and 100 kB a second age away.
    fn bench(rows: &[(&str, &str)]) -> Bench<Qprot<Pkt>> {
        let mut all = vec![("aging", "800 kbit/s"), ("floor", "0 B"), ("max_th", "1 ns"), ("range", "1 ns")];
        all.extend(rows);
        Bench::new(Qprot::new(&params(&all), &SETTING))
    }

    fn scalable(flow: u64) -> Pkt {
        Pkt { flow, ecn: Ecn::Ect1, ..Pkt::new(0) }
    }

    #[test]
    fn a_flow_that_builds_the_queue_is_redirected_and_others_are_not() {
        let mut queue = bench(&[]);
        // Number 0 finds no queue. Each further one adds 10 ms to the score. Number 1 finds a delay of 1 ms,
        // which is not above 1 ms; number 2 one of 2 ms, and 2 ms times 20 ms is above 1 ms times 4 ms.
        (0..3).for_each(|_| queue.arrive(0, scalable(1)));
        assert_eq!((queue.probe("sanctioned"), queue.probe("classic_pkts")), (1.0, 1.0));
        // A flow of its own score: 10 ms at 2 ms is too much as well, but not with 40 bytes: 0.4 ms.
        queue.arrive(0, Pkt { size: 40, ..scalable(2) });
        assert_eq!(queue.probe("sanctioned"), 1.0);
        // After 20 ms the score of flow 1 has aged away: only this packet's own 10 ms counts.
        let i = queue.disc.pick(1, 0.020);
        assert!((queue.disc.buckets[i].expiry - 0.020).abs() < 1e-12);
    }

    #[test]
    fn classic_packets_have_no_score() {
        let mut queue = bench(&[]);
        (0..9).for_each(|_| queue.arrive(0, Pkt::new(0)));
        assert_eq!((queue.probe("sanctioned"), queue.probe("classic_pkts")), (0.0, 9.0));
        assert!(queue.disc.buckets.iter().all(|bucket| bucket.flow.is_none()));
    }

    #[test]
    fn a_full_score_redirects_at_any_delay() {
        let mut queue = bench(&[("most_score", "9 ms"), ("critical_delay", "1 s")]);
        (0..2).for_each(|_| queue.arrive(0, scalable(1)));
        assert_eq!(queue.probe("sanctioned"), 1.0, "1000 bytes are 10 ms");
    }

    #[test]
    fn flows_without_a_bucket_share_one() {
        let mut queue = bench(&[("buckets", "2"), ("attempts", "4")]);
        let picks: Vec<usize> = (0..20)
            .map(|flow| {
                queue.with(|disc, _| {
                    let i = disc.pick(flow, 0.0);
                    disc.buckets[i].expiry = 1.0;
                    i
                })
            })
            .collect();
        assert!(picks.iter().filter(|i| **i == 2).count() >= 18, "{picks:?}");
        assert!(refused::<Params>(&[("buckets", "3")])[0].contains("power of two"));
    }
}
