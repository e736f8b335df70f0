//! Tests of RED, worked by hand.

mod law;

use super::auto::wlog;
use super::spacing::corrected;
use super::*;
use crate::conformance::KitPacket;
use crate::disc::Reason;
use alloc::string::ToString;
use alloc::vec::Vec;
use units::param::{read_table, Check, Table, Value};
use units::quantity::Amount;
use units::{math, Rate, Rng, Span, Stream, Time};

/// One packet of 1000 bytes a millisecond.
const SETTING: Setting = Setting { rate: Rate(8_000_000), delay: Span::from_millis(20), packet: Bytes(1000) };

fn params(rows: &[(&str, &str)]) -> Valid<Params> {
    let table: Table =
        rows.iter().map(|(key, text)| (key.to_string(), Value::Text(text.to_string()))).collect();
    let mut problems = Vec::new();
    let read = read_table("", &table, &mut problems);
    assert_eq!(problems, []);
    Valid::new(read).unwrap()
}

fn red(rows: &[(&str, &str)]) -> Red<KitPacket> {
    Red::new(&params(rows), &SETTING)
}

/// Numbers chosen to be exact in binary: thresholds 4 and 12, `max_p` 1/2, `w_q` 1/4.
const EXACT: [(&str, &str); 4] =
    [("min_th", "4 pkts"), ("max_th", "12 pkts"), ("max_p", "0.5"), ("w_q", "0.25")];

fn with<'a>(rows: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    EXACT.iter().chain(rows).copied().collect()
}

/// An rng that always returns the same number.
struct Always(f64);

impl Rng for Always {
    fn uniform(&mut self) -> f64 {
        self.0
    }
}

fn arrive(red: &mut Red<KitPacket>, at_ms: u64, size: u16) {
    let pkt = KitPacket::new(0, size);
    red.enqueue(pkt, &mut Cx::new(Time(at_ms * 1_000_000), &mut Always(0.999_999), &mut Vec::new()));
}

fn depart(red: &mut Red<KitPacket>, at_ms: u64) -> bool {
    red.dequeue(&mut Cx::new(Time(at_ms * 1_000_000), &mut Always(0.0), &mut Vec::new())).is_some()
}

fn set_avg(red: &mut Red<KitPacket>, to: f64) {
    let Average::Real(real) = &mut red.average else { panic!("only a real average can be set") };
    real.set(to);
}

fn avg(red: &Red<KitPacket>) -> f64 {
    red.average.value()
}

#[test]
fn every_dialect_is_usable_and_says_what_auto_means() {
    for row in dialects::DIALECTS {
        let read = params(&[(Params::PRESET_KEY, row.name)]);
        let mut problems = Vec::new();
        read.check_in(&SETTING, &mut problems);
        assert_eq!(problems, [], "{}", row.name);
        assert!(read.show_resolved(&SETTING).iter().all(|(_, value)| *value != Value::Text("auto".into())));
    }
}

#[test]
fn the_paper_is_the_default() {
    assert_eq!(params(&[("dialect", "floyd93")]), params(&[]));
}

#[test]
fn avg_follows_a_standing_queue() {
    let mut average = Average::new(&params(&EXACT), &params(&EXACT).resolve(&SETTING), 1000.0);
    let seen: Vec<f64> = (0..3)
        .map(|_| {
            average.sample(8.0);
            average.value()
        })
        .collect();
    assert_eq!(seen, [2.0, 3.5, 4.625]);
}

#[test]
fn idle_time_in_each_way_of_counting_it() {
    // A packet takes 1 ms; 3.5 of them pass while idle; avg starts at 8 and 1 - w_q is 3/4.
    for (decay, expected) in [
        ("exact", 8.0 * math::pow(0.75, 3.5)),
        ("truncated", 8.0 * 0.421_875),
        ("plus_one", 8.0 * 0.421_875 * 0.75),
        ("ignored", 6.0),
    ] {
        let mut red = red(&with(&[("idle_decay", decay)]));
        set_avg(&mut red, 8.0);
        red.q_time = Some(Time::ZERO);
        red.update_avg(1000, 0.0, Time(3_500_000));
        assert_eq!(avg(&red), expected, "{decay}");
    }
}

