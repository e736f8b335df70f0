//! Dialogues computed by hand, ACK by ACK, for each rule of the RFCs.

#![allow(clippy::unwrap_used)]

#[path = "harness/loopback.rs"]
#[allow(dead_code)]
mod loopback;

use loopback::params;
use transport::{Ack, Phase, Receiver, Role, SackBlocks, Segment, Sender};
use units::{Ecn, Span, Stream, Time};

/// A sender with helpers for input. Times in milliseconds.
struct Dialogue {
    sender: Sender,
    now: Time,
}

fn at(ms: u64) -> Time {
    Time(ms * 1_000_000)
}

impl Dialogue {
    /// Opens without a handshake and sends the initial window.
    fn start(keys: &[(&str, &str)]) -> (Dialogue, Vec<u32>) {
        let mut all = vec![("handshake", "none")];
        all.extend_from_slice(keys);
        let mut sender = Sender::new(&params(&all), Stream::new(1, "dialogue"));
        sender.supply_forever();
        sender.start(Time::ZERO);
        let mut dialogue = Dialogue { sender, now: Time::ZERO };
        let sent = dialogue.sent();
        (dialogue, sent)
    }

    fn segments(&mut self) -> Vec<Segment> {
        let now = self.now;
        std::iter::from_fn(|| self.sender.poll_transmit(now)).collect()
    }

    fn sent(&mut self) -> Vec<u32> {
        self.segments().iter().map(|segment| segment.seq).collect()
    }

    fn hear(&mut self, ack: u32, blocks: &[(u32, u32)], ece: bool) {
        self.hear_of(ack, blocks, ece, self.now - Span::from_millis(100));
    }

    /// An ACK that echoes the timestamp `echo`.
    fn hear_of(&mut self, ack: u32, blocks: &[(u32, u32)], ece: bool, echo: Time) {
        let mut sack = SackBlocks::default();
        blocks.iter().for_each(|&(start, end)| sack.push(start, end));
        self.sender.on_ack(
            self.now,
            &Ack { ack, size: 40, echo, sack, ece, syn: false, ace: 0, bytes: None, window: None },
        );
    }

    /// Segments sent after an ACK without SACK.
    fn ack(&mut self, ack: u32) -> Vec<u32> {
        self.hear(ack, &[], false);
        self.sent()
    }

    /// Segments sent after an ACK with SACK blocks.
    fn sack(&mut self, ack: u32, blocks: &[(u32, u32)]) -> Vec<u32> {
        self.hear(ack, blocks, false);
        self.sent()
    }

    /// Segments sent when the next timer fires.
    fn timeout(&mut self) -> Vec<u32> {
        self.now = self.sender.poll_timeout().unwrap();
        self.sender.on_timer(self.now);
        self.sent()
    }
}

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
    let jitter_elapsed: Vec<Vec<u32>> = (0..5).map(|_| dialogue.ack(2)).collect();
    assert_eq!(jitter_elapsed, [vec![3], vec![4], vec![], vec![], vec![]]);
    assert_eq!(dialogue.sender.counters().fast_recoveries, 0);
}

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

/// RFC 6298 rules 2.2, 2.3, 5.5 and Karn's: by hand, in milliseconds.
#[test]
fn timeout_follows_the_round_trip() {
    let (mut dialogue, _) =
        Dialogue::start(&[("recovery", "newreno"), ("initial_window", "1"), ("min_rto", "0 s")]);
    assert_eq!(dialogue.sender.rto(), Span::from_millis(1000));
    // First sample 100: srtt 100, rttvar 50, rto 100 + 4 x 50.
    dialogue.now = at(100);
    dialogue.ack(1);
    assert_eq!(dialogue.sender.rto(), Span::from_millis(300));
    // Second sample 200: rttvar 3/4 50 + 1/4 |100 - 200| = 62.5, srtt 112.5, rto 362.5.
    dialogue.now = at(300);
    dialogue.ack(2);
    assert_eq!(dialogue.sender.rto(), Span::from_micros(362_500));
    assert_eq!(dialogue.sender.srtt(), Some(Span::from_micros(112_500)));
    // Two timeouts double it twice.
    assert_eq!(dialogue.timeout(), [2]);
    assert_eq!(dialogue.now, Time(662_500_000));
    assert_eq!(dialogue.timeout(), [2]);
    assert_eq!(dialogue.sender.rto(), Span::from_millis(1450));
    assert_eq!(dialogue.sender.counters().timeouts, 2);
    // The retransmission is acknowledged: no sample, and the timeout stays doubled.
    dialogue.now = at(1500);
    assert_eq!(dialogue.ack(3), [3, 4], "segment 3 was out before");
    assert_eq!(dialogue.sender.rto(), Span::from_millis(1450));
    // New data is timed again and ends it.
    dialogue.now = at(1600);
    assert_eq!(dialogue.ack(5), [5, 6]);
    dialogue.now = at(1700);
    dialogue.ack(6);
    assert!(dialogue.sender.rto() < Span::from_millis(500));
}

