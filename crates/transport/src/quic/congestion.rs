//! Congestion control of QUIC: NewReno of RFC 9002, and CUBIC and BBR as TCP has them.
//!
//! *Reference*: RFC 9002 section 7 and appendix B; the modules of [`crate::cc`].
//! *Units*: packets; rates in packets per second.
//! *Deviations*: a probe timeout does not end BBR's model. BBR ignores marks.

use super::packets::SentPacket;
use super::params::QuicParams;
use crate::cc::{AckEvent, Cause, Cc, CongestionEvent, Control, Window};
use crate::rate::{Sample, Sampler};
use units::{Span, Stream, Time};

/// Facts about an ACK that the rate sample does not contain.
#[derive(Clone, Copy, Debug)]
pub struct AckFacts {
    /// Current time.
    pub now: Time,
    /// Packets in flight after it.
    pub in_flight: u32,
    /// Smoothed RTT.
    pub smoothed: Span,
    /// Departure of the next packet under pacing.
    pub departs: Time,
}

/// Congestion control of a connection.
#[derive(Clone, Debug)]
pub struct Congestion {
    window: Window,
    /// The control shared with TCP; `None` for NewReno.
    shared: Option<Box<Cc>>,
    /// Rate samples, if the control asks for them.
    sampler: Option<Box<Sampler>>,
    least: f64,
    loss_reduction: f64,
    /// Start of the recovery period: losses of packets sent up to then belong to it.
    recovery_start: Option<Time>,
    /// No packet sent since then has been acknowledged.
    recovering: bool,
    reductions: u64,
    persistent: u64,
    rng: Stream,
}

impl Congestion {
    /// A control with the initial window.
    pub fn new(params: &QuicParams) -> Congestion {
        let options = params.of_tcp();
        let shared = options.as_ref().map(|options| Box::new(Cc::new(options)));
        let samples = shared.as_ref().is_some_and(|cc| cc.models());
        let sampler = options.filter(|_| samples).map(|options| Box::new(Sampler::new(&options, true)));
        Congestion {
            window: Window { cwnd: params.initial_window as f64, ssthresh: f64::INFINITY },
            shared,
            sampler,
            least: params.min_window as f64,
            loss_reduction: params.loss_reduction,
            recovery_start: None,
            recovering: false,
            reductions: 0,
            persistent: 0,
            rng: Stream::new(0, "quic"),
        }
    }

    /// Takes the random numbers of BBR.
    pub fn take_rng(&mut self, rng: Stream) {
        self.rng = rng;
    }

    /// Congestion window.
    pub fn window(&self) -> f64 {
        self.window.cwnd
    }

    /// Slow start threshold; infinite until the first reduction.
    pub fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    /// Reductions of the window, and how often congestion was persistent.
    pub fn counts(&self) -> (u64, u64) {
        (self.reductions, self.persistent)
    }

    /// Whether there is room for one more packet.
    pub fn has_room(&self, in_flight: u32) -> bool {
        f64::from(in_flight) + 1.0 <= self.window.cwnd
    }

    /// The control's own pacing rate and burst.
    pub fn pace(&self) -> Option<(f64, u64)> {
        let cc = self.shared.as_ref().filter(|cc| cc.models())?;
        cc.pace().map(|rate| (rate, u64::from(cc.quantum())))
    }

    /// The handshake is complete.
    pub fn open(&mut self, rtt: Option<Span>) {
        if let Some(cc) = &mut self.shared {
            cc.on_open(rtt);
        }
    }

    /// Records a packet that is being sent, with which `in_flight` are in flight.
    pub fn on_sent(&mut self, now: Time, in_flight: u32, packet: &mut SentPacket) {
        packet.sent.at = now;
        packet.sent.transmits = 1;
        let Some(sampler) = &mut self.sampler else { return };
        if let Some(cc) = self.shared.as_mut().filter(|_| in_flight == 1 && sampler.app_limited > 0) {
            cc.on_restart(now);
        }
        sampler.stamp(now, in_flight, &mut packet.sent);
    }

