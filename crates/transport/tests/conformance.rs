//! Invariants of every recovery, congestion control, profile, option and path: nothing is sent beyond the receiver's
//! window, the congestion window or the data supplied, sequence numbers stay in order, every segment is delivered
//! once, and a file arrives whole.
//!
//! It runs the same cases each time; `PROPTEST_CASES=20000` runs that many new ones.

#![allow(clippy::unwrap_used)]

#[path = "harness/loopback.rs"]
#[allow(dead_code)]
mod loopback;

use loopback::params;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeMap;
use transport::params::{Recovery, VegasRule};
use transport::tcp::Params;
use transport::{Ack, Phase, Receiver, SackBlocks, Segment, Sender};
use units::param::{read_table, Field, Table, Valid, Value};
use units::{Ecn, Span, Stream, Time};

/// The usual cases of a property, or as many new ones as are asked for.
fn cases(usual: u32) -> ProptestConfig {
    let requested = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return requested;
    }
    ProptestConfig { cases: usual, rng_seed: RngSeed::Fixed(1), ..requested }
}

const PROFILES: [&str; 6] = ["rfc", "linux", "ns3", "ns2-2.35", "ns2-2000", "l4s"];
const RECOVERIES: [&str; 7] = ["tahoe", "reno", "newreno", "sack", "sack1", "vegas", "rack"];

/// A congestion control with its dialects, by number.
fn control(number: usize) -> (&'static str, &'static str, &'static str, &'static str) {
    let offer = transport::catalogue().controls;
    let (rule, hystart, vegas) =
        [("rfc9438", "off", "brakmo"), ("linux", "train", "ns2"), ("ns3", "rfc9406", "brakmo")][number % 3];
    (offer[number / 3 % offer.len()].0, rule, hystart, vegas)
}

/// Fate of one packet: lost, duplicated, marked, or late by some milliseconds.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrives,
    Lost,
    Twice,
    Marked,
    Late(u8),
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        8 => Just(Fate::Arrives),
        2 => Just(Fate::Lost),
        1 => Just(Fate::Twice),
        1 => Just(Fate::Marked),
        1 => (1u8..60).prop_map(Fate::Late),
    ]
}

enum Travelling {
    Data(Segment),
    Ack(Ack),
}

struct World {
    sender: Sender,
    receiver: Receiver,
    travelling: BTreeMap<(u64, u64), Travelling>,
    serial: u64,
    now: Time,
    window: u32,
    supplied: u32,
    /// Segments that ns-2's Vegas may send beyond the last one: it takes segments it has no record of for overdue.
    surplus: u32,
    /// The recovery in use probes the tail, and the segment is sent because a timer of the sender fired.
    probes: bool,
    may_probe: bool,
    /// Segments that are due when an ACK arrives leave before it is processed, so the state before the ACK limits the
    /// first segment after it.
    due_first: bool,
    after_ack: bool,
    /// The scoreboard limits the segments sent, not the distance from the first unacknowledged segment.
    by_pipe: bool,
    /// Segments known to have arrived are not in flight, also without a duplicate ACK.
    by_time: bool,
}

impl World {
    fn send(&mut self, at: u64, packet: Travelling) {
        self.serial += 1;
        self.travelling.insert((at, self.serial), packet);
    }

