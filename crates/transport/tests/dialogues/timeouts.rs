//! After a timeout as in Linux (`reorder_timer = "ticks"`), worked by hand.

use super::{at, Dialogue};
use transport::Phase;
use units::{Span, Time};

const LINUX: [(&str, &str); 9] = [
    ("recovery", "rack"),
    ("initial_window", "4"),
    ("reorder_timer", "ticks"),
    ("rto_rule", "linux"),
    ("min_rto", "200 ms"),
    ("counting", "whole"),
    ("reduction", "linux"),
    ("timer_on_retransmission", "true"),
    ("frto", "true"),
];

/// The probe, segment 4, and two timeouts found no answer. Each resends segment 0.
fn after_two_timeouts() -> Dialogue {
    let (mut dialogue, first) = Dialogue::start(&LINUX);
    assert_eq!(first, [0, 1, 2, 3]);
    assert_eq!(dialogue.timeout(), [4]);
    assert_eq!(dialogue.timeout(), [0]);
    assert_eq!(dialogue.timeout(), [0]);
    dialogue.now += Span::from_millis(100);
    dialogue
}

/// A second timeout starts F-RTO again: the ACK of segment 0 releases as many new segments as the window of 2 allows. A
/// block of a new one shows that the timeouts were genuine, and the first hole follows without a new limit on the window.
#[test]
fn linux_tries_new_segments_after_each_timeout() {
    let mut dialogue = after_two_timeouts();
    assert_eq!(dialogue.ack(1), [5, 6]);
    dialogue.now += Span::from_millis(100);
    assert_eq!(dialogue.sack(1, &[(5, 6)]), [1]);
    assert_eq!((dialogue.sender.phase(), dialogue.sender.undone()), (Phase::Loss, 0));
    dialogue.now += Span::from_millis(1);
    assert_eq!(dialogue.sack(1, &[(5, 7)]), [2]);
    dialogue.now += Span::from_millis(100);
    assert_eq!(dialogue.sack(2, &[(5, 7)]), [3, 4]);
}

/// A block of segment 2, sent once and before the timeouts, shows that they were spurious, before and after the trial.
#[test]
fn linux_takes_any_segment_sent_once_as_evidence() {
    for tries in [false, true] {
        let mut dialogue = after_two_timeouts();
        let una = u32::from(tries);
        if tries {
            assert_eq!(dialogue.ack(1), [5, 6]);
        }
        dialogue.sack(una, &[(2, 3)]);
        assert_eq!((dialogue.sender.undone(), dialogue.sender.ssthresh()), (1, f64::INFINITY), "{tries}");
        assert!(dialogue.sender.cwnd() >= 4.0, "{tries}");
    }
}

/// An RTT of 60.5 ms makes a timeout of 260.5 ms, 261 in ticks, and 522 the second time, not 521. From 312 ms, a multiple
/// of 8, the second comes at 834, in a wheel at the next multiple of 64.
#[test]
fn linux_doubles_the_timeout_in_ticks() {
    let keys: Vec<_> = LINUX.iter().copied().filter(|(key, _)| *key != "frto").collect();
    let (mut dialogue, _) = Dialogue::start(&keys);
    dialogue.now = Time(60_500_000);
    dialogue.hear_of(4, &[], false, Time::ZERO);
    dialogue.sent();
    assert_eq!(dialogue.sender.rto(), Span::from_millis(261));
    dialogue.timeout();
    dialogue.timeout();
    assert_eq!(dialogue.sender.rto(), Span::from_millis(522));
}

/// Segment 1 is lost, found at 200 ms by three blocks, and its retransmission, found at 301 ms by segment 6, which left
/// after it. The second retransmission restarts the timer. RTTs of 100, 200, 101 and 100 ms make a timeout of 360 ms, from
/// 301 ms at the next multiple of 8; by the timer of 201 ms it would have come at 568.
#[test]
fn linux_restarts_the_timer_with_each_retransmission_of_the_first_segment() {
    let (mut dialogue, _) = Dialogue::start(&LINUX);
    dialogue.now = at(100);
    assert_eq!(dialogue.ack(1), [4, 5]);
    dialogue.now = at(200);
    assert_eq!(dialogue.sack(1, &[(2, 5)]), [1]);
    dialogue.now = at(201);
    assert_eq!(dialogue.sack(1, &[(2, 6)]), [6]);
    dialogue.now = at(301);
    assert_eq!(dialogue.sack(1, &[(2, 7)])[0], 1);
    while dialogue.sender.counters().timeouts == 0 {
        dialogue.timeout();
    }
    assert_eq!(dialogue.now, at(664));
}
