//! The proportional-integral controller for queues.
//!
//! Reference: HMTG01, its section IV; the recursion and the design point are that paper's.
//! Units: `q_ref` and `limit` count packets or bytes, the queue is counted in the unit of `q_ref`; `a` and
//! `b` are probabilities per packet, so a queue in bytes is divided by the typical packet.
//! Deviations: none. The paper gives the controller as a gain and a zero; `a` and `b` follow by the bilinear
//! transform.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::string::ToString;
use alloc::vec::Vec;
use units::param::{require, Check, Param, Preset, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Span, Time};

units::params! {
    /// A queue that marks arrivals with a probability that a linear controller sets.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(800.0) => { source: "HMTG01" },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target queue length.
        q_ref: Amount = Amount::Packets(200.0) => { range: Range::Positive, source: "HMTG01" },
        /// Time between two samples of the queue.
        period: Span = Span::from_micros(6250) => { range: Range::Positive, source: "HMTG01" },
        /// Weight of the present distance from `q_ref`, per packet. `auto`: `gain (1/zero + period/2)`.
        a: Option<f64> = None => { unit: "1", range: Range::Positive, source: "HMTG01" },
        /// Weight of the last distance from `q_ref`, per packet. `auto`: `gain (1/zero - period/2)`.
        b: Option<f64> = None => { unit: "1", range: Range::Positive, source: "HMTG01" },
        /// Gain of the controller, per packet and second.
        gain: f64 = 9.64e-6 => { unit: "1/s", range: Range::Positive, source: "HMTG01" },
        /// Its zero, in radians a second: `2 N / (R^2 C)` for N flows of round-trip time R at C packets a
        /// second.
        zero: f64 = 0.53 => { unit: "rad/s", range: Range::Positive, source: "HMTG01" },
        /// Whether ECN-capable packets are marked instead of dropped.
        ecn: bool = false => { assumed: true },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let (a, b) = self.weights();
        let rule = format!("must exceed b ({b}), or the queue is not drawn to q_ref");
        require(problems, a > b, "a", a, rule, "");
        require(problems, b > 0.0, "b", b, "must be above 0", "choose a shorter period, or a smaller zero");
    }
}

const DIALECTS: &[Preset] = &[
    Preset {
        name: "hollot",
        doc: "The design point of the paper: 200 of 800 packets, 160 samples a second.",
        options: &[],
    },
    Preset {
        name: "ns2",
        doc: "ns-2 Queue/PI: 50 packets, 170 samples a second, rounded weights.",
        options: &[("q_ref", "50 pkts"), ("period", "1/170 s"), ("a", "0.00001822"), ("b", "0.00001816")],
    },
];

impl Params {
    fn weights(&self) -> (f64, f64) {
        let half = 0.5 * self.period.as_secs();
        let a = self.a.unwrap_or(self.gain * (1.0 / self.zero + half));
        let b = self.b.unwrap_or(self.gain * (1.0 / self.zero - half));
        (a, b)
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "PI";
    const ABOUT: &'static str = "Samples the queue at a fixed rate and moves the probability of a mark by a times the \
        distance from a reference, minus b times the last distance. It holds the queue at the reference whatever the \
        load, but its weights are for one rate, one round-trip time and one number of flows; far from these it is slow.";
    const REFERENCE: &'static str = "HMTG01";
    type Disc<P: Packet + Copy> = Pi<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Pi<P> {
        Pi::new(params, setting)
    }

    fn resolved(&self, _setting: &Setting) -> Table {
        let (a, b) = self.weights();
        let rows = [("a", self.a.is_none(), a), ("b", self.b.is_none(), b)];
        rows.iter().filter(|row| row.1).map(|(key, _, value)| (key.to_string(), value.show())).collect()
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        let holds = self.q_ref.in_bytes(setting.packet) < self.limit.in_bytes(setting.packet);
        let rule = "must lie below limit, or nothing is ever marked";
        require(problems, holds, "q_ref", self.q_ref.show(), rule, "");
    }
}

/// State of a PI queue.
#[derive(Clone, Debug)]
pub struct Pi<P> {
    queue: Fifo<P>,
    q_ref: Amount,
    /// Packets to one of the unit that is counted.
    share: f64,
    a: f64,
    b: f64,
    ecn: bool,
    period: Span,
    next_sample: Time,
    p: f64,
    q_old: f64,
}

impl<P: Packet + Copy> Pi<P> {
    /// An empty queue, its first sample one period after the start of the run.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Pi<P> {
        let (a, b) = params.weights();
        Pi {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            q_ref: params.q_ref,
            share: if params.q_ref.is_bytes() { 1.0 / setting.packet.0.max(1) as f64 } else { 1.0 },
            a,
            b,
            ecn: params.ecn,
            period: params.period,
            next_sample: Time::ZERO + params.period,
            p: 0.0,
            q_old: 0.0,
        }
    }

