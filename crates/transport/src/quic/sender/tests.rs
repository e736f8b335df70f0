use super::*;
use crate::quic::params::{QuicControl, QuicProbe};
use crate::quic::ranges::Ranges;

fn at(ms: u64) -> Time {
    Time(ms * 1_000_000)
}

/// A sender whose handshake took 100 ms, and which has not sent data yet.
fn opened(params: QuicParams) -> QuicSender {
    let mut sender = QuicSender::new(&Valid::new(params).unwrap());
    sender.start(Time::ZERO);
    let first = sender.poll_transmit(Time::ZERO).unwrap();
    assert_eq!((first.number, first.frames, first.size), (0, Frames::Handshake, 1228));
    assert!(sender.poll_transmit(Time::ZERO).is_none(), "data wait for the handshake");
    assert_eq!(sender.poll_timeout(), Some(at(999)));
    acks(&mut sender, 100, &[0]);
    sender
}

fn acks(sender: &mut QuicSender, ms: u64, numbers: &[u32]) {
    acks_late(sender, ms, numbers, 0, 0);
}

/// An ACK of these packets, delayed by `delay` ms at the receiver, which has counted `ce` marks.
fn acks_late(sender: &mut QuicSender, ms: u64, numbers: &[u32], delay: u64, ce: u32) {
    let mut ranges = Ranges::default();
    numbers.iter().for_each(|number| {
        ranges.insert(*number, 16);
    });
    let delay = Span::from_millis(delay);
    sender.on_report(at(ms), &QuicAck { number: 0, size: 66, echo: Time::ZERO, ranges, delay, ce });
}

/// Sends all that may leave; returns packet numbers and pieces.
fn sends(sender: &mut QuicSender, ms: u64) -> Vec<(u32, Frames)> {
    std::iter::from_fn(|| sender.poll_transmit(at(ms))).map(|data| (data.number, data.frames)).collect()
}

fn pieces(first: u32, from: u32, count: u32) -> Vec<(u32, Frames)> {
    (0..count).map(|n| (first + n, Frames::Stream(from + n))).collect()
}

fn unpaced() -> QuicParams {
    QuicParams { pacing: false, ..QuicParams::default() }
}

/// Ten packets leave at 100 ms. The RTT of the handshake was 100 ms: a probe is due after 100 + 4 x 50 + 25 ms.
#[test]
fn the_initial_window_leaves_after_the_handshake() {
    let mut sender = opened(unpaced());
    assert_eq!(sends(&mut sender, 100), pieces(1, 0, 10));
    assert_eq!(sender.poll_timeout(), Some(at(425)));
    assert_eq!(sender.srtt(), Some(Span::from_millis(100)));
}

/// The ACK of two packets releases four in slow start. The RTT of 125 ms includes a delay of 25: the sample is 100.
#[test]
fn slow_start_doubles() {
    let mut sender = opened(unpaced());
    sends(&mut sender, 100);
    acks_late(&mut sender, 225, &[0, 1, 2], 25, 0);
    assert_eq!((sender.cwnd(), sender.in_flight()), (12.0, 8));
    assert_eq!(sends(&mut sender, 225), pieces(11, 10, 4));
    assert_eq!(sender.srtt(), Some(Span::from_millis(100)));
}

/// Packet 1 is lost: the ACK of 4 is the third above it. The window of 12 becomes 6, and ACKs of packets sent up to
/// then do not count. The lost data leave at once in a new packet; ten packets in flight hold back everything else.
#[test]
fn a_loss_leaves_in_a_new_packet() {
    let mut sender = opened(unpaced());
    sends(&mut sender, 100);
    acks(&mut sender, 200, &[0, 2, 3]);
    assert_eq!((sender.cwnd(), sender.in_flight()), (12.0, 8));
    assert_eq!(sends(&mut sender, 200), pieces(11, 10, 4));
    acks(&mut sender, 201, &[0, 2, 3, 4]);
    assert_eq!((sender.cwnd(), sender.in_flight()), (6.0, 10));
    assert_eq!(sends(&mut sender, 201), [(15, Frames::Stream(0))]);
    assert_eq!(sends(&mut sender, 202), []);
    acks(&mut sender, 301, &(2..=15).chain([0]).collect::<Vec<_>>());
    assert_eq!((sender.cwnd(), sender.in_flight()), (6.0, 0));
    assert_eq!(sends(&mut sender, 301), pieces(16, 14, 6));
    acks(&mut sender, 401, &(2..=16).chain([0]).collect::<Vec<_>>());
    assert_eq!(sender.cwnd(), 6.0 + 1.0 / 6.0);
}

