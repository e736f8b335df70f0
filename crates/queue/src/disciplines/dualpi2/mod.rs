//! Two coupled queues: one for scalable flows, one for classic ones, under one controller.
//!
//! Reference: RFC9332, its sections 2 and 4 and appendix A; the scheduler is that of Linux dualpi2.
//! Units: `target`, `t_update` and the marking thresholds are spans, `alpha` and `beta` per second; `limit`
//! counts packets or bytes; probabilities are plain.
//! Deviations: of the schedulers that RFC9332 allows, a weighted deficit round robin. At most `limit` packets
//! wait in both queues together.

mod law;

use alloc::vec::Vec;
use law::{Controller, Marking};

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use units::param::{require, Check, Param, Preset, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Ecn, Span, Time};

units::choices! {
    /// How a probability becomes a decision.
    pub enum Draw {
        /// By a draw for each packet.
        Random = "random",
        /// By a running sum of the probabilities: one of every 1/p packets, evenly spaced.
        Recurring = "recurring",
    }
}

units::choices! {
    /// Treatment of the low-latency queue under overload.
    pub enum Overload {
        /// Its packets are dropped like classic ones.
        Drop = "drop",
        /// Its packets are only marked: the classic queue starves, or the buffer overflows.
        Mark = "mark",
    }
}

units::params! {
    /// Two coupled queues for scalable and classic flows.
    pub struct Params {
        /// Limit of both queues together, in packets or bytes.
        limit: Amount = Amount::Packets(10000.0) => { source: "Linux dualpi2" },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target delay of the classic queue.
        target: Span = Span::from_millis(15) => { range: Range::Positive, source: "RFC9332" },
        /// Time between two steps of the controller.
        t_update: Span = Span::from_millis(16) => { range: Range::Positive, source: "RFC9332" },
        /// Weight of the distance from the target, per second.
        alpha: f64 = 0.16 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "RFC9332" },
        /// Weight of the change since the last step, per second.
        beta: f64 = 3.2 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "RFC9332" },
        /// Scalable marks per unit of the controller's output: `k`.
        coupling: f64 = 2.0 => { unit: "1", range: Range::Within(1.0, 100.0), source: "RFC9332" },
        /// Sojourn in the low-latency queue from which it marks independently of the coupling.
        min_th: Span = Span::from_micros(800) => { source: "RFC9332" },
        /// Further sojourn at which it marks every packet. Zero: a step.
        range: Span = Span::from_micros(400) => { source: "RFC9332" },
        /// Most packets left in the low-latency queue with which it marks by the coupling only.
        min_len: u64 = 0 => { unit: "1", source: "RFC9332" },
        /// Minimum share of the link for the classic queue while the low-latency queue is backlogged.
        classic_share: f64 = 0.1 => { unit: "1", range: Range::Between(0.0, 1.0), source: "Linux dualpi2" },
        /// How a probability becomes a decision.
        draw: Draw = Draw::Recurring => { source: "RFC9332" },
        /// Treatment of the low-latency queue under overload.
        overload: Overload = Overload::Drop => { source: "RFC9332" },
        /// Whether capable packets of the classic queue are marked instead of dropped.
        ecn: bool = true => { source: "RFC9332" },
        /// Bytes waiting up to which nothing is dropped or marked by the controller.
        guard: Bytes = Bytes(0) => { source: "Linux dualpi2" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let rule = format!(
            "must exceed min_th and range ({}), or the classic queue is the faster",
            self.top().show()
        );
        require(problems, self.target > self.top(), "target", self.target.show(), rule, "");
        let (tick, least) = (self.t_update, Span::from_micros(1));
        require(problems, tick >= least, "t_update", tick.show(), "must be at least 1 us", "");
    }
}

impl Params {
    /// Delay from which the low-latency queue marks every packet.
    fn top(&self) -> Span {
        self.min_th + self.range
    }
}

