//! Shared parts of this crate's tests: frames, links of every kind, and an observer that stores events.
#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::shadow_unrelated)]

use etherparse::PacketBuilder;
use forward::event::{EventObserver, PacketEvent};
use forward::header::{self, Layer};
use forward::link::{LinkPath, LinkSettings};
use forward::pump::{Frame, Pump};
use proptest::prelude::*;
use queue::{catalogue, Spec};
use units::param::{Table, Value};
use units::{Bytes, Rate, Span, Time};

pub fn text(s: &str) -> Value {
    Value::Text(s.to_string())
}

/// A link of 8 Mbit/s with the given discipline, so that 1000 bytes take a millisecond.
pub fn link(rows: &[(&str, Value)]) -> LinkSettings {
    let table: Table = rows.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
    let mut problems = Vec::new();
    let spec = Spec::read("queue", &table, &mut problems).unwrap_or_else(|| panic!("{problems:?}"));
    LinkSettings {
        spec,
        rate: Rate(8_000_000),
        delay: Span::from_millis(5),
        packet: Bytes(1000),
        counts_wire: false,
    }
}

/// The link of one kind of [`every_kind`].
pub fn of_kind(kind: &str) -> LinkSettings {
    every_kind().into_iter().find(|link| link.spec.kind() == kind).unwrap()
}

/// One link for each registered kind, marking where it can, with a buffer that a short test fills.
pub fn every_kind() -> Vec<LinkSettings> {
    let plain = catalogue().into_iter().map(|entry| {
        let mut rows = vec![("kind", text(entry.kind)), ("limit", text("12 pkts"))];
        let has = |name: &str| entry.fields.iter().any(|field| field.name == name);
        if has("ecn") {
            rows.push(("ecn", Value::Bool(true)));
        }
        if entry.kind == "fuzzy_red" {
            rows.extend([("q_moderate", text("3 pkts")), ("q_full", text("8 pkts"))]);
        }
        for key in ["w_q", "max_p"] {
            if has(key) {
                rows.push((key, Value::Float(0.25)));
            }
        }
        for (key, value) in [
            ("min_th", "2 pkts"),
            ("max_th", "8 pkts"),
            ("target", "2 ms"),
            ("interval", "10 ms"),
            ("q0", "6 pkts"),
            ("threshold", "4 pkts"),
            ("q_ref", "6 pkts"),
        ] {
            let mut tried = rows.clone();
            tried.push((key, text(value)));
            let table: Table = tried.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
            if has(key) && Spec::read("queue", &table, &mut Vec::new()).is_some() {
                rows = tried;
            }
        }
        link(&rows)
    });
    plain.collect()
}

/// An IPv4 packet of a flow, `size` bytes in all, with an ECN field of 0 to 3.
pub fn udp(flow: u8, size: usize, ecn: u8) -> Vec<u8> {
    let mut ip =
        etherparse::Ipv4Header::new(0, 64, etherparse::IpNumber::UDP, [10, 0, 0, flow], [10, 0, 1, flow])
            .unwrap();
    ip.ecn = etherparse::IpEcn::try_new(ecn).unwrap();
    let mut frame = Vec::new();
    let payload = vec![0; size.max(28) - 28];
    let builder = PacketBuilder::ip(etherparse::IpHeaders::Ipv4(ip, Default::default())).udp(1000, 2000);
    builder.write(&mut frame, &payload).unwrap();
    frame
}

/// An observer that stores events.
#[derive(Default)]
pub struct Memory {
    pub events: Vec<String>,
    pub sent: Vec<(u64, Time)>,
    pub dropped: u64,
    pub arrived: u64,
    /// Frames as they left.
    pub frames: Vec<Vec<u8>>,
}

impl EventObserver for Memory {
    fn on_event(&mut self, event: &PacketEvent<'_>, frame: &[u8]) {
        self.events.push(format!("{event:?}"));
        match event {
            PacketEvent::Arrived { .. } => self.arrived += 1,
            PacketEvent::Dropped { .. } => self.dropped += 1,
            PacketEvent::Sent { number, time, .. } => {
                self.sent.push((*number, *time));
                self.frames.push(frame.to_vec());
            }
            _ => {}
        }
    }
}

/// An arrival of a test: the time since the last, flow, size, ECN field.
pub type Arrival = (u64, u8, usize, u8);

/// Arrivals somewhat faster than the link, in bursts, some at the very moment a transmission ends.
pub fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let gap = prop_oneof![Just(0u64), Just(1_000_000), 0u64..1_500_000, 0u64..4_000_000];
    let size = prop_oneof![Just(1000usize), Just(500), 28usize..1500];
    proptest::collection::vec((gap, 0u8..4, size, 0u8..4), 1..250)
}

/// Feeds arrivals to a pump.
pub fn feed(pump: &mut Pump, arrivals: &[Arrival], observer: &mut impl EventObserver) -> Time {
    let mut now = Time::ZERO;
    for (gap, flow, size, ecn) in arrivals {
        now += Span(*gap);
        offer(pump, &udp(*flow, *size, *ecn), usize::from(*flow), now, observer);
    }
    now
}

pub fn offer(pump: &mut Pump, bytes: &[u8], path: usize, now: Time, observer: &mut impl EventObserver) {
    let header = header::read(bytes, Layer::Ip).unwrap();
    let frame = Frame { bytes, header, size: bytes.len() as u32, path, token: 0 };
    pump.arrive(&frame, now, observer);
}

/// Delivers all packets in flight; returns them with their due times.
pub fn drain(pump: &mut Pump, observer: &mut impl EventObserver) -> Vec<(u64, Time)> {
    let mut out = Vec::new();
    while let Some(due) = pump.next_due() {
        pump.advance(due, observer);
        while let Some(delivery) = pump.deliver(due) {
            out.push((delivery.handle.number, delivery.due));
            pump.delivered(&delivery);
        }
    }
    out
}

/// Paths with delays of 0, 1, 2 ... ms on either side, at ten times the rate.
pub fn paths() -> Vec<LinkPath> {
    let side = |ms: u64| (Rate(80_000_000), Span::from_millis(ms));
    (0..4).map(|i| LinkPath { access: side(i), exit: side(2 * i) }).collect()
}
