//! Accurate ECN (RFC 9768) between the two ends, worked by hand: handshake, counters, option, and the fallbacks.

#![allow(clippy::unwrap_used)]

#[path = "harness/loopback.rs"]
#[allow(dead_code)]
mod loopback;

use loopback::params;
use transport::{Ack, Receiver, Role, SackBlocks, Segment, Sender};
use units::{Ecn, Stream, Time};

fn at(ms: u64) -> Time {
    Time(ms * 1_000_000)
}

/// Both ends, and the segments between them.
struct Pair {
    sender: Sender,
    receiver: Receiver,
}

impl Pair {
    fn new(keys: &[(&str, &str)]) -> Pair {
        let p = params(keys);
        let mut sender = Sender::new(&p, Stream::new(1, "pair"));
        sender.supply_forever();
        Pair { sender, receiver: Receiver::new(&p) }
    }

    /// Sends the SYN at 0, which arrives as `ecn`; the flags of both messages, and the option of the answer.
    fn open(&mut self, ecn: Ecn) -> (u8, Ack) {
        self.sender.start(at(0));
        let syn = self.sender.poll_transmit(at(0)).unwrap();
        assert_eq!((syn.role, syn.ecn), (Role::Syn, Ecn::NotEct));
        self.receiver.on_segment(at(20), &Segment { ecn, ..syn });
        let answer = self.receiver.poll_transmit(at(20)).unwrap();
        self.sender.on_ack(at(40), &answer);
        (syn.ecn_flags, answer)
    }

    fn sent(&mut self, ms: u64) -> Vec<Segment> {
        std::iter::from_fn(|| self.sender.poll_transmit(at(ms))).collect()
    }

    /// Delivers segments, those named as marked; returns the receiver's ACKs.
    fn arrive(&mut self, ms: u64, segments: &[Segment], marked: &[u32]) -> Vec<Ack> {
        let mut acks = Vec::new();
        for segment in segments {
            let ecn =
                if marked.contains(&segment.seq) && segment.ecn.capable() { Ecn::Ce } else { segment.ecn };
            self.receiver.on_segment(at(ms), &Segment { ecn, ..*segment });
            acks.extend(std::iter::from_fn(|| self.receiver.poll_transmit(at(ms))));
        }
        acks
    }
}

const PRAGUE: &[(&str, &str)] = &[("cc", "prague"), ("initial_window", "8"), ("pacing", "off")];

/// SYN (1,1,1); the answer (0,1,0) reports that it arrived as it left, and carries the option with 1, 0 and 1; data carry
/// ECT(1).
#[test]
fn both_ends_agree() {
    let mut pair = Pair::new(PRAGUE);
    let (asked, answer) = pair.open(Ecn::NotEct);
    assert_eq!((asked, answer.ace, answer.ece), (0b111, 0b010, false));
    let option = answer.bytes.unwrap();
    assert_eq!((option.e0b, option.ceb, option.e1b, option.length()), (1, 0, 1, 11));
    assert_eq!(answer.size, 40 + 12, "a header is whole words");
    let data = pair.sent(40);
    assert!(data.len() == 8 && data.iter().all(|segment| segment.ecn == Ecn::Ect1 && !segment.cwr));
}

