//! Tests of the controller's steps and bounds, worked by hand from RFC 8033.

use super::*;
use crate::disciplines::pie::{Params, Pie};
use crate::testing::{params, Bench, SETTING};
use alloc::{vec, vec::Vec};

const LONG: Backlog = Backlog { packets: 30, bytes: 30_000 };

fn law(rows: &[(&str, &str)]) -> PieLaw {
    params::<Params>(rows).law(&SETTING)
}

/// A state in which everything is dropped.
fn dropping(law: &PieLaw) -> PieState {
    PieState {
        drop_prob: 1.0,
        qdelay: 0.1,
        qdelay_old: 0.1,
        burst_allowance: Span::ZERO,
        active: true,
        ..law.start()
    }
}

/// Whether any of a hundred arrivals would be dropped, with a draw of `draw`.
fn drops_at(law: &PieLaw, state: &PieState, size: u64, backlog: Backlog, draw: f64) -> bool {
    let mut bench = Bench::new(Pie::new(&params(&[]), &SETTING));
    bench.rng.0 = draw;
    let mut state = state.clone();
    bench.with(|_, cx| (0..100).any(|_| law.drops(&mut state, size, backlog, cx)))
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} for {b}");
}

/// RFC 8033 section 4.1: each of its conditions spares an arrival by itself.
#[test]
fn each_condition_spares_arrivals() {
    let law = law(&[]);
    let dropped = |state: PieState, backlog: Backlog| drops_at(&law, &state, 1000, backlog, 0.0);
    let base = dropping(&law);
    assert!(dropped(base.clone(), LONG));
    assert!(!dropped(PieState { active: false, ..base.clone() }, LONG));
    assert!(!dropped(PieState { burst_allowance: Span(1), ..base.clone() }, LONG));
    assert!(!dropped(base.clone(), Backlog { packets: 2, bytes: 2000 }));
    // Uncongested: below half the target of 15 ms and below a probability of 0.2, both.
    let spared =
        |delay: f64, p: f64| dropped(PieState { qdelay_old: delay, drop_prob: p, ..base.clone() }, LONG);
    let half = law.target / 2.0;
    assert_eq!([spared(0.0074, 0.199), spared(half, 0.199), spared(0.0074, 0.2)], [false, true, true]);
    assert!(!spared(0.1, 0.0), "no probability, no drop");
}

#[test]
fn the_delay_that_is_judged() {
    let state = |law: &PieLaw, old: f64, latest: f64| PieState {
        drop_prob: 0.1,
        qdelay_old: old,
        qdelay: latest,
        ..dropping(law)
    };
    let (old, latest) = (law(&[]), law(&[("judged", "latest")]));
    assert!(drops_at(&old, &state(&old, 0.1, 0.0), 1000, LONG, 0.0));
    assert!(!drops_at(&old, &state(&old, 0.0, 0.1), 1000, LONG, 0.0));
    assert!(!drops_at(&latest, &state(&latest, 0.1, 0.0), 1000, LONG, 0.0));
    assert!(drops_at(&latest, &state(&latest, 0.0, 0.1), 1000, LONG, 0.0));
}

/// Sums of 0.25 reach `accu_low` exactly at 1.0 and `accu_high` exactly at 2.0: at the bound a packet may, and must,
/// go.
#[test]
fn the_bounds_of_the_sum() {
    let law = law(&[("accu_low", "1"), ("accu_high", "2")]);
    let mut state = PieState { drop_prob: 0.25, ..dropping(&law) };
    let mut bench = Bench::new(Pie::new(&params(&[]), &SETTING));
    let mut drops = |draw: f64, of: &mut PieState| {
        bench.rng.0 = draw;
        bench.with(|_, cx| law.drops(of, 1000, LONG, cx))
    };
    let sums: Vec<bool> = (0..4).map(|_| drops(0.0, &mut state)).collect();
    assert_eq!((sums, state.accu_prob), (vec![false, false, false, true], 0.0));
    let late: Vec<bool> = (0..8).map(|_| drops(0.9, &mut state)).collect();
    assert_eq!(late.iter().position(|drop| *drop), Some(7));
    // Without a probability nothing adds up, and what has is forgotten.
    (state.accu_prob, state.drop_prob) = (1.9, 0.0);
    assert!(!drops(0.9, &mut state));
    assert_eq!(state.accu_prob, 0.0);
    state.accu_prob = 1.9;
    law.overflowed(&mut state);
    assert_eq!(state.accu_prob, 0.0, "an overflow is a drop");
}

