//! Tests of RED, worked by hand.

mod average;
mod dialects;
mod law;
mod spacing;

use super::auto::wlog;
use super::spacing::corrected;
use super::*;
use crate::conformance::KitPacket;
use crate::disc::Reason;
use alloc::string::ToString;
use alloc::vec::Vec;
use units::param::{read_table, Check, Table, Value};
use units::quantity::Amount;
use units::{math, Rate, Rng, Span, Stream, Time};

/// One packet of 1000 bytes a millisecond.
const SETTING: Setting = Setting { rate: Rate(8_000_000), delay: Span::from_millis(20), packet: Bytes(1000) };

fn params(rows: &[(&str, &str)]) -> Valid<Params> {
    let table: Table =
        rows.iter().map(|(key, text)| (key.to_string(), Value::Text(text.to_string()))).collect();
    let mut problems = Vec::new();
    let read = read_table("", &table, &mut problems);
    assert_eq!(problems, []);
    Valid::new(read).unwrap()
}

fn red(rows: &[(&str, &str)]) -> Red<KitPacket> {
    Red::new(&params(rows), &SETTING)
}

/// Numbers chosen to be exact in binary: thresholds 4 and 12, `max_p` 1/2, `w_q` 1/4.
const EXACT: [(&str, &str); 4] =
    [("min_th", "4 pkts"), ("max_th", "12 pkts"), ("max_p", "0.5"), ("w_q", "0.25")];

fn rows<'a>(rows: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    EXACT.iter().chain(rows).copied().collect()
}

/// An rng that always returns the same number.
struct Always(f64);

impl Rng for Always {
    fn uniform(&mut self) -> f64 {
        self.0
    }
}

fn arrive(red: &mut Red<KitPacket>, at_ms: u64, size: u16) {
    let pkt = KitPacket::new(0, size);
    red.enqueue(pkt, &mut Cx::new(Time(at_ms * 1_000_000), &mut Always(0.999_999), &mut Vec::new()));
}

fn depart(red: &mut Red<KitPacket>, at_ms: u64) -> bool {
    red.dequeue(&mut Cx::new(Time(at_ms * 1_000_000), &mut Always(0.0), &mut Vec::new())).is_some()
}

fn set_avg(red: &mut Red<KitPacket>, to: f64) {
    let Average::Real(real) = &mut red.average else { panic!("only a real average can be set") };
    real.set(to);
}

fn avg(red: &Red<KitPacket>) -> f64 {
    red.average.value()
}

#[test]
fn forced_drop_at_max_th_is_reported() {
    let mut red = red(&rows(&[]));
    set_avg(&mut red, 16.0);
    red.q_time = None;
    let mut fates = Vec::new();
    // 16 + (0 - 16)/4 = 12 = max_th.
    red.enqueue(KitPacket::new(7, 1000), &mut Cx::new(Time::ZERO, &mut Always(0.999), &mut fates));
    assert_eq!(fates, [crate::disc::Fate::Dropped(KitPacket::new(7, 1000), Reason::Forced)]);
    assert_eq!(avg(&red), 12.0);
}

#[test]
fn the_curve_in_its_three_forms() {
    let p_b = |above: &str, avg: f64| red(&rows(&[("above_max", above)])).curve.p_b(avg);
    assert_eq!([p_b("drop", 8.0), p_b("drop", 12.0)], [0.25, 1.0]);
    // Gentle: 1/2 at 12, 3/4 at 18, 1 at 24.
    assert_eq!([p_b("gentle", 12.0), p_b("gentle", 18.0), p_b("gentle", 24.0)], [0.5, 0.75, 1.0]);
    assert_eq!([p_b("capped", 12.0), p_b("capped", 99.0)], [0.5, 0.5]);
}

