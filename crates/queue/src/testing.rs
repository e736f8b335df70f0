//! Shared parts of the disciplines' unit tests: a packet, checked parameters from text, and a bench to drive a queue
//! on.

use crate::disc::{Acknowledgement, Cx, Fate, Packet, Probe, QueueDisc};
use crate::registry::Setting;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use units::param::{read_table, Check, Table, Valid, Value};
use units::{Bytes, Ecn, Rate, Rng, Span, Time};

/// One packet of 1000 bytes a millisecond.
pub(crate) const SETTING: Setting =
    Setting { rate: Rate(8_000_000), delay: Span::from_millis(20), packet: Bytes(1000) };

/// A test packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pkt {
    pub id: u64,
    pub flow: u64,
    pub size: u64,
    pub ecn: Ecn,
    pub class: u8,
    pub hosts: [u64; 2],
    pub ack: Option<Acknowledgement>,
    pub enqueued: Time,
}

impl Pkt {
    pub(crate) fn new(id: u64) -> Pkt {
        let (ecn, enqueued) = (Ecn::NotEct, Time::ZERO);
        Pkt { id, flow: 0, size: 1000, ecn, class: 0, hosts: [0; 2], ack: None, enqueued }
    }
}

impl Packet for Pkt {
    fn size(&self) -> Bytes {
        Bytes(self.size)
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn hosts(&self) -> [u64; 2] {
        self.hosts
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn class(&self) -> u8 {
        self.class
    }
    fn set_class(&mut self, class: u8) {
        self.class = class;
    }
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        self.ack
    }
    fn enqueued(&self) -> Time {
        self.enqueued
    }
    fn set_enqueued(&mut self, now: Time) {
        self.enqueued = now;
    }
}

/// Parameters from keys and the text a user would write.
pub(crate) fn params<T: Check>(rows: &[(&str, &str)]) -> Valid<T> {
    let mut problems = Vec::new();
    let read: T = read_table("", &table(rows), &mut problems);
    assert_eq!(problems, []);
    Valid::new(read).unwrap()
}

/// The rules that parameters break, as they would be shown.
pub(crate) fn refused<T: Check>(rows: &[(&str, &str)]) -> Vec<String> {
    let mut problems = Vec::new();
    let _: T = read_table("", &table(rows), &mut problems);
    problems.iter().map(ToString::to_string).collect()
}

fn table(rows: &[(&str, &str)]) -> Table {
    rows.iter().map(|(key, text)| (key.to_string(), Value::Text(text.to_string()))).collect()
}

/// An rng that returns one number, and counts the draws.
pub(crate) struct Always(pub f64, pub u64);

impl Rng for Always {
    fn uniform(&mut self) -> f64 {
        self.1 += 1;
        self.0
    }
}

/// A discipline on the bench: times in microseconds, fates kept as (microsecond, packet, letter).
pub(crate) struct Bench<D> {
    pub disc: D,
    pub rng: Always,
    pub fates: Vec<(u64, u64, char)>,
    next_id: u64,
}

impl<D: QueueDisc<Pkt>> Bench<D> {
    pub(crate) fn new(disc: D) -> Bench<D> {
        Bench { disc, rng: Always(0.999_999, 0), fates: Vec::new(), next_id: 0 }
    }

    /// Calls `act` at a time.
    pub(crate) fn with_time<R>(&mut self, us: u64, act: impl FnOnce(&mut D, &mut Cx<'_, Pkt>) -> R) -> R {
        let mut fates = Vec::new();
        let result = act(&mut self.disc, &mut Cx::new(Time(us * 1000), &mut self.rng, &mut fates));
        self.fates.extend(fates.iter().map(|fate| match fate {
            Fate::Dropped(pkt, _) => (us, pkt.id, 'x'),
            Fate::Marked(pkt, _) => (us, pkt.id, 'm'),
        }));
        result
    }

    /// Calls `act` at time 0.
    pub(crate) fn with<R>(&mut self, act: impl FnOnce(&mut D, &mut Cx<'_, Pkt>) -> R) -> R {
        self.with_time(0, act)
    }

    /// A packet arrives; its number is counted up.
    pub(crate) fn arrive(&mut self, us: u64, pkt: Pkt) {
        let id = self.next_id;
        self.next_id += 1;
        self.with_time(us, |disc, cx| disc.enqueue(Pkt { id, ..pkt }, cx));
    }

    /// The transmitter is free.
    pub(crate) fn depart(&mut self, us: u64) -> Option<Pkt> {
        self.with_time(us, |disc, cx| disc.dequeue(cx))
    }

    /// Runs the ticks that are due up to and at a time, each at its own.
    pub(crate) fn tick_until(&mut self, us: u64) {
        while let Some(due) = self.disc.next_deadline().filter(|due| due.0 <= us * 1000) {
            self.with_time(due.0 / 1000, |disc, cx| disc.on_deadline(cx));
        }
    }

    /// Numbers of packets that were dropped.
    pub(crate) fn dropped(&self) -> Vec<u64> {
        self.fates.iter().filter(|fate| fate.2 == 'x').map(|fate| fate.1).collect()
    }

    /// A named internal value.
    pub(crate) fn probe(&self, name: &str) -> f64 {
        let mut probe = Probe::default();
        self.disc.probe(&mut probe);
        probe.values.iter().find(|(key, _)| *key == name).map_or(f64::NAN, |(_, value)| *value)
    }
}
