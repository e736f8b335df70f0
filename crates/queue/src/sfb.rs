//! Stochastic Fair BLUE: a BLUE for each bin of several hashed levels; a flow is judged by its best bin.
//!
//! Reference: FSKS02, section 5; constants and the mixing of drops above one half as observed in Linux `sfb`.
//! Units: bins and limits count packets.
//! Deviations: hashes are salted by the number of the set, not by chance, so runs repeat. When a set gets a new salt
//! its bins count what waits anew. Flows are as [`Packet::flow`] names them.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Span, Time};

units::params! {
    /// A BLUE for each of many bins.
    pub struct Params {
        /// Most that may wait, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { assumed: true },
        /// How an arriving packet is held against the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Independent hashes of a flow.
        levels: u64 = 8 => { range: Range::Within(1.0, 16.0), source: "Linux" },
        /// Bins of a level.
        bins: u64 = 16 => { range: Range::Within(2.0, 4096.0), source: "Linux" },
        /// Packets in a bin from which its probability rises.
        target: u64 = 20 => { range: Range::Positive, source: "Linux" },
        /// Packets that every bin of a flow may hold.
        max: u64 = 25 => { range: Range::Positive, source: "Linux" },
        /// What an arrival at a long bin adds to its probability.
        increment: f64 = 0.001 => { unit: "1", range: Range::Above(0.0, 1.0), source: "Linux" },
        /// What an arrival at an empty bin takes from its probability.
        decrement: f64 = 1.0 / 6000.0 => { unit: "1", range: Range::Above(0.0, 1.0), source: "Linux" },
        /// Packets per second that unresponsive flows get together.
        penalty_rate: f64 = 10.0 => { unit: "pkts/s", range: Range::Within(0.0, 1e9), source: "Linux" },
        /// Packets of theirs that may pass at once.
        penalty_burst: u64 = 20 => { source: "Linux" },
        /// Time after which flows are hashed anew.
        rehash: Span = Span::from_millis(600_000) => { range: Range::Positive, source: "Linux" },
        /// Time before that in which the next set of bins already learns.
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
}

/// Probability and packets of one bin.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    p_m: f64,
    qlen: u64,
}

/// One set of levels with its salt.
#[derive(Clone, Debug)]
struct Set {
    bins: Vec<Bin>,
    salt: u64,
}

/// What the bins of a flow say together.
#[derive(Clone, Copy, Debug, PartialEq)]
struct View {
    p_min: f64,
    min_qlen: u64,
}

impl Set {
    /// The bin of `flow` on `level`.
    #[inline]
    fn index(&self, params: &Params, flow: u64, level: u64) -> usize {
        let hash = mix(flow ^ mix(self.salt << 8 | level));
        (level * params.bins + hash % params.bins) as usize
    }

    /// An arrival of `flow`: each of its bins learns.
    fn learn(&mut self, params: &Params, flow: u64) -> View {
        let mut view = View { p_min: 1.0, min_qlen: u64::MAX };
        for level in 0..params.levels {
            let i = self.index(params, flow, level);
            let bin = &mut self.bins[i];
            if bin.qlen == 0 {
                bin.p_m = (bin.p_m - params.decrement).max(0.0);
            } else if bin.qlen >= params.target {
                bin.p_m = (bin.p_m + params.increment).min(1.0);
            }
            view = View { p_min: view.p_min.min(bin.p_m), min_qlen: view.min_qlen.min(bin.qlen) };
        }
        view
    }

    /// A packet of `flow` was stored, or has left.
    fn count(&mut self, params: &Params, flow: u64, stored: bool) {
        for level in 0..params.levels {
            let i = self.index(params, flow, level);
            let qlen = &mut self.bins[i].qlen;
            *qlen = if stored { *qlen + 1 } else { qlen.saturating_sub(1) };
        }
    }
}

/// Spreads every bit of `x` over all of them (the finaliser of splitmix64).
pub(crate) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// An SFB queue at work.
#[derive(Clone, Debug)]
pub struct Sfb<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// The set that judges, and the one that comes next.
    sets: [Set; 2],
    /// When the next set takes over.
    rehash_at: Time,
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
            sets: [Set { bins: bins.clone(), salt: 0 }, Set { bins, salt: 1 }],
            rehash_at: Time::ZERO + params.rehash,
            tokens: params.penalty_burst as f64,
            filled: Time::ZERO,
            params: params.clone(),
        }
    }

    /// Puts the next set in charge once its time has come, and empties the old one under a new salt.
    fn rehash(&mut self, now: Time) {
        while now >= self.rehash_at {
            self.sets.swap(0, 1);
            self.rehash_at += self.params.rehash;
            let next = &mut self.sets[1];
            next.salt += 2;
            next.bins.fill(Bin::default());
            for pkt in self.queue.iter() {
                next.count(&self.params, pkt.flow(), true);
            }
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

    /// What becomes of an arrival that has room; what is handed back is to be stored.
    fn judge(&mut self, pkt: P, view: View, cx: &mut Cx<'_, P>) -> Option<P> {
        let End { reason, marks } = if view.min_qlen >= self.params.max {
            End { reason: Reason::Forced, marks: false }
        } else if view.p_min >= 1.0 {
            if self.passes(cx.now) {
                return Some(pkt);
            }
            End { reason: Reason::Forced, marks: false }
        } else if view.p_min > 0.0 {
            let u = cx.uniform();
            if u >= view.p_min {
                return Some(pkt);
            }
            // Above one half, more and more of the marks are drops: whoever needs so many does not listen.
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
        let view = self.sets[0].learn(&self.params, pkt.flow());
        if cx.now + self.params.warmup >= self.rehash_at {
            self.sets[1].learn(&self.params, pkt.flow());
        }
        if let Some(kept) = self.judge(pkt, view, cx) {
            self.sets.iter_mut().for_each(|set| set.count(&self.params, kept.flow(), true));
            self.queue.push(kept, cx);
        }
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.queue.pop_front()?;
        self.sets.iter_mut().for_each(|set| set.count(&self.params, pkt.flow(), false));
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
            let set = Set { bins: Vec::new(), salt: trial };
            let mut bad = [[false; 16]; 8];
            for flow in 0..10 {
                (0..8).for_each(|level| bad[level][set.index(&params, flow, level as u64) % 16] = true);
            }
            for flow in 100..200 {
                misjudged +=
                    u64::from((0..8).all(|level| bad[level][set.index(&params, flow, level as u64) % 16]));
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
        // Arrivals find 0, 1, 2, 3, 3: two of them at 2 or more before the bin is full, and one that is dropped for it.
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
}
