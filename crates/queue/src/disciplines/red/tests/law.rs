//! Tests of RED's law at its edges, worked by hand from Figure 2 of FJ93 and from the form that the `tc` command uses.

use super::super::auto::wlog;
use super::super::average::Average;
use super::super::fast_path::FastVerdict;
use super::super::spacing::Arrival;
use super::super::*;
use crate::conformance::KitPacket;
use crate::disc::{Fate, QueueDisc, Reason};
use crate::registry::Discipline;
use crate::testing::{params, Always, SETTING};
use alloc::{vec, vec::Vec};
use units::param::Valid;
use units::quantity::Amount;
use units::{Span, Time};

/// Numbers that are exact in binary: thresholds 4 and 12, `max_p` 1/2, `w_q` 1/4.
const EXACT: [(&str, &str); 4] =
    [("min_th", "4 pkts"), ("max_th", "12 pkts"), ("max_p", "0.5"), ("w_q", "0.25")];
/// The integer form: thresholds in bytes, a whole cycle.
const INTEGER: [(&str, &str); 6] = [
    ("arithmetic", "integer"),
    ("unit", "bytes"),
    ("spacing", "cycle"),
    ("above_max", "drop"),
    ("min_th", "4 kB"),
    ("max_th", "12 kB"),
];

fn rows<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    EXACT.iter().chain(more).copied().collect()
}

fn red(more: &[(&str, &str)]) -> Red<KitPacket> {
    Red::new(&params(&rows(more)), &SETTING)
}

/// An integer average with a weight.
fn integer(w_q: &'static str) -> Red<KitPacket> {
    Red::new(&params(&[&INTEGER[..], &[("w_q", w_q)]].concat()), &SETTING)
}

/// Averages are set by samples: the integer form adds each to its scaled number.
fn average_of(red: &mut Red<KitPacket>, avg: f64) {
    if let Average::Real(real) = &mut red.average {
        real.set(avg);
    }
}

/// Whether the marker marks an arrival, with a draw.
fn marks(red: &mut Red<KitPacket>, arrival: Arrival, draw: f64) -> bool {
    let mut fates: Vec<Fate<KitPacket>> = Vec::new();
    red.marker.marks(arrival, &mut Cx::new(Time::ZERO, &mut Always(draw, 0), &mut fates))
}

/// The same for a packet of a size.
fn judged(red: &mut Red<KitPacket>, size: u64, p_b: f64, draw: f64) -> bool {
    marks(red, Arrival { p_b, excess: 4.0, size, ease: 1.0 }, draw)
}

/// "if min_th <= avg < max_th, increment count": an average at the lower threshold counts.
#[test]
fn an_average_at_min_th_counts() {
    let mut red = red(&[]);
    let mut fates = Vec::new();
    for count in [0.0, 1.0] {
        let mut rng = Always(0.0, 0);
        let found = red.congestion(4.0, 1000, 9.0, &mut Cx::new(Time::ZERO, &mut rng, &mut fates));
        assert_eq!((found, red.marker.count()), (None, count));
    }
    red.congestion(3.9, 1000, 9.0, &mut Cx::new(Time::ZERO, &mut Always(0.0, 0), &mut fates));
    assert_eq!(red.marker.count(), -1.0);
}