    /// The source, not the window, limits the packets in flight.
    pub fn limit_by_source(&mut self, in_flight: u32) {
        if let Some(sampler) = &mut self.sampler {
            sampler.limit_by_source(in_flight);
        }
    }

    /// Starts the rate sample of an ACK.
    pub fn begin_ack(&mut self, in_flight: u32) {
        if let Some(sampler) = &mut self.sampler {
            sampler.begin(in_flight);
        }
    }

    fn in_recovery(&self, sent: Time) -> bool {
        self.recovery_start.is_some_and(|start| sent <= start)
    }

    /// A packet is newly acknowledged (section B.5). `limited`: the source, not the window, limited the sender.
    pub fn on_acked(
        &mut self,
        now: Time,
        number: u32,
        packet: &mut SentPacket,
        limited: bool,
        rtt: Option<Span>,
    ) {
        if let Some(sampler) = &mut self.sampler {
            sampler.arrive(now, number, &mut packet.sent);
        }
        let sent = packet.sent.at;
        if self.in_recovery(sent) {
            return;
        }
        self.recovering = false;
        if limited {
            return;
        }
        if let Some(cc) = &mut self.shared {
            return cc.on_ack(&mut self.window, &growth(now, number, rtt));
        }
        let slow_start = self.window.cwnd < self.window.ssthresh;
        self.window.cwnd += if slow_start { 1.0 } else { 1.0 / self.window.cwnd };
    }

    /// A packet is lost: the control with a model of the path records it.
    pub fn on_packet_lost(&mut self, now: Time, number: u32, packet: &mut SentPacket) {
        let Some(sampler) = &mut self.sampler else { return };
        let Some(cc) = &mut self.shared else { return };
        if let Some(lost) = sampler.loss_event(number, &mut packet.sent) {
            cc.on_lost(&self.window, &lost, now, &mut self.rng);
        }
    }

    /// Congestion (section B.6): a packet sent at `sent` was lost or marked. Returns whether a recovery period starts.
    pub fn on_congestion(&mut self, now: Time, sent: Time, cause: Cause, in_flight: u32) -> bool {
        if self.in_recovery(sent) || cause == Cause::Ecn && self.sampler.is_some() {
            return false;
        }
        (self.recovery_start, self.recovering) = (Some(now), true);
        self.reductions += 1;
        let cwnd = self.window.cwnd;
        let event = CongestionEvent { now, cause, load: cwnd, flight: in_flight, ecn_factor: None };
        let target = match &mut self.shared {
            Some(cc) => cc.on_congestion(&self.window, &event),
            None => cwnd * self.loss_reduction,
        };
        if self.sampler.is_none() {
            self.window = Window { cwnd: target.max(self.least), ssthresh: target };
        }
        true
    }

    /// Persistent congestion (section 7.6.2): the window falls to its minimum, and slow start follows.
    pub fn on_persistent_congestion(&mut self, now: Time, in_flight: u32) {
        self.persistent += 1;
        if let Some(cc) = &mut self.shared {
            let load = self.window.cwnd;
            let event =
                CongestionEvent { now, cause: Cause::Timeout, load, flight: in_flight, ecn_factor: None };
            cc.on_congestion(&self.window, &event);
        }
        self.window.cwnd = self.least;
        self.recovery_start = None;
    }

    /// Ends an ACK: the control with a model of the path takes its rate sample.
    pub fn finish_ack(&mut self, facts: &AckFacts) {
        let (Some(sampler), Some(cc)) = (&mut self.sampler, &mut self.shared) else { return };
        let Some(sample) = sampler.finish(facts.now) else { return };
        let sample = Sample {
            in_flight: facts.in_flight,
            departs: facts.now.max(facts.departs),
            cwnd_limited: f64::from(sample.prior_in_flight) + 1.0 > self.window.cwnd,
            srtt: Some(facts.smoothed),
            recovering: self.recovering,
            ..sample
        };
        if cc.on_sample(&mut self.window, &sample, &mut self.rng) {
            sampler.limit_by_source(facts.in_flight);
        }
    }
}

