//! CAKE: a shaper, tins of traffic classes, queues fair to hosts and flows, each under COBALT.
//!
//! Reference: HTM18; tc-cake(8) for keywords, code points and defaults; observed in Linux where both are silent.
//! Units: `limit` counts bytes or packets over all tins; rates are bits per second as the wire counts bytes.
//! Deviations: no `autorate-ingress`, no splitting of super-packets. The memory limit of Linux counts the memory of
//! buffers, this one the bytes of packets.

mod ack_filter;
mod flows;
mod isolate;
mod list;
mod longest;
mod params;
mod rounds;
mod sets;
mod tins;
mod wire;

use crate::cobalt::{self, CobaltLaw, Verdict};
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Limit, LimitTest};
use crate::registry::{Discipline, Setting};
pub use ack_filter::AckFilter;
use alloc::vec::Vec;
use flows::Flows;
pub use isolate::{Division, Isolate, Translated};
pub use params::Params;
use tins::Terms;
pub use tins::{ClassIs, Tins};
pub use units::framing::Framing;
use units::framing::LineFraming;
use units::param::{Table, Valid};
use units::{Bytes, Rate, Span, Time};
use wire::Wire;

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

    fn reads_headers(&self) -> bool {
        self.isolate.reads_hosts() || self.ack_filter != AckFilter::Off
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

/// State of a tin.
#[derive(Clone, Debug)]
struct Tin<P> {
    flows: Flows<P>,
    law: CobaltLaw,
    terms: Terms,
    /// When its threshold lets it send next.
    next: Time,
    /// Bytes it may still send in its turn, where there is no shaper.
    deficit: i64,
}

/// State of a CAKE queue.
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
    /// When it does so at the latest, if dropped packets count: two thirds of the rate are left to those that are sent.
    failsafe: Time,
    /// The tin in turn, where there is no shaper.
    turn: usize,
    /// A bit for each tin that has a queue with a turn to come.
    active: u8,
    /// A bit for each tin whose deficit is not above zero.
    spent: u8,
    limit: Limit,
    ack_filter: AckFilter,
    wash: bool,
    ingress: bool,
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
                flows: Flows::new(params.isolate, params.translated, params.division, terms.quantum),
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
                line: LineFraming {
                    overhead: params.overhead.0,
                    least: params.mpu.0,
                    framing: params.framing,
                },
            },
            rate: params.bandwidth,
            next: Time::ZERO,
            failsafe: Time::ZERO,
            turn: 0,
            active: 0,
            spent: u8::MAX,
            limit: Limit::new(params.limit(), LimitTest::After),
            ack_filter: params.ack_filter,
            wash: params.wash,
            ingress: params.ingress,
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

    /// Drops the oldest packet of the longest queue.
    #[cold]
    fn drop_from_longest(&mut self, cx: &mut Cx<'_, P>) {
        let longest = self.tins.iter_mut().enumerate().map(|(i, tin)| (tin.flows.longest(), i));
        let Some(((_, queue), tin)) = longest.max_by_key(|&((bytes, _), i)| (bytes, core::cmp::Reverse(i)))
        else {
            return;
        };
        let gone = self.on_tin(tin, |flows, law| {
            let pkt = flows.pop(queue);
            law.overflowed(flows.state(queue), cx.now);
            pkt
        });
        if let Some(pkt) = gone {
            self.end(tin, pkt, Reason::Overflow, cx);
        }
    }

    /// Drops a packet of a tin; in ingress mode the shaper counts it.
    fn end(&mut self, tin: usize, pkt: P, reason: Reason, cx: &mut Cx<'_, P>) {
        if self.ingress {
            self.advance(tin, self.wire.size(pkt.size()), cx.now);
        }
        cx.drop(pkt, reason);
    }

    /// Drops the acknowledgement that the newest packet of a queue makes redundant, if there is one.
    fn filter_acks(&mut self, tin: usize, queue: usize, cx: &mut Cx<'_, P>) {
        if let Some(place) = self.ack_filter.redundant(self.tins[tin].flows.packets(queue), cx.sacks) {
            if let Some(pkt) = self.on_tin(tin, |flows, _| flows.take(queue, place)) {
                self.end(tin, pkt, Reason::Forced, cx);
            }
        }
    }

    /// The tin to send from: the most urgent within its threshold, else the one that is soonest.
    fn due_tin(&self, now: Time) -> Option<usize> {
        let busy = || self.tins.iter().enumerate().filter(|(i, _)| self.active >> i & 1 == 1);
        let within = busy().rfind(|(_, tin)| tin.next <= now);
        // Of equals the more urgent.
        within.or_else(|| busy().rev().min_by_key(|(_, tin)| tin.next)).map(|(i, _)| i)
    }

    /// The tin whose turn it is by weight.
    fn turn_by_weight(&mut self) -> Option<usize> {
        if self.active == 0 {
            return None;
        }
        let first = self.active.trailing_zeros() as usize;
        let is_alone = self.active == 1 << first;
        if is_alone && self.spent & !self.active & self.existing() == 0 {
            return Some(self.turn_of_the_only(first));
        }
        loop {
            let tin = &mut self.tins[self.turn];
            if tin.deficit >= 0 && self.active >> self.turn & 1 == 1 {
                return Some(self.turn);
            }
            if tin.deficit <= 0 {
                tin.deficit += tin.terms.weight;
                if tin.deficit > 0 {
                    self.spent &= !(1 << self.turn);
                }
            }
            self.turn = if self.turn + 1 < self.tins.len() { self.turn + 1 } else { 0 };
        }
    }

    /// A bit for each tin.
    fn existing(&self) -> u8 {
        u8::MAX >> (8 - self.tins.len())
    }

    /// The turn of the only tin with something to send, while no other earns credit: rounds in which nothing else
    /// happens.
    #[inline]
    fn turn_of_the_only(&mut self, i: usize) -> usize {
        let tin = &mut self.tins[i];
        while tin.deficit < 0 {
            tin.deficit += tin.terms.weight;
        }
        if tin.deficit > 0 {
            self.spent &= !(1 << i);
        }
        self.turn = i;
        i
    }

    /// Charges the shaper and the tin for a packet of `size` bytes on the wire.
    fn advance(&mut self, i: usize, size: Bytes, now: Time) {
        let tin = &mut self.tins[i];
        tin.deficit -= size.0 as i64;
        if tin.deficit <= 0 {
            self.spent |= 1 << i;
        }
        if let Some(rate) = self.rate {
            let own = tin.terms.rate.time_for(size);
            // Behind its threshold it catches up; beyond it, it owes one packet at most.
            tin.next = if tin.next < now { tin.next + own } else { tin.next.max(now + own) };
            self.next += rate.time_for(size);
        }
    }

    /// The next packet of a queue that its law lets go; the last one is never dropped.
    fn packet_of(&mut self, tin: usize, queue: usize, cx: &mut Cx<'_, P>) -> Option<P> {
        loop {
            let Tin { flows, law, terms, .. } = &mut self.tins[tin];
            let pkt = flows.pop(queue)?;
            (self.len, self.bytes) = (self.len - 1, self.bytes - pkt.size().0);
            let sojourn = cx.now.since(pkt.enqueued());
            let queues = if self.ingress { flows.bulk_queues() } else { 0 };
            let late = terms.is_late(sojourn, queues);
            let last = flows.packets(queue).is_empty();
            let capable = law.ecn() && pkt.ecn().capable();
            let reason = match law.judge(flows.state(queue), sojourn, late, pkt.ecn().capable(), cx) {
                Verdict::Send => return Some(pkt),
                Verdict::Signal if capable => return cx.mark_or_drop(pkt, true, Reason::Early),
                Verdict::Signal => Reason::Early,
                Verdict::Drop => Reason::Forced,
            };
            if last {
                return Some(pkt);
            }
            if self.ingress {
                let size = self.wire.size(pkt.size());
                self.tins[tin].flows.charge(queue, size.0);
            }
            self.end(tin, pkt, reason, cx);
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
            if self.len == 0 && self.next < cx.now {
                (self.next, self.failsafe) = (cx.now, cx.now);
            }
        }
        let queue = tin.flows.push(pkt, cx);
        (self.len, self.bytes) = (self.len + 1, self.bytes + pkt.size().0);
        self.active |= 1 << i;
        if self.ack_filter != AckFilter::Off {
            self.filter_acks(i, queue, cx);
        }
        while self.len > 0 && self.over(cx) {
            self.drop_from_longest(cx);
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
            let Some(queue) = turn else { continue };
            let Some(mut pkt) = self.packet_of(tin, queue, cx) else {
                let Tin { flows, law, .. } = &mut self.tins[tin];
                flows.nothing_from(queue, law, cx.now);
                if flows.active() == 0 {
                    self.active &= !(1 << tin);
                }
                continue;
            };
            let size = self.wire.size(pkt.size());
            self.tins[tin].flows.charge(queue, size.0);
            self.advance(tin, size, cx.now);
            if let Some(rate) = self.rate {
                self.failsafe += Span(rate.time_for(size).0 * 3 / 2);
            }
            if self.wash {
                pkt.set_class(0);
            }
            return Some(pkt);
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
        let next = if self.ingress { self.next.min(self.failsafe) } else { self.next };
        self.rate.filter(|_| self.len > 0).map(|_| next)
    }

    fn probe(&self, out: &mut Probe) {
        out.note("active_flows", self.tins.iter().map(|tin| tin.flows.active()).sum::<usize>() as f64);
    }
}

#[cfg(test)]
mod tests;