/// Eight segments, 2, 3 and 4 marked. The first mark is reported at once, then each second one or segment; the option
/// holds ECT(1) first, and CE as soon as there is any.
#[test]
fn marks_come_back_in_bits_and_bytes() {
    let mut pair = Pair::new(PRAGUE);
    pair.open(Ecn::NotEct);
    let data = pair.sent(40);
    let acks = pair.arrive(60, &data, &[2, 3, 4]);
    let reported: Vec<_> =
        acks.iter().map(|ack| (ack.ack, ack.ace, ack.bytes.map(|o| (o.fields, o.e1b, o.ceb)))).collect();
    let bytes = |n: u32| n * 1460;
    let expected = [
        (2, 5, Some((1, 1 + bytes(2), 0))),
        (3, 6, Some((2, 1 + bytes(2), bytes(1)))),
        (5, 0, Some((2, 1 + bytes(2), bytes(3)))),
        (7, 0, Some((2, 1 + bytes(4), bytes(3)))),
    ];
    assert_eq!(reported, expected);
    assert!(acks.iter().all(|ack| ack.bytes.unwrap().ect1_first && ack.size == 48));
    // The sender learns of three marked segments and reduces its window once.
    acks.iter().for_each(|ack| pair.sender.on_ack(at(80), ack));
    assert_eq!((pair.sender.marked_segments(), pair.sender.counters().ecn_cuts), (Some(3), 1));
}

/// All acknowledgements but the last are lost, and all ten segments were marked: three bits went round. With the option
/// the sender knows; without, it takes the worst that fits. With two of ten marked, only the option keeps it from
/// taking them for ten.
#[test]
fn lost_acknowledgements_hide_nothing() {
    for (option, marked, known_marked) in
        [("true", 10, 10), ("true", 2, 2), ("false", 10, 10), ("false", 2, 10), ("false", 1, 9)]
    {
        let keys = [("cc", "prague"), ("initial_window", "10"), ("pacing", "off"), ("accecn_option", option)];
        let mut pair = Pair::new(&keys);
        let (_, answer) = pair.open(Ecn::NotEct);
        assert_eq!(answer.bytes.is_some(), option == "true");
        let data = pair.sent(40);
        let marks: Vec<u32> = (0..marked).collect();
        let mut acks = pair.arrive(60, &data, &marks);
        pair.receiver.on_timer(at(1000));
        acks.extend(pair.receiver.poll_transmit(at(1000)));
        let last = acks.last().unwrap();
        assert_eq!((last.ack, last.bytes.is_some()), (10, option == "true"));
        pair.sender.on_ack(at(1020), last);
        assert_eq!(pair.sender.marked_segments(), Some(known_marked), "option {option}, {marked} marked");
    }
}

/// A server of RFC 3168 answers (0,0,1): ECT(0), an echo until CWR, and Prague and DCTCP halve for it.
#[test]
fn an_older_server_is_met_half_way() {
    let keys = [PRAGUE, &[("peer_ecn", "rfc3168")]].concat();
    let mut pair = Pair::new(&keys);
    let (asked, answer) = pair.open(Ecn::NotEct);
    assert_eq!((asked, answer.ace, answer.bytes, answer.size), (0b111, 0b001, None, 40));
    let data = pair.sent(40);
    assert!(data.iter().all(|segment| segment.ecn == Ecn::Ect0));
    let acks = pair.arrive(60, &data, &[0]);
    assert!(acks.iter().all(|ack| ack.ece && ack.bytes.is_none()));
    pair.sender.on_ack(at(80), &acks[0]);
    assert_eq!((pair.sender.ssthresh(), pair.sender.counters().ecn_cuts), (4.0, 1));
    acks.iter().for_each(|ack| pair.sender.on_ack(at(80), ack));
    assert_eq!(pair.sender.counters().ecn_cuts, 1, "one echo a round trip");
    let next = pair.sent(80);
    assert!(next[0].cwr, "classic ECN is answered");
}

/// One without ECN answers (0,0,0): nothing is capable.
#[test]
fn a_server_without_ecn_is_sent_nothing_capable() {
    let keys = [PRAGUE, &[("peer_ecn", "none")]].concat();
    let mut pair = Pair::new(&keys);
    assert_eq!(pair.open(Ecn::NotEct).1.ace, 0);
    let data = pair.sent(40);
    assert!(data.iter().all(|segment| segment.ecn == Ecn::NotEct));
    assert_eq!(pair.arrive(60, &data, &[0, 1]).iter().filter(|ack| ack.ece).count(), 0);
}