    fn drain(&mut self, fates: &mut dyn FnMut() -> Fate) {
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            assert!(segment.seq < self.supplied + self.surplus, "sent {} of {}", segment.seq, self.supplied);
            assert!(segment.seq < self.sender.una() + self.window, "{} beyond the window", segment.seq);
            assert!(self.sender.una() <= self.sender.nxt());
            self.assert_within_window(&segment);
            self.after_ack = false;
            let base = self.now.0 + 20_000_000;
            match fates() {
                Fate::Lost => {}
                Fate::Arrives => self.send(base, Travelling::Data(segment)),
                Fate::Late(ms) => self.send(base + u64::from(ms) * 1_000_000, Travelling::Data(segment)),
                Fate::Twice => {
                    self.send(base, Travelling::Data(segment));
                    self.send(base + 1, Travelling::Data(segment));
                }
                Fate::Marked => {
                    let ecn = if segment.ecn.capable() { Ecn::Ce } else { segment.ecn };
                    self.send(base, Travelling::Data(Segment { ecn, ..segment }));
                }
            }
        }
        while let Some(ack) = self.receiver.poll_transmit(self.now) {
            let base = self.now.0 + 20_000_000;
            match fates() {
                Fate::Lost => {}
                Fate::Late(ms) => self.send(base + u64::from(ms) * 1_000_000, Travelling::Ack(ack)),
                Fate::Twice => {
                    self.send(base, Travelling::Ack(ack));
                    self.send(base + 1, Travelling::Ack(ack));
                }
                Fate::Arrives | Fate::Marked => self.send(base, Travelling::Ack(ack)),
            }
        }
    }

    /// State of the sender, for the message of a failed assertion.
    fn state(&self) -> String {
        let sender = &self.sender;
        let (una, nxt, flight) = (sender.una(), sender.nxt(), sender.flight());
        let (cwnd, ssthresh, phase) = (sender.cwnd(), sender.ssthresh(), sender.phase());
        format!(
            "una {una} nxt {nxt} flight {flight} cwnd {cwnd} ssthresh {ssthresh} {phase:?} dupacks {}",
            sender.dupacks()
        )
    }

    /// Outside recovery new segments stay within the congestion window; tail loss probes need not.
    fn assert_within_window(&self, segment: &Segment) {
        let quiet = matches!(self.sender.phase(), Phase::SlowStart | Phase::Avoidance);
        let exempt = segment.retransmit || self.may_probe || self.by_pipe || self.due_first && self.after_ack;
        if quiet && self.sender.dupacks() == 0 && !exempt {
            let out = if self.by_time { self.sender.flight() } else { segment.seq + 1 - self.sender.una() };
            let past = f64::from(out);
            let most = self.sender.cwnd().max(1.0);
            assert!(past <= most, "{} of a window of {most} at {:?}", past, self.now);
        }
    }

    /// The next arrival or deadline; false if nothing is left to happen.
    fn step(&mut self, fates: &mut dyn FnMut() -> Fate) -> bool {
        let arrival = self.travelling.first_key_value().map(|(key, _)| Time(key.0));
        let timers = [self.sender.poll_timeout(), self.receiver.poll_timeout()];
        let Some(next) = arrival.into_iter().chain(timers.into_iter().flatten()).min() else {
            return false;
        };
        assert!(next >= self.now, "time goes back");
        self.now = next;
        if arrival == Some(next) {
            match self.travelling.pop_first().unwrap().1 {
                Travelling::Data(segment) => self.receiver.on_segment(next, &segment),
                Travelling::Ack(ack) => {
                    self.sender.on_ack(next, &ack);
                    self.after_ack = true;
                }
            }
        } else if timers[0] == Some(next) {
            self.may_probe = self.probes;
            self.sender.on_timer(next);
        } else {
            self.receiver.on_timer(next);
        }
        self.drain(fates);
        (self.may_probe, self.after_ack) = (false, false);
        true
    }
}

/// Sends a file over a path that misbehaves for its first packets and is clean after.
fn transfer(keys: &[(&str, &str)], segments: u32, window: u32, fates: Vec<Fate>) {
    transfer_with(&params(keys), &format!("{keys:?}"), segments, window, fates);
}

