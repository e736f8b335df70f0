//! The `linux` dialects against a Linux kernel, packet by packet.
//!
//! `reference/linux/record.sh` sends a stream of packets through the kernel's disciplines under an exact rate, in
//! virtual time. Disciplines without randomness, or with randomness only in the rounding of a byte, are compared
//! verdict by verdict: `exact_*.txt` hold each arrival, and its departure or that it was dropped. Random disciplines
//! are compared with means over repetitions: `mean_*.txt` hold, for each quarter of a second, drops, marks and sojourn
//! times.

use crate::common::{read_trace, spec, traces, Pkt};
use queue::disc::{Cx, QueueDisc};
use queue::{Disc, Setting};
use std::collections::BTreeMap;
use std::path::Path;
use units::{Bytes, Ecn, Rate, Serializer, Span, Stream, Time};

const SETTING: Setting = Setting { rate: Rate(10_000_000), delay: Span::ZERO, packet: Bytes(1000) };

/// Fate of a packet: it was dropped, or it left, perhaps marked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Dropped,
    Left { at: Time, marked: bool },
}

/// A packet and when it arrives.
#[derive(Clone, Copy)]
struct Arrival {
    at: Time,
    pkt: Pkt,
}

fn disc_of(head: &[(String, String)]) -> Disc<Pkt> {
    let keys = head.iter().filter(|(key, _)| !key.contains(' '));
    let rows: Vec<(&str, &str)> = keys.map(|(key, value)| (key.as_str(), value.as_str())).collect();
    spec(&rows).build(&SETTING)
}

/// Sends arrivals through a discipline with a line of the setting's rate behind it.
fn drive(disc: &mut Disc<Pkt>, arrivals: &[Arrival], seed: u64) -> Vec<Outcome> {
    let mut rng = Stream::new(seed, "linux");
    let mut line = Serializer::new(SETTING.rate);
    let (mut fates, mut free_at) = (Vec::new(), None::<Time>);
    let mut outcomes = vec![Outcome::Dropped; arrivals.len()];
    let mut coming = arrivals.iter().peekable();
    loop {
        let arrival = coming.peek().map(|arrival| arrival.at);
        let tick = disc.next_deadline().filter(|_| free_at.is_some() || arrival.is_some());
        let Some(now) = [arrival, free_at, tick].into_iter().flatten().min() else { return outcomes };
        fates.clear();
        let mut cx = Cx::new(now, &mut rng, &mut fates);
        if tick == Some(now) {
            disc.on_deadline(&mut cx);
        } else if free_at == Some(now) {
            free_at = disc.dequeue(&mut cx).map(|pkt| {
                let marked = pkt.ecn != arrivals[pkt.id as usize].pkt.ecn;
                outcomes[pkt.id as usize] = Outcome::Left { at: now, marked };
                now + line.next(Bytes(pkt.size))
            });
            // One that shapes is asked again when a packet is ready.
            free_at = free_at.or(disc.ready().filter(|ready| *ready > now));
        } else if let Some(Arrival { pkt, .. }) = coming.next() {
            disc.enqueue(*pkt, &mut cx);
            if free_at.is_none() {
                line.restart();
                free_at = Some(now);
            }
        }
    }
}

fn read_packet(id: usize, flow: &str, size: &str) -> Pkt {
    let (size, hosts) = size.split_once('h').unwrap_or((size, "0-0"));
    let hosts = hosts.split_once('-').map(|(from, to)| [from, to].map(|host| host.parse().unwrap())).unwrap();
    let (size, code) = size.split_once('c').map_or((size, 0), |(size, code)| (size, code.parse().unwrap()));
    let (size, ecn) = match size.strip_suffix('e') {
        Some(size) => (size, Ecn::Ect0),
        None => (size, Ecn::NotEct),
    };
    let pkt = Pkt::new(id as u64, size.parse().unwrap());
    Pkt { flow: flow.parse().unwrap(), ecn, class: Some(code), hosts, ..pkt }
}

/// One thing the record shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrives(usize),
    Leaves { id: usize, marked: bool },
}

/// A discipline that is led through a record, and its rng.
#[derive(Clone)]
struct Player {
    disc: Disc<Pkt>,
    rng: Stream,
}