/// RFC 6298 rules 5.1 to 5.3: on with the first segment, moved by new data only, off when all is in.
#[test]
fn timer_runs_while_data_is_out() {
    let mut sender = Sender::new(
        &params(&[("handshake", "none"), ("recovery", "newreno"), ("initial_window", "3")]),
        Stream::new(1, "dialogue"),
    );
    assert_eq!(sender.poll_timeout(), None);
    sender.supply(3);
    sender.start(Time::ZERO);
    let mut dialogue = Dialogue { sender, now: Time::ZERO };
    dialogue.sent();
    assert_eq!(dialogue.sender.poll_timeout(), Some(at(1000)));
    dialogue.now = at(50);
    dialogue.ack(0);
    assert_eq!(dialogue.sender.poll_timeout(), Some(at(1000)), "a duplicate does not move it");
    dialogue.now = at(100);
    dialogue.ack(2);
    assert_eq!(dialogue.sender.poll_timeout(), Some(at(1100)));
    dialogue.ack(3);
    assert_eq!(dialogue.sender.poll_timeout(), None);
    assert!(dialogue.sender.is_done());
}

/// The three-way handshake: SYN, then data; a lost SYN is sent again after the initial timeout and costs the initial
/// window.
#[test]
fn handshake() {
    let p = params(&[("recovery", "newreno")]);
    let (mut sender, mut receiver) = (Sender::new(&p, Stream::new(1, "dialogue")), Receiver::new(&p));
    sender.supply_forever();
    sender.start(Time::ZERO);
    let mut dialogue = Dialogue { sender, now: Time::ZERO };
    assert_eq!(dialogue.segments().iter().map(|s| s.role).collect::<Vec<_>>(), [Role::Syn]);
    assert_eq!(dialogue.sender.phase(), Phase::Opening);
    dialogue.now = at(1000);
    dialogue.sender.on_timer(dialogue.now);
    let again = dialogue.segments();
    assert_eq!((again.len(), again[0].retransmit), (1, true));
    receiver.on_segment(at(1050), &again[0]);
    let answer = receiver.poll_transmit(at(1050)).unwrap();
    assert!(answer.syn);
    dialogue.now = at(1100);
    dialogue.sender.on_ack(dialogue.now, &answer);
    assert_eq!(dialogue.sent(), [0]);
    assert_eq!(dialogue.sender.cwnd(), 1.0);
}

/// With `open_wait` the initial window leaves 80 ms after the answer to the SYN, whether or not that answer arrives
/// twice; its round trip of 40 ms is known by then.
#[test]
fn data_waits_for_open_wait() {
    let p = params(&[("recovery", "sack"), ("open_wait", "80 ms"), ("initial_window", "3")]);
    let (mut sender, mut receiver) = (Sender::new(&p, Stream::new(1, "dialogue")), Receiver::new(&p));
    sender.supply_forever();
    sender.start(Time::ZERO);
    let mut dialogue = Dialogue { sender, now: Time::ZERO };
    receiver.on_segment(at(20), &dialogue.segments()[0]);
    let answer = receiver.poll_transmit(at(20)).unwrap();
    for ms in [40, 100] {
        dialogue.now = at(ms);
        dialogue.sender.on_ack(dialogue.now, &answer);
        assert!(dialogue.sent().is_empty());
        assert_eq!(dialogue.sender.poll_timeout(), Some(at(120)));
    }
    assert_eq!(dialogue.sender.srtt(), Some(Span::from_millis(40)));
    dialogue.now = at(120);
    dialogue.sender.on_timer(dialogue.now);
    assert_eq!(dialogue.sent(), [0, 1, 2]);
}

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

/// An ACK received: time, number, SACK blocks.
type Heard = (u64, u32, Vec<(u32, u32)>);

