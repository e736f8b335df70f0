//! Steps of BBR one by one, with values worked by hand.

use super::tests::sample;
use super::*;

const MS: u64 = 1_000_000;

/// BBR with a bandwidth of 100/s and a minimum RTT of 100 ms, whose product is 10 segments.
fn bbr(params: Params) -> (Bbr, Window, Stream) {
    let mut cc = Bbr::new(&params);
    cc.bandwidth.update(0, 100.0, BANDWIDTH_ROUNDS);
    cc.min_rtt = Some(Span::from_millis(100));
    (cc, Window { cwnd: 20.0, ssthresh: f64::INFINITY }, Stream::new(1, "bbr"))
}

fn linux() -> Params {
    Params { bbr_rule: BbrRule::Linux, ..Params::default() }
}

#[test]
fn a_limited_source_raises_the_bandwidth_and_never_lowers_it() {
    let (mut cc, _, _) = bbr(Params::default());
    let limited = |rate| Sample { app_limited: true, ..sample(100, 1, 1, 0, rate) };
    cc.update_bandwidth(&limited(120.0));
    assert_eq!(cc.bandwidth.get(), 120.0);
    cc.round_count = 30;
    cc.update_bandwidth(&limited(50.0));
    assert_eq!(cc.bandwidth.get(), 120.0);
    cc.update_bandwidth(&sample(100, 1, 1, 0, 50.0));
    assert_eq!(cc.bandwidth.get(), 50.0);
}

#[test]
fn a_phase_ends_by_time_loss_and_flight() {
    let phase = |gain: f64, ms: u64, prior_in_flight: u32, newly_lost: u32| {
        let (mut cc, _, _) = bbr(Params::default());
        (cc.state, cc.pacing_gain, cc.cycle) = (BbrState::ProbeBw, gain, 0);
        cc.check_cycle(&Sample { prior_in_flight, newly_lost, ..sample(ms, 1, 1, 0, 100.0) });
        cc.cycle == 1
    };
    // Up: a round trip and either a loss or 12.5 segments and three in flight.
    assert!(!phase(1.25, 150, 10, 0));
    assert!(phase(1.25, 150, 10, 1));
    assert!(phase(1.25, 150, 40, 0));
    assert!(!phase(1.25, 50, 40, 1));
    // Down: a round trip, or ten and three in flight.
    assert!(phase(0.75, 50, 10, 0));
    assert!(phase(0.75, 150, 40, 0));
    assert!(!phase(0.75, 50, 40, 0));
    // Cruising: a round trip.
    assert!(phase(1.0, 150, 40, 0));
    assert!(!phase(1.0, 50, 10, 0));
}

#[test]
fn startup_ends_after_three_rounds_in_a_row_without_growth_by_a_quarter() {
    let (mut cc, _, _) = bbr(Params::default());
    let mut round = |rate: f64, app_limited: bool| {
        cc.bandwidth.update(0, rate, BANDWIDTH_ROUNDS);
        cc.round_start = true;
        cc.check_full_pipe(&Sample { app_limited, ..sample(100, 1, 1, 0, rate) });
        (cc.full_bw_count, cc.filled)
    };
    assert_eq!(round(100.0, false), (0, false));
    assert_eq!(round(122.0, false), (1, false));
    assert_eq!(round(122.0, true), (1, false));
    assert_eq!(round(124.0, false), (2, false));
    assert_eq!(round(125.0, false), (0, false));
    assert_eq!(round(125.0, false), (1, false));
    assert_eq!(round(125.0, false), (2, false));
    assert_eq!(round(125.0, false), (3, true));
}

#[test]
fn drain_paces_at_the_reciprocal_of_the_gain_of_startup() {
    let (mut cc, mut window, mut rng) = bbr(Params::default());
    cc.filled = true;
    cc.check_drain(&mut window, &Sample { in_flight: 100, ..sample(100, 1, 1, 0, 100.0) }, &mut rng);
    let gain = Params::default().bbr_gain;
    assert_eq!((cc.state, cc.pacing_gain, cc.cwnd_gain), (BbrState::Drain, 1.0 / gain, gain));
}

#[test]
fn a_cycle_starts_in_any_phase_but_the_one_down() {
    let (mut cc, _, mut rng) = bbr(Params::default());
    let mut seen = [0; 8];
    for _ in 0..400 {
        cc.enter_probe_bw(Time(0), &mut rng);
        seen[usize::from(cc.cycle)] += 1;
    }
    assert_eq!(seen[1], 0);
    assert!(seen.iter().enumerate().all(|(phase, n)| phase == 1 || *n > 20), "{seen:?}");
}

#[test]
fn after_a_pause_the_pace_is_the_bandwidth() {
    let (mut cc, _, _) = bbr(linux());
    (cc.state, cc.pace) = (BbrState::ProbeBw, Some(1.0));
    cc.on_restart(Time(0));
    assert_eq!((cc.pace, cc.idle_restart), (Some(100.0 * MARGIN), true));
}

