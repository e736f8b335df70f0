//! An application over TCP or QUIC: it sends objects one at a time, on a new connection each or on a persistent one.
//!
//! A flow's connections follow one another at the same two ends. The time a packet was sent identifies its connection:
//! a packet sent before the present connection was opened is an old duplicate and is ignored. The receiver learns of a
//! new connection from its first packet, so its behaviour does not depend on how far ahead the sender is simulated.

use super::action::AppAction;
use super::connection::{AppParams, AppReceiver, AppSender};
use super::http::PageConnection;
use super::load::{App, AppPlan};
use super::page::PageProgress;
use std::collections::VecDeque;
use std::sync::Arc;
use transport::segment::{Ack, Segment};
use transport::SenderCounters;
use units::{Stream, Time};

/// An object in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Object {
    /// When it was offered to the sender.
    pub start: Time,
    /// Its payload in bytes.
    pub bytes: u64,
    /// When its page began, if it is the last object of a page on one connection.
    pub page: Option<Time>,
    /// One past its last segment.
    end: u32,
}

/// The sending end.
pub struct AppSource {
    /// The sender of the present connection.
    pub sender: AppSender,
    params: AppParams,
    plan: Arc<AppPlan>,
    app: App,
    rng: Stream,
    /// Connections opened and objects begun so far.
    connections: u64,
    objects: u64,
    /// When the present connection was opened.
    opened: Time,
    /// No connection is open.
    closed: bool,
    /// Whether an object has not been acknowledged in full.
    busy: bool,
    /// When the application acts next.
    next_action_at: Time,
    /// When the session ended.
    ended: Option<Time>,
    ceased: bool,
    in_flight: VecDeque<Object>,
    /// The page that it fetches, or a part of which it fetches.
    pub page: PageProgress,
    /// Counters of the senders of earlier connections.
    past: SenderCounters,
}

impl AppSource {
    /// An idle source; `rng` is the stream of its first session.
    pub fn new(params: AppParams, plan: Arc<AppPlan>, mut rng: Stream) -> AppSource {
        let app = plan.begin(&mut rng);
        AppSource {
            sender: AppSender::new(&params, rng.branch(0)),
            params,
            plan,
            app,
            rng,
            connections: 0,
            objects: 0,
            opened: Time::ZERO,
            closed: true,
            busy: false,
            next_action_at: Time::NEVER,
            ended: None,
            ceased: false,
            // One object at a time as a rule, for which an empty queue would make room for four.
            in_flight: VecDeque::with_capacity(1),
            page: PageProgress::default(),
            past: SenderCounters::default(),
        }
    }

    /// Begins its session.
    pub fn start(&mut self, now: Time) {
        self.next_action_at = now;
        self.on_timer(now);
    }

    /// Begins another session, after the end of the one before.
    pub fn start_again(&mut self, now: Time, mut rng: Stream) {
        self.app = self.plan.begin(&mut rng);
        self.rng = rng;
        self.ended = None;
        self.start(now);
    }

    /// Prepares a connection of a page whose first flow is `first`; it is over if it has nothing to fetch.
    pub fn prepare(&mut self, now: Time, connection: PageConnection, first: u32, rng: Stream) {
        self.ended = (connection.left() == 0).then_some(now);
        self.app = App::PageConnection(connection);
        self.rng = rng;
        self.next_action_at = Time::NEVER;
        self.page = PageProgress::part_of(first);
    }

    /// An acknowledgement of `sink` arrives.
    pub fn on_ack(&mut self, now: Time, ack: &Ack, sink: &mut AppSink) {
        if self.closed || ack.echo < self.opened {
            return;
        }
        self.sender.on_ack(now, ack, &mut sink.receiver);
        if self.busy && self.sender.is_done() {
            self.busy = false;
            self.page.first_acknowledged();
            let step = self.app.on_acknowledged(&self.plan, now, &mut self.rng);
            self.take(now, step);
        }
    }

    /// A deadline of `poll_timeout` has come.
    pub fn on_timer(&mut self, now: Time) {
        if !self.closed {
            self.sender.on_timer(now);
        }
        if now >= self.next_action_at {
            self.next_action_at = Time::NEVER;
            if self.ceased {
                return self.take(now, AppAction::End);
            }
            let step = self.app.next_action(&self.plan, now, &mut self.rng);
            self.take(now, step);
        }
    }