/// A burst of 50 over 5 packets: room is 46, and (1 - (1 - w)^50) / w is 45.5 at 2^-8, 47.7 at 2^-9.
#[test]
fn the_weight_that_lets_a_burst_pass() {
    let weight = |burst: &str, min_th: &str| {
        let given = [
            ("w_q", "auto"),
            ("auto_w_q", "burst"),
            ("burst", burst),
            ("min_th", min_th),
            ("max_th", "90 pkts"),
        ];
        params::<Params>(&given).resolve(&SETTING).w_q
    };
    assert_eq!(weight("50", "5 pkts"), 1.0 / 512.0);
    // Room for one: 1 + 1 / 2 + … fits with the largest weight; without room there is none, and 1/2 stands for it.
    assert_eq!(weight("5", "5 pkts"), 0.5);
    let fits = |burst: &str, w_q: &str| {
        let given = [
            ("auto_w_q", "burst"),
            ("burst", burst),
            ("min_th", "5 pkts"),
            ("max_th", "90 pkts"),
            ("w_q", w_q),
        ];
        let mut problems = Vec::new();
        params::<Params>(&given).check_in(&SETTING, &mut problems);
        problems.into_iter().map(|problem| problem.path).collect::<Vec<_>>()
    };
    assert_eq!((fits("5", "auto"), fits("4", "auto")), (vec![], vec!["burst".into()]));
    assert_eq!(fits("4", "0.25"), Vec::<alloc::string::String>::new(), "the weight is given");
}

/// Thresholds that are equal, or of which one is above the other only in another unit.
#[test]
fn thresholds_must_differ() {
    let refused = |min: &str, max: &str| {
        let table = params::<Params>(&[]);
        let (min, max) = (Amount::Packets(min.parse().unwrap()), Amount::Packets(max.parse().unwrap()));
        let given = Params { min_th: Some(min), max_th: Some(max), ..Params::clone(&table) };
        Valid::new(given).err().map(|problems| problems[0].path.clone())
    };
    assert_eq!(refused("5", "5").as_deref(), Some("max_th"));
    assert_eq!(refused("5", "6"), None);
    // Automatic ones show in the setting: 12 packets are 12,000 bytes.
    let in_setting = |max_th: &str| {
        let mut problems = Vec::new();
        let given = [("min_th", "12 pkts"), ("max_th", max_th), ("w_q", "0.25")];
        Discipline::fits(&*params::<Params>(&given), &SETTING, &mut problems);
        problems.len()
    };
    assert_eq!([in_setting("12001 B"), in_setting("12000 B")], [0, 1]);
}

/// The integer form needs all four options; each alone may be what is missing.
#[test]
fn the_integer_form_needs_its_options() {
    let good = Params::clone(&params::<Params>(&INTEGER));
    assert!(Valid::new(good.clone()).is_ok());
    let bad = [
        Params { spacing: Spacing::Pseudocode, ..good.clone() },
        Params { unit: Unit::Packets, ..good.clone() },
        Params { above_max: AboveMax::Gentle, ..good.clone() },
        Params { byte_mode: ByteMode::Red2, ..good },
    ];
    for one in bad {
        let problems = Valid::new(one).unwrap_err();
        assert!(problems.iter().any(|problem| problem.path == "arithmetic"), "{problems:?}");
    }
}

/// Scaled numbers: 3 bytes in the queue sampled once are 3, at a weight of 1/2 an average of 1.5, at 1/8 of 0.375.
#[test]
fn integer_averages_of_two_weights() {
    let (mut half, mut eighth) = (integer("0.5"), integer("0.125"));
    assert_eq!([half.weight(), eighth.weight(), red(&[]).weight()], [0.5, 0.125, 0.25]);
    half.sample(3.0);
    eighth.sample(8.0);
    assert_eq!([half.average(), eighth.average()], [1.5, 1.0]);
    assert_eq!(half.average.part_of(&eighth.average), 0.375);
    assert_eq!(eighth.average.part_of(&half.average), 4.0);
    let mut real = red(&[]);
    average_of(&mut real, 2.0);
    assert_eq!(real.average.part_of(&eighth.average), 2.0);
    assert_eq!([wlog(0.5), wlog(0.002)], [1, 9]);
}

/// avg = (1 - w_q) avg + w_q q, with the weight that was set.
#[test]
fn a_weight_that_is_set_is_used() {
    let mut red = red(&[]);
    average_of(&mut red, 8.0);
    red.set_weight(0.5);
    assert_eq!(red.weight(), 0.5);
    red.sample(16.0);
    assert_eq!(red.average(), 12.0);
    red.set_weight(0.75);
    red.sample(0.0);
    assert_eq!((red.average(), QueueDisc::<KitPacket>::avg(&red)), (3.0, Some(3.0)));
}

