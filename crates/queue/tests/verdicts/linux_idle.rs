//! RED and GRED of Linux where they learn that they are idle: every verdict, every average.
//!
//! `reference/linux/idle.py` says how `idle_*.txt` were recorded. The kernel's random numbers are not known, but each
//! of them stands for a whole cycle: from one early mark to the next, all verdicts depend on one number. So a number is
//! looked for, cycle by cycle, under which every verdict of the cycle is the kernel's; there must be one. Averages that
//! the kernel was asked for must be ours, to the byte.

use crate::common::{read_trace, spec, traces, Pkt};
use queue::disc::{Cx, Fate, Probe, QueueDisc};
use queue::{Disc, Setting};
use std::collections::BTreeMap;
use std::path::Path;
use units::{Bytes, Ecn, Rate, Rng, Span, Time};

const SETTING: Setting = Setting { rate: Rate(10_000_000), delay: Span::ZERO, packet: Bytes(1000) };
/// The kernel's numbers are multiples of 2^-32.
const SMALLEST: f64 = 1.0 / (1u64 << 33) as f64;

/// The events that the kernel's discipline saw.
#[derive(Clone, Debug, PartialEq)]
enum Row {
    Arrives { pkt: Pkt, verdict: char },
    Leaves { any: bool },
    Averages(Vec<u64>),
}

struct Record {
    rows: Vec<(Time, Row)>,
    start: Disc<Pkt>,
}

fn read(path: &Path) -> Record {
    let (head, lines) = read_trace(path);
    let clock = head.iter().find(|(key, _)| key == "clock at start").unwrap();
    let mut now = Time(clock.1.parse().unwrap());
    let keys: Vec<(&str, &str)> = head
        .iter()
        .filter(|(key, _)| !key.contains(' '))
        .map(|(key, value)| (&key[..], &value[..]))
        .collect();
    let row = |line: &String| {
        let mut words = line.split(' ');
        now += Span(words.next().unwrap().parse().unwrap());
        let row = match words.next().unwrap() {
            "o" => Row::Leaves { any: true },
            "-" => Row::Leaves { any: false },
            "a" => Row::Averages(words.map(|word| word.parse().unwrap()).collect()),
            packet => {
                let (packet, code) =
                    packet.split_once('c').map_or((packet, 0), |(p, c)| (p, c.parse().unwrap()));
                let ecn = if packet.ends_with('e') { Ecn::Ect0 } else { Ecn::NotEct };
                let pkt = Pkt::new(0, packet.trim_end_matches('e').parse().unwrap());
                let verdict = words.next().unwrap().chars().next().unwrap();
                Row::Arrives { pkt: Pkt { ecn, class: Some(code), ..pkt }, verdict }
            }
        };
        (now, row)
    };
    Record { rows: lines.iter().map(row).collect(), start: spec(&keys).build(&SETTING) }
}

/// Rng that give one number, and count how often they are asked.
struct Same {
    number: f64,
    asked: u32,
}

impl Rng for Same {
    fn uniform(&mut self) -> f64 {
        self.asked += 1;
        self.number
    }
}

/// A place in the record, and our queue there; `idle` are the virtual queues that a departure has emptied.
#[derive(Clone)]
struct Place {
    row: usize,
    disc: Disc<Pkt>,
    held: [i64; 3],
    idle: [bool; 3],
    /// Whether virtual queues share one average, kept by the first.
    shared: bool,
}

impl Place {
    fn queue_of(&self, pkt: Pkt) -> usize {
        if self.shared {
            0
        } else {
            vq_of(pkt)
        }
    }
}

/// Bounds on a random number, with the place where it was drawn.
struct Guess {
    drawn: Place,
    vq: usize,
    low: f64,
    high: f64,
}

impl Guess {
    fn new(drawn: Place, vq: usize) -> Guess {
        Guess { drawn, vq, low: 0.0, high: 1.0 }
    }

    fn middle(&self) -> f64 {
        0.5 * (self.low + self.high)
    }
}

/// The verdict on a packet, and how often the rng were asked for it.
fn arrive(place: &mut Place, now: Time, pkt: Pkt, rng: &mut Same) -> char {
    let (mut fates, asked) = (Vec::new(), rng.asked);
    place.disc.enqueue(pkt, &mut Cx::new(now, rng, &mut fates));
    assert!(rng.asked - asked <= 1);
    let dropped = fates.iter().any(|fate| matches!(fate, Fate::Dropped(..)));
    let verdict = if dropped {
        'x'
    } else if fates.is_empty() {
        'k'
    } else {
        'm'
    };
    let vq = place.queue_of(pkt);
    place.held[vq] += i64::from(!dropped);
    place.idle[vq] = false;
    verdict
}

