//! Stabilized Adaptive Virtual Queue (SAVQ): AVQ whose desired utilisation falls as the queue grows.
//!
//! Reference: LZGY05a; KS01 is AVQ.
//! Units: the virtual queue counts bytes, its capacity bytes per second; `alpha` is per second; `q_ref` is in the unit
//! of `limit`.
//! Deviations: of the paper the abstract was available (`gamma` is set from the instantaneous queue and a reference).
//! The law is the simplest that has these: a straight line through `gamma` at `q_ref`. Its slope and bounds are
//! assumed. On an unlimited link nothing is ever marked.

use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::limit::below_limit;
use crate::registry::{Discipline, Setting};
use crate::store::virtual_queue::VirtualQueue;
use alloc::vec::Vec;
use units::param::{Check, Param, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::Bytes;

units::params! {
    /// A virtual queue that answers to the real one.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Buffer of the virtual queue. `auto`: as `limit`; packets count as typical ones.
        virtual_limit: Option<Amount> = None => { range: Range::Positive, source: "KS01" },
        /// Queue length aimed at.
        q_ref: Amount = Amount::Packets(20.0) => { range: Range::Positive, assumed: true },
        /// Desired utilisation while the queue is at `q_ref`.
        gamma: f64 = 1.0 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Addition to `gamma` for an empty queue, and reduction for one of twice `q_ref`.
        gain: f64 = 0.2 => { unit: "1", range: Range::Positive, assumed: true },
        /// Least desired utilisation, however long the queue.
        floor: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Speed of adaptation, per second. Too large for the round-trip time and the load, it oscillates.
        alpha: f64 = 0.15 => { unit: "1/s", range: Range::Positive, source: "KS01" },
        /// Virtual capacity at the start, as a share of the link's.
        initial: f64 = 0.8 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "KS01" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        below_limit("q_ref", self.q_ref, self.limit, problems);
    }
}

impl Params {
    fn virtual_limit(&self, setting: &Setting) -> Amount {
        let packet = Bytes(setting.packet.0.max(1));
        Amount::Bytes(self.virtual_limit.unwrap_or(self.limit).in_bytes(packet))
    }

    /// The desired utilisation at a queue of `q`.
    fn desired(&self, q: f64) -> f64 {
        (self.gamma + self.gain * (1.0 - q / self.q_ref.number())).max(self.floor)
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Stabilized Adaptive Virtual Queue (SAVQ)";
    const ABOUT: &'static str = "AVQ with a desired utilisation that depends on the queue: above one while the queue is \
        shorter than its reference, and less the longer it is. So the queue settles near the reference and the link stays \
        full, where AVQ trades one for the other. Draws no random number. Built from the abstract of its paper.";
    const REFERENCE: &'static str = "LZGY05a, KS01";
    type Disc<P: Packet + Copy> = Savq<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Savq<P> {
        Savq::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let auto = self.virtual_limit.is_none();
        auto.then(|| ("virtual_limit".into(), self.virtual_limit(setting).show())).into_iter().collect()
    }
}

/// State of a SAVQ queue.
#[derive(Clone, Debug)]
pub struct Savq<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    virtual_queue: VirtualQueue,
}

impl<P: Packet + Copy> Savq<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Savq<P> {
        let b = params.virtual_limit(setting).number();
        Savq {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            virtual_queue: VirtualQueue::new(params.initial, b, setting),
            params: params.clone(),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Savq<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let size = pkt.size().0 as f64;
        let gamma = self.params.desired(self.queue.held_as(self.params.limit, cx));
        let (dt, fits) = self.virtual_queue.arrive(size, cx.now);
        let kept = if fits { Some(pkt) } else { cx.mark_or_drop(pkt, self.params.ecn, Reason::Early) };
        self.virtual_queue.adapt(self.params.alpha, gamma, dt, size);
        if let Some(kept) = kept {
            self.queue.push_or_drop(kept, cx);
        }
    }

    as_fifo!();

    fn probe(&self, out: &mut Probe) {
        self.virtual_queue.probe(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    #[test]
    fn the_desired_utilisation_is_a_line_through_the_reference() {
        let params: Valid<Params> = params(&[("gain", "0.5"), ("floor", "0.25")]);
        let at = |q: f64| params.desired(q);
        assert_eq!([at(0.0), at(10.0), at(20.0), at(40.0), at(100.0)], [1.5, 1.25, 1.0, 0.5, 0.25]);
    }

    #[test]
    fn the_virtual_capacity_follows_the_queue() {
        // A megabyte a second, alpha 1: each packet takes 1000 from the capacity, a millisecond adds gamma * 1000.
        let rows = [("alpha", "1"), ("gain", "0.5"), ("q_ref", "2 pkts"), ("initial", "0.5")];
        let mut bench = Bench::new(Savq::new(&params(&rows), &SETTING));
        let mut shares = Vec::new();
        for ms in 1..=4 {
            bench.arrive(ms * 1000, Pkt::new(0));
            shares.push(bench.probe("virtual_share"));
        }
        // With 0, 1, 2 and 3 packets gamma is 1.5, 1.25, 1 and 0.75: in thousandths 500 + 1.5 - 1, and so on.
        let right = [0.5005, 0.50075, 0.50075, 0.5005];
        assert!(shares.iter().zip(right).all(|(got, right)| (got - right).abs() < 1e-12), "{shares:?}");
    }

    #[test]
    fn a_virtual_overflow_drops() {
        let rows = [("virtual_limit", "2500 B"), ("initial", "0.1")];
        let mut bench = Bench::new(Savq::new(&params(&rows), &SETTING));
        (0..4).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!((bench.dropped(), bench.probe("virtual_queue_bytes")), (vec![2, 3], 2000.0));
        assert!(refused::<Params>(&[("q_ref", "200 pkts")])[0].contains("must lie below limit"));
    }
}
