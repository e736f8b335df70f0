//! An application over TCP: it hands over objects one at a time, on one connection after another or on one it keeps.
//!
//! A flow's connections follow one another at the same two ends. A packet tells which it belongs to by the time it left:
//! what left before the present connection was opened is an old duplicate and is ignored. The receiver
//! learns of a new connection from its first packet, so nothing it does depends on how far ahead the sender is.

use crate::plan::{App, AppPlan};
use std::collections::VecDeque;
use std::sync::Arc;
use transport::segment::{Ack, Segment};
use transport::tcp::{Params, Receiver, Sender};
use transport::SenderCounters;
use units::param::Valid;
use units::{Span, Stream, Time};

/// What an application does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Hand over an object.
    Send {
        /// Its payload.
        bytes: u64,
        /// On a new connection.
        fresh: bool,
    },
    /// Hand over an object and go on after a while, whatever becomes of it.
    Type {
        /// Its payload.
        bytes: u64,
        /// On a new connection.
        fresh: bool,
        /// How long until it goes on.
        span: Span,
    },
    /// Nothing for a while.
    Wait {
        /// How long.
        span: Span,
        /// The connection is closed before.
        close: bool,
    },
    /// Nothing, until something else happens.
    Rest,
    /// Nothing more.
    End,
}

/// An object on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Object {
    /// When it was handed over.
    pub start: Time,
    /// Its payload in bytes.
    pub bytes: u64,
    /// One past its last segment.
    end: u32,
}

/// The sending end.
pub struct AppSource {
    /// The sender of the present connection.
    pub sender: Sender,
    params: Arc<Valid<Params>>,
    plan: Arc<AppPlan>,
    app: App,
    dice: Stream,
    /// Connections opened so far, and objects handed over.
    connections: u64,
    objects: u64,
    /// When the present connection was opened.
    opened: Time,
    /// No connection is open.
    closed: bool,
    /// An object is not yet acknowledged in full.
    busy: bool,
    /// When the application goes on.
    wake: Time,
    /// When it came to its end.
    ended: Option<Time>,
    ceased: bool,
    on_the_way: VecDeque<Object>,
    /// What the senders of earlier connections counted.
    past: SenderCounters,
}

impl AppSource {
    /// A silent source; `dice` are those of its first session.
    pub fn new(params: Arc<Valid<Params>>, plan: Arc<AppPlan>, mut dice: Stream) -> AppSource {
        let app = plan.begin(&mut dice);
        AppSource {
            sender: Sender::sharing(&params, dice.branch(0)),
            params,
            plan,
            app,
            dice,
            connections: 0,
            objects: 0,
            opened: Time::ZERO,
            closed: true,
            busy: false,
            wake: Time::NEVER,
            ended: None,
            ceased: false,
            on_the_way: VecDeque::new(),
            past: SenderCounters::default(),
        }
    }

    /// Begins its session.
    pub fn start(&mut self, now: Time) {
        self.wake = now;
        self.on_timer(now);
    }

    /// Begins another session, after the end of the one before.
    pub fn start_again(&mut self, now: Time, mut dice: Stream) {
        self.app = self.plan.begin(&mut dice);
        self.dice = dice;
        self.ended = None;
        self.start(now);
    }

    /// An acknowledgement arrives.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        if self.closed || ack.echo < self.opened {
            return;
        }
        self.sender.on_ack(now, ack);
        if self.busy && self.sender.is_done() {
            self.busy = false;
            let step = self.app.done(&self.plan, now, &mut self.dice);
            self.take(now, step);
        }
    }

    /// A deadline of `poll_timeout` has come.
    pub fn on_timer(&mut self, now: Time) {
        if !self.closed {
            self.sender.on_timer(now);
        }
        if now >= self.wake {
            self.wake = Time::NEVER;
            if self.ceased {
                return self.take(now, Step::End);
            }
            let step = self.app.go_on(&self.plan, now, &mut self.dice);
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
        let next = self.wake.min(sender.unwrap_or(Time::NEVER));
        (next != Time::NEVER).then_some(next)
    }

    /// What the senders of all its connections counted.
    pub fn counters(&self) -> SenderCounters {
        self.past + self.sender.counters()
    }

    /// Counts that anew.
    pub fn count_anew(&mut self) {
        self.past = SenderCounters::default();
        self.sender.reset_counters();
    }

    /// Objects handed over so far.
    pub fn begun(&self) -> u64 {
        self.objects
    }

    /// What the application at it has seen.
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

    fn take(&mut self, now: Time, step: Step) {
        match step {
            Step::Send { bytes, fresh } => self.send(now, bytes, fresh),
            Step::Type { bytes, fresh, span } => {
                self.send(now, bytes, fresh);
                self.wake = now + span;
            }
            Step::Rest => {}
            Step::Wait { span, close } => {
                self.closed = close;
                self.wake = now + span;
            }
            Step::End => {
                self.closed = true;
                self.ended = Some(now);
            }
        }
    }

    fn send(&mut self, now: Time, bytes: u64, fresh: bool) {
        if fresh {
            self.past = self.past + self.sender.counters();
            self.connections += 1;
            self.sender = Sender::sharing(&self.params, self.dice.branch(self.connections));
            self.opened = now;
        }
        if self.plan.whole_segments() {
            let segments = bytes.div_ceil(self.params.mss.0).min(u64::from(u32::MAX)) as u32;
            self.sender.supply(segments);
        } else {
            self.sender.supply_bytes(bytes);
        }
        self.closed = false;
        self.busy = true;
        self.objects += 1;
        self.on_the_way.push_back(Object { start: now, bytes, end: self.sender.supplied() });
        if fresh {
            self.sender.start(now);
        }
    }
}

/// The receiving end.
pub struct AppSink {
    /// The receiver of the present connection.
    pub receiver: Receiver,
    params: Arc<Valid<Params>>,
    opened: Option<Time>,
    /// Payload delivered on earlier connections.
    past: u64,
}

impl AppSink {
    /// Nothing has come yet.
    pub fn new(params: Arc<Valid<Params>>) -> AppSink {
        AppSink { receiver: Receiver::sharing(&params), params, opened: None, past: 0 }
    }

    /// A segment arrives from `source`.
    pub fn on_segment(&mut self, now: Time, segment: &Segment, source: &AppSource) {
        if segment.sent >= source.opened && self.opened != Some(source.opened) {
            self.past += self.receiver.delivered_payload();
            self.receiver = Receiver::sharing(&self.params);
            self.receiver.echo_from(source.opened);
            self.opened = Some(source.opened);
        }
        if self.opened.is_none_or(|opened| segment.sent < opened) {
            return;
        }
        self.receiver.on_segment(now, segment);
    }

    /// The next object of `source` that has come whole, once.
    pub fn completed(&self, source: &mut AppSource) -> Option<Object> {
        let whole =
            |object: &Object| self.opened == Some(source.opened) && self.receiver.delivered() >= object.end;
        if source.on_the_way.front().is_some_and(whole) {
            source.on_the_way.pop_front()
        } else {
            None
        }
    }

    /// Payload delivered in order, on all connections.
    pub fn delivered_payload(&self) -> u64 {
        self.past + self.receiver.delivered_payload()
    }
}
