//! Replay of a record: the arrivals go through the simulator's queue, and each verdict is compared with the record's.
//!
//! The driver here is the simplest that follows the contract of `queue::disc`: one queue, one transmitter, no frames,
//! no delay lines, nothing of the forwarder's pump.

use crate::event::reason_name;
use crate::link::LinkSettings;
use crate::packet::{self, Handle};
use crate::record::{RecordEntry, RecordHead, RecordReader};
use queue::disc::{Cx, Fate, QueueDisc};
use queue::Disc;
use std::fmt;
use std::io::BufRead;
use units::{Bytes, Serializer, Stream, Time};

/// The outcome of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Arrivals fed in.
    pub arrivals: u64,
    /// Drops that were equal to the record's, to the nanosecond.
    pub drops: u64,
    /// Marks that were equal.
    pub marks: u64,
    /// Transmissions that were equal.
    pub sent: u64,
    /// Changes of the link.
    pub changes: u64,
    /// Whether the record is complete.
    pub whole: bool,
    /// The first difference, in words.
    pub difference: Option<String>,
}

/// Feeds a record through its discipline.
///
/// # Errors
/// One sentence for the user, if the record is damaged.
pub fn replay<R: BufRead>(mut reader: RecordReader<R>) -> Result<Agreement, String> {
    let mut judge = Judge::new(&reader.head);
    let (mut agreement, mut recorded, mut last) = (Agreement::default(), Vec::new(), Time::ZERO);
    while agreement.difference.is_none() {
        let Some(entry) = reader.entry()? else { break };
        last = entry.time();
        match entry {
            RecordEntry::Arrived(time, flow, hosts, size, ecn, class) => {
                judge.advance(time);
                agreement.compare(&mut judge.verdicts, &mut recorded);
                let mut handle = Handle::new(agreement.arrivals, flow, size, ecn, class);
                handle.hosts = hosts;
                judge.arrive(handle, time);
                agreement.arrivals += 1;
            }
            RecordEntry::Changed(time, link) => {
                judge.advance(time);
                agreement.compare(&mut judge.verdicts, &mut recorded);
                judge.change(*link, time);
                agreement.changes += 1;
            }
            RecordEntry::End(_, counts) => {
                agreement.whole = true;
                judge.advance(last);
                agreement.compare(&mut judge.verdicts, &mut recorded);
                agreement.check_counts(counts);
                return Ok(agreement);
            }
            verdict => recorded.push(verdict),
        }
    }
    judge.advance(last);
    // The missing end may hold the remaining verdicts.
    judge.verdicts.truncate(recorded.len());
    agreement.compare(&mut judge.verdicts, &mut recorded);
    Ok(agreement)
}

impl Agreement {
    /// Returns the outcome as JSON, with the link of the record.
    pub fn show(&self, link: &serde_json::Value) -> serde_json::Value {
        serde_json::json!({
            "arrivals": self.arrivals, "drops": self.drops, "marks": self.marks, "sent": self.sent,
            "changes": self.changes, "whole": self.whole, "identical": self.difference.is_none(),
            "difference": self.difference, "link": link,
        })
    }

    /// Compares the verdicts since the last arrival with those of the record, and clears both.
    fn compare(&mut self, ours: &mut Vec<RecordEntry>, recorded: &mut Vec<RecordEntry>) {
        for i in 0..ours.len().max(recorded.len()) {
            let (mine, theirs) = (ours.get(i), recorded.get(i));
            match theirs.filter(|_| mine == theirs) {
                Some(RecordEntry::Dropped(..)) => self.drops += 1,
                Some(RecordEntry::Marked(..)) => self.marks += 1,
                Some(_) => self.sent += 1,
                None => {
                    let said = |entry: Option<&RecordEntry>| {
                        entry.map_or("nothing".to_string(), RecordEntry::to_string)
                    };
                    let text =
                        format!("the record says {}, the simulator's queue {}", said(theirs), said(mine));
                    self.difference.get_or_insert(text);
                }
            }
        }
        ours.clear();
        recorded.clear();
    }

    fn check_counts(&mut self, counts: [u64; 4]) {
        let ours = [self.arrivals, self.drops, self.marks, self.sent];
        if ours != counts {
            let text = format!(
                "the record counts {counts:?} arrivals, drops, marks and transmissions, but has {ours:?}"
            );
            self.difference.get_or_insert(text);
        }
    }
}