/// The virtual queue of a packet, where there are three and strangers go to the first.
fn vq_of(pkt: Pkt) -> usize {
    usize::from(pkt.class.unwrap()) % 9 % 3
}

/// The average of a virtual queue, were it asked for at a time: with idle time until then.
fn average(place: &Place, vq: usize, idle: bool, now: Time) -> u64 {
    let mut disc = place.disc.clone();
    if idle {
        let pkt = Pkt { class: Some(vq as u8), ..Pkt::new(0, 1) };
        disc.enqueue(pkt, &mut Cx::new(now, &mut Same { number: 0.5, asked: 0 }, &mut Vec::new()));
    }
    let mut probe = Probe::default();
    disc.probe(&mut probe);
    probe.values[vq].1 as u64
}

fn averages_agree(place: &Place, now: Time, theirs: &[u64]) -> Result<(), String> {
    for (vq, there) in theirs.iter().enumerate() {
        let idle = place.idle[if place.shared { 0 } else { vq }];
        // The kernel answers less than a microsecond after the packet arrived.
        let here = [0, 1].map(|us| average(place, vq, idle, now + Span::from_micros(us)));
        if !here.contains(there) {
            return Err(format!("average of virtual queue {vq} is {} here, {there} there", here[0]));
        }
    }
    Ok(())
}

/// The last number that a virtual queue drew before a row was too high, or too low: where to try another, if there is
/// one.
fn correct(guesses: &mut BTreeMap<usize, Guess>, row: usize, vq: usize, too_high: bool) -> Option<Place> {
    let (_, guess) = guesses.range_mut(..row).rev().find(|(_, guess)| guess.vq == vq)?;
    let middle = guess.middle();
    *(if too_high { &mut guess.high } else { &mut guess.low }) = middle;
    (guess.high - guess.low >= SMALLEST).then(|| guess.drawn.clone())
}

/// Follows the whole record: how many numbers it took, or where no number agrees.
fn explain(record: &Record, shared: bool) -> Result<usize, String> {
    let disc = record.start.clone();
    let mut place = Place { row: 0, disc, held: [0; 3], idle: [false; 3], shared };
    let mut guesses = BTreeMap::<usize, Guess>::new();
    while let Some((now, row)) = record.rows.get(place.row) {
        let number = place.row;
        let at = |what: String| format!("row {} at {} ns: {what}", number + 1, now.0);
        match row {
            Row::Arrives { pkt, verdict } => {
                let before = place.clone();
                let drawn = guesses.get(&number).map_or(0.5, Guess::middle);
                let mut rng = Same { number: drawn, asked: 0 };
                let ours = arrive(&mut place, *now, *pkt, &mut rng);
                if ours != *verdict {
                    let what = at(format!("{ours} here, {verdict} there"));
                    let from = correct(&mut guesses, number, vq_of(*pkt), ours == 'k');
                    place = from.ok_or(format!("no number explains {what}"))?;
                    continue;
                }
                if rng.asked > 0 {
                    // Met again, the numbers of other virtual queues may have changed meanwhile.
                    let guess =
                        guesses.entry(number).or_insert_with(|| Guess::new(before.clone(), vq_of(*pkt)));
                    guess.drawn = before;
                }
            }
            Row::Leaves { any } => {
                let (mut rng, mut fates) = (Same { number: 0.5, asked: 0 }, Vec::new());
                let left = place.disc.dequeue(&mut Cx::new(*now, &mut rng, &mut fates));
                if left.is_some() != *any {
                    return Err(at(format!("one waits there: {any}")));
                }
                if let Some(pkt) = left {
                    let vq = place.queue_of(pkt);
                    place.held[vq] -= 1;
                    place.idle[vq] = place.held[vq] == 0;
                }
            }
            Row::Averages(theirs) => averages_agree(&place, *now, theirs).map_err(at)?,
        }
        place.row += 1;
    }
    Ok(guesses.len())
}

#[test]
fn every_verdict_and_average_of_a_kernel_that_learns_it_is_idle() {
    let wrong: Vec<String> = traces("linux", "idle_")
        .iter()
        .filter_map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let found = explain(&read(path), name.contains("same_prio"));
            found.err().map(|error| format!("{name}: {error}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
