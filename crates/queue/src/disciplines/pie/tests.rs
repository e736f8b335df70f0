//! Tests of PIE, worked by hand.

use super::*;
use crate::testing::{params, refused, Bench, Pkt, SETTING};
use units::Ecn;

fn bench(rows: &[(&str, &str)]) -> Bench<Pie<Pkt>> {
    Bench::new(Pie::new(&params(rows), &SETTING))
}

fn law_of(rows: &[(&str, &str)]) -> PieLaw {
    params::<Params>(rows).law(&SETTING)
}

#[test]
fn the_probability_of_a_constant_delay() {
    // d = 30 ms from p = 0 and d_old = 0: 0.125 * 0.015 + 1.25 * 0.030 = 0.039375, over 2048 = 1.92261e-5. From then on
    // 0.001875 a tick, over 128 below 1e-4 and over 32 above.
    let law = law_of(&[]);
    let (mut p, mut old) = (0.0, 0.0);
    let golden = [1.923e-5, 3.387e-5, 4.852e-5, 6.317e-5, 7.782e-5, 9.247e-5, 1.071e-4, 1.657e-4];
    for expected in golden {
        p = law.next_prob(p, (0.030, old), true);
        old = 0.030;
        assert!((p / expected - 1.0).abs() < 5e-4, "{p} for {expected}");
    }
}

#[test]
fn steps_are_scaled_capped_and_bounded() {
    let law = law_of(&[]);
    // 0.125 * 0.5 + 1.25 * 0.1 = 0.1875 at d = 515 ms, d_old = 415 ms.
    let step = |p: f64| law.next_prob(p, (0.515, 0.415), true) - p;
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(close(step(0.05), 0.1875 / 2.0));
    assert!(close(step(0.005), 0.1875 / 8.0));
    assert!(close(step(5e-4), 0.1875 / 32.0));
    assert!(close(step(5e-5), 0.1875 / 128.0));
    assert!(close(step(5e-6), 0.1875 / 512.0));
    assert!(close(step(5e-7), 0.1875 / 2048.0));
    assert!(close(step(0.1), 0.02));
    assert_eq!(law.next_prob(0.99, (0.515, 0.415), true), 1.0);
    assert_eq!(law.next_prob(0.001, (0.0, 0.5), true), 0.0);
    // No delay: 0.125 * -0.015 = -0.001875, then 2 % less.
    assert!(close(law.next_prob(0.5, (0.0, 0.0), true), (0.5 - 0.001875) * 0.98));
    let surging = law_of(&[("dialect", "linux")]);
    assert!(close(surging.next_prob(0.5, (0.515, 0.515), true), 0.5 + 0.02 + 0.02));
}

#[test]
fn a_burst_passes_for_its_allowance() {
    let mut queue = bench(&[]);
    for ms in 0..200 {
        queue.tick_until(ms * 1000);
        for _ in 0..2 {
            queue.arrive(ms * 1000, Pkt::new(0));
        }
        queue.depart(ms * 1000);
        // Ten ticks use it up: at the first the delay has risen already, so it is not renewed.
        let left = 150u64.saturating_sub(15 * (ms / 15));
        assert_eq!(queue.probe("burst_allowance_ms"), left as f64, "{ms} ms");
    }
    assert_eq!(queue.probe("burst_allowance_ms"), 0.0);
    assert!(queue.probe("drop_prob") > 0.01);
    assert_eq!(queue.fates, []);
}

#[test]
fn drops_are_spaced_by_the_sum_of_probabilities() {
    let law = law_of(&[]);
    let mut state = law.start();
    state.drop_prob = 0.25;
    state.use_up_allowance();
    let long = Backlog { packets: 10, bytes: 10_000 };
    let mut bench = Bench::new(Pie::<Pkt>::new(&params(&[]), &SETTING));
    let mut drops = |u: f64| {
        bench.rng.0 = u;
        bench.with(|_, cx| law.drops(&mut state, 1000, long, cx))
    };
    // 0.25, 0.5, 0.75: below 0.85, for any draw. At 1.0 the draw decides, at 8.5 nothing is drawn.
    assert_eq!([drops(0.0), drops(0.0), drops(0.0), drops(0.0)], [false, false, false, true]);
    let spared: Vec<bool> = (0..34).map(|_| drops(0.9)).collect();
    assert_eq!(spared.iter().position(|drop| *drop), Some(33));
    assert_eq!(bench.rng.1, 1 + 33 - 3);
}

