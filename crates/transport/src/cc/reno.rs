//! Reno: slow start, congestion avoidance, halving.
//!
//! *Reference*: RFC 5681 sections 3.1 and 3.2; RFC 3465 for `counting = segments`; RFC 8511 for `ecn_factor`.
//! *Units*: windows in segments.
//! *Deviations*: none; rounding is the `arithmetic` option.

use super::{slow_start, AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Arithmetic, Counting, Params};

/// Additive increase by one segment a round trip, multiplicative decrease by half.
#[derive(Clone, Debug)]
pub struct Reno {
    counting: Counting,
    arithmetic: Arithmetic,
    mss: u32,
    /// The most segments that an acknowledgement counts for in congestion avoidance; zero where the window grows by whole bytes or
    /// whole segments then.
    most: u32,
    /// Segments acknowledged towards the next one of growth (`whole`).
    credits: u32,
}

impl Reno {
    /// Reno with the rounding the parameters ask for.
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

    /// Opens the window for so many segments acknowledged, at least one.
    #[inline(always)]
    pub(crate) fn open_by(&mut self, window: &mut Window, acked: u32) {
        if window.cwnd >= window.ssthresh && self.most > 0 {
            window.cwnd += f64::from(acked.min(self.most)) / window.cwnd;
        } else {
            self.open_apart(window, acked);
        }
    }

    /// The window grows otherwise than by parts: in slow start, or by whole bytes or segments.
    #[cold]
    fn open_apart(&mut self, window: &mut Window, acked: u32) {
        self.open(window, acked);
    }

    fn whole_bytes(&self, segments: f64) -> f64 {
        let mss = f64::from(self.mss);
        (segments * mss + 1e-6).floor() / mss
    }

    fn open(&mut self, window: &mut Window, acked: u32) {
        let mut acked = match self.counting {
            Counting::Whole => return self.open_whole(window, acked),
            Counting::Acks => 1,
            // Two only where the first ends slow start: the second then counts for congestion avoidance.
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

    /// A segment for each acknowledged in slow start, then one for each window acknowledged.
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
        self.credits = 0;
        match event.cause {
            Cause::Ecn => event.load * event.ecn_factor.unwrap_or(0.5),
            Cause::Loss | Cause::Timeout => event.load / 2.0,
        }
    }
}