#[test]
fn when_idle_time_starts() {
    // One packet arrives at 0 and leaves at 1 ms; the link finds the queue empty at 2; the next packet comes at 4.
    for (from, m) in [("empties", 3), ("link_idle", 2), ("last_event", 2), ("never", 1)] {
        let mut red = red(&with(&[("idle_from", from), ("idle_decay", "truncated")]));
        arrive(&mut red, 0, 1000);
        set_avg(&mut red, 3.0);
        assert!(depart(&mut red, 1));
        assert!(!depart(&mut red, 2));
        arrive(&mut red, 4, 1000);
        assert_eq!(avg(&red), 3.0 * math::powi(0.75, m), "{from}");
    }
}

#[test]
fn the_arriving_packet_may_be_part_of_the_sample() {
    let mut red = red(&with(&[("sample", "with_arrival"), ("idle_decay", "ignored")]));
    arrive(&mut red, 0, 1000);
    arrive(&mut red, 0, 1000);
    // 1/4, then 3/4 of that and 2/4.
    assert_eq!(avg(&red), 0.6875);
}

#[test]
fn count_spreads_the_marks() {
    // avg 8 is half way: p_b = 1/4, so p_a = 1/4, 1/3, 1/2, 1.
    let seen: Vec<f64> = (0..4).map(|n| corrected(Spacing::Text, 0.25, f64::from(n))).collect();
    assert_eq!(seen, [0.25, 1.0 / 3.0, 0.5, 1.0]);
}

#[test]
fn forced_drop_at_max_th_is_reported() {
    let mut red = red(&with(&[]));
    set_avg(&mut red, 16.0);
    red.q_time = None;
    let mut fates = Vec::new();
    // 16 + (0 - 16)/4 = 12 = max_th.
    red.enqueue(KitPacket::new(7, 1000), &mut Cx::new(Time::ZERO, &mut Always(0.999), &mut fates));
    assert_eq!(fates, [crate::disc::Fate::Dropped(KitPacket::new(7, 1000), Reason::Forced)]);
    assert_eq!(avg(&red), 12.0);
}

#[test]
fn the_curve_in_its_three_forms() {
    let p_b = |above: &str, avg: f64| red(&with(&[("above_max", above)])).curve.p_b(avg);
    assert_eq!([p_b("drop", 8.0), p_b("drop", 12.0)], [0.25, 1.0]);
    // Gentle: 1/2 at 12, 3/4 at 18, 1 at 24.
    assert_eq!([p_b("gentle", 12.0), p_b("gentle", 18.0), p_b("gentle", 24.0)], [0.5, 0.75, 1.0]);
    assert_eq!([p_b("capped", 12.0), p_b("capped", 99.0)], [0.5, 0.5]);
}

