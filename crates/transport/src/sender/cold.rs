//! The part of a sender that its common path does not touch.

use super::bunch::Bunch;
use super::counters::Told;
use super::{Pacer, NONE};
use crate::accecn::Feedback;
use crate::cc::Window;
use crate::ledger::Ledger;
use crate::params::{Codepoint, EcnRule, Handshake, Params, Recovery};
use crate::rate::Sampler;
use crate::recovery::board::Board;
use crate::recovery::rack::Rack;
use crate::recovery::undo::Undo;
use crate::recovery::vegas::FineClock;
use crate::recovery::Resent;
use crate::rtt::Estimate;
use crate::segment::Segment;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Stream, Time};

/// What is rarely touched.
#[derive(Clone, Debug)]
pub(crate) struct Cold {
    pub(crate) params: Arc<Valid<Params>>,
    pub(crate) counters: Told,
    /// An ECN echo came at cwnd 1: the next one backs the timer off.
    pub(crate) ecn_backoff: bool,
    /// The receiver has echoed once: it is ECN-capable (ns-2's negotiation).
    pub(crate) ecn_agreed: bool,
    /// Wire size of the last segment of a finite supply.
    pub(crate) last_size: u32,
    /// The first segment was lost, after which the window opens with one (`opening_fix`).
    pub(crate) first_lost: bool,
    /// `una` at the last timeout.
    pub(crate) timeout_una: u32,
    /// `max` when the first duplicate acknowledgement came: what limited transmit sent lies above.
    pub(crate) dup_max: u32,
    pub(crate) rtt: Estimate,
    pub(crate) board: Board,
    pub(crate) extras: Extras,
    /// What data is marked with as ECN-capable; none where that must not be.
    pub(crate) capable: Option<Codepoint>,
}

/// What few options ask for; most senders have none of it.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// Of a sender that is `tracked` or `gated`.
    gauge: Option<Box<Gauge>>,
    /// Segments in flight that were sent more than once, where those give no samples.
    pub(crate) resent: Option<Resent>,
    /// What a cut that was for nothing would give back.
    pub(crate) undo: Option<Undo>,
    /// What acknowledgements tell of the receiver's counters (accurate ECN).
    pub(crate) feedback: Option<Feedback>,
}

/// Those of a sender without any.
static NO_PARTS: Parts = Parts { gauge: None, resent: None, undo: None, feedback: None };

/// What a sender reads that keeps a ledger or spreads its segments over time.
#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    pub(crate) stream: Stream,
    pub(crate) ledger: Ledger,
    pub(crate) fine: FineClock,
    pub(crate) rack: Rack,
    pub(crate) sampler: Sampler,
    pub(crate) pacer: Pacer,
    /// A segment that left before the acknowledgement that arrived with it.
    pub(crate) early: Option<Segment>,
    pub(crate) bunch: Bunch,
    /// Losses below this segment have been shown to the model.
    pub(crate) seen_edge: u32,
    /// How many segments counted as lost before the acknowledgement.
    pub(crate) lost_before: u32,
    /// The random delay of `overhead` ends then.
    pub(crate) jitter_until: Time,
    /// The pace lets the next segment go then.
    pub(crate) pace_until: Time,
    /// The earliest of these deadlines and those of RACK, or before it.
    pub(crate) hold_until: Time,
}

/// The parts of a sender, and above all its gauges.
#[derive(Clone, Debug)]
pub(crate) struct Extras(Option<Box<Parts>>);

impl Deref for Extras {
    type Target = Gauge;
    fn deref(&self) -> &Gauge {
        self.parts().gauge.as_ref().expect("only senders that are tracked or gated ask")
    }
}

impl DerefMut for Extras {
    fn deref_mut(&mut self) -> &mut Gauge {
        let gauge = self.0.as_mut().and_then(|parts| parts.gauge.as_mut());
        gauge.expect("only senders that are tracked or gated ask")
    }
}

impl Parts {
    /// Boxed where there are any.
    fn boxed(self) -> Option<Box<Parts>> {
        let others = self.resent.is_some() || self.undo.is_some() || self.feedback.is_some();
        (others || self.gauge.is_some()).then(|| Box::new(self))
    }
}

impl Extras {
    #[inline]
    pub(crate) fn parts(&self) -> &Parts {
        self.0.as_deref().unwrap_or(&NO_PARTS)
    }
}

impl Cold {
    #[inline]
    pub(crate) fn resent(&mut self) -> Option<&mut Resent> {
        self.extras.0.as_mut()?.resent.as_mut()
    }

