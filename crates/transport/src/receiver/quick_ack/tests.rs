//! Tests of Linux's receiver.

use super::*;
use units::param::Valid;
use units::Ecn;

fn at(us: u64) -> Time {
    Time(us * 1000)
}

fn receiver(ecn_rule: EcnRule) -> Receiver {
    let params = Params {
        mss: units::Bytes(1448),
        recovery: crate::params::Recovery::Rack,
        ack_rule: AckRule::Linux,
        quick_acks: 16,
        ecn: ecn_rule != EcnRule::Rfc3168,
        ecn_rule,
        ..Params::default()
    };
    Receiver::new(&Valid::new(params).unwrap())
}

/// Segment `seq` arrives 20 ms after it was sent; returns whether it is acknowledged at once.
fn arrives(receiver: &mut Receiver, us: u64, seq: u32, push: bool, ecn: Ecn) -> bool {
    let sent = at(us - 20_000);
    let plain = Segment { ecn, push, ..Segment::data(seq, 1500, sent) };
    receiver.on_segment(at(us), &plain);
    let mut answered = false;
    while receiver.poll_transmit(at(us)).is_some() {
        answered = true;
    }
    answered
}

/// The window opens from 64088 to 81496 bytes by 2896 for each of six segments, 16 more get quick ACKs,
/// then every second one and those with PSH.
#[test]
fn twenty_two_segments_are_acknowledged_one_by_one() {
    let mut receiver = receiver(EcnRule::Rfc3168);
    let alone: Vec<u32> = (0..30)
        .filter(|seq| arrives(&mut receiver, 20_000 + 100 * u64::from(*seq), *seq, *seq == 26, Ecn::NotEct))
        .collect();
    let expected: Vec<u32> = (0..22).chain([23, 25, 26, 28]).collect();
    assert_eq!(alone, expected);
}

/// A round trip of 40 ms after a wait of 80, then 80 ms twice at one moment, which count once, by an
/// eighth, and 20 ms in full.
#[test]
fn a_shorter_round_trip_counts_at_once() {
    let wait = Span::from_millis(80);
    let mut quick_ack = QuickAck::new(&Params { open_wait: wait, ..Params::default() });
    quick_ack.open(at(10_000));
    quick_ack.measure(at(130_000), at(110_000));
    assert_eq!(quick_ack.rtt, Span::from_millis(40));
    quick_ack.measure(at(260_000), at(200_000));
    quick_ack.measure(at(260_000), at(200_000));
    assert_eq!(quick_ack.rtt, Span::from_millis(45));
    quick_ack.measure(at(300_000), at(300_000));
    assert_eq!(quick_ack.rtt, Span::from_millis(20));
}

/// 20 segments of 1000 bytes read in a round trip after 10 in the one before: room for 40 and twice
/// the growth of 40.
#[test]
fn the_window_follows_what_is_read() {
    let mut quick_ack = QuickAck::new(&Params { mss: units::Bytes(1000), ..Params::default() });
    quick_ack.rtt = Span::from_millis(40);
    quick_ack.follow(at(39_000), 20, 0);
    assert_eq!(quick_ack.room, FIRST_ROOM);
    quick_ack.follow(at(40_000), 20, 0);
    assert_eq!((quick_ack.room, quick_ack.most_read, quick_ack.read), (120_000, 20_000, 20));
    quick_ack.follow(at(80_000), 40, 0);
    assert_eq!(quick_ack.room, 120_000);
}

/// 65160 bytes of the handshake are 45 segments. Each arrival opens 64088 bytes by two: after ten in order 81496
/// are open, 56 segments. Nothing offered is taken back: segments out of order take 16/25 of their bytes, and the
/// end stays at segment 66.
#[test]
fn an_offer_is_never_taken_back() {
    let params = Params {
        mss: units::Bytes(1448),
        ack_rule: AckRule::Linux,
        receive_autotuning: true,
        ..Params::default()
    };
    let mut quick_ack = QuickAck::new(&params);
    assert_eq!(quick_ack.offer(0, 0), (45, false));
    for _ in 0..10 {
        quick_ack.widen(true, 0);
    }
    assert_eq!(quick_ack.window, FIRST_ROOM - 1448);
    assert_eq!(quick_ack.offer(10, 0), (56, false));
    assert_eq!(quick_ack.taken(20), 18_534);
    assert_eq!(quick_ack.offer(10, 20), (56, false));
    assert_eq!(quick_ack.offer(20, 60), (46, true), "the end of the offer is segment 66");
    quick_ack.most_read = 14_480;
    quick_ack.reserve(20, 80);
    assert_eq!(quick_ack.room, 28_960 + 60 * 1448);
}