const DIALECTS: &[Preset] = &[
    Preset {
        name: "rfc",
        doc: "RFC 9332 appendix A: a ramp from 0.8 to 1.2 ms, evenly spaced marks, the controller fed by the slower of the two queues.",
        options: &[("min_len", "1")],
    },
    Preset {
        name: "linux",
        doc: "Linux dualpi2: a step at 1 ms, a draw for each packet, nothing while two frames or less wait.",
        options: &[("min_th", "1 ms"), ("range", "0 s"), ("draw", "random"), ("guard", "3027 B")],
    },
];

impl Discipline for Params {
    const TITLE: &'static str = "DualPI2";
    const ABOUT: &'static str = "Puts packets with ECT(1) or CE into a low-latency queue and all others into a classic one. \
        A controller holds the delay of the classic queue by drops or marks with the square of its output; the other is \
        marked with twice the output, or by its own short threshold, so that scalable flows get about as much as classic \
        ones at a fraction of the delay.";
    const REFERENCE: &'static str = "RFC9332";
    type Disc<P: Packet + Copy> = DualPi2<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> DualPi2<P> {
        DualPi2::new(params)
    }
}

/// One of the two queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    LowLatency,
    Classic,
}

/// State of a DualPI2 queue.
#[derive(Clone, Debug)]
pub struct DualPi2<P> {
    low_latency: Fifo<P>,
    classic: Fifo<P>,
    /// The bound of both together.
    limit: Limit,
    controller: Controller,
    marking: Marking,
    ecn: bool,
    guard: u64,
    classic_share: f64,
    /// Bytes the classic queue is owed; below zero, those it has had beyond its share.
    credit: f64,
    t_update: Span,
    next_tick: Time,
}

impl<P: Packet + Copy> DualPi2<P> {
    /// Empty queues, the first step one `t_update` after the start of the run.
    pub fn new(params: &Params) -> DualPi2<P> {
        let unbounded = Limit::Packets(u64::MAX);
        DualPi2 {
            low_latency: Fifo::new(unbounded),
            classic: Fifo::new(unbounded),
            limit: Limit::new(params.limit, params.limit_test),
            controller: Controller::new(params),
            marking: Marking::new(params),
            ecn: params.ecn,
            guard: params.guard.0,
            classic_share: params.classic_share,
            credit: 0.0,
            t_update: params.t_update,
            next_tick: Time::ZERO + params.t_update,
        }
    }

    /// Whether `pkt` fits.
    pub(crate) fn has_room(&self, pkt: &P, cx: &Cx<'_, P>) -> bool {
        let packets = self.low_latency.packets_held(cx) + self.classic.len() as u64;
        let bytes = self.low_latency.bytes_held(cx) + self.classic.backlog().0;
        self.limit.admits(packets, bytes, pkt.size().0)
    }

    /// Bytes waiting in the low-latency queue.
    pub(crate) fn low_latency_backlog(&self) -> Bytes {
        self.low_latency.backlog()
    }

    /// Stores a packet with any ECN field in the classic queue. The caller checks the limit.
    pub(crate) fn push_classic(&mut self, pkt: P, cx: &Cx<'_, P>) {
        self.classic.push(pkt, cx);
    }

    /// Returns the queue whose turn it is: weighted deficit round robin, the low-latency queue first.
    fn turn(&mut self) -> Option<Side> {
        match (self.low_latency.is_empty(), self.classic.is_empty()) {
            (true, true) => None,
            (true, false) => Some(Side::Classic),
            (false, true) => Some(Side::LowLatency),
            (false, false) if self.credit > 0.0 => Some(Side::Classic),
            (false, false) => Some(Side::LowLatency),
        }
    }

    /// Accounts for a packet of one side while the other waits.
    fn charge(&mut self, side: Side, size: u64) {
        let other_waits = match side {
            Side::LowLatency => !self.classic.is_empty(),
            Side::Classic => !self.low_latency.is_empty(),
        };
        let size = size as f64;
        self.credit = match side {
            _ if !other_waits => 0.0,
            Side::LowLatency => self.credit + self.classic_share * size,
            Side::Classic => self.credit - (1.0 - self.classic_share) * size,
        };
    }

