//! RACK, its tail loss probe, and what Linux makes of them.

use super::{at, params, Dialogue};
use transport::{Ack, Phase, SackBlocks, Sender};
use units::{Stream, Time};

/// RFC 8985 section 6: one segment sent later has arrived; a quarter of the least round trip (25 ms) is left for
/// reordering, then the segment before it is lost, without three duplicates.
#[test]
fn rack_finds_a_loss_by_time() {
    let (mut dialogue, first) = Dialogue::start(&[("recovery", "rack"), ("initial_window", "4")]);
    assert_eq!(first, [0, 1, 2, 3]);
    dialogue.now = at(100);
    assert_eq!(dialogue.ack(1), [4, 5]);
    dialogue.now = at(101);
    // Segment 2 arrived, sent when 1 was: room for one more, and a wake-up at 0 + 101 + 25 ms.
    assert_eq!(dialogue.sack(1, &[(2, 3)]), [6]);
    assert_eq!(dialogue.sender.poll_timeout(), Some(at(126)));
    assert_eq!(dialogue.timeout()[0], 1);
    assert_eq!((dialogue.sender.phase(), dialogue.sender.counters().fast_recoveries), (Phase::Recovery, 1));
    // The retransmission of 126 ms is lost: segments sent after it arrive later than a round trip.
    dialogue.now = at(230);
    assert_eq!(dialogue.sack(1, &[(2, 7)]), [7]);
    let again = (0..8).find_map(|step| {
        dialogue.now = at(232 + step);
        dialogue.sack(1, &[(2, 8)]).into_iter().find(|seq| *seq == 1)
    });
    assert_eq!(again, Some(1), "the lost retransmission is repaired without a timeout");
    assert_eq!(dialogue.sender.counters().timeouts, 0);
}

/// One ACK reports 3 in its second block and 6 and 7 in its first: they arrived in order, so three SACKed segments show
/// that 1 is lost. 3 after 6 and 7 is reordering, for which a quarter of the round trip is left.
#[test]
fn rack_takes_the_blocks_of_an_ack_by_their_segments() {
    let keys = [("recovery", "rack"), ("initial_window", "16")];
    let repaired = |acks: &[&[(u32, u32)]]| {
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(100);
        dialogue.ack(1);
        dialogue.now = at(101);
        acks.iter().any(|blocks| dialogue.sack(1, blocks).contains(&1))
    };
    assert!(repaired(&[&[(2, 3)], &[(6, 8), (2, 4)]]));
    assert!(!repaired(&[&[(2, 3)], &[(6, 7), (2, 3)], &[(2, 4), (6, 7)], &[(6, 8), (2, 4)]]));
}

/// RFC 8985 section 4: a loss that it finds is one to reduce the window for, also that of the first segment where fast
/// retransmit would not repair it, or where it opens the connection; without a reduction the window would end as large
/// as ssthresh began.
#[test]
fn a_loss_of_the_first_segment_reduces_the_window() {
    for (handshake, fix) in [("none", "true"), ("none", "false"), ("ns2_syn", "true"), ("ns2_syn", "false")] {
        let keys = [
            ("recovery", "rack"),
            ("initial_window", "10"),
            ("reduction", "linux"),
            ("opening_fix", fix),
            ("handshake", handshake),
        ];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(101);
        assert!(dialogue.sack(0, &[(1, 8)]).contains(&0), "{handshake} {fix}");
        assert_eq!(dialogue.sender.counters().cuts, 1, "{handshake} {fix}");
        dialogue.now = at(202);
        dialogue.ack(dialogue.sender.nxt());
        assert_eq!(dialogue.sender.phase(), Phase::Avoidance, "{handshake} {fix}");
        assert!(dialogue.sender.cwnd() < 10.0, "{handshake} {fix}: {}", dialogue.sender.cwnd());
    }
}