/// Without an ACK two probes with new data leave 325 ms after the last packet, and the next timeout takes twice as
/// long. The window is unchanged: the ACK of a probe shows the rest lost.
#[test]
fn a_probe_timeout_does_not_reduce_the_window() {
    let mut sender = opened(unpaced());
    sends(&mut sender, 100);
    sender.on_timer(at(424));
    assert_eq!(sends(&mut sender, 424), []);
    sender.on_timer(at(425));
    assert_eq!(sends(&mut sender, 425), pieces(11, 10, 2));
    assert_eq!((sender.cwnd(), sender.in_flight()), (10.0, 12));
    assert_eq!(sender.poll_timeout(), Some(at(425 + 650)));
    acks(&mut sender, 525, &[0, 12]);
    assert_eq!((sender.cwnd(), sender.in_flight(), sender.backoff), (5.0, 1, 0), "11 was sent with 12");
    assert_eq!(sends(&mut sender, 525), pieces(13, 0, 4));
}

/// A file of three pieces: the probes repeat the oldest two, and data that arrives twice counts once.
#[test]
fn probes_repeat_the_oldest_data_at_the_end() {
    let mut sender = opened(unpaced());
    sender.provide(at(100), 3);
    assert_eq!(sends(&mut sender, 100), pieces(1, 0, 3));
    sender.on_timer(at(425));
    assert_eq!(sends(&mut sender, 425), pieces(4, 0, 2));
    assert!(!sender.has_finished(3));
    acks(&mut sender, 525, &[0, 3, 4, 5]);
    assert!(sender.has_finished(3), "1 and 2 count as lost, but 4 and 5 carried their data");
    assert_eq!(sends(&mut sender, 525), []);
}

#[test]
fn probes_may_repeat_the_oldest_data_first() {
    let mut sender = opened(QuicParams { probe: QuicProbe::Oldest, ..unpaced() });
    sends(&mut sender, 100);
    sender.on_timer(at(425));
    assert_eq!(sends(&mut sender, 425), pieces(11, 0, 2));
}

/// Twenty packets leave at 200 ms, two probes at 475 (100 + 4 x 37.5 + 25 later), two at 1025 and two at 2125. The ACK
/// of the last comes with a deviation of 28.125 ms, so congestion is persistent after 3 (100 + 112.5 + 25) = 712.5 ms:
/// from 200 to 1025 ms are 825. If 32, sent at 475 ms, arrived, the longest run without an arrival is 275 ms.
#[test]
fn lost_probes_show_persistent_congestion() {
    for arrived in [None, Some(32)] {
        let mut sender = opened(unpaced());
        sends(&mut sender, 100);
        acks(&mut sender, 200, &(0..=10).collect::<Vec<_>>());
        assert_eq!(sends(&mut sender, 200), pieces(11, 10, 20));
        for (ms, number) in [(475, 31), (1025, 33), (2125, 35)] {
            assert_eq!(sender.poll_timeout(), Some(at(ms)));
            sender.on_timer(at(ms));
            assert_eq!(sends(&mut sender, ms), pieces(number, number - 1, 2));
        }
        acks(&mut sender, 2225, &(0..=10).chain(arrived).chain([36]).collect::<Vec<_>>());
        let persistent = u64::from(arrived.is_none());
        assert_eq!(sender.congestion.counts(), (1, persistent), "{arrived:?}");
        // Persistent congestion ends the recovery period, so that the ACK of 36 lets two packets grow to three.
        assert_eq!(sender.cwnd(), if persistent == 1 { 3.0 } else { 10.0 });
    }
}

