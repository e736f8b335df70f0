//! Behaviour of every discipline, as numbers for the figures of `docs/disciplines`.
//!
//! `cargo run --release -p dropcurve-queue --example figures` prints one point a row, separated by tabs; the
//! columns are those of `row`. With names of disciplines, only of these. `validation/pages/discipline_figures.py` runs
//! it and draws.
//!
//! Three experiments, all at 10 Mbit/s with packets of 1000 bytes and defaults unless the lists below have other
//! values:
//! * `held`: the queue is held at a length; x is that length, y the share of arrivals dropped.
//! * `step`: Poisson arrivals at 80 %, then 110 %, then 80 % of the link; x is seconds, y the share of arrivals
//!   dropped (or marked), z the mean queueing delay in milliseconds of those that left. Mean of several runs.
//! * `flows`: five Poisson flows offer 5, 10, 20, 40 and 80 % of the link; x is the share offered, y the share
//!   that got through, z its mean queueing delay in milliseconds.
#![allow(clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{spec, Pkt, SETTING};
use queue::disc::{Cx, Fate, QueueDisc};
use queue::Disc;
use units::{Ecn, Rng, Span, Stream, Time};

const SLOT: Span = Span::from_micros(800);
const BYTES: u64 = 1000;

/// Keys and values as a scenario would have them.
type Rows = &'static [(&'static str, &'static str)];