/// RFC 8033 section 4.1 in bytes: `p * size / mean`, at most `p`.
#[test]
fn smaller_packets_are_dropped_less() {
    let bytes = law(&[("byte_mode", "true"), ("derandomise", "false")]);
    let state = PieState { drop_prob: 0.8, ..dropping(&bytes) };
    close(bytes.probability(&state, 250), 0.2);
    close(bytes.probability(&state, 1000), 0.8);
    close(bytes.probability(&state, 4000), 0.8);
    close(law(&[]).probability(&state, 250), 0.8);
    assert!(drops_at(&bytes, &state, 250, LONG, 0.19) && !drops_at(&bytes, &state, 250, LONG, 0.21));
}

/// RFC 8033 section 5.1: marks up to a probability of 0.1, itself included.
#[test]
fn marks_and_their_limit() {
    let (on, off) = (law(&[("ecn", "true")]), law(&[]));
    let congestion = |law: &PieLaw, p: f64| {
        let state = PieState { drop_prob: p, ..law.start() };
        (law.marks(&state), law.gives_up_marks(&state))
    };
    assert_eq!(
        [congestion(&on, 0.05), congestion(&on, 0.1), congestion(&on, 0.11)],
        [(true, false), (true, false), (false, true)]
    );
    assert_eq!([congestion(&off, 0.05), congestion(&off, 0.11)], [(false, false); 2]);
}

/// 30 packets of 1000 bytes, a third of which is 10,000: RFC 8033 section 5.3 starts the controller there, as new.
#[test]
fn a_third_of_the_buffer_starts_the_controller() {
    let law = law(&[("active_share", "1/3"), ("limit", "30 pkts")]);
    let inactive = PieState { drop_prob: 0.3, qdelay_old: 0.2, last_departure: Some(Time(7)), ..law.start() };
    assert!(!inactive.active);
    let stored = |state: &PieState, bytes: u64| {
        let mut state = state.clone();
        law.stored(&mut state, Backlog { packets: bytes / 1000, bytes });
        (state.active, state.drop_prob, state.last_departure)
    };
    assert_eq!(stored(&inactive, 9999), (false, 0.3, Some(Time(7))));
    assert_eq!(stored(&inactive, 10_000), (true, 0.0, Some(Time(7))));
    let running = PieState { active: true, ..inactive.clone() };
    assert_eq!(
        stored(&running, 20_000),
        (true, 0.3, Some(Time(7))),
        "an active controller is not started again"
    );
    let always = self::law(&[]);
    let mut state = PieState { active: false, ..always.start() };
    always.stored(&mut state, LONG);
    assert!(!state.active, "without a share nothing starts it, as nothing stops it");
    assert!(always.start().active);
}

#[test]
fn it_stops_only_after_two_ticks_without_delay_or_probability() {
    let law = law(&[("active_share", "1/3"), ("limit", "30 pkts"), ("delay", "backlog")]);
    let after = |drop_prob: f64, old: f64, bytes: u64| {
        let meter = Meter { running: Some((Time(1), 5)), avg_dq_time: 0.5 };
        let mut state = PieState { active: true, drop_prob, qdelay_old: old, meter, ..law.start() };
        law.update(&mut state, Backlog { packets: bytes / 1000, bytes });
        (state.active, state.meter.running.is_some())
    };
    assert_eq!(after(0.0, 0.0, 0), (false, false));
    assert_eq!(after(0.5, 0.0, 0), (true, true));
    assert_eq!(after(0.0, 0.001, 0), (true, true));
    assert_eq!(after(0.0, 0.0, 1000), (true, true));
    let always = self::law(&[("delay", "backlog")]);
    let mut state = always.start();
    always.update(&mut state, Backlog { packets: 0, bytes: 0 });
    assert!(state.active);
    let mut inactive = PieState { active: false, ..law.start() };
    law.update(&mut inactive, LONG);
    assert_eq!((inactive.drop_prob, inactive.qdelay), (0.0, 0.0), "no tick while it is inactive");
}