/// An idle queue of 1000 packets a second forgets 3/4 a millisecond, also where it is only looked at.
#[test]
fn the_average_at_a_moment_of_idle_time() {
    let mut red = red(&[]);
    average_of(&mut red, 16.0);
    red.rest(Time::ZERO + Span::from_millis(1));
    let at = |queue: &Red<KitPacket>, ms: u64| queue.average_at(Time::ZERO + Span::from_millis(ms));
    assert_eq!([at(&red, 1), at(&red, 2), at(&red, 3)], [16.0, 12.0, 9.0]);
    assert_eq!(red.average(), 16.0, "looking changes nothing");
    red.queue.push(KitPacket::new(1, 1000), &Cx::new(Time::ZERO, &mut Always(0.0, 0), &mut Vec::new()));
    assert_eq!(at(&red, 3), 16.0, "it is not idle");
}

/// A curve without a slope above `max_th` gets none, and a step stays a step.
#[test]
fn curves_that_move_keep_their_form() {
    let mut capped = red(&[("above_max", "capped")]).curve;
    capped.set_max_p(0.25, true);
    assert_eq!([capped.p_b(8.0), capped.p_b(20.0), capped.p_b(99.0)], [0.125, 0.5, 0.5]);
    capped.set_thresholds(10.0, 30.0);
    assert_eq!([capped.p_b(30.0), capped.p_b(99.0), capped.forced_at()], [0.5, 0.5, f64::INFINITY]);
    let mut step = red(&[("above_max", "drop")]).curve;
    step.set_max_p(0.25, true);
    step.set_thresholds(8.0, 8.0);
    assert_eq!([step.p_b(7.0), step.p_b(8.0), step.forced_at()], [0.0, 1.0, 8.0]);
    // No upper threshold: the slope stays a number.
    let mut gentle = red(&[("above_max", "gentle")]).curve;
    gentle.set_thresholds(0.0, 0.0);
    assert_eq!(gentle.p_b(3.0), (0.5 / 12.0 * 3.0_f64).clamp(0.0, 1.0));
}

/// ns-2 counts bytes: 300 and 400 spared, then 1300 are judged with a count of 2 packets of 1000 bytes.
#[test]
fn bytes_add_up_between_marks() {
    let mut red = red(&[("byte_mode", "ns2"), ("mean_packet", "1000 B")]);
    red.marker.spare(300);
    red.marker.spare(400);
    // p_b 1/8: 2000 bytes are 2, 1/8 / (1 - 2/8) = 1/6, times 1.3 for the size.
    assert!(!judged(&mut red, 1300, 0.125, 0.22));
    // Now 3000 bytes: 1/8 / (1 - 3/8) = 0.2.
    assert!(!judged(&mut red, 1000, 0.125, 0.201));
    // 4000: 1/8 / (1 - 4/8) = 0.25.
    assert!(judged(&mut red, 1000, 0.125, 0.249));
    // The mark starts again: 1000 are 1, 1/8 / (1 - 1/8) = 0.142857.
    assert!(!judged(&mut red, 1000, 0.125, 0.143));
}

