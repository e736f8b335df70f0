//! Coverage: most segments and acknowledgements of the comparisons take the fast path.

use super::*;

/// The comparison covers the fast path of RACK, paced or not.
#[test]
fn the_fast_path_of_rack_is_the_common_one() {
    for cc in ["cubic", "bbr", "bbr3"] {
        let mut twins = Twins::new(&params_with("linux", cc, false), u64::from(u32::MAX));
        for step in 0..2000u32 {
            twins.step(if step % 997 == 0 { 0 } else { 100 });
        }
        let (sent, acks) = (twins.senders[0].counters().sent, twins.plain);
        assert!(twins.fast[0] * 10 > acks * 9, "{cc}: {:?} of {acks}", twins.fast);
        assert!(u64::from(twins.fast[1]) * 2 > sent, "{cc}: {:?} of {sent}", twins.fast);
    }
}

/// The comparison covers a receiver with the rule `linux` and the ACKs with its window: with rare losses most take the fast path.
#[test]
fn the_fast_path_takes_windows() {
    let mut twins = Twins::new(&params_with("linux-7.3", "cubic", false), u64::from(u32::MAX));
    for step in 0..2000u32 {
        twins.step(if step % 497 == 0 { 0 } else { 100 });
    }
    let sent = twins.senders[0].counters().sent;
    assert!(u64::from(twins.extras) * 5 > sent * 3, "{} of {sent}", twins.extras);
    assert!(twins.fast[0] * 10 > twins.plain * 8, "{:?} of {}", twins.fast, twins.plain);
}

/// New segments of a paced sender with SACK take the fast path, with accurate ECN or without ECN.
#[test]
fn the_fast_path_takes_paced_segments() {
    for rows in [[("profile", "l4s"), ("pacing", "auto")], [("cc", "cubic"), ("pacing", "window")]] {
        let mut twins = Twins::new(&params_of(&rows, false), u64::from(u32::MAX));
        for step in 0..2000u32 {
            twins.step(if step % 997 == 0 { 0 } else { 100 });
        }
        let sent = twins.senders[0].counters().sent;
        assert!(u64::from(twins.fast[1]) * 2 > sent, "{rows:?}: {:?} of {sent}", twins.fast);
        let counts = twins.receivers[0].counts_marks();
        assert!(!counts || u64::from(twins.extras) * 2 > sent, "{rows:?}: {} of {sent}", twins.extras);
    }
}

/// The comparison covers duplicate ACKs of RACK: with a loss in a hundred segments most take the fast path.
#[test]
fn the_fast_path_of_rack_takes_blocks() {
    for (profile, cc) in [("linux", "cubic"), ("linux", "bbr"), ("linux", "bbr3")] {
        let mut twins = Twins::new(&params_with(profile, cc, false), u64::from(u32::MAX));
        for step in 0..4000u32 {
            twins.step(if step % 97 == 0 { 0 } else { 100 });
        }
        let blocks = twins.acks - twins.plain;
        assert!(twins.blocks * 10 > blocks * 7, "{profile} {cc}: {} of {blocks}", twins.blocks);
    }
}

/// The comparison covers retransmissions of RACK: of four losses in a row the first is sent regardless of the window, on the slow
/// path, and most of the others take the fast path.
#[test]
fn the_fast_path_of_rack_takes_retransmissions() {
    for (profile, cc) in [("linux", "cubic"), ("linux-7.3", "cubic"), ("linux", "bbr"), ("linux", "bbr3")] {
        let mut twins = Twins::new(&params_with(profile, cc, false), u64::from(u32::MAX));
        for step in 0..4000u32 {
            twins.step(if step % 97 < 4 { 0 } else { 100 });
        }
        let retransmits = twins.senders[0].counters().retransmits;
        assert!(
            u64::from(twins.retransmissions) * 2 > retransmits,
            "{profile} {cc}: {} of {retransmits}",
            twins.retransmissions
        );
    }
}

/// The comparison covers the fast path of senders without tracking: by counted duplicates, with ECN, and with a control
/// that watches.
#[test]
fn the_fast_path_without_tracking_is_the_common_one() {
    for (recovery, cc, ecn) in [
        ("newreno", "reno", false),
        ("sack", "cubic", true),
        ("sack", "dctcp", true),
        ("sack", "westwood", false),
    ] {
        let mut twins =
            Twins::new(&params_of(&[("recovery", recovery), ("cc", cc)], ecn), u64::from(u32::MAX));
        for step in 0..2000u32 {
            twins.step(if step % 497 == 0 { 0 } else { 100 });
        }
        let (sent, acks) = (twins.senders[0].counters().sent, twins.plain);
        assert!(twins.fast[0] * 10 > acks * 8, "{recovery} {cc}: {:?} of {acks}", twins.fast);
        assert!(u64::from(twins.fast[1]) * 2 > sent, "{recovery} {cc}: {:?} of {sent}", twins.fast);
    }
}

/// The comparison covers the fast path: with occasional losses more than half of ACKs and segments take it.
#[test]
fn the_fast_path_is_the_common_one() {
    let mut twins = Twins::new(&params("rfc"), u64::from(u32::MAX));
    for step in 0..2000u32 {
        twins.step(if step % 97 == 0 { 0 } else { 100 });
    }
    let (sent, acks) = (twins.senders[0].counters().sent, twins.acks);
    assert!(twins.fast[0] * 2 > acks, "{:?} of {acks}", twins.fast);
    assert!(u64::from(twins.fast[1]) * 2 > sent, "{:?} of {sent}", twins.fast);
}
