//! PI2: a proportional-integral controller whose output is squared before it drops anything.
//!
//! Reference: SBTB16; RFC9332 appendix A prints the same controller.
//! Units: `target` and `t_update` are spans, `alpha` and `beta` per second, `limit` counts packets or bytes.
//! Deviations: the delay is that of the oldest packet. For drop probabilities above one quarter the paper has
//! further rules; of these only the bound is implemented, so a queue that keeps growing overflows.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Ecn, Span, Time};

units::choices! {
    /// How the output is squared.
    pub enum Square {
        /// One random number against the square.
        Once = "once",
        /// Two random numbers against the output itself.
        Twice = "twice",
    }
}

units::params! {
    /// A queue under a controller with squared output.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target delay.
        target: Span = Span::from_millis(20) => { range: Range::Positive, source: "SBTB16" },
        /// Time between two steps of the controller.
        t_update: Span = Span::from_millis(32) => { range: Range::Positive, source: "SBTB16" },
        /// Weight of the distance from the target, per second.
        alpha: f64 = 0.3125 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "SBTB16" },
        /// Weight of the change since the last step, per second.
        beta: f64 = 3.125 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "SBTB16" },
        /// Upper bound on the output; its square bounds the drop probability of classic packets.
        most: f64 = 0.5 => { unit: "1", range: Range::Above(0.0, 1.0), source: "SBTB16" },
        /// How the output is squared.
        square: Square = Square::Once => { source: "SBTB16" },
        /// Whether packets with ECT(1) or CE are scalable: marked with `coupling` times the output, not its
        /// square.
        coupled: bool = false => { source: "SBTB16" },
        /// Scalable marks per unit of the output: `k`.
        coupling: f64 = 2.0 => { unit: "1", range: Range::Within(1.0, 100.0), source: "SBTB16" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "SBTB16" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let (tick, least) = (self.t_update, Span::from_micros(1));
        require(problems, tick >= least, "t_update", tick.show(), "must be at least 1 us", "");
        let marks = self.ecn || !self.coupled;
        require(
            problems,
            marks,
            "coupled",
            self.coupled,
            "needs ecn, by which scalable packets are marked",
            "",
        );
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "PI2";
    const ABOUT: &'static str = "Moves an output in proportion to the distance of the delay from a target and to its change, \
        and drops with the square of it. The square matches what TCP answers to, so one pair of weights is stable over \
        all loads, where PIE needs a table of them. Scalable senders are marked with the output itself.";
    const REFERENCE: &'static str = "SBTB16, RFC9332";
    type Disc<P: Packet + Copy> = Pi2<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Pi2<P> {
        Pi2::new(params)
    }
}

/// State of a PI2 queue.
#[derive(Clone, Debug)]
pub struct Pi2<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// The output p'.
    base: f64,
    qdelay_old: f64,
    next: Time,
}

impl<P: Packet + Copy> Pi2<P> {
    /// An empty queue, the first step one `t_update` after the start of the run.
    pub fn new(params: &Valid<Params>) -> Pi2<P> {
        Pi2 {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            base: 0.0,
            qdelay_old: 0.0,
            next: Time::ZERO + params.t_update,
            params: params.clone(),
        }
    }

    /// Whether an arrival is dropped or marked.
    fn signals(&self, pkt: &P, cx: &mut Cx<'_, P>) -> bool {
        let scalable = self.params.coupled && matches!(pkt.ecn(), Ecn::Ect1 | Ecn::Ce);
        match self.params.square {
            _ if scalable => cx.chance(self.params.coupling * self.base),
            Square::Once => cx.chance(self.base * self.base),
            Square::Twice => cx.chance(self.base) && cx.chance(self.base),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Pi2<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let signal = self.signals(&pkt, cx);
        self.queue.admit(pkt, signal, self.params.ecn, cx);
    }

    as_fifo!();

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {
        let head = self.queue.head().map_or(Span::ZERO, |pkt| self.next.since(pkt.enqueued()));
        let (params, qdelay) = (&self.params, head.as_secs());
        let step =
            params.alpha * (qdelay - params.target.as_secs()) + params.beta * (qdelay - self.qdelay_old);
        self.base = (self.base + step).clamp(0.0, params.most);
        self.qdelay_old = qdelay;
        self.next += params.t_update;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("p_base", self.base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt};

    fn bench(rows: &[(&str, &str)]) -> Bench<Pi2<Pkt>> {
        Bench::new(Pi2::new(&params(rows)))
    }

    #[test]
    fn the_output_follows_the_delay_of_the_head() {
        let mut queue = bench(&[]);
        queue.arrive(2_000, Pkt::new(0));
        // 30 ms at the first step: 0.3125 * 0.010 + 3.125 * 0.030; then 62 ms: 0.3125 * 0.042 + 3.125 *
        // 0.032.
        queue.tick_until(32_000);
        assert!((queue.probe("p_base") - 0.096875).abs() < 1e-12);
        queue.tick_until(64_000);
        assert!((queue.probe("p_base") - 0.096875 - 0.113125).abs() < 1e-12);
        queue.tick_until(1_000_000);
        assert_eq!(queue.probe("p_base"), 0.5);
    }

    #[test]
    fn classic_packets_meet_the_square_and_scalable_ones_the_double() {
        let mut queue = bench(&[("ecn", "true"), ("coupled", "true")]);
        queue.disc.base = 0.4;
        queue.rng.0 = 0.5;
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1] {
            queue.arrive(0, Pkt { ecn, ..Pkt::new(0) });
        }
        assert_eq!(queue.fates, [(0, 2, 'm')], "0.5 is below 0.8, not below 0.16");
        let mut twice = bench(&[("square", "twice")]);
        twice.disc.base = 0.4;
        twice.rng.0 = 0.3;
        twice.arrive(0, Pkt::new(0));
        assert_eq!((twice.dropped(), twice.rng.1), (vec![0], 2));
    }

    #[test]
    fn coupling_without_marks_is_refused() {
        assert!(refused::<Params>(&[("coupled", "true")])[0].contains("needs ecn"));
    }
}