/// RED_4 counts sizes after their use, wherever arrivals count: p_b 1/4, packets of half the largest.
#[test]
fn weighted_counts_rise_after_use() {
    let given = |counting| [("byte_mode", "red_4"), ("max_packet", "2000 B"), ("counting", counting)];
    for counting in ["between", "carried"] {
        let mut red = red(&given(counting));
        red.marker.set_count(1.0, 0);
        if counting == "carried" {
            red.marker.arrive(1000);
            assert_eq!(red.marker.count(), 1.5);
        }
        // Count 1: 1/4 / (1 - 1/4) / 2 = 1/6.
        assert!(!judged(&mut red, 1000, 0.25, 0.167), "{counting}");
        assert_eq!(red.marker.count(), 1.5, "{counting}");
        if counting == "carried" {
            red.marker.arrive(1000);
        }
        // Count 1.5: 1/4 / (1 - 3/8) / 2 = 0.2.
        assert!(judged(&mut red, 1000, 0.25, 0.199), "{counting}");
        assert_eq!(red.marker.count(), 0.0, "{counting}");
    }
}

/// A draw of each arrival, as ns-2's `uniform() <= prob`: an ease of one half halves the probability of 1/4.
#[test]
fn an_ease_is_a_factor() {
    for draws in ["always", "needed"] {
        let marked = |draw: f64| {
            let mut red = red(&[("draws", draws)]);
            red.marker.set_count(-1.0, 0);
            let arrival = Arrival { p_b: 0.25, excess: 4.0, size: 1000, ease: 0.5 };
            marks(&mut red, arrival, draw)
        };
        assert_eq!([marked(0.124), marked(0.126), marked(0.4)], [true, false, false], "{draws}");
    }
}

/// At count 2 of p_b 1/4 the rest is 1/2; at count 3 it equals p_b, so that a mark is certain.
#[test]
fn the_fast_path_marks_as_figure_2() {
    let mut red = red(&[]);
    let mut at = |count: f64, draw: f64| {
        red.marker.set_count(count - 1.0, 0);
        let mut drawn = 0;
        let marked = red.marker.marks_fast(0.25, || {
            drawn += 1;
            draw
        });
        (marked, drawn)
    };
    assert_eq!([at(2.0, 0.499), at(2.0, 0.5)], [(true, 1), (false, 1)]);
    assert_eq!([at(3.0, 0.999), at(4.0, 0.999)], [(true, 0), (true, 0)], "no draw");
    assert_eq!([at(0.0, 0.249), at(0.0, 0.25)], [(true, 1), (false, 1)]);
}

/// The slow path of a lookahead: a forced drop, an early one, a full buffer, a packet that is kept.
#[test]
fn the_slow_path_keeps_what_the_buffer_admits() {
    let judged = |verdict: FastVerdict, avg: f64, len: u64| {
        let mut red = red(&[("limit", "20 pkts"), ("ecn", "true")]);
        average_of(&mut red, avg);
        let (mut fates, mut rng) = (Vec::new(), Always(0.0, 0));
        let pkt = KitPacket::new(7, 1000);
        let kept = red.judge_slow(pkt, verdict, len, &mut Cx::new(Time::ZERO, &mut rng, &mut fates));
        let reason = fates.first().map(|fate| match fate {
            Fate::Dropped(_, reason) => *reason,
            other => panic!("{other:?}"),
        });
        (kept.map(|stored| stored.id), reason)
    };
    assert_eq!(judged(FastVerdict::Kept(2.0), 2.0, 3), (Some(7), None));
    assert_eq!(judged(FastVerdict::Full, 2.0, 20), (None, Some(Reason::Overflow)));
    assert_eq!(judged(FastVerdict::SlowPath { q: 9.0 }, 13.0, 9), (None, Some(Reason::Forced)));
    assert_eq!(judged(FastVerdict::Mark { p_b: 0.25 }, 8.0, 9), (None, Some(Reason::Early)));
}

/// A packet on the wire that counts is part of the queue found: of one packet the average takes 1/4.
#[test]
fn a_packet_on_the_wire_is_in_the_sample() {
    let average = |on_wire: u64| {
        let mut red = red(&[]);
        red.q_time = None;
        let (mut fates, mut rng) = (Vec::new(), Always(0.0, 0));
        let mut cx = Cx::new(Time(5), &mut rng, &mut fates);
        cx.on_wire = Bytes(on_wire);
        red.take(KitPacket::new(1, 1000), &mut cx);
        (red.average(), red.queue.len())
    };
    assert_eq!([average(0), average(1000)], [(0.0, 1), (0.25, 1)]);
}

