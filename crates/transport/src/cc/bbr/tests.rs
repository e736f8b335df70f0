//! The cycle of BBR over rounds, and its dialects, with values worked by hand.

use super::*;
use crate::params::{BbrExit, BbrQuantum};
use units::Bytes;

pub(in crate::cc) fn sample(ms: u64, acked: u32, delivered: u32, prior: u32, rate: f64) -> Sample {
    Sample {
        now: Time(ms * 1_000_000),
        newly_acked: acked,
        newly_lost: 0,
        rate: Some(rate),
        delivered: acked,
        prior_delivered: prior,
        tx_in_flight: 10,
        lost: 0,
        app_limited: false,
        rtt: Some(Span::from_millis(100)),
        total_delivered: delivered,
        total_lost: 0,
        prior_in_flight: 10,
        in_flight: 10,
        departs: Time(ms * 1_000_000),
        cwnd_limited: true,
        srtt: Some(Span::from_millis(100)),
        recovering: false,
        timed_out: false,
        selective: true,
    }
}

/// A flow that delivered 100 segments/s for four rounds of 100 ms: the pipe is full, then drained.
fn steady() -> (Bbr, Window, Stream) {
    let mut cc = Bbr::new(&Params::default());
    let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY };
    let mut rng = Stream::new(1, "bbr");
    cc.on_open(Some(Span::from_millis(100)));
    for round in 0..5u32 {
        let delivered = 10 * (round + 1);
        cc.on_sample(
            &mut window,
            &sample(100 * u64::from(round + 1), 10, delivered, 10 * round, 100.0),
            &mut rng,
        );
    }
    (cc, window, rng)
}

/// 10 segments in 100 ms, times 2.885.
#[test]
fn the_first_pace_is_that_of_the_initial_window() {
    let mut cc = Bbr::new(&Params::default());
    cc.on_open(Some(Span::from_millis(100)));
    assert_eq!(cc.pace().map(|pace| (pace * 1e6).round()), Some(288.5e6));
}

/// 100/s in the first round, and no growth by a quarter in three more: startup ends. 10 are in flight, no
/// more than 1 x 10 plus three quanta: drain ends at once.
#[test]
fn three_rounds_without_growth_end_startup() {
    let (cc, window, _) = steady();
    assert!(cc.filled);
    assert_eq!(cc.state, BbrState::ProbeBw);
    // Bandwidth 100/s times 100 ms is 10; 20 plus three quanta of one segment (1.2 Mbit/s), or two above.
    let quantum = cc.quantum;
    assert!(window.cwnd <= 2.0 * 10.0 + 3.0 * quantum);
    assert_eq!(cc.bandwidth.get(), 100.0);
}

#[test]
fn the_cycle_goes_up_then_down() {
    let (mut cc, mut window, mut rng) = steady();
    let mut gains = Vec::new();
    for step in 0..40u64 {
        let at = 600 + 101 * step;
        cc.on_sample(&mut window, &sample(at, 1, 51 + step as u32, 50 + step as u32, 100.0), &mut rng);
        if gains.last() != Some(&cc.pacing_gain) {
            gains.push(cc.pacing_gain);
        }
    }
    let up = gains.iter().position(|gain| *gain == 1.25).expect("a cycle has a phase up");
    // With no more in flight than before, the up phase continues; it ends at 1.25 windows.
    assert_eq!(gains.len(), up + 1);
    let flying = Sample { prior_in_flight: 40, ..sample(9_000, 1, 95, 94, 100.0) };
    cc.on_sample(&mut window, &flying, &mut rng);
    assert_eq!(cc.pacing_gain, 0.75);
}

/// The first loss leaves the flight plus deliveries; the window is restored after the recovery.
#[test]
fn losses_do_not_change_the_model() {
    let (mut cc, mut window, mut rng) = steady();
    let before = window.cwnd;
    let event = CongestionEvent {
        now: Time(600_000_000),
        cause: crate::cc::Cause::Loss,
        load: before,
        flight: 10,
        ecn_factor: None,
    };
    cc.on_congestion(&window, &event);
    let lossy = Sample { newly_lost: 1, recovering: true, in_flight: 9, ..sample(600, 1, 51, 49, 100.0) };
    cc.on_sample(&mut window, &lossy, &mut rng);
    assert_eq!(window.cwnd, 10.0);
    cc.on_sample(&mut window, &sample(620, 1, 52, 49, 100.0), &mut rng);
    assert!(window.cwnd >= before);
    assert_eq!(cc.bandwidth.get(), 100.0);
}

