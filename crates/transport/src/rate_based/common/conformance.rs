//! Conformance tests that every rate-based transport has to pass, on any path.

use super::{Pdu, Protocol, RateReceiver, RateSender};
use proptest::prelude::*;
use std::collections::BTreeMap;
use units::param::{read_table, Table, Valid, Value};
use units::{Rng, Span, Stream, Time};

/// The options of a profile.
pub fn params<P: Protocol>(profile: &str) -> Valid<P::Params> {
    let table: Table = vec![("profile".into(), Value::Text(profile.into()))];
    let mut problems = Vec::new();
    let params: P::Params = read_table("", &table, &mut problems);
    assert_eq!(problems, []);
    Valid::new(params).expect("profiles are valid")
}

/// Impairments of a path.
#[derive(Clone, Copy, Debug)]
pub struct Impairments {
    /// One-way delay.
    pub delay: Span,
    /// Share of data lost.
    pub lost: f64,
    /// Share of reports lost.
    pub reports_lost: f64,
    /// Share of packets reordered: delayed by up to eight times the delay.
    pub late: f64,
    /// Share of packets duplicated.
    pub twice: f64,
    /// Share of data packets marked.
    pub marked: f64,
}

impl Impairments {
    /// A path with this delay and no impairments.
    fn none(ms: u64) -> Impairments {
        Impairments {
            delay: Span::from_millis(ms),
            lost: 0.0,
            reports_lost: 0.0,
            late: 0.0,
            twice: 0.0,
            marked: 0.0,
        }
    }
}

/// Two endpoints and a path.
struct Drive<P: Protocol> {
    sender: P::Sender,
    receiver: P::Receiver,
    data: BTreeMap<(Time, u64), <P::Sender as RateSender>::Data>,
    reports: BTreeMap<(Time, u64), <P::Sender as RateSender>::Report>,
    count: u64,
    now: Time,
    last_sent: Time,
    /// Packets allowed by the rate so far, less those sent.
    allowance: f64,
    greatest_gap: Span,
    payload: f64,
}

impl<P: Protocol> Drive<P> {
    fn new(params: &Valid<P::Params>) -> Drive<P> {
        let mut sender = P::Sender::new(params);
        sender.start(Time::ZERO);
        Drive {
            sender,
            receiver: P::Receiver::new(params),
            data: BTreeMap::new(),
            reports: BTreeMap::new(),
            count: 0,
            now: Time::ZERO,
            last_sent: Time::ZERO,
            allowance: 1.0,
            greatest_gap: Span::ZERO,
            payload: P::packet(params).0 .0 as f64,
        }
    }

    /// Moves to the next event.
    fn step(&mut self, path: &Impairments, rng: &mut Stream) {
        let mut arrivals = |lost: f64, now: Time| {
            let copies = u64::from(rng.uniform() >= lost) * (1 + u64::from(rng.uniform() < path.twice));
            let longer = if rng.uniform() < path.late { 8.0 * rng.uniform() } else { 0.0 };
            (copies, now + path.delay + path.delay.scale(longer))
        };
        while let Some(data) = self.sender.poll_transmit(self.now) {
            self.greatest_gap = self.greatest_gap.max(self.now.since(self.last_sent));
            self.last_sent = self.now;
            self.allowance -= 1.0;
            let (copies, at) = arrivals(path.lost, self.now);
            for _ in 0..copies {
                self.count += 1;
                self.data.insert((at, self.count), data);
            }
        }
        while let Some(report) = self.receiver.poll_transmit(self.now) {
            assert!(report.stamp() <= self.now);
            let (copies, at) = arrivals(path.reports_lost, self.now);
            for _ in 0..copies {
                self.count += 1;
                self.reports.insert((at, self.count), report);
            }
        }
        let arrival = self.data.keys().next().map_or(Time::NEVER, |key| key.0);
        let answer = self.reports.keys().next().map_or(Time::NEVER, |key| key.0);
        let sender = self.sender.poll_timeout().unwrap_or(Time::NEVER);
        let receiver = self.receiver.poll_timeout().unwrap_or(Time::NEVER);
        let next = arrival.min(answer).min(sender).min(receiver);
        assert!(next >= self.now && next < Time::NEVER, "no progress at {:?}", self.now);
        let rate = self.sender.rate() / self.payload;
        self.allowance = (self.allowance + rate * next.since(self.now).as_secs()).min(2.0);
        self.now = next;
        if next == arrival {
            let (_, data) = self.data.pop_first().expect("it has arrived");
            self.receiver.on_packet(next, &data, rng.uniform() < path.marked);
        } else if next == answer {
            let (_, report) = self.reports.pop_first().expect("it has arrived");
            self.sender.on_report(next, &report);
        } else if next == sender {
            self.sender.on_timer(next);
        } else {
            self.receiver.on_timer(next);
        }
        // A report may raise the rate for the waiting packet.
        self.allowance = self.allowance.max(-1.0);
    }
}

