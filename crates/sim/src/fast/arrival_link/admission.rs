//! How an arrival is admitted: by RED, or by tail drop with a limit in packets.

use super::QueuedPacket;
use queue::disc::{Cx, QueueDisc, Reason};
use queue::red::{FastVerdict, Red};
use std::collections::VecDeque;
use units::Time;

/// The discipline of an [`ArrivalLink`](super::ArrivalLink), with its store.
#[allow(clippy::large_enum_variant)] // inline its state is one access nearer, and a run has few links
pub(super) enum Admission {
    Red(Red<QueuedPacket>),
    TailDrop(TailDrop),
}

/// Tail drop: no average and no random number.
pub(super) struct TailDrop {
    queue: VecDeque<QueuedPacket>,
    bytes: u64,
    limit: u64,
}

/// The average that a verdict of tail drop carries: none.
const NO_AVERAGE: f64 = f64::NAN;

impl TailDrop {
    /// An empty queue with room for `limit` packets.
    pub(super) fn new(limit: u64) -> TailDrop {
        TailDrop { queue: VecDeque::new(), bytes: 0, limit }
    }

    #[inline]
    fn judge(&self, len: u64) -> FastVerdict {
        if len < self.limit {
            FastVerdict::Kept(NO_AVERAGE)
        } else {
            FastVerdict::Full
        }
    }

    fn push(&mut self, slot: QueuedPacket) {
        self.bytes += u64::from(slot.bytes());
        self.queue.push_back(slot);
    }

    fn pop(&mut self) -> Option<QueuedPacket> {
        let slot = self.queue.pop_front()?;
        self.bytes -= u64::from(slot.bytes());
        Some(slot)
    }
}

/// The verdict of tail drop below its limit. A call of its own, so that RED's arrivals keep their registers.
#[cold]
#[inline(never)]
fn keep_without_average() -> FastVerdict {
    FastVerdict::Kept(NO_AVERAGE)
}

/// The methods of [`Red`] that the link calls, for either discipline.
impl Admission {
    /// Whether arrivals take the fast path.
    #[inline(always)]
    pub(super) fn has_fast_path(&self) -> bool {
        match self {
            Admission::Red(red) => red.has_fast_path(),
            Admission::TailDrop(_) => true,
        }
    }

    /// [`Red::judge_fast_with_room`].
    #[inline(always)]
    pub(super) fn judge_fast_with_room(&mut self, len: u64, draw: impl FnOnce() -> f64) -> FastVerdict {
        match self {
            Admission::Red(red) => red.judge_fast_with_room(len, draw),
            Admission::TailDrop(_) => keep_without_average(),
        }
    }

    /// [`Red::judge_fast`].
    #[inline(always)]
    pub(super) fn judge_fast(&mut self, len: u64, draw: impl FnOnce() -> f64) -> FastVerdict {
        match self {
            Admission::Red(red) => red.judge_fast(len, draw),
            Admission::TailDrop(queue) => queue.judge(len),
        }
    }

    /// [`Red::judge_slow`].
    pub(super) fn judge_slow(
        &mut self,
        slot: QueuedPacket,
        verdict: FastVerdict,
        len: u64,
        cx: &mut Cx<'_, QueuedPacket>,
    ) -> Option<QueuedPacket> {
        match self {
            Admission::Red(red) => red.judge_slow(slot, verdict, len, cx),
            Admission::TailDrop(_) => {
                cx.drop(slot, Reason::Overflow);
                None
            }
        }
    }

    /// [`Red::enqueue_fast`].
    #[inline(always)]
    pub(super) fn enqueue_fast(
        &mut self,
        slot: QueuedPacket,
        now: Time,
        draw: impl FnOnce() -> f64,
    ) -> FastVerdict {
        match self {
            Admission::Red(red) => red.enqueue_fast(slot, now, draw),
            Admission::TailDrop(queue) => {
                let verdict = queue.judge(queue.queue.len() as u64);
                if verdict != FastVerdict::Full {
                    queue.push(slot);
                }
                verdict
            }
        }
    }

