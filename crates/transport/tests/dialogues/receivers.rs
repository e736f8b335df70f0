//! Receivers: what they acknowledge, and when.

use super::{at, params};
use transport::{Receiver, Segment};
use units::Ecn;

/// An ACK received: time, number, SACK blocks.
type AckRecord = (u64, u32, Vec<(u32, u32)>);

/// ACKs of a receiver for segments that arrive at these times.
fn arrivals(keys: &[(&str, &str)], steps: &[(u64, u32)]) -> Vec<AckRecord> {
    let mut all = vec![("handshake", "none")];
    all.extend_from_slice(keys);
    let mut receiver = Receiver::new(&params(&all));
    let mut acks = Vec::new();
    let mut collect_acks = |from: &mut Receiver, ms: u64| {
        while let Some(ack) = from.poll_transmit(at(ms)) {
            acks.push((ms, ack.ack, ack.sack.iter().collect()));
        }
    };
    for &(ms, seq) in steps {
        while let Some(due) = receiver.poll_timeout().filter(|due| *due <= at(ms)) {
            receiver.on_timer(due);
            collect_acks(&mut receiver, due.0 / 1_000_000);
        }
        let segment = Segment::data(seq, 1500, at(ms));
        receiver.on_segment(at(ms), &segment);
        collect_acks(&mut receiver, ms);
    }
    if let Some(due) = receiver.poll_timeout() {
        receiver.on_timer(due);
        collect_acks(&mut receiver, due.0 / 1_000_000);
    }
    acks
}

/// RFC 5681 section 4.2: every second segment or 200 ms; at once out of order and while a gap is being filled.
#[test]
fn delayed_acknowledgements() {
    let plain = |steps: &[(u64, u32)]| -> Vec<(u64, u32)> {
        arrivals(&[], steps).into_iter().map(|(ms, ack, _)| (ms, ack)).collect()
    };
    assert_eq!(plain(&[(0, 0), (1, 1), (2, 2)]), [(1, 2), (202, 3)]);
    assert_eq!(plain(&[(0, 0), (1, 1), (2, 3), (3, 4)]), [(1, 2), (2, 2), (3, 2)]);
    // 2 fills part of the gap below 4: at once. 3 closes it: at once.
    assert_eq!(plain(&[(0, 0), (1, 1), (2, 4), (3, 2), (4, 3)]), [(1, 2), (2, 2), (3, 3), (4, 5)]);
    // An old segment again: at once.
    assert_eq!(plain(&[(0, 0), (1, 1), (2, 1)]), [(1, 2), (2, 2)]);
    let quick = arrivals(&[("quick_acks", "2")], &[(0, 0), (1, 1), (2, 2)]);
    assert_eq!(quick.iter().map(|acks| acks.0).collect::<Vec<_>>(), [0, 1, 202]);
}

/// RFC 2018 section 4: the block of the newest segment first, then the most recently reported others.
#[test]
fn sack_blocks_start_with_the_newest() {
    let acks = arrivals(&[("ack_every", "1")], &[(0, 2), (1, 4), (2, 6), (3, 8), (4, 3), (5, 0), (6, 1)]);
    let blocks: Vec<Vec<(u32, u32)>> = acks.into_iter().map(|(.., blocks)| blocks).collect();
    assert_eq!(blocks[0], [(2, 3)]);
    assert_eq!(blocks[2], [(6, 7), (4, 5), (2, 3)]);
    assert_eq!(blocks[3], [(8, 9), (6, 7), (4, 5)], "three at most");
    assert_eq!(blocks[4], [(2, 5), (8, 9), (6, 7)], "3 joins 2 and 4");
    assert_eq!(blocks[6], [(8, 9), (6, 7)], "1 delivers up to 4");
}

/// RFC 8257 section 3.2: a change of CE first acknowledges pending segments; delayed ACKs continue as before.
#[test]
fn a_change_of_marks_is_acknowledged_at_once() {
    let keys = [("ecn", "true"), ("ecn_rule", "dctcp"), ("handshake", "none")];
    let mut receiver = Receiver::new(&params(&keys));
    let mut collect_acks = |seq: u32, ecn: Ecn| -> Vec<(u32, bool)> {
        let size = 1500;
        let segment = Segment { ecn, ..Segment::data(seq, size, at(0)) };
        receiver.on_segment(at(1), &segment);
        std::iter::from_fn(|| receiver.poll_transmit(at(1))).map(|ack| (ack.ack, ack.ece)).collect()
    };
    assert_eq!(collect_acks(0, Ecn::Ect0), []);
    assert_eq!(collect_acks(1, Ecn::Ce), [(1, false)]);
    assert_eq!(collect_acks(2, Ecn::Ce), [(3, true)]);
    assert_eq!(collect_acks(3, Ecn::Ce), []);
    assert_eq!(collect_acks(4, Ecn::Ect0), [(4, true)]);
    assert_eq!(collect_acks(5, Ecn::Ect0), [(6, false)]);
}

/// RFC 9768 section 3.2: the counter starts at 5; the first mark after unmarked segments is reported at once, then
/// every second segment as usual, marked or not.
#[test]
fn a_receiver_counts_marks() {
    let keys = [("ecn", "true"), ("ecn_rule", "accecn"), ("handshake", "none")];
    let mut receiver = Receiver::new(&params(&keys));
    let mut acks = Vec::new();
    for (seq, ce) in [false, false, true, true, true, false].into_iter().enumerate() {
        let ecn = if ce { Ecn::Ce } else { Ecn::Ect1 };
        let seq = seq as u32;
        let segment = Segment { ecn, ..Segment::data(seq, 1500, at(seq.into())) };
        receiver.on_segment(at(seq.into()), &segment);
        while let Some(ack) = receiver.poll_transmit(at(seq.into())) {
            acks.push((seq, ack.ack, ack.ace));
        }
    }
    // 5 and three marks are 8: 0 in three bits. Nothing is left to wait for.
    assert_eq!(acks, [(1, 2, 5), (2, 3, 6), (4, 5, 0),]);
    assert!(receiver.poll_timeout().is_some());
}

/// RFC 2883 section 4: a segment that arrived twice is the first block, below the acknowledgement or within the block
/// after it.
#[test]
fn dsack_reports_duplicates_first() {
    let steps = [(0, 0), (1, 1), (2, 1), (3, 3), (4, 3), (5, 2)];
    let acks = arrivals(&[("dsack", "true"), ("ack_every", "1")], &steps);
    let numbers: Vec<_> = acks.iter().map(|(_, ack, blocks)| (*ack, blocks.as_slice())).collect();
    assert_eq!(numbers[..3], [(1, &[][..]), (2, &[]), (2, &[(1, 2)])]);
    assert_eq!(numbers[3..], [(2, &[(3, 4)][..]), (2, &[(3, 4), (3, 4)]), (4, &[])]);
}
