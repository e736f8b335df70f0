//! Adaptive Virtual Queue: marks by a virtual queue, which is only counted and served more slowly than the
//! real one.
//!
//! Reference: KS01, section 2 and its Figure 1.
//! Units: the virtual queue counts bytes, its capacity bytes per second; `alpha` is per second.
//! Deviations: the paper leaves the first virtual capacity open. On an unlimited link nothing is ever marked.

use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use crate::store::virtual_queue::VirtualQueue;
use alloc::vec::Vec;
use units::param::{Check, Param, Preset, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::Bytes;

units::choices! {
    /// Arrivals that lower the virtual capacity.
    pub enum AdaptOn {
        /// All, as in the paper.
        Every = "every",
        /// Accepted packets only: a dropped packet does not load the link.
        Kept = "kept",
    }
}

units::params! {
    /// A virtual queue whose capacity adapts.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Buffer of the virtual queue. `auto`: as `limit`; packets count as typical ones.
        virtual_limit: Option<Amount> = None => { range: Range::Positive, source: "KS01" },
        /// Target utilisation.
        gamma: f64 = 0.98 => { unit: "1", range: Range::Above(0.0, 1.0), source: "KS01" },
        /// Speed of adaptation, per second. Too large for the round-trip time and the load, it oscillates.
        alpha: f64 = 0.15 => { unit: "1/s", range: Range::Positive, source: "KS01" },
        /// Virtual capacity at the start, as a share of the link's.
        initial: f64 = 0.8 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Arrivals that lower the virtual capacity.
        adapt_on: AdaptOn = AdaptOn::Every => { source: "KS01" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "KS01" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

const DIALECTS: &[Preset] = &[Preset {
    name: "ns2",
    doc: "ns-2.35 Vq without marking: a dropped arrival does not adapt the capacity.",
    options: &[("adapt_on", "kept"), ("limit_test", "before")],
}];

impl Params {
    fn virtual_limit(&self, setting: &Setting) -> Amount {
        let packet = Bytes(setting.packet.0.max(1));
        Amount::Bytes(self.virtual_limit.unwrap_or(self.limit).in_bytes(packet))
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Adaptive Virtual Queue (AVQ)";
    const ABOUT: &'static str =
        "Counts a virtual queue that is served a little more slowly than the link and marks arrivals when \
        that would overflow. The virtual rate adapts until the arriving traffic uses the wanted share of the \
        link, so it controls utilisation and not the length of the queue. Draws no random number.";
    const REFERENCE: &'static str = "KS01";
    type Disc<P: Packet + Copy> = Avq<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Avq<P> {
        Avq::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let auto = self.virtual_limit.is_none();
        auto.then(|| ("virtual_limit".into(), self.virtual_limit(setting).show())).into_iter().collect()
    }
}

/// State of an AVQ.
#[derive(Clone, Debug)]
pub struct Avq<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    virtual_queue: VirtualQueue,
}

impl<P: Packet + Copy> Avq<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Avq<P> {
        let b = params.virtual_limit(setting).number();
        Avq {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            virtual_queue: VirtualQueue::new(params.initial, b, setting),
            params: params.clone(),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Avq<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let size = pkt.size().0 as f64;
        let (dt, fits) = self.virtual_queue.arrive(size, cx.now);
        let kept = if fits { Some(pkt) } else { cx.mark_or_drop(pkt, self.params.ecn, Reason::Early) };
        let counts = self.params.adapt_on == AdaptOn::Every || kept.is_some();
        let load = if counts { size } else { 0.0 };
        self.virtual_queue.adapt(self.params.alpha, self.params.gamma, dt, load);
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
    use crate::testing::{params, Bench, Pkt, SETTING};

    #[test]
    fn the_virtual_queue_by_hand() {
        // 1 MB/s, virtual 0.8 MB/s, buffer 2500 bytes.
        let mut bench = Bench::new(Avq::new(&params(&[("virtual_limit", "2500 B")]), &SETTING));
        (0..3).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!((bench.dropped(), bench.probe("virtual_queue_bytes")), (vec![2], 2000.0));
        // Each arrival takes alpha L = 150 bytes per second from the capacity.
        assert!((bench.disc.virtual_queue.c_virtual - (800_000.0 - 450.0)).abs() < 1e-6);
        // After 1 ms: 799.55 bytes served; the capacity grows by 0.15 * 0.98 * 1 MB/s * 1 ms = 147, less 150.
        bench.arrive(1000, Pkt::new(0));
        assert!((bench.probe("virtual_queue_bytes") - (2000.0 - 799.55 + 1000.0)).abs() < 1e-6);
        assert!((bench.disc.virtual_queue.c_virtual - (799_550.0 + 147.0 - 150.0)).abs() < 1e-6);
    }

    #[test]
    fn in_ns2_a_dropped_packet_does_not_adapt() {
        let rows = [("virtual_limit", "500 B"), ("dialect", "ns2")];
        let mut bench = Bench::new(Avq::new(&params(&rows), &SETTING));
        bench.arrive(0, Pkt::new(0));
        assert_eq!((bench.dropped(), bench.disc.virtual_queue.c_virtual), (vec![0], 800_000.0));
        assert_eq!(bench.rng.1, 0);
    }
}