    /// [`Red::enqueue_slow`].
    pub(super) fn enqueue_slow(
        &mut self,
        slot: QueuedPacket,
        verdict: FastVerdict,
        cx: &mut Cx<'_, QueuedPacket>,
    ) {
        match self {
            Admission::Red(red) => red.enqueue_slow(slot, verdict, cx),
            Admission::TailDrop(_) => cx.drop(slot, Reason::Overflow),
        }
    }

    /// [`Red::take`].
    pub(super) fn take(&mut self, slot: QueuedPacket, cx: &mut Cx<'_, QueuedPacket>) {
        match self {
            Admission::Red(red) => red.take(slot, cx),
            Admission::TailDrop(queue) => match queue.judge(queue.queue.len() as u64) {
                FastVerdict::Full => cx.drop(slot, Reason::Overflow),
                _ => queue.push(slot),
            },
        }
    }

    /// [`Red::dequeue_while`].
    #[inline(always)]
    pub(super) fn dequeue_while(&mut self, mut leaves: impl FnMut(&QueuedPacket) -> bool) {
        match self {
            Admission::Red(red) => red.dequeue_while(leaves),
            Admission::TailDrop(queue) => {
                while queue.queue.front().is_some_and(&mut leaves) {
                    queue.pop();
                }
            }
        }
    }

    /// Dequeues the oldest packet.
    pub(super) fn dequeue(&mut self, cx: &mut Cx<'_, QueuedPacket>) -> Option<QueuedPacket> {
        match self {
            Admission::Red(red) => red.dequeue(cx),
            Admission::TailDrop(queue) => queue.pop(),
        }
    }

    /// The oldest packet.
    pub(super) fn head(&self) -> Option<&QueuedPacket> {
        match self {
            Admission::Red(red) => red.head(),
            Admission::TailDrop(queue) => queue.queue.front(),
        }
    }

    /// All packets, oldest first.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&QueuedPacket)) {
        match self {
            Admission::Red(red) => red.packets().for_each(visit),
            Admission::TailDrop(queue) => queue.queue.iter().for_each(&mut visit),
        }
    }

    /// [`Red::replace_packets`].
    pub(super) fn replace_packets(&mut self, packets: impl Iterator<Item = QueuedPacket>) {
        match self {
            Admission::Red(red) => red.replace_packets(packets),
            Admission::TailDrop(queue) => {
                queue.queue.clear();
                queue.bytes = 0;
                packets.for_each(|slot| queue.push(slot));
            }
        }
    }

    /// [`Red::packet_limit`].
    pub(super) fn packet_limit(&self) -> u64 {
        match self {
            Admission::Red(red) => red.packet_limit(),
            Admission::TailDrop(queue) => queue.limit,
        }
    }

    /// Packets in the store.
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Admission::Red(red) => red.len(),
            Admission::TailDrop(queue) => queue.queue.len(),
        }
    }

    /// Whether the store is empty.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in the store.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Admission::Red(red) => red.backlog().0,
            Admission::TailDrop(queue) => queue.bytes,
        }
    }

    /// RED's average queue; for tail drop [`NO_AVERAGE`].
    pub(super) fn average(&self) -> f64 {
        match self {
            Admission::Red(red) => red.average(),
            Admission::TailDrop(_) => NO_AVERAGE,
        }
    }

    /// The discipline that a probe samples; tail drop has no state of its own.
    pub(super) fn disc(&self) -> Option<&dyn QueueDisc<QueuedPacket>> {
        match self {
            Admission::Red(red) => Some(red),
            Admission::TailDrop(_) => None,
        }
    }

    /// Its average, if it has one.
    pub(super) fn avg(&self) -> Option<f64> {
        self.disc().and_then(QueueDisc::avg)
    }
}