/// A mark halves the window once for all packets sent up to the response.
#[test]
fn a_mark_counts_as_a_loss() {
    let mut sender = opened(QuicParams { ecn: true, ..unpaced() });
    sends(&mut sender, 100);
    acks_late(&mut sender, 200, &[0, 1, 2], 0, 1);
    assert_eq!(sender.cwnd(), 5.0);
    acks_late(&mut sender, 201, &[0, 1, 2, 3], 0, 2);
    assert_eq!(sender.cwnd(), 5.0);
}

/// 1.25 x 10 packets per 100 ms: gaps of 8 ms after a burst of two.
#[test]
fn pacing_spreads_the_window() {
    let mut sender = opened(QuicParams { pacing_burst: 2, ..QuicParams::default() });
    assert_eq!(sends(&mut sender, 100), pieces(1, 0, 2));
    assert_eq!(sender.poll_timeout(), Some(at(108)));
    sender.on_timer(at(108));
    assert_eq!(sends(&mut sender, 108), pieces(3, 2, 1));
}

/// Data leave at once with 0-RTT, and a lost first packet is sent again after a second.
#[test]
fn the_start_is_a_handshake_or_not() {
    let mut sender =
        QuicSender::new(&Valid::new(QuicParams { handshake: QuicStart::ZeroRtt, ..unpaced() }).unwrap());
    sender.start(Time::ZERO);
    assert_eq!(sends(&mut sender, 0), pieces(0, 0, 10));
    let mut waiting = QuicSender::new(&Valid::new(unpaced()).unwrap());
    waiting.start(Time::ZERO);
    assert_eq!(sends(&mut waiting, 0), [(0, Frames::Handshake)]);
    waiting.on_timer(at(999));
    assert_eq!(sends(&mut waiting, 999), [(1, Frames::Handshake)]);
    assert_eq!(waiting.poll_timeout(), Some(at(999 + 1998)));
}

/// The source of three packets limits the sender: their ACKs do not grow the window.
#[test]
fn a_dry_source_stops_growth() {
    let mut sender = opened(unpaced());
    sender.provide(at(100), 3);
    sends(&mut sender, 100);
    acks(&mut sender, 200, &[0, 1, 2, 3]);
    assert_eq!(sender.cwnd(), 10.0);
    assert_eq!(sender.poll_timeout(), None);
}

/// Packets 1 to 4 count as lost and are acknowledged before its data leave again.
#[test]
fn a_late_packet_spares_its_data_a_second_trip() {
    let mut sender = opened(unpaced());
    sends(&mut sender, 100);
    acks(&mut sender, 200, &[0, 5, 6, 7, 8, 9, 10]);
    assert_eq!((sender.in_flight(), sender.cwnd()), (0, 5.0));
    acks(&mut sender, 201, &(0..=10).collect::<Vec<_>>());
    assert_eq!(sends(&mut sender, 201)[0], (11, Frames::Stream(10)));
    assert_eq!(sender.counts.spurious, 4);
}

/// BBR's pacing rate follows the handshake: 2.885 x 10 packets per 100 ms.
#[test]
fn bbr_paces_by_its_model() {
    let sender = opened(QuicParams { cc: QuicControl::Bbr, ..QuicParams::default() });
    assert!((sender.rate() / 1436.0 - 288.5).abs() < 0.1, "{}", sender.rate());
}

/// A mark at 200 ms starts a recovery period; 11 leaves at once, 12 after that. The ACK of 12 overtakes 11, whose ACK
/// reports another mark: the largest packet in it left after 200 ms, so the window is reduced again (section B.7).
#[test]
fn a_mark_is_dated_by_the_largest_packet_acknowledged() {
    let mut sender = opened(unpaced());
    sends(&mut sender, 100);
    acks_late(&mut sender, 200, &[0, 1], 0, 1);
    assert_eq!(sends(&mut sender, 200), pieces(11, 10, 1));
    acks_late(&mut sender, 202, &(0..=8).collect::<Vec<_>>(), 0, 1);
    assert_eq!(sends(&mut sender, 202), pieces(12, 11, 2));
    acks_late(&mut sender, 302, &(0..=10).chain([12]).collect::<Vec<_>>(), 0, 1);
    assert_eq!(sender.cwnd(), 5.2);
    acks_late(&mut sender, 305, &(0..=12).collect::<Vec<_>>(), 0, 2);
    assert_eq!(sender.cwnd(), 2.6);
}
