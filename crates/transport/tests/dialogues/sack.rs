//! Loss recovery with SACK, and how it reduces the window.

use super::{at, params, Dialogue};
use transport::{Phase, Sender};
use units::{Stream, Time};

/// RFC 6675: three SACKed segments above indicate loss; the pipe drains as they arrive; lost ones are sent first.
#[test]
fn sack_fills_holes_in_order() {
    let (mut dialogue, _) = Dialogue::start(&[("initial_window", "10")]);
    // 0, 2 and 4 are lost. Limited transmit before the third.
    assert_eq!(dialogue.sack(0, &[(1, 2)]), [10]);
    assert_eq!(dialogue.sack(0, &[(3, 4), (1, 2)]), [11]);
    // Third: 0 is lost (1, 3, 5 above it); 2 and 4 are not yet. Flight 10 without limited transmit: window 5.
    assert_eq!(dialogue.sack(0, &[(5, 6), (3, 4), (1, 2)]), [0]);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.phase()), (5.0, Phase::Recovery));
    // 12 out, 3 held, 1 lost but retransmitted: 9.
    assert_eq!(dialogue.sender.flight(), 9);
    // 6 held: now 3, 5, 6 lie above 2, which is lost: 12 - 4 held - 2 lost + 1 retransmitted.
    assert_eq!(dialogue.sack(0, &[(5, 7), (3, 4), (1, 2)]), []);
    assert_eq!(dialogue.sender.flight(), 7);
    // 7 held: 4 is lost too: 12 - 5 - 3 + 1 = 5, the pipe is full.
    assert_eq!(dialogue.sack(0, &[(5, 8), (3, 4), (1, 2)]), []);
    assert_eq!(dialogue.sender.flight(), 5);
    // Each further one lets one out: the holes first, then new data.
    assert_eq!(dialogue.sack(0, &[(5, 9), (3, 4), (1, 2)]), [2]);
    assert_eq!(dialogue.sack(0, &[(5, 10), (3, 4), (1, 2)]), [4]);
    assert_eq!(dialogue.sack(0, &[(5, 11), (3, 4), (1, 2)]), [12]);
    // A partial acknowledgement: 0 arrived and with it 1.
    assert_eq!(dialogue.sack(2, &[(5, 12), (3, 4)]), [13, 14]);
    assert_eq!(dialogue.sender.phase(), Phase::Recovery);
    // The recovery point, 12, is reached.
    dialogue.ack(12);
    assert_eq!(dialogue.sender.phase(), Phase::Avoidance);
    assert_eq!(dialogue.sender.cwnd(), 5.0);
}

/// RFC 5681 section 4.3: the loss of a retransmission lowers ssthresh a second time. At the timeout most segments have
/// arrived above the hole: half of everything outstanding would raise it.
#[test]
fn a_timeout_in_recovery_halves_once_more() {
    for recovery in ["sack", "newreno"] {
        let (mut dialogue, _) = Dialogue::start(&[("recovery", recovery), ("initial_window", "16")]);
        let tell = |to: &mut Dialogue, end: u32| {
            if recovery == "sack" {
                to.sack(0, &[(1, end)])
            } else {
                to.ack(0)
            }
        };
        // 0 is lost, and its retransmission too, while all others arrive.
        let sent: usize = (2..=40).map(|end| tell(&mut dialogue, end).len()).sum();
        assert_eq!(
            (dialogue.sender.ssthresh(), dialogue.sender.phase()),
            (8.0, Phase::Recovery),
            "{recovery}"
        );
        assert!(sent > 24, "{recovery}: the window continues above the hole");
        assert_eq!(dialogue.timeout(), [0]);
        assert_eq!((dialogue.sender.cwnd(), dialogue.sender.ssthresh()), (1.0, 4.0), "{recovery}");
    }
}

/// A receiver's window of 8 does not bound the congestion window, which slow start doubles to 16. Linux halves that.
#[test]
fn linux_reduces_the_congestion_window() {
    for (reduce, ssthresh) in [("cwnd", 8.0), ("window", 4.0)] {
        let keys = [
            ("recovery", "rack"),
            ("initial_window", "8"),
            ("window", "8"),
            ("initial_ssthresh", "100"),
            ("reduce", reduce),
        ];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(100);
        (1..=8).for_each(|ack| assert_eq!(dialogue.ack(ack).len(), 1));
        assert_eq!(dialogue.sender.cwnd(), 16.0);
        dialogue.now = at(200);
        (10..=12).for_each(|end| drop(dialogue.sack(8, &[(9, end)])));
        assert_eq!(
            (dialogue.sender.ssthresh(), dialogue.sender.phase()),
            (ssthresh, Phase::Recovery),
            "{reduce}"
        );
    }
}