/// RFC 5681 section 4.3: the loss of a retransmission is one more indication of congestion. Linux keeps its window.
#[test]
fn a_lost_retransmission_reduces_the_window_again() {
    for (reduction, cuts) in [("at_once", 2), ("rfc6937", 2), ("rfc9937", 2), ("linux", 1)] {
        let keys = [("recovery", "rack"), ("initial_window", "16"), ("reduction", reduction)];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(100);
        dialogue.ack(1);
        dialogue.now = at(101);
        assert!(dialogue.sack(1, &[(2, 8)]).contains(&1), "{reduction}");
        assert_eq!(dialogue.sender.counters().cuts, 1);
        // Everything else arrives, in the end also the segments sent after the retransmission.
        let retransmitted = (1..40).any(|step| {
            dialogue.now = at(101 + 10 * step);
            let past = dialogue.sender.nxt();
            dialogue.sack(1, &[(2, past)]).contains(&1)
        });
        assert!(retransmitted, "{reduction}");
        let counters = dialogue.sender.counters();
        assert_eq!((counters.cuts, counters.timeouts), (cuts, 0), "{reduction}");
    }
}

/// Segments 1 and 2 are lost, and the retransmission of 1 is lost again, while that of 2 arrives. Its acknowledgement
/// echoes the timestamp of segment 0, so RFC 8985 does not take it for the retransmission's; to Linux it shows that the
/// one before is lost, and it retransmits that at once.
#[test]
fn linux_finds_a_lost_retransmission_while_the_hole_stays() {
    for (rule, again) in [("exact", false), ("ticks", true)] {
        let keys = [
            ("recovery", "rack"),
            ("initial_window", "10"),
            ("samples", "timestamps"),
            ("reorder_timer", rule),
        ];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(100);
        dialogue.ack(1);
        dialogue.now = at(101);
        let sent = dialogue.sack(1, &[(3, 8)]);
        assert!(sent.contains(&1), "{rule}");
        let second = if sent.contains(&2) { sent } else { step(&mut dialogue, 111, &[(3, 9)]) };
        assert!(second.contains(&2), "{rule}: {second:?}");
        let resent = step(&mut dialogue, 230, &[(2, 9)]);
        assert_eq!(resent.contains(&1), again, "{rule}: {resent:?}");
        assert_eq!(dialogue.sender.counters().timeouts, 0, "{rule}");
    }
}

/// The answer to an acknowledgement of segment 1 with these blocks, which echoes the first timestamp.
fn step(dialogue: &mut Dialogue, ms: u64, blocks: &[(u32, u32)]) -> Vec<u32> {
    dialogue.now = at(ms);
    dialogue.hear_of(1, blocks, false, Time::ZERO);
    dialogue.sent()
}

/// An ACK at 180 ms acknowledges segment 1 of 0 ms and SACKs segment 4 of 100 ms. RFC 8985 judges segment 2 of 0 ms by
/// the 80 ms of segment 4: lost. Linux judges it by the 180 ms of segment 1, and waits a quarter of 80 ms, 2 ms more
/// and a tick.
#[test]
fn linux_judges_losses_by_the_last_segment_in_sequence() {
    for (timer, sent, due) in [("exact", true, None), ("ticks", false, Some(at(203)))] {
        let keys = [("recovery", "rack"), ("initial_window", "4"), ("reorder_timer", timer)];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(100);
        assert_eq!(dialogue.ack(1), [4, 5]);
        dialogue.now = at(180);
        assert_eq!(dialogue.sack(2, &[(4, 5)]).contains(&2), sent, "{timer}");
        if due.is_some() {
            assert_eq!(dialogue.sender.poll_timeout(), due, "{timer}");
        }
    }
}

