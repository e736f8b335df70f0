//! SACK scoreboard of RFC 6675, one bit per segment.
//!
//! Losses are detected and retransmitted in order, so three edges replace per-segment flags: everything not
//! SACKed below `lost_edge` is lost, everything not SACKed below `high_rxt` was retransmitted, and the pipe
//! follows from counts.
//!
//! *Reference*: RFC 6675 sections 2 to 4.
//! *Units*: segments.
//! *Deviations*: `IsLost` counts segments, which covers both of the RFC's tests if segments have one size.

use crate::connection::NONE;
use crate::marks::Marks;
use crate::params::Params;
use crate::segment::SackBlocks;

/// The scoreboard.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    sacked: Marks,
    /// SACK blocks of the last ACK that had any: most blocks repeat one of them, or lengthen it.
    last: SackBlocks,
    /// Retransmissions that are SACKed and still count as in flight until acknowledged cumulatively
    /// (`retransmit_all`).
    kept: Option<Box<Marks>>,
    /// Number of SACKed segments.
    pub sacked_count: u32,
    /// One past the highest SACKed segment; 0 if there is none.
    pub highest: u32,
    /// The SACKed segment with `threshold - 1` others above it; not above `una` if there is none.
    pivot: u32,
    /// Segments below it that are not SACKed are lost.
    pub lost_edge: u32,
    /// Lost segments, retransmitted or not.
    pub lost_count: u32,
    /// One past the highest segment retransmitted in this recovery.
    pub high_rxt: u32,
    /// Segments retransmitted in this recovery and neither SACKed nor acknowledged since.
    pub rxt_out: u32,
    /// End of the recovery in which the rescue retransmission was sent; `u32::MAX` before it.
    pub rescue: u32,
    /// PRR: segments delivered and sent in this recovery, and the flight at its start.
    pub prr_delivered: u32,
    /// See `prr_delivered`.
    pub prr_out: u32,
    /// See `prr_delivered`.
    pub recover_fs: u32,
    /// Pipe of `sack1`. Memory ends before this overflows.
    pub pipe: i32,
}

impl Scoreboard {
    /// Returns an empty scoreboard. Allocates with the first hole.
    pub fn new(params: &Params) -> Scoreboard {
        Scoreboard {
            sacked: Marks::default(),
            last: SackBlocks::default(),
            kept: params.retransmit_all.then(Box::default),
            sacked_count: 0,
            highest: 0,
            pivot: 0,
            lost_edge: 0,
            lost_count: 0,
            high_rxt: 0,
            rxt_out: 0,
            rescue: NONE,
            prr_delivered: 0,
            prr_out: 0,
            recover_fs: 1,
            pipe: 0,
        }
    }

    /// Adds one segment above all SACKed ones, the most frequent report in recovery: it lengthens the first
    /// block of the last ACK, or forms a block of its own. Returns false, without effect, for any other
    /// report or if there is no room.
    #[inline(always)]
    pub fn add_above_all(
        &mut self,
        blocks: &SackBlocks,
        (una, max): (u32, u32),
        threshold: impl Fn() -> u32,
    ) -> bool {
        if !self.is_above_all(blocks, (una, max)) {
            return false;
        }
        if blocks.lengthen(&self.last) {
            self.last.lengthen_first();
        } else if blocks.precede(&self.last) {
            self.last = *blocks;
        } else {
            return false;
        }
        self.insert_above_all(blocks.first_end());
        self.move_pivot(una, threshold);
        true
    }

    /// Whether the first block ends above all SACKed segments, and there is room for its last one.
    #[inline(always)]
    fn is_above_all(&self, blocks: &SackBlocks, (una, max): (u32, u32)) -> bool {
        let (start, end) = blocks.get(0);
        let seq = end.wrapping_sub(1);
        let edge = self.highest.max(self.lost_edge).max(self.high_rxt);
        !(seq < edge || start <= una || seq >= max || !self.sacked.has_room(max - una))
    }

    #[inline(always)]
    fn insert_above_all(&mut self, end: u32) {
        self.sacked.insert(end - 1);
        self.sacked_count += 1;
        self.highest = end;
    }

    /// Whether the blocks report one segment above all SACKed ones and nothing else that the last ACK did not, and there
    /// is room for it.
    #[inline(always)]
    pub(crate) fn is_one_above_all(&self, blocks: &SackBlocks, (una, max): (u32, u32)) -> bool {
        self.is_above_all(blocks, (una, max)) && (blocks.lengthen(&self.last) || blocks.precede(&self.last))
    }

    /// Adds the segment of [`Scoreboard::is_one_above_all`]. Losses are left to the caller.
    #[inline(always)]
    pub(crate) fn add_one_above_all(&mut self, blocks: &SackBlocks) {
        self.last = *blocks;
        self.insert_above_all(blocks.first_end());
    }