/// No lower RTT for 10 s: four segments for 200 ms and a round, then the old window.
#[test]
fn probe_rtt_refreshes_the_minimum_rtt() {
    let (mut cc, mut window, mut rng) = steady();
    let before = window.cwnd;
    let slow = |ms, delivered: u32, in_flight| Sample {
        rtt: Some(Span::from_millis(150)),
        in_flight,
        ..sample(ms, 1, delivered, delivered - 1, 100.0)
    };
    assert!(cc.on_sample(&mut window, &slow(10_600, 60, 10), &mut rng));
    assert_eq!((window.cwnd, cc.min_rtt), (4.0, Some(Span::from_millis(150))));
    assert!(cc.on_sample(&mut window, &slow(10_700, 64, 4), &mut rng));
    assert!(cc.on_sample(&mut window, &slow(10_850, 68, 4), &mut rng));
    cc.on_sample(&mut window, &slow(10_901, 69, 4), &mut rng);
    assert_eq!(cc.state, BbrState::ProbeBw);
    assert!(window.cwnd >= before);
}

fn linux() -> Bbr {
    Bbr::new(&Params { bbr_rule: BbrRule::Linux, ..Params::default() })
}

/// The rate of the test above less 1 %; two segments leave together between 1.2 and 24 Mbit/s.
#[test]
fn linux_paces_below_the_model_and_by_quanta() {
    let mut cc = linux();
    cc.on_open(Some(Span::from_millis(100)));
    assert_eq!(cc.pace().map(|pace| (pace * 1e6).round()), Some(285.615e6));
    assert_eq!(cc.quantum(), 2);
    assert_eq!(Bbr::new(&Params::default()).quantum(), 1);
}

/// Aggregation adds at most the deliveries of 100 ms, 10 at 100/s, and only once the pipe is full.
#[test]
fn linux_allows_for_aggregated_acknowledgements() {
    let mut cc = linux();
    cc.bandwidth.update(1, 100.0, BANDWIDTH_ROUNDS);
    let mut seen = Aggregation::default();
    seen.update(100.0, 50.0, false, &sample(1000, 6, 6, 0, 100.0));
    cc.aggregation = Some(seen.clone());
    assert_eq!(cc.allowance(), 0.0);
    cc.filled = true;
    assert_eq!(cc.allowance(), 6.0);
    // After 10 ms one segment is explained.
    seen.update(100.0, 50.0, false, &sample(1010, 15, 21, 6, 100.0));
    assert_eq!(seen.extra(), 20.0);
    cc.aggregation = Some(seen);
    assert_eq!(cc.allowance(), 10.0);
}

/// 14 in flight at 100/s, next departure in 25 ms: two will have been delivered by then; in the up phase
/// two leave with it.
#[test]
fn linux_judges_a_phase_by_the_flight_at_the_next_departure() {
    let mut cc = linux();
    cc.bandwidth.update(1, 100.0, BANDWIDTH_ROUNDS);
    cc.pace_at(120.0);
    cc.pacing_gain = 1.0;
    let paced = Sample { departs: Time(1_025_000_000), ..sample(1000, 1, 1, 0, 100.0) };
    assert_eq!(cc.at_departure(14, &paced), 12.0);
    cc.pacing_gain = 1.25;
    assert_eq!(cc.at_departure(14, &paced), 14.0);
    assert_eq!(cc.at_departure(1, &paced), 1.0);
    cc.aggregation = None;
    assert_eq!(cc.at_departure(14, &paced), 14.0);
}

/// A bin has 5 rounds: the excess of the first bin counts until the end of the second.
#[test]
fn linux_forgets_a_surplus_with_its_bin() {
    let mut seen = Aggregation::default();
    seen.update(100.0, 50.0, true, &sample(1000, 8, 8, 0, 100.0));
    let surplus: Vec<f64> = (0..10)
        .map(|round| {
            seen.update(100.0, 50.0, true, &sample(2000 + 1000 * round, 1, 9, 8, 100.0));
            seen.extra()
        })
        .collect();
    assert_eq!(surplus, [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 1.0, 1.0]);
}

/// 100/s and 100 ms: 10 segments plus three quanta of one are 13, rounded up to 14, and two more in the
/// up phase.
#[test]
fn linux_rounds_the_window_up_to_even_and_probes_with_two_more() {
    let mut cc = linux();
    cc.bandwidth.update(1, 100.0, BANDWIDTH_ROUNDS);
    cc.min_rtt = Some(Span::from_millis(100));
    cc.pace_at(10.0);
    assert_eq!(cc.inflight(1.0), 14.0);
    cc.state = BbrState::ProbeBw;
    cc.cycle = 0;
    assert_eq!(cc.inflight(1.0), 16.0);
    cc.options.linux = false;
    cc.options.probe = 0.0;
    assert_eq!(cc.inflight(1.0), 13.0);
}

