//! Tests of CUBIC's steps and bounds, worked by hand from RFC 9438, and from ns-3's arithmetic of whole segments.

use super::*;
use crate::params::HyStartRule;

/// C 2, beta 1/2.
fn cubic(rule: CubicRule) -> Cubic {
    Cubic::new(&Params {
        cubic_rule: rule,
        cubic_c: 2.0,
        cubic_beta: 0.5,
        ecn_factor: Some(0.75),
        cubic_friendly: false,
        counting: Counting::Whole,
        ..Params::default()
    })
}

fn ms(number: u64) -> Time {
    Time(number * 1_000_000)
}

pub(super) fn event(at: u64, acked: u32, rtt: Option<u64>) -> AckEvent {
    AckEvent {
        now: ms(at),
        acked,
        delivered: acked,
        rtt: rtt.map(Span::from_millis),
        by_segment: false,
        reducing: false,
        flight: 8,
        una: 1,
        next: 9,
        sacks: false,
        ece: false,
        marked: 0,
        recovering: false,
    }
}

fn congestion(cause: Cause, cwnd: f64) -> CongestionEvent {
    CongestionEvent { now: Time::ZERO, cause, load: cwnd, flight: cwnd as u32, ecn_factor: None }
}

/// The target that a reduction at `cwnd` returns.
pub(super) fn cut(cc: &mut Cubic, cwnd: f64, cause: Cause) -> f64 {
    cc.on_congestion(&Window { cwnd, ssthresh: 64.0 }, &congestion(cause, cwnd))
}

/// ns-3: the epoch starts at 16 below a plateau of 32, so K = cbrt(16 / 2) = 2 s. With a least round trip of 1/2 s the
/// gap at the start is 2 * 1.5^3 = 6.75, in whole segments 6: a target of 26.
#[test]
fn the_pace_of_ns3() {
    let mut cc = Cubic { w_max: 32.0, rtt_min: Span::from_millis(500), ..cubic(CubicRule::Ns3) };
    assert_eq!(cc.pace_ns3(16.0, ms(1000)), 2.0, "16 / 10 is 1, and the least is 2");
    assert_eq!((cc.epoch, cc.k, cc.origin), (Some(ms(1000)), 2.0, 32.0));
    assert_eq!(cc.pace_ns3(20.0, ms(1000)), 3.0, "20 / 6");
    assert_eq!(cc.pace_ns3(26.0, ms(1000)), 2600.0, "on the target: 100 windows");
    assert_eq!(cc.pace_ns3(27.0, ms(1000)), 2700.0);
    // 1.5 s later the plateau is reached; 2 s after that the function is 2 * 2^3 above it: 48.
    assert_eq!(cc.pace_ns3(28.0, ms(2500)), 7.0);
    assert_eq!(cc.pace_ns3(32.0, ms(2500)), 3200.0);
    assert_eq!(cc.pace_ns3(40.0, ms(4500)), 5.0);
    // Before the first loss at most 20 segments are acknowledged for each of growth.
    let mut first = Cubic { rtt_min: Span::from_millis(500), ..cubic(CubicRule::Ns3) };
    assert_eq!(first.pace_ns3(50.0, ms(1000)), 20.0);
    assert_eq!((first.k, first.origin), (0.0, 50.0));
    assert_eq!(first.pace_ns3(50.0, ms(2000)), 8.0, "1.5 s: 2 * 3.375 is 6 in whole segments, 50 / 6");
}

#[test]
fn growth_in_ns3() {
    let mut cc = Cubic { w_max: 32.0, rtt_min: Span::from_millis(500), ..cubic(CubicRule::Ns3) };
    let mut window = Window { cwnd: 18.5, ssthresh: 20.0 };
    cc.on_ack(&mut window, &event(900, 2, Some(500)));
    assert_eq!(
        (window.cwnd, cc.epoch, cc.credits),
        (20.5, None, 0.0),
        "slow start: all that was acknowledged"
    );
    window.cwnd = 20.0;
    cc.on_ack(&mut window, &event(1000, 0, None));
    assert_eq!((window.cwnd, cc.epoch), (20.0, None), "nothing acknowledged, nothing begun");
    // At ssthresh: K = cbrt(12 / 2), and 2 (K - 1/2)^3 = 4.56 leaves a target of 28: one segment for two.
    cc.on_ack(&mut window, &event(1000, 1, None));
    assert_eq!((window.cwnd, cc.credits, cc.epoch), (20.0, 1.0, Some(ms(1000))));
    cc.on_ack(&mut window, &event(1001, 4, None));
    assert_eq!((window.cwnd, cc.credits), (21.0, 3.0), "one segment an ACK, the rest is kept");
    cc.credits = 1.0;
    // 21 / (28 - 21) is 3: two are too few, three enough.
    cc.on_ack(&mut window, &event(1001, 1, None));
    assert_eq!((window.cwnd, cc.credits), (21.0, 2.0));
    cc.on_ack(&mut window, &event(1001, 1, None));
    assert_eq!((window.cwnd, cc.credits), (22.0, 0.0));
}

