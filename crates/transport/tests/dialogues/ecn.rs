//! Responses to marks.

use super::{at, params, Dialogue};
use transport::{Ack, Phase, Receiver, SackBlocks, Segment, Sender};
use units::{Ecn, Span, Stream, Time};

/// RFC 3168: a mark is echoed until CWR; the window is reduced once; retransmissions are not ECN-capable.
#[test]
fn ecn_dialogue() {
    let keys = [("handshake", "none"), ("ecn", "true"), ("initial_window", "8"), ("ack_every", "1")];
    let p = params(&keys);
    let mut sender = Sender::new(&p, Stream::new(1, "dialogue"));
    sender.supply_forever();
    sender.start(Time::ZERO);
    let (mut dialogue, mut receiver) = (Dialogue { sender, now: Time::ZERO }, Receiver::new(&p));
    let first = dialogue.segments();
    assert!(first.iter().all(|segment| segment.ecn == Ecn::Ect0 && !segment.cwr));
    // The first segment is marked: every acknowledgement echoes.
    let mut acks = Vec::new();
    for (index, segment) in first.iter().enumerate() {
        let ecn = if index == 0 { Ecn::Ce } else { segment.ecn };
        receiver.on_segment(at(50), &Segment { ecn, ..*segment });
        acks.push(receiver.poll_transmit(at(50)).unwrap());
    }
    assert!(acks.iter().all(|ack| ack.ece));
    dialogue.now = at(100);
    dialogue.sender.on_ack(dialogue.now, &acks[0]);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.counters().ecn_cuts), (4.0, 1));
    assert_eq!(dialogue.sent(), []);
    // The rest of that window echoes, too: no second reduction, no growth.
    let mut next = Vec::new();
    for ack in &acks[1..] {
        dialogue.sender.on_ack(dialogue.now, ack);
        next.extend(dialogue.segments());
    }
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.counters().ecn_cuts), (4.0, 1));
    // The first new segment carries CWR, once, and the receiver stops echoing.
    assert_eq!(next.iter().map(|segment| segment.cwr).collect::<Vec<_>>(), [true, false, false, false]);
    receiver.on_segment(at(150), &next[0]);
    assert!(!receiver.poll_transmit(at(150)).unwrap().ece);
    // A timeout: the retransmission carries neither ECT nor CWR.
    dialogue.now = dialogue.sender.poll_timeout().unwrap();
    dialogue.sender.on_timer(dialogue.now);
    let retransmitted = dialogue.segments();
    assert_eq!((retransmitted[0].seq, retransmitted[0].ecn, retransmitted[0].cwr), (8, Ecn::NotEct, false));
}

/// RFC 3168 section 6.1.2: a loss in a window reduced for an ECN echo is retransmitted at once without a second
/// reduction.
#[test]
fn a_loss_after_an_echo_is_repaired_without_another_cut() {
    for recovery in ["sack", "newreno"] {
        let (mut dialogue, _) =
            Dialogue::start(&[("recovery", recovery), ("ecn", "true"), ("initial_window", "10")]);
        dialogue.receive_ack(1, &[], true);
        assert_eq!((dialogue.sender.cwnd(), dialogue.sender.counters().ecn_cuts), (5.0, 1));
        // 1 is lost; 2, 3 and 4 arrive.
        assert_eq!(dialogue.sack(1, &[(2, 3)]), []);
        assert_eq!(dialogue.sack(1, &[(2, 4)]), []);
        assert_eq!(dialogue.sack(1, &[(2, 5)]), [1], "{recovery}");
        assert_eq!(dialogue.sender.phase(), Phase::Recovery, "{recovery}");
        assert_eq!((dialogue.sender.counters().ecn_cuts, dialogue.sender.counters().fast_recoveries), (1, 1));
        dialogue.ack(10);
        assert_ne!(dialogue.sender.phase(), Phase::Recovery, "{recovery}");
    }
}

/// RFC 3168 section 6.1.2: segments outstanding at a timeout have been answered by it. Half of that flight is no window
/// to go on with, and a later echo never raises the window.
#[test]
fn an_echo_after_a_timeout_opens_no_window() {
    for recovery in ["sack", "newreno", "rack"] {
        let (mut dialogue, first) =
            Dialogue::start(&[("recovery", recovery), ("ecn", "true"), ("initial_window", "40")]);
        assert_eq!(first.len(), 40);
        while dialogue.sender.counters().timeouts == 0 {
            dialogue.timeout();
        }
        assert_eq!(dialogue.sender.cwnd(), 1.0, "{recovery}");
        dialogue.receive_ack(1, &[], true);
        assert_eq!((dialogue.sender.counters().ecn_cuts, dialogue.sender.cwnd()), (0, 1.0), "{recovery}");
        dialogue.receive_ack(40, &[], false);
        let window = dialogue.sender.cwnd();
        let last = *dialogue.sent().last().unwrap();
        dialogue.receive_ack(last + 1, &[], true);
        assert_eq!(dialogue.sender.counters().ecn_cuts, 1, "{recovery}");
        assert!(dialogue.sender.cwnd() <= window, "{recovery}: {} after {window}", dialogue.sender.cwnd());
    }
}

/// RFC 8511: an ECN echo leaves 0.8 of the flight, a loss a half.
#[test]
fn an_echo_may_cost_less_than_a_loss() {
    for (factor, left) in [("auto", 5.0), ("0.8", 8.0)] {
        let (mut dialogue, _) = Dialogue::start(&[("ecn", "true"), ("ecn_factor", factor)]);
        dialogue.receive_ack(1, &[], true);
        assert_eq!(dialogue.sender.cwnd(), left);
    }
}

