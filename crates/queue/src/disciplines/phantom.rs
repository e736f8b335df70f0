//! Phantom queue: marks by a counter of departed bytes that is drained more slowly than the link.
//!
//! Reference: AKEPVY12, its section 3.1.
//! Units: the counter and `threshold` are bytes.
//! Deviations: the paper marks only; dropping packets that are not ECN-capable is an option. On an unlimited link the
//! counter stays empty.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{counts_of_fifo, Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use crate::step_marking::Others;
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Time};

units::choices! {
    /// The counter that is compared with the threshold.
    pub enum PhantomCounts {
        /// With the leaving packet.
        After = "after",
        /// Without it.
        Before = "before",
    }
}

units::params! {
    /// A queue that marks by a counter of departed bytes.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Rate at which the counter drains, as a share of the link's.
        gamma: f64 = 0.95 => { unit: "1", range: Range::Above(0.0, 1.0), source: "AKEPVY12" },
        /// Counter above which packets are marked.
        threshold: Bytes = Bytes(6000) => { source: "AKEPVY12" },
        /// The counter that is compared with the threshold.
        counts: PhantomCounts = PhantomCounts::After => { assumed: true },
        /// Effect of a counter above the threshold on packets that are not ECN-capable.
        others: Others = Others::Pass => { source: "AKEPVY12" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Phantom queue (HULL)";
    const ABOUT: &'static str = "Counts the bytes that leave and lets the counter drain at 95 % of the link's rate; while \
        it stands above a threshold, packets that leave are marked. Senders that answer to marks stay below the rate of \
        the link, so that the real queue is next to empty. Draws no random number.";
    const REFERENCE: &'static str = "AKEPVY12";
    type Disc<P: Packet + Copy> = Phantom<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Phantom<P> {
        Phantom::new(params, setting)
    }
}

/// State of a phantom queue.
#[derive(Clone, Debug)]
pub struct Phantom<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// Bytes a second that the counter loses.
    drain: f64,
    counter: f64,
    last: Time,
}

impl<P: Packet + Copy> Phantom<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Phantom<P> {
        let rate = if setting.rate.0 == 0 { 1e15 } else { setting.rate.as_bps() / 8.0 };
        Phantom {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            params: params.clone(),
            drain: params.gamma * rate,
            counter: 0.0,
            last: Time::ZERO,
        }
    }

    /// Whether the counter is above the threshold for a packet of `size` bytes that leaves now.
    fn is_above(&mut self, size: f64, now: Time) -> bool {
        self.counter = (self.counter - self.drain * now.since(self.last).as_secs()).max(0.0);
        self.last = now;
        let own = if self.params.counts == PhantomCounts::After { size } else { 0.0 };
        self.counter + own > self.params.threshold.0 as f64
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Phantom<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        self.queue.push_or_drop(pkt, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        loop {
            let pkt = self.queue.pop_front()?;
            let size = pkt.size().0 as f64;
            let above = self.is_above(size, cx.now);
            if above && !pkt.ecn().capable() && self.params.others == Others::Drop {
                cx.drop(pkt, Reason::Early);
                continue;
            }
            self.counter += size;
            return if above && pkt.ecn().capable() {
                cx.mark_or_drop(pkt, true, Reason::Early)
            } else {
                Some(pkt)
            };
        }
    }

    counts_of_fifo!();

    #[inline]
    fn decides(&self) -> Decides {
        Decides::Later
    }

    fn probe(&self, out: &mut Probe) {
        out.note("phantom_bytes", self.counter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};
    use units::Ecn;

    fn bench(rows: &[(&str, &str)]) -> Bench<Phantom<Pkt>> {
        Bench::new(Phantom::new(&params(rows), &SETTING))
    }

    #[test]
    fn the_counter_by_hand() {
        // 1 MB/s, drained at 0.95 MB/s: each packet of 1000 bytes in a row of them adds 50.
        let mut queue = bench(&[("threshold", "1075 B")]);
        (0..4).for_each(|_| queue.arrive(0, Pkt { ecn: Ecn::Ect0, ..Pkt::new(0) }));
        for (us, counter) in [(0, 1000.0), (1000, 1050.0), (2000, 1100.0), (3000, 1150.0)] {
            assert!(queue.depart(us).is_some());
            assert!((queue.probe("phantom_bytes") - counter).abs() < 1e-6);
        }
        assert_eq!(queue.fates, [(2000, 2, 'm'), (3000, 3, 'm')]);
        queue.arrive(9000, Pkt::new(0));
        assert!(queue.depart(9000).is_some());
        assert_eq!(queue.probe("phantom_bytes"), 1000.0);
    }

    #[test]
    fn others_pass_unless_they_are_to_be_dropped() {
        for (others, left) in [("pass", 2), ("drop", 1)] {
            let mut queue = bench(&[("threshold", "1000 B"), ("others", others)]);
            (0..2).for_each(|_| queue.arrive(0, Pkt::new(0)));
            let sent = (0..2).filter(|_| queue.depart(0).is_some()).count();
            assert_eq!(sent, left, "the second finds 1000 bytes and makes them 2000");
        }
    }
}
