//! State of a sender that tracks each segment or delays segments.
//!
//! *Units*: segments.

use super::burst::whole_buffer;
use super::{Burst, Ctx, Pacer, SendBuffer, Usage};
use crate::cc::Control;
use crate::ledger::Ledger;
use crate::params::Params;
use crate::rate::Sampler;
use crate::segment::Segment;
use units::{Span, Stream, Time};

/// Per-segment state, delivery rate and pacing.
#[derive(Clone, Debug)]
pub(crate) struct Tracking {
    pub(crate) stream: Stream,
    pub(crate) ledger: Ledger,
    pub(crate) sampler: Sampler,
    pub(crate) pacer: Pacer,
    /// Segment sent just before the ACK that arrived at the same moment.
    pub(crate) early: Option<Segment>,
    pub(crate) burst: Burst,
    /// Minimum RTT of the segments delivered, if RACK measures it.
    pub(crate) min_rtt: Span,
    pub(crate) usage: Usage,
    /// Present if the send buffer is limited.
    pub(crate) send_buffer: Option<SendBuffer>,
    /// Losses below this segment have been reported to the congestion control.
    pub(crate) seen_edge: u32,
    /// Segments marked lost before this ACK.
    pub(crate) lost_before: u32,
}

impl Tracking {
    /// `model_based`: the congestion control asks for rate samples.
    pub(crate) fn new(params: &Params, stream: Stream, model_based: bool) -> Tracking {
        Tracking {
            stream,
            ledger: Ledger::default(),
            sampler: Sampler::new(params, model_based),
            pacer: Pacer::new(params.pace_credit),
            early: None,
            burst: Burst::default(),
            usage: Usage::default(),
            send_buffer: SendBuffer::new(params, model_based, whole_buffer(params.mss)),
            min_rtt: Span(u64::MAX),
            seen_edge: 0,
            lost_before: 0,
        }
    }
}

impl Ctx {
    /// Reports a segment that was marked lost to the congestion control.
    pub(crate) fn report_loss(&mut self, now: Time, seq: u32) {
        let tracking = &mut *self.tracking;
        if let Some(lost) = tracking.sampler.loss_event(seq, tracking.ledger.get_mut(seq)) {
            self.cc.on_lost(&self.window, &lost, now, &mut tracking.stream);
        }
    }
}
