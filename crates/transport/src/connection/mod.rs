//! The state of a connection that loss recovery and the sender share, made of parts: sequence space, window and
//! congestion control, timers, RTT estimate, and the state of optional parts.
//!
//! | part | file |
//! |---|---|
//! | [`SequenceSpace`] | `sequence` |
//! | [`Timers`]: one table of all timers | `timers` |
//! | [`Estimate`]: the RTT, and the timeout derived from it | [`crate::rtt`], `timing` |
//! | [`Window`] and its congestion control: growth, reduction | [`crate::cc`], `window` |
//! | [`Tracking`]: each segment in flight, delivery rate, pacing, bursts | `tracking`, `pacer`, `burst` |
//!
//! *Units*: sequence numbers and windows count segments.

mod burst;
mod counters;
mod pacer;
mod part;
mod retransmitted;
mod send_buffer;
mod sequence;
mod timers;
mod timing;
mod tracking;
mod usage;
pub(crate) mod wheel;
mod window;

use crate::accecn::AccEcnFeedback;
use crate::cc::{Cc, Control, Window};
use crate::params::{Algorithm, Codepoint, EcnRule, Handshake, Pacing, Params, Recovery, RttSamples};
use crate::rtt::Estimate;
use std::sync::Arc;
use units::param::Valid;
use units::{Rng, Span, Stream, Time};

pub(crate) use burst::Burst;
pub(crate) use counters::EventCounters;
pub use counters::SenderCounters;
pub(crate) use pacer::Pacer;
pub(crate) use part::Part;
pub(crate) use retransmitted::Retransmitted;
pub(crate) use send_buffer::SendBuffer;
pub(crate) use sequence::{SequenceSpace, NONE};
pub(crate) use timers::{Timer, Timers};
pub(crate) use tracking::Tracking;
pub(crate) use usage::Usage;

/// The shared state of a connection. Fields that the fast path touches come first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Ctx {
    pub(crate) seq: SequenceSpace,
    /// Segments this input may still release (`max_burst`).
    pub(crate) quota: u32,
    /// The segment whose round trip is being timed; `NONE` if none is.
    pub(crate) timed: u32,
    /// Upper bound on cwnd, in segments.
    max_cwnd: u32,
    pub(crate) timed_at: Time,
    pub(crate) rto: Span,
    pub(crate) timers: Timers,
    pub(crate) window: Window,
    pub(crate) cc: Cc,
    pub(crate) params: Arc<Valid<Params>>,
    pub(crate) rtt: Estimate,
    /// Every ACK gives an RTT sample (the `samples` option).
    pub(crate) timestamps: bool,
    timer_after_sample: bool,
    pub(crate) ecn: bool,
    /// The next new segment announces a reduction (CWR).
    pub(crate) cwr: bool,
    /// The congestion control sets the window from a model of the path (BBR).
    pub(crate) model_based: bool,
    /// Segments are paced.
    pub(crate) paced: bool,
    /// New segments are sent in bursts, as with segmentation offload.
    pub(crate) offloads: bool,
    /// The receiver has echoed once, hence is ECN-capable (ns-2's negotiation).
    ecn_agreed: bool,
    /// An ECN echo arrived at cwnd 1: the next one backs off the timer.
    pub(crate) ecn_backoff: bool,
    /// The first segment was lost: the initial window is then 1 (`opening_fix`).
    pub(crate) first_lost: bool,
    /// ECN codepoint of new data; `None` if data must not be ECN-capable.
    pub(crate) capable: Option<Codepoint>,
    pub(crate) counters: EventCounters,
    /// Present if the ledger of sent segments is maintained or segments may be delayed.
    pub(crate) tracking: Part<Tracking>,
    /// Segments retransmitted while in flight, if those give no RTT samples.
    pub(crate) retransmitted: Part<Retransmitted>,
    /// Accurate-ECN feedback: the receiver's counters as reported.
    pub(crate) feedback: Part<AccEcnFeedback>,
}

/// The optional parts of a sender that its options need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// The ledger of sent segments is maintained (rate samples, RACK, Vegas, pacing).
    pub(crate) ledger: bool,
    /// Segments may be delayed although the window allows them (pacing, jitter, `open_wait`).
    pub(crate) delays: bool,
}

