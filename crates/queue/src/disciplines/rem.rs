//! Random Exponential Marking: a price from the backlog and the mismatch of rates, a probability from the
//! price.
//!
//! Reference: ALLY01, equations 1 and 2.
//! Units: the queue, its target and the arrivals of an interval count packets; the price has no unit.
//! Deviations: the paper marks arriving packets; marking those that leave is an option. Packets that are not
//! ECN-capable are always judged as they arrive. On an unlimited link the price stays at zero.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{math, Bytes, Span, Time};

units::choices! {
    /// When an ECN-capable packet is judged.
    pub enum MarkAt {
        /// As it arrives.
        Arrival = "arrival",
        /// As it leaves: the signal does not wait in the queue.
        Departure = "departure",
    }
}

units::params! {
    /// A price that follows backlog and load.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Bytes of a typical packet, in which the capacity of an interval is counted. `auto`: as in the
        /// link's traffic.
        mean_packet: Option<Bytes> = None => { range: Range::Positive, source: "ALLY01" },
        /// Time between two prices.
        interval: Span = Span::from_millis(2) => { range: Range::Positive, source: "ns-2.35" },
        /// Step of the price.
        gamma: f64 = 0.001 => { unit: "1", range: Range::Positive, source: "ALLY01" },
        /// Weight of the backlog against the mismatch of rates.
        alpha: f64 = 0.1 => { unit: "1", range: Range::Positive, source: "ALLY01" },
        /// Base of the probability, 1 - `phi` to the power of minus the price.
        phi: f64 = 1.001 => { unit: "1", range: Range::Above(1.0, 1000.0), source: "ALLY01" },
        /// Target backlog, `b*`.
        target: f64 = 20.0 => { unit: "pkts", range: Range::Within(0.0, f64::INFINITY), source: "ns-2.35" },
        /// Weight of the newest interval in the arrival rate; 1 smooths nothing.
        weight: f64 = 1.0 => { unit: "1", range: Range::Above(0.0, 1.0), source: "ns-2.35" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "ALLY01" },
        /// When an ECN-capable packet is judged.
        mark_at: MarkAt = MarkAt::Arrival => { source: "ALLY01" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Random Exponential Marking (REM)";
    const ABOUT: &'static str =
        "Every few milliseconds a price goes up if more arrives than the link can send or if the backlog is \
        above its target, and down otherwise; arrivals are marked with a probability exponential in the price. \
        The backlog settles at its target whatever the number of flows.";
    const REFERENCE: &'static str = "ALLY01";
    type Disc<P: Packet + Copy> = Rem<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Rem<P> {
        Rem::new(params, setting)
    }
}

/// State of a REM queue.
#[derive(Clone, Debug)]
pub struct Rem<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// Packets the link sends in an interval.
    c: f64,
    /// Packets that arrived in this interval, and the smoothed count of those before.
    arrived: f64,
    x: f64,
    price: f64,
    prob: f64,
    next: Time,
}

impl<P: Packet + Copy> Rem<P> {
    /// An empty queue at price zero.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Rem<P> {
        let packet = params.mean_packet.unwrap_or(setting.packet);
        Rem {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            c: setting.packets_per_sec(packet) * params.interval.as_secs(),
            arrived: 0.0,
            x: 0.0,
            price: 0.0,
            prob: 0.0,
            next: Time::ZERO + params.interval,
            params: params.clone(),
        }
    }

    #[inline]
    fn waits_for_departure(&self, pkt: &P) -> bool {
        self.params.ecn && self.params.mark_at == MarkAt::Departure && pkt.ecn().capable()
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Rem<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        self.arrived += 1.0;
        let early = !self.waits_for_departure(&pkt) && cx.chance(self.prob);
        let kept = if early { cx.mark_or_drop(pkt, self.params.ecn, Reason::Early) } else { Some(pkt) };
        match kept {
            Some(kept) if self.queue.has_room(&kept, cx) => self.queue.push(kept, cx),
            Some(kept) => cx.drop(kept, Reason::Overflow),
            None => {}
        }
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.queue.pop_front()?;
        if self.waits_for_departure(&pkt) && cx.chance(self.prob) {
            return cx.mark_or_drop(pkt, true, Reason::Early);
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
        let later = self.params.ecn && self.params.mark_at == MarkAt::Departure;
        if later {
            Decides::Later
        } else {
            Decides::AtArrival
        }
    }

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        let params = &self.params;
        let backlog = self.queue.packets_held(cx) as f64;
        self.x = (1.0 - params.weight) * self.x + params.weight * self.arrived;
        self.arrived = 0.0;
        let step = params.gamma * (params.alpha * (backlog - params.target) + self.x - self.c);
        self.price = (self.price + step).max(0.0);
        self.prob = 1.0 - math::pow(params.phi, -self.price);
        self.next += params.interval;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("price", self.price);
        out.note("prob", self.prob);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    #[test]
    fn price_and_probability_by_hand() {
        // One packet a millisecond: two in an interval. Thirty arrive: 0.1 * (30 - 20) + 30 - 2 = 29.
        let mut bench = Bench::new(Rem::new(&params(&[]), &SETTING));
        (0..30).for_each(|_| bench.arrive(0, Pkt::new(0)));
        bench.tick_until(2000);
        assert!((bench.probe("price") - 0.029).abs() < 1e-12);
        assert!((bench.probe("prob") - (1.0 - math::pow(1.001, -0.029))).abs() < 1e-12);
        // Nothing more arrives: 1 - 2 = -1 an interval, and never below zero.
        bench.tick_until(4000);
        assert!((bench.probe("price") - 0.028).abs() < 1e-12);
        bench.tick_until(100_000);
        assert_eq!((bench.probe("price"), bench.probe("prob")), (0.0, 0.0));
    }

    #[test]
    fn marks_may_wait_for_the_departure() {
        let rows = [("ecn", "true"), ("mark_at", "departure"), ("gamma", "1"), ("phi", "2")];
        let mut bench = Bench::new(Rem::new(&params(&rows), &SETTING));
        bench.rng.0 = 0.5;
        (0..30).for_each(|_| bench.arrive(0, Pkt { ecn: units::Ecn::Ect0, ..Pkt::new(0) }));
        bench.tick_until(2000);
        assert!(bench.fates.is_empty());
        assert!(bench.depart(2000).is_some());
        assert_eq!(bench.fates, [(2000, 0, 'm')]);
        assert_eq!(QueueDisc::<Pkt>::decides(&bench.disc), Decides::Later);
    }
}