/// The event that lets a control of TCP grow its window by one packet.
fn growth(now: Time, number: u32, rtt: Option<Span>) -> AckEvent {
    AckEvent {
        now,
        acked: 1,
        delivered: 1,
        rtt,
        by_segment: true,
        flight: 0,
        una: number,
        next: number,
        sacks: false,
        ece: false,
        marked: 0,
        recovering: false,
        reducing: false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::packets::QuicFate;
    use super::super::params::QuicControl;
    use super::super::Frames;
    use super::*;
    use crate::ledger::Sent;

    fn at(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    fn control(cc: QuicControl) -> Congestion {
        Congestion::new(&QuicParams { cc, ..QuicParams::default() })
    }

    fn packet(ms: u64) -> SentPacket {
        let sent = Sent { at: at(ms), transmits: 1, ..Sent::default() };
        SentPacket { sent, frames: Frames::Ping, fate: QuicFate::Acked }
    }

    fn acked(control: &mut Congestion, now: u64, sent: u64, limited: bool) -> f64 {
        control.on_acked(at(now), 0, &mut packet(sent), limited, Some(Span::from_millis(100)));
        control.window()
    }

    /// 10, then 11 in slow start; none if the source limits; half of 11 at a loss, once for all packets sent up to
    /// then; 5.5 + 1/5.5 after it.
    #[test]
    fn newreno_halves_once_per_recovery_period() {
        let mut cc = control(QuicControl::NewReno);
        assert_eq!(acked(&mut cc, 100, 0, false), 11.0);
        assert_eq!(acked(&mut cc, 100, 0, true), 11.0);
        assert!(cc.on_congestion(at(110), at(10), Cause::Loss, 9));
        assert_eq!(cc.window(), 5.5);
        assert!(!cc.on_congestion(at(120), at(110), Cause::Loss, 9));
        assert_eq!(acked(&mut cc, 130, 100, false), 5.5, "sent before the period");
        assert_eq!(acked(&mut cc, 220, 120, false), 5.5 + 1.0 / 5.5);
        assert!(cc.on_congestion(at(230), at(125), Cause::Ecn, 9));
        assert_eq!(cc.counts(), (2, 0));
    }

    /// Two packets are the least; persistent congestion leaves them at once and slow start follows up to ssthresh.
    #[test]
    fn persistent_congestion_leaves_two_packets() {
        let mut cc = control(QuicControl::NewReno);
        cc.on_congestion(at(10), at(1), Cause::Loss, 9);
        cc.on_persistent_congestion(at(10), 9);
        assert_eq!((cc.window(), cc.window.ssthresh, cc.counts()), (2.0, 5.0, (1, 1)));
        assert_eq!(acked(&mut cc, 20, 5, false), 3.0, "no recovery period remains");
        let mut small = Congestion::new(&QuicParams { initial_window: 3, ..QuicParams::default() });
        small.on_congestion(at(10), at(1), Cause::Loss, 2);
        assert_eq!((small.window(), small.window.ssthresh), (2.0, 1.5));
    }

    /// CUBIC leaves 0.7 of 10; BBR leaves its window and ignores marks.
    #[test]
    fn other_controls_have_their_own_share() {
        let mut cubic = control(QuicControl::Cubic);
        cubic.on_congestion(at(10), at(1), Cause::Loss, 9);
        assert_eq!(cubic.window(), 7.0);
        for cc in [QuicControl::Bbr, QuicControl::Bbr3] {
            let mut bbr = control(cc);
            assert!(!bbr.on_congestion(at(10), at(1), Cause::Ecn, 9));
            assert!(bbr.on_congestion(at(10), at(1), Cause::Loss, 9));
            assert_eq!(bbr.window(), 10.0);
        }
    }
}
