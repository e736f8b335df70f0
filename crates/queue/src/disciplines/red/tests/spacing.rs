//! The spacing of marks: gaps between them, and packets weighed by their sizes.

use super::*;

#[test]
fn count_spreads_the_marks() {
    // avg 8 is half way: p_b = 1/4, so p_a = 1/4, 1/3, 1/2, 1.
    let seen: Vec<f64> = (0..4).map(|n| corrected(Spacing::Text, 0.25, f64::from(n))).collect();
    assert_eq!(seen, [0.25, 1.0 / 3.0, 0.5, 1.0]);
}

#[test]
fn byte_modes_weigh_the_size() {
    let p_a = |mode: &str, count: f64, size: u64| {
        let params =
            params(&rows(&[("byte_mode", mode), ("max_packet", "1000 B"), ("mean_packet", "500 B")]));
        let mut marker = Marker::new(&params, &params.resolve(&SETTING));
        marker.set_count(count, 1400);
        marker.p_a(0.25, size)
    };
    // p_b 1/4, half a packet, one packet since the last mark.
    assert_eq!(p_a("off", 1.0, 500), 1.0 / 3.0);
    assert_eq!(p_a("red_2", 1.0, 500), 0.125 / 0.875);
    assert_eq!(p_a("red_3", 1.0, 500), 1.0 / 6.0);
    assert_eq!(p_a("red_4", 1.0, 500), 1.0 / 6.0);
    assert_eq!(p_a("red_5", 1.0, 500), 1.0 / 12.0);
    // 1400 bytes are 2 whole packets of 500: 1/4 over 1/2, times 250/500.
    assert_eq!(p_a("ns2", 9.0, 250), 0.25);
}

/// The chance that the mark after a mark comes `n` packets later, for n = 1, 2, ...
fn gaps(law: Spacing, first: f64, p_b: f64) -> Vec<f64> {
    let mut survive = 1.0;
    (0..400)
        .map(|i| {
            let p_a = corrected(law, p_b, first + f64::from(i)).min(1.0);
            let here = survive * p_a;
            survive *= 1.0 - p_a;
            here
        })
        .collect()
}

fn assert_uniform(gaps: &[f64], from: usize, to: usize) {
    let n = (to - from + 1) as f64;
    for (i, p) in gaps.iter().enumerate() {
        let expected = if (from..=to).contains(&(i + 1)) { 1.0 / n } else { 0.0 };
        assert!((p - expected).abs() < 1e-12, "gap {}: {p}, not {expected}", i + 1);
    }
}

#[test]
fn spacing_at_a_constant_tenth_is_exactly_as_published() {
    // The first packet after a mark finds count at 1, with `text` at 0.
    assert_uniform(&gaps(Spacing::Pseudocode, 1.0, 0.1), 1, 9);
    assert_uniform(&gaps(Spacing::Unclamped, 1.0, 0.1), 1, 9);
    assert_uniform(&gaps(Spacing::Text, 0.0, 0.1), 1, 10);
    assert_uniform(&gaps(Spacing::Wait, 1.0, 0.1), 10, 19);
    assert_uniform(&gaps(Spacing::Double, 1.0, 0.1), 1, 19);
    let mean = |gaps: Vec<f64>| gaps.iter().enumerate().map(|(i, p)| (i + 1) as f64 * p).sum::<f64>();
    assert!((mean(gaps(Spacing::Pseudocode, 1.0, 0.1)) - 5.0).abs() < 1e-9);
    assert!((mean(gaps(Spacing::Text, 0.0, 0.1)) - 5.5).abs() < 1e-9);
    assert!((mean(gaps(Spacing::Wait, 1.0, 0.1)) - 14.5).abs() < 1e-9);
    assert!((mean(gaps(Spacing::Double, 1.0, 0.1)) - 10.0).abs() < 1e-9);
    assert!((mean(gaps(Spacing::Geometric, 1.0, 0.1)) - 10.0).abs() < 1e-9);
}

/// Gaps between marks of a marker at work, at a constant `p_b`.
pub(super) fn observed(
    rows: &[(&str, &str)],
    arrival: Arrival,
    rng: &mut dyn Rng,
    marks: usize,
) -> Vec<usize> {
    let params = params(rows);
    let mut marker = Marker::new(&params, &params.resolve(&SETTING));
    let (mut fates, mut gaps, mut gap) = (Vec::new(), Vec::new(), 0);
    while gaps.len() < marks {
        gap += 1;
        marker.arrive(1000);
        if marker.marks::<KitPacket>(arrival, &mut Cx::new(Time::ZERO, rng, &mut fates)) {
            gaps.push(gap);
            gap = 0;
        }
    }
    gaps
}

pub(super) const TENTH: Arrival = Arrival { p_b: 0.1, excess: 5.0, size: 1000, ease: 1.0 };

