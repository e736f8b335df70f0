//! Tests of RED's bounds and of its less used options, worked by hand.

use super::parts::Part;
use super::spacing::corrected;
use super::*;
use crate::conformance::KitPacket;
use crate::disc::{Fate, Reason};
use crate::registry::Discipline;
use crate::testing::{params, Always, SETTING};
use alloc::{vec, vec::Vec};
use units::param::Value;

/// Numbers chosen to be exact in binary: thresholds 4 and 12, `max_p` 1/2, `w_q` 1/4.
const EXACT: [(&str, &str); 4] =
    [("min_th", "4 pkts"), ("max_th", "12 pkts"), ("max_p", "0.5"), ("w_q", "0.25")];

fn rows<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    EXACT.iter().chain(more).copied().collect()
}

fn red(more: &[(&str, &str)]) -> Red<KitPacket> {
    Red::new(&params(&rows(more)), &SETTING)
}

/// RED with an average of `avg` and a queue of `packets`.
fn filled(more: &[(&str, &str)], avg: f64, packets: u64) -> Red<KitPacket> {
    let mut red = red(more);
    for id in 0..packets {
        let mut fates = Vec::new();
        red.queue.push(KitPacket::new(id, 1000), &Cx::new(Time::ZERO, &mut Always(0.0, 0), &mut fates));
    }
    red.q_time = None;
    if let Average::Real(real) = &mut red.average {
        real.set(avg);
    }
    red
}

/// The signal for a packet of 1000 bytes that finds an average and a queue, with a draw.
fn signal(red: &mut Red<KitPacket>, avg: f64, q: f64, draw: f64) -> Option<Signal> {
    red.congestion(avg, 1000, q, &mut Cx::new(Time::ZERO, &mut Always(draw, 0), &mut Vec::new()))
}

/// A curve with nothing of its own.
struct Flat;

impl MarkingCurve for Flat {
    fn min_th(&self) -> f64 {
        1.0
    }
    fn forced_at(&self) -> f64 {
        3.0
    }
    fn p_b(&self, _: f64) -> f64 {
        0.5
    }
    fn max_p(&self) -> f64 {
        0.5
    }
}

#[test]
fn no_draw_from_where_marks_are_certain() {
    assert_eq!([2.0, 3.0, 4.0].map(|avg| Flat.p_b_unless_forced(avg)), [Some(0.5), None, None]);
    let seen = |above: &str, avg: f64| red(&[("above_max", above)]).curve.p_b_unless_forced(avg);
    assert_eq!([seen("drop", 8.0), seen("drop", 12.0), seen("drop", 13.0)], [Some(0.25), None, None]);
    let gentle = [8.0, 12.0, 18.0, 24.0, 25.0].map(|avg| seen("gentle", avg));
    assert_eq!(gentle, [Some(0.25), Some(0.5), Some(0.75), None, None]);
    assert_eq!([seen("capped", 11.0), seen("capped", 99.0)], [Some(0.4375), Some(0.5)]);
}

/// The lower threshold itself has the probability of the curve, here of one that does not start at 0.
#[test]
fn the_probability_at_min_th_is_that_of_the_curve() {
    let red = Red::<KitPacket, Flat>::with_curve(&params(&EXACT), &SETTING, Flat);
    assert_eq!([red.p_b_at(0.9), red.p_b_at(1.0)], [0.0, 0.5]);
}

#[test]
fn thresholds_move_with_what_lies_above_them() {
    let moved = |above: &str, to: (f64, f64)| {
        let mut curve = red(&[("above_max", above)]).curve;
        curve.set_thresholds(to.0, to.1);
        (
            curve.min_th(),
            curve.max_th(),
            curve.forced_at(),
            curve.p_b(to.0),
            curve.p_b(f64::midpoint(to.0, to.1)),
        )
    };
    assert_eq!(moved("drop", (10.0, 30.0)), (10.0, 30.0, 30.0, 0.0, 0.25));
    assert_eq!(moved("gentle", (10.0, 30.0)), (10.0, 30.0, 60.0, 0.0, 0.25));
    assert_eq!(moved("capped", (10.0, 30.0)).2, f64::INFINITY);
    assert_eq!(moved("drop", (7.0, 7.0)), (7.0, 7.0, 7.0, 1.0, 1.0), "a step");
    let mut curve = red(&[("above_max", "gentle")]).curve;
    curve.set_thresholds(10.0, 30.0);
    // Half way to twice the upper threshold: half way from 1/2 to 1.
    assert_eq!([curve.p_b(45.0), curve.p_b(60.0)], [0.75, 1.0]);
    curve.set_max_p(0.25, true);
    assert_eq!([curve.p_b(20.0), curve.p_b(30.0), curve.p_b(60.0)], [0.125, 0.25, 1.0]);
    curve.set_max_p(0.5, false);
    assert_eq!([curve.p_b(20.0), curve.p_b(30.0)], [0.25, 0.25]);
}

