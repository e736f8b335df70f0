//! The congestion window: its growth with ACKs, its reduction, its bounds; and the cumulative ACK itself.
//!
//! *Reference*: RFC 5681 section 3, RFC 3168 section 6.1.2; ns-2.35 where an option asks for it.
//! *Units*: segments.

use super::{Ctx, Timer, NONE};
use crate::cc::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Arithmetic, Pacing};
use units::{Span, Time};

impl Ctx {
    /// Moves `una` for a cumulative ACK, samples the round trip and restarts the timer. Cold, so that the fast path
    /// keeps its registers.
    #[cold]
    #[inline(never)]
    pub(crate) fn move_una(&mut self, now: Time, una: u32, echo: Time, ece: bool) {
        if !self.timer_after_sample {
            let outstanding = self.seq.nxt >= una || una < self.seq.max || self.window.cwnd < 1.0;
            self.restart_timer(now, outstanding);
        }
        let first = std::mem::replace(&mut self.seq.una, una);
        if self.seq.nxt < una {
            self.seq.nxt = una;
        }
        let timed = self.timed != NONE && una > self.timed;
        if timed || self.timestamps {
            self.sample(now, first, echo, ece, timed);
        }
        if self.timer_after_sample {
            self.restart_timer(now, self.params.timer_when_idle || una < self.seq.max);
        }
        if self.ecn && !ece {
            self.ecn_backoff = false;
        }
    }

    /// Lets the congestion control grow the window for an ACK of `acked` segments with this timestamp echo and ECN
    /// echo; `flight` is the flight before the ACK, `recovering` whether fast recovery is in progress.
    #[inline]
    pub(crate) fn grow(
        &mut self,
        now: Time,
        (echo, ece): (Time, bool),
        (acked, delivered): (u32, u32),
        flight: u32,
        recovering: bool,
    ) {
        if self.ecn && !self.may_grow_on(ece) {
            return;
        }
        if !self.uses_window(flight) {
            return;
        }
        let event = AckEvent {
            now,
            acked,
            delivered,
            rtt: Some(self.shown(now.since(echo))),
            by_segment: false,
            flight,
            una: self.seq.una,
            next: self.seq.nxt,
            sacks: false,
            ece,
            marked: self.newly_marked(ece, acked),
            recovering,
            reducing: false,
        };
        self.cc.on_ack(&mut self.window, &event);
        self.limit_window();
    }

    /// Clamps cwnd to its upper bound; returns cwnd in whole segments.
    #[inline(always)]
    pub(crate) fn limit_window(&mut self) -> u32 {
        let whole = self.window.cwnd as u32;
        if whole <= self.max_cwnd {
            return whole;
        }
        self.window.cwnd = f64::from(self.max_cwnd);
        self.max_cwnd
    }

    /// Clamps cwnd to its upper bound, if it has one.
    pub(crate) fn bound_window(&mut self) {
        if self.max_cwnd != NONE {
            self.window.cwnd = self.window.cwnd.min(f64::from(self.max_cwnd));
        }
    }

    /// Reduces ssthresh and cwnd; `load` is the quantity that the `reduce` option names.
    pub(crate) fn reduce_window(&mut self, now: Time, cause: Cause, load: f64) {
        self.counters.cuts += 1;
        let arithmetic = self.params.arithmetic;
        let load = if arithmetic.is_whole() { load.floor() } else { load };
        let (flight, ecn_factor) = (self.seq.outstanding(), self.params.ecn_factor);
        let event = CongestionEvent { now, cause, load, flight, ecn_factor };
        let target = self.cc.on_congestion(&self.window, &event);
        self.cwr = true;
        if self.model_based {
            return;
        }
        let (ssthresh, cwnd) = match arithmetic {
            Arithmetic::Real | Arithmetic::Bytes => (target.max(2.0), target.max(2.0)),
            Arithmetic::WholeSsthresh => (target.floor().max(2.0), target),
            Arithmetic::Integer => (target.floor().max(2.0), target.floor()),
            Arithmetic::Whole => (target.floor().max(2.0), target.floor().max(2.0)),
        };
        // The flight may exceed the window after a timeout: an ECN echo never raises it.
        let most = if cause == Cause::Ecn { self.window.cwnd } else { cwnd };
        self.window = Window { cwnd: cwnd.min(most), ssthresh };
    }

    /// Window after the first ACK, with `delay_growth`.
    pub(crate) fn initial_window(&self) -> f64 {
        if self.first_lost {
            1.0
        } else {
            self.params.initial_window as f64
        }
    }

    /// Doubles the retransmission timeout and restarts the timer.
    pub(crate) fn back_off(&mut self, now: Time) {
        self.double_rto();
        let at = self.rto_after(now);
        self.timers.arm(Timer::Retransmission, at);
    }

    /// Pacing rate that spreads a window over a round trip, faster in slow start; `None` if the sender does not pace.
    pub(crate) fn window_pace(&self) -> Option<f64> {
        let p = &self.params;
        if p.pacing == Pacing::Auto && !self.cc.paces() {
            return None;
        }
        let gain =
            if self.window.cwnd < self.window.ssthresh / 2.0 { p.pacing_gain_start } else { p.pacing_gain };
        self.srtt().map(|srtt| gain * self.window.cwnd / srtt.max(Span(1)).as_secs())
    }
}
