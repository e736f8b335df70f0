//! CoDel and BLUE, alternated.
//!
//! Reference: HTM18, its section on COBALT; RFC8289 for CoDel.
//! Units: `target`, `interval`, `blue_threshold` are spans; `limit` counts packets or bytes; `step_up` and
//! `step_down` are probabilities.
//! Deviations: HTM18 describes the scheme in words. Where it leaves a case open, this follows the observed
//! behaviour of CAKE: the count falls by one for each time that the schedule passes without a signal, a
//! signal that falls due is given in the first overlong interval too, and BLUE drops packets even if they are
//! ECN-capable.

pub(crate) mod law;

pub(crate) use law::{CobaltLaw, CobaltState, Verdict};

use crate::codel::{check_times, Root};
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Preset, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Span};

units::choices! {
    /// When the very first signal of a queue is due.
    pub enum FirstSignal {
        /// An interval after the sojourn time first exceeds `target`, as for every later dropping state.
        Interval = "interval",
        /// At the second packet above `target`: the uninitialised root of the count is zero.
        AtOnce = "at_once",
    }
}

units::choices! {
    /// When the first signal is due of a queue that had no excess sojourn time for an interval.
    pub enum AfterPause {
        /// An interval after the sojourn time first exceeds `target`.
        Interval = "interval",
        /// At the second packet above `target`: by the old schedule a signal is overdue.
        AtOnce = "at_once",
    }
}

units::params! {
    /// A queue under CoDel, and under BLUE when that does not help.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Acceptable sojourn time.
        target: Span = Span::from_millis(5) => { range: Range::Positive, source: "HTM18" },
        /// Time for which `target` must be exceeded before the first signal.
        interval: Span = Span::from_millis(100) => { range: Range::Positive, source: "HTM18" },
        /// When the very first signal of a queue is due.
        first_signal: FirstSignal = FirstSignal::Interval => { source: "HTM18" },
        /// When the first signal after a pause of an interval is due.
        after_pause: AfterPause = AfterPause::Interval => { source: "HTM18" },
        /// How `1/sqrt(count)` is computed.
        root: Root = Root::Exact => { source: "HTM18" },
        /// Whether ECN-capable packets are marked instead of dropped, by CoDel.
        ecn: bool = false => { assumed: true },
        /// Added to BLUE's probability when the buffer overflows, once per target at most.
        step_up: f64 = 0.00390625 => { unit: "1", range: Range::Within(0.0, 1.0), source: "HTM18" },
        /// Taken from BLUE's probability when the queue is empty, once per target at most.
        step_down: f64 = 0.000244140625 => { unit: "1", range: Range::Within(0.0, 1.0), source: "HTM18" },
        /// Sojourn above which BLUE's probability rises as if the buffer overflowed. Zero: never.
        blue_threshold: Span = Span::ZERO => { source: "ns-3" },
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

const DIALECTS: &[Preset] = &[
    Preset {
        name: "cake",
        doc:
            "As in each queue of Linux CAKE: marks ECN-capable packets; the first signal ever comes at once.",
        options: &[
            ("ecn", "true"),
            ("first_signal", "at_once"),
            ("after_pause", "at_once"),
            ("root", "newton"),
        ],
    },
    Preset {
        name: "ns3",
        doc: "ns-3 CobaltQueueDisc: 1.5 MB, and BLUE also above 400 ms.",
        options: &[
            ("limit", "1500000 B"),
            ("after_pause", "at_once"),
            ("root", "newton"),
            ("blue_threshold", "400 ms"),
        ],
    },
];

impl Discipline for Params {
    const TITLE: &'static str = "COBALT";
    const ABOUT: &'static str = "CoDel whose count falls as it rose, one for each slot of the schedule, so that it finds \
        back to a load it knows; and in addition BLUE, whose probability rises when the buffer overflows, against flows \
        that do not respond to CoDel's few signals.";
    const REFERENCE: &'static str = "HTM18, RFC8289";
    type Disc<P: Packet + Copy> = Cobalt<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Cobalt<P> {
        Cobalt::new(params)
    }
}

/// State of a COBALT queue.
#[derive(Clone, Debug)]
pub struct Cobalt<P> {
    queue: Fifo<P>,
    law: CobaltLaw,
    state: CobaltState,
}

impl<P: Packet + Copy> Cobalt<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>) -> Cobalt<P> {
        Cobalt {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            law: CobaltLaw::new(params),
            state: CobaltState::default(),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Cobalt<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if self.queue.has_room(&pkt, cx) {
            self.queue.push(pkt, cx);
        } else {
            self.law.overflowed(&mut self.state, cx.now);
            cx.drop(pkt, Reason::Overflow);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let Cobalt { queue, law, state, .. } = self;
        law.send(state, || queue.pop_front(), cx)
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
        self.state.probe(out);
    }
}

#[cfg(test)]
mod tests;
