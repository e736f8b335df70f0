//! Proportional Integral controller Enhanced.
//!
//! Reference: RFC8033, its sections 4 and 5.
//! Units: `target`, `t_update`, `max_burst` are spans, `alpha` and `beta` per second; `limit` counts packets
//! or bytes.
//! Deviations: the burst allowance is renewed at a tick, not at an arrival. A packet that leaves an empty
//! queue makes a delay of zero. The parts that RFC8033 offers as additional are options, most of them on.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the options, the dialects, and a queue under the law |
//! | `law.rs` | the controller, without packets |

mod law;

pub(crate) use law::{Backlog, Departure, PieLaw, PieState};

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest, Unit};
use crate::registry::{Discipline, Setting};
use alloc::string::ToString;
use alloc::vec::Vec;
use units::param::{require, Check, Param, Preset, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Span, Time};

units::choices! {
    /// How the delay of the queue is measured.
    pub enum Delay {
        /// Sojourn time of the last departed packet; zero if it left an empty queue.
        Timestamp = "timestamp",
        /// Backlog over the departure rate, measured while the backlog is at least `dq_threshold`.
        Rate = "rate",
        /// Backlog over the rate of the link.
        Backlog = "backlog",
    }
}

units::choices! {
    /// Events that use up the burst allowance.
    pub enum BurstClock {
        /// Each tick, by `t_update`.
        Tick = "tick",
        /// Each departure, by the time since the last.
        Departure = "departure",
    }
}

units::choices! {
    /// The delay that decides that the queue is uncongested.
    pub enum Judged {
        /// Delay of the last tick.
        Old = "old",
        /// The most recent delay.
        Latest = "latest",
    }
}

units::choices! {
    /// Whether the guard applies to exactly two packets.
    pub enum GuardTest {
        /// It does.
        UpTo = "up_to",
        /// It does not.
        Below = "below",
    }
}

units::params! {
    /// A queue that drops arrivals with a probability that a controller sets.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { source: "Linux pie" },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target delay: `QDELAY_REF`.
        target: Span = Span::from_millis(15) => { range: Range::Positive, source: "RFC8033" },
        /// Time between two steps of the controller.
        t_update: Span = Span::from_millis(15) => { range: Range::Positive, source: "RFC8033" },
        /// When the controller makes its first step. `auto`: after one `t_update`.
        first_update: Option<Span> = None => { range: Range::Positive, source: "RFC8033" },
        /// Weight of the distance from the target, per second.
        alpha: f64 = 0.125 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "RFC8033" },
        /// Weight of the change since the last tick, per second.
        beta: f64 = 1.25 => { unit: "1/s", range: Range::Within(0.0, 1000.0), source: "RFC8033" },
        /// Burst allowance: time in which nothing is dropped.
        max_burst: Span = Span::from_millis(150) => { source: "RFC8033" },
        /// Events that use up the burst allowance.
        burst_clock: BurstClock = BurstClock::Tick => { source: "RFC8033" },
        /// How the delay of the queue is measured.
        delay: Delay = Delay::Timestamp => { source: "RFC8033" },
        /// Bytes over which the departure rate is measured.
        dq_threshold: Bytes = Bytes(16384) => { range: Range::Within(1.0, 65536.0), source: "RFC8033" },
        /// The delay that decides that the queue is uncongested.
        judged: Judged = Judged::Old => { source: "RFC8033" },
        /// Whether ECN-capable packets are marked instead of dropped.
        ecn: bool = false => { source: "RFC8033" },
        /// Probability above which packets are dropped even if they are ECN-capable.
        mark_limit: f64 = 0.1 => { unit: "1", range: Range::Within(0.0, 1.0), source: "RFC8033" },
        /// Whether drops are spaced: none before probabilities add up to `accu_low`, one at `accu_high`.
        derandomise: bool = true => { source: "RFC8033" },
        /// Sum of probabilities before which nothing is dropped.
        accu_low: f64 = 0.85 => { unit: "1", range: Range::Within(0.0, 100.0), source: "RFC8033" },
        /// Sum of probabilities at which a packet is dropped without a draw.
        accu_high: f64 = 8.5 => { unit: "1", range: Range::Above(0.0, 1000.0), source: "RFC8033" },
        /// Whether a step upward is at most 0.02 once the probability is 0.1.
        cap_step: bool = true => { source: "RFC8033" },
        /// Delay above which the probability rises by a further 0.02 at each tick. Zero: never.
        surge_delay: Span = Span::ZERO => { source: "Linux pie" },
        /// Upper bound on the probability. One above 1 takes time to fall, during which everything is
        /// dropped.
        most_prob: f64 = 1.0 => { unit: "1", range: Range::Within(1.0, 1e6), source: "RFC8033" },
        /// Factor of the probability at each tick while there is no delay.
        decay: f64 = 0.98 => { unit: "1", range: Range::Within(0.0, 1.0), source: "RFC8033" },
        /// Whether it decays only if the queue is empty at the tick, too.
        decay_if_empty: bool = false => { source: "RFC8033" },
        /// Share of `limit` that must be queued before the controller starts. Zero: it is always active.
        active_share: f64 = 0.0 => { unit: "1", range: Range::Within(0.0, 1.0), source: "RFC8033" },
        /// Unit of the guard, which prevents drops while at most two packets are queued.
        guard_unit: Unit = Unit::Bytes => { source: "RFC8033" },
        /// Whether the guard applies to exactly two packets.
        guard_test: GuardTest = GuardTest::UpTo => { source: "RFC8033" },
        /// Bytes of a typical packet: for the guard and the byte mode. `auto`: as in the link's traffic.
        mean_packet: Option<Bytes> = None => { range: Range::Positive, source: "RFC8033" },
        /// Whether smaller packets are dropped less, in proportion to their size.
        byte_mode: bool = false => { source: "RFC8033" },
    }
}

