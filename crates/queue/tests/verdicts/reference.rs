//! Disciplines against slow transcriptions of their papers, event for event.
//!
//! The traces come from `python -m reference`. A line holds an arrival with its fate and the random
//! numbers it took, a departure with the number of the packet that leaves and of those dropped before it, or a tick.

use crate::common::{read_trace, spec, traces, Pkt, Tape};
use queue::disc::{Cx, Fate, Probe, QueueDisc};
use queue::{catalogue, Disc, Setting};
use units::{Bytes, Ecn, Rate, Span, Time};

const SETTING: Setting = Setting { rate: Rate(8_000_000), delay: Span::ZERO, packet: Bytes(1000) };

struct Replay {
    disc: Disc<Pkt>,
    arrived: u64,
    fates: Vec<Fate<Pkt>>,
}

impl Replay {
    fn arrive(&mut self, now: Time, columns: &[&str], at: &str) {
        let [packet, fate, rest @ ..] = columns else { panic!("{at}") };
        let (values, draws): (Vec<&str>, Vec<&str>) = rest.iter().partition(|text| text.contains('='));
        let mut tape = Tape(draws.iter().map(|text| text.parse().unwrap()).collect());
        let pkt = read_packet(self.arrived, packet);
        self.arrived += 1;
        self.disc.enqueue(pkt, &mut Cx::new(now, &mut tape, &mut self.fates));
        self.settle(&tape, fate, at);
        self.compare(&values, at);
    }

    fn depart(&mut self, now: Time, columns: &[&str], at: &str) {
        let [number, rest @ ..] = columns else { panic!("{at}") };
        let (fate, draws) = rest.split_first().unwrap_or((&".", &[]));
        let mut tape = Tape(draws.iter().map(|text| text.parse().unwrap()).collect());
        let sent = self.disc.dequeue(&mut Cx::new(now, &mut tape, &mut self.fates));
        assert_eq!(sent.map_or("-".to_string(), |pkt| pkt.id.to_string()), *number, "{at}");
        self.settle(&tape, fate, at);
    }

    fn tick(&mut self, now: Time, values: &[&str], at: &str) {
        assert_eq!(self.disc.next_deadline(), Some(now), "{at}");
        let mut tape = Tape(Default::default());
        self.disc.on_deadline(&mut Cx::new(now, &mut tape, &mut self.fates));
        self.settle(&tape, ".", at);
        self.compare(values, at);
    }

    /// All draws were used, and the packets named ended or were marked, in this order.
    fn settle(&mut self, tape: &Tape, fate: &str, at: &str) {
        assert!(tape.0.is_empty(), "{at}: {} draws were not used", tape.0.len());
        let ended: String = self
            .fates
            .drain(..)
            .map(|end| match end {
                Fate::Dropped(pkt, _) => format!("x{}", pkt.id),
                Fate::Marked(pkt, _) => format!("m{}", pkt.id),
            })
            .collect();
        assert_eq!(if ended.is_empty() { "." } else { &ended }, fate, "{at}");
    }

    fn compare(&self, values: &[&str], at: &str) {
        let mut probe = Probe::default();
        self.disc.probe(&mut probe);
        for text in values {
            let (name, value) = text.split_once('=').unwrap();
            let theirs: f64 = value.parse().unwrap();
            let ours = probe.values.iter().find(|(n, _)| *n == name).unwrap().1;
            assert!((ours - theirs).abs() <= 1e-12 * theirs.abs().max(1.0), "{at}: {name} is {ours}");
        }
    }
}

/// `1000`, or `1000e1f3h5-6`: bytes, the ECN field if it is capable, the flow if it is not 0, the hosts if they are
/// not.
fn read_packet(id: u64, text: &str) -> Pkt {
    let (text, hosts) = text.split_once('h').unwrap_or((text, "0-0"));
    let hosts = hosts.split_once('-').map(|(from, to)| [from, to].map(|host| host.parse().unwrap())).unwrap();
    let (text, flow) = text.split_once('f').unwrap_or((text, "0"));
    let (size, ecn) = text.split_once('e').map_or((text, Ecn::NotEct), |(size, field)| {
        let field = match field {
            "0" => Ecn::Ect0,
            "1" => Ecn::Ect1,
            _ => Ecn::Ce,
        };
        (size, field)
    });
    Pkt { flow: flow.parse().unwrap(), ecn, hosts, ..Pkt::new(id, size.parse().unwrap()) }
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
            "d" => replay.depart(now, &columns[2..], &at),
            "t" => replay.tick(now, &columns[2..], &at),
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
