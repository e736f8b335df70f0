//! Reno: slow start, congestion avoidance, halving.
//!
//! *Reference*: RFC 5681 sections 3.1 and 3.2; RFC 3465 for `counting = segments`; RFC 8511 for `ecn_factor`.
//! *Units*: windows in segments.
//! *Deviations*: none; rounding is the `arithmetic` option.

use super::{slow_start, AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Arithmetic, Counting, Params};
use units::Time;

/// Additive increase by one segment per round trip, multiplicative decrease by half.
#[derive(Clone, Debug)]
pub struct Reno {
    counting: Counting,
    arithmetic: Arithmetic,
    mss: u32,
    /// Segments per ACK that count in congestion avoidance; zero if the window grows by whole bytes or whole
    /// segments then.
    most: u32,
    /// ACKed segments towards the next segment of growth (`whole`).
    credits: u32,
}

impl Reno {
    /// Returns Reno with the rounding of `params`.
    pub fn new(params: &Params) -> Reno {
        let by_parts = params.arithmetic != Arithmetic::Bytes;
        let most = match params.counting {
            Counting::Segments => 2,
            Counting::Acks | Counting::Ns3 => 1,
            Counting::Whole => 0,
        };
        Reno {
            counting: params.counting,
            arithmetic: params.arithmetic,
            mss: params.mss.0 as u32,
            most: if by_parts { most } else { 0 },
            credits: 0,
        }
    }

    /// Grows the window for `acked` segments, at least one.
    #[inline(always)]
    pub(crate) fn open_by(&mut self, window: &mut Window, acked: u32) {
        if window.cwnd >= window.ssthresh && self.most > 0 {
            window.cwnd += f64::from(acked.min(self.most)) / window.cwnd;
        } else {
            self.grow_slow_path(window, acked);
        }
    }

    /// Growth other than fractional: slow start, or whole bytes or segments.
    #[cold]
    fn grow_slow_path(&mut self, window: &mut Window, acked: u32) {
        self.open(window, acked);
    }

    /// Forgets the segments counted towards growth, because the window was reduced.
    pub(super) fn reset(&mut self) {
        self.credits = 0;
    }

    fn whole_bytes(&self, segments: f64) -> f64 {
        let mss = f64::from(self.mss);
        (segments * mss + 1e-6).floor() / mss
    }

    fn open(&mut self, window: &mut Window, acked: u32) {
        let mut acked = match self.counting {
            Counting::Whole => return self.open_whole(window, acked),
            Counting::Acks => 1,
            // Two only if the first ends slow start: the second then counts for congestion avoidance.
            Counting::Ns3 if window.cwnd < window.ssthresh && window.cwnd + 1.0 >= window.ssthresh => {
                acked.min(2)
            }
            Counting::Ns3 => acked.min(1),
            Counting::Segments => acked.min(2),
        };
        while acked > 0 && window.cwnd < window.ssthresh {
            window.cwnd += 1.0;
            acked -= 1;
        }
        if acked > 0 {
            window.cwnd += f64::from(acked) / window.cwnd;
            if self.arithmetic == Arithmetic::Bytes {
                window.cwnd = self.whole_bytes(window.cwnd);
            }
        }
    }

    /// One segment per ACKed segment in slow start, then one per ACKed window.
    fn open_whole(&mut self, window: &mut Window, acked: u32) {
        let left = slow_start(window, acked);
        if left == 0 {
            return;
        }
        let cwnd = (window.cwnd as u32).max(1);
        if self.credits >= cwnd {
            self.credits = 0;
            window.cwnd += 1.0;
        }
        self.credits += left;
        window.cwnd += f64::from(self.credits / cwnd);
        self.credits %= cwnd;
    }
}

impl Control for Reno {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        self.open(window, event.acked);
    }

    fn on_congestion(&mut self, _window: &Window, event: &CongestionEvent) -> f64 {
        self.reset();
        match event.cause {
            Cause::Ecn => event.load * event.ecn_factor.unwrap_or(0.5),
            Cause::Loss | Cause::Timeout => event.load / 2.0,
        }
    }

    /// Linux restarts the count also after a timeout that leaves ssthresh.
    fn on_timeout(&mut self, _now: Time, _past: u32) {
        self.reset();
    }
}