/// ACKs of a receiver for segments that arrive at these times.
fn arrivals(keys: &[(&str, &str)], steps: &[(u64, u32)]) -> Vec<Heard> {
    let mut all = vec![("handshake", "none")];
    all.extend_from_slice(keys);
    let mut receiver = Receiver::new(&params(&all));
    let mut heard = Vec::new();
    let mut hear = |from: &mut Receiver, ms: u64| {
        while let Some(ack) = from.poll_transmit(at(ms)) {
            heard.push((ms, ack.ack, ack.sack.iter().collect()));
        }
    };
    for &(ms, seq) in steps {
        while let Some(due) = receiver.poll_timeout().filter(|due| *due <= at(ms)) {
            receiver.on_timer(due);
            hear(&mut receiver, due.0 / 1_000_000);
        }
        let segment = Segment::data(seq, 1500, at(ms));
        receiver.on_segment(at(ms), &segment);
        hear(&mut receiver, ms);
    }
    if let Some(due) = receiver.poll_timeout() {
        receiver.on_timer(due);
        hear(&mut receiver, due.0 / 1_000_000);
    }
    heard
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
    assert_eq!(quick.iter().map(|heard| heard.0).collect::<Vec<_>>(), [0, 1, 202]);
}

/// RFC 2018 section 4: the block of the newest segment first, then the most recently reported others.
#[test]
fn sack_blocks_start_with_the_newest() {
    let heard = arrivals(&[("ack_every", "1")], &[(0, 2), (1, 4), (2, 6), (3, 8), (4, 3), (5, 0), (6, 1)]);
    let blocks: Vec<Vec<(u32, u32)>> = heard.into_iter().map(|(.., blocks)| blocks).collect();
    assert_eq!(blocks[0], [(2, 3)]);
    assert_eq!(blocks[2], [(6, 7), (4, 5), (2, 3)]);
    assert_eq!(blocks[3], [(8, 9), (6, 7), (4, 5)], "three at most");
    assert_eq!(blocks[4], [(2, 5), (8, 9), (6, 7)], "3 joins 2 and 4");
    assert_eq!(blocks[6], [(8, 9), (6, 7)], "1 delivers up to 4");
}

/// `overhead`: the window opens a random time after the ACK, and then for everything it allows.
#[test]
fn overhead_delays_a_burst() {
    let (mut dialogue, first) = Dialogue::start(&[("overhead", "5 ms"), ("initial_window", "4")]);
    assert_eq!(first, []);
    let due = dialogue.sender.poll_timeout().unwrap();
    assert!(due > Time::ZERO && due <= at(5));
    assert_eq!(dialogue.timeout(), [0, 1, 2, 3]);
}

/// The last segment of a file has the size of the remainder.
#[test]
fn the_last_segment_is_short() {
    let p = params(&[("handshake", "none")]);
    let (mut sender, mut receiver) = (Sender::new(&p, Stream::new(1, "dialogue")), Receiver::new(&p));
    sender.supply_bytes(3000);
    sender.start(Time::ZERO);
    let mut dialogue = Dialogue { sender, now: Time::ZERO };
    let segments = dialogue.segments();
    assert_eq!(segments.iter().map(|s| s.size).collect::<Vec<_>>(), [1500, 1500, 120]);
    for index in [2, 1, 0] {
        receiver.on_segment(at(1), &segments[index]);
    }
    assert_eq!(
        (receiver.delivered(), receiver.delivered_bytes(), receiver.delivered_payload()),
        (3, 3120, 3000)
    );
}

/// RFC 8257 section 3.2: a change of CE first acknowledges pending segments; delayed ACKs continue as before.
#[test]
fn a_change_of_marks_is_acknowledged_at_once() {
    let keys = [("ecn", "true"), ("ecn_rule", "dctcp"), ("handshake", "none")];
    let mut receiver = Receiver::new(&params(&keys));
    let mut hear = |seq: u32, ecn: Ecn| -> Vec<(u32, bool)> {
        let size = 1500;
        let segment = Segment { ecn, ..Segment::data(seq, size, at(0)) };
        receiver.on_segment(at(1), &segment);
        std::iter::from_fn(|| receiver.poll_transmit(at(1))).map(|ack| (ack.ack, ack.ece)).collect()
    };
    assert_eq!(hear(0, Ecn::Ect0), []);
    assert_eq!(hear(1, Ecn::Ce), [(1, false)]);
    assert_eq!(hear(2, Ecn::Ce), [(3, true)]);
    assert_eq!(hear(3, Ecn::Ce), []);
    assert_eq!(hear(4, Ecn::Ect0), [(4, true)]);
    assert_eq!(hear(5, Ecn::Ect0), [(6, false)]);
}