#[test]
fn whole_rates_stay_as_they_are() {
    let (mut cc, _, _) = bbr(Params::default());
    let bits = 11_680.0;
    cc.options.whole = Some(bits);
    for rate in 1..50_000 {
        assert_eq!(cc.cut_to_bits(f64::from(rate) / bits) * bits, f64::from(rate) / bits * bits);
    }
    assert_eq!((cc.cut_to_bits(7.9 / bits) * bits).round(), 7.0);
}

#[test]
fn the_minimum_rtt_counts_the_handshake_and_is_renewed_by_an_equal_one() {
    for (params, at, least) in [(Params::default(), 300, 100), (linux(), 200, 80)] {
        let (mut cc, mut window, mut rng) = bbr(params);
        cc.min_rtt = None;
        cc.on_open(Some(Span::from_millis(80)));
        for ms in [200, 300] {
            let rtt = Some(Span::from_millis(100));
            cc.update_min_rtt(&mut window, &Sample { rtt, ..sample(ms, 1, 1, 0, 100.0) }, &mut rng);
        }
        assert_eq!((cc.min_rtt, cc.min_rtt_at), (Some(Span::from_millis(least)), Time(at * MS)));
    }
}

#[test]
fn no_probe_follows_a_pause_before_something_is_acknowledged() {
    let (mut cc, mut window, mut rng) = bbr(Params::default());
    cc.state = BbrState::ProbeBw;
    cc.idle_restart = true;
    let slow = |ms, newly_acked| Sample {
        rtt: Some(Span::from_millis(150)),
        ..sample(ms, newly_acked, 1, 0, 100.0)
    };
    assert!(!cc.update_min_rtt(&mut window, &slow(10_001, 0), &mut rng));
    assert!(cc.idle_restart);
    assert!(!cc.update_min_rtt(&mut window, &slow(20_100, 1), &mut rng));
    assert!(!cc.idle_restart);
    assert!(cc.update_min_rtt(&mut window, &slow(30_200, 1), &mut rng));
    assert_eq!(cc.state, BbrState::ProbeRtt);
}

#[test]
fn a_probe_lasts_200_ms_and_a_round_and_ends_where_it_began() {
    for (filled, after) in [(true, BbrState::ProbeBw), (false, BbrState::Startup)] {
        let (mut cc, mut window, mut rng) = bbr(Params::default());
        (cc.state, cc.filled, cc.prior_cwnd) = (BbrState::ProbeRtt, filled, 17.0);
        window.cwnd = 4.0;
        let at = |ms, in_flight| Sample { in_flight, ..sample(ms, 1, 60, 50, 100.0) };
        cc.probe_rtt(&mut window, &at(11_000, 5), &mut rng);
        assert_eq!(cc.probe_done_at, None);
        cc.probe_rtt(&mut window, &at(11_100, 4), &mut rng);
        assert_eq!((cc.probe_done_at, cc.next_round_delivered), (Some(Time(11_300 * MS)), 60));
        cc.round_start = false;
        cc.probe_rtt(&mut window, &at(11_400, 4), &mut rng);
        assert_eq!(cc.state, BbrState::ProbeRtt, "the round is not over");
        cc.round_start = true;
        cc.probe_rtt(&mut window, &at(11_500, 4), &mut rng);
        assert_eq!((cc.state, cc.min_rtt_at, window.cwnd), (after, Time(11_500 * MS), 17.0));
    }
}

#[test]
fn the_window_saved_is_the_largest_while_it_is_reduced() {
    let (mut cc, window, _) = bbr(Params::default());
    cc.prior_cwnd = 50.0;
    cc.recovery = BbrRecovery::Fast;
    cc.save(&window);
    assert_eq!(cc.prior_cwnd, 50.0);
    (cc.recovery, cc.state) = (BbrRecovery::None, BbrState::ProbeRtt);
    cc.save(&window);
    assert_eq!(cc.prior_cwnd, 50.0);
    cc.state = BbrState::ProbeBw;
    cc.save(&window);
    assert_eq!(cc.prior_cwnd, 20.0);
}

#[test]
fn losses_leave_at_least_a_segment_and_a_recovery_lets_one_out() {
    let (mut cc, mut window, _) = bbr(Params::default());
    cc.recovery = BbrRecovery::Fast;
    cc.options.lost_at_once = true;
    window.cwnd = 3.0;
    let lossy = Sample { newly_lost: 5, recovering: true, ..sample(100, 0, 1, 0, 100.0) };
    cc.set_window(&mut window, &lossy);
    assert_eq!(window.cwnd, 1.0);
    let (mut fresh, mut opening, _) = bbr(Params::default());
    let entering = Sample { recovering: true, in_flight: 7, ..sample(100, 0, 1, 0, 100.0) };
    fresh.set_window(&mut opening, &entering);
    assert_eq!(opening.cwnd, 8.0);
}

#[test]
fn the_window_grows_beyond_the_target_until_the_initial_window_is_delivered() {
    for (delivered, cwnd) in [(9, 22.0), (10, 20.0)] {
        let (mut cc, mut window, _) = bbr(Params { initial_window: 10, ..Params::default() });
        cc.cwnd_gain = 1.0;
        cc.set_window(&mut window, &sample(100, 2, delivered, 0, 100.0));
        assert_eq!(window.cwnd, cwnd);
    }
}