/// Segment 1 is lost, its retransmission is lost, and the second one of 302 ms ends the recovery at 402 ms. The first
/// segment beyond the recovery left at 290 ms. In a recovery without reordering it is lost after a round trip of 100 ms;
/// Linux has left the recovery and waits a quarter of a round trip longer.
#[test]
fn linux_judges_the_ack_that_ends_a_recovery_after_it() {
    for (timer, lost) in [("exact", true), ("ticks", false)] {
        let keys = [
            ("recovery", "rack"),
            ("reduction", "linux"),
            ("chain_recoveries", "true"),
            ("reorder_timer", timer),
        ];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(100);
        dialogue.ack(1);
        dialogue.now = at(101);
        assert!(dialogue.sack(1, &[(2, 5)]).contains(&1), "{timer}");
        dialogue.now = at(202);
        assert_ne!(dialogue.sack(1, &[(2, 11)]), [], "{timer}");
        dialogue.now = at(290);
        let beyond = dialogue.sack(1, &[(2, 12)])[0];
        dialogue.now = at(302);
        assert_eq!(dialogue.sack(1, &[(2, beyond)])[0], 1, "{timer}");
        dialogue.now = at(402);
        assert_eq!(dialogue.ack(beyond).contains(&beyond), lost, "{timer}");
        assert_eq!(dialogue.sender.counters().timeouts, 0, "{timer}");
    }
}

/// Linux waits 2 ms longer, and no timer fires early: 25 + 2 ms and a tick after the tick of 101 ms.
#[test]
fn linux_looks_for_losses_at_a_tick() {
    for (timer, due) in [("exact", Time(126_300_000)), ("ticks", at(129))] {
        let keys = [("recovery", "rack"), ("initial_window", "4"), ("reorder_timer", timer)];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(100);
        dialogue.ack(1);
        dialogue.now = Time(101_300_000);
        dialogue.sack(1, &[(2, 3)]);
        assert_eq!(dialogue.sender.poll_timeout(), Some(due));
        assert_eq!(dialogue.timeout()[0], 1);
    }
}

/// A handshake of 40 ms, then round trips of 60: the reordering window is a quarter of the minimum RTT, in Linux that
/// of the handshake, 10 ms and not 15.
#[test]
fn linux_counts_the_handshake_for_the_minimum_rtt() {
    for (timer, due) in [("exact", Time(116_300_000)), ("ticks", at(114))] {
        let keys = [
            ("handshake", "three_way"),
            ("recovery", "rack"),
            ("initial_window", "4"),
            ("reorder_timer", timer),
        ];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(40);
        let sack = SackBlocks::default();
        let answer = Ack {
            ack: 0,
            size: 40,
            echo: Time::ZERO,
            sack,
            ece: false,
            syn: true,
            ace: 0,
            bytes: None,
            window: None,
        };
        dialogue.sender.on_ack(at(40), &answer);
        assert_eq!(dialogue.sent(), [0, 1, 2, 3]);
        dialogue.now = at(100);
        dialogue.ack(1);
        dialogue.now = Time(101_300_000);
        dialogue.sack(1, &[(2, 3)]);
        assert_eq!(dialogue.sender.poll_timeout(), Some(due), "{timer}");
    }
}

/// A window of 11, cut to 5 by the timer. To Linux that is an arrival, so that the second one after it makes three:
/// 15/11 is two segments, one of which was the retransmission.
#[test]
fn linux_takes_the_tick_for_an_arrival() {
    for (reduction, sent) in [("linux", vec![13]), ("rfc6937", vec![])] {
        let keys = [
            ("recovery", "rack"),
            ("counting", "whole"),
            ("arithmetic", "whole"),
            ("reduce", "window"),
            ("reduction", reduction),
        ];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(100);
        assert_eq!(dialogue.ack(1), [10, 11]);
        assert_eq!(dialogue.sack(1, &[(2, 3)]), [12]);
        assert_eq!(dialogue.timeout(), [1]);
        assert_eq!(dialogue.sack(1, &[(2, 4)]), []);
        assert_eq!(dialogue.sack(1, &[(2, 5)]), sent);
    }
}