fn ns3() -> Bbr {
    Bbr::new(&Params {
        bbr_gain: 2.89,
        bbr_quantum: BbrQuantum::Segment,
        bbr_probe: 2,
        bbr_acked_in_row: Some(Bytes(4096)),
        bbr_phase: Some(0),
        bbr_exit: BbrExit::Ssthresh,
        bbr_recovery_round: false,
        bbr_lost_at_once: false,
        mss: Bytes(1000),
        ..Params::default()
    })
}

/// 10 segments plus three quanta of one; two more in the up phase, which starts a cycle. Four segments of
/// 1000 bytes in a row fit below 4096 bytes, the fifth restarts the count.
#[test]
fn ns3_counts_quanta_of_one_and_what_came_in_a_row() {
    let mut cc = ns3();
    cc.bandwidth.update(1, 100.0, BANDWIDTH_ROUNDS);
    cc.min_rtt = Some(Span::from_millis(100));
    cc.pace_at(1e4);
    assert_eq!(cc.inflight(1.0), 13.0);
    cc.enter_probe_bw(Time(1_000_000_000), &mut Stream::new(1, "bbr"));
    assert_eq!((cc.pacing_gain, cc.inflight(1.0)), (1.25, 15.0));
    let mut seen = Aggregation::in_row(4.096);
    for ms in 1..20 {
        seen.update(100.0, 50.0, false, &sample(ms, 1, ms as u32, 0, 100.0));
    }
    assert_eq!(seen.extra(), 4.0);
}

/// The first recovery leaves no bound, and with a full pipe its sum with the deliveries overflows: four
/// segments. After drain has started it leaves the model's window, 10 plus three quanta.
#[test]
fn ns3_leaves_a_recovery_at_the_slow_start_threshold() {
    let (mut cc, mut rng) = (ns3(), Stream::new(1, "bbr"));
    let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY };
    let lossy = Sample { newly_lost: 1, recovering: true, in_flight: 9, ..sample(100, 1, 1, 0, 100.0) };
    cc.on_sample(&mut window, &lossy, &mut rng);
    assert_eq!(window.cwnd, 10.0);
    cc.on_sample(&mut window, &sample(120, 1, 2, 0, 100.0), &mut rng);
    assert_eq!(window.cwnd, f64::INFINITY);
    for round in 1..4u32 {
        let at = 200 + 100 * u64::from(round);
        cc.on_sample(&mut window, &sample(at, 10, 10 * round, 10 * round - 8, 100.0), &mut rng);
    }
    assert_eq!((cc.filled, window.cwnd, window.ssthresh), (true, 4.0, 13.0));
}

/// Conservation lasts a full round if the recovery starts a round, else until the present round ends.
#[test]
fn a_recovery_begins_a_round_or_not() {
    for begins in [true, false] {
        let (mut cc, mut window, mut rng) = steady();
        cc.options.recovery_round = begins;
        let lossy = Sample { newly_lost: 1, recovering: true, in_flight: 9, ..sample(600, 1, 51, 49, 100.0) };
        cc.on_sample(&mut window, &lossy, &mut rng);
        let next = Sample { recovering: true, in_flight: 9, ..sample(610, 1, 52, 50, 100.0) };
        cc.on_sample(&mut window, &next, &mut rng);
        assert_eq!(cc.conserving, begins);
    }
}

/// The recovery starts with the first ACK of a round: no conservation, and losses are subtracted with
/// deliveries.
#[test]
fn ns3_ends_conservation_with_the_round_that_begins_a_recovery() {
    let (mut cc, mut window, mut rng) = steady();
    cc.options = ns3().options;
    window.cwnd = 11.0;
    let lossy = |acked, prior| Sample {
        newly_acked: acked,
        newly_lost: 1,
        recovering: true,
        in_flight: 8,
        ..sample(600, 1, 51, prior, 100.0)
    };
    cc.on_sample(&mut window, &lossy(1, 50), &mut rng);
    // 8 in flight and 1 arrived, 1 is lost, 1 arrived.
    assert_eq!((cc.conserving, window.cwnd), (false, 9.0));
    cc.on_sample(&mut window, &lossy(0, 50), &mut rng);
    assert_eq!(window.cwnd, 9.0);
    let reordered = Sample { recovering: false, ..lossy(0, 50) };
    cc.recovery = BbrRecovery::None;
    cc.on_sample(&mut window, &reordered, &mut rng);
    assert_eq!(window.cwnd, 9.0);
}

/// 100.07 segments of 8000 bits are 800 560 bits; 1/3 of a segment is 2666.67.
#[test]
fn whole_rates_lose_what_is_below_a_bit() {
    let mut cc = ns3();
    assert_eq!(cc.cut_to_bits(1.0 / 3.0), 1.0 / 3.0);
    cc.options.whole = Some(8000.0);
    assert_eq!(cc.cut_to_bits(1.0 / 3.0) * 8000.0, 2666.0);
    assert_eq!(cc.cut_to_bits(100.07) * 8000.0, 800_560.0);
}
