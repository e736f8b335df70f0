//! Reductions taken back: Eifel, DSACK, F-RTO.

use super::{at, params, Dialogue};
use transport::{Phase, Sender};
use units::{Span, Stream, Time};

/// Segment 1 is late: 2 arrives first, and 25 ms later 1 is sent again, the window cut to half of the flight of six
/// less the one of limited transmit.
fn with_a_late_segment(keys: &[(&str, &str)]) -> Dialogue {
    let mut all = vec![("recovery", "rack"), ("initial_window", "4"), ("undo", "true")];
    all.extend_from_slice(keys);
    let (mut dialogue, _) = Dialogue::start(&all);
    dialogue.now = at(100);
    assert_eq!(dialogue.ack(1), [4, 5]);
    dialogue.now = at(101);
    assert_eq!(dialogue.sack(1, &[(2, 3)]), [6]);
    assert_eq!(dialogue.timeout()[0], 1);
    assert_eq!(
        (dialogue.now, dialogue.sender.ssthresh(), dialogue.sender.phase()),
        (at(126), 2.5, Phase::Recovery)
    );
    dialogue
}

/// RFC 3522: the ACK of segment 1 echoes a time before its retransmission, so the original arrived. The window of 5 is
/// back and grows by the acknowledgement.
#[test]
fn a_spurious_recovery_is_undone_by_timestamps() {
    let mut dialogue = with_a_late_segment(&[("samples", "timestamps")]);
    dialogue.now = at(140);
    assert_eq!(dialogue.ack(3), [7, 8]);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.ssthresh()), (6.0, f64::INFINITY));
    assert_eq!((dialogue.sender.phase(), dialogue.sender.undone()), (Phase::SlowStart, 1));
    // RFC 8985 section 6.2.4: the retransmission is reported as having arrived twice, and the window for reordering is
    // two quarters of 100 ms.
    dialogue.now = at(205);
    assert_eq!(dialogue.ack(7), [9, 10, 11, 12, 13]);
    dialogue.now = at(206);
    dialogue.sack(7, &[(1, 2)]);
    dialogue.now = at(241);
    dialogue.sack(7, &[(8, 9)]);
    assert_eq!(dialogue.sender.poll_timeout(), Some(at(140 + 101 + 50)));
    assert_eq!(dialogue.sender.undone(), 1, "once");
}

/// An original that was lost leaves its retransmission to be acknowledged: no undo.
#[test]
fn a_recovery_for_a_loss_stands() {
    let mut dialogue = with_a_late_segment(&[("samples", "timestamps")]);
    dialogue.now = at(226);
    dialogue.ack(3);
    assert_eq!((dialogue.sender.undone(), dialogue.sender.ssthresh()), (0, 2.5));
}

/// RFC 3708: without timestamps the reduction stands until all retransmissions are reported as duplicates.
#[test]
fn a_spurious_recovery_is_undone_by_duplicates() {
    let mut dialogue = with_a_late_segment(&[]);
    dialogue.now = at(140);
    dialogue.ack(3);
    assert_eq!((dialogue.sender.undone(), dialogue.sender.ssthresh()), (0, 2.5));
    dialogue.now = at(226);
    dialogue.sack(3, &[(1, 2)]);
    assert_eq!((dialogue.sender.undone(), dialogue.sender.ssthresh()), (1, f64::INFINITY));
    assert!(dialogue.sender.cwnd() >= 5.0);
}

/// The path falls silent for two seconds: a probe after one, the timer after another. The ACK of the original undoes
/// the reduction.
#[test]
fn a_spurious_timeout_is_undone() {
    let keys = [("recovery", "rack"), ("initial_window", "4"), ("undo", "true"), ("samples", "timestamps")];
    let (mut dialogue, _) = Dialogue::start(&keys);
    dialogue.timeout();
    assert_eq!(dialogue.timeout(), [0]);
    let counters = dialogue.sender.counters();
    assert_eq!((counters.timeouts, dialogue.sender.cwnd(), dialogue.sender.phase()), (1, 1.0, Phase::Loss));
    dialogue.now += Span::from_millis(50);
    dialogue.hear_of(1, &[], false, Time::ZERO);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.ssthresh()), (4.0, f64::INFINITY));
    assert_eq!((dialogue.sender.phase(), dialogue.sender.undone()), (Phase::SlowStart, 1));
    // Segments 1 to 3 and the probe fill the window of 4.
    assert_eq!((dialogue.sent(), dialogue.sender.flight()), (vec![], 4));
    dialogue.now += Span::from_millis(1);
    dialogue.hear_of(4, &[], false, Time::ZERO);
    assert_eq!(dialogue.sent(), [5, 6, 7, 8]);
}

