//! The fast path of RED: arrivals and departures under the options of Figure 2 of FJ93, with the result of the slow
//! path.
//!
//! The slow path, [`QueueDisc::enqueue`](crate::disc::QueueDisc::enqueue) in `mod.rs`, defines the law. The methods
//! here give the same bits with fewer instructions. All need [`Red::has_fast_path`].
//!
//! | method | further precondition | what it skips |
//! |---|---|---|
//! | [`Red::enqueue_fast`] | no packet on the wire counts as queued | the options |
//! | [`Red::judge_fast`] | the same, and no idle time | the options, the packet store |
//! | [`Red::judge_fast_with_room`] | the same, and the queue is below its limit | the options, the store, the limit |
//! | [`Red::dequeue_while`] | none | one call for each departure |
//!
//! A method that returns anything but [`FastVerdict::Kept`] leaves the arrival to [`Red::enqueue_slow`] or
//! [`Red::judge_slow`]. Equality tests: `fast_path_equals_the_slow_path` in `tests.rs`, the reference traces, and the
//! comparison of engines in `crates/sim`.
//!
//! Reference: FJ93.
//! Units: as in [`Red`].
//! Deviations: as in [`Red`], bit for bit.

use super::spacing::Marker;
use super::{MarkingCurve, Red, Signal};
use crate::disc::{Cx, Packet, Reason};
use crate::fifo::{Fifo, Limit};
use units::Time;

/// Outcome of the fast path for one arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FastVerdict {
    /// The packet is enqueued; the value is the average queue that it found.
    Kept(f64),
    /// The slow path decides: the average is in the forced region.
    SlowPath {
        /// Queue length that the average has taken in.
        q: f64,
    },
    /// The packet is to be marked early.
    Mark {
        /// Base probability of the average.
        p_b: f64,
    },
    /// The buffer is full.
    Full,
}

impl<P: Packet + Copy, L: MarkingCurve> Red<P, L> {
    /// Whether arrivals take the fast path: all options are those of Figure 2 of FJ93, and the limit is in packets.
    #[inline(always)]
    pub fn has_fast_path(&self) -> bool {
        self.rules.fast_path
    }

    /// Oldest packet of the queue.
    #[inline]
    pub fn head(&self) -> Option<&P> {
        self.queue.head()
    }

    /// Packets of the queue, oldest first.
    pub fn packets(&self) -> impl Iterator<Item = &P> {
        self.queue.iter()
    }

    /// Limit in packets; 0 for a limit in bytes.
    pub fn packet_limit(&self) -> u64 {
        match self.queue.limit() {
            Limit::Packets(most) => most,
            Limit::BytesBefore(_) | Limit::BytesAfter(_) => 0,
        }
    }

    /// Dequeues the oldest packets as long as `leaves` is true, for a driver that learns of departures late. The
    /// enqueue time of a packet stands for its departure time.
    #[inline(always)]
    pub fn dequeue_while(&mut self, leaves: impl FnMut(&P) -> bool) {
        if let Some(last) = self.queue.drop_while(leaves) {
            if self.queue.is_empty() {
                self.q_time = Some(last);
            }
        }
    }

    /// Copy of the state with an empty store for packets of another type.
    pub fn for_packets<Q: Packet + Copy>(&self) -> Red<Q, L>
    where
        L: Clone,
    {
        Red {
            queue: Fifo::new(self.queue.limit()),
            average: self.average.clone(),
            q_time: self.q_time,
            curve: self.curve.clone(),
            marker: self.marker.clone(),
            rules: self.rules,
        }
    }

    /// Replaces the contents of the store by `packets`, oldest first.
    pub fn replace_packets(&mut self, packets: impl Iterator<Item = P>) {
        self.queue.clear();
        packets.for_each(|pkt| self.queue.append(pkt));
    }

    /// Enqueues a packet by the fast path where it is eligible:
    /// [`QueueDisc::enqueue`](crate::disc::QueueDisc::enqueue), inlined.
    #[inline(always)]
    pub fn take(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if self.has_fast_path() && cx.on_wire.0 == 0 {
            match self.enqueue_fast(pkt, cx.now, || cx.uniform()) {
                FastVerdict::Kept(_) => {}
                verdict => self.enqueue_slow(pkt, verdict, cx),
            }
            return;
        }
        let q = self.observe(&pkt, cx);
        self.judge(pkt, q, cx);
    }

    /// All steps of an arrival. `draw` is called only where the outcome depends on a random number.
    #[inline(always)]
    pub fn enqueue_fast(&mut self, mut pkt: P, now: Time, draw: impl FnOnce() -> f64) -> FastVerdict {
        let len = self.queue.len() as u64;
        match self.q_time.take() {
            Some(q_time) if len == 0 => self.average.decay(q_time, now, 0.0),
            _ => self.average.sample(as_real(len)),
        }
        let verdict = self.decide_with_limit(len, draw);
        if let FastVerdict::Kept(_) = verdict {
            pkt.set_enqueued(now);
            self.queue.append(pkt);
        }
        verdict
    }