    /// Sends, marks or drops a packet of the low-latency queue.
    fn judge_low_latency(&mut self, pkt: P, cx: &mut Cx<'_, P>) -> Option<P> {
        let sojourn = cx.now.since(pkt.enqueued());
        let own = self.marking.native(sojourn, self.low_latency.len() as u64);
        if self.is_short() {
            return if own >= 1.0 { mark_once(pkt, cx) } else { Some(pkt) };
        }
        if self.controller.drops_low_latency() {
            if self.marking.draws(Side::LowLatency, self.controller.classic(), cx) {
                cx.drop(pkt, Reason::Forced);
                return None;
            }
            return mark_once(pkt, cx);
        }
        let p = own.max(self.controller.coupled());
        if self.marking.draws(Side::LowLatency, p, cx) {
            mark_once(pkt, cx)
        } else {
            Some(pkt)
        }
    }

    /// Sends, marks or drops a packet of the classic queue.
    fn judge_classic(&mut self, pkt: P, cx: &mut Cx<'_, P>) -> Option<P> {
        if self.is_short() || !self.marking.draws(Side::Classic, self.controller.classic(), cx) {
            return Some(pkt);
        }
        if self.ecn && self.controller.is_overloaded() && pkt.ecn().capable() {
            cx.drop(pkt, Reason::Forced);
            return None;
        }
        cx.mark_or_drop(pkt, self.ecn, Reason::Early)
    }

    fn is_short(&self) -> bool {
        self.low_latency.backlog().0 + self.classic.backlog().0 <= self.guard && self.guard > 0
    }

    /// How long the oldest packet of each queue has waited.
    fn delays(&self, now: Time) -> (Span, Span) {
        let head = |queue: &Fifo<P>| queue.head().map_or(Span::ZERO, |pkt| now.since(pkt.enqueued()));
        (head(&self.low_latency), head(&self.classic))
    }
}

/// Marks a packet that does not carry a mark already.
fn mark_once<P: Packet + Copy>(pkt: P, cx: &mut Cx<'_, P>) -> Option<P> {
    if pkt.ecn() == Ecn::Ce {
        Some(pkt)
    } else {
        cx.mark_or_drop(pkt, true, Reason::Early)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for DualPi2<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if !self.has_room(&pkt, cx) {
            cx.drop(pkt, Reason::Overflow);
            return;
        }
        match pkt.ecn() {
            Ecn::Ect1 | Ecn::Ce => self.low_latency.push(pkt, cx),
            Ecn::NotEct | Ecn::Ect0 => self.classic.push(pkt, cx),
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        loop {
            let side = self.turn()?;
            let queue = match side {
                Side::LowLatency => &mut self.low_latency,
                Side::Classic => &mut self.classic,
            };
            let pkt = queue.pop_front()?;
            let sent = match side {
                Side::LowLatency => self.judge_low_latency(pkt, cx),
                Side::Classic => self.judge_classic(pkt, cx),
            };
            if sent.is_some() {
                self.charge(side, pkt.size().0);
                return sent;
            }
        }
    }

    #[inline]
    fn len(&self) -> usize {
        self.low_latency.len() + self.classic.len()
    }

    #[inline]
    fn backlog(&self) -> Bytes {
        self.low_latency.backlog() + self.classic.backlog()
    }

    #[inline]
    fn decides(&self) -> Decides {
        Decides::Later
    }

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        Some(self.next_tick)
    }

    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {
        let (low_latency, classic) = self.delays(self.next_tick);
        self.next_tick += self.t_update;
        self.controller.update(low_latency.max(classic));
    }

    fn probe(&self, out: &mut Probe) {
        out.note("p_base", self.controller.base());
        out.note("p_classic", self.controller.classic());
        out.note("p_coupled", self.controller.coupled());
        out.note("low_latency_pkts", self.low_latency.len() as f64);
        out.note("classic_pkts", self.classic.len() as f64);
    }
}

#[cfg(test)]
mod tests;