/// RFC 3168 section 6.1.2: a loss in a window reduced for an ECN echo is retransmitted at once without a second
/// reduction.
#[test]
fn a_loss_after_an_echo_is_repaired_without_another_cut() {
    for recovery in ["sack", "newreno"] {
        let (mut dialogue, _) =
            Dialogue::start(&[("recovery", recovery), ("ecn", "true"), ("initial_window", "10")]);
        dialogue.hear(1, &[], true);
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
        dialogue.hear(1, &[], true);
        assert_eq!((dialogue.sender.counters().ecn_cuts, dialogue.sender.cwnd()), (0, 1.0), "{recovery}");
        dialogue.hear(40, &[], false);
        let window = dialogue.sender.cwnd();
        let last = *dialogue.sent().last().unwrap();
        dialogue.hear(last + 1, &[], true);
        assert_eq!(dialogue.sender.counters().ecn_cuts, 1, "{recovery}");
        assert!(dialogue.sender.cwnd() <= window, "{recovery}: {} after {window}", dialogue.sender.cwnd());
    }
}

/// RFC 8511: an ECN echo leaves 0.8 of the flight, a loss a half.
#[test]
fn an_echo_may_cost_less_than_a_loss() {
    for (factor, left) in [("auto", 5.0), ("0.8", 8.0)] {
        let (mut dialogue, _) = Dialogue::start(&[("ecn", "true"), ("ecn_factor", factor)]);
        dialogue.hear(1, &[], true);
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

/// RFC 9768 section 3.2: the counter starts at 5; the first mark after unmarked segments is reported at once, then
/// every second segment as usual, marked or not.
#[test]
fn a_receiver_counts_marks() {
    let keys = [("ecn", "true"), ("ecn_rule", "accecn"), ("handshake", "none")];
    let mut receiver = Receiver::new(&params(&keys));
    let mut heard = Vec::new();
    for (seq, ce) in [false, false, true, true, true, false].into_iter().enumerate() {
        let ecn = if ce { Ecn::Ce } else { Ecn::Ect1 };
        let seq = seq as u32;
        let segment = Segment { ecn, ..Segment::data(seq, 1500, at(seq.into())) };
        receiver.on_segment(at(seq.into()), &segment);
        while let Some(ack) = receiver.poll_transmit(at(seq.into())) {
            heard.push((seq, ack.ack, ack.ace));
        }
    }
    // 5 and three marks are 8: 0 in three bits. Nothing is left to wait for.
    assert_eq!(heard, [(1, 2, 5), (2, 3, 6), (4, 5, 0),]);
    assert!(receiver.poll_timeout().is_some());
}

/// The sender reduces the window once per round trip for counted marks, by half of alpha = 1, and its segments carry
/// ECT(1), retransmissions included.
#[test]
fn prague_cuts_for_counted_marks() {
    let keys = [("profile", "l4s"), ("initial_window", "8"), ("recovery", "newreno"), ("pacing", "off")];
    let (mut dialogue, _) = Dialogue::start(&keys);
    dialogue.now = at(100);
    let hear = |to: &mut Dialogue, ack: u32, ace: u8| {
        let echo = to.now - Span::from_millis(100);
        let sack = SackBlocks::default();
        to.sender.on_ack(
            to.now,
            &Ack { ack, size: 40, echo, sack, ece: false, syn: false, ace, bytes: None, window: None },
        );
        to.segments()
    };
    hear(&mut dialogue, 1, 5);
    assert_eq!(dialogue.sender.cwnd(), 9.0);
    // alpha was 1, then 15/16. One of two segments is marked now: 15/16 of it and 1/32. The window falls by half of
    // that, and the other segment counts for growth.
    dialogue.now = at(200);
    hear(&mut dialogue, 3, 6);
    let alpha: f64 = 15.0 / 16.0 * 15.0 / 16.0 + 0.5 / 16.0;
    let cut = 9.0 * (1.0 - alpha / 2.0);
    assert_eq!(dialogue.sender.ssthresh(), cut);
    assert!((dialogue.sender.cwnd() - cut - 1.0 / cut).abs() < 1e-12);
    assert_eq!(dialogue.sender.counters().ecn_cuts, 1);
    // More marks in the same round trip: no further reduction.
    hear(&mut dialogue, 4, 7);
    assert_eq!(dialogue.sender.counters().ecn_cuts, 1);
    for _ in 0..3 {
        for segment in hear(&mut dialogue, 4, 7) {
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
        let hear = |to: &mut Dialogue, ack: u32, ace: u8| {
            let (echo, sack) = (to.now - Span::from_millis(100), SackBlocks::default());
            to.sender.on_ack(
                to.now,
                &Ack { ack, size: 40, echo, sack, ece: false, syn: false, ace, bytes: None, window: None },
            );
            to.sent();
            to.sender.counters().ecn_cuts
        };
        // From 5 to 8, which is 0 in three bits.
        assert_eq!(hear(&mut dialogue, 4, 0), 1, "{cc}");
        assert_eq!(dialogue.sender.ssthresh(), 8.0 * left, "{cc}");
        assert_eq!(hear(&mut dialogue, 5, 1), 1, "{cc}: the same round trip");
        hear(&mut dialogue, 8, 1);
        let window = dialogue.sender.cwnd();
        assert!(window > 8.0 * left, "{cc} grows again");
        dialogue.now = at(200);
        assert_eq!(hear(&mut dialogue, 9, 2), 2, "{cc}: the next");
        assert!(dialogue.sender.cwnd() < window, "{cc}");
    }
}

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
        let found = step(&mut dialogue, 230, &[(2, 9)]);
        assert_eq!(found.contains(&1), again, "{rule}: {found:?}");
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
/// the 80 ms of segment 4: lost. Linux judges it by the 180 ms of segment 1, and waits a quarter of 80 ms, 2 ms more.
#[test]
fn linux_judges_losses_by_the_last_segment_in_sequence() {
    for (timer, sent, due) in [("exact", true, None), ("ticks", false, Some(at(202)))] {
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

/// Linux waits 2 ms longer, for a tick of its clock: 25 + 2 ms after the tick of 101 ms, its delay during the
/// handshake.
#[test]
fn linux_looks_for_losses_at_a_tick() {
    for (timer, due) in [("exact", Time(126_300_000)), ("ticks", at(128))] {
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
    for (timer, due) in [("exact", Time(116_300_000)), ("ticks", at(113))] {
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

/// RFC 2883 section 4: a segment that arrived twice is the first block, below the acknowledgement or within the block
/// after it.
#[test]
fn dsack_reports_duplicates_first() {
    let steps = [(0, 0), (1, 1), (2, 1), (3, 3), (4, 3), (5, 2)];
    let heard = arrivals(&[("dsack", "true"), ("ack_every", "1")], &steps);
    let said: Vec<_> = heard.iter().map(|(_, ack, blocks)| (*ack, blocks.as_slice())).collect();
    assert_eq!(said[..3], [(1, &[][..]), (2, &[]), (2, &[(1, 2)])]);
    assert_eq!(said[3..], [(2, &[(3, 4)][..]), (2, &[(3, 4), (3, 4)]), (4, &[])]);
}

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

/// ns-2.35 with `timestamps_`: data segments are 1050 bytes on the wire, the SYN and acknowledgements 40 as without.
#[test]
fn timestamps_take_room_where_the_profile_says_so() {
    let sizes = |keys: &[(&str, &str)]| {
        let mut all = vec![("profile", "ns2-2.35")];
        all.extend_from_slice(keys);
        let params = params(&all);
        let mut sender = Sender::new(&params, Stream::new(1, "dialogue"));
        let mut receiver = Receiver::new(&params);
        sender.supply(2);
        sender.start(Time::ZERO);
        let syn = sender.poll_transmit(Time::ZERO).unwrap();
        receiver.on_segment(at(50), &syn);
        let answer = receiver.poll_transmit(at(50)).unwrap();
        sender.on_ack(at(100), &answer);
        let data = sender.poll_transmit(at(100)).unwrap();
        receiver.on_segment(at(150), &data);
        assert_eq!(receiver.delivered_payload(), 1000);
        [syn.size, answer.size, data.size]
    };
    assert_eq!(sizes(&[]), [40, 40, 1040]);
    assert_eq!(sizes(&[("samples", "timestamps")]), [40, 40, 1050]);
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
        dialogue.hear(14, &[(15, 16)], false);
        assert_eq!((dialogue.sender.ssthresh(), dialogue.sender.phase()), (ssthresh, phase));
        let first: Vec<u32> = dialogue.sent().into_iter().take_while(|seq| *seq < 16).collect();
        assert_eq!(first, sent);
    }
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
        dialogue.hear(ack, &[], ack == 1);
        released.push(dialogue.sent());
    }
    let expected: [&[u32]; 11] = [&[10], &[], &[11], &[], &[12], &[], &[13], &[], &[], &[14], &[15]];
    assert_eq!(released, expected);
}