/// One segment is acknowledged and one held beyond a hole: both have left the path, and a window of 6 has room for
/// three.
#[test]
fn rack_counts_sacked_segments_without_duplicate_acks() {
    let (mut dialogue, _) = Dialogue::start(&[("recovery", "rack"), ("initial_window", "4")]);
    dialogue.now = at(100);
    assert_eq!(dialogue.ack(1), [4, 5]);
    assert_eq!(dialogue.sack(2, &[(3, 4)]), [6, 7, 8]);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.flight()), (6.0, 6));
}

/// The window grows by the acknowledged segments; in Linux also by those that the same ACK newly SACKs.
#[test]
fn linux_grows_by_sacked_segments() {
    for (counting, cwnd) in [("whole", 7.0), ("segments", 6.0)] {
        let keys = [("recovery", "rack"), ("counting", counting), ("initial_window", "4")];
        let (mut dialogue, _) = Dialogue::start(&keys);
        dialogue.now = at(100);
        dialogue.ack(1);
        dialogue.sack(2, &[(3, 4)]);
        assert_eq!(dialogue.sender.cwnd(), cwnd, "{counting}");
    }
}

/// Two round trips of 100 ms and, in Linux, 2 ms more, in its wheel at the next multiple of 8 ms. With one segment in
/// flight that is 200 ms more instead, so that the probe leaves when the retransmission timer would fire, after 300 ms.
#[test]
fn linux_probes_by_its_timer_wheel() {
    for (timer, acked, due) in
        [("exact", 2, at(300)), ("exact", 3, at(340)), ("ticks", 2, at(304)), ("ticks", 3, at(408))]
    {
        let keys = [
            ("recovery", "rack"),
            ("initial_window", "4"),
            ("handshake", "none"),
            ("ack_timeout", "40 ms"),
            ("rto_rule", "linux"),
            ("min_rto", "200 ms"),
            ("reorder_timer", timer),
        ];
        let mut sender = Sender::new(&params(&keys), Stream::new(1, "dialogue"));
        sender.supply(4);
        sender.start(Time::ZERO);
        let mut dialogue = Dialogue { sender, now: Time::ZERO };
        dialogue.sent();
        dialogue.now = at(100);
        dialogue.ack(acked);
        assert_eq!(dialogue.sender.poll_timeout(), Some(due), "{timer}");
        assert_eq!(dialogue.timeout(), [3], "{timer}");
        assert_eq!(dialogue.sender.counters().timeouts, 0, "{timer}");
    }
}

/// RFC 8985 section 7: the last segment is lost. Two round trips later it is sent again; its ACK reduces the window,
/// without a timeout.
#[test]
fn a_probe_repairs_the_tail() {
    let keys =
        [("recovery", "rack"), ("initial_window", "4"), ("handshake", "none"), ("ack_timeout", "40 ms")];
    let mut sender = Sender::new(&params(&keys), Stream::new(1, "dialogue"));
    sender.supply(4);
    sender.start(Time::ZERO);
    let mut dialogue = Dialogue { sender, now: Time::ZERO };
    assert_eq!(dialogue.sent(), [0, 1, 2, 3]);
    dialogue.now = at(100);
    assert_eq!(dialogue.ack(3), []);
    // Twice the round trip of 100 ms, and 40 ms as a single segment's acknowledgement may be delayed.
    assert_eq!(dialogue.sender.poll_timeout(), Some(at(340)));
    assert_eq!(dialogue.timeout(), [3]);
    dialogue.now = at(440);
    dialogue.ack(4);
    assert!(dialogue.sender.is_done());
    let counters = dialogue.sender.counters();
    assert_eq!((counters.timeouts, counters.cuts, counters.retransmits), (0, 1, 1));
}

