//! Equality of the fast path and the slow path at both ends, over a path that loses, reorders and duplicates.

mod coverage;

use super::sends::Pending;
use super::Steps;
use crate::params::Params;
use crate::receiver::{CountingAck, FastAck, Receiver};
use crate::segment::{Ack, Role, Segment};
use crate::sender::Sender;
use proptest::prelude::*;
use std::collections::VecDeque;
use units::param::{read_table, Table, Valid, Value};
use units::{Ecn, Span, Stream, Time};

fn params(profile: &str) -> Valid<Params> {
    params_with(profile, "reno", false)
}

fn params_with(profile: &str, cc: &str, ecn: bool) -> Valid<Params> {
    params_paced(profile, cc, ecn, "auto")
}

fn params_paced(profile: &str, cc: &str, ecn: bool, pacing: &str) -> Valid<Params> {
    params_of(&[("profile", profile), ("cc", cc), ("pacing", pacing)], ecn)
}

fn params_of(rows: &[(&str, &str)], ecn: bool) -> Valid<Params> {
    let mut table: Table =
        rows.iter().map(|(key, value)| ((*key).into(), Value::Text((*value).into()))).collect();
    if ecn {
        table.push(("ecn".into(), Value::Bool(true)));
    }
    let mut problems = Vec::new();
    let params: Params = read_table("", &table, &mut problems);
    assert_eq!(problems, []);
    Valid::new(params).expect("profiles are valid")
}

/// Two connections with the same input: the second never takes the fast path.
struct Twins {
    senders: [Sender; 2],
    receivers: [Receiver; 2],
    now: Time,
    in_flight: VecDeque<Segment>,
    /// ACKs and segments that took the fast path.
    fast: [u32; 2],
    /// All ACKs, and those without SACK blocks.
    acks: u32,
    plain: u32,
    /// ACKs with SACK blocks that took the fast path.
    blocks: u32,
    /// Retransmissions that took the fast path.
    retransmissions: u32,
    /// Segments that a receiver with the rule `linux` or with accurate ECN took on its fast path.
    extras: u32,
    offers_window: bool,
}

impl Twins {
    fn new(params: &Valid<Params>, supply: u64) -> Twins {
        let mut senders = [0, 1].map(|_| Sender::new(params, Stream::new(1, "twins")));
        let receivers = [0, 1].map(|_| Receiver::new(params));
        senders[1].fast.steps = Steps::Slow;
        for sender in &mut senders {
            sender.supply_bytes(supply);
            sender.start(Time::ZERO);
        }
        let mut twins = Twins {
            senders,
            receivers,
            now: Time::ZERO,
            in_flight: VecDeque::new(),
            fast: [0; 2],
            acks: 0,
            plain: 0,
            blocks: 0,
            retransmissions: 0,
            extras: 0,
            offers_window: Receiver::new(params).offers_window(),
        };
        twins.send();
        twins
    }

    fn send(&mut self) {
        let now = self.now;
        let [fast, slow] = &mut self.senders;
        loop {
            self.fast[1] += u32::from(fast.ctx.seq.nxt < fast.fast.end.max(fast.fast.tracked_end));
            let retransmits = fast.fast.pending == Pending::Retransmission;
            let (one, other) = (fast.poll_transmit(now), slow.poll_transmit(now));
            assert_eq!(one, other);
            let Some(segment) = one else { break };
            self.retransmissions += u32::from(retransmits && segment.retransmit);
            self.in_flight.push_back(segment);
        }
        assert_eq!(
            (fast.cwnd(), fast.ssthresh(), fast.phase()),
            (slow.cwnd(), slow.ssthresh(), slow.phase())
        );
        assert_eq!((fast.counters(), fast.poll_timeout()), (slow.counters(), slow.poll_timeout()));
        assert_eq!(
            (fast.ctx.seq.una, fast.ctx.seq.nxt, fast.ctx.seq.max),
            (slow.ctx.seq.una, slow.ctx.seq.nxt, slow.ctx.seq.max)
        );
    }