#[test]
fn averages_and_queues_at_the_bounds() {
    let mut at = red(&[("min_queue", "2")]);
    assert_eq!(signal(&mut at, 3.9, 9.0, 0.0), None);
    assert_eq!(signal(&mut at, 6.0, 1.0, 0.0), None, "a queue of one is too short");
    assert_eq!(signal(&mut at, 6.0, 2.0, 0.0), Some(Signal::Early { p_b: 0.125 }));
    assert_eq!(signal(&mut at, 12.0, 2.0, 0.9), Some(Signal::Forced));
    let mut step = red(&[("dialect", "dummynet"), ("ecn", "true")]);
    assert_eq!(
        [signal(&mut step, 4.0, 9.0, 0.9), signal(&mut step, 4.1, 9.0, 0.9)],
        [None, Some(Signal::Step)]
    );
}

/// DPDK: of `avg - min_th` = 4 one step is 4096, of the divisor 2 * 8 / 0.5 * 1024 = 32,768.
#[test]
fn the_modulus_uses_the_distance_from_min_th() {
    let hits = |cached: f64, count: f64| {
        let mut red = red(&[("spacing", "modulus"), ("counting", "carried")]);
        red.marker.set_count(count, 0);
        let draw = (cached + 0.5) / f64::from(1u32 << 22);
        signal(&mut red, 8.0, 9.0, draw).is_some()
    };
    // The arrival counts: from -1 on the divisor is whole.
    assert_eq!([hits(4095.0, -1.0), hits(4096.0, -1.0), hits(32_768.0, -1.0)], [true, false, true]);
    // After two more steps it is 24,576.
    assert_eq!(
        [hits(24_576.0 + 4095.0, 1.0), hits(24_576.0 + 4096.0, 1.0), hits(24_575.0, 1.0)],
        [true, false, false]
    );
    assert_eq!([hits(5000.0, 6.0), hits(5000.0, 7.0)], [true, true], "the last step, and no divisor left");
}

/// `p_b` 1/4, half a packet: the cycle is over when 1/8 a packet add up to the number drawn.
#[test]
fn the_cycle_weighs_sizes_in_red_2() {
    let mut cycle = red(&[("spacing", "cycle"), ("byte_mode", "red_2"), ("max_packet", "1000 B")]);
    let gap = |red: &mut Red<KitPacket>, size: u64| {
        let mut rng = Always(0.5, 0);
        (1..=40).find(|_| {
            red.congestion(8.0, size, 9.0, &mut Cx::new(Time::ZERO, &mut rng, &mut Vec::new())).is_some()
        })
    };
    gap(&mut cycle, 500);
    assert_eq!(gap(&mut cycle, 500), Some(4));
    assert_eq!(gap(&mut cycle, 1000), Some(2));
    assert_eq!(gap(&mut cycle, 250), Some(8));
}

#[test]
fn probabilities_at_the_bounds_of_the_count() {
    let at = |law: Spacing| [3.0, 4.0, 5.0, 7.0, 8.0, 9.0].map(|count| corrected(law, 0.25, count));
    let inf = f64::INFINITY;
    assert_eq!(at(Spacing::Pseudocode), [1.0, inf, inf, inf, inf, inf]);
    assert_eq!(at(Spacing::Text), [1.0, inf, inf, inf, inf, inf]);
    assert_eq!(at(Spacing::Wait), [0.0, 0.25, 1.0 / 3.0, 1.0, inf, inf]);
    assert_eq!(at(Spacing::Double), [0.2, 0.25, 1.0 / 3.0, 1.0, inf, inf]);
    assert_eq!(at(Spacing::Geometric), [0.25; 6]);
    assert_eq!(corrected(Spacing::Unclamped, 0.25, 8.0), -0.25);
}

#[test]
fn counts_of_those_not_judged() {
    let after = |more: &[(&str, &str)], act: fn(&mut Marker)| {
        let mut red = red(more);
        red.marker.set_count(5.0, 700);
        act(&mut red.marker);
        red.marker.count()
    };
    assert_eq!(after(&[], |marker| marker.spare(1000)), 6.0);
    assert_eq!(after(&[("byte_mode", "red_4")], |marker| marker.spare(1000)), 5.0);
    assert_eq!(after(&[("counting", "carried")], |marker| marker.spare(1000)), 5.0);
    assert_eq!(after(&[], |marker| marker.arrive(1000)), 5.0);
    assert_eq!(after(&[("counting", "carried")], |marker| marker.arrive(1000)), 6.0);
    let half = [("counting", "carried"), ("byte_mode", "red_4"), ("max_packet", "2000 B")];
    assert_eq!(after(&half, |marker| marker.arrive(1000)), 5.5);
    assert_eq!(after(&[], Marker::below), -1.0);
    assert_eq!(after(&[("counting", "from_one")], Marker::below), 0.0);
    assert_eq!(after(&[("byte_mode", "red_4")], Marker::below), 0.0);
    assert_eq!(after(&[("counting", "carried")], Marker::below), 5.0);
    assert_eq!(after(&[], Marker::restart), 0.0);
    assert_eq!(after(&[("spacing", "text")], Marker::restart), -1.0);
    assert_eq!(after(&[("spacing", "cycle")], Marker::restart), -1.0);
}

