//! The pump: rate, delay, order, and independence of the times at which it is polled.

use crate::common::{arrivals, drain, every_kind, feed, link, offer, paths, text, udp, Memory};
use forward::link::LinkPath;
use forward::pump::{Frame, Pump, WIRE_BYTES};
use proptest::prelude::*;
use queue::disc::QueueDisc;
use units::{Ecn, Rate, Span, Time};

fn droptail(limit: &str) -> Pump {
    Pump::new(link(&[("kind", text("droptail")), ("limit", text(limit))]), &[], 1, "queue/test")
}

#[test]
fn a_packet_takes_its_time_on_the_link_and_the_wire() {
    let mut pump = droptail("10 pkts");
    for ms in [0, 0, 10] {
        offer(&mut pump, &udp(1, 1000, 0), 0, Time::ZERO + Span::from_millis(ms), &mut ());
    }
    let ms = |n: u64| Time::ZERO + Span::from_millis(n);
    assert_eq!(drain(&mut pump, &mut ()), [(0, ms(6)), (1, ms(7)), (2, ms(16))]);
    assert_eq!(pump.store.held(), 0);
}

#[test]
fn access_and_exit_links_add_theirs() {
    let slow = LinkPath {
        access: (Rate(4_000_000), Span::from_millis(3)),
        exit: (Rate(80_000_000), Span::from_millis(10)),
    };
    let mut pump =
        Pump::new(link(&[("kind", text("droptail"))]), &[LinkPath::default(), slow], 1, "queue/test");
    let mut memory = Memory::default();
    offer(&mut pump, &udp(1, 1000, 0), 1, Time::ZERO, &mut memory);
    offer(&mut pump, &udp(0, 1000, 0), 0, Time(1), &mut memory);
    // The second packet overtakes the first, which spends 2 + 3 ms before the queue.
    let ms = |n: u64| Time(n * 1_000_000);
    assert_eq!(
        drain(&mut pump, &mut memory),
        [(0, Time(6_000_001)), (1, ms(5 + 1 + 5 + 10) + Span(100_000))]
    );
    assert_eq!(memory.sent, [(0, Time(1)), (1, ms(5))]);
}

/// 1000 bytes take 2 ms on the access link and 1 ms on the bottleneck. The second waits for the first on the access
/// link; the third finds all idle and starts when it comes, not when the link became free.
#[test]
fn each_transmission_starts_when_its_link_is_free_and_its_packet_is_there() {
    let slow = LinkPath { access: (Rate(4_000_000), Span::ZERO), exit: (Rate(2_000_000), Span::ZERO) };
    let mut pump = Pump::new(link(&[("kind", text("droptail"))]), &[slow], 1, "queue/test");
    let mut memory = Memory::default();
    for ms in [0, 0, 50] {
        offer(&mut pump, &udp(1, 1000, 0), 0, Time(ms * 1_000_000), &mut memory);
        pump.advance(Time(ms * 1_000_000 + 20_000_000), &mut memory);
    }
    let ms = |n: u64| Time(n * 1_000_000);
    assert_eq!(memory.sent, [(0, ms(2)), (1, ms(4)), (2, ms(52))]);
    // Of the exit link's 4 ms the second waits one for the first.
    assert_eq!(
        drain(&mut pump, &mut memory),
        [(0, ms(2 + 1 + 5 + 4)), (1, ms(12 + 4)), (2, ms(52 + 1 + 5 + 4))]
    );
}

