//! Arrivals of sessions in an open loop: each is a flow of its own, over the links of the flow at which it arrives.

use super::app::AppSource;
use super::connection::AppParams;
use super::http::PageConnection;
use super::load::AppPlan;
use std::sync::Arc;
use transport::SenderCounters;
use units::param::{Distribution, DistributionShape};
use units::{Span, Stream, Time};

/// The origin of sessions.
pub struct Origin {
    params: AppParams,
    plan: Arc<AppPlan>,
    arrival: Distribution<Span>,
    rng: Stream,
    next: Time,
    stop: Time,
    sessions: u64,
    /// The flows that carry its sessions, or have carried them, in order of their numbers; those of one session follow
    /// one another.
    pub flows: Vec<u32>,
    /// The counters of their senders, after the run.
    pub counters: SenderCounters,
}

impl Origin {
    /// No session has arrived, and none does from `stop` on.
    pub fn new(params: AppParams, plan: Arc<AppPlan>, stop: Time, rng: Stream) -> Origin {
        let arrival = plan.arrivals().unwrap_or(Distribution::of(DistributionShape::Constant(f64::INFINITY)));
        let counters = SenderCounters::default();
        Origin {
            params,
            plan,
            arrival,
            rng,
            next: Time::NEVER,
            stop,
            sessions: 0,
            flows: Vec::new(),
            counters,
        }
    }

    /// The first session arrives one gap after the start.
    pub fn start(&mut self, now: Time) {
        self.next = now + self.arrival.draw(&mut self.rng);
    }

    /// If a session arrives at `now`, returns its random stream.
    pub fn arrived(&mut self, now: Time) -> Option<Stream> {
        if now < self.next || now >= self.stop {
            return None;
        }
        self.next = now + self.arrival.draw(&mut self.rng).max(Span(1));
        self.sessions += 1;
        Some(self.rng.branch(self.sessions))
    }

    /// Flows that carry a session side by side.
    pub fn connections(&self) -> usize {
        self.plan.connections()
    }

    /// The connections of a session that has several.
    pub fn begin_page(&self, rng: &mut Stream) -> Vec<PageConnection> {
        self.plan.begin_page(rng)
    }

    /// The source of a session.
    pub fn source(&self, rng: Stream) -> AppSource {
        AppSource::new(self.params.clone(), self.plan.clone(), rng)
    }

    /// The options of both ends of its flows.
    pub fn params(&self) -> AppParams {
        self.params.clone()
    }

    /// Adds the counters of a sender of one of its flows since the warm-up.
    pub fn count(&mut self, since: SenderCounters) {
        self.counters = self.counters + since;
    }

    /// When the next session arrives.
    pub fn poll_timeout(&self) -> Option<Time> {
        (self.next < self.stop).then_some(self.next)
    }
}
