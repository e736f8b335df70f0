//! Handshake, retransmission timer, and when segments leave.

use super::{at, params, Dialogue};
use transport::{Phase, Receiver, Role, Sender};
use units::{Span, Stream, Time};

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