    /// Updates the losses after one more segment was SACKed above all others.
    #[inline(always)]
    fn move_pivot(&mut self, una: u32, threshold: impl Fn() -> u32) {
        let (start, _) = self.last.get(0);
        if start <= self.pivot && self.pivot == self.lost_edge {
            // Everything SACKed above the pivot is one block: the pivot moves to the next segment, with no
            // hole between.
            (self.pivot, self.lost_edge) = (self.pivot + 1, self.pivot + 1);
        } else if self.pivot > una || self.sacked_count >= threshold() {
            self.seek_pivot(una, threshold());
        }
        debug_assert!(self.pivot <= una || self.is_pivot(una, threshold()));
    }

    /// The general case: the pivot moves to the next SACKed segment.
    #[cold]
    #[inline(never)]
    fn seek_pivot(&mut self, una: u32, threshold: u32) {
        if self.pivot <= una {
            self.find_losses(una, threshold);
        } else if let Some(next) = self.sacked.first_present(self.pivot + 1, self.highest) {
            self.pivot = next;
            self.mark_lost_below(una, next);
        }
    }

    /// Invariant of the pivot.
    fn is_pivot(&self, una: u32, threshold: u32) -> bool {
        Some(self.pivot) == self.sacked.last_present_but(threshold - 1, una, self.highest)
    }

    /// Adds SACK blocks above `una`; returns the number of newly SACKed segments.
    pub fn add(&mut self, blocks: &SackBlocks, una: u32, max: u32) -> u32 {
        let known = std::mem::take(&mut self.last);
        let mut fresh = 0;
        for (index, (start, end)) in blocks.iter().enumerate() {
            // A block moves by at most one place from one ACK to the next.
            let (same, before) = (known.get(index), known.get(index.saturating_sub(1)));
            if (start, end) == same || (start, end) == before {
                self.last.set(index, start, end);
                continue;
            }
            // The part of a block beyond `max` is ignored.
            let past = end.min(max);
            self.last.set(index, start, past.max(start));
            let (from, past) = known.trim(start.max(una), past);
            if from < past {
                fresh += self.add_block(from, past, una, max);
            }
        }
        fresh
    }

    fn add_block(&mut self, start: u32, end: u32, una: u32, max: u32) -> u32 {
        self.sacked.reserve(una, max);
        if end - start == 1 && start >= self.highest.max(self.lost_edge).max(self.high_rxt) {
            // One more above all others: no edge is affected.
            self.sacked.insert(start);
            self.sacked_count += 1;
            self.highest = end;
            return 1;
        }
        let Some(start) = self.sacked.first_absent(start, end) else { return 0 };
        let (lost, sent) = (self.lost_edge.clamp(start, end), self.high_rxt.clamp(start, end));
        self.keep(start, sent, una, max);
        let (lost_before, sent_before) = (self.absent(start, lost), self.absent(start, sent));
        let added = self.sacked.insert_range(start, end);
        self.lost_count -= lost_before - self.absent(start, lost);
        self.rxt_out -= sent_before - self.absent(start, sent);
        self.sacked_count += added;
        self.highest = self.highest.max(end);
        added
    }

    /// Leaves retransmissions that are about to be SACKed in the pipe, with `retransmit_all`.
    #[inline]
    fn keep(&mut self, start: u32, sent: u32, una: u32, max: u32) {
        let Some(kept) = &mut self.kept else { return };
        kept.reserve(una, max);
        let mut from = start;
        while let Some(seq) = self.sacked.first_absent(from, sent) {
            kept.insert(seq);
            self.rxt_out += 1;
            from = seq + 1;
        }
    }

    /// Removes such retransmissions in `[una, past)`; returns their number.
    #[inline]
    fn release_sacked_rxt(&mut self, una: u32, past: u32) -> u32 {
        self.kept.as_mut().map_or(0, |kept| kept.remove_range(una, past))
    }

    /// Segments in `[una, max)` that `blocks` report and that were not SACKed.
    pub fn newly_sacked(&mut self, blocks: &SackBlocks, una: u32, max: u32) -> u32 {
        self.sacked.reserve(una, max);
        let unknown = |(start, end): (u32, u32)| {
            let (from, past) = self.last.trim(start.max(una), end.min(max));
            self.absent(from, past)
        };
        blocks.iter().map(unknown).sum()
    }

    /// Whether the last ACK reported this block at the same place or the one before; then nothing of it is
    /// new.
    #[inline]
    pub(crate) fn was_reported(&self, place: usize, start: u32, end: u32) -> bool {
        (start, end) == self.last.get(place) || (start, end) == self.last.get(place.saturating_sub(1))
    }

    /// The part of a reported block `[start, end)` that may be new: the part the last ACK reported is not.
    #[inline]
    pub fn possibly_new(&self, start: u32, end: u32) -> (u32, u32) {
        self.last.trim(start, end)
    }

    /// The first segment of `[first, past)` that is not SACKed; `una` and `max` bound the outstanding
    /// segments.
    pub fn first_unsacked(&mut self, first: u32, past: u32, una: u32, max: u32) -> Option<u32> {
        self.sacked.reserve(una, max);
        self.sacked.first_absent(first.max(una), past.min(max))
    }