/// ns-2's `cautious_`: the average after 50 ms of an empty queue, here 50 packets, is far below.
#[test]
fn caution_eases_or_spares() {
    let cautious = |caution: &str| {
        let mut red = red(&[("caution", caution)]);
        assert_eq!(red.rules.far_below, math::pow(0.75, 50.0));
        red.rules.far_below = 0.5;
        red
    };
    let ease = |caution: &str, q: f64| cautious(caution).ease(8.0, q);
    assert_eq!([ease("weigh", 1.0), ease("weigh", 4.0), ease("weigh", 9.0)], [0.25, 1.0, 1.0]);
    assert_eq!([ease("spare", 3.0), ease("spare", 4.0), ease("spare", 5.0)], [0.0, 1.0, 1.0]);
    assert_eq!(ease("off", 1.0), 1.0);
    assert_eq!(signal(&mut cautious("spare"), 8.0, 3.0, 0.0), None);
    assert_eq!(signal(&mut cautious("spare"), 8.0, 4.0, 0.0), Some(Signal::Early { p_b: 0.25 }));
}

#[test]
fn probes_below_and_above_min_th() {
    let probed = |avg: f64| {
        let red = filled(&[], avg, 0);
        let mut out = Probe::default();
        red.probe(&mut out);
        let of = |name: &str| out.values.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        (of("avg"), of("p_b"), of("max_p"))
    };
    assert_eq!(probed(3.0), (Some(3.0), Some(0.0), Some(0.5)));
    assert_eq!(probed(8.0), (Some(8.0), Some(0.25), Some(0.5)));
    let part: Part = Part::new(&params(&EXACT), &SETTING);
    assert_eq!([part.p_b_at(3.0), part.p_b_at(8.0)], [0.0, 0.25]);
    assert_eq!([red(&[]).p_b_at(3.0), red(&[]).p_b_at(8.0)], [0.0, 0.25]);
}

#[test]
fn idle_parts() {
    let mut part: Part = Part::new(&params(&EXACT), &SETTING);
    assert!(part.is_idle(), "idle since the start");
    let mut queue = filled(&[], 8.0, 1);
    assert!(!queue.is_idle());
    queue.exchange(&mut part);
    assert!(queue.is_idle() && !part.is_idle());
    assert_eq!((part.avg(), queue.avg()), (8.0, Some(0.0)));
    part.rest(Time(5));
    assert!(part.is_idle());
}

#[test]
fn the_oldest_packet_is_at_the_head() {
    let mut queue = filled(&[], 0.0, 3);
    let ids = |red: &Red<KitPacket>| (red.head().map(|pkt| pkt.id), red.packets().count());
    assert_eq!(ids(&queue), (Some(0), 3));
    queue.dequeue(&mut Cx::new(Time(7), &mut Always(0.0, 0), &mut Vec::new()));
    assert_eq!((ids(&queue), queue.is_idle()), ((Some(1), 2), false));
    queue.dequeue_while(|_| true);
    assert_eq!((ids(&queue), queue.is_idle()), ((None, 0), true));
    assert_eq!(
        [red(&[("limit", "9 pkts")]).packet_limit(), red(&[("limit", "9 kB")]).packet_limit()],
        [9, 0]
    );
}

/// 8 Mbit/s of 1000 bytes are 1000 packets a second; a round trip of 3 * 21 ms counts as 100 ms.
#[test]
fn automatic_weights() {
    let w_q = |rule: &str| params::<Params>(&[("w_q", "auto"), ("auto_w_q", rule)]).resolve(&SETTING).w_q;
    for (rule, expected) in [("rtt", 9.995_001_7e-4), ("rate", 9.995_001_7e-4), ("tenth", 9.950_166_3e-3)] {
        assert!((w_q(rule) / expected - 1.0).abs() < 1e-7, "{rule}: {}", w_q(rule));
    }
    let far = Setting { delay: units::Span::from_millis(99), ..SETTING };
    let slow = params::<Params>(&[("w_q", "auto"), ("auto_w_q", "rtt")]).resolve(&far).w_q;
    // 3 * (99 + 1) ms: 1 - exp(-1 / 3000).
    assert!((slow / 3.332_777_8e-4 - 1.0).abs() < 1e-7, "{slow}");
}

