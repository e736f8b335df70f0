//! The pump and the simulator take the same decisions, packet by packet.

use crate::common::{self, arrivals, drain, every_kind, feed, link, of_kind, offer, text, udp, Memory};
use forward::event::{EventObserver, PacketEvent};
use forward::link::LinkSettings;
use forward::pump::Pump;
use forward::record::{RecordEntry, RecordHead, RecordReader, Recorder};
use forward::replay::replay;
use proptest::prelude::*;
use queue::disc::{Fate, Packet};
use sim::link::Link as SimLink;
use sim::packet::{Attributes, Pkt, SackPool, WaitingPacket};
use sim::transmission::Transmission;
use units::{Rate, Stream, Time};

const NAME: &str = "queue/bottleneck";

fn record(link: &LinkSettings, arrivals: &[common::Arrival], seed: u64) -> Vec<u8> {
    let head = RecordHead { seed, name: NAME.to_string(), link: link.clone() };
    let mut recorder = Recorder::new(Vec::new(), &head).unwrap();
    let mut pump = Pump::new(link.clone(), &common::paths(), seed, NAME);
    feed(&mut pump, arrivals, &mut recorder);
    drain(&mut pump, &mut recorder);
    recorder.finish().unwrap()
}

/// Verdicts as text: packet, fate and time.
#[derive(Default)]
struct Verdicts(Vec<String>);

impl EventObserver for Verdicts {
    fn on_event(&mut self, event: &PacketEvent<'_>, _frame: &[u8]) {
        match event {
            PacketEvent::Dropped { time, number, reason, .. } => {
                self.0.push(format!("D {number} {time:?} {reason:?}"))
            }
            PacketEvent::Marked { time, number, reason } => {
                self.0.push(format!("M {number} {time:?} {reason:?}"))
            }
            PacketEvent::Sent { time, number, .. } => self.0.push(format!("T {number} {time:?}")),
            _ => {}
        }
    }
}

/// The arrivals of a record through a link of the simulator: fates and starts of transmissions, each with its packet.
fn simulated(file: &[u8]) -> Vec<String> {
    let mut reader = RecordReader::new(file).unwrap();
    let link = reader.head.link.clone();
    let queue = link.spec.build(&link.setting());
    let rng = Stream::new(reader.head.seed, NAME);
    let mut sim = SimLink::new(0, queue, rng, link.rate, link.delay, link.counts_wire);
    let (mut fates, mut out, mut number) = (Vec::new(), Vec::new(), 0);
    let mut free = Time::NEVER;
    let mut leaving = Pkt::plain(Time::ZERO, 0, 0, 0, 0, Attributes::default());
    while let Some(entry) = reader.entry().unwrap() {
        let RecordEntry::Arrived(now, flow, _, size, ecn, class) = entry else { continue };
        while free <= now {
            let wire = sim.transmitter_free(free, &mut leaving, &mut fates);
            free = sent(wire, &leaving, &mut fates, free, &mut out);
        }
        let about = Attributes::default().with_class(class).with_ecn(ecn);
        let pkt = Pkt::plain(Time::ZERO, number, size, (flow >> 1) as u32, 0, about);
        number += 1;
        sim.store(&pkt, now, &mut fates, &SackPool::default());
        if !sim.is_busy() {
            let wire = sim.serve(now, &mut leaving, &mut fates);
            free = sent(wire, &leaving, &mut fates, now, &mut out);
        }
        sent(None, &leaving, &mut fates, now, &mut out);
    }
    while free < Time::NEVER {
        let wire = sim.transmitter_free(free, &mut leaving, &mut fates);
        free = sent(wire, &leaving, &mut fates, free, &mut out);
    }
    out
}

/// Appends fates and a transmission of `pkt` to `out`. Returns the end of the transmission.
fn sent(
    wire: Option<Transmission>,
    pkt: &Pkt,
    fates: &mut Vec<Fate<WaitingPacket>>,
    now: Time,
    out: &mut Vec<String>,
) -> Time {
    out.extend(fates.drain(..).map(|fate| match fate {
        Fate::Dropped(waiting, reason) => format!("D {} {now:?} {reason:?}", waiting.pkt.seq),
        Fate::Marked(waiting, reason) => format!("M {} {now:?} {reason:?}", waiting.pkt.seq),
    }));
    let Some(wire) = wire else { return Time::NEVER };
    out.push(format!("T {} {:?}", pkt.seq, wire.start));
    wire.finish
}

/// Flows that both sides see alike: the simulator's packets carry 32 bits.
fn with_small_flows(file: &[u8]) -> Vec<u8> {
    let mut reader = RecordReader::new(file).unwrap();
    let mut recorder = Recorder::new(Vec::new(), &reader.head).unwrap();
    let mut names = Vec::new();
    let mut number = 0;
    while let Some(entry) = reader.entry().unwrap() {
        if let RecordEntry::Arrived(time, flow, hosts, size, ecn, class) = entry {
            let at = names.iter().position(|name| *name == flow).unwrap_or_else(|| {
                names.push(flow);
                names.len() - 1
            });
            let pkt = Pkt::plain(Time::ZERO, 0, size, at as u32, 0, Attributes::default());
            let flow = WaitingPacket::unlabelled(pkt, Time::ZERO).flow();
            let hosts = hosts.map(|_| 0);
            recorder.on_event(&PacketEvent::Arrived { time, number, flow, hosts, size, ecn, class }, &[]);
            number += 1;
        }
    }
    recorder.finish().unwrap()
}