/// ns-3: a round trip seen within 10 ms of the epoch's start does not count.
#[test]
fn least_round_trips_in_ns3() {
    let mut cc = Cubic { w_max: 32.0, ..cubic(CubicRule::Ns3) };
    let mut window = Window { cwnd: 20.0, ssthresh: 20.0 };
    cc.on_ack(&mut window, &event(1000, 0, None));
    assert_eq!(cc.rtt_min, UNKNOWN);
    cc.on_ack(&mut window, &event(1000, 1, Some(500)));
    assert_eq!((cc.rtt_min, cc.epoch), (Span::from_millis(500), Some(ms(1000))));
    cc.on_ack(&mut window, &event(1009, 1, Some(400)));
    assert_eq!(cc.rtt_min, Span::from_millis(500));
    cc.on_ack(&mut window, &event(1010, 1, Some(300)));
    assert_eq!(cc.rtt_min, Span::from_millis(300));
}

#[test]
fn reductions_in_ns3() {
    let mut cc = Cubic { w_max: 16.0, epoch: Some(ms(5)), rtt_min: Span(9), ..cubic(CubicRule::Ns3) };
    // 13 is below 16: 13 * 3/4 = 9.75 is the plateau, 6.5 the window, in whole segments.
    assert_eq!((cut(&mut cc, 13.9, Cause::Loss), cc.w_max, cc.epoch), (6.0, 9.0, None));
    assert_eq!((cut(&mut cc, 9.5, Cause::Ecn), cc.w_max), (6.0, 9.0), "9 is not below 9; 9 * 3/4");
    assert_eq!((cut(&mut cc, 20.0, Cause::Loss), cc.w_max), (10.0, 20.0));
    assert_eq!((cut(&mut cc, 3.0, Cause::Loss), cc.rtt_min), (2.0, Span(9)), "never below two");
    assert_eq!((cut(&mut cc, 8.0, Cause::Timeout), cc.w_max, cc.rtt_min), (4.0, 0.0, UNKNOWN));
    let slow = Params {
        cubic_rule: CubicRule::Ns3,
        cubic_fast_convergence: false,
        cubic_beta: 0.5,
        ..Params::default()
    };
    let mut without = Cubic { w_max: 16.0, ..Cubic::new(&slow) };
    cut(&mut without, 13.0, Cause::Loss);
    assert_eq!(without.w_max, 13.0, "without fast convergence");
}

#[test]
fn round_trips() {
    let mut cc = cubic(CubicRule::Rfc9438);
    assert_eq!(cc.measure(&event(0, 1, None)), Span::ZERO);
    assert_eq!((cc.rtt_min, cc.srtt), (UNKNOWN, Span::ZERO), "no round trip is not one of zero");
    cc.measure(&event(0, 1, Some(500)));
    assert_eq!((cc.rtt_min, cc.srtt), (Span::from_millis(500), Span::from_millis(500)));
    assert_eq!(cc.measure(&event(0, 1, Some(100))), Span::from_millis(100));
    assert_eq!((cc.rtt_min, cc.srtt), (Span::from_millis(100), Span::from_millis(450)), "7/8 and 1/8");
    assert_eq!(cc.measure(&event(0, 1, None)), Span::from_millis(450));
}

