//! The record of a run: each arrival and its fate, so that the decisions can be repeated and compared.
//!
//! A file is the line `dropcurve record 2`, then one JSON line with seed, name of the rng and the link, then events. An
//! event is a byte for its type, the nanoseconds since the last event, and its values; numbers are LEB128 varints:
//!
//! | byte | event | values |
//! |---|---|---|
//! | `F` | a flow is named (no time) | its 64 bits, and those of its source and destination host, fixed width, little-endian; the next number |
//! | `A` | arrived | flow number, size, `ecn + 4 class`; arrivals are numbered in order |
//! | `D` | dropped | arrivals since this one, reason |
//! | `M` | marked | the same |
//! | `T` | transmission began | arrivals since this one |
//! | `C` | the link changed | length and text of its JSON |
//! | `E` | the end | arrivals, drops, marks, transmissions |
//!
//! In a file of version 1 an `F` has no hosts. Eight bytes a packet are usual. A file without `E` was cut short; the
//! events in it can be replayed.

use crate::config;
use crate::event::{EventObserver, PacketEvent};
use crate::link::LinkSettings;
use queue::disc::Reason;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use units::{Ecn, Span, Time};

/// First line of a record.
pub const MAGIC: &str = "dropcurve record 2";
/// First line of a record without the hosts of flows.
const WITHOUT_HOSTS: &str = "dropcurve record 1";
const REASONS: [Reason; 3] = [Reason::Early, Reason::Forced, Reason::Overflow];
const FIELDS: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];

/// First bytes of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordHead {
    /// Seed of the run.
    pub seed: u64,
    /// Name of the discipline's rng.
    pub name: String,
    /// The link at the start.
    pub link: LinkSettings,
}

/// Writes a record, event by event.
pub struct Recorder<W: Write> {
    out: W,
    line: Vec<u8>,
    flows: BTreeMap<u64, u64>,
    last: Time,
    counts: [u64; 4],
    error: Option<io::Error>,
}

impl<W: Write> Recorder<W> {
    /// Begins a record.
    ///
    /// # Errors
    /// Errors of the file.
    pub fn new(mut out: W, head: &RecordHead) -> io::Result<Recorder<W>> {
        let text = serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"), "seed": head.seed, "name": head.name,
            "link": config::show_link(&head.link),
        });
        writeln!(out, "{MAGIC}\n{text}")?;
        Ok(Recorder {
            out,
            line: Vec::new(),
            flows: BTreeMap::new(),
            last: Time::ZERO,
            counts: [0; 4],
            error: None,
        })
    }

    /// Ends the record.
    ///
    /// # Errors
    /// The first one of the file since the start.
    pub fn finish(mut self) -> io::Result<W> {
        self.begin(b'E', self.last);
        for count in self.counts {
            varint(&mut self.line, count);
        }
        self.write();
        match self.error {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.out),
        }
    }

    fn begin(&mut self, kind: u8, time: Time) {
        self.line.push(kind);
        varint(&mut self.line, time.since(self.last).0);
        self.last = time;
    }

    fn write(&mut self) {
        if self.error.is_none() {
            self.error = self.out.write_all(&self.line).err();
        }
        self.line.clear();
    }

    fn flow(&mut self, flow: u64, hosts: [u64; 2]) -> u64 {
        if let Some(number) = self.flows.get(&flow) {
            return *number;
        }
        let number = self.flows.len() as u64;
        self.flows.insert(flow, number);
        self.line.push(b'F');
        for bits in [flow, hosts[0], hosts[1]] {
            self.line.extend_from_slice(&bits.to_le_bytes());
        }
        number
    }
}