/// In a recovery that has reduced ssthresh to 8, a timeout leaves it in Linux; elsewhere it halves the window once
/// more.
#[test]
fn linux_reduces_once_for_a_recovery_and_its_timeout() {
    for (reduce, ssthresh) in [("cwnd", 8.0), ("window", 4.0)] {
        let keys = [("recovery", "rack"), ("initial_window", "16"), ("reduce", reduce)];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(100);
        (2..=4).for_each(|end| drop(dialogue.sack(0, &[(1, end)])));
        assert_eq!((dialogue.sender.ssthresh(), dialogue.sender.phase()), (8.0, Phase::Recovery), "{reduce}");
        while dialogue.sender.counters().timeouts == 0 {
            dialogue.timeout();
        }
        assert_eq!((dialogue.sender.cwnd(), dialogue.sender.ssthresh()), (1.0, ssthresh), "{reduce}");
    }
}

/// Hybla at 100 ms, rho 4: after a timeout in a recovery, which keeps ssthresh, an ACK of what was sent before opens the
/// window by one segment, not by 15 as before the loss.
#[test]
fn hybla_grows_as_reno_after_a_timeout_in_a_recovery() {
    let keys = [("recovery", "rack"), ("reduce", "cwnd"), ("cc", "hybla"), ("module_rule", "linux")];
    let (mut dialogue, _) = Dialogue::start(&keys);
    dialogue.now = at(100);
    dialogue.ack(1);
    assert_eq!(dialogue.sender.cwnd(), 16.0);
    dialogue.now = at(200);
    (3..=5).for_each(|end| drop(dialogue.sack(1, &[(2, end)])));
    assert_eq!((dialogue.sender.ssthresh(), dialogue.sender.phase()), (8.0, Phase::Recovery));
    while dialogue.sender.counters().timeouts == 0 {
        dialogue.timeout();
    }
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.ssthresh()), (1.0, 8.0));
    dialogue.ack(5);
    assert_eq!(dialogue.sender.cwnd(), 2.0);
}

/// A duplicate ACK that SACKs nothing new does not count (RFC 6675 section 2).
#[test]
fn sack_counts_only_new_data() {
    let (mut dialogue, _) = Dialogue::start(&[("initial_window", "10")]);
    for _ in 0..6 {
        dialogue.sack(0, &[(5, 6)]);
    }
    assert_eq!((dialogue.sender.dupacks(), dialogue.sender.counters().fast_recoveries), (1, 0));
}

/// NextSeg rule 3, then rule 4: with no new data, first the segments below the highest SACKed one, then once the last
/// one.
#[test]
fn sack_rescues_the_tail() {
    let mut sender =
        Sender::new(&params(&[("handshake", "none"), ("initial_window", "10")]), Stream::new(1, "dialogue"));
    sender.supply(10);
    sender.start(Time::ZERO);
    let mut dialogue = Dialogue { sender, now: Time::ZERO };
    assert_eq!(dialogue.sent().len(), 10);
    // 0, 6, 8 and 9 are lost.
    dialogue.sack(0, &[(1, 2)]);
    dialogue.sack(0, &[(1, 3)]);
    assert_eq!(dialogue.sack(0, &[(1, 4)]), [0]);
    assert_eq!(dialogue.sack(0, &[(1, 5)]), []);
    // 10 - 5 held - 1 lost + 1 = 5 = cwnd.
    assert_eq!(dialogue.sack(0, &[(1, 6)]), []);
    // 7 is held: room for one. 6 is not lost (one above it) but lies below the highest held: rule 3.
    assert_eq!(dialogue.sack(0, &[(7, 8), (1, 6)]), [6]);
    // 0 arrives: 6, 8, 9 are open. Nothing new, nothing below: rule 4 takes the last, once.
    assert_eq!(dialogue.sack(6, &[(7, 8)]), [9]);
    assert_eq!(dialogue.sack(6, &[(7, 8)]), []);
}

/// RFC 6937: window 10, loss; ssthresh 5 is reached by sending one for two that arrive.
#[test]
fn proportional_rate_reduction_sends_every_other() {
    let (mut dialogue, _) =
        Dialogue::start(&[("initial_window", "20"), ("limited_transmit", "false"), ("reduction", "rfc6937")]);
    dialogue.sack(0, &[(1, 2)]);
    dialogue.sack(0, &[(1, 3)]);
    assert_eq!(dialogue.sack(0, &[(1, 4)]), [0]);
    let sent: Vec<usize> = (5..13).map(|end| dialogue.sack(0, &[(1, end)]).len()).collect();
    assert_eq!(sent, [0, 0, 1, 0, 1, 0, 1, 0]);
}
