//! Steps of RACK one by one, with values worked by hand.

use super::*;
use crate::connection::NONE;
use units::Stream;

fn ms(ms: u64) -> Time {
    Time(ms * 1_000_000)
}

/// Segments from 0 on: when each was sent last, and how often.
fn sent(segments: &[(u64, u8)]) -> (Rack, Tracking) {
    let params = Params::default();
    let (mut rack, mut tracking) =
        (Rack::new(&params), Tracking::new(&params, Stream::new(1, "rack"), false));
    for (seq, &(at, transmits)) in (0..).zip(segments) {
        let entry = tracking.ledger.open_new(0, seq);
        (entry.at, entry.transmits) = (ms(at), transmits);
        rack.order.append(&mut tracking.ledger, seq);
    }
    tracking.min_rtt = Span::from_millis(100);
    (rack, tracking)
}

/// A segment sent again at 200 ms: an echo from before, or less than the minimum RTT, tell of the original.
#[test]
fn the_ack_of_an_original_is_no_sample_of_its_retransmission() {
    for (echo, now, newest, rtt) in
        [(0, 310, (Time::ZERO, 0), 0), (200, 250, (Time::ZERO, 0), 0), (200, 310, (ms(200), 0), 110)]
    {
        let (mut rack, mut tracking) = sent(&[(200, 2)]);
        rack.arrived(ms(now), 0, &mut tracking, ms(echo));
        assert_eq!((rack.newest, rack.rtt), (newest, Span::from_millis(rtt)), "echo {echo} at {now}");
        assert_eq!((tracking.min_rtt, rack.order.oldest()), (Span::from_millis(100), NONE));
    }
}

/// Among segments sent at the same time the one with the larger number is the newer, and any order but that of the numbers
/// is reordering unless the segment was sent twice.
#[test]
fn arrivals_below_the_highest_are_reordering_if_sent_once() {
    let (mut rack, mut tracking) = sent(&[(0, 1), (0, 1), (0, 1), (150, 2)]);
    rack.arrived(ms(100), 1, &mut tracking, ms(0));
    assert_eq!((rack.newest, rack.fack, rack.reordered), ((ms(0), 1), 2, false));
    rack.arrived(ms(101), 2, &mut tracking, ms(0));
    assert_eq!((rack.newest, rack.fack, rack.reordered), ((ms(0), 2), 3, false));
    rack.arrived(ms(260), 3, &mut tracking, ms(150));
    assert_eq!((rack.newest, rack.fack, rack.reordered), ((ms(150), 3), 4, false));
    rack.arrived(ms(261), 0, &mut tracking, ms(0));
    assert_eq!((rack.newest, rack.fack, rack.reordered), ((ms(150), 3), 4, true));
}

/// A lost retransmission is new congestion if it was sent after the last reduction, or with it.
#[test]
fn a_retransmission_from_before_the_reduction_is_no_new_congestion() {
    for (transmits, reduced_at, again) in [(2, 150, false), (2, 100, true), (2, 50, true), (1, 50, false)] {
        let (mut rack, mut tracking) = sent(&[(100, transmits), (101, 1)]);
        rack.reduced_at = ms(reduced_at);
        rack.mark_lost(&mut tracking.ledger, 0, (0, 2));
        assert_eq!((rack.lost_again, rack.holes, rack.lost.len()), (again, 1, 1));
    }
}

/// Section 6.2.4: once a round trip a quarter more, until sixteen recoveries have passed.
#[test]
fn a_duplicate_widens_the_reordering_window_for_sixteen_recoveries() {
    let (mut rack, _) = sent(&[]);
    rack.widen(10, 20);
    rack.widen(15, 25);
    assert_eq!(rack.quarters, 2);
    rack.widen(20, 30);
    assert_eq!(rack.quarters, 3);
    (0..15).for_each(|_| rack.end_recovery());
    assert_eq!(rack.quarters, 3);
    rack.widen(30, 40);
    (0..15).for_each(|_| rack.end_recovery());
    assert_eq!(rack.quarters, 4);
    rack.end_recovery();
    assert_eq!(rack.quarters, 1);
}
