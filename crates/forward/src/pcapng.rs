//! A capture of a run that Wireshark opens, with drops and marks as interfaces and comments.
//!
//! Reference: the PCAP Next Generation file format (draft-ietf-opsawg-pcapng), section 4.
//!
//! Packets that left are on the interface `sent`, at the time their transmission began; packets that the queue dropped
//! are on the interface `dropped`, at the time of the drop. Comments name the event: `frame.comment contains "marked"`
//! and `frame.interface_name == "dropped"` find them.

use crate::event::{reason_name, EventObserver, PacketEvent};
use crate::header::Layer;
use std::collections::BTreeMap;
use std::io::{self, Write};
use units::Time;

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
const OPTION_COMMENT: u16 = 1;
const OPTION_NAME: u16 = 2;
const OPTION_DESCRIPTION: u16 = 3;
const OPTION_RESOLUTION: u16 = 9;
/// Link types: packets that begin with an IP header; Ethernet.
const RAW: u16 = 101;
const ETHERNET: u16 = 1;

/// Writer of a capture, event by event.
pub struct Capture<W: Write> {
    out: W,
    block: Vec<u8>,
    snap: usize,
    /// Nanoseconds from 1970 to the start of the run.
    epoch: u64,
    /// Reasons of the marks of queued packets.
    marked: BTreeMap<u64, &'static str>,
    error: Option<io::Error>,
}

impl<W: Write> Capture<W> {
    /// Begins a capture of frames of which at most `snap` bytes are kept. `epoch` is the start of the run in
    /// nanoseconds since 1970.
    ///
    /// # Errors
    /// Errors of the file.
    pub fn new(out: W, layer: Layer, snap: usize, epoch: u64) -> io::Result<Capture<W>> {
        let mut capture =
            Capture { out, block: Vec::new(), snap, epoch, marked: BTreeMap::new(), error: None };
        // Byte order, version 1.0, length unknown.
        let mut body = 0x1a2b_3c4d_u32.to_le_bytes().to_vec();
        body.extend([1, 0, 0, 0]);
        body.extend(u64::MAX.to_le_bytes());
        capture.write(SECTION, &body);
        for (name, description) in [
            ("sent", "packets that left the queue, when their transmission began"),
            ("dropped", "packets that the queue dropped, at the time of the drop"),
        ] {
            let kind = if layer == Layer::Ip { RAW } else { ETHERNET };
            let mut interface = kind.to_le_bytes().to_vec();
            interface.extend([0, 0]);
            interface.extend((snap as u32).to_le_bytes());
            option(&mut interface, OPTION_NAME, name.as_bytes());
            option(&mut interface, OPTION_DESCRIPTION, description.as_bytes());
            option(&mut interface, OPTION_RESOLUTION, &[9]);
            interface.extend([0; 4]);
            capture.write(INTERFACE, &interface);
        }
        match capture.error.take() {
            Some(error) => Err(error),
            None => Ok(capture),
        }
    }

    /// Ends the capture.
    ///
    /// # Errors
    /// The first one of the file since the start.
    pub fn finish(mut self) -> io::Result<W> {
        match self.error {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.out),
        }
    }

    fn packet(&mut self, interface: u32, time: Time, frame: &[u8], comment: &str) {
        let kept = frame.len().min(self.snap);
        let ns = self.epoch + time.0;
        let mut body = Vec::with_capacity(kept + comment.len() + 40);
        for word in [interface, (ns >> 32) as u32, ns as u32, kept as u32, frame.len() as u32] {
            body.extend(word.to_le_bytes());
        }
        body.extend(&frame[..kept]);
        pad(&mut body);
        if !comment.is_empty() {
            option(&mut body, OPTION_COMMENT, comment.as_bytes());
            body.extend([0; 4]);
        }
        self.write(PACKET, &body);
    }

    fn write(&mut self, kind: u32, body: &[u8]) {
        let length = (body.len() as u32 + 12).to_le_bytes();
        self.block.clear();
        self.block.extend(kind.to_le_bytes());
        self.block.extend(length);
        self.block.extend(body);
        self.block.extend(length);
        if self.error.is_none() {
            self.error = self.out.write_all(&self.block).err();
        }
    }
}

impl<W: Write> EventObserver for Capture<W> {
    fn on_event(&mut self, event: &PacketEvent<'_>, frame: &[u8]) {
        match event {
            PacketEvent::Dropped { time, number, reason, wait } => {
                self.marked.remove(number);
                let comment = if wait.0 == 0 {
                    format!("dropped ({}) on arrival", reason_name(*reason))
                } else {
                    format!(
                        "dropped ({}) after {:.3} ms in the queue",
                        reason_name(*reason),
                        wait.as_millis()
                    )
                };
                self.packet(1, *time, frame, &comment);
            }
            PacketEvent::Marked { number, reason, .. } => {
                self.marked.insert(*number, reason_name(*reason));
            }
            PacketEvent::Sent { time, number, wait, marked } => {
                let comment = match self.marked.remove(number).filter(|_| *marked) {
                    Some(reason) => format!("marked CE ({reason}), {:.3} ms in the queue", wait.as_millis()),
                    None => String::new(),
                };
                self.packet(0, *time, frame, &comment);
            }
            PacketEvent::Arrived { .. } | PacketEvent::Changed { .. } => {}
        }
    }
}

fn option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    out.extend(code.to_le_bytes());
    out.extend((value.len() as u16).to_le_bytes());
    out.extend(value);
    pad(out);
}

fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(4), 0);
}
