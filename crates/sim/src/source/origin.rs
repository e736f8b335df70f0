//! Where sessions arrive in an open loop: each becomes a flow of its own, over the links of the one they arrive at.

use crate::plan::AppPlan;
use crate::source::AppSource;
use std::sync::Arc;
use transport::tcp::Params;
use transport::SenderCounters;
use units::param::{Form, Law, Valid};
use units::{Span, Stream, Time};

/// Where sessions arrive.
pub struct Origin {
    params: Arc<Valid<Params>>,
    plan: Arc<AppPlan>,
    arrival: Law<Span>,
    dice: Stream,
    next: Time,
    stop: Time,
    sessions: u64,
    /// The flows that carry its sessions, or did, in the order of their numbers.
    pub flows: Vec<u32>,
    /// What their senders counted, in the end.
    pub counters: SenderCounters,
}

impl Origin {
    /// No session has arrived, and none will from `stop` on.
    pub fn new(params: Arc<Valid<Params>>, plan: Arc<AppPlan>, stop: Time, dice: Stream) -> Origin {
        let arrival = plan.arrivals().unwrap_or(Law::of(Form::Constant(f64::INFINITY)));
        let counters = SenderCounters::default();
        Origin {
            params,
            plan,
            arrival,
            dice,
            next: Time::NEVER,
            stop,
            sessions: 0,
            flows: Vec::new(),
            counters,
        }
    }

    /// The first session arrives one gap after the start.
    pub fn start(&mut self, now: Time) {
        self.next = now + self.arrival.draw(&mut self.dice);
    }

    /// Whether a session arrives at `now`; if so, with the stream it draws from.
    pub fn arrived(&mut self, now: Time) -> Option<Stream> {
        if now < self.next || now >= self.stop {
            return None;
        }
        self.next = now + self.arrival.draw(&mut self.dice).max(Span(1));
        self.sessions += 1;
        Some(self.dice.branch(self.sessions))
    }

    /// The source of a session on a flow of its own.
    pub fn source(&self, dice: Stream) -> AppSource {
        AppSource::new(self.params.clone(), self.plan.clone(), dice)
    }

    /// What both ends of its flows are told.
    pub fn params(&self) -> Arc<Valid<Params>> {
        self.params.clone()
    }

    /// Takes over what the senders of one of its flows counted since the warm-up.
    pub fn count(&mut self, since: SenderCounters) {
        self.counters = self.counters + since;
    }

    /// When the next session arrives.
    pub fn poll_timeout(&self) -> Option<Time> {
        (self.next < self.stop).then_some(self.next)
    }
}