/// RFC 8033 section 4.3: the allowance is renewed while the probability is zero and both delays lie below half the
/// target, else each tick takes `t_update` from it.
#[test]
fn the_allowance_of_bursts() {
    let left = |rows: &[(&str, &str)], drop_prob: f64, old: f64, latest: f64| {
        let law = law(rows);
        let (qdelay, burst_allowance) = (latest, Span::from_millis(60));
        let mut state = PieState { drop_prob, qdelay_old: old, qdelay, burst_allowance, ..law.start() };
        law.update(&mut state, LONG);
        (state.burst_ms(), state.qdelay_old)
    };
    // A probability that a step takes to zero counts as zero: -0.125 * 0.015 / 2048 is more than none.
    assert_eq!(left(&[], 0.0, 0.0074, 0.0074), (150.0, 0.0074));
    let half = law(&[]).target / 2.0;
    assert_eq!(left(&[], 0.0, half, 0.007), (45.0, 0.007));
    assert_eq!(left(&[], 0.0, 0.02, 0.007), (45.0, 0.007));
    // 0.125 * -0.0075 + 1.25 * 0.0005 is below zero, so the probability stays zero; but the delay is half the target.
    assert_eq!(left(&[], 0.0, 0.007, half), (45.0, half));
    assert_eq!(left(&[], 0.5, 0.0, 0.001), (45.0, 0.001));
    assert_eq!(left(&[("burst_clock", "departure")], 0.5, 0.0, 0.001), (60.0, 0.001));
}

#[test]
fn departures_use_up_the_allowance_where_they_are_its_clock() {
    let law = law(&[("burst_clock", "departure")]);
    let mut state = law.start();
    let packet = |packets: u64| Departure {
        sojourn: Span::from_millis(9),
        size: 1000,
        left: Backlog { packets, bytes: packets * 1000 },
    };
    for ms in [10, 30] {
        law.departed(&mut state, packet(3), Time(ms * 1_000_000));
    }
    assert_eq!(state.burst_ms(), 130.0);
    close(state.delay_ms(), 9.0);
    law.departed(&mut state, packet(0), Time(31 * 1_000_000));
    assert_eq!((state.burst_ms(), state.delay_ms()), (129.0, 0.0), "the last packet leaves no delay");
    let ticks = self::law(&[]);
    let mut ticking = ticks.start();
    ticks.departed(&mut ticking, packet(3), Time(1_000_000));
    assert_eq!(ticking.burst_ms(), 150.0);
}

/// RFC 8033 section 4.2.1 (departure rate): from `dq_threshold` on, over as many bytes; the weight of the average is
/// threshold / 2^16.
#[test]
fn the_measurement_of_the_departure_rate() {
    let law = law(&[("delay", "rate"), ("dq_threshold", "16384 B")]);
    let mut state = law.start();
    let depart = |of: &mut PieState, ms: u64, size: u64, bytes: u64| {
        let left = Backlog { packets: bytes / 1000, bytes };
        law.departed(of, Departure { sojourn: Span::ZERO, size, left }, Time(ms * 1_000_000));
        (of.meter.running.is_some(), of.meter.avg_dq_time)
    };
    // A byte too few; then just enough, with the packet at hand; 16,384 bytes in 8 ms.
    assert_eq!(depart(&mut state, 0, 1000, 15_383), (false, 0.0));
    assert_eq!(depart(&mut state, 1, 1000, 15_384), (true, 0.0));
    assert_eq!(depart(&mut state, 5, 16_383, 9000), (true, 0.0));
    assert_eq!(depart(&mut state, 9, 1, 16_383), (false, 0.008));
    // Twice the bytes in 8 ms are 4 ms for the threshold: 8 * 3/4 + 4 * 1/4 = 7 ms. The next starts at once.
    assert_eq!(depart(&mut state, 20, 1000, 50_000), (true, 0.008));
    let (running, average) = depart(&mut state, 28, 32_768, 16_384);
    close(average, 0.007);
    assert!(running);
    // 32,768 bytes that wait take 14 ms.
    law.update(&mut state, Backlog { packets: 30, bytes: 32_768 });
    close(state.delay_ms(), 14.0);
}

