//! Tests of CoDel, worked by hand.

use super::*;
use crate::testing::{params, refused, Bench, Pkt};
use units::Ecn;

fn bench(rows: &[(&str, &str)]) -> Bench<CoDel<Pkt>> {
    Bench::new(CoDel::new(&params(rows)))
}

/// Holds 300 packets in the queue, each taken out `wait_us` after it came, one every `step_us`; returns the times of
/// fates.
fn overload(queue: &mut Bench<CoDel<Pkt>>, ecn: Ecn, until_us: u64, step_us: u64) -> Vec<u64> {
    let wait = 300 * step_us;
    for now in (0..until_us).step_by(step_us as usize) {
        queue.arrive(now, Pkt { ecn, ..Pkt::new(0) });
        if now >= wait {
            queue.depart(now);
        }
    }
    queue.fates.iter().map(|fate| fate.0).collect()
}

#[test]
fn drops_of_a_standing_queue_follow_the_root_of_count() {
    // Every 50 us a packet that waited 15 ms leaves. Above target from 15 ms, so in the dropping state from 115 ms;
    // then 100 ms / sqrt(count) apart: 0, 100, 170.711, 228.446, 278.446, 323.167, 363.992, 401.788, 437.144.
    let fates = overload(&mut bench(&[]), Ecn::NotEct, 560_000, 50);
    let offsets: Vec<f64> = fates.iter().map(|us| (us - fates[0]) as f64 / 1000.0).collect();
    assert_eq!(fates[0], 115_000);
    let golden = [0.0, 100.0, 170.711, 228.446, 278.446, 323.167, 363.992, 401.788, 437.144];
    assert_eq!(offsets.len(), golden.len(), "{offsets:?}");
    for (offset, due) in offsets.iter().zip(golden) {
        // A drop falls at the first departure at or after its time.
        assert!((0.0..0.05).contains(&(offset - due + 0.0005)), "{offset} for {due}");
    }
}

#[test]
fn the_schedule_itself_is_exact() {
    let law = CoDelLaw::new(&params(&[]));
    let mut at = 0u64;
    let offsets: Vec<u64> = (1..=8)
        .map(|count| {
            at = law.schedule_after(at, count);
            at
        })
        .collect();
    let golden_us = [100_000, 170_711, 228_446, 278_446, 323_167, 363_992, 401_788, 437_144];
    for (ns, us) in offsets.iter().zip(golden_us) {
        assert_eq!((ns + 500) / 1000, us);
    }
}

#[test]
fn newton_steps_follow_the_root_from_one_up() {
    let law = CoDelLaw::new(&params(&[("dialect", "linux")]));
    let mut state = CoDelState::default();
    for count in 1..=200u32 {
        law.raise(&mut state);
        assert_eq!(state.count(), count);
        let exact = 65536.0 / f64::from(count).sqrt();
        let error = (f64::from(state.inv_sqrt()) - exact).abs() / exact;
        // The first steps lag: at 2 the iteration gives 1/2 for 0.7071, and is right soon after.
        assert!(count < 6 || error < 0.05, "count {count}: {} for {exact}", state.inv_sqrt());
    }
}

#[test]
fn marks_do_not_loop_and_end_nothing() {
    let mut queue = bench(&[("ecn", "true")]);
    let fates = overload(&mut queue, Ecn::Ect0, 400_000, 50);
    assert!(queue.dropped().is_empty());
    assert_eq!(fates[0], 115_000);
    assert!((214_950..=215_050).contains(&fates[1]), "{fates:?}");
}

#[test]
fn a_short_burst_passes() {
    let mut queue = bench(&[]);
    for _ in 0..90 {
        queue.arrive(0, Pkt::new(0));
    }
    for ms in 0..90 {
        assert!(queue.depart(ms * 1000).is_some());
    }
    assert_eq!(queue.fates, []);
}

