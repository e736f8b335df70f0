//! The contract between a queue discipline and its caller.
//!
//! A discipline is a value driven by calls. It owns no clock and no rng: both come in through [`Cx`].
//! Packets end only through [`Cx::drop`] and [`Cx::mark_or_drop`], so none disappears unrecorded.
//!
//! The driver (a simulated link, a live forwarder, a test) keeps to three rules:
//! 1. `now` never goes back.
//! 2. It calls [`QueueDisc::dequeue`] each time its transmitter becomes free, *also when the queue is
//!    empty* (that call tells the discipline that the line went idle), and after an enqueue on an idle line.
//! 3. It reads and clears `cx.fates` after each call.

use super::limit::Unit;
use alloc::vec::Vec;
use units::{Bytes, Ecn, Rng, Time};

/// A packet as disciplines see it.
pub trait Packet {
    /// Its length on the wire.
    fn size(&self) -> Bytes;
    /// Identifies its flow: equal for packets of one flow and direction.
    fn flow(&self) -> u64;
    /// The hosts it comes from and goes to, where they are known: equal numbers are one host.
    fn hosts(&self) -> [u64; 2] {
        [0; 2]
    }
    /// Its ECN field.
    fn ecn(&self) -> Ecn;
    /// Sets the ECN field to CE. Only called when [`Ecn::capable`].
    fn set_ce(&mut self);
    /// Its class, precedence or colour (0 is the ordinary one).
    fn class(&self) -> u8 {
        0
    }
    /// Sets its class, for a discipline that clears code points.
    fn set_class(&mut self, _class: u8) {}
    /// Its acknowledgement number, where that is known, for a filter of acknowledgements.
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        None
    }
    /// When it entered this queue.
    fn enqueued(&self) -> Time;
    /// Records when it entered this queue.
    fn set_enqueued(&mut self, now: Time);
}

/// The acknowledgement that a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The next byte or segment that the receiver expects.
    pub next: u64,
    /// Whether the packet carries nothing else but SACK blocks: no data, no SYN, no counter.
    pub pure: bool,
    /// The number of its SACK blocks in [`Cx::sacks`]; zero if it has none.
    pub sack: u32,
    /// ECN flags, whose changes the sender would miss: only an acknowledgement with the same flags replaces this one.
    pub flags: u8,
}

/// SACK blocks by their numbers, each from the first byte or segment received to one past the last. An unused place has
/// twice the same number.
pub trait SackLookup {
    /// The blocks of an acknowledgement whose `sack` is not zero.
    fn blocks(&self, sack: u32) -> [[u64; 2]; 4];
}

impl Acknowledgement {
    /// Whether a later acknowledgement of the same flow makes this one redundant: it acknowledges as much or more, each
    /// SACK block here lies in one of its blocks, and a repeated number comes with blocks that hold more in total. So a
    /// duplicate is not redundant. Blocks that cannot be looked up count as not covered. Flags are not compared.
    pub fn is_superseded_by(&self, later: &Acknowledgement, sacks: Option<&dyn SackLookup>) -> bool {
        if !self.pure || self.next > later.next || (self.sack != 0 && sacks.is_none()) {
            return false;
        }
        let blocks = |ack: &Acknowledgement| match sacks {
            Some(lookup) if ack.sack != 0 => lookup.blocks(ack.sack),
            _ => [[0; 2]; 4],
        };
        let (ours, theirs) = (blocks(self), blocks(later));
        let total = |held: &[[u64; 2]; 4]| held.iter().map(|[from, to]| to - from).sum::<u64>();
        let is_covered = |[from, to]: &[u64; 2]| {
            from == to || theirs.iter().any(|[start, end]| start <= from && to <= end)
        };
        ours.iter().all(is_covered) && (self.next < later.next || total(&theirs) > total(&ours))
    }
}

/// Why a packet was dropped or marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// As an early signal, by chance or by the schedule of a control law.
    Early,
    /// By rule: because the control law is at its end (average above the upper threshold, penalty box, overload in
    /// which marking is given up), or because a later acknowledgement makes this one redundant.
    Forced,
    /// No room.
    Overflow,
}

/// The fate of a packet other than waiting or leaving in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate<P> {
    /// Dropped.
    Dropped(P, Reason),
    /// Marked: a copy with CE set. The packet stays in the queue.
    Marked(P, Reason),
}