#[test]
fn a_delay_from_the_backlog() {
    let law = law(&[("delay", "backlog")]);
    let mut state = law.start();
    // 8 Mbit/s: a microsecond for each byte.
    law.update(&mut state, LONG);
    close(state.delay_ms(), 30.0);
}

#[test]
fn steps_at_their_bounds() {
    close(scale(0.99e-6), 1.0 / 2048.0);
    let bounds = [(1e-6, 512.0), (1e-5, 128.0), (1e-4, 32.0), (1e-3, 8.0), (1e-2, 2.0), (1e-1, 1.0)];
    for (p, divisor) in bounds {
        close(scale(p), 1.0 / divisor);
    }
    // A surge begins above 250 ms; at 0.1 the step is capped, below not; decay needs both delays to be zero.
    let surging = law(&[("surge_delay", "250 ms")]);
    let gentle = surging.next_prob(0.5, (0.250, 0.250), true);
    close(gentle, 0.5 + 0.02);
    close(surging.next_prob(0.5, (0.251, 0.251), true), 0.5 + 0.02 + 0.02);
    let law = law(&[]);
    close(law.next_prob(0.09, (0.515, 0.515), true), 0.09 + 0.0625 / 2.0);
    close(law.next_prob(0.1, (0.515, 0.515), true), 0.12);
    close(law.next_prob(0.5, (0.0, 0.001), true), 0.5 - 0.001875 - 0.00125);
    close(law.next_prob(0.5, (0.001, 0.0), true), 0.5 - 0.00175 + 0.00125);
}

#[test]
fn a_state_at_rest() {
    let law = law(&[]);
    let rests = |change: fn(&mut PieState)| {
        let mut state = law.start();
        change(&mut state);
        state.rests(&law)
    };
    assert!(rests(|_| ()));
    assert!(!rests(|state| state.drop_prob = 0.1));
    assert!(!rests(|state| state.qdelay = 0.1));
    assert!(!rests(|state| state.qdelay_old = 0.1));
    assert!(!rests(|state| state.burst_allowance = Span::ZERO));
    let beyond = PieState { drop_prob: 2.0, ..law.start() };
    assert_eq!(beyond.drop_prob(), 1.0);
}

/// The last departure left nothing, but a packet has arrived since: Linux does not let the probability decay, as it
/// cannot know the delay. Both let it do so with nothing held. The step is -0.015 / 8.
#[test]
fn linux_decays_with_an_empty_queue() {
    let one = Backlog { packets: 1, bytes: 1514 };
    let none = Backlog { packets: 0, bytes: 0 };
    for (dialect, held, factor) in [
        ("linux", one, 1.0),
        ("linux", none, 63.0 / 64.0),
        ("rfc_basic", one, 0.98),
        ("rfc_basic", none, 0.98),
    ] {
        let law = law(&[("dialect", dialect)]);
        let mut state = PieState { drop_prob: 0.5, ..law.start() };
        law.update(&mut state, held);
        close(state.drop_prob, (0.5 - 0.015 * 0.125) * factor);
    }
}

/// The allowance of 150 ms runs from departure to departure: not before the first one, and not over a rest.
#[test]
fn the_allowance_runs_between_departures() {
    let law = law(&[("dialect", "linux")]);
    let mut state = law.start();
    let depart = |pie: &mut PieState, ms: u64| {
        let packet = Departure { sojourn: Span::from_millis(1), size: 1514, left: LONG };
        law.departed(pie, packet, Time(ms * 1_000_000));
        pie.burst_ms()
    };
    assert_eq!([depart(&mut state, 5000), depart(&mut state, 5040)], [150.0, 110.0]);
    law.update(&mut state, LONG);
    assert_eq!(depart(&mut state, 9000), 150.0);
}
