//! Linux's receiver: when it acknowledges at once, when it compresses duplicate ACKs, and its receive window.
//!
//! *Reference*: Linux by its output, segment by segment: `docs/transports/tcp.md`; WF2001 for receive window
//! autotuning.
//! *Units*: bytes of payload, all segments full.
//! *Deviations*: without `receive_autotuning` the receive window only decides about quick ACKs and never limits the
//! sender; a segment out of order takes the same room whether or not the kernel merges it with its neighbour; the
//! return path keeps its initial delay.

use super::{AckRule, Receiver};
use crate::connection::wheel;
use crate::params::sizes::FIRST_OFFER;
use crate::params::{EcnRule, Params};
use crate::segment::Segment;
use units::{Span, Time};

/// The initial window, and the most that a buffer of 128 KiB allows.
const FIRST_WINDOW: u64 = 64_088;
const FIRST_ROOM: u64 = 82_944;
/// A segment out of order takes this share of its bytes from the window: 16/25 (Linux counts memory, and merges
/// neighbours).
const HELD_SHARE: (u64, u64) = (16, 25);
/// Segments the application is assumed to read in the first round trip.
const FIRST_READ: u64 = 10;
/// Quick ACKs after a duplicate segment or a pause.
pub(super) const AGAIN: u32 = 16;
/// A pause: nothing arrived for this much longer than a round trip.
const PAUSE: Span = Span::from_millis(200);
/// Duplicate ACKs sent at once; later ones are compressed, for at most a third of a round trip and 1 ms.
const DUPLICATES: u32 = 3;
const HELD_BACK: Span = Span::from_millis(1);
const HELD_BACK_COUNT: u32 = 44;

/// State of the rule `linux`.
#[derive(Clone, Debug, Default)]
pub(super) struct QuickAck {
    mss: u64,
    /// The window offered, and how far it may open.
    window: u64,
    room: u64,
    /// The most room, and the end of the window offered so far: no ACK takes any of it back.
    most_room: u64,
    edge: u64,
    pub(super) offers: bool,
    /// The most read in a round trip; start of the present count, and `rcv_nxt` then.
    most_read: u64,
    since: Time,
    read: u32,
    /// When the connection opened, and how long data waits then (`open_wait`); the first RTT and its one-way
    /// delay; the present RTT.
    opened: Time,
    wait: Span,
    first: Option<(Span, Span)>,
    rtt: Span,
    /// Send time of the last segment timed.
    sent: Time,
    /// Arrival of the last segment.
    last: Time,
    /// The ACK number being duplicated; duplicates sent, and duplicates compressed since.
    of: u32,
    answered: u32,
    pub(super) held_back: u32,
}

impl QuickAck {
    pub(super) fn new(p: &Params) -> QuickAck {
        let mss = p.mss.0;
        let first = QuickAck {
            mss,
            window: FIRST_WINDOW,
            room: FIRST_ROOM,
            most_room: u64::from(p.receive_window()) * mss,
            edge: FIRST_OFFER,
            offers: p.autotunes(),
            wait: p.open_wait,
            ..QuickAck::default()
        };
        QuickAck { most_read: FIRST_READ * mss, ..first }
    }

    pub(super) fn open(&mut self, now: Time) {
        (self.opened, self.since, self.last) = (now, now, now);
    }

    /// Estimates the RTT from the one-way delay and the first RTT: a shorter value counts at once, a longer
    /// one by an eighth.
    fn measure(&mut self, now: Time, sent: Time) {
        let way = now.since(sent);
        let Some((rtt, first_way)) = self.first else {
            let open = self.opened > Time::ZERO;
            let rtt = if open { now.since(self.opened + self.wait) } else { way * 2 };
            (self.first, self.rtt) = (Some((rtt, way)), rtt);
            return;
        };
        // Segments that left together answer the same ACK.
        if std::mem::replace(&mut self.sent, sent) == sent {
            return;
        }
        let rtt = Span((rtt + way).0.saturating_sub(first_way.0));
        self.rtt = if rtt < self.rtt { rtt } else { Span(self.rtt.0 - self.rtt.0 / 8 + rtt.0 / 8) };
    }

    /// Bytes that `held` segments out of order take from the window.
    fn taken(&self, held: u32) -> u64 {
        u64::from(held) * self.mss * HELD_SHARE.0 / HELD_SHARE.1
    }

    /// A data segment arrives. Returns whether the window opened by more than a segment, and whether a pause precedes it.
    #[inline(always)]
    pub(super) fn arrived(&mut self, now: Time, sent: Time, in_order: bool, held: u32) -> (bool, bool) {
        self.measure(now, sent);
        let paused = now.since(self.last) > self.rtt + PAUSE;
        self.last = now;
        (self.widen(in_order, held), paused)
    }

    /// Opens the window by two segments for each arrival, and by what is left at the end; returns whether it did by
    /// more than a segment. A segment in order waits for the application as it is counted.
    fn widen(&mut self, in_order: bool, held: u32) -> bool {
        let queued = if in_order { self.mss } else { 0 };
        let most = self.room.saturating_sub(queued + self.taken(held));
        let more = (2 * self.mss).min(most.saturating_sub(self.window));
        self.window += more;
        more > self.mss
    }

    /// The window to offer in segments with the next ACK: `next` is its number, `held` segments are out of order. Also
    /// whether less than half of the room is left, which ends quick ACKs.
    pub(super) fn offer(&mut self, next: u32, held: u32) -> (u32, bool) {
        let (from, left) = (u64::from(next) * self.mss, self.room.saturating_sub(self.taken(held)));
        self.edge = self.edge.max(from + self.window.min(left));
        (((self.edge - from) / self.mss) as u32, left < self.room / 2)
    }

