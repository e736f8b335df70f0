//! Stochastic Fair BLUE: a BLUE for each bin of several hashed levels; a flow is judged by its best bin.
//!
//! Reference: FSKS02, section 5; constants, `max`, and the mixing of drops above one half as observed in Linux `sfb`.
//! Units: bins and limits count packets.
//! Deviations: the hash of a set is salted with the number of the set and not at random, so runs repeat. From its
//! warm-up on, a set counts the whole backlog; Linux counts only packets that the penalty box lets pass. Tokens of the
//! penalty box arrive continuously; Linux adds them when none is left. `by` is the key of a flow.

mod bins;

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::flow_key::FlowKey;
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use bins::{Bin, Set, View};
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Span, Time};

units::params! {
    /// A BLUE for each of many bins.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// The key that packets of one flow have in common.
        by: FlowKey = FlowKey::Flow => { source: "FSKS02" },
        /// Independent hashes of a flow.
        levels: u64 = 8 => { range: Range::Within(1.0, 16.0), source: "Linux" },
        /// Bins of a level.
        bins: u64 = 16 => { range: Range::Within(2.0, 4096.0), source: "Linux" },
        /// Packets in a bin from which its probability rises.
        target: u64 = 20 => { range: Range::Positive, source: "Linux" },
        /// Packets that every bin of a flow may hold.
        max: u64 = 25 => { range: Range::Positive, source: "Linux" },
        /// Increment of a bin's probability at an arrival that finds it long.
        increment: f64 = 0.001 => { unit: "1", range: Range::Above(0.0, 1.0), source: "Linux" },
        /// Decrement of a bin's probability at an arrival that finds it empty.
        decrement: f64 = 1.0 / 6000.0 => { unit: "1", range: Range::Above(0.0, 1.0), source: "Linux" },
        /// Packets per second that unresponsive flows get together.
        penalty_rate: f64 = 10.0 => { unit: "pkts/s", range: Range::Within(0.0, 1e9), source: "Linux" },
        /// Packets of unresponsive flows that may pass at once.
        penalty_burst: u64 = 20 => { source: "Linux" },
        /// Time after which flows are rehashed.
        rehash: Span = Span::from_millis(600_000) => { range: Range::Positive, source: "Linux" },
        /// Time before that in which the next set of bins already learns about unresponsive flows.
        warmup: Span = Span::from_millis(60_000) => { range: Range::Positive, source: "Linux" },
        /// Marks ECN-capable packets instead of dropping them, up to a probability of one half.
        ecn: bool = true => { source: "Linux" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let rule = format!("must be at least target ({})", self.target);
        require(problems, self.max >= self.target, "max", self.max, rule, "");
        let shown = units::quantity::show_span(self.warmup);
        require(problems, self.warmup < self.rehash, "warmup", shown, "must be shorter than rehash", "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Stochastic Fair BLUE (SFB)";
    const ABOUT: &'static str =
        "Hashes each flow into one bin on each of several levels, runs BLUE in every bin and judges a packet \
        by the smallest probability among its bins. Flows that drive all their bins to one are unresponsive and \
        share a trickle; the others rarely share every bin with one of those.";
    const REFERENCE: &'static str = "FSKS02";
    type Disc<P: Packet + Copy> = Sfb<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Sfb<P> {
        Sfb::new(params)
    }

    fn reads_headers(&self) -> bool {
        self.by.reads_hosts()
    }
}

/// State of an SFB queue.
#[derive(Clone, Debug)]
pub struct Sfb<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// The set that judges, and the one that comes next.
    sets: [Set; 2],
    /// When the next set takes over.
    rehash_at: Time,
    /// Whether the next set counts the backlog: from its warm-up on.
    warm: bool,
    /// Packets the penalty box lets pass now, and since when that is so.
    tokens: f64,
    filled: Time,
}

impl<P: Packet + Copy> Sfb<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>) -> Sfb<P> {
        let bins = vec![Bin::default(); (params.levels * params.bins) as usize];
        Sfb {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            sets: [Set::new(bins.clone(), 0), Set::new(bins, 1)],
            rehash_at: Time::ZERO + params.rehash,
            warm: false,
            tokens: params.penalty_burst as f64,
            filled: Time::ZERO,
            params: params.clone(),
        }
    }

    /// Puts the next set in charge once its time has come, and empties the old one under a new salt.
    fn rehash(&mut self, now: Time) {
        while now >= self.rehash_at {
            self.warm_up();
            self.sets.swap(0, 1);
            self.rehash_at += self.params.rehash;
            let salt = self.sets[1].salt + 2;
            self.sets[1].restart(salt);
            self.warm = false;
        }
    }

    /// Makes the next set count the backlog from now on.
    fn warm_up(&mut self) {
        if !self.warm {
            let next = &mut self.sets[1];
            for pkt in self.queue.iter() {
                let places = next.known_places(&self.params, self.params.by.of(pkt));
                next.stored(&places);
            }
            self.warm = true;
        }
    }

    /// Whether the penalty box lets a packet of an unresponsive flow pass.
    fn passes(&mut self, now: Time) -> bool {
        let since = now.since(self.filled).as_secs();
        self.filled = now;
        let most = self.params.penalty_burst as f64;
        self.tokens = (self.tokens + since * self.params.penalty_rate).min(most);
        let passes = self.tokens >= 1.0;
        if passes {
            self.tokens -= 1.0;
        }
        passes
    }

    /// Lets the next set learn about an unresponsive flow, if its warm-up has begun.
    fn prepare(&mut self, pkt: &P, now: Time) {
        if now + self.params.warmup >= self.rehash_at {
            self.warm_up();
            let next = self.sets[1].known_places(&self.params, self.params.by.of(pkt));
            self.sets[1].learn(&self.params, &next);
        }
    }

    /// Judges an arrival that has room; returns it if it is to be stored.
    fn judge(&mut self, pkt: P, view: View, cx: &mut Cx<'_, P>) -> Option<P> {
        let End { reason, marks } = if view.min_qlen >= self.params.max {
            End { reason: Reason::Forced, marks: false }
        } else if view.p_min >= 1.0 {
            self.prepare(&pkt, cx.now);
            if self.passes(cx.now) {
                return Some(pkt);
            }
            End { reason: Reason::Forced, marks: false }
        } else if view.p_min > 0.0 {
            let u = cx.uniform();
            if u >= view.p_min {
                return Some(pkt);
            }
            // Above one half, a growing share of the marks are drops: a flow that needs so high a probability
            // does not respond.
            let dropped = view.p_min > 0.5 && u < 2.0 * (view.p_min - 0.5);
            End { reason: if dropped { Reason::Forced } else { Reason::Early }, marks: !dropped }
        } else {
            return Some(pkt);
        };
        cx.mark_or_drop(pkt, self.params.ecn && marks, reason)
    }
}