/// On any path the rate stays finite and sending continues. `slack`: packets by which departures may run
/// ahead of the rate.
pub fn survives<P: Protocol>(profile: &str, path: Impairments, seed: u64, longest: Span, slack: f64) {
    let mut rng = Stream::new(seed, "path");
    let mut drive = Drive::<P>::new(&params::<P>(profile));
    let mut behind = 0u32;
    for _ in 0..4000 {
        let before = drive.sender.sent();
        drive.step(&path, &mut rng);
        let x = drive.sender.rate();
        assert!(x.is_finite() && x > 0.0, "rate {x}");
        assert!(drive.sender.second().is_finite());
        behind += u32::from(drive.allowance < -slack);
        assert!(drive.sender.sent() >= before);
    }
    assert!(
        behind * 50 <= drive.sender.sent() + 50,
        "{behind} of {} packets left early",
        drive.sender.sent()
    );
    assert!(drive.greatest_gap <= longest, "{:?} without a packet", drive.greatest_gap);
}

/// On a path without loss the rate grows well beyond the first packets, and everything arrives.
pub fn fills<P: Protocol>(profile: &str, packets: u64) {
    let mut drive = Drive::<P>::new(&params::<P>(profile));
    let clean = Impairments::none(50);
    let mut rng = Stream::new(1, "path");
    while drive.now < Time(60_000_000_000) && drive.sender.sent() < 20_000 {
        drive.step(&clean, &mut rng);
    }
    assert!(u64::from(drive.sender.sent()) > packets, "{} packets in a minute", drive.sender.sent());
    let got = drive.receiver.received_payload() as f64 / drive.payload;
    assert!(got + drive.data.len() as f64 >= f64::from(drive.sender.sent()) - 2.0);
}

/// A source that supplies packets bit by bit: all of them are sent, and no more.
pub fn obeys_its_source<P: Protocol>(profile: &str) {
    let mut drive = Drive::<P>::new(&params::<P>(profile));
    let clean = Impairments::none(5);
    let mut rng = Stream::new(1, "path");
    drive.sender.provide(Time::ZERO, 3);
    for handed in [3u32, 10, 11] {
        drive.sender.provide(drive.now, handed);
        let until = drive.now + Span::from_millis(60_000);
        while drive.now < until && (drive.sender.sent() < handed || !drive.data.is_empty()) {
            drive.step(&clean, &mut rng);
            assert!(drive.sender.sent() <= handed);
        }
        assert_eq!(drive.sender.sent(), handed);
    }
}