impl Ctx {
    /// Returns the state of a connection without data to send. `stream` draws the clock offset and
    /// the sending jitter, where options ask for them.
    pub(crate) fn new(params: &Arc<Valid<Params>>, mut stream: Stream) -> (Ctx, Needs) {
        let p: &Params = params;
        let boot = p.boot_time.unwrap_or_else(|| p.tick.scale(stream.uniform()));
        let rtt = Estimate::new(p, boot);
        let mut cc = Cc::new(p);
        if p.cc == Algorithm::Cdg {
            cc.take_rng(stream.branch(0));
        }
        let model_based = cc.models();
        let paced =
            matches!(p.pacing, Pacing::Window | Pacing::Start) || (p.pacing == Pacing::Auto && cc.paces());
        let ledger = p.keeps_times() || model_based || paced;
        let delays = paced || p.overhead > Span::ZERO || p.open_wait > Span::ZERO;
        let accurate = p.ecn && p.ecn_rule == EcnRule::AccEcn;
        let ctx = Ctx {
            seq: SequenceSpace {
                una: 0,
                nxt: 0,
                max: 0,
                limit: u32::from(p.handshake == Handshake::Ns2Syn),
                rwnd: p.first_receive_window(),
            },
            quota: 0,
            timed: NONE,
            max_cwnd: p.max_cwnd.map_or(NONE, |w| w as u32),
            timed_at: Time::ZERO,
            rto: rtt.rto(p),
            timers: Timers::new(ledger || delays),
            window: opening_window(p),
            cc,
            params: params.clone(),
            rtt,
            timestamps: p.samples != RttSamples::PerWindow,
            timer_after_sample: p.timer_after_sample,
            ecn: p.ecn,
            cwr: false,
            model_based,
            paced,
            offloads: p.bunches && p.recovery == Recovery::Rack,
            ecn_agreed: false,
            ecn_backoff: false,
            first_lost: false,
            capable: p.ecn.then_some(p.ect),
            counters: EventCounters::default(),
            tracking: Part::new(ledger || delays, || Tracking::new(p, stream, model_based)),
            retransmitted: Part::new(!p.sample_retransmissions, Retransmitted::default),
            feedback: Part::new(accurate, AccEcnFeedback::default),
        };
        (ctx, Needs { ledger, delays })
    }

    /// Whether the congestion control or loss recovery observes every ACK, not only those that grow the window.
    pub(crate) fn shows_acks(&self) -> bool {
        self.watches_acks()
            || self.model_based
            || self.feedback.is_present()
            || self.params.frto
            || self.params.recovery == Recovery::Rack
    }

    /// Whether the congestion control observes every ACK.
    pub(crate) fn watches_acks(&self) -> bool {
        self.cc.watches()
    }

    /// Segments that one input may release.
    #[inline]
    pub(crate) fn burst(&self) -> u32 {
        match self.params.max_burst {
            0 => NONE,
            most => most as u32,
        }
    }

    /// Duplicate ACKs, or SACKed segments above a hole, that indicate loss.
    #[inline]
    pub(crate) fn threshold(&self) -> u32 {
        self.params.dupack_threshold as u32
    }

    /// Segments newly reported as marked by an ACK.
    pub(crate) fn newly_marked(&self, ece: bool, acked: u32) -> u32 {
        match self.feedback.get() {
            Some(feedback) => feedback.newly_marked,
            None if ece => acked,
            None => 0,
        }
    }

    /// Whether the ECN echo of this ACK lets the window grow.
    fn may_grow_on(&mut self, ece: bool) -> bool {
        if self.params.ecn_rule != EcnRule::Ns2 {
            return !ece || self.cc.grows_on_echo();
        }
        let may = !self.ecn_agreed || !ece;
        self.ecn_agreed |= ece;
        may
    }
}

/// The window of a new connection.
fn opening_window(p: &Params) -> Window {
    let waits = p.delay_growth && (p.handshake != Handshake::None || p.recovery == Recovery::Vegas);
    let cwnd = if waits { 1.0 } else { p.initial_window as f64 };
    Window { cwnd, ssthresh: p.initial_ssthresh.or(p.window).map_or(f64::INFINITY, |s| s as f64) }
}