impl Player {
    /// Whether the recorded departures of a moment come in this order; if not, the packets that leave instead.
    fn follow(&mut self, at: Time, events: &[Event], pkts: &[Pkt]) -> Result<(), Option<(usize, bool)>> {
        let mut fates = Vec::new();
        for event in events {
            let mut cx = Cx::new(at, &mut self.rng, &mut fates);
            match *event {
                Event::Arrives(id) => self.disc.enqueue(pkts[id], &mut cx),
                Event::Leaves { id, marked } => {
                    let left = self.disc.dequeue(&mut cx);
                    let ours = left.map(|pkt| (pkt.id as usize, pkt.ecn != pkts[pkt.id as usize].ecn));
                    if ours != Some((id, marked)) {
                        return Err(ours);
                    }
                }
            }
        }
        Ok(())
    }
}

/// A record: its head, the packets, and the events of each moment.
type Record = (Vec<(String, String)>, Vec<Pkt>, Vec<(Time, Vec<Event>)>);

/// The record of each moment. A packet may have arrived before another left, or after: the record does not say.
fn moments(path: &Path) -> Record {
    let (head, rows) = read_trace(path);
    let start = head.iter().find(|(key, _)| key == "clock at start").unwrap();
    let (mut now, mut pkts, mut events) =
        (Time(start.1.parse().unwrap()), Vec::new(), BTreeMap::<_, Vec<_>>::new());
    for (id, row) in rows.iter().enumerate() {
        let [gap, flow, size, fate] = row.split(' ').collect::<Vec<_>>()[..] else { panic!("{row}") };
        now += Span(gap.parse().unwrap());
        pkts.push(read_packet(id, flow, size));
        events.entry(now).or_default().push(Event::Arrives(id));
        if fate != "x" {
            let (wait, marked) = fate.strip_suffix('m').map_or((fate, false), |wait| (wait, true));
            let at = now + Span(wait.parse().unwrap());
            events.entry(at).or_default().push(Event::Leaves { id, marked });
        }
    }
    let mut each: Vec<_> = events.into_iter().filter(|(time, _)| *time <= now).collect();
    each.iter_mut().for_each(|(_, order)| order.sort());
    (head, pkts, each)
}

/// Number of moments whose events are also tried in reverse order.
const SPARE: usize = 16;

/// Leads disciplines through a record, as many as it takes rng to round as the kernel's did; those that cannot follow
/// are replaced by others that could, with rng of their own from then on.
fn exact(path: &Path) -> Result<(), String> {
    let (head, pkts, moments) = moments(path);
    let crowd: u64 =
        head.iter().find(|(key, _)| key == "random draws").map_or(1, |(_, n)| n.parse().unwrap());
    let rng_of = |seed| Stream::new(seed, "linux");
    let mut players: Vec<Player> =
        (1..=crowd).map(|seed| Player { disc: disc_of(&head), rng: rng_of(seed) }).collect();
    let mut seeds = crowd + 1..;
    for (at, mut events) in moments {
        let tied = if events.len() > 1 { SPARE } else { 0 };
        let mut others: Vec<Player> = players.iter().take(tied).cloned().collect();
        let mut instead = None;
        players.retain_mut(|player| player.follow(at, &events, &pkts).map_err(|ours| instead = ours).is_ok());
        events.reverse();
        others.retain_mut(|player| player.follow(at, &events, &pkts).is_ok());
        others.append(&mut players);
        players = others;
        players.truncate(SPARE.max(crowd as usize));
        if players.is_empty() {
            return Err(format!("at {} ns {instead:?} here, {events:?} there", at.0));
        }
        for i in 0..(crowd as usize).saturating_sub(players.len()) {
            players.push(Player { rng: rng_of(seeds.next().unwrap()), ..players[i].clone() });
        }
    }
    Ok(())
}

#[test]
fn deterministic_records_agree_packet_by_packet() {
    let wrong: Vec<String> = traces("linux", "exact_")
        .iter()
        .filter_map(|path| exact(path).err().map(|error| format!("{}: {error}", path.display())))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Mean and variance of a mean of `n` values.
fn mean_of(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0) / n)
}

/// Drops, marks and mean queueing delay in milliseconds of the packets of each window.
fn windows(arrivals: &[Arrival], sizes: &[usize], outcomes: &[Outcome]) -> Vec<[f64; 3]> {
    let mut first = 0;
    let each = sizes.iter().map(|size| {
        let inside = first..first + size;
        first += size;
        let left = inside.clone().filter_map(|i| match outcomes[i] {
            Outcome::Left { at, marked } => Some((at.since(arrivals[i].at).as_millis(), marked)),
            Outcome::Dropped => None,
        });
        let left: Vec<(f64, bool)> = left.collect();
        let waited: f64 = left.iter().map(|(ms, _)| ms).sum();
        let marks = left.iter().filter(|(_, marked)| *marked).count();
        [(size - left.len()) as f64, marks as f64, waited / (left.len().max(1)) as f64]
    });
    each.collect()
}