/// Kind, further rows of its table, longest queue, and its lines: name, class, bytes.
type Held = (&'static str, Rows, u64, &'static [(&'static str, u64, u64)]);

const ONE: &[(&str, u64, u64)] = &[("", 0, BYTES)];
const HELD: &[Held] = &[
    (
        "curve",
        &[(
            "curve",
            "until max_th: max_p * x^2; until 2 * max_th: max_p + (1 - max_p) * (avg / max_th - 1)^3; 1",
        )],
        34,
        ONE,
    ),
    ("droptail", &[("limit", "50 pkts")], 60, ONE),
    ("dtred", &[], 60, &[("class 0", 0, BYTES), ("class 1", 1, BYTES), ("class 2", 2, BYTES)]),
    ("erd", &[("limit", "50 pkts")], 60, ONE),
    ("sred", &[("law", "simple")], 60, ONE),
    ("step_marking", &[], 40, ONE),
    ("fred_refined", &[], 20, ONE),
    ("gred", &[], 50, &[("queue 0", 0, BYTES), ("queue 1", 1, BYTES), ("queue 2", 2, BYTES)]),
    ("nlred", &[], 34, ONE),
    (
        "red_size",
        &[("limit", "200 pkts")],
        170,
        &[("1500 bytes", 0, 1500), ("576 bytes", 0, 576), ("40 bytes", 0, 40)],
    ),
    ("rio", &[], 34, &[("Out", 0, BYTES), ("In", 1, BYTES)]),
    (
        "wred",
        &[],
        45,
        &[("class 0", 0, BYTES), ("class 3", 3, BYTES), ("class 5", 5, BYTES), ("class 7", 7, BYTES)],
    ),
    ("wtred", &[], 85, ONE),
];

/// Kind, further rows of its table, seconds.
const STEPS: &[(&str, Rows, f64)] = &[
    ("ared", &[], 60.0),
    ("avq", &[], 12.0),
    ("blue", &[], 60.0),
    ("cared", &[], 60.0),
    ("cobalt", &[], 12.0),
    ("codel", &[], 12.0),
    ("dualpi2", &[], 12.0),
    ("curvy_red", &[], 12.0),
    ("docsis_pie", &[], 12.0),
    ("dred", &[], 600.0),
    ("feng", &[], 12.0),
    ("fpi", &[], 60.0),
    ("fuzzy_red", &[], 12.0),
    ("gkvq", &[], 12.0),
    ("green", &[], 60.0),
    ("lred", &[], 12.0),
    ("phantom", &[("others", "drop")], 12.0),
    ("pi", &[], 600.0),
    ("pid_red", &[], 60.0),
    ("pi2", &[], 12.0),
    ("pie", &[], 12.0),
    ("purple", &[], 60.0),
    ("policer", &[("rate", "9.5 Mbit/s")], 12.0),
    ("qprot", &[("aging", "80 kbit/s")], 12.0),
    ("rared", &[], 60.0),
    ("red_at", &[], 12.0),
    ("rem", &[], 60.0),
    ("rtred", &[], 12.0),
    ("savq", &[], 60.0),
    ("tbf", &[("rate", "9.5 Mbit/s"), ("child", "codel")], 12.0),
    ("yellow", &[], 60.0),
];

/// Kind and further rows of its table. For the packets here, the flow is the class as well.
const FLOWS: &[(&str, Rows)] = &[
    ("bred", &[]),
    ("cake", &[("tins", "besteffort")]),
    ("choke", &[]),
    ("drr", &[]),
    ("fq_cobalt", &[]),
    ("fq_codel", &[]),
    ("fq_pie", &[]),
    ("fred_flow", &[]),
    ("gchoke", &[]),
    ("green_tcp", &[]),
    (
        "htb",
        &[
            (
                "classes",
                "[{ quantum = 1000 B }, { quantum = 1000 B }, { quantum = 1000 B }, { quantum = 2000 B }, { quantum = 4000 B }]",
            ),
            ("leaf_of", "[0, 1, 2, 3, 4]"),
        ],
    ),
    ("lru_red", &[]),
    ("luba", &[]),
    ("prio", &[("band_of", "[0, 0, 1, 1, 2]")]),
    ("red_pd", &[]),
    ("sfb", &[]),
    ("sfq", &[]),
    ("shred", &[]),
    ("xchoke", &[]),
];
const OFFERED: [f64; 5] = [0.05, 0.1, 0.2, 0.4, 0.8];

const RUNS: u64 = 40;
const BINS: usize = 120;

fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let asked = |kind: &str| only.is_empty() || only.iter().any(|one| one == kind);
    for &(kind, more, longest, lines) in HELD.iter().filter(|row| asked(row.0)) {
        for &(line, class, bytes) in lines {
            for level in 0..=longest {
                row("held", kind, line, level as f64, held(kind, more, level, class, bytes), 0.0);
            }
        }
    }
    for &(kind, more, secs) in STEPS.iter().filter(|row| asked(row.0)) {
        step(kind, more, secs);
    }
    for &(kind, more) in FLOWS.iter().filter(|row| asked(row.0)) {
        flows(kind, kind, more);
        flows(kind, "droptail", &[]);
    }
}

fn row(experiment: &str, kind: &str, line: &str, x: f64, y: f64, z: f64) {
    println!("{experiment}\t{kind}\t{line}\t{x:.6}\t{y:.6}\t{z:.6}");
}

fn built(kind: &'static str, more: Rows) -> Disc<Pkt> {
    let rows: Vec<(&str, &str)> = std::iter::once(("kind", kind)).chain(more.iter().copied()).collect();
    spec(&rows).build(&SETTING)
}

/// The share of arrivals that is dropped while `level` packets wait, one arrival and at most one departure a slot.
fn held(kind: &'static str, more: Rows, level: u64, class: u64, bytes: u64) -> f64 {
    const SETTLE: u64 = 8_000;
    const COUNT: u64 = 150_000;
    let mut disc = built(kind, more);
    let mut rng = Stream::new(level, kind);
    let (mut fates, mut now, mut dropped) = (Vec::new(), Time::ZERO, 0);
    for id in 0..level + SETTLE + COUNT {
        let mut cx = Cx::new(now, &mut rng, &mut fates);
        disc.enqueue(Pkt { flow: class, ..Pkt::new(id, bytes) }, &mut cx);
        if disc.len() as u64 > level {
            disc.dequeue(&mut cx);
        }
        now += SLOT;
        dropped += if id < level + SETTLE { 0 } else { fates.len() };
        fates.clear();
    }
    dropped as f64 / COUNT as f64
}

/// The events of a link: each arrival with its flow, and each end with its flow, wait, and whether it was a signal.
enum Event {
    Arrived { flow: u64 },
    Left { flow: u64, wait: Span },
    Signal { flow: u64 },
}

/// A link under Poisson arrivals: `load(now)` names the share of the link that each flow offers.
struct Link {
    disc: Disc<Pkt>,
    rng: Stream,
    traffic: Stream,
    fates: Vec<Fate<Pkt>>,
    capable: bool,
}

impl Link {
    fn run(&mut self, until: Time, load: impl Fn(Time) -> Vec<f64>, mut observe: impl FnMut(Time, Event)) {
        let mut traffic = self.traffic.clone();
        let (mut free, mut id, mut next) = (Time::ZERO, 0, Time::ZERO);
        let mut idle = true;
        while next < until {
            let due = if idle { next } else { next.min(free) };
            let tick = self.disc.next_deadline().filter(|&tick| tick <= due);
            let now = tick.unwrap_or(due);
            let mut cx = Cx::new(now, &mut self.rng, &mut self.fates);
            let mut ask = false;
            if tick.is_some() {
                self.disc.on_deadline(&mut cx);
            } else if !idle && free <= next {
                ask = true;
            } else {
                let (shares, draw) = (load(now), traffic.uniform());
                let all: f64 = shares.iter().sum();
                let flow = drawn(&shares, draw * all);
                observe(now, Event::Arrived { flow });
                let ecn = if self.capable && flow == 1 { Ecn::Ect1 } else { Ecn::NotEct };
                self.disc.enqueue(Pkt { flow, ecn, enqueued: now, ..Pkt::new(id, BYTES) }, &mut cx);
                id += 1;
                next = now + Span::from_secs(traffic.exponential(SLOT.as_secs() / all));
                ask = idle;
            }
            if ask {
                let sent = self.disc.dequeue(&mut cx);
                let held_until = self.disc.ready().filter(|_| sent.is_none());
                idle = sent.is_none() && held_until.is_none();
                free = held_until.unwrap_or(now + SLOT);
                if let Some(pkt) = sent {
                    observe(now, Event::Left { flow: pkt.flow, wait: now.since(pkt.enqueued) });
                }
            }
            for fate in self.fates.drain(..) {
                let (Fate::Dropped(pkt, _) | Fate::Marked(pkt, _)) = fate;
                observe(now, Event::Signal { flow: pkt.flow });
            }
        }
    }
}

/// The flow to which a number between 0 and the sum of the shares falls.
fn drawn(shares: &[f64], mut at: f64) -> u64 {
    for (flow, share) in shares.iter().enumerate() {
        if at < *share {
            return flow as u64;
        }
        at -= share;
    }
    shares.len() as u64 - 1
}

fn step(kind: &'static str, more: Rows, secs: f64) {
    let lines: &[&str] =
        if ["curvy_red", "dualpi2", "qprot"].contains(&kind) { &["classic", "scalable"] } else { &[""] };
    let mut bins = vec![[[0.0_f64; 4]; BINS]; lines.len()];
    let load = |now: Time| {
        let part = now.as_secs() / secs;
        let load = if (1.0 / 6.0..4.0 / 6.0).contains(&part) { 1.1 } else { 0.8 };
        vec![load / lines.len() as f64; lines.len()]
    };
    for run in 0..RUNS {
        let (rng, traffic) = (Stream::new(run, kind), Stream::new(run, "traffic"));
        let mut link =
            Link { disc: built(kind, more), rng, traffic, fates: Vec::new(), capable: lines.len() == 2 };
        link.run(Time::from_secs(secs), load, |now, event| {
            let bin = ((now.as_secs() / secs * BINS as f64) as usize).min(BINS - 1);
            match event {
                Event::Arrived { flow } => bins[flow as usize][bin][0] += 1.0,
                Event::Signal { flow } => bins[flow as usize][bin][1] += 1.0,
                Event::Left { flow, wait } => {
                    bins[flow as usize][bin][2] += 1.0;
                    bins[flow as usize][bin][3] += wait.as_millis();
                }
            }
        });
    }
    for (line, counts) in lines.iter().zip(&bins) {
        for (i, [arrived, signals, left, waits]) in counts.iter().enumerate() {
            let middle = (i as f64 + 0.5) * secs / BINS as f64;
            row("step", kind, line, middle, signals / arrived.max(1.0), waits / left.max(1.0));
        }
    }
}

fn flows(kind: &'static str, ruled: &'static str, more: Rows) {
    const SETTLE: f64 = 20.0;
    const COUNT: f64 = 100.0;
    let mut got = [[0.0_f64; 2]; OFFERED.len()];
    let rows = [&[("kind", ruled), ("limit", "100 pkts")], more].concat();
    let disc = spec(&rows).build(&SETTING);
    let (rng, traffic) = (Stream::new(1, ruled), Stream::new(1, "traffic"));
    let mut link = Link { disc, rng, traffic, fates: Vec::new(), capable: false };
    link.run(
        Time::from_secs(SETTLE + COUNT),
        |_| OFFERED.to_vec(),
        |now, event| match event {
            Event::Left { flow, wait } if now >= Time::from_secs(SETTLE) => {
                got[flow as usize][0] += 1.0;
                got[flow as usize][1] += wait.as_millis();
            }
            _ => {}
        },
    );
    for (offered, [left, waits]) in OFFERED.iter().zip(got) {
        row("flows", kind, ruled, *offered, left * SLOT.as_secs() / COUNT, waits / left.max(1.0));
    }
}