impl<W: Write> EventObserver for Recorder<W> {
    fn on_event(&mut self, event: &PacketEvent<'_>, _frame: &[u8]) {
        match event {
            PacketEvent::Arrived { time, flow, hosts, size, ecn, class, .. } => {
                let flow = self.flow(*flow, *hosts);
                self.begin(b'A', *time);
                varint(&mut self.line, flow);
                varint(&mut self.line, u64::from(*size));
                let field = FIELDS.iter().position(|other| other == ecn).unwrap_or(0) as u64;
                varint(&mut self.line, field + 4 * u64::from(*class));
                self.counts[0] += 1;
            }
            PacketEvent::Dropped { time, number, reason, .. }
            | PacketEvent::Marked { time, number, reason } => {
                let dropped = matches!(event, PacketEvent::Dropped { .. });
                self.begin(if dropped { b'D' } else { b'M' }, *time);
                varint(&mut self.line, self.counts[0] - 1 - number);
                varint(&mut self.line, REASONS.iter().position(|other| other == reason).unwrap_or(0) as u64);
                self.counts[if dropped { 1 } else { 2 }] += 1;
            }
            PacketEvent::Sent { time, number, .. } => {
                self.begin(b'T', *time);
                varint(&mut self.line, self.counts[0] - 1 - number);
                self.counts[3] += 1;
            }
            PacketEvent::Changed { time, link } => {
                self.begin(b'C', *time);
                let text = config::show_link(link).to_string();
                varint(&mut self.line, text.len() as u64);
                self.line.extend_from_slice(text.as_bytes());
            }
        }
        self.write();
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// An event as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordEntry {
    /// A frame reached the queue: flow, hosts, size, ECN field, class.
    Arrived(Time, u64, [u64; 2], u32, Ecn, u8),
    /// Number and reason.
    Dropped(Time, u64, Reason),
    /// Number and reason.
    Marked(Time, u64, Reason),
    /// Number.
    Sent(Time, u64),
    /// The link after a change.
    Changed(Time, Box<LinkSettings>),
    /// Arrivals, drops, marks, transmissions.
    End(Time, [u64; 4]),
}

impl RecordEntry {
    /// When it happened.
    pub fn time(&self) -> Time {
        match self {
            RecordEntry::Arrived(time, ..)
            | RecordEntry::Dropped(time, ..)
            | RecordEntry::Marked(time, ..)
            | RecordEntry::Sent(time, ..)
            | RecordEntry::Changed(time, ..)
            | RecordEntry::End(time, ..) => *time,
        }
    }
}

/// Reads a record, entry by entry.
pub struct RecordReader<R: BufRead> {
    input: R,
    /// The link at the start.
    pub head: RecordHead,
    has_hosts: bool,
    flows: Vec<(u64, [u64; 2])>,
    arrived: u64,
    now: Time,
}

impl<R: BufRead> RecordReader<R> {
    /// Reads the head of a record.
    ///
    /// # Errors
    /// A sentence if it is not a record, has another version of the format, or is damaged.
    pub fn new(mut input: R) -> Result<RecordReader<R>, String> {
        let mut line = String::new();
        input.by_ref().take(1000).read_line(&mut line).map_err(|_| "is not a record".to_string())?;
        let has_hosts = line.trim_end() == MAGIC;
        if !has_hosts && line.trim_end() != WITHOUT_HOSTS {
            return Err(format!("is not a record: it does not begin with '{MAGIC}'"));
        }
        line.clear();
        input.by_ref().take(1_000_000).read_line(&mut line).map_err(|error| error.to_string())?;
        let json: serde_json::Value =
            serde_json::from_str(&line).map_err(|error| format!("has a damaged head: {error}"))?;
        let link = config::read_link(&json["link"]).map_err(|problems| problems.join("; "))?;
        let name = json["name"].as_str().unwrap_or_default().to_string();
        let seed = json["seed"].as_u64().ok_or("has a damaged head: no seed")?;
        let head = RecordHead { seed, name, link };
        Ok(RecordReader { input, head, has_hosts, flows: Vec::new(), arrived: 0, now: Time::ZERO })
    }

    /// The next entry; `None` at the end of the file, also in the middle of an entry.
    ///
    /// # Errors
    /// A sentence, if the record is not valid.
    pub fn entry(&mut self) -> Result<Option<RecordEntry>, String> {
        let Some(mut kind) = self.byte() else { return Ok(None) };
        while kind == b'F' {
            let Some(flow) = self.word() else { return Ok(None) };
            let mut hosts = [0; 2];
            if self.has_hosts {
                let (Some(source), Some(destination)) = (self.word(), self.word()) else { return Ok(None) };
                hosts = [source, destination];
            }
            self.flows.push((flow, hosts));
            let Some(next) = self.byte() else { return Ok(None) };
            kind = next;
        }
        match self.body(kind) {
            Some(Ok(entry)) => Ok(Some(entry)),
            Some(Err(what)) => Err(format!("is damaged after {} arrivals: {what}", self.arrived)),
            None => Ok(None),
        }
    }

    fn body(&mut self, kind: u8) -> Option<Result<RecordEntry, String>> {
        let time = self.now + Span(self.varint()?);
        self.now = time;
        let entry = match kind {
            b'A' => {
                let (flow, size, field) = (self.varint()?, self.varint()?, self.varint()?);
                let Some(&(flow, hosts)) = self.flows.get(flow as usize) else {
                    return Some(Err(format!("no flow {flow}")));
                };
                self.arrived += 1;
                RecordEntry::Arrived(
                    time,
                    flow,
                    hosts,
                    size as u32,
                    FIELDS[(field % 4) as usize],
                    (field / 4) as u8,
                )
            }
            b'D' | b'M' | b'T' => {
                let back = self.varint()?;
                let Some(number) = self.arrived.checked_sub(1 + back) else {
                    return Some(Err("an event before its arrival".to_string()));
                };
                if kind == b'T' {
                    return Some(Ok(RecordEntry::Sent(time, number)));
                }
                let which = self.varint()? as usize;
                let Some(reason) = REASONS.get(which) else {
                    return Some(Err(format!("unknown reason {which}")));
                };
                if kind == b'D' {
                    RecordEntry::Dropped(time, number, *reason)
                } else {
                    RecordEntry::Marked(time, number, *reason)
                }
            }
            b'C' => {
                let length = self.varint()?;
                let mut text = Vec::new();
                self.input.by_ref().take(length).read_to_end(&mut text).ok()?;
                let json = serde_json::from_slice(&text).map_err(|error| error.to_string());
                match json.and_then(|json| config::read_link(&json).map_err(|problems| problems.join("; "))) {
                    Ok(link) => RecordEntry::Changed(time, Box::new(link)),
                    Err(what) => return Some(Err(what)),
                }
            }
            b'E' => RecordEntry::End(time, [self.varint()?, self.varint()?, self.varint()?, self.varint()?]),
            other => return Some(Err(format!("unknown event {other:#04x}"))),
        };
        Some(Ok(entry))
    }

    fn word(&mut self) -> Option<u64> {
        let mut bits = [0; 8];
        self.input.read_exact(&mut bits).ok()?;
        Some(u64::from_le_bytes(bits))
    }

    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.input.read_exact(&mut byte).ok().map(|()| byte[0])
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        Some(value)
    }
}