/// Three duplicate ACKs leave at once, the fourth after 1 ms, and the ACK of the retransmission at once.
#[test]
fn later_duplicates_wait_a_millisecond() {
    let mut receiver = receiver(EcnRule::Rfc3168);
    (0..30).for_each(|seq| {
        arrives(&mut receiver, 20_000 + 100 * u64::from(seq), seq, false, Ecn::NotEct);
    });
    let answered: Vec<bool> = (31..35)
        .map(|seq| arrives(&mut receiver, 24_000 + u64::from(seq), seq, false, Ecn::NotEct))
        .collect();
    assert_eq!(answered, [true, true, true, false]);
    assert_eq!(receiver.poll_timeout(), Some(at(25_034)));
    assert!(arrives(&mut receiver, 24_900, 30, false, Ecn::NotEct));
}

/// A compressed duplicate ACK is pending as the retransmission arrives: the ACK echoes the time of the
/// retransmission, which is no sign of the original.
#[test]
fn a_retransmission_is_echoed_though_a_duplicate_is_pending() {
    let mut receiver = receiver(EcnRule::Rfc3168);
    (0..30).for_each(|seq| {
        arrives(&mut receiver, 20_000 + 100 * u64::from(seq), seq, false, Ecn::NotEct);
    });
    (31..36).for_each(|seq| {
        arrives(&mut receiver, 24_000 + u64::from(seq), seq, false, Ecn::NotEct);
    });
    let sent = at(24_500);
    let retransmission = Segment { retransmit: true, ..Segment::data(30, 1500, sent) };
    receiver.on_segment(at(24_900), &retransmission);
    let answer = receiver.poll_transmit(at(24_900)).unwrap();
    assert_eq!((answer.ack, answer.echo), (36, sent));
}

/// With DCTCP a change of CE is acknowledged at once, in both directions.
#[test]
fn a_change_of_marks_does_not_wait() {
    let mut receiver = receiver(EcnRule::Dctcp);
    (0..30).for_each(|seq| {
        arrives(&mut receiver, 20_000 + 100 * u64::from(seq), seq, false, Ecn::Ect0);
    });
    let marks = [Ecn::Ce, Ecn::Ce, Ecn::Ce, Ecn::Ect0, Ecn::Ect0];
    let answered: Vec<bool> = (30..35)
        .zip(marks)
        .map(|(seq, mark)| arrives(&mut receiver, 24_000 + u64::from(seq), seq, false, mark))
        .collect();
    assert_eq!(answered, [true, false, true, true, false]);
}

/// Segments 31 to 35 arrive beyond a hole: three are acknowledged at once, two compressed. Segment 37 starts a block, so
/// that the compressed ACK leaves before it, and waits itself; segment 36 would not start one.
#[test]
fn a_new_block_sends_the_compressed_acks() {
    for (next, early) in [(37, true), (36, false)] {
        let mut receiver = receiver(EcnRule::Rfc3168);
        (0..30).for_each(|seq| {
            arrives(&mut receiver, 20_000 + 100 * u64::from(seq), seq, false, Ecn::NotEct);
        });
        let answered: Vec<bool> = (31..36)
            .map(|seq| arrives(&mut receiver, 24_000 + u64::from(seq), seq, false, Ecn::NotEct))
            .collect();
        assert_eq!(answered, [true, true, true, false, false]);
        receiver.on_segment(at(24_100), &Segment::data(next, 1500, at(4_100)));
        let ack = receiver.poll_transmit(at(24_100));
        let blocks: Vec<(u32, u32)> = ack.iter().flat_map(|ack| ack.sack.iter()).collect();
        assert_eq!(blocks, if early { vec![(31, 36)] } else { vec![] });
        assert_eq!(receiver.poll_transmit(at(24_100)), None);
        assert_eq!(receiver.poll_timeout(), Some(if early { at(25_100) } else { at(25_034) }));
    }
}