/// The arrivals of a record through the pump.
fn pumped(file: &[u8]) -> Vec<String> {
    let mut reader = RecordReader::new(file).unwrap();
    let mut pump = Pump::new(reader.head.link.clone(), &[], reader.head.seed, NAME);
    let mut verdicts = Verdicts::default();
    while let Some(entry) = reader.entry().unwrap() {
        if let RecordEntry::Arrived(time, flow, hosts, size, ecn, class) = entry {
            let header = forward::header::Header { ip: None, flow, hosts, ecn, class, fragment: false };
            let frame = forward::pump::Frame { bytes: &[], header, size, path: 0, token: 0 };
            pump.arrive(&frame, time, &mut verdicts);
        }
    }
    drain(&mut pump, &mut verdicts);
    verdicts.0
}

/// Sorts verdicts by packet, because a link with known departures reports them when a packet arrives.
fn by_packet(mut verdicts: Vec<String>) -> Vec<String> {
    verdicts.sort_by_key(|line| {
        let number: u64 = line.split(' ').nth(1).unwrap().parse().unwrap();
        (number, line.starts_with('T'))
    });
    verdicts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    /// Every kind: the record of a run, judged again, agrees packet by packet; and the simulator's own link gives the
    /// same fates and the same starts of transmission.
    #[test]
    fn every_discipline_is_replayed_and_simulated_alike(arrivals in arrivals(), seed: u64) {
        for link in every_kind() {
            let name = link.spec.kind();
            let file = record(&link, &arrivals, seed);
            let agreement = replay(RecordReader::new(&file[..]).unwrap()).unwrap();
            prop_assert_eq!(&agreement.difference, &None, "{}", name);
            prop_assert!(agreement.whole);
            prop_assert_eq!(agreement.arrivals, arrivals.len() as u64);
            prop_assert_eq!(agreement.drops + agreement.sent, agreement.arrivals);
            let small = with_small_flows(&file);
            prop_assert_eq!(by_packet(pumped(&small)), by_packet(simulated(&small)), "{}", name);
        }
    }

    /// A record that was cut anywhere is still parsed, and its events agree.
    #[test]
    fn a_record_may_be_cut_short(arrivals in arrivals(), at in 0.0..1.0f64) {
        let file = record(&of_kind("red"), &arrivals, 1);
        let head = file.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
        let cut = head + ((file.len() - head) as f64 * at) as usize;
        let agreement = replay(RecordReader::new(&file[..cut]).unwrap()).unwrap();
        prop_assert_eq!(agreement.difference, None);
        prop_assert!(!agreement.whole);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(at in 0usize..400, bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        let mut file = record(&of_kind("blue"), &[(0, 1, 1000, 0), (10, 2, 900, 1), (20, 1, 500, 2)], 1);
        let at = at.min(file.len());
        file.splice(at.., bytes);
        if let Ok(reader) = RecordReader::new(&file[..]) {
            let _ = replay(reader);
        }
    }
}

#[test]
fn a_changed_verdict_is_found() {
    let arrivals: Vec<common::Arrival> = (0..60).map(|i| (300_000, i % 3, 1000, 0)).collect();
    let droptail = link(&[("kind", text("droptail")), ("limit", text("5 pkts"))]);
    let mut file = record(&droptail, &arrivals, 1);
    assert_eq!(replay(RecordReader::new(&file[..]).unwrap()).unwrap().difference, None);
    // Another buffer: the same arrivals, other verdicts.
    let text = String::from_utf8_lossy(&file).into_owned();
    let at = text.find("5 pkts").unwrap();
    file[at] = b'6';
    let difference = replay(RecordReader::new(&file[..]).unwrap()).unwrap().difference.unwrap();
    assert!(difference.contains("is dropped (overflow)"), "{difference}");
}

#[test]
fn changes_of_the_link_are_replayed() {
    let head = |link: &LinkSettings| RecordHead { seed: 3, name: NAME.to_string(), link: link.clone() };
    let kinds = every_kind();
    for (before, after) in kinds.iter().zip(kinds.iter().cycle().skip(5)) {
        let mut recorder = Recorder::new(Vec::new(), &head(before)).unwrap();
        let mut pump = Pump::new(before.clone(), &[], 3, NAME);
        for i in 0..120u64 {
            offer(&mut pump, &udp((i % 4) as u8, 1000, (i % 4) as u8), 0, Time(i * 700_000), &mut recorder);
            if i == 60 {
                let after = LinkSettings { rate: Rate(6_000_000), ..after.clone() };
                pump.change(after, Time(i * 700_000 + 1), &mut recorder);
            }
        }
        drain(&mut pump, &mut recorder);
        let file = recorder.finish().unwrap();
        let agreement = replay(RecordReader::new(&file[..]).unwrap()).unwrap();
        let name = before.spec.kind();
        assert_eq!((agreement.difference, agreement.changes, agreement.whole), (None, 1, true), "{name}");
    }
}

#[test]
fn a_record_is_compact() {
    let arrivals: Vec<common::Arrival> = (0..1000).map(|i| (950_000, (i % 3) as u8, 1000, 0)).collect();
    let file = record(&link(&[("kind", text("droptail"))]), &arrivals, 1);
    assert!(file.len() < 16 * 1000, "{} bytes for 1000 packets", file.len());
}

#[test]
fn events_are_remembered_in_order() {
    let mut pump = Pump::new(link(&[("kind", text("codel"))]), &[], 1, NAME);
    let mut memory = Memory::default();
    feed(&mut pump, &[(0, 1, 1000, 0), (5, 1, 1000, 0)], &mut memory);
    drain(&mut pump, &mut memory);
    assert_eq!(memory.sent, [(0, Time(0)), (1, Time(1_000_000))]);
}
