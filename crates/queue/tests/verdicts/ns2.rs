//! The `ns2` dialects against every decision of recorded runs of ns-2.35.
//!
//! The traces hold the arrivals, the averages and the decisions of ns-2. Departures follow from the
//! arrivals and the rate of the link. The random numbers are those of ns-2: the generator starts in its
//! recorded state and must end in it, so the number of draws is checked as well.

use crate::common::{read_trace, spec, traces, Pkt};
use queue::disc::{Cx, Fate, Probe, QueueDisc};
use queue::{Disc, Setting};
use units::{Bytes, Ecn, Rate, Rng, Serializer, Span, Time};

/// MRG32k3a (L'Ecuyer 1999), the generator of ns-2.
struct Mrg32k3a([i64; 6]);

impl Rng for Mrg32k3a {
    fn uniform(&mut self) -> f64 {
        const M1: i64 = 4_294_967_087;
        const M2: i64 = 4_294_944_443;
        let s = &mut self.0;
        let a = (1_403_580 * s[1] - 810_728 * s[0]).rem_euclid(M1);
        let b = (527_612 * s[5] - 1_370_589 * s[3]).rem_euclid(M2);
        *s = [s[1], s[2], a, s[4], s[5], b];
        let difference = if a > b { a - b } else { a - b + M1 };
        difference as f64 * 2.328_306_549_295_728e-10
    }
}

/// Defaults of a trace.
const SETTING: Setting = Setting { rate: Rate(1_500_000), delay: Span::from_millis(20), packet: Bytes(1000) };

/// The link of a trace, and the keys of its queue.
fn link(head: &[(String, String)]) -> (Setting, Vec<(&str, &str)>) {
    let mut setting = SETTING;
    let mut keys = Vec::new();
    for (key, value) in head {
        match key.as_str() {
            "link_bps" => setting.rate = Rate(value.parse().unwrap()),
            "link_delay_us" => setting.delay = Span::from_micros(value.parse().unwrap()),
            _ => keys.push((key.as_str(), value.as_str())),
        }
    }
    (setting, keys)
}

/// Fate of packets at an arrival: `m` if it was marked, `x` if it was dropped, `x3` if packet 3 was instead.
fn ended(fates: &[Fate<Pkt>], arrival: u64) -> String {
    let one = |fate: &Fate<Pkt>| match fate {
        Fate::Marked(pkt, _) if pkt.id == arrival => "m".to_string(),
        Fate::Dropped(pkt, _) if pkt.id == arrival => "x".to_string(),
        Fate::Dropped(pkt, _) => format!("x{}", pkt.id),
        other => panic!("arrival {arrival}: {other:?}"),
    };
    fates.iter().map(one).collect()
}

/// The link behind the queue: sends the backlog, and dequeues from the empty queue when it goes idle.
struct Line {
    disc: Disc<Pkt>,
    serializer: Serializer,
    /// When the packet on the wire is gone; `None` while idle.
    free_at: Option<Time>,
    rng: Mrg32k3a,
    fates: Vec<Fate<Pkt>>,
}

impl Line {
    fn send_until(&mut self, now: Time) {
        while let Some(free_at) = self.free_at.filter(|t| *t <= now) {
            self.send(free_at);
        }
    }

    fn send(&mut self, now: Time) {
        let next = self.disc.dequeue(&mut Cx::new(now, &mut self.rng, &mut self.fates));
        self.free_at = next.map(|pkt| now + self.serializer.next(Bytes(pkt.size)));
    }

    fn arrive(&mut self, pkt: Pkt, now: Time) {
        self.send_until(now);
        self.disc.enqueue(pkt, &mut Cx::new(now, &mut self.rng, &mut self.fates));
        if self.free_at.is_none() {
            self.serializer.restart();
            self.send(now);
        }
    }
}

fn state(text: &str) -> [i64; 6] {
    let words: Vec<i64> = text.split(':').map(|word| word.parse().unwrap()).collect();
    words.try_into().unwrap()
}

/// Replays one trace; gives the numbers of arrivals, drops and marks.
fn replay(path: &std::path::Path) -> (usize, usize, usize) {
    let (head, rows) = read_trace(path);
    let (states, keys): (Vec<_>, Vec<_>) =
        head.into_iter().partition(|(key, _)| key.contains("random state"));
    let named = keys.iter().any(|(key, _)| key == "kind");
    let mut table = if named { vec![] } else { vec![("kind", "red")] };
    let (setting, own) = link(&keys);
    table.extend(own);
    let mut line = Line {
        disc: spec(&table).build(&setting),
        serializer: Serializer::new(setting.rate),
        free_at: None,
        rng: Mrg32k3a(state(&states[0].1)),
        fates: Vec::new(),
    };
    let (mut now, mut drops, mut marks) = (Time::ZERO, 0, 0);
    for (id, row) in rows.iter().enumerate() {
        let at = format!("{}, arrival {id}: {row}", path.display());
        let mut columns = row.split(' ');
        let mut next = || columns.next().unwrap_or("");
        let micros: f64 = next().parse().unwrap();
        now += Span((micros * 1000.0).round() as u64);
        let size = next();
        let ecn = if size.ends_with('e') { Ecn::Ect0 } else { Ecn::NotEct };
        let pkt = Pkt { ecn, ..Pkt::new(id as u64, size.trim_end_matches('e').parse().unwrap()) };
        let avg: f64 = next().parse().unwrap();
        let verdict = next();
        line.arrive(pkt, now);
        let mut probe = Probe::default();
        line.disc.probe(&mut probe);
        let ours = probe.values[0].1;
        assert!((ours - avg).abs() <= 1e-9 * avg.abs(), "{at}: avg {ours}");
        let ended = ended(&line.fates, pkt.id);
        assert!(ended == verdict || verdict == "?", "{at}: ours {ended}");
        drops += usize::from(verdict.contains('x'));
        marks += usize::from(verdict.starts_with('m'));
        line.fates.clear();
    }
    assert_eq!(line.rng.0, state(&states[1].1), "{}: number of draws", path.display());
    (rows.len(), drops, marks)
}

#[test]
fn every_decision_of_ns2_is_reproduced() {
    let mut total = (0, 0, 0);
    for path in ["red", "ared", "feng"].iter().flat_map(|kind| traces(kind, "ns2_")) {
        let (arrivals, drops, marks) = replay(&path);
        total = (total.0 + arrivals, total.1 + drops, total.2 + marks);
    }
    assert!(total.0 > 15_000 && total.1 > 1_000 && total.2 > 200, "{total:?}");
}