    /// The queue in the unit of `q_ref`.
    fn held(&self, cx: &Cx<'_, P>) -> f64 {
        match self.q_ref {
            Amount::Packets(_) => self.queue.packets_held(cx) as f64,
            Amount::Bytes(_) => self.queue.bytes_held(cx) as f64,
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Pi<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let kept = if cx.chance(self.p) { cx.mark_or_drop(pkt, self.ecn, Reason::Early) } else { Some(pkt) };
        match kept {
            Some(kept) if self.queue.has_room(&kept, cx) => self.queue.push(kept, cx),
            Some(kept) => cx.drop(kept, Reason::Overflow),
            None => {}
        }
    }

    #[inline]
    fn dequeue(&mut self, _cx: &mut Cx<'_, P>) -> Option<P> {
        self.queue.pop_front()
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

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        Some(self.next_sample)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        self.next_sample += self.period;
        let q = self.held(cx);
        let q_ref = self.q_ref.number();
        let step = self.a * (q - q_ref) - self.b * (self.q_old - q_ref);
        self.p = (self.p + step * self.share).clamp(0.0, 1.0);
        self.q_old = q;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("drop_prob", self.p);
        out.note("q_old", self.q_old);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};
    use units::Ecn;

    fn bench(rows: &[(&str, &str)]) -> Bench<Pi<Pkt>> {
        Bench::new(Pi::new(&params(rows), &SETTING))
    }

    #[test]
    fn weights_follow_from_gain_zero_and_period() {
        // 9.64e-6 / 0.53 = 1.818868e-5, and 9.64e-6 / 320 = 3.0125e-8 on either side.
        let (a, b) = params::<Params>(&[]).weights();
        assert!((a - 1.82188e-5).abs() < 5e-11, "{a}");
        assert!((b - 1.81586e-5).abs() < 5e-11, "{b}");
        assert_eq!(params::<Params>(&[("dialect", "ns2")]).weights(), (1.822e-5, 1.816e-5));
    }

    #[test]
    fn the_zero_of_the_design_point() {
        // C = 3750 packets a second, N = 60 flows, R = 0.246 s.
        let zero: f64 = 2.0 * 60.0 / (0.246 * 0.246 * 3750.0);
        assert!((zero - 0.52879).abs() < 5e-6);
    }

    #[test]
    fn the_probability_follows_the_recursion() {
        // q_ref 2, a 1/8, b 1/16, six waiting: 4/8 + 2/16 = 5/8, then 4/8 - 4/16 = 1/4 more, then 1.
        let rows = [("q_ref", "2 pkts"), ("a", "0.125"), ("b", "0.0625"), ("period", "10 ms")];
        let mut queue = bench(&rows);
        for _ in 0..6 {
            queue.arrive(0, Pkt::new(0));
        }
        let mut p = |us| {
            queue.tick_until(us);
            queue.probe("drop_prob")
        };
        assert_eq!([p(9_999), p(10_000), p(20_000), p(30_000)], [0.0, 0.625, 0.875, 1.0]);
        queue.arrive(30_000, Pkt::new(0));
        assert_eq!(queue.dropped(), [6]);
        while queue.depart(30_000).is_some() {}
        // Empty: -2/8 - 4/16 = -1/2, then -2/8 + 2/16 = -1/8.
        queue.tick_until(40_000);
        assert_eq!(queue.probe("drop_prob"), 0.5);
        queue.tick_until(50_000);
        assert_eq!(queue.probe("drop_prob"), 0.375);
    }

    #[test]
    fn bytes_are_counted_as_packets_of_the_setting() {
        let rows = [("q_ref", "2000 B"), ("a", "0.125"), ("b", "0.0625"), ("period", "10 ms")];
        let mut queue = bench(&rows);
        for _ in 0..6 {
            queue.arrive(0, Pkt::new(0));
        }
        queue.tick_until(10_000);
        assert_eq!(queue.probe("drop_prob"), 0.625);
    }

    #[test]
    fn ecn_capable_packets_are_marked() {
        let rows = [("q_ref", "1 pkts"), ("a", "1"), ("b", "0.5"), ("period", "10 ms"), ("ecn", "true")];
        let mut queue = bench(&rows);
        for _ in 0..3 {
            queue.arrive(0, Pkt::new(0));
        }
        queue.tick_until(10_000);
        queue.arrive(10_000, Pkt { ecn: Ecn::Ect0, ..Pkt::new(0) });
        assert_eq!((queue.fates.as_slice(), queue.disc.len()), ([(10_000, 3, 'm')].as_slice(), 4));
    }

    #[test]
    fn weights_that_do_not_draw_to_the_reference_are_refused() {
        let shown = refused::<Params>(&[("a", "0.00001"), ("b", "0.00002")]);
        assert!(shown[0].contains("must exceed b"), "{shown:?}");
        let mut problems = Vec::new();
        let far = Params { q_ref: Amount::Packets(800.0), ..Params::default() };
        far.fits(&SETTING, &mut problems);
        assert_eq!(problems.len(), 1);
    }
}