/// A pause of more than two round trips stops the clock of the epoch; one of exactly two does not.
#[test]
fn pauses_stop_the_clock() {
    let start = || {
        let mut cc = Cubic { srtt: Span::from_millis(500), ..cubic(CubicRule::Rfc9438) };
        assert_eq!(cc.elapsed(ms(10_000), 16.0), 0.0);
        assert_eq!(cc.epoch, Some(ms(10_000)));
        cc
    };
    assert_eq!(start().elapsed(ms(11_000), 16.0), 1.0);
    let mut paused = start();
    assert_eq!((paused.elapsed(ms(11_001), 16.0), paused.epoch), (0.0, Some(ms(11_001))));
    assert_eq!(paused.elapsed(ms(11_251), 16.0), 0.25);
}

/// RFC 9438 section 4.2: K = cbrt((W_max - cwnd) / C), 0 where the window is not below the plateau.
#[test]
fn epochs() {
    let begun = |w_max: f64, cwnd: f64| {
        let mut cc = Cubic { w_max, ..cubic(CubicRule::Rfc9438) };
        cc.begin_epoch(ms(1), cwnd);
        (cc.k, cc.origin, cc.w_est)
    };
    assert_eq!(
        [begun(32.0, 16.0), begun(16.0, 16.0), begun(8.0, 16.0)],
        [(2.0, 32.0, 16.0), (0.0, 16.0, 16.0), (0.0, 16.0, 16.0)]
    );
    let cc = Cubic { k: 2.0, origin: 32.0, ..cubic(CubicRule::Rfc9438) };
    assert_eq!([cc.w_cubic(0.0), cc.w_cubic(2.0), cc.w_cubic(3.0)], [16.0, 32.0, 34.0]);
}

/// RFC 9438 section 4.4: the target lies between cwnd and 1.5 cwnd, and segments count for what they are of a window.
#[test]
fn growth_of_more_than_one_segment() {
    let mut cc = Cubic { w_max: 32.0, ..cubic(CubicRule::Rfc9438) };
    let mut window = Window { cwnd: 16.0, ssthresh: 16.0 };
    // At ssthresh, so no slow start. W(1/2) = 32 - 2 * 1.5^3 = 25.25, capped at 24: half a segment for each.
    cc.on_ack(&mut window, &event(10_000, 4, Some(500)));
    assert_eq!(window.cwnd, 18.0);
    // Above the plateau's function the window stays constant.
    window.cwnd = 30.0;
    cc.on_ack(&mut window, &event(10_000, 4, None));
    assert_eq!(window.cwnd, 30.0);
}

/// RFC 9438 section 4.3: W_est grows by alpha (1 at beta 1/2) for a window that is acknowledged; on its plateau the
/// cubic function is below it.
#[test]
fn the_reno_friendly_window_counts_each_segment() {
    let mut cc = Cubic { w_max: 16.0, friendly: true, ..cubic(CubicRule::Rfc9438) };
    let mut window = Window { cwnd: 16.0, ssthresh: 16.0 };
    cc.on_ack(&mut window, &event(10_000, 4, Some(500)));
    assert_eq!((window.cwnd, cc.w_est), (16.25, 16.25));
}

/// Linux looks the least round trip ahead: K is 2 s, and 1/2 s into the epoch 32 - 2 * 1.5^3 is 26 in whole segments,
/// so that two segments are acknowledged for each of growth; without a round trip the window is on its function.
#[test]
fn linux_looks_a_round_trip_ahead() {
    let grown = |rtt: Option<u64>| {
        let mut cc = Cubic { w_max: 32.0, ..cubic(CubicRule::Linux) };
        let mut window = Window { cwnd: 16.0, ssthresh: 16.0 };
        cc.on_ack(&mut window, &event(10_000, 4, rtt));
        window.cwnd
    };
    assert_eq!([grown(Some(500)), grown(None)], [18.0, 16.0]);
}

#[test]
fn slow_start_ends_at_its_threshold() {
    let mut cc = Cubic { w_max: 32.0, ..cubic(CubicRule::Rfc9438) };
    let mut window = Window { cwnd: 14.0, ssthresh: 16.0 };
    cc.on_ack(&mut window, &event(10_000, 2, Some(500)));
    assert_eq!((window.cwnd, cc.epoch), (16.0, None), "nothing is left for the cubic");
    (window.cwnd, window.ssthresh) = (15.0, 16.0);
    cc.on_ack(&mut window, &event(10_000, 5, Some(500)));
    // One to 16, and four of 16 towards 24.
    assert_eq!((window.cwnd, cc.epoch), (18.0, Some(ms(10_000))));
}