/// Context of one call: the time, the rng and the fates of packets.
pub struct Cx<'a, P> {
    /// The current time.
    pub now: Time,
    /// Bytes of the packet on the wire if the link counts it as part of the queue, else zero.
    pub on_wire: Bytes,
    /// The SACK blocks of acknowledgements in the queue, where the driver knows them.
    pub sacks: Option<&'a dyn SackLookup>,
    rng: &'a mut dyn Rng,
    fates: &'a mut Vec<Fate<P>>,
}

impl<'a, P: Packet + Copy> Cx<'a, P> {
    /// A context at time `now`. Fates are appended to `fates`.
    #[inline]
    pub fn new(now: Time, rng: &'a mut dyn Rng, fates: &'a mut Vec<Fate<P>>) -> Cx<'a, P> {
        Cx { now, on_wire: Bytes(0), sacks: None, rng, fates }
    }

    /// The same context for a discipline inside this one: it has no link of its own, so nothing is on its wire.
    #[inline]
    pub fn inner(&mut self) -> Cx<'_, P> {
        Cx {
            now: self.now,
            on_wire: Bytes(0),
            sacks: self.sacks,
            rng: &mut *self.rng,
            fates: &mut *self.fates,
        }
    }

    /// Returns true with probability `p`. Draws a random number only where the outcome depends on it.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        if p <= 0.0 {
            false
        } else if p >= 1.0 {
            true
        } else {
            self.rng.uniform() < p
        }
    }

    /// A uniform number in [0, 1), for laws that keep it or compare it themselves.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        self.rng.uniform()
    }

    /// Drops a packet.
    #[inline]
    pub fn drop(&mut self, pkt: P, reason: Reason) {
        self.fates.push(Fate::Dropped(pkt, reason));
    }

    /// Marks the packet if `ecn` is on and it is ECN-capable, and returns it; otherwise drops it.
    #[inline]
    pub fn mark_or_drop(&mut self, mut pkt: P, ecn: bool, reason: Reason) -> Option<P> {
        if ecn && pkt.ecn().capable() {
            pkt.set_ce();
            self.fates.push(Fate::Marked(pkt, reason));
            Some(pkt)
        } else {
            self.drop(pkt, reason);
            None
        }
    }
}

/// Named internal values, for traces and plots.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// Name and value; the names of one discipline are always the same, in the same order.
    pub values: Vec<(&'static str, f64)>,
}

impl Probe {
    /// Adds a value.
    pub fn note(&mut self, name: &'static str, value: f64) {
        self.values.push((name, value));
    }
}

/// When a discipline takes its decisions, which bounds how far ahead a driver may compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// At arrival only: an accepted packet leaves, unchanged, after all accepted before it. So the driver
    /// knows its departure when it is accepted.
    AtArrival,
    /// Also later: it may drop, mark or reorder packets that were accepted.
    Later,
}

/// A queue discipline.
pub trait QueueDisc<P: Packet + Copy> {
    /// Processes an arrival: queues the packet, or drops it (or another) through `cx`.
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>);
    /// Returns the next packet to send; may drop others first. A call with an empty queue means that the line went
    /// idle.
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P>;
    /// Like [`dequeue`](QueueDisc::dequeue), for a driver that needs no more of the packet than its size.
    #[inline]
    fn release(&mut self, cx: &mut Cx<'_, P>) -> Option<Bytes> {
        self.dequeue(cx).map(|pkt| pkt.size())
    }
    /// Queue length in packets.
    fn len(&self) -> usize;
    /// Whether the queue is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Backlog in bytes.
    fn backlog(&self) -> Bytes;
    /// When it decides.
    fn decides(&self) -> Decides;
    /// The limit in packets, if tail drop at this limit is its only rule: a driver may then count packets instead of
    /// storing them.
    fn plain_limit(&self) -> Option<u64> {
        None
    }
    /// For a shaper: when [`dequeue`](QueueDisc::dequeue) may return the next packet. Until then it returns none
    /// although the queue is not empty, and the driver calls it again at that time.
    #[inline]
    fn ready(&self) -> Option<Time> {
        None
    }
    /// When to call [`on_deadline`](QueueDisc::on_deadline) next. A discipline that has no deadline when
    /// it is made never has one.
    fn next_deadline(&self) -> Option<Time> {
        None
    }
    /// A periodic controller's tick.
    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {}
    /// Its own average of the queue, if it keeps one, in the unit of its thresholds. Called at each arrival, so it must
    /// be cheap.
    fn avg(&self) -> Option<f64> {
        None
    }
    /// The unit of that average.
    fn avg_unit(&self) -> Unit {
        Unit::Packets
    }
    /// Named internal values.
    fn probe(&self, _out: &mut Probe) {}
}
