//! CAKE: a shaper, tins of traffic classes, queues fair to hosts and flows, each under COBALT.
//!
//! Reference: HTM18; tc-cake(8) for keywords, code points and defaults; observed in Linux where both are silent.
//! Units: `limit` counts bytes or packets over all tins; rates are bits per second as the wire counts bytes.
//! Deviations: no filter of acknowledgements, no `ingress` mode, no `autorate`, no splitting of super-packets. The memory
//! limit of Linux counts what buffers occupy, this one packets as they are.

mod flows;
mod tins;
mod wire;

use crate::cobalt::{self, CobaltLaw, Verdict};
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
pub use flows::{Division, Isolate};
use flows::{Flows, Turn};
use tins::Terms;
pub use tins::{ClassIs, Tins};
use units::param::{Check, Preset, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Rate, Span, Time};
pub use wire::Framing;
use wire::Wire;

units::params! {
    /// A shaper over tins of fair queues under COBALT.
    pub struct Params {
        /// Rate of the shaper. `auto`: none, the link sets the pace and tins share it by weight.
        bandwidth: Option<Rate> = None => { range: Range::Positive, source: "tc-cake(8)" },
        /// Which tins there are.
        tins: Tins = Tins::DiffServ3 => { source: "tc-cake(8)" },
        /// What the class of a packet is.
        class_is: ClassIs = ClassIs::CodePoint => { assumed: true },
        /// What is kept apart, and between whom the link is shared.
        isolate: Isolate = Isolate::Triple => { source: "tc-cake(8)" },
        /// How the quantum of a queue is divided where its hosts have several; a fraction of a byte is given by chance.
        division: Division = Division::Exact => { assumed: true },
        /// The round trip that flows are expected to have: CoDel's interval.
        interval: Span = Span::from_millis(100) => { range: Range::Positive, source: "tc-cake(8)" },
        /// Sojourn that may stand. `auto`: a twentieth of the interval.
        target: Option<Span> = None => { range: Range::Positive, source: "HTM18" },
        /// Whether ECN-capable packets are marked instead of dropped.
        ecn: bool = true => { source: "HTM18" },
        /// Bytes that each packet takes on the wire beyond its own.
        overhead: Bytes = Bytes(0) => { range: Range::Within(0.0, 256.0), source: "tc-cake(8)" },
        /// Bytes of each packet that are not on that wire, such as the 14 of an Ethernet header.
        uncounted: Bytes = Bytes(0) => { range: Range::Within(0.0, 256.0), source: "tc-cake(8)" },
        /// The least that a packet takes there.
        mpu: Bytes = Bytes(0) => { range: Range::Within(0.0, 256.0), source: "tc-cake(8)" },
        /// What the wire makes of it.
        framing: Framing = Framing::Plain => { source: "tc-cake(8)" },
        /// Most that may wait, in bytes or packets. `auto`: four times what the shaper sends in an interval, at least 4 MB.
        limit: Option<Amount> = None => { source: "tc-cake(8)" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        tins::check(self.target, self.interval, problems);
        if let Some(limit) = self.limit {
            Limit::check(limit, LimitTest::After, problems);
        }
    }
}

const DIALECTS: &[Preset] = &[
    Preset {
        name: "linux",
        doc: "Linux cake with its defaults, and its arithmetic.",
        options: &[("division", "sixteen_bits")],
    },
    Preset {
        name: "besteffort",
        doc: "One tin, whatever packets are marked as.",
        options: &[("tins", "besteffort")],
    },
];

impl Params {
    fn target(&self) -> Span {
        self.target.unwrap_or(Span(self.interval.0 / 20))
    }

    fn limit(&self) -> Amount {
        let least = 4 << 20;
        let window =
            self.bandwidth.map_or(0, |rate| (rate.as_bps() / 8.0 * 4.0 * self.interval.as_secs()) as u64);
        self.limit.unwrap_or(Amount::Bytes(window.max(least) as f64))
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "CAKE";
    const ABOUT: &'static str =
        "What a home gateway needs in one piece: a shaper that counts what packets take on the wire, tins for a few \
        classes of traffic, and in each a queue for every flow, fair to hosts first and then to their flows, under \
        COBALT.";
    const REFERENCE: &'static str = "HTM18";
    type Disc<P: Packet + Copy> = Cake<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Cake<P> {
        Cake::new(params)
    }

    fn resolved(&self, _setting: &Setting) -> Table {
        use units::param::Param;
        let mut table = Table::new();
        if self.target.is_none() {
            table.push(("target".into(), self.target().show()));
        }
        if self.limit.is_none() {
            table.push(("limit".into(), self.limit().show()));
        }
        table
    }

    fn shapes(&self) -> bool {
        self.bandwidth.is_some()
    }
}

/// A tin at work.
#[derive(Clone, Debug)]
struct Tin<P> {
    flows: Flows<P>,
    law: CobaltLaw,
    terms: Terms,
    /// When its threshold lets it send next.
    next: Time,
    /// What it may still send in its turn, where there is no shaper.
    deficit: i64,
}

/// CAKE at work.
#[derive(Clone, Debug)]
pub struct Cake<P> {
    /// The least urgent first.
    tins: Vec<Tin<P>>,
    kind: Tins,
    class_is: ClassIs,
    wire: Wire,
    rate: Option<Rate>,
    /// When the shaper lets the next packet go.
    next: Time,
    /// The tin in turn, where there is no shaper.
    turn: usize,
    limit: Limit,
    len: usize,
    bytes: u64,
}

impl<P: Packet + Copy> Cake<P> {
    /// Empty queues.
    pub fn new(params: &Valid<Params>) -> Cake<P> {
        let each = Terms::of(params.tins, params.bandwidth, params.target(), params.interval);
        let tin = |terms: Terms| {
            let law = cobalt::Params {
                target: terms.target,
                interval: terms.interval,
                ecn: params.ecn,
                first_signal: cobalt::FirstSignal::AtOnce,
                after_pause: cobalt::AfterPause::AtOnce,
                root: crate::codel::Root::Newton,
                ..cobalt::Params::default()
            };
            Tin {
                flows: Flows::new(params.isolate, params.division, terms.quantum),
                law: CobaltLaw::new(&law),
                terms,
                next: Time::ZERO,
                deficit: 0,
            }
        };
        Cake {
            tins: each.into_iter().map(tin).collect(),
            kind: params.tins,
            class_is: params.class_is,
            wire: Wire {
                uncounted: params.uncounted.0,
                overhead: params.overhead.0,
                least: params.mpu.0,
                framing: params.framing,
            },
            rate: params.bandwidth,
            next: Time::ZERO,
            turn: 0,
            limit: Limit::new(params.limit(), LimitTest::After),
            len: 0,
            bytes: 0,
        }
    }

    /// Runs `act` on a tin and updates the totals.
    #[inline]
    fn on_tin<R>(&mut self, i: usize, act: impl FnOnce(&mut Flows<P>, &CobaltLaw) -> R) -> R {
        let tin = &mut self.tins[i];
        let (len, bytes) = (tin.flows.len, tin.flows.bytes);
        let result = act(&mut tin.flows, &tin.law);
        self.len = self.len - len + tin.flows.len;
        self.bytes = self.bytes - bytes + tin.flows.bytes;
        result
    }

    fn over(&self, cx: &Cx<'_, P>) -> bool {
        let packets = self.len as u64 + u64::from(cx.on_wire.0 > 0);
        !self.limit.admits(packets.saturating_sub(1), self.bytes + cx.on_wire.0, 0)
    }

    /// Ends the oldest packet of the fattest queue.
    #[cold]
    fn cut_fattest(&mut self, cx: &mut Cx<'_, P>) {
        let fattest = self.tins.iter().enumerate().map(|(i, tin)| (tin.flows.fattest(), i));
        let Some(((_, queue), tin)) = fattest.max_by_key(|&((bytes, _), i)| (bytes, core::cmp::Reverse(i)))
        else {
            return;
        };
        let gone = self.on_tin(tin, |flows, law| {
            let pkt = flows.pop(queue);
            law.overflowed(flows.state(queue), cx.now);
            pkt
        });
        if let Some(pkt) = gone {
            cx.drop(pkt, Reason::Overflow);
        }
    }

    /// The tin to send from: the most urgent within its threshold, else the one that is soonest.
    fn due_tin(&self, now: Time) -> Option<usize> {
        let busy = || self.tins.iter().enumerate().filter(|(_, tin)| tin.flows.active() > 0);
        let within = busy().rfind(|(_, tin)| tin.next <= now);
        // Of equals the more urgent.
        within.or_else(|| busy().rev().min_by_key(|(_, tin)| tin.next)).map(|(i, _)| i)
    }

    /// The tin whose turn it is by weight.
    fn turn_by_weight(&mut self) -> Option<usize> {
        if self.tins.iter().all(|tin| tin.flows.active() == 0) {
            return None;
        }
        loop {
            let tin = &mut self.tins[self.turn];
            if tin.deficit >= 0 && tin.flows.active() > 0 {
                return Some(self.turn);
            }
            if tin.deficit <= 0 {
                tin.deficit += tin.terms.weight;
            }
            self.turn = (self.turn + 1) % self.tins.len();
        }
    }

    /// Charges the shaper for a packet of `bytes` on the wire.
    fn advance(&mut self, i: usize, size: Bytes, now: Time) {
        let tin = &mut self.tins[i];
        tin.deficit -= size.0 as i64;
        if let Some(rate) = self.rate {
            let own = tin.terms.rate.time_for(size);
            // Behind its threshold it catches up; beyond it, it owes one packet at most.
            tin.next = if tin.next < now { tin.next + own } else { tin.next.max(now + own) };
            self.next += rate.time_for(size);
        }
    }

    /// The next packet of a queue that its law lets go; the last one is never dropped.
    fn packet_of(&mut self, tin: usize, queue: usize, cx: &mut Cx<'_, P>) -> Option<P> {
        let terms = self.tins[tin].terms;
        loop {
            let pkt = self.on_tin(tin, |flows, _| flows.pop(queue))?;
            let sojourn = cx.now.since(pkt.enqueued());
            let late = sojourn > terms.target && sojourn > terms.least;
            let last = self.tins[tin].flows.is_empty(queue);
            let Tin { flows, law, .. } = &mut self.tins[tin];
            let sent = match law.judge(flows.state(queue), sojourn, late, pkt.ecn().capable(), cx) {
                Verdict::Send => Some(pkt),
                Verdict::Signal if last && !(law.ecn() && pkt.ecn().capable()) => Some(pkt),
                Verdict::Signal => cx.mark_or_drop(pkt, law.ecn(), Reason::Early),
                Verdict::Drop if last => Some(pkt),
                Verdict::Drop => {
                    cx.drop(pkt, Reason::Forced);
                    None
                }
            };
            if sent.is_some() {
                return sent;
            }
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Cake<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let i = self.kind.of(self.class_is.code(pkt.class()));
        let tin = &mut self.tins[i];
        if tin.flows.len == 0 {
            // An idle tin, an idle shaper: no credit for the time gone by.
            tin.next = tin.next.max(cx.now);
            if self.len == 0 {
                self.next = self.next.max(cx.now);
            }
        }
        self.on_tin(i, |flows, _| flows.push(pkt, cx));
        while self.len > 0 && self.over(cx) {
            self.cut_fattest(cx);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        if self.ready().is_some_and(|at| at > cx.now) {
            return None;
        }
        let mut first = true;
        while self.len > 0 {
            let tin = if self.rate.is_some() { self.due_tin(cx.now) } else { self.turn_by_weight() }?;
            let turn = self.tins[tin].flows.turn(first, cx);
            first = false;
            let Turn::Of(queue) = turn else { continue };
            match self.packet_of(tin, queue, cx) {
                Some(pkt) => {
                    let size = self.wire.size(pkt.size());
                    self.tins[tin].flows.sent(queue, size.0);
                    self.advance(tin, size, cx.now);
                    return Some(pkt);
                }
                None => self.on_tin(tin, |flows, law| flows.nothing_from(queue, law, cx.now)),
            }
        }
        None
    }

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn backlog(&self) -> Bytes {
        Bytes(self.bytes)
    }

    #[inline]
    fn decides(&self) -> Decides {
        Decides::Later
    }

    #[inline]
    fn ready(&self) -> Option<Time> {
        self.rate.filter(|_| self.len > 0).map(|_| self.next)
    }

    fn probe(&self, out: &mut Probe) {
        out.note("active_flows", self.tins.iter().map(|tin| tin.flows.active()).sum::<usize>() as f64);
    }
}

#[cfg(test)]
mod tests;