/// Four segments in flight and a timer that has expired: the first one left again.
fn after_a_timeout(recovery: &str) -> Dialogue {
    let keys = [("recovery", recovery), ("initial_window", "4"), ("frto", "true")];
    let (mut dialogue, first) = Dialogue::start(&keys);
    assert_eq!(first, [0, 1, 2, 3]);
    if recovery == "rack" {
        // The tail is probed first.
        assert_eq!(dialogue.timeout(), [4]);
    }
    assert_eq!(dialogue.timeout(), [0]);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.phase()), (1.0, Phase::Loss));
    dialogue.now += Span::from_millis(10);
    dialogue
}

/// RFC 5682 section 2.1: the acknowledgements of segments 0 and 1 come late. The first releases two new segments
/// instead of 1 and 2 again, the second shows that 1 had not been lost: the window of 4 is back and grows to 5.
#[test]
fn frto_detects_a_spurious_timeout_without_timestamps() {
    for recovery in ["tahoe", "reno", "newreno", "sack"] {
        let mut dialogue = after_a_timeout(recovery);
        assert_eq!(dialogue.ack(1), [4, 5], "{recovery}");
        assert_eq!(dialogue.ack(2), [6], "{recovery}");
        assert_eq!((dialogue.sender.cwnd(), dialogue.sender.ssthresh()), (5.0, f64::INFINITY), "{recovery}");
        assert_eq!(
            (dialogue.sender.phase(), dialogue.sender.counters().undone),
            (Phase::SlowStart, 1),
            "{recovery}"
        );
        assert_eq!(dialogue.ack(4), [7, 8, 9], "{recovery}");
        assert_eq!(dialogue.sender.counters().retransmits, 1, "{recovery}");
    }
}

/// RACK had sent segment 4 as a probe: two new segments follow, and the loss marks are cleared.
#[test]
fn rack_detects_a_spurious_timeout_by_new_segments() {
    let mut dialogue = after_a_timeout("rack");
    assert_eq!(dialogue.ack(1), [5, 6]);
    assert_eq!(dialogue.ack(2), []);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.flight()), (5.0, 5));
    assert_eq!((dialogue.sender.phase(), dialogue.sender.counters().undone), (Phase::SlowStart, 1));
    assert_eq!(dialogue.ack(5), [7, 8, 9, 10]);
    assert_eq!(dialogue.sender.counters().retransmits, 1);
}

/// Section 2.1 step 3a: all four were lost, and the ACK after that of the retransmission is a duplicate for a new
/// segment. Recovery continues by slow start, and the reduction stands.
#[test]
fn a_timeout_for_losses_stands() {
    for recovery in ["tahoe", "reno", "newreno"] {
        let mut dialogue = after_a_timeout(recovery);
        assert_eq!(dialogue.ack(1), [4, 5], "{recovery}");
        assert_eq!(dialogue.ack(1), [1, 2], "{recovery}");
        assert_eq!((dialogue.sender.cwnd(), dialogue.sender.ssthresh()), (2.0, 2.0), "{recovery}");
        assert_eq!(
            (dialogue.sender.phase(), dialogue.sender.counters().undone),
            (Phase::Loss, 0),
            "{recovery}"
        );
    }
}

/// Section 3.1: a SACK block of a segment sent before the timeout shows that it was spurious, one of a new segment does
/// not.
#[test]
fn sack_blocks_show_segments_sent_before_the_timeout() {
    let mut dialogue = after_a_timeout("sack");
    assert_eq!(dialogue.ack(1), [4, 5]);
    assert_eq!(dialogue.sack(1, &[(2, 3)]), []);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.counters().undone), (4.0, 1));
    let mut lossy = after_a_timeout("sack");
    assert_eq!(lossy.ack(1), [4, 5]);
    assert_eq!(lossy.sack(1, &[(4, 5)]), [1]);
    assert_eq!((lossy.sender.cwnd(), lossy.sender.counters().undone), (2.0, 0));
}

/// Without new data, or if the first ACK shows no progress, lost segments are retransmitted as usual.
#[test]
fn without_new_segments_the_retransmission_is_as_ever() {
    let keys = [("recovery", "newreno"), ("initial_window", "4"), ("frto", "true"), ("handshake", "none")];
    let mut sender = Sender::new(&params(&keys), Stream::new(1, "dialogue"));
    sender.supply(4);
    sender.start(Time::ZERO);
    let mut dialogue = Dialogue { sender, now: Time::ZERO };
    dialogue.sent();
    assert_eq!(dialogue.timeout(), [0]);
    assert_eq!(dialogue.ack(1), [1, 2]);
    let mut silent = after_a_timeout("sack");
    assert_eq!(silent.sack(0, &[(3, 4)]), []);
    assert_eq!(silent.ack(1), [1, 2]);
    assert_eq!(silent.sender.counters().undone, 0);
}
