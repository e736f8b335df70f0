//! DOCSIS-PIE: PIE as every cable modem since DOCSIS 3.1 has it.
//!
//! Reference: RFC8034 appendix A, line by line.
//! Units: `target` and the other delays are spans, sizes bytes, `alpha` and `beta` per second.
//! Deviations: the link sends at one rate, so the token credit of the modem's shaper is always zero and the
//! delay is the backlog over the rate. On an unlimited link nothing is ever dropped early.

use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Span, Time};

units::params! {
    /// A queue under the PIE of cable modems.
    pub struct Params {
        /// Limit of the queue, in packets or bytes: `BUFFER_SIZE`.
        limit: Amount = Amount::Packets(200.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target delay: `LATENCY_TARGET`.
        target: Span = Span::from_millis(10) => { range: Range::Positive, source: "RFC8034" },
        /// Time between two steps of the controller: `INTERVAL`.
        interval: Span = Span::from_millis(16) => { range: Range::Positive, source: "RFC8034" },
        /// Weight of the distance from the target, per second: `A`.
        alpha: f64 = 0.25 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "RFC8034" },
        /// Weight of the change since the last step, per second: `B`.
        beta: f64 = 2.5 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "RFC8034" },
        /// Delay below which, twice in a row, the probability decays: `LATENCY_LOW`.
        latency_low: Span = Span::from_millis(5) => { source: "RFC8034" },
        /// Delay above which the probability rises quickly: `LATENCY_HIGH`.
        latency_high: Span = Span::from_millis(200) => { source: "RFC8034" },
        /// Burst allowance: time after the first drop in which nothing more is dropped: `MAX_BURST`.
        max_burst: Span = Span::from_millis(142) => { source: "RFC8034" },
        /// Time without congestion after which the burst allowance is renewed: `BURST_RESET_TIMEOUT`.
        burst_reset: Span = Span::from_millis(1_000) => { source: "RFC8034" },
        /// Packet size to which the unscaled probability applies: `MEAN_PKTSIZE`.
        mean_packet: Bytes = Bytes(1024) => { range: Range::Positive, source: "RFC8034" },
        /// Size at which the probability may reach `prob_low`: `MIN_PKTSIZE`.
        min_packet: Bytes = Bytes(64) => { range: Range::Positive, source: "RFC8034" },
        /// Sum of probabilities below which nothing is dropped, and the maximum for one packet: `PROB_LOW`.
        prob_low: f64 = 0.85 => { unit: "1", range: Range::Above(0.0, 1.0), source: "RFC8034" },
        /// Sum of probabilities from which the next packet is dropped: `PROB_HIGH`.
        prob_high: f64 = 8.5 => { unit: "1", range: Range::Positive, source: "RFC8034" },
        /// Whether sizes are rounded up to the next of 64, 128, 256, 512, 768, 1024, 1280, 1536 and 2048
        /// bytes.
        quantise: bool = false => { source: "RFC8034" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let (tick, least) = (self.interval, Span::from_micros(1));
        require(problems, tick >= least, "interval", tick.show(), "must be at least 1 us", "");
        let above_low = format!("must exceed prob_low ({})", self.prob_low);
        require(problems, self.prob_high > self.prob_low, "prob_high", self.prob_high, above_low, "");
        let later = format!("must exceed latency_low ({})", self.latency_low.show());
        let ordered = self.latency_high > self.latency_low;
        require(problems, ordered, "latency_high", self.latency_high.show(), later, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "DOCSIS-PIE";
    const ABOUT: &'static str = "PIE as cable modems have it: a target of 10 ms, small packets dropped less, decisions spaced \
        by adding probabilities up, no drop while the buffer is less than a third full after quiet times, and a burst \
        allowance that begins with the first drop.";
    const REFERENCE: &'static str = "RFC8034, RFC8033";
    type Disc<P: Packet + Copy> = DocsisPie<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> DocsisPie<P> {
        DocsisPie::new(params, setting)
    }
}

/// `aqm_state_`: whether the controller may drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activity {
    /// Nothing is dropped early while the buffer is less than a third full.
    Inactive,
    /// Between the two: the next drop begins the burst allowance.
    Quiescent,
    /// Drops as usual.
    Active,
}

/// State of a DOCSIS-PIE queue.
#[derive(Clone, Debug)]
pub struct DocsisPie<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// Seconds a byte takes on the link.
    byte_time: f64,
    /// A third of the buffer, bytes.
    third: f64,
    target: f64,
    drop_prob: f64,
    accu_prob: f64,
    qdelay_old: f64,
    burst_allowance: Span,
    burst_reset: Span,
    state: Activity,
    next: Time,
}