/// RFC 9406: after a round of 40 ms one of 45 grows by a quarter of what was acknowledged.
#[test]
fn a_delay_increase_slows_slow_start() {
    let params = Params { hystart: HyStartRule::Rfc9406, counting: Counting::Whole, ..Params::default() };
    let (mut cc, mut window) = (Cubic::new(&params), Window { cwnd: 10.0, ssthresh: 1000.0 });
    for seq in 1..=16u32 {
        let rtt = if seq <= 8 { 40 } else { 45 };
        let round =
            AckEvent { una: seq, next: if seq <= 8 { 8 } else { 16 }, ..event(u64::from(seq), 2, Some(rtt)) };
        cc.on_ack(&mut window, &round);
    }
    assert_eq!(window.cwnd, 10.0 + 15.0 * 2.0 + 0.25 * 2.0);
    // Five rounds of this stage end slow start at the window there is: the cubic begins with that very ACK.
    let mut seq = 16;
    while window.ssthresh >= 1000.0 {
        assert_eq!(cc.epoch, None);
        seq += 1;
        let round = AckEvent { una: seq, next: (seq - 1) / 8 * 8 + 8, ..event(u64::from(seq), 2, Some(45)) };
        cc.on_ack(&mut window, &round);
    }
    assert_eq!(cc.epoch, Some(ms(u64::from(seq))));
}

/// RFC 9438 section 4.7: only a window below the last plateau makes room.
#[test]
fn fast_convergence_begins_below_the_plateau() {
    let mut cc = Cubic { w_max: 16.0, ..cubic(CubicRule::Rfc9438) };
    assert_eq!((cut(&mut cc, 16.0, Cause::Loss), cc.w_max), (8.0, 16.0));
    assert_eq!((cut(&mut cc, 15.0, Cause::Loss), cc.w_max), (7.5, 11.25));
    // Linux: in whole segments.
    let mut whole = Cubic { w_max: 16.0, ..cubic(CubicRule::Linux) };
    assert_eq!((cut(&mut whole, 15.0, Cause::Loss), whole.w_max), (7.5, 11.0));
    // RFC 9438 reduces what was in flight, Linux and ns-3 the window.
    let less = |rule: CubicRule| {
        let event = CongestionEvent { load: 10.0, ..congestion(Cause::Loss, 16.0) };
        cubic(rule).on_congestion(&Window { cwnd: 16.0, ssthresh: 64.0 }, &event)
    };
    assert_eq!([less(CubicRule::Rfc9438), less(CubicRule::Linux), less(CubicRule::Ns3)], [5.0, 8.0, 8.0]);
}

/// Measurements after a reduction outlive its undoing.
#[test]
fn an_undone_reduction_keeps_what_was_measured_since() {
    let mut cc = Cubic { w_max: 32.0, ..cubic(CubicRule::Rfc9438) };
    cc.measure(&event(0, 1, Some(500)));
    cc.last = ms(1);
    cc.save_before_reduction();
    cut(&mut cc, 16.0, Cause::Loss);
    cc.measure(&event(0, 1, Some(100)));
    cc.last = ms(7);
    cc.undo_reduction();
    let kept = (cc.w_max, cc.srtt, cc.rtt_min, cc.last);
    assert_eq!(kept, (32.0, Span::from_millis(450), Span::from_millis(100), ms(7)));
}

/// Linux forgets the plateau and the minimum RTT with a timeout, also with one that reduces nothing, and undoing restores
/// neither. RFC 9438 keeps them.
#[test]
fn linux_forgets_with_a_timeout() {
    for (rule, kept) in
        [(CubicRule::Linux, (0.0, UNKNOWN)), (CubicRule::Rfc9438, (32.0, Span::from_millis(500)))]
    {
        let mut cc = Cubic { w_max: 32.0, ..cubic(rule) };
        cc.measure(&event(0, 1, Some(500)));
        cc.save_before_reduction();
        cc.on_timeout(ms(1), 9);
        assert_eq!((cc.w_max, cc.rtt_min), kept);
        cc.undo_reduction();
        assert_eq!((cc.w_max, cc.rtt_min), kept);
    }
}
