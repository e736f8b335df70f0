//! Tests of COBALT, worked by hand.

use super::*;
use crate::testing::{params, Bench, Pkt};
use units::Ecn;

fn bench(rows: &[(&str, &str)]) -> Bench<Cobalt<Pkt>> {
    Bench::new(Cobalt::new(&params(rows)))
}

/// From `start_us`, packets that wait 15 ms leave every 50 us.
fn overload(queue: &mut Bench<Cobalt<Pkt>>, start_us: u64, until_us: u64, ecn: Ecn) {
    for now in (start_us..until_us).step_by(50) {
        queue.arrive(now, Pkt { ecn, ..Pkt::new(0) });
        if now >= start_us + 15_000 {
            queue.depart(now);
        }
    }
}

#[test]
fn signals_fall_by_codels_schedule_after_an_interval() {
    let mut queue = bench(&[]);
    overload(&mut queue, 0, 400_000, Ecn::NotEct);
    // Late from 15 ms, so due at 115 ms; then count is 2, and the next is due 70.711 ms later, and so on:
    // 115, 185.711, 243.446, 293.446, 338.167, 378.992 ms.
    let times: Vec<u64> = queue.fates.iter().map(|fate| fate.0).collect();
    assert_eq!(times, [115_000, 185_750, 243_450, 293_450, 338_200, 379_000]);
    assert_eq!(queue.probe("count"), 7.0);
}

#[test]
fn after_a_pause_the_second_late_packet_is_signalled_if_it_is_to_be() {
    let signals = |rows: &[(&str, &str)]| {
        let mut queue = bench(rows);
        queue.arrive(0, Pkt::new(0));
        queue.depart(0);
        // Nothing for 200 ms; then packets wait 10 ms each.
        for us in (200_000..260_000).step_by(1_000) {
            queue.arrive(us, Pkt::new(0));
            if us >= 210_000 {
                queue.depart(us);
            }
        }
        queue.fates.iter().map(|fate| fate.0).collect::<Vec<u64>>()
    };
    assert_eq!(signals(&[]), [0; 0], "an interval has not passed");
    // The first late one leaves at 210 ms, the second is dropped; the next signal is due 70.7 ms later.
    assert_eq!(signals(&[("after_pause", "at_once")]), [211_000]);
}

#[test]
fn the_count_falls_by_the_slots_that_pass() {
    let mut queue = bench(&[]);
    overload(&mut queue, 0, 200_000, Ecn::NotEct);
    assert_eq!((queue.fates.len(), queue.probe("count")), (2, 3.0));
    while queue.depart(200_000).is_some() {}
    // The next was due 57.735 ms after 185.711; slots of count 2 and 1 end at 314.157 and 414.157 ms.
    for (us, count) in [(243_000, 3.0), (244_000, 2.0), (315_000, 1.0), (414_200, 0.0)] {
        queue.arrive(us, Pkt::new(0));
        queue.depart(us);
        assert_eq!(queue.probe("count"), count, "at {us} us");
    }
}

#[test]
fn blue_moves_by_its_steps_once_a_target() {
    let mut queue = bench(&[("limit", "1 pkts")]);
    queue.rng.0 = 0.5;
    for us in [12_000, 12_001, 12_002] {
        queue.arrive(us, Pkt::new(0));
    }
    assert!(queue.depart(12_003).is_some());
    queue.arrive(12_004, Pkt::new(0));
    queue.arrive(17_002, Pkt::new(0));
    assert_eq!(queue.probe("p_drop"), 2.0 / 256.0, "the overflow at 12.002 ms came too soon");
    assert!(queue.depart(17_002).is_some());
    for (us, steps) in [(17_010, 0.0), (22_003, 1.0), (22_004, 1.0), (27_004, 2.0)] {
        assert!(queue.depart(us).is_none());
        assert_eq!(queue.probe("p_drop"), 2.0 / 256.0 - steps / 4096.0, "at {us} us");
    }
}

#[test]
fn blue_drops_what_codel_would_mark() {
    let mut queue = bench(&[("ecn", "true"), ("blue_threshold", "10 ms")]);
    overload(&mut queue, 0, 130_000, Ecn::Ect0);
    assert_eq!(queue.fates, [(115_000, 2000, 'm')]);
    assert!(queue.probe("p_drop") > 0.05, "22 steps of 1/256 in 115 ms");
    queue.rng.0 = 0.0;
    queue.depart(130_000);
    assert!(queue.dropped().len() > 1, "with these random numbers BLUE drops all");
}