    /// Number of segments of `[first, past)` that are not SACKed.
    fn absent(&self, first: u32, past: u32) -> u32 {
        if first >= past {
            0
        } else {
            past - first - self.sacked.count(first, past)
        }
    }

    /// Moves `una` up to `ack`; returns how many of those segments were SACKed.
    pub fn advance(&mut self, una: u32, ack: u32) -> u32 {
        if ack == una {
            return 0;
        }
        let sent = self.absent(una, ack.min(self.high_rxt));
        // All lost segments lie below their edge; below both edges one count serves both.
        self.lost_count -= if ack >= self.lost_edge {
            debug_assert_eq!(self.lost_count, self.absent(una, self.lost_edge));
            self.lost_count
        } else if ack <= self.high_rxt {
            sent
        } else {
            self.absent(una, ack)
        };
        self.rxt_out -= sent;
        self.rxt_out -= self.release_sacked_rxt(una, ack.min(self.high_rxt));
        if self.sacked_count == 0 {
            return 0;
        }
        let gone = self.sacked.remove_range(una, ack.min(self.highest));
        self.sacked_count -= gone;
        gone
    }

    /// Moves `una` up to `ack` for an ACK without SACK blocks, while nothing is SACKed or lost.
    #[inline]
    pub(crate) fn advance_without_blocks(&mut self, una: u32, ack: u32) {
        debug_assert_eq!((self.sacked_count, self.lost_count, self.rxt_out), (0, 0, 0));
        debug_assert!(self.kept.is_none() || self.high_rxt <= una);
        debug_assert!(una < ack);
        self.last = SackBlocks::default();
    }

    /// Moves `lost_edge` to the highest segment with `threshold - 1` others SACKed above it.
    pub fn find_losses(&mut self, una: u32, threshold: u32) {
        self.pivot = 0;
        if self.sacked_count < threshold {
            return;
        }
        if let Some(edge) = self.sacked.last_present_but(threshold - 1, una, self.highest) {
            self.pivot = edge;
            self.mark_lost_below(una, edge);
        }
    }

    /// Marks everything below `edge` that is not SACKed as lost.
    pub fn mark_lost_below(&mut self, una: u32, edge: u32) {
        let from = self.lost_edge.max(una);
        if edge > from {
            self.lost_count += self.absent(from, edge);
            self.lost_edge = edge;
        }
    }

    /// Segments in flight (SetPipe of RFC 6675).
    #[inline]
    pub fn pipe(&self, una: u32, max: u32) -> u32 {
        (max - una) + self.rxt_out - self.sacked_count - self.lost_count
    }

    /// The first hole below `past` not yet retransmitted.
    #[inline]
    pub fn next_hole(&self, una: u32, past: u32) -> Option<u32> {
        self.sacked.first_absent(self.high_rxt.max(una), past)
    }

    /// Whether all lost segments have been retransmitted; false if the counts cannot tell.
    #[inline]
    pub fn all_retransmitted(&self) -> bool {
        self.rxt_out >= self.lost_count && self.kept.is_none()
    }

    /// The first lost segment not yet retransmitted. Some exists unless all have been.
    #[inline]
    pub fn next_lost(&self, una: u32) -> Option<u32> {
        if self.all_retransmitted() {
            debug_assert_eq!(self.next_hole(una, self.lost_edge), None);
            return None;
        }
        self.next_hole(una, self.lost_edge)
    }

    /// Whether a segment is lost.
    #[inline(always)]
    pub fn is_hole(&self, seq: u32) -> bool {
        seq < self.lost_edge && self.sacked.first_absent(seq, seq + 1).is_some()
    }

    /// The last segment below `max` that is not SACKed.
    pub fn last_hole(&self, una: u32, max: u32) -> Option<u32> {
        self.sacked.last_absent(una, max)
    }

    /// Records the retransmission of `seq`; holes below it count as retransmitted, too.
    pub fn retransmitted(&mut self, seq: u32) {
        if seq >= self.high_rxt {
            self.high_rxt = seq + 1;
            self.rxt_out += 1;
        }
    }

    /// Starts a recovery: nothing has been retransmitted in it.
    pub fn begin(&mut self, una: u32) {
        self.release_sacked_rxt(una, self.high_rxt);
        self.high_rxt = una;
        self.rxt_out = 0;
        self.rescue = NONE;
    }

    /// Clears loss marks and recomputes them from the SACKed segments: the losses were spurious.
    pub fn recompute_losses(&mut self, una: u32, threshold: u32) {
        self.begin(una);
        (self.lost_edge, self.lost_count) = (0, 0);
        self.find_losses(una, threshold);
    }

    /// Clears everything about segments from `una` on.
    pub fn clear(&mut self, una: u32) {
        if self.sacked_count > 0 {
            self.sacked.remove_range(una, self.highest);
            self.sacked_count = 0;
        }
        self.release_sacked_rxt(una, self.high_rxt);
        self.last = SackBlocks::default();
        self.highest = 0;
        self.pivot = 0;
        self.lost_edge = 0;
        self.lost_count = 0;
        self.high_rxt = 0;
        self.rxt_out = 0;
    }
}

#[cfg(test)]
mod tests;