    /// ACKs that the receivers return for a segment.
    fn answers(&mut self, segment: &Segment) -> Vec<Ack> {
        let now = self.now;
        let [fast, slow] = &mut self.receivers;
        slow.on_segment(now, segment);
        let expected: Vec<Ack> = std::iter::from_fn(|| slow.poll_transmit(now)).collect();
        let counts_marks = fast.counts_marks();
        let next = if segment.role == Role::Data && segment.ecn != Ecn::Ce && !segment.cwr {
            fast.on_segment_fast(now, segment.seq, segment.size, segment.sent)
        } else {
            None
        };
        let mut answers: Vec<Ack> = match next {
            Some(plain) => plain.iter().map(complete_ack).collect(),
            None if self.offers_window => answer_with_window(fast, now, segment, &mut self.extras),
            None if counts_marks => answer_with_counters(fast, now, segment, &mut self.extras),
            None => {
                fast.on_segment(now, segment);
                fast.poll_ack_fast().iter().map(complete_ack).collect()
            }
        };
        answers.extend(std::iter::from_fn(|| fast.poll_transmit(now)));
        assert_eq!(answers, expected);
        assert_eq!(
            (fast.received(), fast.delivered_bytes(), fast.poll_timeout()),
            (slow.received(), slow.delivered_bytes(), slow.poll_timeout())
        );
        self.acks += answers.len() as u32;
        answers
    }

    fn receive_ack(&mut self, ack: &Ack) {
        let now = self.now;
        let [fast, slow] = &mut self.senders;
        slow.on_ack(now, ack);
        self.plain += u32::from(ack.sack.is_empty());
        // As the engine does: other ACKs go to `on_ack`.
        let plain = !ack.syn && !ack.ece && ack.bytes.is_none();
        if let Some(window) = ack.window.filter(|_| plain) {
            fast.update_window(ack.ack, window);
        }
        let took = plain
            && if ack.sack.is_empty() {
                fast.on_ack_fast(now, ack.ack, ack.echo)
            } else {
                fast.on_sack_fast(now, (ack.ack, ack.echo), &ack.sack, |_| {})
            };
        self.fast[0] += u32::from(took);
        self.blocks += u32::from(took && !ack.sack.is_empty());
        if !took {
            fast.on_ack(now, ack);
        }
        self.send();
    }

    /// The timers of both senders that are due fire.
    fn fire_timers(&mut self, now: Time) {
        let [fast, slow] = &mut self.senders;
        slow.on_timer(now);
        if !fast.on_pacing_timer_fast(now) {
            fast.on_timer(now);
        }
    }

    /// Lets the time pass until the next step; paced senders send meanwhile.
    fn wait(&mut self, until: Time) {
        while self.senders[0].due() < until {
            self.now = self.senders[0].due().max(self.now);
            let now = self.now;
            self.fire_timers(now);
            self.send();
        }
        self.now = until;
    }

    /// One step: `fate` selects the fate of the next segment, or fires a timer.
    fn step(&mut self, fate: u8) {
        self.wait(self.now + Span::from_millis(1));
        let marks = self.senders[0].ctx.ecn && fate % 41 == 0;
        let segment = match (fate, self.in_flight.len()) {
            (_, 0) => {
                self.now = self.senders[0].due().min(self.now + Span::from_millis(5_000)).max(self.now);
                let now = self.now;
                self.fire_timers(now);
                return self.send();
            }
            (0..=9, _) => {
                self.in_flight.pop_front();
                return;
            }
            (10..=14, 2..) => self.in_flight.remove(1),
            (15..=18, _) => self.in_flight.front().copied(),
            _ => self.in_flight.pop_front(),
        };
        let segment = segment.map(|segment| Segment {
            ecn: if marks && segment.ecn.capable() { Ecn::Ce } else { segment.ecn },
            ..segment
        });
        let answers = segment.map(|segment| self.answers(&segment)).unwrap_or_default();
        if fate < 250 {
            answers.iter().for_each(|ack| self.receive_ack(ack));
        }
    }
}

/// The ACK with a receive window that a receiver returns for a segment on its fast path, none if it takes the slow path
/// or waits. Counts the segments that take the fast path.
fn answer_with_window(receiver: &mut Receiver, now: Time, segment: &Segment, taken: &mut u32) -> Vec<Ack> {
    let plain = segment.role == Role::Data && segment.ecn == Ecn::NotEct && !segment.cwr;
    let (number, push) = ((segment.seq, segment.size), segment.push);
    let answer = if plain { receiver.on_segment_fast_linux(now, number, segment.sent, push) } else { None };
    let Some(answer) = answer else {
        receiver.on_segment(now, segment);
        return Vec::new();
    };
    *taken += 1;
    answer.iter().map(|(ack, window)| Ack { window: Some(*window), ..complete_ack(ack) }).collect()
}