/// The options of the controller: those that FQ-PIE has as well.
pub(crate) type Options = Params;

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let rule = format!("must exceed accu_low ({})", self.accu_low);
        require(problems, self.accu_high > self.accu_low, "accu_high", self.accu_high, rule, "");
        let (tick, least) = (self.t_update, Span::from_micros(1));
        require(problems, tick >= least, "t_update", tick.show(), "must be at least 1 us", "");
    }
}

const DIALECTS: &[Preset] = &[
    Preset {
        name: "rfc",
        doc: "RFC 8033 with all that its section 5 adds: departure rate measured, off below a third of the buffer, \
              drops spaced, steps capped.",
        options: &[("delay", "rate"), ("active_share", "1/3")],
    },
    Preset {
        name: "rfc_basic",
        doc: "RFC 8033 section 4 alone: a draw for each packet, steps not capped.",
        options: &[("derandomise", "false"), ("cap_step", "false")],
    },
    Preset {
        name: "linux",
        doc: "Linux pie, kernel of 1000 Hz: steps of 16 ms, the first after half a second; a probability that may wind up above 1; \
              guard of two frames, 0.02 more a tick above 250 ms, decay by 1/64.",
        options: LINUX,
    },
    Preset {
        name: "linux_hz250",
        doc: "Linux pie where the kernel's clock ticks every 4 ms: 15 ms become 20. Inferred from the kernel of 1 ms.",
        options: &[
            ("t_update", "20 ms"),
            ("first_update", "500 ms"),
            ("burst_clock", "departure"),
            ("judged", "latest"),
            ("surge_delay", "250 ms"),
            ("most_prob", "256"),
            ("decay", "0.984375"),
            ("decay_if_empty", "true"),
            ("guard_test", "below"),
            ("mean_packet", "1514 B"),
        ],
    },
    Preset {
        name: "ns3",
        doc: "ns-3 PieQueueDisc: 25 packets, no spacing of drops, guard of two packets.",
        options: &[
            ("limit", "25 pkts"),
            ("derandomise", "false"),
            ("guard_unit", "packets"),
            ("mean_packet", "1000 B"),
        ],
    },
];