/// Classic ECN negotiates as well: (0,1,1) and (0,0,1).
#[test]
fn classic_ecn_is_agreed_on_as_ever() {
    let mut pair = Pair::new(&[("ecn", "true")]);
    let (asked, answer) = pair.open(Ecn::NotEct);
    assert_eq!((asked, answer.ace), (0b011, 0b001));
    assert!(pair.sent(40).iter().all(|segment| segment.ecn == Ecn::Ect0));
}

#[test]
fn without_ecn_nothing_is_asked() {
    let (asked, answer) = Pair::new(&[]).open(Ecn::NotEct);
    assert_eq!((asked, answer.ace), (0, 0));
}

#[test]
fn classic_ecn_meets_a_server_without() {
    let mut pair = Pair::new(&[("ecn", "true"), ("peer_ecn", "none")]);
    assert_eq!(pair.open(Ecn::NotEct).1.ace, 0);
    assert!(pair.sent(40).iter().all(|segment| segment.ecn == Ecn::NotEct));
}

/// Reno and CUBIC may ask for accurate ECN, too: they halve, or leave 0.7, once a round trip for any number of marks,
/// and carry ECT(0).
#[test]
fn controls_that_halve_use_it_as_well() {
    for (cc, left) in [("reno", 4.0), ("cubic", 8.0 * 0.7)] {
        let mut pair =
            Pair::new(&[("cc", cc), ("ecn", "true"), ("ecn_rule", "accecn"), ("initial_window", "8")]);
        let (asked, answer) = pair.open(Ecn::NotEct);
        assert_eq!((asked, answer.ace), (0b111, 0b010));
        let data = pair.sent(40);
        assert!(data.iter().all(|segment| segment.ecn == Ecn::Ect0 && !segment.cwr));
        let acks = pair.arrive(60, &data, &[0, 1, 2, 3]);
        assert!(!acks[0].bytes.unwrap().ect1_first || acks[0].bytes.unwrap().ceb > 0);
        acks.iter().for_each(|ack| pair.sender.on_ack(at(80), ack));
        assert_eq!((pair.sender.ssthresh(), pair.sender.counters().ecn_cuts), (left, 1), "{cc}");
        assert_eq!(pair.sender.marked_segments(), Some(4));
        assert!(pair.sent(80).iter().all(|segment| !segment.cwr), "nothing is confirmed (section 3.1.5)");
    }
}

/// A SYN that left as not capable and arrived as ECT(0): the answer (1,0,0) reports it, and no data are sent as capable,
/// though marks are still counted. Marked in flight: (1,1,0), and the window opens with one segment.
#[test]
fn a_path_that_changes_the_field_is_found_out() {
    for (ecn, flags, first) in [(Ecn::Ect0, 0b100, 8), (Ecn::Ect1, 0b011, 8), (Ecn::Ce, 0b110, 1)] {
        let mut pair = Pair::new(PRAGUE);
        assert_eq!(pair.open(ecn).1.ace, flags);
        let data = pair.sent(40);
        assert_eq!(data.len(), first);
        assert!(data.iter().all(|segment| segment.ecn == Ecn::NotEct));
        let marked = Segment { ecn: Ecn::Ce, ..data[0] };
        pair.receiver.on_segment(at(60), &marked);
        let ack = pair.receiver.poll_transmit(at(60)).unwrap();
        pair.sender.on_ack(at(80), &ack);
        assert_eq!(pair.sender.marked_segments(), Some(1));
    }
}