    /// No new object is begun.
    pub fn cease(&mut self) {
        self.ceased = true;
    }

    /// The next segment to send.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if self.closed {
            return None;
        }
        self.sender.poll_transmit(now)
    }

    /// When to call `on_timer`, if ever.
    pub fn poll_timeout(&self) -> Option<Time> {
        let sender = if self.closed { None } else { self.sender.poll_timeout() };
        let next = self.next_action_at.min(sender.unwrap_or(Time::NEVER));
        (next != Time::NEVER).then_some(next)
    }

    /// Counters of the senders of all its connections.
    pub fn counters(&self) -> SenderCounters {
        self.past + self.sender.counters()
    }

    /// Resets them.
    pub fn reset_counters(&mut self) {
        self.past = SenderCounters::default();
        self.sender.reset_counters();
    }

    /// Objects begun so far.
    pub fn objects_begun(&self) -> u64 {
        self.objects
    }

    /// The state of the application.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Whether a connection is open.
    pub fn is_open(&self) -> bool {
        !self.closed
    }

    /// Whether its session has ended.
    pub fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether its session ended before `now`.
    pub fn ended_before(&self, now: Time) -> bool {
        self.ended.is_some_and(|ended| ended < now)
    }

    fn take(&mut self, now: Time, step: AppAction) {
        match step {
            AppAction::Send { bytes, fresh } => self.send(now, bytes, fresh),
            AppAction::Type { bytes, fresh, span } => {
                self.send(now, bytes, fresh);
                self.next_action_at = now + span;
            }
            AppAction::Rest => {}
            AppAction::Wait { span, close } => {
                self.closed = close;
                self.next_action_at = now + span;
            }
            AppAction::End => {
                self.closed = true;
                self.ended = Some(now);
            }
        }
    }

    fn send(&mut self, now: Time, bytes: u64, fresh: bool) {
        if fresh {
            self.past = self.past + self.sender.counters();
            self.connections += 1;
            self.sender.reopen(&self.params, self.rng.branch(self.connections));
            self.opened = now;
        }
        if self.plan.whole_segments() {
            self.sender.supply_whole(now, bytes, &self.params);
        } else {
            self.sender.supply_bytes(now, bytes, &self.params);
        }
        self.closed = false;
        self.busy = true;
        self.objects += 1;
        let part = self.app.page_part().filter(|_| self.plan.has_pages());
        let page = part.and_then(|(begins, ends)| self.page.on_one_connection(now, begins, ends));
        self.in_flight.push_back(Object { start: now, bytes, page, end: self.sender.supplied() });
        if fresh {
            self.sender.start(now);
        }
    }
}

/// The receiving end.
pub struct AppSink {
    /// The receiver of the present connection.
    pub receiver: AppReceiver,
    params: AppParams,
    opened: Option<Time>,
    /// Payload delivered on earlier connections.
    past: u64,
}

impl AppSink {
    /// A sink that has received nothing.
    pub fn new(params: AppParams) -> AppSink {
        AppSink { receiver: AppReceiver::new(&params), params, opened: None, past: 0 }
    }

    /// A segment arrives from `source`.
    pub fn on_segment(&mut self, now: Time, segment: &Segment, source: &mut AppSource) {
        if segment.sent >= source.opened && self.opened != Some(source.opened) {
            self.past += self.receiver.delivered_payload();
            self.receiver.reopen(&self.params, source.opened);
            self.opened = Some(source.opened);
        }
        if self.opened.is_none_or(|opened| segment.sent < opened) {
            return;
        }
        self.receiver.on_segment(now, segment, &mut source.sender);
    }

    /// Removes and returns the next object of `source` that was delivered in full.
    pub fn completed(&self, source: &mut AppSource) -> Option<Object> {
        let whole =
            |object: &Object| self.opened == Some(source.opened) && self.receiver.delivered() >= object.end;
        if source.in_flight.front().is_some_and(whole) {
            source.in_flight.pop_front()
        } else {
            None
        }
    }

    /// Payload delivered in order, on all connections.
    pub fn delivered_payload(&self) -> u64 {
        self.past + self.receiver.delivered_payload()
    }
}
