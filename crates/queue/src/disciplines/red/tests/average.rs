//! The average queue and idle time, worked by hand.

use super::*;

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
        let mut red = red(&rows(&[("idle_decay", decay)]));
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
        let mut red = red(&rows(&[("idle_from", from), ("idle_decay", "truncated")]));
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
    let mut red = red(&rows(&[("sample", "with_arrival"), ("idle_decay", "ignored")]));
    arrive(&mut red, 0, 1000);
    arrive(&mut red, 0, 1000);
    // 1/4, then 3/4 of that and 2/4.
    assert_eq!(avg(&red), 0.6875);
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
fn linux_counts_in_shifts() {
    // w_q 1/8: the average is kept times 8. 8000 bytes waiting: 8000, then 8000 - 1000 + 8000 = 15000.
    let mut red = red(&[("dialect", "linux"), ("w_q", "0.125")]);
    red.average.sample(8000.0);
    red.average.sample(8000.0);
    assert_eq!(avg(&red) * 8.0, 15_000.0);
    assert_eq!([wlog(0.125), wlog(0.002), wlog(0.9)], [3, 9, 1]);
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
fn a_link_that_asks_again_does_not_restart_the_idle_time() {
    let mut red = red(&rows(&[("idle_from", "link_idle"), ("idle_decay", "truncated")]));
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
    let mut red: Red<KitPacket> = Red::new(&params(&rows(&[("idle_decay", "truncated")])), &setting);
    for (ns, m) in [(5_333_333, 1), (10_666_666, 2), (16_000_000, 3), (15_999_000, 2)] {
        set_avg(&mut red, 3.0);
        red.average.decay(Time::ZERO, Time(ns), 0.0);
        assert_eq!(avg(&red), 3.0 * math::powi(0.75, m), "{ns}");
    }
}
