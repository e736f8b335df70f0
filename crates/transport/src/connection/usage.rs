//! Whether the congestion window limits the sender, remembered for a window (`window_usage = "linux"`).
//!
//! *Reference*: Linux by its output: `docs/transports/tcp.md`; RFC 7661 for the purpose.
//! *Units*: segments.

use super::Ctx;

/// Use of the window since it was last full.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// The window was full.
    full: bool,
    /// A burst was deferred: it counts as if it filled the window.
    pub(crate) deferred: bool,
    /// The last sending left room in the window.
    pub(crate) had_room: bool,
    /// The most segments outstanding in this time, which ends once this segment is acknowledged.
    most: u32,
    end: u32,
    /// One past the highest segment sent when this was last judged.
    max: u32,
}

impl Ctx {
    /// Judges the last sending, before an ACK changes anything; `flight` excludes SACKed and lost segments.
    pub(crate) fn judge_usage(&mut self, flight: u32) {
        if !self.params.remembers_usage() {
            return;
        }
        let (seq, cwnd) = (self.seq, self.window.cwnd as u32);
        let usage = &mut self.tracking.usage;
        usage.had_room = flight < cwnd;
        let full = std::mem::take(&mut usage.deferred) || flight >= cwnd;
        let sent = std::mem::replace(&mut usage.max, seq.max) != seq.max;
        let more = !usage.full && seq.outstanding() > usage.most;
        if full || sent && (seq.una >= usage.end || more) {
            (usage.full, usage.most, usage.end) = (full, seq.outstanding(), seq.max);
        }
    }

    /// Whether the window may grow for an ACK that arrived at this flight.
    pub(crate) fn uses_window(&self, flight: u32) -> bool {
        if !self.params.remembers_usage() {
            // A deferred burst counts as use of the window.
            let used = flight + if self.offloads { self.burst_size() - 1 } else { 0 };
            return self.window.is_used_by(used) || self.params.grow_unused;
        }
        let usage = &self.tracking.usage;
        let opening = self.window.cwnd < self.window.ssthresh;
        usage.full || opening && self.window.cwnd < 2.0 * f64::from(usage.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Params, Recovery, WindowUsage};
    use std::sync::Arc;
    use units::param::Valid;
    use units::Stream;

    /// A window of ten was full as segment 9 left. It counts as used until segment 10 is acknowledged, though it grew
    /// to 40 meanwhile and 20 are in flight; then only below twice the 25 outstanding, in slow start.
    #[test]
    fn a_full_window_counts_until_it_is_acknowledged() {
        let params = Params {
            recovery: Recovery::Rack,
            window_usage: WindowUsage::Linux,
            initial_ssthresh: Some(100),
            ..Params::default()
        };
        let params = Arc::new(Valid::new(params).expect("valid"));
        let (mut ctx, _) = Ctx::new(&params, Stream::new(1, "usage"));
        (ctx.window.cwnd, ctx.seq.max) = (10.0, 10);
        ctx.judge_usage(10);
        assert!(ctx.uses_window(10));
        (ctx.window.cwnd, ctx.seq.una, ctx.seq.max) = (40.0, 5, 25);
        ctx.judge_usage(20);
        assert!(ctx.uses_window(20));
        (ctx.seq.una, ctx.seq.max) = (10, 35);
        ctx.judge_usage(25);
        assert!(ctx.uses_window(25), "40 are less than twice 25");
        ctx.window.cwnd = 50.0;
        assert!(!ctx.uses_window(25));
        ctx.window = crate::cc::Window { cwnd: 30.0, ssthresh: 20.0 };
        assert!(!ctx.uses_window(25), "congestion avoidance needs a full window");
    }
}