fn transfer_with(params: &Valid<Params>, keys: &str, segments: u32, window: u32, fates: Vec<Fate>) {
    let mut sender = Sender::new(params, Stream::new(1, "conformance"));
    sender.supply(segments);
    let extra = u32::from(params.handshake == transport::params::Handshake::Ns2Syn);
    let supplied = segments + extra;
    sender.start(Time::ZERO);
    let receiver = Receiver::new(params);
    let ns2_vegas = params.recovery == Recovery::Vegas && params.vegas_rule == VegasRule::Ns2;
    let surplus = if ns2_vegas { 2 } else { 0 };
    let mut world = World {
        sender,
        receiver,
        travelling: BTreeMap::new(),
        serial: 0,
        now: Time::ZERO,
        window,
        supplied,
        surplus,
        probes: params.recovery == Recovery::Rack,
        may_probe: false,
        due_first: params.pace_first,
        after_ack: false,
        by_pipe: params.pipe_always && params.recovery == Recovery::Sack,
        by_time: params.recovery == Recovery::Rack,
    };
    let mut fates = fates.into_iter();
    let mut next = || fates.next().unwrap_or(Fate::Arrives);
    world.drain(&mut next);
    let mut steps = 0;
    while !world.sender.is_done() {
        assert!(
            world.step(&mut next),
            "{keys}: nothing left to happen at {:?}: {}",
            world.now,
            world.state()
        );
        steps += 1;
        assert!(steps < 200_000, "{keys}: no end: {}", world.state());
    }
    assert!((supplied..=supplied + surplus).contains(&world.receiver.delivered()));
    let counters = world.sender.counters();
    assert!(counters.retransmits <= counters.sent);
}

/// Values for an option, by its kind: all that a choice or a switch has, a few numbers of others. Some are
/// invalid, alone or together with others.
fn offers(field: &Field) -> Vec<&'static str> {
    match field.kind.name {
        "choice" => field.kind.choices.iter().map(|(name, _)| *name).collect(),
        "switch" => vec!["true", "false"],
        "number" => vec!["0.1", "0.5", "0.9", "1", "2"],
        "count" => vec!["0", "1", "2", "3", "10", "1000"],
        "span" => vec!["0 s", "1 ms", "30 ms", "400 ms", "3 s"],
        "bytes" => vec!["0 B", "1 B", "40 B", "1000 B"],
        other => panic!("{}: a kind without test values: {other}", field.name),
    }
}

fn read(keys: &[(String, String)]) -> Option<Valid<Params>> {
    let table: Table = keys.iter().map(|(key, text)| (key.clone(), Value::Text(text.clone()))).collect();
    let mut problems = Vec::new();
    let params: Params = read_table("", &table, &mut problems);
    problems.is_empty().then(|| Valid::new(params).expect("they were checked as they were read"))
}

/// Options drawn from all that are declared; each draw is used if it is valid together with those before it.
fn drawn(window: u32, draws: &[(usize, usize)]) -> (Vec<(String, String)>, Valid<Params>) {
    let fields = transport::catalogue().fields;
    let mut keys = vec![("window".to_string(), window.to_string())];
    let mut params = read(&keys).unwrap();
    for (field, offer) in draws {
        let field = &fields[field % fields.len()];
        if keys.iter().any(|(key, _)| key == field.name) {
            continue;
        }
        let offers = offers(field);
        keys.push((field.name.to_string(), offers[offer % offers.len()].to_string()));
        match read(&keys) {
            Some(valid) => params = valid,
            None => drop(keys.pop()),
        }
    }
    (keys, params)
}