/// Packets that can be marked are, also by force, if both options say so.
#[test]
fn forced_marks() {
    let answered = |ecn: &str, forced: &str, pkt: KitPacket| {
        let mut red = red(&[("ecn", ecn), ("ecn_forced", forced)]);
        let (mut fates, mut rng) = (Vec::new(), Always(0.0, 0));
        let kept = red.answer(pkt, Signal::Forced, &mut Cx::new(Time::ZERO, &mut rng, &mut fates));
        (kept.is_some(), matches!(fates[..], [Fate::Marked(..)]), fates.len())
    };
    let (capable, plain) = (KitPacket::capable(9, 1000), KitPacket::new(9, 1000));
    assert_eq!(answered("true", "mark", capable), (true, true, 1));
    for (ecn, forced, pkt) in [("true", "mark", plain), ("true", "drop", capable), ("false", "mark", capable)]
    {
        assert_eq!(answered(ecn, forced, pkt), (false, false, 1), "{ecn} {forced}");
    }
}

/// The contents are replaced, oldest first; the state of the law is kept.
#[test]
fn packets_are_replaced() {
    let mut red = red(&[]);
    for id in 0..3 {
        red.queue.push(KitPacket::new(id, 1000), &Cx::new(Time::ZERO, &mut Always(0.0, 0), &mut Vec::new()));
    }
    red.replace_packets([8, 9].map(|id| KitPacket::new(id, 500)).into_iter());
    assert_eq!(red.packets().map(|pkt| pkt.id).collect::<Vec<_>>(), [8, 9]);
    assert_eq!(QueueDisc::<KitPacket>::backlog(&red), Bytes(1000));
}

/// Idle time begins where an arrival leaves nothing behind, and only there.
#[test]
fn idle_time_after_an_arrival() {
    let after = |avg: f64| {
        let mut red = red(&[]);
        red.q_time = None;
        average_of(&mut red, avg);
        let (mut fates, mut rng) = (Vec::new(), Always(0.0, 0));
        red.judge(KitPacket::new(1, 1000), 0.0, &mut Cx::new(Time(5), &mut rng, &mut fates));
        (red.queue.len(), red.q_time)
    };
    assert_eq!(after(2.0), (1, None));
    assert_eq!(after(12.0), (0, Some(Time(5))));
}

/// Linux's table: below one cell of 128 us the loss is a straight line, at most one half. Of a scaled 5 half a cell
/// loses 5 * 64 / 128 = 2, which is not below the half of 5, so that the half itself remains.
#[test]
fn short_idle_times_of_the_integer_form() {
    let after = |us: u64| {
        let mut red = integer("0.5");
        red.sample(5.0);
        red.average.decay(Time::ZERO, Time(us * 1000), 0.0);
        red.average() * 2.0
    };
    assert_eq!([after(25), after(51), after(64), after(127)], [5.0, 4.0, 2.0, 2.0]);
}

/// DPDK with packets of half the largest: of an excess of 4 one step is 2048, of the divisor 32,768.
#[test]
fn the_modulus_weighs_sizes_in_red_2() {
    let hits = |cached: f64| {
        let more = [
            ("spacing", "modulus"),
            ("counting", "carried"),
            ("byte_mode", "red_2"),
            ("max_packet", "1000 B"),
        ];
        let mut red = red(&more);
        red.marker.set_count(0.0, 0);
        let arrival = Arrival { p_b: 0.25, excess: 4.0, size: 500, ease: 1.0 };
        let draw = (cached + 0.5) / f64::from(1u32 << 22);
        marks(&mut red, arrival, draw)
    };
    assert_eq!([hits(2047.0), hits(2048.0), hits(32_768.0)], [true, false, true]);
}
