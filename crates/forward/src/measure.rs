//! Counters and histograms of one direction of a link.

use crate::event::PacketEvent;
use crate::histogram::DelayHistogram;
use queue::disc::Reason;
use units::{Bytes, Span, Time};

/// A counter of packets and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets.
    pub pkts: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Counters {
    fn add(&mut self, size: u32) {
        self.pkts += 1;
        self.bytes += u64::from(size);
    }
}

/// Counters, histograms and queue integrals since a start time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkMeter {
    /// Start of the counting.
    pub since: Time,
    /// Time up to which the queue integrals are complete.
    pub until: Time,
    /// Packets that arrived at the queue.
    pub arrived: Counters,
    /// Packets whose transmission began.
    pub sent: Counters,
    /// Bytes sent, by path.
    pub sent_bytes: Vec<u64>,
    /// Drops by reason: early, forced, overflow.
    pub dropped: [u64; 3],
    /// Packets marked with CE.
    pub marked: u64,
    /// Time from a packet's arrival to the start of its transmission.
    pub sojourn: DelayHistogram,
    /// Time from when a packet was due to when it was handed over.
    pub late: DelayHistogram,
    /// Backlog of the device behind the queue over the link's rate, where the device reports it.
    pub behind: DelayHistogram,
    /// Integrals of the queue over time: packets, bytes, and packets squared; seconds times those.
    pub queue: [f64; 3],
    /// Maximum queue length, in packets.
    pub queue_max: u64,
    /// The queue since `until`: packets and bytes.
    held: (f64, f64),
}

impl LinkMeter {
    /// Zero counters for `paths` paths.
    pub fn new(paths: usize) -> LinkMeter {
        LinkMeter { sent_bytes: vec![0; paths], ..LinkMeter::default() }
    }

    /// Resets the counters at `now`, for the same paths.
    pub fn from(now: Time, old: &LinkMeter) -> LinkMeter {
        let sent_bytes = vec![0; old.sent_bytes.len()];
        LinkMeter { since: now, until: now, sent_bytes, held: old.held, ..LinkMeter::default() }
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

    pub(crate) fn ended(&mut self, event: &PacketEvent<'_>) {
        match event {
            PacketEvent::Dropped { reason, .. } => {
                let which = match reason {
                    Reason::Early => 0,
                    Reason::Forced => 1,
                    Reason::Overflow => 2,
                };
                self.dropped[which] += 1;
            }
            PacketEvent::Marked { .. } => self.marked += 1,
            _ => {}
        }
    }

    pub(crate) fn lateness(&mut self, late: Span) {
        self.late.note(late);
    }

    /// Adds the queue up to `now` to its integral, and stores its length and backlog from then on.
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