/// A window of 11, of which 1 is lost; 12 and 13 leave as 2 and 3 are held, before it is known.
fn rack_in_recovery(keys: &[(&str, &str)]) -> (Dialogue, Vec<u32>) {
    let mut all =
        vec![("recovery", "rack"), ("counting", "whole"), ("arithmetic", "whole"), ("reduce", "window")];
    all.extend_from_slice(keys);
    let (mut dialogue, _) = Dialogue::start(&all);
    dialogue.now = at(100);
    assert_eq!(dialogue.ack(1), [10, 11]);
    assert_eq!((dialogue.sack(1, &[(2, 3)]), dialogue.sack(1, &[(2, 4)])), (vec![12], vec![13]));
    assert_eq!(dialogue.sack(1, &[(2, 5)]), [1]);
    assert_eq!(dialogue.sender.ssthresh(), 5.0);
    let sent = (6..10).flat_map(|end| dialogue.sack(1, &[(2, end)])).collect();
    (dialogue, sent)
}

/// Linux sends in shares of the window of 11, not of the 13 in flight: of five arrived, three (25/11) and not two
/// (25/13).
#[test]
fn linux_reduces_in_shares_of_the_window() {
    assert_eq!(rack_in_recovery(&[("reduction", "linux")]).1, [14, 15]);
    assert_eq!(rack_in_recovery(&[("reduction", "rfc6937")]).1, [14]);
}

/// The retransmission of 1 arrives, and 15 without 14, which left in the recovery: it ends, and Linux starts the next at
/// once with a reduction of its own. Without `chain_recoveries` that waits for the next acknowledgement.
#[test]
fn a_recovery_follows_another() {
    for (chained, ssthresh, phase, sent) in
        [("true", 2.0, Phase::Recovery, vec![14]), ("false", 5.0, Phase::Avoidance, vec![])]
    {
        let keys = [("reduction", "linux"), ("chain_recoveries", chained)];
        let (mut dialogue, _) = rack_in_recovery(&keys);
        dialogue.now = at(200);
        dialogue.receive_ack(14, &[(15, 16)], false);
        assert_eq!((dialogue.sender.ssthresh(), dialogue.sender.phase()), (ssthresh, phase));
        let first: Vec<u32> = dialogue.sent().into_iter().take_while(|seq| *seq < 16).collect();
        assert_eq!(first, sent);
    }
}

/// The ACK that ends a recovery and starts another acknowledges new data and finds no loss, so that Linux
/// may send one segment more than arrived: two.
#[test]
fn the_ack_between_two_recoveries_may_send_one_more() {
    let keys = [
        ("recovery", "rack"),
        ("counting", "whole"),
        ("arithmetic", "whole"),
        ("initial_window", "40"),
        ("reduction", "linux"),
        ("reduce", "cwnd"),
        ("chain_recoveries", "true"),
        ("handshake", "none"),
    ];
    let mut sender = Sender::new(&params(&keys), Stream::new(1, "dialogue"));
    sender.supply(50);
    sender.start(Time::ZERO);
    let mut dialogue = Dialogue { sender, now: Time::ZERO };
    dialogue.sent();
    dialogue.now = at(100);
    assert_eq!(dialogue.ack(1), [40, 41]);
    assert_eq!(dialogue.sack(1, &[(2, 5)]), [1, 42]);
    assert!(dialogue.sack(1, &[(2, 40)]).contains(&49));
    dialogue.now = at(200);
    assert_eq!(dialogue.sack(1, &[(2, 44), (45, 50)]), [1, 44]);
    dialogue.now = at(300);
    dialogue.sack(44, &[(45, 50)]);
    // Segment 44 is in flight.
    assert_eq!((dialogue.sender.phase(), dialogue.sender.cwnd()), (Phase::Recovery, 3.0));
}

/// The last ACK of a recovery grows the window by the segments delivered with it: of all it covers, only the
/// retransmission.
#[test]
fn the_end_of_a_recovery_counts_what_arrived_with_it() {
    let keys = [("reduction", "linux"), ("grow_on_exit", "true")];
    let (mut dialogue, _) = rack_in_recovery(&keys);
    dialogue.sack(1, &[(2, 16)]);
    dialogue.now = at(200);
    dialogue.ack(16);
    assert_eq!((dialogue.sender.cwnd(), dialogue.sender.phase()), (5.0, Phase::Avoidance));
}