/// How a packet is to end.
struct End {
    reason: Reason,
    marks: bool,
}

impl<P: Packet + Copy> QueueDisc<P> for Sfb<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        self.rehash(cx.now);
        if !self.queue.has_room(&pkt, cx) {
            cx.drop(pkt, Reason::Overflow);
            return;
        }
        let places = self.sets[0].known_places(&self.params, self.params.by.of(&pkt));
        let view = self.sets[0].learn(&self.params, &places);
        if let Some(kept) = self.judge(pkt, view, cx) {
            self.sets[0].stored(&places);
            if self.warm {
                let next = self.sets[1].known_places(&self.params, self.params.by.of(&kept));
                self.sets[1].stored(&next);
            }
            self.queue.push(kept, cx);
        }
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.queue.pop_front()?;
        self.sets[0].left(&self.params, self.params.by.of(&pkt));
        if self.warm {
            self.sets[1].left(&self.params, self.params.by.of(&pkt));
        }
        Some(pkt)
    }

    #[inline]
    fn len(&self) -> usize {
        self.queue.len()
    }

    #[inline]
    fn backlog(&self) -> Bytes {
        self.queue.backlog()
    }

    #[inline]
    fn decides(&self) -> Decides {
        Decides::AtArrival
    }

    fn probe(&self, out: &mut Probe) {
        let bins = &self.sets[0].bins;
        out.note("p_max", bins.iter().map(|bin| bin.p_m).fold(0.0, f64::max));
        out.note("p_mean", bins.iter().map(|bin| bin.p_m).sum::<f64>() / bins.len() as f64);
        out.note("fullest_pkts", bins.iter().map(|bin| bin.qlen).max().unwrap_or(0) as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt};

    /// A flow shares all eight bins with ten others with probability (1 - (15/16)^10)^8 = 0.0026151.
    #[test]
    fn a_good_flow_is_misjudged_as_often_as_published() {
        let params = Params::default();
        let trials = 200_000u64;
        let mut misjudged = 0u64;
        for trial in 0..trials / 100 {
            let set = Set::new(Vec::new(), trial);
            let mut bad = [[false; 16]; 8];
            for flow in 0..10 {
                set.places(&params, flow).iter().for_each(|i| bad[i / 16][i % 16] = true);
            }
            for flow in 100..200 {
                misjudged += u64::from(set.places(&params, flow).iter().all(|i| bad[i / 16][i % 16]));
            }
        }
        let expected = 0.002_615_1 * trials as f64;
        // Good flows of one trial share the bad bins: a generous five standard deviations.
        assert!(
            (misjudged as f64 - expected).abs() < 5.0 * (8.0 * expected).sqrt(),
            "{misjudged}, {expected}"
        );
    }

    #[test]
    fn bins_learn_by_hand() {
        let rows = [
            ("target", "2"),
            ("max", "3"),
            ("increment", "0.25"),
            ("decrement", "0.125"),
            ("limit", "50 pkts"),
        ];
        let mut bench = Bench::new(Sfb::new(&params(&rows)));
        (0..5).for_each(|_| bench.arrive(0, Pkt::new(0)));
        // Arrivals find 0, 1, 2, 3, 3: two of them at 2 or more before the bin is full, and one that is
        // dropped for it.
        assert_eq!(bench.probe("fullest_pkts"), 3.0);
        assert_eq!((bench.dropped(), bench.probe("p_max")), (vec![3, 4], 0.75));
        while bench.depart(0).is_some() {}
        bench.arrive(0, Pkt::new(0));
        assert_eq!(bench.probe("p_max"), 0.625);
    }

    #[test]
    fn unresponsive_flows_share_the_penalty_box() {
        let rows = [
            ("target", "1"),
            ("max", "900"),
            ("increment", "1"),
            ("penalty_burst", "2"),
            ("penalty_rate", "10"),
        ];
        let mut bench = Bench::new(Sfb::new(&params(&rows)));
        (0..5).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!(bench.dropped(), [3, 4]);
        bench.arrive(100_000, Pkt::new(0));
        assert_eq!(bench.dropped(), [3, 4]);
    }

    /// The set that takes over has counted every queued packet, whether its warm-up was long, hardly any, or
    /// saw no arrival.
    #[test]
    fn a_set_takes_over_with_the_backlog_counted() {
        for (warmup, arrivals_ms) in
            [("4 s", [1, 7_000, 11_000]), ("1 us", [1, 7_000, 11_000]), ("1 s", [1, 2, 31_000])]
        {
            let rows = [("warmup", warmup), ("rehash", "10 s")];
            let mut bench = Bench::new(Sfb::new(&params(&rows)));
            for (flow, ms) in (0..).zip(arrivals_ms) {
                (0..3).for_each(|_| bench.arrive(ms * 1000, Pkt { flow, ..Pkt::new(0) }));
            }
            bench.depart(31_000_000);
            let (set, params) = (&bench.disc.sets[0], &bench.disc.params);
            assert_eq!(set.bins.iter().map(|bin| bin.qlen).sum::<u64>(), 8 * 8, "{warmup}");
            let least = |flow| set.places(params, flow).iter().map(|i| set.bins[i].qlen).min();
            assert!((0..3).all(|flow| least(flow) >= Some(2)), "{warmup}");
        }
    }
}