    /// A segment arrived out of order, and those above `next` end with `end`: they need room, besides what is read.
    fn reserve(&mut self, next: u32, end: u32) {
        let wanted = 2 * self.most_read + u64::from(end - next) * self.mss;
        self.room = self.room.max(wanted.min(self.most_room));
    }

    /// Autotuning: once per round trip makes room for twice the data read in it, plus its growth. The
    /// application has read everything before `next`; `held` segments are buffered.
    #[inline]
    pub(super) fn follow(&mut self, now: Time, next: u32, held: u32) {
        if now.since(self.since) < self.rtt {
            return;
        }
        let read = u64::from(next - self.read) * self.mss;
        if read > self.most_read {
            let twice = 2 * read;
            let growth = twice * (read - self.most_read) / self.most_read;
            let wanted = twice + 2 * growth + u64::from(held) * self.mss;
            self.room = self.room.max(wanted.min(self.most_room));
            self.most_read = read;
        }
        (self.since, self.read) = (now, next);
    }
}

impl Receiver {
    /// When the delayed-ACK timer expires that is armed now.
    #[inline]
    pub(super) fn delayed_until(&self, now: Time) -> Time {
        let timeout = self.store.params.ack_timeout;
        if self.rule == AckRule::Linux {
            return wheel::expiry(now, timeout);
        }
        now + timeout
    }

    /// Observes a data segment before reassembly; returns whether it must be acknowledged at once. Takes the
    /// ECN echo before it, and whether it is the first mark since the last CWR.
    pub(super) fn observe(&mut self, now: Time, segment: &Segment, (echoed, marked): (bool, bool)) -> bool {
        let (in_order, held) = (segment.seq == self.rcv_nxt, self.held);
        let Some(quick_ack) = self.store.quick_ack() else { return false };
        let (opened, paused) = quick_ack.arrived(now, segment.sent, in_order, held);
        if opened {
            self.quick_acks |= 1;
        }
        if paused || segment.seq < self.rcv_nxt {
            self.quick_acks = self.quick_acks.max(AGAIN);
        }
        if self.ecn && marked && self.ecn_rule != EcnRule::Dctcp {
            self.quick_acks = self.quick_acks.max(2);
        }
        let mark_changed = self.ecn_rule == EcnRule::Dctcp && echoed != self.echo_ece;
        segment.push || mark_changed
    }

    /// Acknowledges an out-of-order segment now, or compressed with others. False with another rule.
    pub(super) fn compress_duplicate(&mut self, now: Time) -> bool {
        let (next, quickly) = (self.rcv_nxt, self.quick_acks > 0);
        let Some(quick_ack) = self.store.quick_ack() else { return false };
        self.unacked += 1;
        if quick_ack.of != next {
            (quick_ack.of, quick_ack.answered) = (next, 0);
        }
        quick_ack.held_back += 1;
        if quickly || quick_ack.answered < DUPLICATES || quick_ack.held_back >= HELD_BACK_COUNT {
            quick_ack.answered += u32::from(!quickly);
            self.pending = true;
            self.due = Time::NEVER;
        } else {
            self.due = self.due.min(now + HELD_BACK.min(quick_ack.rtt / 3));
        }
        true
    }

    /// Sends the compressed ACKs before a segment that starts a SACK block of its own.
    pub(super) fn flush_compressed(&mut self, seq: u32) {
        let compressed = self.rule == AckRule::Linux
            && seq > self.rcv_nxt
            && self.due != Time::NEVER
            && self.store.quick_ack().is_some_and(|quick_ack| quick_ack.held_back > 0);
        if !compressed || self.store.recent.iter().any(|(start, end)| start <= seq + 1 && seq <= end) {
            return;
        }
        let ack = self.acknowledge();
        self.due = Time::NEVER;
        self.store.cold_part().early = Some(ack);
        self.early = true;
    }

    /// Whether each ACK carries the receive window.
    #[inline]
    pub fn offers_window(&self) -> bool {
        self.rule == AckRule::Linux && self.store.params.autotunes()
    }

    /// The receive window that the next ACK offers, if it does.
    pub(super) fn offer_window(&mut self) -> Option<u32> {
        let (next, held) = (self.rcv_nxt, self.held);
        let quick_ack = self.store.quick_ack().filter(|quick_ack| quick_ack.offers)?;
        let (window, is_scarce) = quick_ack.offer(next, held);
        if is_scarce {
            self.quick_acks = 0;
        }
        Some(window)
    }

    /// Makes room for segments out of order.
    pub(super) fn reserve_room(&mut self) {
        let (next, end) = (self.rcv_nxt, self.highest);
        if let Some(quick_ack) = self.store.quick_ack().filter(|quick_ack| quick_ack.offers) {
            quick_ack.reserve(next, end);
        }
    }

    /// The application reads the data that are in order.
    pub(super) fn autotune(&mut self, now: Time) {
        if let Some(quick_ack) = self.store.quick_ack() {
            quick_ack.follow(now, self.rcv_nxt, self.highest.saturating_sub(self.rcv_nxt));
        }
    }

    /// Counts an ACK that is sent.
    #[inline]
    pub(super) fn count_quick_ack(&mut self) {
        if self.quick_acks > 0 {
            self.quick_acks -= 1;
        }
        if self.rule == AckRule::Linux {
            if let Some(quick_ack) = self.store.quick_ack() {
                quick_ack.held_back = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests;
