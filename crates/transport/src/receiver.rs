//! Receiving endpoint of a TCP connection: reassembles segments and decides when to acknowledge.
//!
//! *Reference*: RFC 9293, RFC 5681 section 4.2 and RFC 1122 section 4.2.3.2 (delayed ACKs), RFC 2018 section
//! 4 (SACK blocks), RFC 3168 section 6.1.3, RFC 8257 section 3.2 and RFC 9768 section 3.2 (ECN echo), RFC
//! 7323 section 4.3 (timestamp echo).
//! *Units*: segments; bytes are bytes on the wire unless stated otherwise.
//! *Deviations*: no ACK is sent for the sake of the window: the application reads at once.

mod cold;
mod ecn;
mod fast_path;
mod quick_ack;

pub use fast_path::{CountingAck, FastAck};

use crate::accecn::FIRST_MARK;
use crate::connection::NONE;
use crate::params::{AckRule, EcnRule, Handshake, Params};
use crate::segment::{Ack, Role, SackBlocks, Segment};
use cold::Reassembly;
use std::sync::Arc;
use units::param::Valid;
use units::{Ecn, Time};

/// The receiver of one connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The next segment expected.
    rcv_nxt: u32,
    /// Segment that may take the fast path: the next in order or, while some are buffered, the one above them
    /// all. `NONE` while the fast path is closed, as it is while an ACK is pending: see
    /// [`Receiver::on_segment_fast`].
    fast_seq: u32,
    /// One past the highest segment buffered, while any are.
    highest: u32,
    /// Segments buffered above `rcv_nxt`.
    held: u32,
    /// In-order segments since the last ACK.
    unacked: u32,
    /// An ACK is to be sent now.
    pending: bool,
    pending_syn: bool,
    /// `ColdPart::early` has an ACK to send first.
    early: bool,
    /// CE was received and the sender has not sent CWR yet.
    ece: bool,
    /// The next ACK echoes congestion.
    echo_ece: bool,
    /// A segment that the next ACK covers was ECN-capable.
    echo_capable: bool,
    /// Expiry of the delayed-ACK timer.
    due: Time,
    echo: Time,
    ack_every: u32,
    quick_acks: u32,
    /// Wire size of an ACK with the present SACK blocks.
    answer_size: u32,
    rule: AckRule,
    ecn: bool,
    echo_newest: bool,
    ecn_rule: EcnRule,
    /// Duplicate segments are reported (DSACK).
    dsack: bool,
    bytes: u64,
    held_bytes: u64,
    full_size: u32,
    /// Segments received with CE, plus 5, modulo 8 (RFC 9768 section 3.2.1).
    ace: u8,
    store: Box<Reassembly>,
}

impl Receiver {
    /// Returns a receiver that expects segment 0.
    pub fn new(params: &Valid<Params>) -> Receiver {
        Receiver::sharing(&Arc::new(params.clone()))
    }

    /// Same as [`Receiver::new`], with options shared between connections.
    pub fn sharing(params: &Arc<Valid<Params>>) -> Receiver {
        let p: &Params = params;
        let dsack = p.dsack && p.recovery.selective() && p.sack_blocks > 0;
        Receiver {
            rcv_nxt: 0,
            fast_seq: NONE,
            highest: 0,
            held: 0,
            unacked: 0,
            pending: false,
            pending_syn: false,
            early: false,
            ece: false,
            echo_ece: false,
            echo_capable: false,
            due: Time::NEVER,
            echo: Time::ZERO,
            ack_every: p.ack_every as u32,
            quick_acks: p.quick_acks as u32,
            answer_size: p.ack_size.0 as u32,
            rule: p.ack_rule,
            ecn: p.ecn,
            echo_newest: p.echo_newest,
            ecn_rule: p.ecn_rule,
            dsack,
            bytes: 0,
            held_bytes: 0,
            full_size: 0,
            ace: FIRST_MARK,
            store: Box::new(Reassembly::new(params, dsack)),
        }
    }

    /// Sets the timestamp echoed before any segment has arrived in order.
    pub fn echo_from(&mut self, time: Time) {
        self.echo = time;
    }