#[test]
fn the_last_packet_is_kept_however_long_it_waited() {
    let mut queue = bench(&[]);
    queue.arrive(0, Pkt::new(0));
    assert!(queue.depart(10_000_000).is_some());
    for _ in 0..3 {
        queue.arrive(20_000_000, Pkt::new(0));
    }
    // Two packets are left behind the first, one behind the second: the guard of one packet holds for that.
    assert!(queue.depart(20_010_000).is_some());
    assert!(queue.depart(20_200_000).is_some());
    assert_eq!(queue.fates, []);
}

/// Drop state from 115 ms to its end at `until`, then empty, then again: `count` on entering again.
fn count_after_pause(rows: &[(&str, &str)], pause_us: u64) -> f64 {
    let mut queue = bench(rows);
    overload(&mut queue, Ecn::NotEct, 560_000, 50);
    while queue.depart(560_000).is_some() {}
    let drops = queue.fates.len();
    let start = 560_000 + pause_us;
    for now in (0..).step_by(50).map(|us| start + us) {
        queue.arrive(now, Pkt::new(0));
        if now >= start + 15_000 {
            queue.depart(now);
        }
        if queue.fates.len() > drops {
            return queue.probe("count");
        }
    }
    f64::NAN
}

#[test]
fn a_new_dropping_state_resumes_the_rate_of_the_last() {
    // Nine drops: count is 9, of which 8 since entry. The next would have come at 115 + 470.477 ms.
    assert_eq!(count_after_pause(&[], 100_000), 8.0);
    assert_eq!(count_after_pause(&[("count_rule", "minus_two")], 100_000), 7.0);
    assert_eq!(count_after_pause(&[("count_rule", "restart")], 100_000), 1.0);
    // The new state is entered some 90 ms and the pause after that: 16 intervals of 100 ms are the limit.
    assert_eq!(count_after_pause(&[], 1_490_000), 8.0);
    assert_eq!(count_after_pause(&[], 1_530_000), 1.0);
    // 16 intervals are over; with the article's rule one is.
    assert_eq!(count_after_pause(&[], 1_700_000), 1.0);
    assert_eq!(count_after_pause(&[("dialect", "nj12")], 200_000), 1.0);
}

#[test]
fn a_clock_of_32_bits_needs_a_signed_comparison() {
    let drops = |clock: &str, start_us: u64| {
        let mut queue = bench(&[("clock", clock)]);
        for us in (0..400_000).step_by(50) {
            queue.arrive(start_us + us, Pkt::new(0));
            if us >= 15_000 {
                queue.depart(start_us + us);
            }
        }
        queue.fates.len()
    };
    // 2^32 ticks of 1024 ns are 4398.0465 s: start 50 ms before, so that first_above_time lies beyond the wrap.
    let wrap_us = 4_398_046_511 - 50_000;
    assert_eq!(drops("exact", wrap_us), drops("ticks", wrap_us));
    assert_eq!(drops("ticks", 0), drops("ticks_no_wrap", 0));
    assert_ne!(drops("ticks", wrap_us), drops("ticks_no_wrap", wrap_us));
}

#[test]
fn ce_threshold_marks_at_once() {
    let mut queue = bench(&[("ce_threshold", "1 ms"), ("ce_for", "ect1")]);
    for ecn in [Ecn::Ect1, Ecn::Ect0, Ecn::NotEct, Ecn::Ect1] {
        queue.arrive(0, Pkt { ecn, ..Pkt::new(0) });
    }
    assert_eq!(queue.depart(1_000).map(|pkt| pkt.ecn), Some(Ecn::Ect1), "one millisecond is not above one");
    assert_eq!(queue.depart(1_100).map(|pkt| pkt.ecn), Some(Ecn::Ect0));
    assert_eq!(queue.depart(1_100).map(|pkt| pkt.ecn), Some(Ecn::NotEct));
    assert_eq!(queue.depart(1_100).map(|pkt| pkt.ecn), Some(Ecn::Ce));
    assert_eq!(queue.fates, [(1_100, 3, 'm')]);
}

#[test]
fn times_out_of_order_are_refused() {
    let shown = refused::<Params>(&[("target", "100 ms")]);
    assert_eq!(shown.len(), 1);
    assert!(shown[0].contains("target = \"100 ms\": must lie below interval"), "{shown:?}");
}
