//! BLUE: one probability, raised when the buffer overflows and lowered when the link is idle.
//!
//! Reference: FSKS02, section 3 and its Figure 3.
//! Units: `limit` and `level` count packets or bytes; `freeze_time` is simulated time.
//! Deviations: a link that goes idle is one idle event. The increments are those of the authors' own program
//! as it was handed on; the paper uses several.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::{show_amount, Amount};
use units::{Bytes, Span, Time};

units::params! {
    /// One probability that follows overflow and idleness.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Queue beyond which an arrival counts as an overflow. `auto`: only a full buffer does.
        level: Option<Amount> = None => { range: Range::Positive, source: "FSKS02" },
        /// Increment of the probability at an overflow.
        d1: f64 = 0.0025 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FSKS02" },
        /// Decrement of the probability when the link is idle.
        d2: f64 = 0.00025 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FSKS02" },
        /// Minimum time between two changes.
        freeze_time: Span = Span::from_millis(100) => { source: "FSKS02" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "FSKS02" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        if let Some(level) = self.level {
            let below = level.is_bytes() != self.limit.is_bytes() || level.number() < self.limit.number();
            let rule = format!("must lie below limit ({})", show_amount(self.limit));
            require(problems, below, "level", show_amount(level), rule, "");
        }
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "BLUE";
    const ABOUT: &'static str =
        "Marks or drops every arrival with one probability. The probability rises while the buffer \
        overflows and falls while the link is idle, so it learns the rate of signals the senders need without \
        looking at the length of the queue.";
    const REFERENCE: &'static str = "FSKS02";
    type Disc<P: Packet + Copy> = Blue<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Blue<P> {
        Blue::new(params)
    }
}

/// State of a BLUE queue.
#[derive(Clone, Debug)]
pub struct Blue<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// The probability.
    p_m: f64,
    /// When it last changed; `None` before the first time.
    last_update: Option<Time>,
}

impl<P: Packet + Copy> Blue<P> {
    /// An empty queue that drops nothing early.
    pub fn new(params: &Valid<Params>) -> Blue<P> {
        Blue {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            params: params.clone(),
            p_m: 0.0,
            last_update: None,
        }
    }

    /// Moves the probability, unless it was moved a moment ago.
    fn change(&mut self, by: f64, now: Time) {
        if self.last_update.is_none_or(|last| now.since(last) > self.params.freeze_time) {
            self.p_m = (self.p_m + by).clamp(0.0, 1.0);
            self.last_update = Some(now);
        }
    }

    #[inline]
    fn is_beyond_level(&self, cx: &Cx<'_, P>) -> bool {
        match self.params.level {
            None => false,
            Some(Amount::Packets(level)) => self.queue.packets_held(cx) as f64 > level,
            Some(Amount::Bytes(level)) => self.queue.bytes_held(cx) as f64 > level,
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Blue<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if !self.queue.has_room(&pkt, cx) {
            self.change(self.params.d1, cx.now);
            cx.drop(pkt, Reason::Overflow);
            return;
        }
        if self.is_beyond_level(cx) {
            self.change(self.params.d1, cx.now);
        }
        let kept = if cx.chance(self.p_m) {
            cx.mark_or_drop(pkt, self.params.ecn, Reason::Early)
        } else {
            Some(pkt)
        };
        if let Some(kept) = kept {
            self.queue.push(kept, cx);
        }
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.queue.pop_front();
        if pkt.is_none() {
            self.change(-self.params.d2, cx.now);
        }
        pkt
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
        out.note("p_m", self.p_m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt};

    #[test]
    fn overflow_raises_idleness_lowers_and_both_wait_their_time() {
        let rows = [("limit", "1 pkt"), ("d1", "0.5"), ("d2", "0.125"), ("freeze_time", "10 ms")];
        let mut bench = Bench::new(Blue::new(&params(&rows)));
        bench.arrive(0, Pkt::new(0));
        bench.arrive(0, Pkt::new(0));
        assert_eq!((bench.dropped(), bench.probe("p_m")), (vec![1], 0.5));
        bench.arrive(10_000, Pkt::new(0));
        assert_eq!(bench.probe("p_m"), 0.5, "10 ms are not more than 10 ms");
        bench.arrive(10_001, Pkt::new(0));
        bench.arrive(30_000, Pkt::new(0));
        assert_eq!(bench.probe("p_m"), 1.0);
        assert!(bench.depart(40_000).is_some() && bench.depart(41_000).is_none());
        assert_eq!(bench.probe("p_m"), 0.875);
        // The draw is 0.999999: more than 0.875.
        bench.arrive(41_500, Pkt::new(0));
        assert_eq!(bench.disc.len(), 1);
    }

    #[test]
    fn a_level_counts_as_overflow_before_there_is_one() {
        let rows = [("level", "1 pkt"), ("d1", "0.5"), ("freeze_time", "0 s")];
        let mut bench = Bench::new(Blue::new(&params(&rows)));
        (0..3).for_each(|i| bench.arrive(i, Pkt::new(0)));
        assert_eq!((bench.dropped(), bench.probe("p_m")), (vec![], 0.5));
    }
}