impl<P: Packet + Copy> DocsisPie<P> {
    /// An empty queue, the first step one `interval` after the start of the run.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> DocsisPie<P> {
        DocsisPie {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            byte_time: if setting.rate.0 == 0 { 0.0 } else { 8.0 / setting.rate.as_bps() },
            third: params.limit.in_bytes(Bytes(setting.packet.0.max(1))) / 3.0,
            target: params.target.as_secs(),
            drop_prob: 0.0,
            accu_prob: 0.0,
            qdelay_old: 0.0,
            burst_allowance: Span::ZERO,
            burst_reset: Span::ZERO,
            state: Activity::Inactive,
            next: Time::ZERO + params.interval,
            params: params.clone(),
        }
    }

    /// `drop_early()`: whether the arriving packet is dropped, with `waiting` bytes before it.
    fn drops_early(&mut self, size: u64, waiting: f64, cx: &mut Cx<'_, P>) -> bool {
        if self.burst_allowance > Span::ZERO {
            return false;
        }
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        if self.state == Activity::Inactive {
            if waiting < self.third {
                return false;
            }
            self.state = Activity::Quiescent;
        }
        let (mean, low) = (self.params.mean_packet.0 as f64, self.params.prob_low);
        let size = if self.params.quantise { quantised(size) } else { size };
        let p1 = (self.drop_prob * size as f64 / mean).min(low);
        self.accu_prob += p1;
        let uncongested = self.qdelay_old < 0.5 * self.target && self.drop_prob < 0.2;
        if uncongested || waiting <= 2.0 * mean || self.accu_prob < low {
            return false;
        }
        if self.accu_prob < self.params.prob_high && cx.uniform() > p1 {
            return false;
        }
        self.accu_prob = 0.0;
        if self.state == Activity::Quiescent {
            self.state = Activity::Active;
            self.burst_allowance = self.params.max_burst;
        }
        true
    }

    /// The step of the probability at a delay, with all special cases.
    fn next_prob(&self, qdelay: f64) -> f64 {
        let params = &self.params;
        let p = params.alpha * (qdelay - self.target) + params.beta * (qdelay - self.qdelay_old);
        let mut p = p / divisor(self.drop_prob);
        if self.drop_prob >= 0.1 {
            p = p.min(0.02);
        }
        let mut next = self.drop_prob + p;
        let low = params.latency_low.as_secs();
        if qdelay < low && self.qdelay_old < low {
            next *= 0.98;
        } else if qdelay > params.latency_high.as_secs() {
            next += 0.02;
        }
        let most = params.prob_low * params.mean_packet.0 as f64 / params.min_packet.0 as f64;
        next.max(0.0).min(most)
    }

    /// Moves between the states of activity.
    fn update_state(&mut self, quiet: bool) {
        match self.state {
            Activity::Active if quiet => {
                self.state = Activity::Quiescent;
                self.burst_reset = Span::ZERO;
            }
            Activity::Quiescent if quiet => {
                self.burst_reset = self.burst_reset + self.params.interval;
                if self.burst_reset > self.params.burst_reset {
                    self.burst_reset = Span::ZERO;
                    self.state = Activity::Inactive;
                }
            }
            Activity::Quiescent => self.burst_reset = Span::ZERO,
            Activity::Active | Activity::Inactive => {}
        }
    }
}

/// Small probabilities change in small steps, large ones in large steps.
fn divisor(drop_prob: f64) -> f64 {
    const STEPS: [(f64, f64); 8] = [
        (1e-6, 2048.0),
        (1e-5, 512.0),
        (1e-4, 128.0),
        (1e-3, 32.0),
        (1e-2, 8.0),
        (0.1, 2.0),
        (1.0, 0.5),
        (10.0, 0.125),
    ];
    STEPS.iter().find(|(below, _)| drop_prob < *below).map_or(0.03125, |(_, divisor)| *divisor)
}

/// A size rounded up as a modem may do it; larger ones as they are.
fn quantised(size: u64) -> u64 {
    const SIZES: [u64; 9] = [64, 128, 256, 512, 768, 1024, 1280, 1536, 2048];
    SIZES.into_iter().find(|step| size <= *step).unwrap_or(size)
}

