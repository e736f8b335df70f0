//! Tests of the control law's steps and bounds, worked by hand from RFC 8289 and from Linux's integers.

use super::*;
use crate::disc::QueueDisc;
use crate::disciplines::codel::CoDel;
use crate::testing::{params, Bench, Pkt};

const MS: u64 = 1_000_000;

fn law(rows: &[(&str, &str)]) -> CoDelLaw {
    CoDelLaw::new(&params(rows))
}

/// A queue that is never shorter than `depth` packets, of which one leaves every millisecond: each waited `depth` ms.
fn standing(depth: u64, until_ms: u64) -> Bench<CoDel<Pkt>> {
    let mut queue = Bench::new(CoDel::new(&params(&[])));
    for ms in 0..until_ms {
        queue.arrive(ms * 1000, Pkt::new(0));
        if ms >= depth {
            queue.depart(ms * 1000);
        }
    }
    queue
}

/// RFC 8289 section 5.6: `sojourn_time < target` resets; a sojourn of exactly the target does not.
#[test]
fn a_sojourn_of_exactly_the_target_is_above_it() {
    assert!(!standing(5, 300).dropped().is_empty());
    assert!(standing(4, 300).dropped().is_empty());
    assert_eq!(standing(8, 108).probe("dropping"), 0.0);
    // Above target from 8 ms, so in the dropping state from 108 ms; the packet behind the one dropped waited 7 ms.
    let mut longer = standing(8, 109);
    assert_eq!(longer.dropped(), [100]);
    assert_eq!((longer.probe("dropping"), longer.probe("sojourn_ms")), (1.0, 7.0));
    // One packet is left behind: the guard of one packet ends the dropping state.
    while longer.disc.len() > 1 {
        longer.depart(109_000);
    }
    assert_eq!(longer.probe("dropping"), 0.0);
    longer.depart(109_000);
    longer.depart(109_000);
    assert_eq!(longer.probe("sojourn_ms"), 0.0, "an empty queue has no sojourn");
}

#[test]
fn an_overflow_counts_as_a_drop_of_the_state() {
    let mut state = CoDelState { count: 3, ..CoDelState::default() };
    state.overflowed();
    assert_eq!(state.count(), 4);
    state.count = u32::MAX;
    state.overflowed();
    assert_eq!(state.count(), 0);
}

/// RFC 8289 section 5.5: the rate is resumed if `now - drop_next < 16 * interval` and the drops of the last state
/// exceed one.
#[test]
fn a_rate_is_resumed_within_sixteen_intervals() {
    let law = law(&[]);
    let entered = |count: u32, lastcount: u32, after: u64| {
        let mut state = CoDelState { count, lastcount, drop_next: 50 * MS, ..CoDelState::default() };
        law.enter(&mut state, 50 * MS + after);
        assert!(state.dropping && state.lastcount == state.count);
        assert_eq!(state.drop_next, law.schedule_after(50 * MS + after, state.count));
        state.count
    };
    assert_eq!(
        [entered(9, 1, 1600 * MS - 1), entered(9, 1, 1600 * MS), entered(9, 1, 1600 * MS + 1)],
        [8, 1, 1]
    );
    assert_eq!([entered(3, 1, 0), entered(2, 1, 0), entered(1, 1, 0)], [2, 1, 1]);
}

/// Linux: `delta > 1` takes a step of Newton's from the last root, else the root of one is set.
#[test]
fn the_root_starts_over_with_the_count() {
    let after = |rows: &[(&str, &str)], count: u32, lastcount: u32| {
        let mut state = CoDelState { count, lastcount, inv_sqrt: 0x8000, ..CoDelState::default() };
        law(rows).enter(&mut state, 1);
        (state.count, state.inv_sqrt)
    };
    // From 1/2 at 1: 1/2 (3 - 1/4) / 2 = 11/16 = 0xb000; at 2: 1/2 (3 - 2/4) / 2 = 5/8 = 0xa000.
    let linux = [("dialect", "linux")];
    assert_eq!([after(&linux, 3, 2), after(&linux, 4, 2)], [(1, u16::MAX), (2, 0xa000)]);
    let two_less = [("root", "newton"), ("count_rule", "minus_two")];
    assert_eq!(
        [after(&two_less, 2, 0), after(&two_less, 3, 0), after(&two_less, 4, 0)],
        [(1, u16::MAX), (1, 0xb000), (2, 0xa000)]
    );
}

/// Linux's `reciprocal_scale`: 100 ms are 97,656 ticks of 1024 ns; times 65535/65536 and 1/2.
#[test]
fn the_next_drop_in_ticks() {
    let law = law(&[("dialect", "linux")]);
    let next =
        |from: u64, inv_sqrt: u16| law.control_law(from, &CoDelState { inv_sqrt, ..CoDelState::default() });
    assert_eq!([next(0, u16::MAX), next(7, 0x8000), next(7, 0)], [97_654, 48_835, 7]);
    assert_eq!(next(u64::from(u32::MAX), 0x8000), 48_827, "the clock wraps at 2^32");
    let exact = self::law(&[]);
    assert_eq!(exact.control_law(5, &CoDelState { count: 4, ..CoDelState::default() }), 5 + 50 * MS);
}

#[test]
fn clocks() {
    let (exact, ticks, wrapless) = (ScheduleClock::Exact, ScheduleClock::Ticks, ScheduleClock::TicksNoWrap);
    assert_eq!([exact, ticks, wrapless].map(|clock| clock.read(Time(5 * 1024 + 1023))), [6143, 5, 5]);
    let wrap = Time((1 << 42) + 3 * 1024);
    assert_eq!([ticks.read(wrap), wrapless.read(wrap), exact.read(wrap)], [3, 3, wrap.0]);
    assert_eq!(ticks.waited(wrap, Time(wrap.0 - 5 * 1024)), 5, "over the wrap");
    assert_eq!(exact.waited(Time(9), Time(2)), 7);
    assert_eq!([exact.difference(2, 9), exact.difference(9, 2)], [-7, 7]);
    assert_eq!([ticks.difference(2, 0xffff_fffe), wrapless.difference(2, 0xffff_fffe)], [4, -0xffff_fffc]);
}