/// At 3 Gbit/s a byte takes 8/3 ns: a remainder is carried over between packets sent in a row, and forgotten when idle.
#[test]
fn parts_of_a_nanosecond_are_carried_over_only_while_the_link_is_busy() {
    let mut settings = link(&[("kind", text("droptail"))]);
    (settings.rate, settings.delay) = (Rate(3_000_000_000), Span::ZERO);
    let mut pump = Pump::new(settings, &[], 1, "queue/test");
    for at in [0, 0, 10_000] {
        offer(&mut pump, &udp(1, 100, 0), 0, Time(at), &mut ());
    }
    let alone = Span(800 / 3);
    let due: Vec<Time> = drain(&mut pump, &mut ()).into_iter().map(|(_, due)| due).collect();
    assert_eq!(due[1], Time(1600 / 3), "two in a row take 533 1/3 ns, rounded down once");
    assert_eq!(due[0], Time::ZERO + alone);
    assert_eq!(due[2], Time(10_000) + alone, "the remainder of 1/3 ns, which would make 267, is gone");
}

#[test]
fn a_wire_holds_so_much_and_refuses_the_rest() {
    let mut settings = link(&[("kind", text("droptail")), ("limit", text("10 pkts"))]);
    (settings.rate, settings.delay) = (Rate(0), Span::from_secs(600.0));
    let mut pump = Pump::new(settings, &[], 1, "queue/test");
    let bytes = udp(1, 60_000, 0);
    let header = forward::header::read(&bytes, forward::header::Layer::Ip).unwrap();
    let frame = Frame { bytes: &bytes, header, size: 60_000, path: 0, token: 0 };
    let taken = (0..6000).filter(|_| pump.arrive(&frame, Time::ZERO, &mut ())).count();
    assert_eq!(taken, WIRE_BYTES / (60_000 + 128));
    assert_eq!(pump.store.held(), taken);
    // Once one has left there is room for one.
    let late = Time::ZERO + Span::from_secs(600.0);
    let first = pump.deliver(late).unwrap();
    pump.delivered(&first);
    assert!(pump.arrive(&frame, late, &mut ()) && !pump.arrive(&frame, late, &mut ()));
}

#[test]
fn waking_late_costs_no_rate() {
    // A hundred packets at once; the pump is polled every 7.3 ms only.
    let mut pump = droptail("200 pkts");
    let mut memory = Memory::default();
    for _ in 0..100 {
        offer(&mut pump, &udp(1, 1000, 0), 0, Time::ZERO, &mut memory);
    }
    let (mut now, mut count) = (Time::ZERO, 0);
    while pump.next_due().is_some() {
        now += Span(7_300_000);
        pump.advance(now, &mut memory);
        while let Some(delivery) = pump.deliver(now) {
            count += 1;
            pump.delivered(&delivery);
        }
    }
    assert_eq!(count, 100);
    assert_eq!(memory.sent[99], (99, Time(99_000_000)));
    let late = pump.measure.late.max_ms().unwrap();
    assert!(late > 1.0 && late < 7.3, "{late} ms");
}

#[test]
fn a_marked_packet_leaves_with_ce() {
    let red = link(&[
        ("kind", text("red")),
        ("ecn", true_()),
        ("min_th", text("1 pkts")),
        ("max_th", text("30 pkts")),
        ("w_q", units::param::Value::Float(0.5)),
        ("max_p", units::param::Value::Float(1.0)),
        ("limit", text("40 pkts")),
    ]);
    let mut pump = Pump::new(red, &[], 1, "queue/test");
    let mut memory = Memory::default();
    for _ in 0..30 {
        offer(&mut pump, &udp(1, 1000, 2), 0, Time::ZERO, &mut memory);
    }
    drain(&mut pump, &mut memory);
    let ce = memory.frames.iter().filter(|frame| {
        let ip = etherparse::Ipv4HeaderSlice::from_slice(frame).unwrap().to_header();
        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        ip.ecn.value() == 3
    });
    let ce = ce.count() as u64;
    assert!(ce > 0);
    assert_eq!(ce, pump.measure.marked);
    assert_eq!(forward::header::read(&memory.frames[0], forward::header::Layer::Ip).unwrap().ecn, Ecn::Ect0);
}

fn true_() -> units::param::Value {
    units::param::Value::Bool(true)
}

