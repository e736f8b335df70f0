//! Data supplied by the source.
//!
//! *Units*: segments, bytes of payload.

use super::Sender;
use crate::connection::NONE;

impl Sender {
    /// Supplies `segments` more full segments.
    pub fn supply(&mut self, segments: u32) {
        self.ctx.seq.limit = self.ctx.seq.limit.saturating_add(segments);
        self.last_size = self.size;
        self.allow_sending();
    }

    /// Supplies a file: full segments and a last one with the remainder. A later supply starts a new segment;
    /// only the file supplied last ends in a short one.
    pub fn supply_bytes(&mut self, bytes: u64) {
        let mss = self.ctx.params.mss.0;
        let segments = bytes.div_ceil(mss).min(u64::from(NONE)) as u32;
        self.supply(segments);
        let missing = u64::from(segments) * mss - bytes.min(u64::from(segments) * mss);
        self.last_size = self.size - missing as u32;
    }

    /// Makes the supply endless.
    pub fn supply_forever(&mut self) {
        self.ctx.seq.limit = NONE;
        self.allow_sending();
    }

    /// Ends the supply: segments never sent are withdrawn.
    pub fn cease(&mut self) {
        self.ctx.seq.limit = self.ctx.seq.limit.min(self.ctx.seq.max);
        self.update_fast_path();
    }

    /// Lets the application write what a limited send buffer has room for.
    #[inline]
    pub(super) fn write_more(&mut self) {
        if self.ctx.params.send_buffer.is_some() && self.keeps_ledger {
            let sacked = self.recovery.parts.board.sacked_count;
            self.ctx.write_more(self.recovery.pipe(&self.ctx), sacked);
        }
    }

    pub(super) fn allow_sending(&mut self) {
        self.ctx.quota = if self.opened { self.ctx.burst() } else { 0 };
        self.jitter_elapsed = false;
        self.update_fast_path();
    }
}
