//! Loss detection and recovery, one file per family of algorithms. Here: what they share, that is the new
//! ACK, the reduction of the window, the retransmission timeout. ECN is in `ecn`.
//!
//! *Reference*: RFC 5681 section 3, RFC 6298 section 5, RFC 3168 section 6.1.2; ns-2.35 where an option asks
//! for it.
//! *Units*: windows in segments.
//! *Deviations*: after a timeout the families without a scoreboard go back to `una` and retransmit everything
//! that the window allows (go-back-N), as RFC 5681 permits and ns-2 does.

mod dupacks;
mod ecn;
pub(crate) mod frto;
mod lost_set;
pub(crate) mod rack;
mod retransmitted;
mod sack;
mod sack1;
pub mod scoreboard;
mod send_order;
mod timing;
mod tlp;
pub(crate) mod undo;
pub(crate) mod vegas;

use crate::cc::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Arithmetic, Counting, Recovery, Reduce};
use crate::segment::Ack;
use crate::sender::{Action, Sender, NONE};
pub(crate) use retransmitted::Retransmitted;
use units::Time;

impl Sender {
    /// Processes the SYN-ACK; ignores anything before it.
    #[cold]
    pub(crate) fn on_syn_ack(&mut self, now: Time, ack: &Ack) {
        if !ack.syn || self.awaits_open() {
            return;
        }
        self.forced = NONE;
        self.agree(ack);
        self.begin_data(now);
        self.rto_at = Time::NEVER;
        let again = self.cold.rtt.backoff() > 1;
        self.cold.rtt.end_backoff();
        // A retransmitted SYN gives no sample, and the initial window falls to 1 (RFC 5681 section 3.1).
        if !again {
            let (now, sent) = self.on_clock(now, ack.echo);
            self.cold.sample(now, sent, (0, 0));
        } else if self.cold.params.opening_fix {
            self.window.cwnd = 1.0;
        }
        self.rto = self.cold.rto();
        self.start_pacing();
    }

    /// Processes a cumulative ACK: moves `una`, samples the round trip, restarts the timer.
    #[inline]
    pub(crate) fn advance(&mut self, now: Time, ack: &Ack) {
        self.move_una(now, ack.ack, ack.echo, ack.ece);
    }

    /// [`Sender::advance`] from the fields of an ACK. Cold, so that the fast path keeps its registers.
    #[cold]
    #[inline(never)]
    pub(crate) fn move_una(&mut self, now: Time, una: u32, echo: Time, ece: bool) {
        if !self.timer_after_sample {
            let outstanding = self.seq.nxt >= una || una < self.seq.max || self.window.cwnd < 1.0;
            self.restart_timer(now, outstanding);
        }
        self.dupacks = 0;
        let first = std::mem::replace(&mut self.seq.una, una);
        if self.seq.nxt < una {
            self.seq.nxt = una;
        }
        let timed = self.timed != NONE && una > self.timed;
        if timed || self.fast.timestamps {
            self.sample(now, first, echo, ece, timed);
        }
        if self.timer_after_sample {
            self.restart_timer(now, self.cold.params.timer_when_idle || una < self.seq.max);
        }
        if self.ecn && !ece {
            self.cold.ecn_backoff = false;
        }
    }

    /// Segments acknowledged beyond `recover` by the ACK that ends a timeout's recovery, if the window grows
    /// by those (`counting = "ns3"`).
    #[inline]
    pub(crate) fn acked_beyond_recover(&self, ack: u32) -> Option<u32> {
        let ends = self.loss && ack >= self.recover && self.cold.params.counting == Counting::Ns3;
        ends.then(|| ack - self.recover)
    }

    /// Shows an ACK to a congestion control that measures.
    pub(crate) fn show_to_cc(&mut self, now: Time, ack: &Ack) {
        let ledger_wanted = self.model_based || self.recovery == Recovery::Rack;
        if ledger_wanted && ack.ack >= self.seq.una {
            self.record_arrivals(now, ack);
        }
        let acked = ack.ack.saturating_sub(self.seq.una);
        let event = AckEvent {
            now,
            acked,
            delivered: self.delivered_by(ack.ack, acked),
            rtt: self.round_trip(now, ack, acked),
            flight: self.seq.outstanding(),
            una: self.seq.una.max(ack.ack),
            next: self.seq.nxt,
            ece: ack.ece,
            marked: self.newly_marked(ack.ece, acked),
            recovering: self.recovering && self.recovery != Recovery::Vegas,
        };
        self.cc.on_every_ack(&event);
    }

    /// Segments delivered by an ACK; a duplicate counts as one. With `counting = "ns3"`: a partial ACK counts
    /// as one, the ACK that ends a timeout's recovery counts what lies beyond, and others exclude the
    /// duplicates before.
    fn delivered_by(&self, ack: u32, acked: u32) -> u32 {
        if acked == 0 {
            return u32::from(ack == self.seq.una);
        }
        match self.cold.params.counting {
            Counting::Ns3 if self.recovering && ack < self.recover => 1,
            Counting::Ns3 if self.loss && ack >= self.recover => ack - self.recover,
            Counting::Ns3 if !self.recovering && !self.loss => acked.saturating_sub(self.dupacks),
            _ => acked,
        }
    }

    /// Lets the congestion control grow the window; `flight` is the flight before the ACK.
    #[inline]
    pub(crate) fn grow(&mut self, now: Time, ack: &Ack, acked: u32, delivered: u32, flight: u32) {
        self.grow_by(now, (ack.echo, ack.ece), acked, delivered, flight);
    }

