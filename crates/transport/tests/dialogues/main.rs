//! Dialogues computed by hand, ACK by ACK, for each rule of the RFCs.

#![allow(clippy::unwrap_used)]

mod duplicates;
mod ecn;
mod rack;
mod receivers;
mod sack;
mod spurious;
mod timeouts;
mod timing;

#[path = "../harness/loopback.rs"]
#[allow(dead_code)]
mod loopback;

use loopback::params;
use transport::{Ack, SackBlocks, Segment, Sender};
use units::{Span, Stream, Time};

/// A sender with helpers for input. Times in milliseconds.
struct Dialogue {
    sender: Sender,
    now: Time,
}

fn at(ms: u64) -> Time {
    Time(ms * 1_000_000)
}

impl Dialogue {
    /// Opens without a handshake and sends the initial window.
    fn start(keys: &[(&str, &str)]) -> (Dialogue, Vec<u32>) {
        let mut all = vec![("handshake", "none")];
        all.extend_from_slice(keys);
        let mut sender = Sender::new(&params(&all), Stream::new(1, "dialogue"));
        sender.supply_forever();
        sender.start(Time::ZERO);
        let mut dialogue = Dialogue { sender, now: Time::ZERO };
        let sent = dialogue.sent();
        (dialogue, sent)
    }

    fn segments(&mut self) -> Vec<Segment> {
        let now = self.now;
        std::iter::from_fn(|| self.sender.poll_transmit(now)).collect()
    }

    fn sent(&mut self) -> Vec<u32> {
        self.segments().iter().map(|segment| segment.seq).collect()
    }

    fn receive_ack(&mut self, ack: u32, blocks: &[(u32, u32)], ece: bool) {
        self.hear_of(ack, blocks, ece, self.now - Span::from_millis(100));
    }

    /// An ACK that echoes the timestamp `echo`.
    fn hear_of(&mut self, ack: u32, blocks: &[(u32, u32)], ece: bool, echo: Time) {
        let mut sack = SackBlocks::default();
        blocks.iter().for_each(|&(start, end)| sack.push(start, end));
        self.sender.on_ack(
            self.now,
            &Ack { ack, size: 40, echo, sack, ece, syn: false, ace: 0, bytes: None, window: None },
        );
    }

    /// Segments sent after an ACK without SACK.
    fn ack(&mut self, ack: u32) -> Vec<u32> {
        self.receive_ack(ack, &[], false);
        self.sent()
    }

    /// Segments sent after an ACK with SACK blocks.
    fn sack(&mut self, ack: u32, blocks: &[(u32, u32)]) -> Vec<u32> {
        self.receive_ack(ack, blocks, false);
        self.sent()
    }

    /// Segments sent when the next timer fires.
    fn timeout(&mut self) -> Vec<u32> {
        self.now = self.sender.poll_timeout().unwrap();
        self.sender.on_timer(self.now);
        self.sent()
    }
}