proptest! {
    #![proptest_config(cases(400))]

    /// Any options, with a recovery and a congestion control drawn separately.
    #[test]
    fn any_options_bring_a_file_over(
        recovery in 0usize..7,
        control in 0usize..19,
        segments in 1u32..150,
        window in 1u32..60,
        draws in prop::collection::vec((0usize..1000, 0usize..1000), 0..40),
        fates in prop::collection::vec(fate(), 0..200),
    ) {
        let fields = transport::catalogue().fields;
        let place = |name: &str| fields.iter().position(|field| field.name == name).unwrap();
        let first = [(place("recovery"), recovery), (place("cc"), control)];
        let draws: Vec<_> = first.into_iter().chain(draws).collect();
        let (keys, params) = drawn(window, &draws);
        transfer_with(&params, &format!("{keys:?}"), segments, window, fates);
    }

    #[test]
    fn a_file_arrives_whole(
        profile in 0usize..6,
        recovery in 0usize..7,
        segments in 1u32..150,
        window in 1u32..60,
        ack_every in 1u32..4,
        ecn in any::<bool>(),
        jitter in any::<bool>(),
        reduction in 0usize..3,
        choice in 0usize..57,
        exact_marks in any::<bool>(),
        fates in prop::collection::vec(fate(), 0..200),
    ) {
        let (window_text, every) = (window.to_string(), ack_every.to_string());
        let (cc, cubic_rule, hystart, vegas_rule) = control(choice);
        let original = if choice % 2 == 0 { "original" } else { "plus" };
        let profile = PROFILES[profile];
        let ecn = ecn || matches!(cc, "dctcp" | "prague");
        let mut keys = vec![
            ("cc", cc),
            ("cubic_rule", cubic_rule),
            ("hystart", hystart),
            ("vegas_rule", vegas_rule),
            ("westwood_rule", original),
            ("module_rule", if cubic_rule == "linux" { "linux" } else { "published" }),
            ("bbr_rule", if choice % 2 == 0 { "linux" } else { "original" }),
            ("profile", profile),
            ("recovery", RECOVERIES[recovery]),
            ("window", window_text.as_str()),
            ("ack_every", every.as_str()),
            ("ecn", if ecn { "true" } else { "false" }),
            ("overhead", if jitter { "3 ms" } else { "0 s" }),
            ("reduction", ["at_once", "rfc6937", "rfc9937"][reduction]),
            ("pacing", ["auto", "window", "off", "start"][choice % 4]),
            ("open_wait", if jitter { "20 ms" } else { "0 s" }),
            ("pace_credit", if exact_marks { "1" } else { "0" }),
            ("pace_retransmissions", if jitter { "false" } else { "true" }),
        ];
        if cc == "prague" || (choice % 5 == 0 && exact_marks) {
            keys.extend([("ecn_rule", "accecn"), ("ect", "ect1")]);
        } else if exact_marks {
            keys.push(("ecn_rule", "dctcp"));
        }
        transfer(&keys, segments, window, fates);
    }

    /// Acknowledgements no receiver would send must not break the sender.
    #[test]
    fn nonsense_is_survived(
        recovery in 0usize..7,
        choice in 0usize..57,
        acks in prop::collection::vec((0u32..80, 0u32..80, 0u32..20, any::<bool>(), 0u64..400), 1..120),
    ) {
        let (cc, cubic_rule, hystart, _) = control(choice);
        let params = params(&[
            ("recovery", RECOVERIES[recovery]),
            ("handshake", "none"),
            ("ecn", "true"),
            ("ecn_rule", if cc == "prague" { "accecn" } else { "rfc3168" }),
            ("cc", cc),
            ("cubic_rule", cubic_rule),
            ("hystart", hystart),
        ]);
        let mut sender = Sender::new(&params, Stream::new(1, "nonsense"));
        sender.supply_forever();
        let mut now = Time::ZERO;
        sender.start(now);
        let mut sent = 0;
        for (ack, start, len, ece, after) in acks {
            while let Some(segment) = sender.poll_transmit(now) {
                sent = sent.max(segment.seq + 1);
            }
            prop_assert!(sender.una() <= sender.nxt() && sender.una() <= sent);
            now += Span::from_millis(after);
            if sender.poll_timeout().is_some_and(|due| due <= now) {
                sender.on_timer(now);
                while let Some(segment) = sender.poll_transmit(now) {
                    sent = sent.max(segment.seq + 1);
                }
            }
            let mut sack = SackBlocks::default();
            sack.push(start, start + len);
            sender.on_ack(now, &Ack { ack, size: 40, echo: Time::ZERO, sack, ece, syn: false, ace: 0, bytes: None, window: None });
            prop_assert!(sender.cwnd().is_finite() && sender.ssthresh() >= 2.0);
        }
    }
}