impl<P: Packet + Copy> QueueDisc<P> for DocsisPie<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if !self.queue.has_room(&pkt, cx) {
            self.accu_prob = 0.0;
            return cx.drop(pkt, Reason::Overflow);
        }
        let waiting = self.queue.bytes_held(cx) as f64;
        if self.drops_early(pkt.size().0, waiting, cx) {
            cx.drop(pkt, Reason::Early);
        } else {
            self.queue.push(pkt, cx);
        }
    }

    as_fifo!();

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        let qdelay = self.queue.bytes_held(cx) as f64 * self.byte_time;
        if self.burst_allowance > Span::ZERO {
            self.drop_prob = 0.0;
            self.burst_allowance = self.burst_allowance - self.params.interval;
        } else {
            self.drop_prob = self.next_prob(qdelay);
        }
        let half = 0.5 * self.target;
        let short = qdelay < half && self.qdelay_old < half;
        self.update_state(short && self.drop_prob == 0.0 && self.burst_allowance == Span::ZERO);
        self.qdelay_old = qdelay;
        self.next += self.params.interval;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("drop_prob_", self.drop_prob);
        out.note("accu_prob_", self.accu_prob);
        out.note("state", f64::from(self.state as u8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    fn bench(rows: &[(&str, &str)]) -> Bench<DocsisPie<Pkt>> {
        Bench::new(DocsisPie::new(&params(rows), &SETTING))
    }

    #[test]
    fn the_controller_by_hand() {
        // 40 packets of 1000 bytes at 1 MB/s: 40 ms.
        let mut queue = bench(&[]);
        (0..40).for_each(|_| queue.arrive(0, Pkt::new(0)));
        // 0.25 * 0.030 + 2.5 * 0.040 = 0.1075, over 2048; then 0.0075 over 128.
        queue.tick_until(16_000);
        assert!((queue.probe("drop_prob_") - 0.1075 / 2048.0).abs() < 1e-15);
        queue.tick_until(32_000);
        assert!((queue.probe("drop_prob_") - 0.1075 / 2048.0 - 0.0075 / 128.0).abs() < 1e-15);
        queue.disc.drop_prob = 0.5;
        queue.tick_until(48_000);
        // 0.0075 / 0.5 = 0.015 is below the cap of 0.02.
        assert!((queue.probe("drop_prob_") - 0.515).abs() < 1e-12);
        while queue.depart(50_000).is_some() {}
        queue.tick_until(64_000);
        // 0.25 * -0.010 - 2.5 * 0.040 = -0.1025, times two.
        assert!((queue.probe("drop_prob_") - (0.515 - 0.205)).abs() < 1e-12);
        queue.tick_until(80_000);
        // Twice below 5 ms: -0.005, and 0.98 of the result.
        assert!((queue.probe("drop_prob_") - 0.98 * (0.31 - 0.005)).abs() < 1e-12);
    }

    #[test]
    fn a_third_of_the_buffer_wakes_it_and_the_first_drop_protects_a_burst() {
        let mut queue = bench(&[("limit", "12 pkts")]);
        (queue.disc.drop_prob, queue.disc.qdelay_old) = (0.8, 0.1);
        queue.rng.0 = 0.1;
        (0..5).for_each(|_| queue.arrive(0, Pkt::new(0)));
        // Number 4 finds a third of twelve: 0.78125 are added, too few for a drop.
        assert_eq!((queue.dropped(), queue.probe("state")), (vec![], 1.0));
        queue.arrive(0, Pkt::new(0));
        assert_eq!((queue.dropped(), queue.probe("state"), queue.probe("accu_prob_")), (vec![5], 2.0, 0.0));
        (0..4).for_each(|_| queue.arrive(0, Pkt::new(0)));
        assert_eq!(queue.dropped(), [5], "142 ms are protected");
        queue.tick_until(144_000);
        assert_eq!(queue.probe("drop_prob_"), 0.0);
        assert_eq!(queue.disc.burst_allowance, Span::ZERO);
    }

    #[test]
    fn a_quiet_second_makes_it_inactive_again() {
        let mut queue = bench(&[]);
        queue.disc.state = Activity::Active;
        queue.tick_until(16_000);
        assert_eq!(queue.probe("state"), 1.0);
        // 63 further steps are 1.008 s.
        queue.tick_until(63 * 16_000);
        assert_eq!(queue.probe("state"), 1.0);
        queue.tick_until(64 * 16_000);
        assert_eq!(queue.probe("state"), 0.0);
    }

    #[test]
    fn sizes_and_rules() {
        assert_eq!([1, 64, 65, 1500, 9000].map(quantised), [64, 64, 128, 1536, 9000]);
        assert!(refused::<Params>(&[("prob_high", "0.5")])[0].contains("must exceed prob_low"));
    }
}