/// The same for a receiver with accurate ECN: the ACK has its counters.
fn answer_with_counters(receiver: &mut Receiver, now: Time, segment: &Segment, taken: &mut u32) -> Vec<Ack> {
    let unmarked = segment.role == Role::Data && segment.ecn != Ecn::Ce && !segment.cwr;
    let number = (segment.seq, segment.size);
    let answer =
        if unmarked { receiver.on_segment_fast_accecn(now, number, segment.sent, segment.ecn) } else { None };
    let Some(answer) = answer else {
        receiver.on_segment(now, segment);
        return Vec::new();
    };
    *taken += 1;
    let with_counters =
        |ack: CountingAck| Ack { ace: ack.ace, bytes: ack.bytes, ..Ack::plain(ack.ack, ack.size, ack.echo) };
    answer.into_iter().map(with_counters).collect()
}

fn complete_ack(fast: &FastAck<'_>) -> Ack {
    let FastAck { ack, echo, size, sack } = *fast;
    Ack { sack: sack.copied().unwrap_or_default(), ..Ack::plain(ack, size, echo) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn fast_and_slow_path_are_equal(
        fates in prop::collection::vec(any::<u8>(), 200..600),
        profile in prop::sample::select(vec!["rfc", "ns3", "ns2-2.35"]),
        supply in prop::sample::select(vec![20_000u64, 400_000, u64::from(u32::MAX)]),
    ) {
        let mut twins = Twins::new(&params(profile), supply);
        fates.into_iter().for_each(|fate| twins.step(fate));
    }

    #[test]
    fn fast_and_slow_path_without_tracking_are_equal(
        fates in prop::collection::vec(any::<u8>(), 200..600),
        // Up to this number of 256 segments are lost, reordered or duplicated.
        harm in prop::sample::select(vec![0u8, 2, 19]),
        recovery in prop::sample::select(vec!["sack", "newreno", "reno"]),
        cc in prop::sample::select(vec!["reno", "cubic", "dctcp", "westwood", "illinois", "htcp"]),
        ecn in any::<bool>(),
        supply in prop::sample::select(vec![20_000u64, 400_000, u64::from(u32::MAX)]),
    ) {
        let mut twins = Twins::new(&params_of(&[("recovery", recovery), ("cc", cc)], ecn), supply);
        fates.into_iter().for_each(|fate| twins.step(if fate < 19 && fate >= harm { 100 } else { fate }));
    }

    #[test]
    fn fast_and_slow_path_of_paced_senders_are_equal(
        fates in prop::collection::vec(any::<u8>(), 200..600),
        // Up to this number of 256 segments are lost, reordered or duplicated.
        harm in prop::sample::select(vec![0u8, 2, 19]),
        profile in prop::sample::select(vec!["l4s", "rfc"]),
        cc in prop::sample::select(vec!["prague", "cubic", "reno"]),
        ecn in any::<bool>(),
        pacing in prop::sample::select(vec!["auto", "window", "start"]),
        supply in prop::sample::select(vec![20_000u64, 400_000, u64::from(u32::MAX)]),
    ) {
        let mut twins = Twins::new(&params_paced(profile, cc, ecn, pacing), supply);
        fates.into_iter().for_each(|fate| twins.step(if fate < 19 && fate >= harm { 100 } else { fate }));
    }

    #[test]
    fn fast_and_slow_path_of_rack_are_equal(
        fates in prop::collection::vec(any::<u8>(), 200..600),
        // Up to this number of 256 segments are lost, reordered or duplicated.
        harm in prop::sample::select(vec![0u8, 2, 19]),
        profile in prop::sample::select(vec!["linux", "linux-7.3", "rfc"]),
        cc in prop::sample::select(vec!["reno", "cubic", "bbr", "bbr3", "vegas", "gaimd"]),
        ecn in any::<bool>(),
        pacing in prop::sample::select(vec!["auto", "auto", "window", "start"]),
        supply in prop::sample::select(vec![20_000u64, 400_000, u64::from(u32::MAX)]),
    ) {
        let mut twins = Twins::new(&params_paced(profile, cc, ecn, pacing), supply);
        fates.into_iter().for_each(|fate| twins.step(if fate < 19 && fate >= harm { 100 } else { fate }));
    }
}