#[test]
fn a_change_loses_nothing_and_keeps_the_order() {
    let mut pump = droptail("100 pkts");
    let mut memory = Memory::default();
    for _ in 0..20 {
        offer(&mut pump, &udp(1, 1000, 0), 0, Time::ZERO, &mut memory);
    }
    let faster =
        forward::link::LinkSettings { rate: Rate(80_000_000), ..link(&[("kind", text("droptail"))]) };
    pump.change(faster, Time(5_500_000), &mut memory);
    drain(&mut pump, &mut memory);
    let numbers: Vec<u64> = memory.sent.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (0..20).collect::<Vec<_>>());
    // Six at the old rate (the sixth was on the wire), then a tenth of a millisecond each.
    assert_eq!(memory.sent[6].1, Time(6_000_000));
    assert_eq!(memory.sent[7].1, Time(6_100_000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Every kind: all packets are sent, dropped or waiting, slots come back, and the times of all events are the same
    /// whether the pump is polled at every due time or only now and then.
    #[test]
    fn events_do_not_depend_on_when_somebody_looks(arrivals in arrivals(), looks in proptest::collection::vec(0u64..9_000_000, 1..60)) {
        for link in every_kind() {
            let name = link.spec.kind();
            let (mut often, mut seldom) = (Memory::default(), Memory::default());
            let mut pump = Pump::new(link.clone(), &paths(), 7, "queue/test");
            let mut now = Time::ZERO;
            for (gap, flow, size, ecn) in &arrivals {
                now += Span(*gap);
                while let Some(due) = pump.next_due().filter(|due| *due <= now) {
                    pump.advance(due, &mut often);
                    while let Some(delivery) = pump.deliver(due) {
                        pump.delivered(&delivery);
                    }
                }
                offer(&mut pump, &udp(*flow, *size, *ecn), usize::from(*flow), now, &mut often);
            }
            drain(&mut pump, &mut often);
            prop_assert_eq!(often.arrived, often.sent.len() as u64 + often.dropped, "{}", name);
            prop_assert_eq!(often.arrived, arrivals.len() as u64);
            prop_assert_eq!(pump.store.held(), 0, "{}", name);
            prop_assert!(pump.queue().is_empty());
            prop_assert_eq!(pump.measure.late.max_ms().unwrap_or(0.0), 0.0);

            let mut pump = Pump::new(link, &paths(), 7, "queue/test");
            feed(&mut pump, &arrivals, &mut seldom);
            for look in &looks {
                now += Span(*look);
                pump.advance(now, &mut seldom);
            }
            drain(&mut pump, &mut seldom);
            prop_assert_eq!(&often.events, &seldom.events, "{}", name);
        }
    }

    /// Deliveries are never early, and those of one flow keep the order in which its packets left the queue.
    #[test]
    fn flows_keep_their_order(arrivals in arrivals()) {
        let mut pump = Pump::new(link(&[("kind", text("fq_codel"))]), &paths(), 7, "queue/test");
        let mut memory = Memory::default();
        feed(&mut pump, &arrivals, &mut memory);
        let out = drain(&mut pump, &mut memory);
        prop_assert!(out.windows(2).all(|pair| pair[0].1 <= pair[1].1));
        for (number, due) in &out {
            let start = memory.sent.iter().find(|(other, _)| other == number).unwrap().1;
            prop_assert!(*due > start + Span::from_millis(5));
        }
    }
}

/// Found by fuzzing: with nothing in flight, "until the end of time" is no time at which something is due.
#[test]
fn an_idle_pump_has_nothing_to_do_for_ever() {
    let mut pump = Pump::new(link(&[("kind", text("droptail"))]), &[], 1, "queue/test");
    pump.advance(Time::NEVER, &mut ());
    feed(&mut pump, &[(0, 1, 1000, 0), (0, 2, 1000, 0)], &mut ());
    pump.advance(Time::NEVER, &mut ());
    assert_eq!((pump.measure.sent.pkts, pump.next_due()), (2, Some(Time(6_000_000))));
}