    #[inline]
    pub(crate) fn undo(&mut self) -> Option<&mut Undo> {
        self.extras.0.as_mut()?.undo.as_mut()
    }

    #[inline]
    pub(crate) fn feedback(&mut self) -> Option<&mut Feedback> {
        self.extras.0.as_mut()?.feedback.as_mut()
    }

    /// The receiver does not count marks after all. Whether it was to.
    pub(crate) fn forget_feedback(&mut self) -> bool {
        self.extras.0.as_mut().is_some_and(|parts| parts.feedback.take().is_some())
    }

    /// Takes a sample of the round trip: [`Estimate::sample`].
    #[inline]
    pub(crate) fn sample(&mut self, now: Time, sent: Time, round: (u32, u32)) {
        self.rtt.sample(&self.params, now, sent, round);
    }

    /// The retransmission timeout now in force.
    #[inline]
    pub(crate) fn rto(&self) -> Span {
        self.rtt.rto(&self.params)
    }

    /// Doubles it.
    pub(crate) fn back_off(&mut self) {
        self.rtt.back_off(&self.params);
    }

    /// The window after the first acknowledgement, with `delay_growth`.
    pub(crate) fn initial_window(&self) -> f64 {
        if self.first_lost {
            1.0
        } else {
            self.params.initial_window as f64
        }
    }

    /// `gauged`: the sender is tracked or gated; `modelled`: its control has a model of the path.
    pub(crate) fn new(
        params: &Arc<Valid<Params>>,
        stream: Stream,
        rtt: Estimate,
        (gauged, modelled): (bool, bool),
    ) -> Cold {
        let accurate = params.ecn && params.ecn_rule == EcnRule::AccEcn;
        let parts = Parts {
            gauge: gauged.then(|| Box::new(Gauge::new(params, stream))),
            resent: (!params.sample_repairs).then(Resent::default),
            undo: Undo::new(params, modelled),
            feedback: accurate.then(Feedback::default),
        };
        Cold {
            params: params.clone(),
            counters: Told::default(),
            ecn_backoff: false,
            ecn_agreed: false,
            last_size: params.segment_bytes().0 as u32,
            first_lost: false,
            timeout_una: NONE,
            dup_max: 0,
            rtt,
            board: Board::new(params),
            extras: Extras(parts.boxed()),
            capable: params.ecn.then_some(params.ect),
        }
    }
}

impl Gauge {
    fn new(params: &Params, stream: Stream) -> Gauge {
        Gauge {
            stream,
            ledger: Ledger::new(params.window),
            fine: FineClock::new(params),
            rack: Rack::new(params),
            sampler: Sampler::new(params),
            pacer: Pacer::new(params.pace_credit),
            early: None,
            bunch: Bunch::default(),
            seen_edge: 0,
            lost_before: 0,
            jitter_until: Time::NEVER,
            pace_until: Time::NEVER,
            hold_until: Time::NEVER,
        }
    }

    /// Finds out which of its deadlines is the earliest.
    pub(super) fn find_wake(&mut self) {
        self.hold_until =
            self.jitter_until.min(self.pace_until).min(self.rack.reorder_at).min(self.rack.probe_at);
    }

    /// One of its deadlines has become `time`.
    pub(crate) fn wake_by(&mut self, time: Time) {
        self.hold_until = self.hold_until.min(time);
    }

    /// `seq`, which was sent, has arrived; its acknowledgement echoes the time `echo`.
    pub(super) fn arrive(&mut self, now: Time, seq: u32, echo: Time) {
        let entry = self.ledger.get_mut(seq);
        if self.rack.on && !entry.arrived {
            self.rack.arrived(now, seq, entry, echo);
        }
        self.sampler.arrive(now, seq, entry);
    }
}

/// The window of a connection that opens.
pub(super) fn opening_window(p: &Params) -> Window {
    let waits = p.delay_growth && (p.handshake != Handshake::None || p.recovery == Recovery::Vegas);
    let cwnd = if waits { 1.0 } else { p.initial_window as f64 };
    Window { cwnd, ssthresh: p.initial_ssthresh.or(p.window).map_or(f64::INFINITY, |s| s as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receiver::Receiver;
    use crate::sender::Sender;

    /// What a flow costs that has nothing in flight: there may be a hundred thousand.
    #[test]
    fn ends_stay_small() {
        assert!(size_of::<Sender>() <= 152, "{}", size_of::<Sender>());
        assert!(size_of::<Cold>() <= 192, "{}", size_of::<Cold>());
        assert!(size_of::<Receiver>() <= 88, "{}", size_of::<Receiver>());
    }
}
