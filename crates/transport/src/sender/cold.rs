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
use crate::rtt::Rtt;
use crate::segment::Segment;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use units::param::Valid;
use units::{Stream, Time};

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
    pub(crate) rtt: Rtt,
    pub(crate) board: Board,
    /// Segments in flight that were sent more than once, where those give no samples.
    pub(crate) resent: Option<Box<Resent>>,
    pub(crate) gauges: Gauges,
    /// What a cut that was for nothing would give back, where options ask for it.
    pub(crate) undo: Option<Box<Undo>>,
    /// What acknowledgements tell of the receiver's counters (accurate ECN).
    pub(crate) feedback: Option<Box<Feedback>>,
    /// What data is marked with as ECN-capable; none where that must not be.
    pub(crate) capable: Option<Codepoint>,
}

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
}

/// The gauges of a sender that is `tracked` or `gated`; most are neither, and have none.
#[derive(Clone, Debug)]
pub(crate) struct Gauges(Option<Box<Gauge>>);

impl Deref for Gauges {
    type Target = Gauge;
    fn deref(&self) -> &Gauge {
        self.0.as_ref().expect("only senders that are tracked or gated ask")
    }
}

impl DerefMut for Gauges {
    fn deref_mut(&mut self) -> &mut Gauge {
        self.0.as_mut().expect("only senders that are tracked or gated ask")
    }
}

impl Cold {
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
        rtt: Rtt,
        (gauged, modelled): (bool, bool),
    ) -> Cold {
        let accurate = params.ecn && params.ecn_rule == EcnRule::AccEcn;
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
            resent: (!params.sample_repairs).then(Box::default),
            gauges: Gauges(gauged.then(|| Box::new(Gauge::new(params, stream)))),
            undo: Undo::new(params, modelled).map(Box::new),
            feedback: accurate.then(Box::default),
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
        }
    }

    /// The earliest of its deadlines.
    pub(super) fn next_wake(&self) -> Time {
        self.jitter_until.min(self.pace_until).min(self.rack.reorder_at).min(self.rack.probe_at)
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
        assert!(size_of::<Sender>() <= 184, "{}", size_of::<Sender>());
        assert!(size_of::<Cold>() <= 272, "{}", size_of::<Cold>());
        assert!(size_of::<Receiver>() <= 120, "{}", size_of::<Receiver>());
    }
}