#[test]
fn each_law_restarts_its_count_where_its_gaps_begin() {
    // The greatest and the smallest random number give the ends of the support.
    for (rows, shortest, longest) in [
        (&[("spacing", "pseudocode")][..], 1, 9),
        (&[("spacing", "text")], 1, 10),
        (&[("spacing", "wait")], 10, 19),
        (&[("spacing", "double")], 1, 19),
        (&[("spacing", "cycle")], 1, 10),
        (&[("dialect", "ns2_explicit")], 10, 19),
        (&[("dialect", "altq")], 1, 19),
    ] {
        let late = observed(rows, TENTH, &mut Always(1.0 - 1e-9), 3);
        assert_eq!(late[1..], [longest; 2], "{rows:?}");
        let early = observed(rows, TENTH, &mut Always(1e-9), 3);
        assert_eq!(early[1..], [shortest; 2], "{rows:?}");
    }
}

#[test]
fn one_random_number_a_cycle_is_uniform_on_one_to_ten() {
    // Every number in the middle of a hundredth gives its gap exactly: r = u, a mark at the first n with n/10 >= u.
    let mut counts = [0; 11];
    for i in 0..100 {
        let gaps = observed(&[("spacing", "cycle")], TENTH, &mut Always((f64::from(i) + 0.5) / 100.0), 2);
        counts[gaps[1]] += 1;
    }
    assert_eq!(counts, [0, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10]);
}

#[test]
fn a_cached_number_with_a_changing_modulus_is_lumpy() {
    // All 22-bit numbers, at p_b = 1/10 (max_p 1/10 and half way through thresholds twice as far apart).
    let rows = [("dialect", "dpdk"), ("min_th", "5 pkts"), ("max_th", "15 pkts"), ("max_p", "0.2")];
    let n = 1u32 << 12;
    let (mut sum, mut longest) = (0, 0);
    for i in 0..n {
        let u = (f64::from(i) + 0.37) / f64::from(n);
        let gap = observed(&rows, TENTH, &mut Always(u), 2)[1];
        sum += gap;
        longest += u32::from(gap == 20);
    }
    let mean = sum as f64 / f64::from(n);
    assert!((11.7..12.0).contains(&mean), "mean {mean}");
    let share = f64::from(longest) / f64::from(n);
    assert!((0.16..0.18).contains(&share), "share of the longest {share}");
}

#[test]
fn the_cycle_in_integers_has_the_gaps_of_the_cycle_in_reals() {
    let rows = [("dialect", "linux"), ("min_th", "5000 B"), ("max_th", "15000 B"), ("max_p", "0.2")];
    let half_way = Arrival { p_b: 0.1, excess: 5000.0, size: 1000, ease: 1.0 };
    let mut stream = Stream::new(3, "cycle");
    let gaps = observed(&rows, half_way, &mut stream, 20_000);
    let mut counts = [0u32; 11];
    gaps[1..].iter().for_each(|gap| counts[*gap] += 1);
    // Each of ten gaps: 2000 expected, standard deviation 42; five of them.
    assert!(counts[1..].iter().all(|n| n.abs_diff(2000) < 215), "{counts:?}");
}

#[test]
fn every_byte_mode_gives_a_probability() {
    for mode in ["off", "red_2", "red_3", "red_4", "red_5", "ns2"] {
        let params = params(&rows(&[("byte_mode", mode)]));
        let mut marker = Marker::new(&params, &params.resolve(&SETTING));
        for size in (1..4000).step_by(7) {
            marker.set_count(size as f64 / 100.0, size);
            for p_b in [0.0, 0.25, 1.0] {
                let p_a = marker.p_a(p_b, size);
                assert!((0.0..=1.0).contains(&p_a), "{mode} {size} {p_b}: {p_a}");
            }
        }
    }
}

/// The comparison without a division equals that with the quotient, also for numbers next to the quotient.
#[test]
fn the_comparison_needs_no_quotient() {
    let params = params(&EXACT);
    let mut marker = Marker::new(&params, &params.resolve(&SETTING));
    let mut rng = Stream::new(5, "draw");
    let mut hits = 0;
    for _ in 0..20_000 {
        let (p_b, count) = (rng.uniform() * rng.uniform(), (rng.uniform() * 12.0) as u32);
        let p_a = corrected(Spacing::Pseudocode, p_b, f64::from(count)).min(1.0);
        for u in [rng.uniform(), p_a.next_down(), p_a, p_a.next_up()].map(|u| u.clamp(0.0, 1f64.next_down()))
        {
            marker.set_count(f64::from(count) - 1.0, 0);
            let marked = marker.marks_fast(p_b, || u);
            assert_eq!(marked, p_a >= 1.0 || u < p_a, "p_b {p_b}, count {count}, draw {u}");
            hits += u32::from(marked);
        }
    }
    assert!((20_000..60_000).contains(&hits), "{hits} of 80000");
}