    /// Processes a segment.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.on_any_segment(now, segment);
        if self.pending {
            self.fast_seq = NONE;
        } else {
            self.update_fast_path();
        }
    }

    fn on_any_segment(&mut self, now: Time, segment: &Segment) {
        if segment.role == Role::Syn && self.store.params.handshake == Handshake::ThreeWay {
            self.pending = true;
            self.pending_syn = true;
            self.echo = segment.sent;
            self.agree(segment);
            if let Some(quick_ack) = self.store.quick_ack() {
                quick_ack.open(now);
            }
            return;
        }
        let (echoed, marked) = (self.echo_ece, segment.ecn == Ecn::Ce && !self.ece);
        if self.ecn {
            self.update_ecn(segment);
        }
        let at_once = self.observe(now, segment, (echoed, marked));
        let seq = segment.seq;
        if self.echo_newest {
            self.echo = segment.sent;
        }
        if seq == self.rcv_nxt {
            self.bytes += u64::from(segment.size);
            let filled = self.held > 0;
            // Delayed duplicate ACKs do not echo a time (RFC 7323 section 4.3).
            if self.unacked == 0 || filled && self.rule == AckRule::Linux {
                self.echo = segment.sent;
            }
            self.rcv_nxt += 1;
            if filled {
                self.fill();
            }
            let advanced_by_one = self.rcv_nxt == seq + 1;
            let partial = filled && self.held > 0 && self.store.params.ack_gaps;
            let may_wait = advanced_by_one && !partial;
            let opening = seq == 0 && self.rule == AckRule::Ns2;
            self.in_order(now, may_wait && !opening && !at_once);
            self.autotune(now);
        } else {
            self.flush_compressed(seq);
            let fresh = self.out_of_order(segment);
            let newest = !fresh && (self.held == 0 || !self.store.params.ack_gaps) && seq + 1 == self.rcv_nxt;
            let may_wait = self.rule == AckRule::Ns2 && newest && seq > 0;
            if !fresh || !self.compress_duplicate(now) {
                self.in_order(now, may_wait);
            }
            if !fresh && self.dsack {
                self.report_duplicate(seq);
            }
        }
    }

    /// Counts a segment towards the delayed ACK; sends the ACK now if it may not wait.
    #[inline]
    fn in_order(&mut self, now: Time, may_wait: bool) {
        self.unacked += 1;
        if !may_wait || self.quick_acks > 0 || self.unacked >= self.ack_every {
            self.pending = true;
            self.due = Time::NEVER;
        } else if self.due == Time::NEVER {
            self.due = self.delayed_until(now);
        }
    }

    /// Moves `rcv_nxt` over buffered segments.
    fn fill(&mut self) {
        let marks = &mut self.store.marks;
        let next = marks.first_absent(self.rcv_nxt, self.highest).unwrap_or(self.highest);
        let moved = marks.remove_range(self.rcv_nxt, next);
        self.rcv_nxt = next;
        self.held -= moved;
        let bytes =
            if self.held == 0 { self.held_bytes } else { u64::from(moved) * u64::from(self.full_size) };
        self.held_bytes -= bytes;
        self.bytes += bytes;
        let before = std::mem::take(&mut self.store.recent);
        let above = before.iter().filter(|(start, _)| *start >= next);
        above.for_each(|(start, end)| self.store.recent.push(start, end));
    }

    /// Buffers a segment above `rcv_nxt`; false if it is a duplicate.
    fn out_of_order(&mut self, segment: &Segment) -> bool {
        let seq = segment.seq;
        if seq < self.rcv_nxt {
            self.store.duplicates += 1;
            return false;
        }
        let fresh = self.buffer(seq, segment.size);
        if !fresh {
            self.store.duplicates += 1;
        }
        if fresh && self.rule == AckRule::Linux {
            self.reserve_room();
        }
        let blocks = self.sack_blocks();
        if blocks > 0 {
            self.report_first(seq, fresh, blocks);
        }
        fresh
    }

    /// Buffers a segment; false if it already was.
    #[inline]
    fn buffer(&mut self, seq: u32, size: u32) -> bool {
        self.highest = self.highest.max(seq + 1);
        self.store.marks.reserve(self.rcv_nxt, self.highest);
        let fresh = self.store.marks.insert(seq);
        if fresh {
            self.held += 1;
            self.held_bytes += u64::from(size);
            self.full_size = self.full_size.max(size);
        }
        fresh
    }

    /// DSACK, RFC 2883 section 4: the first block reports the duplicate segment.
    fn report_duplicate(&mut self, seq: u32) {
        let mut blocks = SackBlocks::default();
        blocks.push(seq, seq + 1);
        let held = if self.held > 0 { self.store.recent } else { SackBlocks::default() };
        held.iter().take(self.sack_blocks() - 1).for_each(|(start, end)| blocks.push(start, end));
        let ack = self.acknowledge_with(blocks);
        self.pending = false;
        self.due = Time::NEVER;
        self.store.cold_part().early = Some(ack);
        self.early = true;
    }

    /// SACK blocks per ACK.
    fn sack_blocks(&self) -> usize {
        let p = &self.store.params;
        if p.recovery.selective() {
            p.sack_blocks as usize
        } else {
            0
        }
    }

    /// Makes the block around `seq` the first one reported and drops the blocks it contains; `fresh`: `seq`
    /// is not a duplicate.
    fn report_first(&mut self, seq: u32, fresh: bool, blocks: usize) {
        let store = &mut *self.store;
        let alone = seq + 1 == self.highest || !store.marks.contains(seq + 1);
        if store.recent.first_end() == seq && alone {
            // The first block grows by one.
            store.recent.lengthen_first();
            return;
        }
        if fresh && alone && !store.marks.contains(seq - 1) {
            // A new block.
            store.recent.push_first(seq, seq + 1, blocks);
            return;
        }
        let before = std::mem::take(&mut store.recent);
        // Blocks known to touch `seq` need no search.
        let touches = |block: &(u32, u32)| block.0 <= seq + 1 && seq <= block.1;
        let low = before.iter().filter(touches).fold(seq, |low, block| low.min(block.0));
        let high = before.iter().filter(touches).fold(seq, |high, block| high.max(block.1));
        let start = store.marks.last_absent(self.rcv_nxt, low).map_or(self.rcv_nxt, |gap| gap + 1);
        let end = store.marks.first_absent(high, self.highest).unwrap_or(self.highest);
        let others = before.iter().filter(|block| block.0 < start || block.1 > end);
        let reported = std::iter::once((start, end)).chain(others).take(blocks);
        reported.for_each(|block| store.recent.push(block.0, block.1));
    }

    /// Fires the delayed-ACK timer; does nothing before the deadline of [`Receiver::poll_timeout`].
    pub fn on_timer(&mut self, now: Time) {
        if now >= self.due {
            self.due = Time::NEVER;
            self.pending = true;
        }
    }

    /// Returns the next ACK to send.
    #[inline]
    pub fn poll_transmit(&mut self, _now: Time) -> Option<Ack> {
        if self.early {
            self.early = false;
            self.update_fast_path();
            return self.store.cold_part().early;
        }
        if !self.pending {
            return None;
        }
        self.pending = false;
        let ack = self.acknowledge();
        self.update_fast_path();
        Some(ack)
    }

    /// Builds the ACK of everything received so far.
    #[inline]
    fn acknowledge(&mut self) -> Ack {
        self.acknowledge_with(if self.held > 0 { self.store.recent } else { SackBlocks::default() })
    }

    #[inline]
    fn acknowledge_with(&mut self, sack: SackBlocks) -> Ack {
        self.unacked = 0;
        let window = self.offer_window();
        if !self.pending_syn {
            self.count_quick_ack();
        }
        let mut ack = Ack {
            ack: self.rcv_nxt,
            size: self.store.params.ack_size.0 as u32,
            echo: self.echo,
            sack,
            ece: self.echo_ece,
            syn: std::mem::take(&mut self.pending_syn),
            // Without accurate ECN nobody reads the counter.
            ace: if self.ecn && self.ecn_rule == EcnRule::AccEcn { self.ace } else { 0 },
            bytes: None,
            window,
        };
        if self.ecn {
            self.store.cold_part().answers.marks_reported();
            self.due = Time::NEVER;
        }
        if self.ecn || ack.syn {
            self.report_ecn(&mut ack);
        }
        ack.size += self.store.params.sack_block_size.0 as u32 * ack.sack.len() as u32;
        ack
    }

    /// When to call [`Receiver::on_timer`], if ever. Any input can move it to an earlier time.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Time> {
        (self.due != Time::NEVER).then_some(self.due)
    }

    /// Segments delivered in order to the application; ns-2's SYN counts as one.
    pub fn delivered(&self) -> u32 {
        self.rcv_nxt
    }

    /// Bytes on the wire of the segments delivered in order.
    pub fn delivered_bytes(&self) -> u64 {
        self.bytes
    }

    /// Payload bytes delivered in order.
    pub fn delivered_payload(&self) -> u64 {
        let lacking = self
            .store
            .cold_part
            .as_ref()
            .filter(|_| self.rcv_nxt > 0)
            .map_or(0, |cold_part| cold_part.lacking);
        (self.bytes + u64::from(lacking))
            .saturating_sub(self.store.params.header_bytes().0 * u64::from(self.rcv_nxt))
    }

    /// Data segments received, duplicates included.
    pub fn received(&self) -> u64 {
        u64::from(self.rcv_nxt) + u64::from(self.held) + self.store.duplicates
    }

    /// Segments received more than once.
    pub fn duplicates(&self) -> u64 {
        self.store.duplicates
    }
}
