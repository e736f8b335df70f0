//! Controlled Delay.
//!
//! Reference: RFC8289, its section 5; NJ12 for the count rule before it.
//! Units: `target`, `interval` and `ce_threshold` are spans; `limit` counts packets or bytes; `mtu` counts
//! bytes.
//! Deviations: none from RFC8289. Each difference between its implementations is a named option, and a
//! dialect is a row of options. A signal counts as early: it falls by schedule, not by chance.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the options, the dialects, and a queue under the law |
//! | `law.rs` | the law itself, without packets |

mod law;

pub(crate) use law::{CoDelLaw, CoDelState};

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Param, Preset, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Span};

units::choices! {
    /// Initial `count` of a new dropping state.
    pub enum CountRule {
        /// The drops of the last dropping state, if there were at least two and it ended recently; else 1.
        SinceEntry = "since_entry",
        /// Two less than the last `count`, if it ended recently; else 1.
        MinusTwo = "minus_two",
        /// Always 1.
        Restart = "restart",
    }
}

units::choices! {
    /// How `1/sqrt(count)` is computed.
    pub enum Root {
        /// As a real number.
        Exact = "exact",
        /// One step of Newton's iteration for each change of `count`, kept in 16 bits.
        Newton = "newton",
    }
}

units::choices! {
    /// The unit of time.
    pub enum ScheduleClock {
        /// Nanoseconds.
        Exact = "exact",
        /// 1024 ns, in 32 bits, compared by the sign of the difference: right across the wrap.
        Ticks = "ticks",
        /// 1024 ns, in 32 bits, compared as they stand: wrong once they wrap, after 73 minutes.
        TicksNoWrap = "ticks_no_wrap",
    }
}

units::choices! {
    /// Time from which the next signal after a mark is scheduled.
    pub enum MarkSchedule {
        /// The time at which the mark was due, as after a drop.
        Due = "due",
        /// The present.
        Now = "now",
    }
}

units::choices! {
    /// Packets that `ce_threshold` marks.
    pub enum CeFor {
        /// All that are ECN-capable.
        Capable = "capable",
        /// Packets with ECT(1).
        Ect1 = "ect1",
    }
}

units::params! {
    /// A queue that drops or marks by schedule while packets wait too long.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { source: "Linux codel" },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Acceptable sojourn time.
        target: Span = Span::from_millis(5) => { range: Range::Positive, source: "RFC8289" },
        /// Time for which `target` must be exceeded before the first signal: about the largest round-trip
        /// time.
        interval: Span = Span::from_millis(100) => { range: Range::Positive, source: "RFC8289" },
        /// Backlog up to which nothing is dropped. `auto`: the largest packet seen so far.
        mtu: Option<Bytes> = None => { source: "RFC8289" },
        /// Whether ECN-capable packets are marked instead of dropped.
        ecn: bool = false => { source: "Linux codel" },
        /// Initial `count` of a new dropping state.
        count_rule: CountRule = CountRule::SinceEntry => { source: "RFC8289" },
        /// Up to how many intervals after the last scheduled drop a dropping state resumes its rate.
        resume_intervals: u64 = 16 => { unit: "1", range: Range::Within(1.0, 1e6), source: "RFC8289" },
        /// How `1/sqrt(count)` is computed.
        root: Root = Root::Exact => { source: "RFC8289" },
        /// The unit of time.
        clock: ScheduleClock = ScheduleClock::Exact => { source: "RFC8289" },
        /// Whether an interval above target must be exceeded, not only reached.
        above_after: bool = false => { source: "RFC8289" },
        /// Time from which the next signal after a mark is scheduled.
        mark_schedule: MarkSchedule = MarkSchedule::Due => { source: "Linux codel" },
        /// Sojourn time above which every packet that `ce_for` selects is marked, in addition to CoDel's
        /// marks. Zero: never.
        ce_threshold: Span = Span::ZERO => { source: "Linux codel" },
        /// Packets that `ce_threshold` marks.
        ce_for: CeFor = CeFor::Capable => { source: "Linux codel" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        check_times(self.target, self.interval, problems);
    }
}

/// Checks the two times against each other, for every discipline that has them.
pub(crate) fn check_times(target: Span, interval: Span, problems: &mut Vec<Problem>) {
    let rule = "must lie below interval, which is a round-trip time";
    require(problems, target < interval, "target", target.show(), rule, "5 % to 10 % of interval is usual");
    // Ticks of 1024 ns count from here.
    require(problems, target.0 >= 1024, "target", target.show(), "must be at least 1024 ns", "");
    require(problems, interval.0 < 1 << 40, "interval", interval.show(), "must be below 18 minutes", "");
}

const DIALECTS: &[Preset] = &[
    Preset { name: "rfc", doc: "RFC 8289 as printed.", options: &[] },
    Preset {
        name: "linux",
        doc: "Linux codel: 1000 packets, clock of 1024 ns, Newton's root in 16 bits, guard of one Ethernet frame.",
        options: &[
            ("limit", "1000 pkts"),
            ("mtu", "1514 B"),
            ("root", "newton"),
            ("clock", "ticks"),
            ("above_after", "true"),
        ],
    },
    Preset {
        name: "ns3",
        doc: "ns-3 CoDelQueueDisc: as Linux with 1.5 MB, a guard of 1500 B, and a clock that fails after 73 minutes.",
        options: &[
            ("limit", "1500000 B"),
            ("mtu", "1499 B"),
            ("root", "newton"),
            ("clock", "ticks_no_wrap"),
            ("above_after", "true"),
            ("mark_schedule", "now"),
        ],
    },
    Preset {
        name: "nj12",
        doc: "The article of 2012: a dropping state within an interval of the last resumes at count - 2.",
        options: &[("count_rule", "minus_two"), ("resume_intervals", "1")],
    },
    Preset {
        name: "freebsd",
        doc: "FreeBSD dummynet: resumes at count - 2 within 8 intervals.",
        options: &[("limit", "1000 pkts"), ("count_rule", "minus_two"), ("resume_intervals", "8")],
    },
];

impl Discipline for Params {
    const TITLE: &'static str = "Controlled Delay";
    const ABOUT: &'static str = "Looks at how long packets waited when they leave. Once the least of these times has \
        stayed above target for an interval it drops or marks a packet, and then the next after \
        interval/sqrt(count), faster and faster until the wait falls below target. It needs no tuning to the rate of the link.";
    const REFERENCE: &'static str = "RFC8289, NJ12";
    type Disc<P: Packet + Copy> = CoDel<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> CoDel<P> {
        CoDel::new(params)
    }
}

/// State of a CoDel queue.
#[derive(Clone, Debug)]
pub struct CoDel<P> {
    queue: Fifo<P>,
    law: CoDelLaw,
    state: CoDelState,
}

impl<P: Packet + Copy> CoDel<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>) -> CoDel<P> {
        CoDel {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            law: CoDelLaw::new(params),
            state: CoDelState::default(),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for CoDel<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if self.queue.has_room(&pkt, cx) {
            self.state.arrived(pkt.size());
            self.queue.push(pkt, cx);
        } else {
            cx.drop(pkt, Reason::Overflow);
        }
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.law.dequeue(&mut self.state, &mut self.queue, cx)
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
        Decides::Later
    }

    fn probe(&self, out: &mut Probe) {
        out.note("sojourn_ms", self.state.sojourn().as_millis());
        out.note("count", f64::from(self.state.count()));
        out.note("dropping", f64::from(u8::from(self.state.dropping())));
    }
}

#[cfg(test)]
mod tests;
