//! What is counted in one direction of a link.

use crate::event::Event;
use crate::histogram::Histogram;
use queue::disc::Reason;
use units::{Bytes, Span, Time};

/// Packets and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Packets.
    pub pkts: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Count {
    fn add(&mut self, size: u32) {
        self.pkts += 1;
        self.bytes += u64::from(size);
    }
}

/// Counters since a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measure {
    /// When counting began.
    pub since: Time,
    /// Up to when the queue is accounted for.
    pub until: Time,
    /// What reached the queue, and what began to be sent.
    pub arrived: Count,
    /// What began to be sent.
    pub sent: Count,
    /// Bytes sent, by path.
    pub sent_bytes: Vec<u64>,
    /// Drops by reason: early, forced, overflow.
    pub dropped: [u64; 3],
    /// Packets that got CE.
    pub marked: u64,
    /// Time from a packet's arrival to the start of its transmission.
    pub sojourn: Histogram,
    /// Time from when a packet was due to when it was handed over.
    pub late: Histogram,
    /// Time that what waits in the device behind the queue would take at the link's rate, where the device tells.
    pub behind: Histogram,
    /// Integrals of the queue over time: packets, bytes, and packets squared; seconds times those.
    pub queue: [f64; 3],
    /// The longest queue.
    pub queue_max: u64,
    /// The queue since `until`: packets and bytes.
    held: (f64, f64),
}

impl Measure {
    /// Nothing yet, about so many paths.
    pub fn new(paths: usize) -> Measure {
        Measure { sent_bytes: vec![0; paths], ..Measure::default() }
    }

    /// Counts anew from `now`, about the same paths.
    pub fn from(now: Time, old: &Measure) -> Measure {
        let sent_bytes = vec![0; old.sent_bytes.len()];
        Measure { since: now, until: now, sent_bytes, held: old.held, ..Measure::default() }
    }

    /// Seconds that are counted.
    pub fn seconds(&self) -> f64 {
        self.until.since(self.since).as_secs()
    }

    /// Drops for any reason.
    pub fn drops(&self) -> u64 {
        self.dropped.iter().sum()
    }

    /// Time average of the queue, in packets and in bytes, and the standard deviation of the packets.
    pub fn queue_mean(&self) -> Option<(f64, f64, f64)> {
        let seconds = self.seconds();
        (seconds > 0.0).then(|| {
            let [pkts, bytes, squared] = self.queue.map(|integral| integral / seconds);
            (pkts, bytes, (squared - pkts * pkts).max(0.0).sqrt())
        })
    }

    pub(crate) fn arrived(&mut self, size: u32) {
        self.arrived.add(size);
    }

    pub(crate) fn sent(&mut self, size: u32, path: u16, sojourn: Span) {
        self.sent.add(size);
        if let Some(bytes) = self.sent_bytes.get_mut(usize::from(path)) {
            *bytes += u64::from(size);
        }
        self.sojourn.note(sojourn);
    }

    pub(crate) fn ended(&mut self, event: &Event<'_>) {
        match event {
            Event::Dropped { reason, .. } => {
                let which = match reason {
                    Reason::Early => 0,
                    Reason::Forced => 1,
                    Reason::Overflow => 2,
                };
                self.dropped[which] += 1;
            }
            Event::Marked { .. } => self.marked += 1,
            _ => {}
        }
    }

    pub(crate) fn lateness(&mut self, late: Span) {
        self.late.note(late);
    }

    /// Accounts for the queue up to `now`, and notes what it holds from now on.
    pub(crate) fn hold_until(&mut self, now: Time, len: usize, backlog: Bytes) {
        let seconds = now.since(self.until).as_secs();
        if seconds > 0.0 {
            let (pkts, bytes) = self.held;
            self.queue[0] += pkts * seconds;
            self.queue[1] += bytes * seconds;
            self.queue[2] += pkts * pkts * seconds;
            self.until = now;
        }
        self.held = (len as f64, backlog.0 as f64);
        self.queue_max = self.queue_max.max(len as u64);
    }
}