#[test]
fn two_packets_are_never_dropped() {
    let below = |rows: &[(&str, &str)], packets: u64, bytes: u64| {
        let law = law_of(rows);
        let mut state = law.start();
        state.drop_prob = 1.0;
        state.use_up_allowance();
        let mut bench = bench(rows);
        bench.with(|_, cx| (0..9).any(|_| law.drops(&mut state, 1000, Backlog { packets, bytes }, cx)))
    };
    assert!(!below(&[], 20, 2000) && below(&[], 1, 2001));
    assert!(!below(&[("dialect", "ns3")], 2, 9000) && below(&[("dialect", "ns3")], 3, 120));
    assert!(!below(&[("dialect", "linux")], 9, 3027) && below(&[("dialect", "linux")], 9, 3028));
}

#[test]
fn the_departure_rate_makes_a_delay() {
    let law = law_of(&[("delay", "rate"), ("dq_threshold", "10000 B")]);
    let mut state = law.start();
    // 1000 bytes a millisecond: 10000 bytes take 10 ms, and 30000 bytes make 30 ms.
    for ms in 0..=30u64 {
        let left = Backlog { packets: 30, bytes: 30_000 };
        let packet = Departure { sojourn: Span::ZERO, size: 1000, left };
        law.departed(&mut state, packet, Time(ms * 1_000_000));
    }
    law.update(&mut state, Backlog { packets: 30, bytes: 30_000 });
    assert!((state.delay_ms() - 30.0).abs() < 1e-9, "{}", state.delay_ms());
}

#[test]
fn it_waits_for_a_third_of_the_buffer_where_configured() {
    let mut queue = bench(&[("active_share", "0.3333"), ("limit", "30 pkts")]);
    for i in 0..9 {
        queue.arrive(i, Pkt::new(0));
    }
    for tick in 1..100 {
        queue.tick_until(tick * 15_000);
    }
    assert_eq!(queue.probe("burst_allowance_ms"), 150.0, "nothing happens below 10 packets");
    queue.arrive(2_000_000, Pkt::new(0));
    queue.depart(2_000_000);
    queue.tick_until(2_100_000);
    assert!(queue.probe("burst_allowance_ms") < 100.0);
}

#[test]
fn ecn_marks_up_to_a_limit_and_drops_above() {
    for (prob, fate) in [(0.1, 'm'), (0.11, 'x')] {
        let mut queue = bench(&[("ecn", "true"), ("derandomise", "false")]);
        queue.disc.state.drop_prob = prob;
        queue.disc.state.use_up_allowance();
        queue.disc.state.set_delay_old(0.1);
        queue.rng.0 = 0.0;
        for _ in 0..4 {
            queue.arrive(0, Pkt { ecn: Ecn::Ect0, ..Pkt::new(0) });
        }
        assert_eq!(queue.fates, [(0, 3, fate)], "at {prob}; three find two or fewer waiting");
    }
}

#[test]
fn late_calls_keep_to_the_times_of_the_ticks() {
    let mut queue = bench(&[("dialect", "linux_hz250")]);
    assert_eq!(queue.disc.next_deadline(), Some(Time(500_000_000)));
    queue.with_time(600_000, |disc, cx| disc.on_deadline(cx));
    assert_eq!(queue.disc.next_deadline(), Some(Time(520_000_000)));
}

#[test]
fn sums_out_of_order_are_refused() {
    let shown = refused::<Params>(&[("accu_low", "9")]);
    assert!(shown[0].contains("accu_high = 8.5: must exceed accu_low (9)"), "{shown:?}");
}