#[test]
fn byte_modes_weigh_the_size() {
    let p_a = |mode: &str, count: f64, size: u64| {
        let params =
            params(&with(&[("byte_mode", mode), ("max_packet", "1000 B"), ("mean_packet", "500 B")]));
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
fn observed(rows: &[(&str, &str)], arrival: Arrival, rng: &mut dyn Rng, marks: usize) -> Vec<usize> {
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

const TENTH: Arrival = Arrival { p_b: 0.1, excess: 5.0, size: 1000, ease: 1.0 };

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
fn the_average_covers_63_percent_in_as_many_packets_as_published() {
    for (w_q, packets) in [(0.001, 999.5), (0.002, 499.5), (0.003, 332.8)] {
        let n: f64 = -1.0 / math::ln(1.0 - w_q);
        assert!((n - packets).abs() < 0.05, "{w_q}: {n}");
        let mut red = red(&[("w_q", &w_q.to_string())]);
        let whole = n.round() as usize;
        (0..whole).for_each(|_| red.average.sample(1.0));
        assert!((avg(&red) - (1.0 - math::exp(-1.0))).abs() < 0.001, "{w_q}: {}", avg(&red));
    }
}

#[test]
fn a_burst_of_fifty_stays_below_five_up_to_the_published_weight() {
    // The queue grows by one with each packet of the burst (FJ93 section 6).
    let after_burst = |w_q: f64| {
        let mut red = red(&[("w_q", &w_q.to_string())]);
        (1..=50).for_each(|q| red.average.sample(f64::from(q)));
        avg(&red)
    };
    assert!(after_burst(0.004_195) < 5.0 && after_burst(0.004_196) > 5.0, "{}", after_burst(0.004_195));
}

#[test]
fn automatic_values_of_the_published_settings() {
    for (rate, size, w, min, max) in [
        (1_500_000, 500, 0.002_663_1, 5.0, 15.0),
        (10_000_000, 1000, 0.000_799_68, 5.0, 15.0),
        (100_000_000, 1500, 0.000_119_99, 20.833_333, 62.5),
        (1_000_000_000, 1500, 0.000_011_999_9, 208.333_333, 625.0),
    ] {
        let setting = Setting { rate: Rate(rate), delay: Span::ZERO, packet: Bytes(size) };
        let auto = params(&[("min_th", "auto"), ("max_th", "auto"), ("w_q", "auto"), ("auto_w_q", "rate")]);
        let found = auto.resolve(&setting);
        assert!((found.w_q / w - 1.0).abs() < 1e-4, "{}", found.w_q);
        assert!((found.min_th - min).abs() < 1e-5 && (found.max_th - max).abs() < 1e-5, "{found:?}");
    }
}

#[test]
fn the_first_packet_above_min_th_is_spared_where_the_dialect_says_so() {
    let first = |rows: &[(&str, &str)]| observed(rows, Arrival { p_b: 1.0, ..TENTH }, &mut Always(0.5), 1)[0];
    assert_eq!(first(&[("dialect", "floyd93")]), 1);
    assert_eq!(first(&[("dialect", "ns2_explicit")]), 2);
    assert_eq!(first(&[("dialect", "altq")]), 2);
    assert_eq!(first(&[("dialect", "dummynet")]), 2);
}

#[test]
fn forced_drops_leave_the_count_alone_in_ns3_only() {
    for (dialect, count) in [("ns2_explicit", 0.0), ("ns3", 6.0)] {
        let mut red = red(&[("dialect", dialect), ("above_max", "drop")]);
        red.marker.set_count(5.0, 0);
        (0..3).for_each(|_| {
            red.queue.push(KitPacket::new(0, 1000), &Cx::new(Time::ZERO, &mut Always(0.0), &mut Vec::new()))
        });
        red.q_time = None;
        set_avg(&mut red, 100.0);
        arrive(&mut red, 0, 1000);
        assert_eq!((red.queue.len(), red.marker.count()), (3, count), "{dialect}");
    }
}

#[test]
fn ecn_marks_only_below_the_mark_limit() {
    let mut red = red(&with(&[("ecn", "true"), ("mark_limit", "0.25")]));
    let mut fate = |p_b: f64| {
        let mut fates = Vec::new();
        let pkt = KitPacket::capable(0, 1000);
        let kept =
            red.answer(pkt, Signal::Early { p_b }, &mut Cx::new(Time::ZERO, &mut Always(0.0), &mut fates));
        kept.is_some()
    };
    assert_eq!([fate(0.2), fate(0.25), fate(0.3)], [true, false, false]);
}

#[test]
fn dummynet_with_ecn_is_a_step_at_min_th() {
    for (capable, kept) in [(true, 1), (false, 0)] {
        let mut red = red(&[("dialect", "dummynet"), ("ecn", "true")]);
        set_avg(&mut red, 5.5);
        red.q_time = None;
        let pkt = if capable { KitPacket::capable(0, 1000) } else { KitPacket::new(0, 1000) };
        red.enqueue(pkt, &mut Cx::new(Time::ZERO, &mut Always(0.999_999), &mut Vec::new()));
        assert_eq!(red.queue.len(), kept);
    }
}

#[test]
fn linux_counts_in_shifts() {
    // w_q 1/8: the average is kept times 8. 8000 bytes waiting: 8000, then 8000 - 1000 + 8000 = 15000.
    let mut red = red(&[("dialect", "linux"), ("w_q", "0.125")]);
    red.average.sample(8000.0);
    red.average.sample(8000.0);
    assert_eq!(avg(&red) * 8.0, 15_000.0);
    assert_eq!([wlog(0.125), wlog(0.002), wlog(0.9)], [3, 9, 1]);
}

#[test]
fn linux_takes_its_parameters_from_the_limit_and_the_burst() {
    // limit 400 kB, avpkt 1000: max = 100 kB, min = a third of it, burst = (2 min + max)/3 = 55 packets. An
    // average of 55 arrivals stays below 33.3 with w = 1/64 and not with 1/32.
    let found = params(&[("dialect", "linux"), ("limit", "400 kB")]).resolve(&SETTING);
    assert_eq!((found.max_th, found.min_th, found.burst), (100_000.0, 33_333.0, 55));
    let grows = |w: f64| 55.0 + 1.0 - (1.0 - math::powi(1.0 - w, 55)) / w;
    let largest = (1..32).map(|n| math::powi(0.5, n)).find(|w| grows(*w) <= 33.333);
    assert_eq!(Some(found.w_q), largest);
    let small = params(&[("dialect", "linux"), ("burst", "3"), ("limit", "400 kB")]);
    let mut problems = Vec::new();
    small.check_in(&SETTING, &mut problems);
    assert_eq!(problems[0].path, "burst");
}

#[test]
fn linux_forgets_while_idle() {
    // A packet of 1000 bytes takes 800 us at the 10 Mbit/s assumed, so an idle microsecond costs ln(8/7)/800 =
    // 0.000167 shifts; a cell is 512 us, the table ends at 130 ms.
    let after_in = |table: &str, us: u64| {
        let mut red = red(&[("dialect", "linux"), ("w_q", "0.125"), ("idle_table", table)]);
        (0..200).for_each(|_| red.average.sample(100_000.0));
        let before = avg(&red);
        red.average.decay(Time::ZERO, Time(us * 1000), 0.0);
        avg(&red) / before
    };
    let after = |us: u64| after_in("microseconds", us);
    assert_eq!(after(0), 1.0);
    // Below one shift a straight line, but never more than a half.
    assert!((after(128) - 0.75).abs() < 1e-5 && after(600) == 0.5, "{} {}", after(128), after(600));
    // 13 ms are 25 cells, 25 * 512 * 0.000167 = 2.1 shifts.
    assert!((after(13_000) - 0.25).abs() < 1e-5, "{}", after(13_000));
    assert!(after(1_000_000) < 1e-8);
    // In ticks of 64 ns a cell is 8192 us: 13 ms are less than a shift, and 25 cells 2.1.
    let slowly = |us: u64| after_in("ticks", us);
    assert!((slowly(2048) - 0.75).abs() < 1e-5 && slowly(13_000) == 0.5, "{}", slowly(2048));
    assert!((slowly(25 * 8192) - 0.25).abs() < 1e-5, "{}", slowly(25 * 8192));
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
fn a_random_victim_makes_room_for_the_arriving_packet() {
    let mut red = red(&[("dialect", "altq"), ("limit", "2 pkts")]);
    let mut fates = Vec::new();
    // Of three (two waiting and the arriving one), 0.5 picks the second.
    for id in 0..3 {
        red.enqueue(KitPacket::new(id, 1000), &mut Cx::new(Time::ZERO, &mut Always(0.5), &mut fates));
    }
    assert!(matches!(fates[..], [crate::disc::Fate::Dropped(pkt, Reason::Overflow)] if pkt.id == 1));
    assert_eq!((red.len(), QueueDisc::<KitPacket>::decides(&red)), (2, Decides::Later));
}

#[test]
fn limits_and_thresholds_follow_the_unit() {
    let found =
        params(&[("unit", "bytes"), ("mean_packet", "500 B"), ("limit", "10 pkts")]).resolve(&SETTING);
    assert_eq!((found.limit, found.min_th, found.max_th), (Amount::Bytes(5000.0), 2500.0, 7500.0));
}

#[test]
fn crossed_thresholds_and_impossible_pairs_are_refused() {
    let problem = |change: fn(&mut Params)| {
        let mut params = Params::default();
        change(&mut params);
        let problems = Valid::new(params).unwrap_err();
        (problems[0].path.clone(), problems[0].rule.clone())
    };
    let (path, rule) = problem(|p| p.max_th = Some(Amount::Packets(3.0)));
    assert_eq!((path.as_str(), rule.as_str()), ("max_th", "must exceed min_th (5 pkts)"));
    assert_eq!(problem(|p| p.arithmetic = AverageArithmetic::Integer).0, "arithmetic");
    assert_eq!(problem(|p| (p.spacing, p.counting) = (Spacing::Cycle, MarkCounting::Carried)).0, "spacing");
    assert_eq!(problem(|p| p.max_p = f64::NAN).0, "max_p");
    assert_eq!(problem(|p| p.limit = Amount::Packets(0.0)).0, "limit");
}

#[test]
fn every_byte_mode_gives_a_probability() {
    for mode in ["off", "red_2", "red_3", "red_4", "red_5", "ns2"] {
        let params = params(&with(&[("byte_mode", mode)]));
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

#[test]
fn the_state_of_a_queue_is_a_few_cache_lines() {
    assert!(size_of::<Red<KitPacket>>() <= 384, "{}", size_of::<Red<KitPacket>>());
}

#[test]
fn a_full_buffer_restarts_the_count_unless_the_dialect_says_no() {
    for (resets, count) in [("true", 0.0), ("false", 7.0)] {
        let mut red = red(&[("limit", "1 pkts"), ("overflow_resets_count", resets), ("counting", "carried")]);
        arrive(&mut red, 0, 1000);
        red.marker.set_count(6.0, 0);
        arrive(&mut red, 0, 1000);
        assert_eq!((red.queue.len(), red.marker.count()), (1, count));
    }
}

#[test]
fn a_link_that_asks_again_does_not_restart_the_idle_time() {
    let mut red = red(&with(&[("idle_from", "link_idle"), ("idle_decay", "truncated")]));
    arrive(&mut red, 0, 1000);
    assert!(depart(&mut red, 0));
    assert!(!depart(&mut red, 1) && !depart(&mut red, 3));
    set_avg(&mut red, 3.0);
    arrive(&mut red, 4, 1000);
    assert_eq!(avg(&red), 3.0 * math::powi(0.75, 3));
}

#[test]
fn an_idle_time_of_whole_packets_is_not_cut_by_rounding() {
    // At 1.5 Mbit/s a packet takes 5 333 333.3 ns, which no clock of whole nanoseconds can show.
    let setting = Setting { rate: Rate(1_500_000), ..SETTING };
    let mut red: Red<KitPacket> = Red::new(&params(&with(&[("idle_decay", "truncated")])), &setting);
    for (ns, m) in [(5_333_333, 1), (10_666_666, 2), (16_000_000, 3), (15_999_000, 2)] {
        set_avg(&mut red, 3.0);
        red.average.decay(Time::ZERO, Time(ns), 0.0);
        assert_eq!(avg(&red), 3.0 * math::powi(0.75, m), "{ns}");
    }
}

/// Fates of arrivals, each capable or not, all with the same random number and the same average.
fn fates(red: &mut Red<KitPacket>, draw: f64, capable: &[bool]) -> Vec<(u64, char)> {
    let mut fates = Vec::new();
    for (id, ect) in (0..).zip(capable) {
        let pkt = if *ect { KitPacket::capable(id, 1000) } else { KitPacket::new(id, 1000) };
        red.enqueue(pkt, &mut Cx::new(Time::ZERO, &mut Always(draw), &mut fates));
    }
    fates
        .iter()
        .map(|fate| match fate {
            crate::disc::Fate::Marked(pkt, _) => (pkt.id, 'm'),
            crate::disc::Fate::Dropped(pkt, _) => (pkt.id, 'd'),
        })
        .collect()
}

#[test]
fn wred_with_ecn_marks_between_the_thresholds_and_drops_above() {
    // At an average of 30 of 20 to 40, p_b is half of a tenth; a weight near nothing leaves it there.
    let mut between = red(&[("dialect", "wred"), ("ecn", "true"), ("w_q", "0.000001")]);
    set_avg(&mut between, 30.0);
    assert_eq!(fates(&mut between, 0.0499, &[true, false]), [(0, 'm'), (1, 'd')]);
    assert_eq!(fates(&mut between, 0.0501, &[true, false]), []);
    let mut above = red(&[("dialect", "wred"), ("ecn", "true"), ("w_q", "0.000001")]);
    set_avg(&mut above, 40.1);
    assert_eq!(fates(&mut above, 0.9, &[true, false]), [(0, 'd'), (1, 'd')]);
}

#[test]
fn junos_compares_a_random_number_with_how_full_the_buffer_is() {
    // Ten packets fit; the random number is 0.25, so the arrival that finds a quarter of the buffer full is dropped:
    // the fourth.
    let mut plain = red(&[("dialect", "junos"), ("limit", "10 pkts")]);
    assert_eq!(fates(&mut plain, 0.25, &[true, true, true, true, false]), [(3, 'd'), (4, 'd')]);
    assert_eq!(plain.queue.len(), 3);
}

#[test]
fn junos_with_ecn_marks_by_the_profile_and_drops_the_rest_at_the_full_buffer() {
    let mut ecn = red(&[("dialect", "junos"), ("limit", "5 pkts"), ("ecn", "true")]);
    // The fill is 0, 20, 40 % …: from 40 % on capable packets are marked, the others kept until five wait.
    let all = fates(&mut ecn, 0.35, &[true, true, true, false, true, false, true]);
    assert_eq!(all, [(2, 'm'), (4, 'm'), (5, 'd'), (6, 'm'), (6, 'd')]);
    assert_eq!(ecn.queue.len(), 5);
}

/// Random arrivals and departures, idle periods and full buffers: both paths draw the same numbers, drop the same
/// packets and hold the same average.
#[test]
fn fast_path_equals_the_slow_path() {
    for (seed, above) in [(1, "drop"), (2, "gentle"), (3, "capped"), (4, "gentle")] {
        let keys = [("limit", "12 pkts"), ("above_max", above)];
        let (mut fast, mut slow) = (red(&with(&keys)), red(&with(&keys)));
        slow.rules.fast_path = false;
        assert!(fast.has_fast_path() && !slow.has_fast_path());
        let (mut choice, mut now) = (Stream::new(seed, "choice"), Time::ZERO);
        let mut streams = [Stream::new(seed, "red"), Stream::new(seed, "red")];
        let mut fates = [Vec::new(), Vec::new()];
        for id in 0..20_000 {
            now += Span::from_micros(choice.next_u64() % 1500);
            let arrives = choice.uniform() < 0.55;
            let mut sent = [None; 2];
            for (i, queue) in [&mut fast, &mut slow].into_iter().enumerate() {
                let mut cx = Cx::new(now, &mut streams[i], &mut fates[i]);
                if arrives {
                    queue.enqueue(KitPacket::new(id, 1000), &mut cx);
                } else {
                    sent[i] = queue.dequeue(&mut cx).map(|pkt| (pkt.id, pkt.enqueued()));
                }
            }
            assert_eq!(sent[0], sent[1]);
            assert_eq!(fast.average().to_bits(), slow.average().to_bits());
            assert_eq!((fast.len(), fast.marker.count()), (slow.len(), slow.marker.count()));
        }
        let ids = |i: usize| fates[i].iter().map(|fate| format!("{fate:?}")).collect::<Vec<_>>();
        assert_eq!(ids(0), ids(1));
        assert!(fates[0].len() > 500, "{}", fates[0].len());
        assert_eq!(streams[0].next_u64(), streams[1].next_u64());
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