/// The arrivals that reference/linux/cases.py makes.
fn arrivals(capable: f64, field: Ecn, codes: &[u8]) -> Vec<Arrival> {
    const PHASES: [(f64, f64); 8] =
        [(1.4, 1.0), (0.7, 0.5), (0.0, 0.3), (1.2, 1.5), (2.0, 0.3), (0.9, 0.7), (0.0, 0.2), (1.1, 1.5)];
    const SIZES: [u64; 3] = [242, 1042, 1442];
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let (mut now, mut list) = (1_000_000u64, Vec::new());
    for (load, seconds) in PHASES {
        let end = now + (seconds * 1e9) as u64;
        while load > 0.0 && now < end {
            let gap = SIZES.iter().sum::<u64>() as f64 / 3.0 * 8.0 / 10e6 / load * 1e9;
            now += ((-gap * units::math::ln(1.0 - uniform())) as u64).max(1000);
            let (flow, size) = ((uniform() * 5.0) as u64, SIZES[(uniform() * 3.0) as usize]);
            let ecn = if uniform() < capable { field } else { Ecn::NotEct };
            let class = Some(codes.get(flow as usize).copied().unwrap_or(0));
            let pkt = Pkt { flow, ecn, class, ..Pkt::new(list.len() as u64, size) };
            list.push(Arrival { at: Time(now), pkt });
        }
        now = now.max(end);
    }
    list
}

/// How far means are apart, in standard deviations of their difference: the sum over windows, and the worst window.
fn mean(path: &Path) -> Result<(), String> {
    const REPETITIONS: usize = 60;
    let (head, rows) = read_trace(path);
    let number = |name: &str| -> f64 { head.iter().find(|(key, _)| key == name).unwrap().1.parse().unwrap() };
    let rows: Vec<Vec<f64>> =
        rows.iter().map(|row| row.split(' ').map(|text| text.parse().unwrap()).collect()).collect();
    let field = if number("field capable") == 1.0 { Ecn::Ect1 } else { Ecn::Ect0 };
    let sizes: Vec<usize> = rows.iter().map(|row| row[0] as usize).collect();
    let codes = head.iter().find(|(key, _)| key == "codes of flows");
    let codes: Vec<u8> =
        codes.map_or(Vec::new(), |(_, list)| list.split(", ").map(|code| code.parse().unwrap()).collect());
    let arrivals = arrivals(number("share capable"), field, &codes);
    let repetitions = number("number of repetitions");
    assert_eq!(sizes.iter().sum::<usize>(), arrivals.len(), "the arrivals are those of the record");
    let runs: Vec<Vec<[f64; 3]>> = (0..REPETITIONS as u64)
        .map(|seed| windows(&arrivals, &sizes, &drive(&mut disc_of(&head), &arrivals, seed)))
        .collect();
    let known =
        head.iter().find(|(key, _)| key == "known apart").and_then(|(_, text)| text.split_once(" by "));
    let mut report = String::new();
    for (column, what) in ["drops", "marks", "ms waited"].into_iter().enumerate() {
        let (mut ours, mut theirs, mut variance, mut worst) = (0.0, 0.0, 0.0, (0.0, 0));
        for (window, row) in rows.iter().enumerate() {
            let values: Vec<f64> = runs.iter().map(|run| run[window][column]).collect();
            let (here, spread) = mean_of(&values);
            let (there, deviation) = (row[1 + 2 * column], row[2 + 2 * column]);
            // A phase of the kernel's timers against the packets that repetitions share: half a packet time.
            let both = spread + deviation * deviation / repetitions + 0.09;
            let apart = (here - there).abs() / both.sqrt();
            worst = if apart > worst.0 { (apart, window) } else { worst };
            (ours, theirs, variance) = (ours + here, theirs + there, variance + both);
        }
        let apart = (ours - theirs).abs() / variance.sqrt();
        let share = (ours / theirs - 1.0).abs();
        let excused = known.is_some_and(|(name, most)| name == what && share < most.parse().unwrap());
        if !excused && (apart > 4.0 || worst.0 > 5.0) {
            report += &format!(
                "{what}: {ours:.1} here, {theirs:.1} there ({apart:.1} deviations; window {} by {:.1}); ",
                worst.1, worst.0
            );
        }
    }
    if report.is_empty() {
        Ok(())
    } else {
        Err(report)
    }
}

#[test]
fn random_records_agree_on_average() {
    let wrong: Vec<String> = traces("linux", "mean_")
        .iter()
        .filter_map(|path| mean(path).err().map(|error| format!("{}: {error}", path.display())))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