    /// [`Sender::grow`] from the fields of an ACK.
    #[inline]
    pub(crate) fn grow_by(
        &mut self,
        now: Time,
        (echo, ece): (Time, bool),
        acked: u32,
        delivered: u32,
        flight: u32,
    ) {
        if self.ecn && !self.may_grow_on(ece) {
            return;
        }
        // A deferred burst counts as use of the window.
        let used = flight + if self.offloads { self.burst_size() - 1 } else { 0 };
        if !self.window.is_used_by(used) && !self.cold.params.grow_unused {
            return;
        }
        let event = AckEvent {
            now,
            acked,
            delivered,
            rtt: Some(self.shown(now.since(echo))),
            flight,
            una: self.seq.una,
            next: self.seq.nxt,
            ece,
            marked: self.newly_marked(ece, acked),
            recovering: self.recovering,
        };
        self.cc.on_ack(&mut self.window, &event);
        self.limit_window();
    }

    /// The quantity to reduce, as the `reduce` option says.
    fn load(&self) -> f64 {
        match self.cold.params.reduce {
            Reduce::Window => (self.window.cwnd + f64::from(self.inflation)).min(f64::from(self.seq.rwnd)),
            Reduce::Pipe if matches!(self.recovery, Recovery::Sack | Recovery::Rack) => {
                f64::from(self.pipe())
            }
            // Segments sent before a timeout count as lost.
            Reduce::Pipe if self.loss => f64::from(self.seq.nxt - self.seq.una),
            Reduce::Pipe => {
                // A partial ACK includes segments that duplicates reported.
                let held = if self.recovering { self.inflation } else { self.dupacks };
                f64::from(self.seq.outstanding().saturating_sub(held))
            }
            Reduce::Flight => {
                let limited =
                    if self.dupacks > 0 { self.seq.max.saturating_sub(self.cold.dup_max) } else { 0 };
                f64::from(self.seq.outstanding().saturating_sub(limited))
            }
        }
    }

    /// Reduces ssthresh and cwnd.
    pub(crate) fn reduce_window(&mut self, now: Time, cause: Cause) {
        self.reduce_window_from(now, cause, self.load());
    }

    fn reduce_window_from(&mut self, now: Time, cause: Cause, load: f64) {
        self.cold.counters.cuts += 1;
        let arithmetic = self.cold.params.arithmetic;
        let load = if arithmetic.is_whole() { load.floor() } else { load };
        let (flight, ecn_factor) = (self.seq.outstanding(), self.cold.params.ecn_factor);
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

    /// The retransmission timer has expired.
    #[cold]
    pub(crate) fn on_timeout(&mut self, now: Time) {
        if !self.opened {
            self.forced = 0;
            self.cold.counters.timeouts += 1;
            return self.back_off(now);
        }
        self.quota = self.burst();
        let flight = self.load();
        if self.recovery != Recovery::Tahoe {
            self.dupacks = 0;
        }
        self.inflation = 0;
        let fresh = !self.recovering && !self.loss;
        self.recovering = false;
        self.recover = self.seq.max;
        self.seq.nxt = self.seq.una;
        self.timed = NONE;
        if self.seq.una == self.seq.max && self.recovery != Recovery::Vegas {
            return self.idle_timeout(now);
        }
        self.frto_begin(fresh);
        self.loss = true;
        if self.seq.una == 0 && self.cold.params.opening_fix && self.recovery != Recovery::Vegas {
            self.cold.first_lost = true;
        }
        self.shrink_for_timeout(now, fresh, flight);
        self.last_action = Action::Timeout;
        self.cold.timeout_una = self.seq.una;
        match self.recovery {
            Recovery::Sack => self.timeout_sack(),
            Recovery::Sack1 => self.timeout_sack1(),
            Recovery::Rack => self.timeout_rack(now),
            Recovery::Vegas => self.timeout_vegas(now),
            _ => {}
        }
        self.back_off(now);
    }

    /// `fresh`: no recovery was in progress. Otherwise a retransmission was lost, which lowers ssthresh once
    /// more (RFC 5681 section 4.3); the outstanding data, most of which the receiver may hold by now, would
    /// raise it. With `reduce = "pipe"` the `flight` before the timeout counts.
    fn shrink_for_timeout(&mut self, now: Time, fresh: bool, flight: f64) {
        let p = &self.cold.params;
        // A timeout after an ECN reduction keeps ssthresh in ns-2; a repeated one keeps it in RFC 5681.
        let after_ecn = self.last_action == Action::Ecn && p.reduce == Reduce::Window;
        let repeated = p.keep_ssthresh && self.cold.timeout_una == self.seq.una;
        if after_ecn || repeated {
            self.cold.counters.cuts += 1;
            self.cwr = true;
        } else {
            let load = match self.cold.params.reduce {
                Reduce::Flight if !fresh => self.load().min(self.window.cwnd),
                Reduce::Pipe => flight,
                _ => self.load(),
            };
            self.reduce_window_from(now, Cause::Timeout, load);
        }
        if !after_ecn {
            self.cold.counters.timeouts += 1;
        }
        self.window.cwnd = 1.0;
    }

    fn back_off(&mut self, now: Time) {
        self.cold.back_off();
        self.rto = self.cold.rto();
        self.rto_at = self.rto_after(now);
    }

    /// A timeout with nothing outstanding: cwnd returns to 1 and the timer stops.
    fn idle_timeout(&mut self, _now: Time) {
        self.cold.counters.cuts += 1;
        self.cwr = true;
        self.window.cwnd = 1.0;
        self.last_action = Action::Timeout;
        self.rto_at = Time::NEVER;
    }
}
