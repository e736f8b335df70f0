//! Cold state of a sender: what the fast path does not touch.

use super::counters::ColdCounters;
use super::offload::Burst;
use super::timers::Timers;
use super::{Pacer, NONE};
use crate::accecn::AccEcnFeedback;
use crate::cc::Window;
use crate::ledger::Ledger;
use crate::params::{Codepoint, EcnRule, Handshake, Params, Recovery};
use crate::rate::Sampler;
use crate::recovery::rack::Rack;
use crate::recovery::scoreboard::Scoreboard;
use crate::recovery::undo::Undo;
use crate::recovery::vegas::FineClock;
use crate::recovery::Retransmitted;
use crate::rtt::Estimate;
use crate::segment::Segment;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Stream, Time};

/// Cold state, boxed so that the hot state stays in two cache lines.
#[derive(Clone, Debug)]
pub(crate) struct Cold {
    pub(crate) params: Arc<Valid<Params>>,
    pub(crate) counters: ColdCounters,
    /// An ECN echo arrived at cwnd 1: the next one backs off the timer.
    pub(crate) ecn_backoff: bool,
    /// The receiver has echoed once, hence is ECN-capable (ns-2's negotiation).
    pub(crate) ecn_agreed: bool,
    /// Wire size of the last segment of a finite supply.
    pub(crate) last_size: u32,
    /// The first segment was lost: the initial window is then 1 (`opening_fix`).
    pub(crate) first_lost: bool,
    /// `una` at the last timeout.
    pub(crate) timeout_una: u32,
    /// `max` when the first duplicate ACK arrived: limited transmit sends above it.
    pub(crate) dup_max: u32,
    pub(crate) rtt: Estimate,
    pub(crate) board: Scoreboard,
    pub(crate) optional: Optional,
    /// ECN codepoint of new data; `None` if data must not be ECN-capable.
    pub(crate) capable: Option<Codepoint>,
}

/// OptionalParts that few options need.
#[derive(Clone, Debug)]
pub(crate) struct OptionalParts {
    /// Present if the sender `keeps_ledger` or `may_delay`.
    gauge: Option<Box<Tracking>>,
    /// Segments retransmitted while in flight, if those give no RTT samples.
    pub(crate) retransmitted_set: Option<Retransmitted>,
    /// State to restore if a reduction turns out to be spurious.
    pub(crate) undo: Option<Undo>,
    /// Accurate-ECN feedback: the receiver's counters as reported.
    pub(crate) feedback: Option<AccEcnFeedback>,
}

/// The parts of a sender that has none.
static NO_PARTS: OptionalParts =
    OptionalParts { gauge: None, retransmitted_set: None, undo: None, feedback: None };

/// State of a sender that tracks each segment or delays segments.
#[derive(Clone, Debug)]
pub(crate) struct Tracking {
    pub(crate) stream: Stream,
    pub(crate) ledger: Ledger,
    pub(crate) fine: FineClock,
    pub(crate) rack: Rack,
    pub(crate) sampler: Sampler,
    pub(crate) pacer: Pacer,
    /// Segment sent just before the ACK that arrived at the same moment.
    pub(crate) early: Option<Segment>,
    pub(crate) bunch: Burst,
    /// Losses below this segment have been reported to the congestion control.
    pub(crate) seen_edge: u32,
    /// Segments marked lost before this ACK.
    pub(crate) lost_before: u32,
    pub(crate) timers: Timers,
}

/// The optional parts of a sender. Dereferences to [`Tracking`].
#[derive(Clone, Debug)]
pub(crate) struct Optional(Option<Box<OptionalParts>>);

impl Deref for Optional {
    type Target = Tracking;
    fn deref(&self) -> &Tracking {
        self.parts().gauge.as_ref().expect("only senders that are keeps_ledger or may_delay ask")
    }
}

impl DerefMut for Optional {
    fn deref_mut(&mut self) -> &mut Tracking {
        let gauge = self.0.as_mut().and_then(|parts| parts.gauge.as_mut());
        gauge.expect("only senders that are keeps_ledger or may_delay ask")
    }
}

impl OptionalParts {
    /// Boxes the parts, or returns `None` if there are none.
    fn boxed(self) -> Option<Box<OptionalParts>> {
        let others = self.retransmitted_set.is_some() || self.undo.is_some() || self.feedback.is_some();
        (others || self.gauge.is_some()).then(|| Box::new(self))
    }
}