/// The SYN asks for AccECN twice, then for no ECN, and the first answer decides. A server that receives a second SYN
/// answers without the option, by its first agreement, and reports the ECN field of the latest SYN.
#[test]
fn a_lost_handshake_asks_for_less() {
    let mut pair = Pair::new(PRAGUE);
    pair.sender.start(at(0));
    let mut syns = pair.sent(0);
    for _ in 0..2 {
        let due = pair.sender.poll_timeout().unwrap();
        pair.sender.on_timer(due);
        syns.extend(pair.sent(due.0 / 1_000_000));
    }
    assert_eq!(syns.iter().map(|syn| syn.ecn_flags).collect::<Vec<_>>(), [0b111, 0b111, 0]);
    let mut answers = Vec::new();
    for (syn, ecn) in [(syns[0], Ecn::NotEct), (syns[2], Ecn::Ect0)] {
        pair.receiver.on_segment(at(3100), &Segment { ecn, ..syn });
        answers.push(pair.receiver.poll_transmit(at(3100)).unwrap());
    }
    assert_eq!((answers[0].ace, answers[0].bytes.is_some()), (0b010, true));
    assert_eq!((answers[1].ace, answers[1].bytes.is_some()), (0b100, false));
    // A server that saw only the last of them has no ECN, also with later segments.
    let mut late = Receiver::new(&params(PRAGUE));
    late.on_segment(at(3100), &syns[2]);
    assert_eq!(late.poll_transmit(at(3100)).unwrap().ace, 0);
    late.on_segment(at(3200), &syns[0]);
    assert_eq!(late.poll_transmit(at(3200)).unwrap().ace, 0);
}

/// An acknowledgement that was overtaken is ignored: its counter lies behind, which three bits cannot tell from seven
/// more.
#[test]
fn late_acknowledgements_are_not_read() {
    let mut pair = Pair::new(PRAGUE);
    pair.open(Ecn::NotEct);
    let data = pair.sent(40);
    let acks = pair.arrive(60, &data, &[2]);
    let (first, second) = (acks[0], acks[1]);
    assert_eq!((first.ace, second.ace), (5, 6));
    pair.sender.on_ack(at(80), &second);
    pair.sender.on_ack(at(81), &first);
    assert_eq!(pair.sender.marked_segments(), Some(1));
}

/// Marks above a hole are counted as they are reported held; a segment that comes again below all that is expected is
/// not.
#[test]
fn marks_above_a_hole_count_once() {
    let mut pair = Pair::new(PRAGUE);
    pair.open(Ecn::NotEct);
    let data = pair.sent(40);
    let acks = pair.arrive(60, &data[1..], &[3, 5]);
    assert!(acks.iter().all(|ack| ack.ack == 0 && !ack.sack.is_empty()));
    acks.iter().for_each(|ack| pair.sender.on_ack(at(80), ack));
    assert_eq!(pair.sender.marked_segments(), Some(2));
    let again = pair.sent(80);
    let last = pair.arrive(100, &[Segment { ecn: Ecn::Ect1, ..data[0] }], &[0]);
    last.iter().for_each(|ack| pair.sender.on_ack(at(120), ack));
    assert_eq!(pair.sender.marked_segments(), Some(3));
    assert!(again.iter().any(|segment| segment.seq == 0 && segment.ecn == Ecn::Ect1));
    let duplicate = pair.arrive(130, &[Segment { ecn: Ecn::Ce, ..data[4] }], &[]);
    assert_eq!(duplicate.last().unwrap().ace, last.last().unwrap().ace);
}

/// Bytes that grow while the three bits stay the same are not a receiver's feedback: segments sent from then on are not
/// ECN-capable.
#[test]
fn feedback_that_contradicts_itself_ends_it() {
    let mut pair = Pair::new(PRAGUE);
    let (_, answer) = pair.open(Ecn::NotEct);
    pair.sent(40);
    let mut option = answer.bytes.unwrap();
    option.ceb = 1460;
    let (echo, sack) = (at(40), SackBlocks::default());
    let ack = Ack {
        ack: 7,
        size: 52,
        echo,
        sack,
        ece: false,
        syn: false,
        ace: 5,
        bytes: Some(option),
        window: None,
    };
    pair.sender.on_ack(at(80), &ack);
    let next = pair.sent(80);
    assert!(!next.is_empty() && next.iter().all(|segment| segment.ecn == Ecn::NotEct));
}