    /// Judges an arrival that finds `len` packets, without storing it: the driver knows the queue and calls
    /// [`Red::replace_packets`] before it needs the store.
    #[inline(always)]
    pub fn judge_fast(&mut self, len: u64, draw: impl FnOnce() -> f64) -> FastVerdict {
        self.average.sample(as_real(len));
        self.decide_with_limit(len, draw)
    }

    /// [`Red::judge_fast`] for a queue below its limit.
    #[inline(always)]
    pub fn judge_fast_with_room(&mut self, len: u64, draw: impl FnOnce() -> f64) -> FastVerdict {
        self.average.sample(as_real(len));
        self.decide(len, draw)
    }

    #[inline(always)]
    fn decide_with_limit(&mut self, len: u64, draw: impl FnOnce() -> f64) -> FastVerdict {
        match self.decide(len, draw) {
            FastVerdict::Kept(_) if !self.queue.limit().admits_packets(len) => FastVerdict::Full,
            verdict => verdict,
        }
    }

    /// Decision by the average, which includes the sample of this arrival.
    #[inline(always)]
    fn decide(&mut self, len: u64, draw: impl FnOnce() -> f64) -> FastVerdict {
        let avg = self.average.value();
        if avg < self.curve.min_th() {
            self.marker.below_fast();
            return FastVerdict::Kept(avg);
        }
        match self.curve.p_b_unless_forced(avg) {
            Some(p_b) if self.marker.marks_fast(p_b, draw) => FastVerdict::Mark { p_b },
            Some(_) => FastVerdict::Kept(avg),
            None => FastVerdict::SlowPath { q: as_real(len) },
        }
    }

    /// Continues [`Red::judge_fast`] on the slow path; returns the packet if it is kept. The arriving packet is the
    /// only possible victim.
    #[cold]
    #[inline(never)]
    pub fn judge_slow(&mut self, pkt: P, verdict: FastVerdict, len: u64, cx: &mut Cx<'_, P>) -> Option<P> {
        let signal = match verdict {
            FastVerdict::SlowPath { q } => self.congestion(self.average.value(), pkt.size().0, q, cx),
            FastVerdict::Mark { p_b } => Some(Signal::Early { p_b }),
            FastVerdict::Kept(_) | FastVerdict::Full => None,
        };
        let kept = match signal {
            Some(signal) => self.answer(pkt, signal, cx)?,
            None => pkt,
        };
        if self.queue.limit().admits_packets(len) {
            return Some(kept);
        }
        if self.rules.overflow_resets_count {
            self.marker.restart();
        }
        cx.drop(kept, Reason::Overflow);
        None
    }

    /// Continues [`Red::enqueue_fast`] on the slow path.
    #[cold]
    #[inline(never)]
    pub fn enqueue_slow(&mut self, pkt: P, verdict: FastVerdict, cx: &mut Cx<'_, P>) {
        match verdict {
            FastVerdict::Kept(_) => {}
            FastVerdict::SlowPath { q } => return self.judge(pkt, q, cx),
            FastVerdict::Mark { p_b } => {
                if let Some(kept) = self.answer(pkt, Signal::Early { p_b }, cx) {
                    self.store(kept, cx);
                }
            }
            FastVerdict::Full => self.store(pkt, cx),
        }
        if self.queue.is_empty() {
            self.q_time = Some(cx.now);
        }
    }
}

impl Marker {
    /// [`Marker::below`] under the default options.
    #[inline(always)]
    fn below_fast(&mut self) {
        self.count = -1.0;
    }

    /// [`Marker::marks`] under the default options.
    #[inline(always)]
    pub(super) fn marks_fast(&mut self, p_b: f64, draw: impl FnOnce() -> f64) -> bool {
        self.count += 1.0;
        let rest = 1.0 - self.count * p_b;
        let marked = if p_b < rest { p_b > 0.0 && falls_below(draw(), p_b, rest) } else { true };
        if marked {
            self.count = self.after_mark;
        }
        marked
    }
}

/// Returns `u < p / rest` for `0 < p < rest <= 1` and `u` in [0, 1), nearly always without the division: a `u` whose
/// product exceeds `p` by more than the rounding of both products, half an ulp each, exceeds the rounded quotient too.
#[inline(always)]
fn falls_below(u: f64, p: f64, rest: f64) -> bool {
    u * rest <= p * (1.0 + 4.0 * f64::EPSILON) && is_below_quotient(u, p, rest)
}

/// A function of its own so that the division waits until it is needed.
#[cold]
#[inline(never)]
fn is_below_quotient(u: f64, p: f64, rest: f64) -> bool {
    u < p / rest
}

/// Converts through a signed integer, which takes one instruction.
#[inline(always)]
fn as_real(len: u64) -> f64 {
    len as i64 as f64
}
