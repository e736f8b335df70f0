//! The steps of Figure 2 of FJ93 in one go, where no option asks for others; and the queue with its packets told apart.
//!
//! Reference: FJ93.
//! Units: as in [`Red`].
//! Deviations: as in [`Red`], bit for bit.

use super::{Law, Red, Signal};
use crate::disc::{Cx, Packet, Reason};
use crate::fifo::{Fifo, Limit};
use units::Time;

impl<P: Packet + Copy, L: Law> Red<P, L> {
    /// The oldest packet waiting.
    #[inline]
    pub fn head(&self) -> Option<&P> {
        self.queue.head()
    }

    /// All packets waiting, the oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &P> {
        self.queue.iter()
    }

    /// Whether the options are those of Figure 2 of FJ93, with a limit in packets.
    #[inline(always)]
    pub fn is_printed(&self) -> bool {
        self.rules.straight
    }

    /// Of a queue that [is printed](Red::is_printed): how many packets may wait.
    pub fn room(&self) -> u64 {
        match self.queue.limit() {
            Limit::Packets(most) => most,
            Limit::BytesBefore(_) | Limit::BytesAfter(_) => 0,
        }
    }

    /// The oldest packets leave one after the other as long as each does: [`QueueDisc::dequeue`](crate::disc::QueueDisc::dequeue), for a
    /// driver that finds out late, of a queue that [is printed](Red::is_printed). A packet's note of when it entered says when it left.
    #[inline(always)]
    pub fn advance_while(&mut self, leaves: impl FnMut(&P) -> bool) {
        if let Some(last) = self.queue.drop_while(leaves) {
            if self.queue.is_empty() {
                self.q_time = Some(last);
            }
        }
    }

    /// The same state with an empty store for packets of another kind.
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

    /// Takes a packet: [`QueueDisc::enqueue`](crate::disc::QueueDisc::enqueue), for a driver that has but one kind of queue.
    #[inline(always)]
    pub fn take(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if self.is_printed() && cx.on_wire.0 == 0 {
            match self.take_straight(pkt, cx.now, || cx.uniform()) {
                Straight::Kept(_) => {}
                step => self.take_rest(pkt, step, cx),
            }
            return;
        }
        let q = self.observe(&pkt, cx);
        self.judge(pkt, q, cx);
    }

    /// Whether the options are those of Figure 2 of FJ93, with a limit in packets, and there is no idle time.
    #[inline(always)]
    pub fn is_straight(&self) -> bool {
        self.is_printed() && self.q_time.is_none()
    }

    /// All steps of an arrival at a queue that [is printed](Red::is_printed), while nothing is on the wire that counts as
    /// queued: what the general steps do then, without asking for each option. The die is thrown where the outcome hangs on it.
    /// Anything but [`Straight::Kept`] is for [`Red::take_rest`].
    #[inline(always)]
    pub fn take_straight(&mut self, mut pkt: P, now: Time, die: impl FnOnce() -> f64) -> Straight {
        let len = self.queue.len() as u64;
        match self.q_time.take() {
            Some(q_time) if len == 0 => self.average.decay(now.since(q_time), 0.0),
            _ => self.average.sample(as_real(len)),
        }
        let step = self.weigh_with_limit(len, die);
        if let Straight::Kept(_) = step {
            pkt.set_enqueued(now);
            self.queue.append(pkt);
        }
        step
    }

    /// The same of a queue that [is straight](Red::is_straight) without storing the packet, for a driver that knows how many wait, `len`,
    /// and tells which by [`Red::hold`] when it has to.
    #[inline(always)]
    pub fn judge_straight(&mut self, len: u64, die: impl FnOnce() -> f64) -> Straight {
        self.average.sample(as_real(len));
        self.weigh_with_limit(len, die)
    }

    /// The same where there is room.
    #[inline(always)]
    pub fn judge_with_room(&mut self, len: u64, die: impl FnOnce() -> f64) -> Straight {
        self.average.sample(as_real(len));
        self.weigh(len, die)
    }

    #[inline(always)]
    fn weigh_with_limit(&mut self, len: u64, die: impl FnOnce() -> f64) -> Straight {
        match self.weigh(len, die) {
            Straight::Kept(_) if !self.queue.limit().admits_packets(len) => Straight::Full,
            step => step,
        }
    }

    /// What the average says, now that it knows of the arrival.
    #[inline(always)]
    fn weigh(&mut self, len: u64, die: impl FnOnce() -> f64) -> Straight {
        let avg = self.average.value();
        if avg < self.curve.min_th() {
            self.marker.below_printed();
            return Straight::Kept(avg);
        }
        match self.curve.p_b_of_die(avg) {
            Some(p_b) if self.marker.marks_printed(p_b, die) => Straight::Mark { p_b },
            Some(_) => Straight::Kept(avg),
            None => Straight::Judge { q: as_real(len) },
        }
    }

    /// Goes on with a packet that [`Red::judge_straight`] did not keep, by the arriving packet alone: what is handed back stays.
    #[cold]
    #[inline(never)]
    pub fn judge_rest(&mut self, pkt: P, step: Straight, len: u64, cx: &mut Cx<'_, P>) -> Option<P> {
        let signal = match step {
            Straight::Judge { q } => self.congestion(self.average.value(), pkt.size().0, q, cx),
            Straight::Mark { p_b } => Some(Signal::Early { p_b }),
            Straight::Kept(_) | Straight::Full => None,
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

    /// These packets wait and no others, the oldest first.
    pub fn hold(&mut self, packets: impl Iterator<Item = P>) {
        self.queue.clear();
        packets.for_each(|pkt| self.queue.append(pkt));
    }

    /// [`Red::take`] goes on with a packet that [`Red::take_straight`] did not keep.
    #[cold]
    #[inline(never)]
    pub fn take_rest(&mut self, pkt: P, step: Straight, cx: &mut Cx<'_, P>) {
        match step {
            Straight::Kept(_) => {}
            Straight::Judge { q } => return self.judge(pkt, q, cx),
            Straight::Mark { p_b } => {
                if let Some(kept) = self.answer(pkt, Signal::Early { p_b }, cx) {
                    self.store(kept, cx);
                }
            }
            Straight::Full => self.store(pkt, cx),
        }
        if self.queue.is_empty() {
            self.q_time = Some(cx.now);
        }
    }
}

/// By way of a signed number: that is one instruction.
#[inline(always)]
fn as_real(len: u64) -> f64 {
    len as i64 as f64
}

/// How far [`Red::take_straight`] came with a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Straight {
    /// It waits, and this is the average it found.
    Kept(f64),
    /// The average asks for more than a die; the queue was this long.
    Judge {
        /// As the average took it in.
        q: f64,
    },
    /// The die fell, at this base probability.
    Mark {
        /// Of the average.
        p_b: f64,
    },
    /// There is no room.
    Full,
}