/// The simulator's queue and transmitter, driven by the arrivals of a record.
struct Judge {
    link: LinkSettings,
    queue: Disc<Handle>,
    rng: Stream,
    line: Serializer,
    sending: Option<(Bytes, Time)>,
    free_at: Time,
    fates: Vec<Fate<Handle>>,
    /// Verdicts since the last comparison.
    verdicts: Vec<RecordEntry>,
}

impl Judge {
    fn new(head: &RecordHead) -> Judge {
        Judge {
            queue: head.link.spec.build(&head.link.setting()),
            rng: Stream::new(head.seed, &head.name),
            line: Serializer::new(head.link.rate),
            link: head.link.clone(),
            sending: None,
            free_at: Time::ZERO,
            fates: Vec::new(),
            verdicts: Vec::new(),
        }
    }

    fn arrive(&mut self, handle: Handle, now: Time) {
        self.ask(now, |queue, cx| queue.enqueue(handle, cx));
        let held = self.sending == Some((Bytes(0), self.free_at));
        if self.sending.is_none() || (held && self.queue.ready().is_some_and(|ready| ready < self.free_at)) {
            self.sending = None;
            self.serve(now);
        }
    }

    /// The ends of transmissions up to `now`, and the discipline's ticks before it.
    fn advance(&mut self, now: Time) {
        while let Some((_, free_at)) = self.sending.filter(|(_, free_at)| *free_at <= now) {
            self.tick_until(free_at);
            self.sending = None;
            self.serve(free_at);
        }
        self.tick_until(now);
    }

    fn serve(&mut self, now: Time) {
        if let Some(handle) = self.ask(now, |queue, cx| queue.dequeue(cx)) {
            if now > self.free_at {
                self.line.restart();
            }
            let size = Bytes(u64::from(handle.size));
            self.free_at = now + self.line.next(size);
            self.sending = Some((size, self.free_at));
            self.verdicts.push(RecordEntry::Sent(now, handle.number));
        } else if let Some(ready) = self.queue.ready().filter(|ready| *ready > now) {
            self.free_at = ready;
            self.sending = Some((Bytes(0), ready));
        }
    }

    fn change(&mut self, link: LinkSettings, now: Time) {
        let waiting: Vec<Handle> = std::iter::from_fn(|| self.ask(now, packet::drain_next)).collect();
        self.queue = link.spec.build(&link.setting());
        if link.rate != self.link.rate {
            self.line = Serializer::new(link.rate);
        }
        self.link = link;
        for handle in waiting {
            self.ask(now, |queue, cx| queue.enqueue(handle, cx));
        }
    }

    fn tick_until(&mut self, now: Time) {
        while let Some(due) = self.queue.next_deadline().filter(|due| *due < now) {
            self.ask(due, |queue, cx| queue.on_deadline(cx));
        }
    }

    fn ask<T>(&mut self, now: Time, call: impl FnOnce(&mut Disc<Handle>, &mut Cx<'_, Handle>) -> T) -> T {
        let mut cx = Cx::new(now, &mut self.rng, &mut self.fates);
        if let (true, Some((size, _))) = (self.link.counts_wire, self.sending) {
            cx.on_wire = size;
        }
        let answer = call(&mut self.queue, &mut cx);
        self.verdicts.extend(self.fates.drain(..).map(|fate| match fate {
            Fate::Dropped(handle, reason) => RecordEntry::Dropped(now, handle.number, reason),
            Fate::Marked(handle, reason) => RecordEntry::Marked(now, handle.number, reason),
        }));
        answer
    }
}

impl fmt::Display for RecordEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time().as_secs();
        match self {
            RecordEntry::Dropped(_, number, why) => {
                write!(f, "packet {number} is dropped ({}) at {seconds:.9} s", reason_name(*why))
            }
            RecordEntry::Marked(_, number, why) => {
                write!(f, "packet {number} is marked ({}) at {seconds:.9} s", reason_name(*why))
            }
            RecordEntry::Sent(_, number) => write!(f, "packet {number} is sent at {seconds:.9} s"),
            RecordEntry::Arrived(_, _, _, size, ..) => write!(f, "{size} bytes arrive at {seconds:.9} s"),
            RecordEntry::Changed(..) => write!(f, "the link changes at {seconds:.9} s"),
            RecordEntry::End(..) => write!(f, "it ends at {seconds:.9} s"),
        }
    }
}