impl Optional {
    #[inline]
    pub(crate) fn parts(&self) -> &OptionalParts {
        self.0.as_deref().unwrap_or(&NO_PARTS)
    }
}

impl Cold {
    #[inline]
    pub(crate) fn retransmitted_set(&mut self) -> Option<&mut Retransmitted> {
        self.optional.0.as_mut()?.retransmitted_set.as_mut()
    }

    #[inline]
    pub(crate) fn undo(&mut self) -> Option<&mut Undo> {
        self.optional.0.as_mut()?.undo.as_mut()
    }

    #[inline]
    pub(crate) fn feedback(&mut self) -> Option<&mut AccEcnFeedback> {
        self.optional.0.as_mut()?.feedback.as_mut()
    }

    /// Disables AccECN feedback; returns whether it was enabled.
    pub(crate) fn disable_feedback(&mut self) -> bool {
        self.optional.0.as_mut().is_some_and(|parts| parts.feedback.take().is_some())
    }

    /// Takes an RTT sample: [`Estimate::sample`].
    #[inline]
    pub(crate) fn sample(&mut self, now: Time, sent: Time, round: (u32, u32)) {
        self.rtt.sample(&self.params, now, sent, round);
    }

    /// The current retransmission timeout.
    #[inline]
    pub(crate) fn rto(&self) -> Span {
        self.rtt.rto(&self.params)
    }

    /// Doubles the retransmission timeout.
    pub(crate) fn back_off(&mut self) {
        self.rtt.back_off(&self.params);
    }

    /// Window after the first ACK, with `delay_growth`.
    pub(crate) fn initial_window(&self) -> f64 {
        if self.first_lost {
            1.0
        } else {
            self.params.initial_window as f64
        }
    }

    /// `has_tracking`: the sender keeps a ledger or may delay segments; `model_based`: its congestion control
    /// has a model of the path.
    pub(crate) fn new(
        params: &Arc<Valid<Params>>,
        stream: Stream,
        rtt: Estimate,
        (gauged, model_based): (bool, bool),
    ) -> Cold {
        let accurate = params.ecn && params.ecn_rule == EcnRule::AccEcn;
        let parts = OptionalParts {
            gauge: gauged.then(|| Box::new(Tracking::new(params, stream))),
            retransmitted_set: (!params.sample_repairs).then(Retransmitted::default),
            undo: Undo::new(params, model_based),
            feedback: accurate.then(AccEcnFeedback::default),
        };
        Cold {
            params: params.clone(),
            counters: ColdCounters::default(),
            ecn_backoff: false,
            ecn_agreed: false,
            last_size: params.segment_bytes().0 as u32,
            first_lost: false,
            timeout_una: NONE,
            dup_max: 0,
            rtt,
            board: Scoreboard::new(params),
            optional: Optional(parts.boxed()),
            capable: params.ecn.then_some(params.ect),
        }
    }
}

impl Tracking {
    fn new(params: &Params, stream: Stream) -> Tracking {
        Tracking {
            stream,
            ledger: Ledger::new(params.window),
            fine: FineClock::new(params),
            rack: Rack::new(params),
            sampler: Sampler::new(params),
            pacer: Pacer::new(params.pace_credit),
            early: None,
            bunch: Burst::default(),
            seen_edge: 0,
            lost_before: 0,
            timers: Timers::new(),
        }
    }

    /// Records that `seq` has arrived; its ACK echoes the timestamp `echo`.
    pub(super) fn arrive(&mut self, now: Time, seq: u32, echo: Time) {
        if self.rack.on {
            self.rack.arrived(now, seq, &mut self.ledger, echo);
        }
        self.sampler.arrive(now, seq, self.ledger.get_mut(seq));
    }
}

/// The window of a new connection.
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

    /// Memory of an idle flow: there may be a hundred thousand of them.
    #[test]
    fn ends_stay_small() {
        assert!(size_of::<Sender>() <= 152, "{}", size_of::<Sender>());
        assert!(size_of::<Cold>() <= 192, "{}", size_of::<Cold>());
        assert!(size_of::<Receiver>() <= 88, "{}", size_of::<Receiver>());
    }
}
