//! Dialects: defaults, and the rules in which implementations differ.

use super::super::dialects::DIALECTS;
use super::spacing::{observed, TENTH};
use super::*;

#[test]
fn every_dialect_is_usable_and_resolves_auto() {
    for row in DIALECTS {
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
fn automatic_values_of_the_published_settings() {
    for (rate, size, w, min, max) in [
        (1_500_000, 500, 0.002_663_1, 5.0, 15.0),
        (10_000_000, 1000, 0.000_799_68, 5.0, 15.0),
        (100_000_000, 1500, 0.000_119_99, 20.833_333, 62.5),
        (1_000_000_000, 1500, 0.000_011_999_9, 208.333_333, 625.0),
    ] {
        let setting = Setting { rate: Rate(rate), delay: Span::ZERO, packet: Bytes(size) };
        let auto = params(&[("min_th", "auto"), ("max_th", "auto"), ("w_q", "auto"), ("auto_w_q", "rate")]);
        let resolved = auto.resolve(&setting);
        assert!((resolved.w_q / w - 1.0).abs() < 1e-4, "{}", resolved.w_q);
        assert!((resolved.min_th - min).abs() < 1e-5 && (resolved.max_th - max).abs() < 1e-5, "{resolved:?}");
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
    let mut red = red(&rows(&[("ecn", "true"), ("mark_limit", "0.25")]));
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
fn linux_takes_its_parameters_from_the_limit_and_the_burst() {
    // limit 400 kB, avpkt 1000: max = 100 kB, min = a third of it, burst = (2 min + max)/3 = 55 packets. An
    // average of 55 arrivals stays below 33.3 with w = 1/64 and not with 1/32.
    let resolved = params(&[("dialect", "linux"), ("limit", "400 kB")]).resolve(&SETTING);
    assert_eq!((resolved.max_th, resolved.min_th, resolved.burst), (100_000.0, 33_333.0, 55));
    let grows = |w: f64| 55.0 + 1.0 - (1.0 - math::powi(1.0 - w, 55)) / w;
    let largest = (1..32).map(|n| math::powi(0.5, n)).find(|w| grows(*w) <= 33.333);
    assert_eq!(Some(resolved.w_q), largest);
    let small = params(&[("dialect", "linux"), ("burst", "3"), ("limit", "400 kB")]);
    let mut problems = Vec::new();
    small.check_in(&SETTING, &mut problems);
    assert_eq!(problems[0].path, "burst");
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
