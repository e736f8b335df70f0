//! Loss recovery by duplicate ACKs.

use super::{at, Dialogue};
use transport::Phase;

/// RFC 5681: slow start adds one per new ACK; the third duplicate halves, retransmits and inflates.
#[test]
fn reno_recovers_from_one_loss() {
    let (mut dialogue, first) =
        Dialogue::start(&[("recovery", "reno"), ("initial_window", "4"), ("limited_transmit", "false")]);
    assert_eq!(first, [0, 1, 2, 3]);
    assert_eq!(dialogue.ack(1), [4, 5]);
    assert_eq!(dialogue.ack(2), [6, 7]);
    // cwnd 6, flight 6: 2..8. Segment 2 is lost.
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.flight()), (6.0, 6));
    assert_eq!(dialogue.ack(2), []);
    assert_eq!(dialogue.ack(2), []);
    assert_eq!(dialogue.ack(2), [2]);
    assert_eq!((dialogue.sender.ssthresh(), dialogue.sender.phase()), (3.0, Phase::Recovery));
    // Window 3 + 3 = 6 is full; each further duplicate lets one out.
    assert_eq!(dialogue.ack(2), [8]);
    assert_eq!(dialogue.ack(2), [9]);
    // Everything to 7 arrived: the window deflates to ssthresh, 8 and 9 are out, one more may go.
    assert_eq!(dialogue.ack(8), [10]);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.phase()), (3.0, Phase::Avoidance));
    // Congestion avoidance: three acknowledgements of a window of 3 add about one.
    dialogue.ack(9);
    assert_eq!(dialogue.sender.cwnd(), 3.0 + 1.0 / 3.0);
}

/// Tahoe: the third duplicate starts again from one segment, in slow start up to half the flight.
#[test]
fn tahoe_starts_again() {
    let (mut dialogue, _) =
        Dialogue::start(&[("recovery", "tahoe"), ("initial_window", "8"), ("limited_transmit", "false")]);
    dialogue.ack(0);
    dialogue.ack(0);
    assert_eq!(dialogue.ack(0), [0]);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.ssthresh()), (1.0, 4.0));
    // All of the window had arrived but 0: nothing below 8 is sent again.
    assert_eq!(dialogue.ack(8), [8, 9]);
}

/// BP95: a duplicate ACK retransmits an overdue segment, and the ACK of the retransmission checks the next. The
/// first sample is 100 ms: a segment is overdue after 100 + 4 x 50 ms, after a retransmission an eighth later.
#[test]
fn vegas_retransmits_overdue_segments() {
    let (mut dialogue, first) = Dialogue::start(&[("recovery", "vegas"), ("initial_window", "4")]);
    assert_eq!(first, [0, 1, 2, 3]);
    dialogue.now = at(100);
    assert_eq!(dialogue.ack(1), [4, 5]);
    dialogue.now = at(200);
    assert_eq!(dialogue.ack(1), []);
    dialogue.now = at(350);
    assert_eq!(dialogue.ack(1), [1]);
    assert_eq!(dialogue.sender.phase(), Phase::Recovery);
    dialogue.now = at(400);
    assert_eq!(dialogue.ack(2), [2]);
    assert_eq!(dialogue.sender.counters().fast_recoveries, 1);
}

/// RFC 3042: the first two duplicates each release a segment; ssthresh does not count them.
#[test]
fn limited_transmit() {
    let (mut dialogue, _) = Dialogue::start(&[("recovery", "newreno"), ("initial_window", "4")]);
    assert_eq!(dialogue.ack(0), [4]);
    assert_eq!(dialogue.ack(0), [5]);
    assert_eq!(dialogue.ack(0), [0]);
    assert_eq!(dialogue.sender.ssthresh(), 2.0);
    let (mut narrow, _) =
        Dialogue::start(&[("recovery", "newreno"), ("initial_window", "4"), ("window", "5")]);
    assert_eq!(narrow.ack(0), [4]);
    assert_eq!(narrow.ack(0), [], "the receiver's window is full");
}