#[test]
fn automatic_values_are_shown_where_they_are_used() {
    let shown = |rows: &[(&str, &str)]| {
        let table = <Params as Discipline>::resolved(&params::<Params>(rows), &SETTING);
        table.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>()
    };
    let fixed =
        [("w_q", "0.25"), ("mean_packet", "1000 B"), ("idle_rate", "8 Mbit/s"), ("idle_packet", "1000 B")];
    let with = |more: &[(&'static str, &'static str)]| {
        shown(
            &[("min_th", "4 pkts"), ("max_th", "12 pkts")]
                .iter()
                .chain(&fixed)
                .chain(more)
                .copied()
                .collect::<Vec<_>>(),
        )
    };
    assert!(with(&[]).is_empty(), "{:?}", with(&[]));
    assert_eq!(shown(&[&fixed[..], &[("min_th", "auto"), ("max_th", "12 pkts")]].concat()), ["min_th"]);
    assert_eq!(with(&[("w_q", "auto")]), ["w_q"]);
    assert_eq!(with(&[("w_q", "auto"), ("auto_w_q", "burst")]), ["w_q", "burst"]);
    assert_eq!(with(&[("auto_w_q", "burst")]), [""; 0]);
    let red = Red::<KitPacket>::new(&params(&EXACT), &SETTING);
    assert_eq!(red.avg_unit(), Unit::Packets);
    let bytes = shown(&[("unit", "bytes"), ("min_th", "auto"), ("max_th", "12 kB"), ("w_q", "0.25")]);
    assert!(bytes.contains(&"min_th".into()));
    let table = <Params as Discipline>::resolved(
        &params::<Params>(&[("min_th", "auto"), ("max_th", "12 pkts")]),
        &SETTING,
    );
    assert!(table.iter().all(|(_, value)| !matches!(value, Value::Text(text) if text.is_empty())));
}

/// The fate of a packet that finds a full buffer of three, with a draw.
fn overflow(more: &[(&str, &str)], draw: f64) -> (Vec<u64>, Vec<u64>) {
    let mut queue = filled(&[&[("limit", "3 pkts")], more].concat(), 0.0, 3);
    let mut fates = Vec::new();
    queue.enqueue(KitPacket::new(9, 1000), &mut Cx::new(Time::ZERO, &mut Always(draw, 0), &mut fates));
    let dropped = fates.iter().map(|fate| match fate {
        Fate::Dropped(pkt, Reason::Overflow) => pkt.id,
        other => panic!("{other:?}"),
    });
    (dropped.collect(), queue.packets().map(|pkt| pkt.id).collect())
}

#[test]
fn victims_of_a_full_buffer() {
    assert_eq!(overflow(&[], 0.0), (vec![9], vec![0, 1, 2]));
    assert_eq!(overflow(&[("victim", "second")], 0.0), (vec![1], vec![0, 2, 9]));
    // One of four, the arriving packet among them: of the draw times 2^31, the remainder.
    let one = |draw: f64| overflow(&[("victim", "random_one")], draw);
    let of = |number: f64| number / 2_147_483_648.0;
    assert_eq!([one(of(4.5)), one(of(5.5))], [(vec![0], vec![1, 2, 9]), (vec![1], vec![0, 2, 9])]);
    assert_eq!([one(of(6.5)), one(of(7.5))], [(vec![2], vec![0, 1, 9]), (vec![9], vec![0, 1, 2])]);
    let random = |draw: f64| overflow(&[("victim", "random")], draw);
    assert_eq!([random(0.2), random(0.3)], [(vec![0], vec![1, 2, 9]), (vec![1], vec![0, 2, 9])]);
    assert_eq!(random(0.8), (vec![9], vec![0, 1, 2]));
}

/// An early signal where the buffer is full: only what can be marked is, for all others a victim is chosen.
#[test]
fn early_signals_of_a_full_buffer() {
    let answered = |ecn: &str, pkt: KitPacket, p_b: f64| {
        let mut queue = filled(
            &[("limit", "3 pkts"), ("victim", "second"), ("ecn", ecn), ("mark_limit", "0.25")],
            8.0,
            3,
        );
        let mut fates = Vec::new();
        let mut rng = Always(0.0, 0);
        let kept = queue.answer(pkt, Signal::Early { p_b }, &mut Cx::new(Time::ZERO, &mut rng, &mut fates));
        (kept.is_some(), fates.len())
    };
    let (capable, plain) = (KitPacket::capable(9, 1000), KitPacket::new(9, 1000));
    assert_eq!([answered("true", capable, 0.2), answered("true", capable, 0.25)], [(true, 1), (true, 0)]);
    assert_eq!([answered("true", plain, 0.2), answered("false", capable, 0.2)], [(true, 0), (true, 0)]);
}
