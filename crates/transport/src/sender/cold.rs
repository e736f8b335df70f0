//! The part of a sender that its common path does not touch.

use super::{Pacer, SenderCounters, NONE};
use crate::ledger::Ledger;
use crate::params::Params;
use crate::rate::Sampler;
use crate::receiver::FIRST_MARK;
use crate::recovery::board::Board;
use crate::recovery::rack::Rack;
use crate::recovery::vegas::FineClock;
use crate::rtt::Rtt;
use std::sync::Arc;
use units::param::Valid;
use units::{Stream, Time};

/// What is rarely touched.
#[derive(Clone, Debug)]
pub(crate) struct Cold {
    pub(crate) params: Arc<Valid<Params>>,
    pub(crate) stream: Stream,
    pub(crate) counters: SenderCounters,
    /// An ECN echo came at cwnd 1: the next one backs the timer off.
    pub(crate) ecn_backoff: bool,
    /// The receiver has echoed once: it is ECN-capable (ns-2's negotiation).
    pub(crate) ecn_agreed: bool,
    /// Wire size of the last segment of a finite supply.
    pub(crate) last_size: u32,
    /// The window after the first acknowledgement, with `delay_growth`.
    pub(crate) initial_window: f64,
    /// `una` at the last timeout.
    pub(crate) timeout_una: u32,
    /// `max` when the first duplicate acknowledgement came: what limited transmit sent lies above.
    pub(crate) dup_max: u32,
    pub(crate) rtt: Rtt,
    pub(crate) board: Board,
    pub(crate) ledger: Ledger,
    pub(crate) fine: FineClock,
    pub(crate) rack: Rack,
    pub(crate) sampler: Sampler,
    /// The receiver's counter of marks, and what it grew by with this acknowledgement (accurate ECN).
    pub(crate) ace: u8,
    pub(crate) newly_marked: u32,
    pub(crate) pacer: Pacer,
    /// Losses below this segment have been shown to the model.
    pub(crate) seen_edge: u32,
    /// The random delay of `overhead` ends then.
    pub(crate) jitter_until: Time,
    /// The pace lets the next segment go then.
    pub(crate) pace_until: Time,
}

impl Cold {
    pub(crate) fn new(params: &Arc<Valid<Params>>, stream: Stream, rtt: Rtt) -> Cold {
        Cold {
            params: params.clone(),
            stream,
            counters: SenderCounters::default(),
            ecn_backoff: false,
            ecn_agreed: false,
            last_size: (params.mss.0 + params.headers.0) as u32,
            initial_window: params.initial_window as f64,
            timeout_una: NONE,
            dup_max: 0,
            rtt,
            board: Board::new(params),
            ledger: Ledger::new(params.window),
            fine: FineClock::new(params),
            rack: Rack::new(params),
            sampler: Sampler::default(),
            ace: FIRST_MARK,
            newly_marked: 0,
            pacer: Pacer::new(),
            seen_edge: 0,
            jitter_until: Time::NEVER,
            pace_until: Time::NEVER,
        }
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