/// A sender of BBR with a window of four segments, whose duplicate ACKs widen the window instead of sending at once.
fn with_a_widened_window(recovery: &str) -> Dialogue {
    let keys = [
        ("recovery", recovery),
        ("cc", "bbr"),
        ("pacing", "off"),
        ("pace_retransmissions", "false"),
        ("initial_window", "4"),
        ("max_cwnd", "4"),
    ];
    let (mut dialogue, first) = Dialogue::start(&keys);
    assert_eq!(first, [0, 1, 2, 3]);
    dialogue.now = at(100);
    dialogue
}

/// RFC 3042: a duplicate ACK releases a segment beyond the window of four. Segment 0 is late, not lost: once 2 is
/// the first outstanding segment, the window ends with 5 again.
#[test]
fn limited_transmit_widens_the_window_until_an_ack() {
    let mut sack1 = with_a_widened_window("sack1");
    assert_eq!(sack1.sack(0, &[(1, 2)]), [4]);
    assert_eq!(sack1.ack(2), [5]);
    assert_eq!((sack1.sender.cwnd(), sack1.sender.flight()), (4.0, 4));
    for recovery in ["tahoe", "reno", "newreno"] {
        let mut dialogue = with_a_widened_window(recovery);
        assert_eq!(dialogue.ack(0), [4], "{recovery}");
        assert_eq!(dialogue.ack(2), [5], "{recovery}");
    }
}

/// Tahoe starts again from one segment, whatever the two duplicate ACKs before the third released.
#[test]
fn tahoe_starts_again_from_one_segment_after_limited_transmit() {
    let mut dialogue = with_a_widened_window("tahoe");
    assert_eq!(dialogue.ack(0), [4]);
    assert_eq!(dialogue.ack(0), [5]);
    assert_eq!(dialogue.ack(0), [0]);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.flight()), (1.0, 1));
}

/// RFC 6582: a partial ACK retransmits the next hole and deflates by the segments acknowledged less one;
/// the timer restarts only for the first.
#[test]
fn newreno_partial_acknowledgements() {
    let (mut dialogue, _) =
        Dialogue::start(&[("recovery", "newreno"), ("initial_window", "10"), ("limited_transmit", "false")]);
    // 0, 3 and 6 are lost; seven duplicates come.
    dialogue.ack(0);
    dialogue.ack(0);
    assert_eq!(dialogue.ack(0), [0]);
    assert_eq!(dialogue.sender.ssthresh(), 5.0);
    // Window 5 + 3 = 8 of 10 out; the sixth duplicate makes room.
    assert_eq!(dialogue.ack(0), []);
    assert_eq!(dialogue.ack(0), []);
    assert_eq!(dialogue.ack(0), [10]);
    assert_eq!(dialogue.ack(0), [11]);
    // Inflation 7. The partial acknowledgement of 3 segments takes 2: window 10 from segment 3.
    dialogue.now = at(200);
    assert_eq!(dialogue.ack(3), [3, 12]);
    assert_eq!(dialogue.sender.poll_timeout(), Some(at(1200)));
    dialogue.now = at(400);
    assert_eq!(dialogue.ack(6), [6, 13]);
    assert_eq!(dialogue.sender.poll_timeout(), Some(at(1200)), "impatient: only the first restarts it");
    // Everything sent before the recovery is in; 12 and 13 are out: cwnd is min(ssthresh 5, flight 2 + 1).
    assert_eq!(dialogue.ack(12), [14]);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.phase()), (3.0, Phase::SlowStart));
}

/// RFC 6582 section 3.2 step 2: duplicates of retransmissions after a timeout start no second recovery.
#[test]
fn newreno_waits_after_a_timeout() {
    let (mut dialogue, _) = Dialogue::start(&[("recovery", "newreno"), ("initial_window", "6")]);
    dialogue.ack(2);
    assert_eq!(dialogue.timeout(), [2]);
    // Limited transmit continues in order; the third duplicate retransmits nothing.
    let segments: Vec<Vec<u32>> = (0..5).map(|_| dialogue.ack(2)).collect();
    assert_eq!(segments, [vec![3], vec![4], vec![], vec![], vec![]]);
    assert_eq!(dialogue.sender.counters().fast_recoveries, 0);
}
