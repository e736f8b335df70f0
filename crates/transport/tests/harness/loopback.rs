//! A path of constant delay between a sender and a receiver, without a clock of its own: segments and
//! acknowledgements travel in a ring. For benches, allocation counts and conformance.

use std::collections::VecDeque;
use transport::tcp::Params;
use transport::{Ack, Receiver, Segment, Sender};
use units::param::{read_table, Valid, Value};
use units::{Span, Stream, Time};

/// Checked parameters: a profile and own keys.
pub fn params(keys: &[(&str, &str)]) -> Valid<Params> {
    let table = keys.iter().map(|(key, value)| (key.to_string(), Value::Text(value.to_string()))).collect();
    let mut problems = Vec::new();
    let params: Params = read_table("", &table, &mut problems);
    assert_eq!(problems, [], "{keys:?}");
    Valid::new(params).expect("they were checked as they were read")
}

/// Sender, receiver and the path between them.
pub struct Loopback {
    pub sender: Sender,
    pub receiver: Receiver,
    pub now: Time,
    data: VecDeque<(Time, Segment)>,
    acks: VecDeque<(Time, Ack)>,
    /// Time between two segments on the line.
    gap: Span,
    delay: Span,
    line_free: Time,
    /// Segments that entered the line.
    pub carried: u64,
    /// One segment in this many is lost; 0: none.
    pub lose_every: u64,
    /// Segments and the number of their transmissions that are lost.
    pub lose: Vec<(u32, u32)>,
}

impl Loopback {
    pub fn new(keys: &[(&str, &str)]) -> Loopback {
        Loopback::over(keys, Span::from_micros(10), Span::from_millis(1))
    }

    /// A line with this time between two segments and this delay one way.
    pub fn over(keys: &[(&str, &str)], gap: Span, delay: Span) -> Loopback {
        let params = params(keys);
        let mut sender = Sender::new(&params, Stream::new(1, "loopback"));
        sender.supply_forever();
        sender.start(Time::ZERO);
        let mut line = Loopback {
            sender,
            receiver: Receiver::new(&params),
            now: Time::ZERO,
            data: VecDeque::with_capacity(1 << 12),
            acks: VecDeque::with_capacity(1 << 12),
            gap,
            delay,
            line_free: Time::ZERO,
            carried: 0,
            lose_every: 0,
            lose: Vec::new(),
        };
        line.drain_sender();
        line
    }

    #[inline]
    fn drain_sender(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            self.carried += 1;
            let lost = self.lose_every > 0 && self.carried % self.lose_every == 0 || self.loses(segment.seq);
            self.line_free = self.line_free.max(self.now) + self.gap;
            if !lost {
                self.data.push_back((self.line_free + self.delay, segment));
            }
        }
    }

    fn loses(&mut self, seq: u32) -> bool {
        let left = self.lose.iter_mut().find(|(lost, left)| *lost == seq && *left > 0);
        left.map(|(_, left)| *left -= 1).is_some()
    }

    #[inline]
    fn drain_receiver(&mut self) {
        while let Some(ack) = self.receiver.poll_transmit(self.now) {
            self.acks.push_back((self.now + self.delay, ack));
        }
    }

    /// The next arrival or deadline.
    #[inline]
    pub fn step(&mut self) {
        let at = |queue: Option<Time>| queue.unwrap_or(Time::NEVER);
        let data = at(self.data.front().map(|(time, _)| *time));
        let ack = at(self.acks.front().map(|(time, _)| *time));
        let timers = at(self.sender.poll_timeout()).min(at(self.receiver.poll_timeout()));
        self.now = data.min(ack).min(timers);
        if data <= ack && data <= timers {
            if let Some((_, segment)) = self.data.pop_front() {
                self.receiver.on_segment(self.now, &segment);
            }
            self.drain_receiver();
        } else if ack <= timers {
            if let Some((_, arrived)) = self.acks.pop_front() {
                self.sender.on_ack(self.now, &arrived);
            }
            self.drain_sender();
        } else {
            self.receiver.on_timer(self.now);
            self.drain_receiver();
            self.sender.on_timer(self.now);
            self.drain_sender();
        }
    }
}
