//! Tests of DualPI2, worked by hand.

use super::*;
use crate::testing::{params, refused, Bench, Pkt};

fn bench(rows: &[(&str, &str)]) -> Bench<DualPi2<Pkt>> {
    Bench::new(DualPi2::new(&params(rows)))
}

fn with_ecn(ecn: Ecn) -> Pkt {
    Pkt { ecn, ..Pkt::new(0) }
}

#[test]
fn the_controller_squares_and_couples() {
    // d = 47 ms from 0: 0.16 * 0.032 + 3.2 * 0.047 = 0.15552; then 0.16 * 0.032 = 0.00512 a step.
    let mut controller = Controller::new(&params(&[]));
    controller.update(Span::from_millis(47));
    assert!((controller.base() - 0.15552).abs() < 1e-12);
    assert!((controller.classic() - 0.15552 * 0.15552).abs() < 1e-12);
    assert!((controller.coupled() - 0.31104).abs() < 1e-12);
    controller.update(Span::from_millis(47));
    assert!((controller.base() - 0.16064).abs() < 1e-12);
    controller.update(Span::ZERO);
    // 0.16 * -0.015 - 3.2 * 0.047 = -0.1528.
    assert!((controller.base() - 0.00784).abs() < 1e-12);
    assert!(!controller.is_overloaded());
    for _ in 0..10 {
        controller.update(Span::from_millis(1000));
    }
    assert!(controller.is_overloaded() && controller.coupled() == 1.0);
}

#[test]
fn the_low_latency_queue_marks_on_a_ramp() {
    let marking = Marking::new(&params(&[("min_th", "1 ms"), ("range", "2 ms"), ("min_len", "1")]));
    let at = |us: u64| marking.native(Span::from_micros(us), 1);
    assert_eq!([at(1000), at(1500), at(2500), at(3000), at(9000)], [0.0, 0.25, 0.75, 1.0, 1.0]);
    assert_eq!(marking.native(Span::from_millis(9), 0), 0.0, "the last packet is not marked");
    let step = Marking::new(&params(&[("dialect", "linux")]));
    assert_eq!(step.native(Span::from_millis(1), 0), 0.0);
    assert_eq!(step.native(Span(1_000_001), 0), 1.0);
}

#[test]
fn packets_are_sorted_by_their_ecn_field() {
    let mut queue = bench(&[]);
    for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        queue.arrive(0, with_ecn(ecn));
    }
    assert_eq!((queue.probe("low_latency_pkts"), queue.probe("classic_pkts")), (2.0, 2.0));
    // The low-latency queue first: it owes the classic one 100 bytes then.
    let sent: Vec<Ecn> = core::iter::from_fn(|| queue.depart(0).map(|pkt| pkt.ecn)).collect();
    assert_eq!(sent, [Ecn::Ect1, Ecn::NotEct, Ecn::Ce, Ecn::Ect0]);
}

#[test]
fn the_classic_queue_gets_its_share() {
    let mut queue = bench(&[("classic_share", "0.25")]);
    for _ in 0..400 {
        queue.arrive(0, with_ecn(Ecn::Ect1));
        queue.arrive(0, with_ecn(Ecn::NotEct));
    }
    let classic = (0..400).filter(|_| queue.depart(0).is_some_and(|pkt| pkt.ecn == Ecn::NotEct)).count();
    assert_eq!(classic, 100);
}

#[test]
fn recurring_marks_are_evenly_spaced() {
    let mut queue = bench(&[]);
    let mut marking = Marking::new(&params(&[]));
    let marks: Vec<bool> =
        (0..10).map(|_| queue.with(|_, cx| marking.draws(Side::LowLatency, 0.375, cx))).collect();
    // Sums 0.375, 0.75, 1.125, 0.5, 0.875, 1.25, 0.625, 1.0, 1.375, 0.75: a mark where it passes 1.
    let at: Vec<usize> = (0..10).filter(|i| marks[*i]).collect();
    assert_eq!(at, [2, 5, 8]);
    assert_eq!(queue.rng.1, 0);
}

#[test]
fn the_delay_of_the_heads_drives_the_controller_at_its_ticks() {
    let mut queue = bench(&[]);
    queue.arrive(1_000, with_ecn(Ecn::NotEct));
    queue.tick_until(16_000);
    // 15 ms at the first tick: no distance, so 3.2 * 0.015.
    assert!((queue.probe("p_base") - 0.048).abs() < 1e-12);
    queue.tick_until(32_000);
    // 31 ms: 0.16 * 0.016 + 3.2 * 0.016 more.
    assert!((queue.probe("p_base") - 0.048 - 0.05376).abs() < 1e-12);
}

#[test]
fn overload_drops_both_and_otherwise_low_latency_is_only_marked() {
    let fates = |rows: &[(&str, &str)]| {
        let mut all = vec![("draw", "random")];
        all.extend(rows);
        let mut queue = bench(&all);
        queue.rng.0 = 0.3;
        queue.arrive(0, with_ecn(Ecn::NotEct));
        queue.tick_until(200_000);
        assert!(queue.probe("p_base") > 0.55, "overloaded, and p'^2 is above 0.3");
        queue.arrive(200_000, with_ecn(Ecn::Ect1));
        queue.arrive(200_000, with_ecn(Ecn::Ect0));
        while queue.depart(200_000).is_some() {}
        queue.fates.iter().map(|fate| (fate.1, fate.2)).collect::<Vec<_>>()
    };
    assert_eq!(fates(&[]), [(1, 'x'), (0, 'x'), (2, 'x')]);
    assert_eq!(fates(&[("overload", "mark")]), [(1, 'm'), (0, 'x'), (2, 'x')]);
}

#[test]
fn thresholds_above_the_target_are_refused() {
    let shown = refused::<Params>(&[("min_th", "15 ms")]);
    assert!(shown[0].contains("target = \"15 ms\": must exceed min_th and range (\"15.4 ms\")"), "{shown:?}");
}
