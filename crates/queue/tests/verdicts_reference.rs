//! Disciplines against slow transcriptions of their papers, event for event.
//!
//! The traces come from `python -m reference`. A line holds an arrival with what becomes of it and the random
//! numbers it took, or a departure with the number of the packet that leaves.
#![allow(clippy::unwrap_used)]

mod common;

use common::{read_trace, spec, traces, Pkt, Tape};
use queue::disc::{Cx, Fate, Probe, QueueDisc};
use queue::{catalogue, Disc, Setting};
use units::{Bytes, Rate, Span, Time};

const SETTING: Setting = Setting { rate: Rate(8_000_000), delay: Span::ZERO, packet: Bytes(1000) };

struct Replay {
    disc: Disc<Pkt>,
    arrived: u64,
    fates: Vec<Fate<Pkt>>,
}

impl Replay {
    fn arrive(&mut self, now: Time, columns: &[&str], at: &str) {
        let [size, fate, rest @ ..] = columns else { panic!("{at}") };
        let (values, draws): (Vec<&str>, Vec<&str>) = rest.iter().partition(|text| text.contains('='));
        let mut tape = Tape(draws.iter().map(|text| text.parse().unwrap()).collect());
        let pkt = Pkt::new(self.arrived, size.parse().unwrap());
        self.arrived += 1;
        self.disc.enqueue(pkt, &mut Cx::new(now, &mut tape, &mut self.fates));
        assert!(tape.0.is_empty(), "{at}: {} draws were not used", tape.0.len());
        let ended = self.fates.drain(..).map(|end| match end {
            Fate::Dropped(ended, _) => format!("x{}", ended.id),
            Fate::Marked(..) => panic!("{at}: marked"),
        });
        let ended: String = ended.collect();
        assert_eq!(if ended.is_empty() { "." } else { &ended }, *fate, "{at}");
        let mut probe = Probe::default();
        self.disc.probe(&mut probe);
        for text in values {
            let (name, value) = text.split_once('=').unwrap();
            let (theirs, ours) =
                (value.parse::<f64>().unwrap(), probe.values.iter().find(|(n, _)| *n == name));
            let ours = ours.unwrap().1;
            assert!((ours - theirs).abs() <= 1e-12 * theirs.abs().max(1.0), "{at}: {name} is {ours}");
        }
    }

    fn depart(&mut self, now: Time, number: &str, at: &str) {
        let mut tape = Tape(Default::default());
        let sent = self.disc.dequeue(&mut Cx::new(now, &mut tape, &mut self.fates));
        assert_eq!(sent.map_or("-".to_string(), |pkt| pkt.id.to_string()), number, "{at}");
    }
}

fn replay(path: &std::path::Path) {
    let (head, rows) = read_trace(path);
    let keys: Vec<(&str, &str)> = head.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let mut replay = Replay { disc: spec(&keys).build(&SETTING), arrived: 0, fates: Vec::new() };
    for (i, row) in rows.iter().enumerate() {
        let at = format!("{}, line {i}: {row}", path.display());
        let columns: Vec<&str> = row.split(' ').collect();
        let now = Time(columns[1].parse().unwrap());
        match columns[0] {
            "a" => replay.arrive(now, &columns[2..], &at),
            "d" => replay.depart(now, columns[2], &at),
            _ => panic!("{at}"),
        }
    }
}

#[test]
fn every_kind_agrees_with_its_transcription() {
    for entry in catalogue() {
        traces(entry.kind, "")
            .iter()
            .filter(|path| !path.to_string_lossy().contains("ns2_"))
            .for_each(|p| replay(p));
    }
}