/// GAIMD: a quarter of a segment a round trip, 7/8 at a loss. SQRT: 1/16^1.5 an acknowledgement, 16 - 4/2 at a loss.
#[test]
fn the_window_moves_by_the_numbers_asked_for() {
    let own =
        |cc| [("cc", cc), ("initial_window", "16"), ("initial_ssthresh", "16"), ("gaimd_alpha", "0.25")];
    for (cc, grown, cut) in [("gaimd", 16.0 + 1.0 / 64.0, 14.0), ("binomial", 16.0 + 1.0 / 64.0, 14.0)] {
        let (mut dialogue, _) = Dialogue::start(&own(cc));
        dialogue.sack(0, &[(1, 4)]);
        assert_eq!(dialogue.sender.cwnd(), cut, "{cc}");
        let (mut unmarked, _) = Dialogue::start(&own(cc));
        unmarked.ack(1);
        assert_eq!(unmarked.sender.cwnd(), grown, "{cc}");
    }
}

/// The sender reduces the window once per round trip for counted marks, by half of alpha = 1, and its segments carry
/// ECT(1), retransmissions included.
#[test]
fn prague_cuts_for_counted_marks() {
    let keys = [("profile", "l4s"), ("initial_window", "8"), ("recovery", "newreno"), ("pacing", "off")];
    let (mut dialogue, _) = Dialogue::start(&keys);
    dialogue.now = at(100);
    let receive_ack = |to: &mut Dialogue, ack: u32, ace: u8| {
        let echo = to.now - Span::from_millis(100);
        let sack = SackBlocks::default();
        to.sender.on_ack(
            to.now,
            &Ack { ack, size: 40, echo, sack, ece: false, syn: false, ace, bytes: None, window: None },
        );
        to.segments()
    };
    receive_ack(&mut dialogue, 1, 5);
    assert_eq!(dialogue.sender.cwnd(), 9.0);
    // alpha was 1, then 15/16. One of two segments is marked now: 15/16 of it and 1/32. The window falls by half of
    // that, and the other segment counts for growth.
    dialogue.now = at(200);
    receive_ack(&mut dialogue, 3, 6);
    let alpha: f64 = 15.0 / 16.0 * 15.0 / 16.0 + 0.5 / 16.0;
    let cut = 9.0 * (1.0 - alpha / 2.0);
    assert_eq!(dialogue.sender.ssthresh(), cut);
    assert!((dialogue.sender.cwnd() - cut - 1.0 / cut).abs() < 1e-12);
    assert_eq!(dialogue.sender.counters().ecn_cuts, 1);
    // More marks in the same round trip: no further reduction.
    receive_ack(&mut dialogue, 4, 7);
    assert_eq!(dialogue.sender.counters().ecn_cuts, 1);
    for _ in 0..3 {
        for segment in receive_ack(&mut dialogue, 4, 7) {
            assert_eq!(segment.ecn, Ecn::Ect1);
        }
    }
    assert_eq!(dialogue.sender.counters().retransmits, 1);
}

/// Accurate ECN with controls that halve: three marks reported at once are one echo, a second report within the round
/// trip none, the first of the next round trip another. CUBIC leaves 0.7. A counter that does not change is no echo.
#[test]
fn counted_marks_are_one_echo_a_round_trip() {
    for (cc, left) in [("reno", 0.5), ("cubic", 0.7)] {
        let keys = [
            ("cc", cc),
            ("ecn", "true"),
            ("ecn_rule", "accecn"),
            ("initial_window", "8"),
            ("recovery", "newreno"),
        ];
        let (mut dialogue, first) = Dialogue::start(&keys);
        assert_eq!(first, [0, 1, 2, 3, 4, 5, 6, 7], "{cc}");
        dialogue.now = at(100);
        let receive_ack = |to: &mut Dialogue, ack: u32, ace: u8| {
            let (echo, sack) = (to.now - Span::from_millis(100), SackBlocks::default());
            to.sender.on_ack(
                to.now,
                &Ack { ack, size: 40, echo, sack, ece: false, syn: false, ace, bytes: None, window: None },
            );
            to.sent();
            to.sender.counters().ecn_cuts
        };
        // From 5 to 8, which is 0 in three bits.
        assert_eq!(receive_ack(&mut dialogue, 4, 0), 1, "{cc}");
        assert_eq!(dialogue.sender.ssthresh(), 8.0 * left, "{cc}");
        assert_eq!(receive_ack(&mut dialogue, 5, 1), 1, "{cc}: the same round trip");
        receive_ack(&mut dialogue, 8, 1);
        let window = dialogue.sender.cwnd();
        assert!(window > 8.0 * left, "{cc} grows again");
        dialogue.now = at(200);
        assert_eq!(receive_ack(&mut dialogue, 9, 2), 2, "{cc}: the next");
        assert!(dialogue.sender.cwnd() < window, "{cc}");
    }
}

/// An ECN echo in Linux: the window of ten falls to five by one segment for each two ACKs, and does not grow before
/// everything sent before the echo is acknowledged.
#[test]
fn an_echo_reduces_the_window_in_proportion_to_deliveries() {
    let options = [
        ("recovery", "rack"),
        ("reduction", "linux"),
        ("reduce", "window"),
        ("arithmetic", "whole"),
        ("counting", "whole"),
        ("ecn", "true"),
        ("initial_ssthresh", "10"),
    ];
    let (mut dialogue, sent) = Dialogue::start(&options);
    assert_eq!(sent.len(), 10);
    dialogue.now = at(100);
    let mut released = Vec::new();
    for ack in 1..=11 {
        dialogue.receive_ack(ack, &[], ack == 1);
        released.push(dialogue.sent());
    }
    let expected: [&[u32]; 11] = [&[10], &[], &[11], &[], &[12], &[], &[13], &[], &[], &[14], &[15]];
    assert_eq!(released, expected);
}