const LINUX: &[(&str, &str)] = &[
    ("t_update", "16 ms"),
    ("first_update", "500 ms"),
    ("burst_clock", "departure"),
    ("judged", "latest"),
    ("surge_delay", "250 ms"),
    ("most_prob", "256"),
    ("decay", "0.984375"),
    ("decay_if_empty", "true"),
    ("guard_test", "below"),
    ("mean_packet", "1514 B"),
];

impl Discipline for Params {
    const TITLE: &'static str = "PIE";
    const ABOUT: &'static str = "Estimates the delay of the queue and, at regular ticks, moves the probability of a drop \
        in proportion to the distance from a target and to the change since the last tick. Drops fall on arriving \
        packets; bursts up to an allowance pass.";
    const REFERENCE: &'static str = "RFC8033";
    type Disc<P: Packet + Copy> = Pie<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Pie<P> {
        Pie::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let auto = self.mean_packet.is_none();
        auto.then(|| ("mean_packet".to_string(), setting.packet.show())).into_iter().collect()
    }
}

impl Params {
    /// The controller in a setting.
    pub(crate) fn law(&self, setting: &Setting) -> PieLaw {
        let packet = self.mean_packet.unwrap_or(setting.packet);
        let byte_time = 1.0 / setting.packets_per_sec(Bytes(1));
        PieLaw::new(self.clone(), self.limit.in_bytes(packet), packet.0.max(1), byte_time)
    }
}

/// State of a PIE queue.
#[derive(Clone, Debug)]
pub struct Pie<P> {
    queue: Fifo<P>,
    law: PieLaw,
    state: PieState,
    t_update: Span,
    next_tick: Time,
}

impl<P: Packet + Copy> Pie<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Pie<P> {
        let law = params.law(setting);
        Pie {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            state: law.start(),
            law,
            t_update: params.t_update,
            next_tick: Time::ZERO + params.first_update.unwrap_or(params.t_update),
        }
    }

    #[inline]
    fn held(&self, cx: &Cx<'_, P>) -> Backlog {
        Backlog { packets: self.queue.packets_held(cx), bytes: self.queue.bytes_held(cx) }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Pie<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if !self.queue.has_room(&pkt, cx) {
            self.law.overflowed(&mut self.state);
            cx.drop(pkt, Reason::Overflow);
            return;
        }
        let found = self.held(cx);
        let kept = if self.law.drops(&mut self.state, pkt.size().0, found, cx) {
            signal(&self.law, &self.state, pkt, cx)
        } else {
            Some(pkt)
        };
        if let Some(kept) = kept {
            self.queue.push(kept, cx);
            let backlog = self.held(cx);
            self.law.stored(&mut self.state, backlog);
        }
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let pkt = self.queue.pop_front()?;
        let left = Backlog { packets: self.queue.len() as u64, bytes: self.queue.backlog().0 };
        let sojourn = cx.now.since(pkt.enqueued());
        self.law.departed(&mut self.state, Departure { sojourn, size: pkt.size().0, left }, cx.now);
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

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        Some(self.next_tick)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        self.next_tick += self.t_update;
        let backlog = self.held(cx);
        self.law.update(&mut self.state, backlog);
    }

    fn probe(&self, out: &mut Probe) {
        out.note("drop_prob", self.state.drop_prob());
        out.note("qdelay_ms", self.state.delay_ms());
        out.note("burst_allowance_ms", self.state.burst_ms());
    }
}

/// Answers the controller's signal. With ECN on and marking given up, a drop of an ECN-capable packet is a
/// forced one.
#[inline]
pub(crate) fn signal<P: Packet + Copy>(
    law: &PieLaw,
    state: &PieState,
    pkt: P,
    cx: &mut Cx<'_, P>,
) -> Option<P> {
    let marks = law.marks(state);
    let reason =
        if law.gives_up_marks(state) && pkt.ecn().capable() { Reason::Forced } else { Reason::Early };
    cx.mark_or_drop(pkt, marks, reason)
}

#[cfg(test)]
mod tests;