/// Any combination of impairments.
pub fn any_impairments() -> impl Strategy<Value = (Impairments, u64)> {
    let shares = (0.0f64..0.6, 0.0f64..0.6, 0.0f64..0.3, 0.0f64..0.3, 0.0f64..0.5);
    (1u64..300, shares, any::<u64>()).prop_map(|(delay, (lost, reports_lost, late, twice, marked), seed)| {
        (Impairments { delay: Span::from_millis(delay), lost, reports_lost, late, twice, marked }, seed)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn rap_survives((path, seed) in any_impairments(), which in 0usize..3) {
        survives::<crate::rate_based::rap::Rap>(["paper", "paper-fine", "ns2-2.35"][which], path, seed, Span::from_millis(600_000), 1.0);
    }

    #[test]
    fn drs_survives((path, seed) in any_impairments(), which in 0usize..2) {
        // A window leaves in bursts.
        let bursts = f64::INFINITY;
        survives::<crate::rate_based::drs::Drs>(["paper", "today"][which], path, seed, Span::from_millis(60_000), bursts);
    }

    #[test]
    fn scream_survives((path, seed) in any_impairments(), which in 0usize..2) {
        // A window leaves in bursts.
        let bursts = f64::INFINITY;
        survives::<crate::rate_based::scream::Scream>(["rfc8298", "quick"][which], path, seed, Span::from_millis(10_000), bursts);
    }

    #[test]
    fn gcc_survives((path, seed) in any_impairments(), which in 0usize..3) {
        // Packets leave in groups.
        let groups = f64::INFINITY;
        survives::<crate::rate_based::gcc::Gcc>(["webrtc", "draft", "remb"][which], path, seed, Span::from_millis(1000), groups);
    }

    #[test]
    fn tear_survives((path, seed) in any_impairments()) {
        survives::<crate::rate_based::tear::Tear>("paper", path, seed, Span::from_millis(128_000), 1.0);
    }

    #[test]
    fn lda_survives((path, seed) in any_impairments(), which in 0usize..2) {
        survives::<crate::rate_based::lda::Lda>(["paper", "quick"][which], path, seed, Span::from_millis(200_000), 2.0);
    }

    #[test]
    fn quic_survives((path, seed) in any_impairments(), which in 0usize..2) {
        // A window leaves in bursts, and a probe timeout is at most a minute.
        let bursts = f64::INFINITY;
        survives::<crate::quic::Quic>(["rfc", "resumed"][which], path, seed, Span::from_millis(60_000), bursts);
    }

    #[test]
    fn tfrc_survives((path, seed) in any_impairments(), which in 0usize..3) {
        let profile = ["rfc", "ns2-2.35", "ns2-2000"][which];
        survives::<crate::rate_based::tfrc::Tfrc>(profile, path, seed, Span::from_millis(128_000), 1.0);
    }
}

#[test]
fn each_grows_where_nothing_is_lost() {
    fills::<crate::rate_based::rap::Rap>("paper", 3000);
    fills::<crate::rate_based::rap::Rap>("ns2-2.35", 3000);
    fills::<crate::rate_based::drs::Drs>("paper", 3000);
    fills::<crate::rate_based::drs::Drs>("today", 3000);
    fills::<crate::rate_based::scream::Scream>("rfc8298", 3000);
    fills::<crate::rate_based::scream::Scream>("quick", 3000);
    fills::<crate::rate_based::gcc::Gcc>("webrtc", 3000);
    fills::<crate::rate_based::gcc::Gcc>("draft", 3000);
    fills::<crate::rate_based::gcc::Gcc>("remb", 3000);
    fills::<crate::rate_based::tear::Tear>("paper", 3000);
    fills::<crate::rate_based::lda::Lda>("quick", 1000);
    fills::<crate::quic::Quic>("rfc", 3000);
    fills::<crate::rate_based::tfrc::Tfrc>("rfc", 3000);
}

#[test]
fn senders_stop_at_the_end_of_the_supply() {
    obeys_its_source::<crate::rate_based::rap::Rap>("paper");
    obeys_its_source::<crate::rate_based::drs::Drs>("paper");
    obeys_its_source::<crate::rate_based::scream::Scream>("rfc8298");
    obeys_its_source::<crate::rate_based::gcc::Gcc>("webrtc");
    obeys_its_source::<crate::rate_based::gcc::Gcc>("remb");
    obeys_its_source::<crate::rate_based::tear::Tear>("paper");
    obeys_its_source::<crate::rate_based::lda::Lda>("paper");
    obeys_its_source::<crate::quic::Quic>("rfc");
    obeys_its_source::<crate::quic::Quic>("resumed");
    obeys_its_source::<crate::rate_based::tfrc::Tfrc>("rfc");
    obeys_its_source::<crate::rate_based::tfrc::Tfrc>("ns2-2.35");
}
