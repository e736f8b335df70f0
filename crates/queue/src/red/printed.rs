//! The steps of Figure 2 of FJ93 in one go, where no option asks for others; and the queue with its packets told apart.
//!
//! Reference: FJ93.
//! Units: as in [`Red`].
//! Deviations: as in [`Red`], bit for bit.

use super::{Law, Red, Signal};
use crate::disc::{Cx, Packet};
use crate::fifo::Fifo;

impl<P: Packet + Copy, L: Law> Red<P, L> {
    /// The oldest packet waiting.
    #[inline]
    pub fn head(&self) -> Option<&P> {
        self.queue.head()
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
        if self.rules.plain && self.marker.is_printed() && self.q_time.is_none() {
            return self.take_printed(pkt, cx);
        }
        let q = self.observe(&pkt, cx);
        self.judge(pkt, q, cx);
    }

    /// All steps of an arrival that finds no idle time, where the options are those of Figure 2 of FJ93: what the general
    /// steps below do then, without asking for each option.
    #[inline(always)]
    pub(super) fn take_printed(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        // By way of a signed number: that is one instruction.
        let q = self.queue.packets_held(cx) as i64 as f64;
        self.average.sample(q);
        let avg = self.average.value();
        if avg < self.curve.min_th() {
            self.marker.below_printed();
        } else if avg >= self.curve.forced_at() || self.rules.ecn_step {
            return self.judge(pkt, q, cx);
        } else {
            let p_b = self.curve.p_b(avg);
            if self.marker.marks_printed(p_b, pkt.size().0, cx) {
                return self.end_printed(pkt, p_b, cx);
            }
        }
        self.store(pkt, cx);
        if self.queue.is_empty() {
            self.q_time = Some(cx.now);
        }
    }

    /// [`Red::take_printed`] goes on with a mark.
    #[cold]
    fn end_printed(&mut self, pkt: P, p_b: f64, cx: &mut Cx<'_, P>) {
        if let Some(kept) = self.answer(pkt, Signal::Early { p_b }, cx) {
            self.store(kept, cx);
        }
        if self.queue.is_empty() {
            self.q_time = Some(cx.now);
        }
    }
}
