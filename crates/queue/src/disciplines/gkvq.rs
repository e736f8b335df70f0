//! The virtual queue of Gibbens and Kelly: from the overflow of a counted queue until it is empty, arrivals
//! are marked.
//!
//! Reference: GK99; KS01, section 1, describes it next to AVQ.
//! Units: the virtual queue counts bytes.
//! Deviations: none known; the paper itself was not available. On an unlimited link nothing is ever marked.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Param, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Time};

units::choices! {
    /// The arrivals that an overflow of the virtual queue marks.
    pub enum VirtualMarks {
        /// All, from the overflow until the virtual queue is empty.
        BusyPeriod = "busy_period",
        /// The one that overflows it.
        Overflow = "overflow",
    }
}

units::params! {
    /// A virtual queue of fixed size and rate.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Rate of the virtual queue, as a share of the link's.
        theta: f64 = 0.9 => { unit: "1", range: Range::Above(0.0, 1.0), source: "GK99" },
        /// Buffer of the virtual queue. `auto`: `limit` times `theta`; packets count as typical ones.
        virtual_limit: Option<Amount> = None => { range: Range::Positive, source: "GK99" },
        /// The arrivals that an overflow of the virtual queue marks.
        marks: VirtualMarks = VirtualMarks::BusyPeriod => { source: "GK99" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "GK99" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

impl Params {
    fn virtual_bytes(&self, setting: &Setting) -> f64 {
        let packet = Bytes(setting.packet.0.max(1));
        self.virtual_limit
            .map_or_else(|| self.theta * self.limit.in_bytes(packet), |limit| limit.in_bytes(packet))
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Virtual queue of Gibbens and Kelly";
    const ABOUT: &'static str = "Counts a virtual queue with a smaller buffer, served more slowly than the link. Once it \
        overflows, every arrival is marked until it has run empty: each packet that helped to cause the overflow carries \
        its cost. Draws no random number.";
    const REFERENCE: &'static str = "GK99, KS01";
    type Disc<P: Packet + Copy> = Gkvq<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Gkvq<P> {
        Gkvq::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let auto = self.virtual_limit.is_none();
        let limit = Amount::Bytes(self.virtual_bytes(setting));
        auto.then(|| ("virtual_limit".into(), limit.show())).into_iter().collect()
    }
}

/// State of a queue with a virtual one.
#[derive(Clone, Debug)]
pub struct Gkvq<P> {
    queue: Fifo<P>,
    ecn: bool,
    until_empty: bool,
    /// Bytes a second that the virtual queue serves, and its buffer.
    rate: f64,
    b: f64,
    vq: f64,
    /// Whether the virtual queue has overflowed since it was last empty.
    marking: bool,
    last: Time,
}

impl<P: Packet + Copy> Gkvq<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Gkvq<P> {
        let c = if setting.rate.0 == 0 { 1e15 } else { setting.rate.as_bps() / 8.0 };
        Gkvq {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            ecn: params.ecn,
            until_empty: params.marks == VirtualMarks::BusyPeriod,
            rate: params.theta * c,
            b: params.virtual_bytes(setting),
            vq: 0.0,
            marking: false,
            last: Time::ZERO,
        }
    }

    /// Takes an arrival into the virtual queue; returns whether it is to be marked.
    fn counts(&mut self, size: f64, now: Time) -> bool {
        self.vq -= self.rate * now.since(self.last).as_secs();
        self.last = now;
        if self.vq <= 0.0 {
            (self.vq, self.marking) = (0.0, false);
        }
        let overflows = self.vq + size > self.b;
        if !overflows {
            self.vq += size;
        }
        self.marking = self.until_empty && (self.marking || overflows);
        overflows || self.marking
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Gkvq<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let signal = self.counts(pkt.size().0 as f64, cx.now);
        self.queue.admit(pkt, signal, self.ecn, cx);
    }

    as_fifo!();

    fn probe(&self, out: &mut Probe) {
        out.note("virtual_queue_bytes", self.vq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    fn dropped(marks: &str) -> Vec<u64> {
        // 1 MB/s, virtual 0.5 MB/s, buffer 2500 bytes.
        let rows = [("virtual_limit", "2500 B"), ("theta", "0.5"), ("marks", marks)];
        let mut bench = Bench::new(Gkvq::new(&params(&rows), &SETTING));
        // 0 and 1 fill it to 2000; 2 overflows. After 1 ms 1500 wait: 3 fits, and after 2 ms more 4 too.
        (0..3).for_each(|_| bench.arrive(0, Pkt::new(0)));
        bench.arrive(1000, Pkt::new(0));
        bench.arrive(3000, Pkt::new(0));
        assert_eq!(bench.probe("virtual_queue_bytes"), 2500.0);
        // 5 ms later it is empty at last.
        bench.arrive(8000, Pkt::new(0));
        assert_eq!((bench.probe("virtual_queue_bytes"), bench.rng.1), (1000.0, 0));
        bench.dropped()
    }

    #[test]
    fn an_overflow_marks_one_or_all_until_the_queue_is_empty() {
        assert_eq!(dropped("overflow"), [2]);
        assert_eq!(dropped("busy_period"), [2, 3, 4]);
    }

    #[test]
    fn the_virtual_buffer_follows_the_limit() {
        let resolved = params::<Params>(&[]).resolved(&SETTING);
        assert_eq!(resolved, [("virtual_limit".into(), Amount::Bytes(90_000.0).show())]);
    }
}