#[test]
fn a_random_victim_makes_room_for_the_arriving_packet() {
    let mut red = red(&[("dialect", "altq"), ("limit", "2 pkts")]);
    let mut fates = Vec::new();
    // Of three (two waiting and the arriving one), 0.5 picks the second.
    for id in 0..3 {
        red.enqueue(KitPacket::new(id, 1000), &mut Cx::new(Time::ZERO, &mut Always(0.5), &mut fates));
    }
    assert!(matches!(fates[..], [crate::disc::Fate::Dropped(pkt, Reason::Overflow)] if pkt.id == 1));
    assert_eq!((red.len(), QueueDisc::<KitPacket>::decides(&red)), (2, Decides::Later));
}

#[test]
fn limits_and_thresholds_follow_the_unit() {
    let resolved =
        params(&[("unit", "bytes"), ("mean_packet", "500 B"), ("limit", "10 pkts")]).resolve(&SETTING);
    assert_eq!((resolved.limit, resolved.min_th, resolved.max_th), (Amount::Bytes(5000.0), 2500.0, 7500.0));
}

#[test]
fn crossed_thresholds_and_impossible_pairs_are_refused() {
    let problem = |change: fn(&mut Params)| {
        let mut params = Params::default();
        change(&mut params);
        let problems = Valid::new(params).unwrap_err();
        (problems[0].path.clone(), problems[0].rule.clone())
    };
    let (path, rule) = problem(|p| p.max_th = Some(Amount::Packets(3.0)));
    assert_eq!((path.as_str(), rule.as_str()), ("max_th", "must exceed min_th (5 pkts)"));
    assert_eq!(problem(|p| p.arithmetic = AverageArithmetic::Integer).0, "arithmetic");
    assert_eq!(problem(|p| (p.spacing, p.counting) = (Spacing::Cycle, MarkCounting::Carried)).0, "spacing");
    assert_eq!(problem(|p| p.max_p = f64::NAN).0, "max_p");
    assert_eq!(problem(|p| p.limit = Amount::Packets(0.0)).0, "limit");
}

#[test]
fn the_state_of_a_queue_is_a_few_cache_lines() {
    assert!(size_of::<Red<KitPacket>>() <= 384, "{}", size_of::<Red<KitPacket>>());
}

/// Random arrivals and departures, idle periods and full buffers: both paths draw the same numbers, drop the same
/// packets and hold the same average.
#[test]
fn fast_path_equals_the_slow_path() {
    for (seed, above) in [(1, "drop"), (2, "gentle"), (3, "capped"), (4, "gentle")] {
        let keys = [("limit", "12 pkts"), ("above_max", above)];
        let (mut fast, mut slow) = (red(&rows(&keys)), red(&rows(&keys)));
        slow.rules.fast_path = false;
        assert!(fast.has_fast_path() && !slow.has_fast_path());
        let (mut choice, mut now) = (Stream::new(seed, "choice"), Time::ZERO);
        let mut streams = [Stream::new(seed, "red"), Stream::new(seed, "red")];
        let mut fates = [Vec::new(), Vec::new()];
        for id in 0..20_000 {
            now += Span::from_micros(choice.next_u64() % 1500);
            let arrives = choice.uniform() < 0.55;
            let mut sent = [None; 2];
            for (i, queue) in [&mut fast, &mut slow].into_iter().enumerate() {
                let mut cx = Cx::new(now, &mut streams[i], &mut fates[i]);
                if arrives {
                    queue.enqueue(KitPacket::new(id, 1000), &mut cx);
                } else {
                    sent[i] = queue.dequeue(&mut cx).map(|pkt| (pkt.id, pkt.enqueued()));
                }
            }
            assert_eq!(sent[0], sent[1]);
            assert_eq!(fast.average().to_bits(), slow.average().to_bits());
            assert_eq!((fast.len(), fast.marker.count()), (slow.len(), slow.marker.count()));
        }
        let ids = |i: usize| fates[i].iter().map(|fate| format!("{fate:?}")).collect::<Vec<_>>();
        assert_eq!(ids(0), ids(1));
        assert!(fates[0].len() > 500, "{}", fates[0].len());
        assert_eq!(streams[0].next_u64(), streams[1].next_u64());
    }
}
