use super::*;
use crate::testing::{params, refused, Bench, Pkt};

fn bench(rows: &[(&str, &str)]) -> Bench<Cake<Pkt>> {
    Bench::new(Cake::new(&params(rows)))
}

/// Serves the line whenever it may send, until a time; what left, with its microsecond.
fn run(bench: &mut Bench<Cake<Pkt>>, from_us: u64, to_us: u64) -> Vec<(u64, Pkt)> {
    let mut sent = Vec::new();
    for us in from_us..to_us {
        while let Some(pkt) = bench.depart(us) {
            sent.push((us, pkt));
        }
    }
    sent
}

#[test]
fn the_shaper_sends_at_its_rate_with_what_the_wire_adds() {
    // 8 Mbit/s: a byte a microsecond; 1000 bytes count 1000 + 44 in 22 cells of 53: 1166.
    let mut queue =
        bench(&[("bandwidth", "8 Mbit/s"), ("overhead", "44 B"), ("framing", "atm"), ("tins", "besteffort")]);
    (0..4).for_each(|_| queue.arrive(100, Pkt::new(0)));
    assert_eq!(queue.disc.ready(), Some(Time(100_000)));
    let at: Vec<u64> = run(&mut queue, 100, 10_000).iter().map(|(us, _)| *us).collect();
    assert_eq!(at, [100, 1266, 2432, 3598]);
    // No credit for idling: the next two are a packet apart again.
    (0..2).for_each(|_| queue.arrive(50_000, Pkt::new(0)));
    let later: Vec<u64> = run(&mut queue, 50_000, 60_000).iter().map(|(us, _)| *us).collect();
    assert_eq!(later, [50_000, 51_166]);
}

#[test]
fn voice_goes_first_up_to_its_share_and_bulk_gets_a_sixteenth() {
    let mut queue = bench(&[("bandwidth", "8 Mbit/s"), ("interval", "10 s")]);
    for i in 0..400 {
        for (flow, class) in [(1, 46), (2, 0), (3, 8)] {
            queue.arrive(i, Pkt { flow, class, ..Pkt::new(0) });
        }
    }
    let sent = run(&mut queue, 400, 320_400);
    let of = |flow: u64| sent.iter().filter(|(_, pkt)| pkt.flow == flow).count();
    // A quarter, a sixteenth, and what is left, of 320.
    assert!((320..=321).contains(&sent.len()), "{}", sent.len());
    assert!((79..=82).contains(&of(1)), "{} of voice", of(1));
    assert!((19..=22).contains(&of(3)), "{} of bulk", of(3));
}

#[test]
fn without_a_shaper_tins_share_by_weight() {
    let mut queue = bench(&[("interval", "10 s")]);
    for i in 0..2000 {
        for (flow, class) in [(1, 46), (2, 0), (3, 8)] {
            queue.arrive(i, Pkt { flow, class, ..Pkt::new(0) });
        }
    }
    let mut count = [0_u64; 4];
    (0..1344).for_each(|_| count[queue.depart(3000).unwrap().flow as usize] += 1);
    // 256 : 1024 : 64.
    assert!(count[1].abs_diff(256) < 8 && count[3].abs_diff(64) < 8, "{count:?}");
}

#[test]
fn one_flow_of_a_host_gets_as_much_as_eight_of_another() {
    let share = |isolate: &str| {
        let mut queue = bench(&[("tins", "besteffort"), ("isolate", isolate), ("interval", "10 s")]);
        for _ in 0..400 {
            for flow in 1..=9 {
                let host = if flow == 1 { 1 } else { 2 };
                queue.arrive(0, Pkt { flow, hosts: [host, 7], ..Pkt::new(0) });
            }
        }
        queue.rng.0 = 0.5;
        (0..400).filter(|_| queue.depart(1).unwrap().flow == 1).count()
    };
    assert!(share("flows").abs_diff(400 / 9) < 3, "{}", share("flows"));
    assert!(share("dual_srchost").abs_diff(200) < 12, "{}", share("dual_srchost"));
    assert!(share("dual_dsthost").abs_diff(400 / 9) < 6, "{}", share("dual_dsthost"));
    assert!(share("srchost").abs_diff(200) < 3, "{}", share("srchost"));
}

/// 1514 times 65535 are 1513 times 65536 and 64022 more: of two flows with packets of 1513 bytes each sends two a turn, or one.
#[test]
fn linux_divides_by_one_too() {
    let order = |division: &str, rng: f64| {
        let rows = [("tins", "besteffort"), ("isolate", "flows"), ("division", division)];
        let mut queue = bench(&rows);
        queue.rng.0 = rng;
        for flow in [1, 1, 1, 2, 2, 2] {
            queue.arrive(0, Pkt { flow, size: 1513, ..Pkt::new(0) });
        }
        (0..4).map(|_| queue.depart(1).unwrap().flow).collect::<Vec<u64>>()
    };
    let share = 64_022.0 / 65_536.0;
    assert_eq!(order("sixteen_bits", share + 1e-9), [1, 2, 1, 2]);
    assert_eq!(order("sixteen_bits", share - 1e-9), [1, 1, 2, 2]);
    assert_eq!(order("exact", share + 1e-9), [1, 1, 2, 2]);
}

#[test]
fn a_sparse_flow_goes_first() {
    let mut queue = bench(&[("tins", "besteffort")]);
    (0..20).for_each(|_| queue.arrive(0, Pkt { flow: 1, ..Pkt::new(0) }));
    (0..3).for_each(|_| assert_eq!(queue.depart(1).unwrap().flow, 1));
    queue.arrive(2, Pkt { flow: 2, size: 100, ..Pkt::new(0) });
    assert_eq!(queue.depart(2).unwrap().flow, 2);
}

#[test]
fn a_full_buffer_takes_the_head_of_the_fattest_queue() {
    let mut queue = bench(&[("tins", "besteffort"), ("limit", "5 pkts")]);
    for flow in [1, 2, 2, 2, 3, 1] {
        queue.arrive(0, Pkt { flow, ..Pkt::new(0) });
    }
    assert_eq!(queue.dropped(), [1]);
}

#[test]
fn flows_have_queues_of_their_own_while_the_sets_last() {
    let mut queue = bench(&[("tins", "besteffort"), ("limit", "10000 pkts")]);
    (0..200).for_each(|flow| queue.arrive(0, Pkt { flow, ..Pkt::new(0) }));
    assert_eq!(queue.probe("active_flows"), 200.0);
}

#[test]
fn times_that_do_not_fit_are_refused() {
    let told = refused::<Params>(&[("target", "200 ms")]);
    assert!(told[0].contains("target"), "{told:?}");
    assert_eq!(refused::<Params>(&[("overhead", "300 B")]).len(), 1);
}
