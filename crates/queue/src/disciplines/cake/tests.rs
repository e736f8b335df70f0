use super::*;
use crate::disc::Acknowledgement;
use crate::testing::{params, refused, Bench, Pkt};
use units::Ecn;

fn bench(rows: &[(&str, &str)]) -> Bench<Cake<Pkt>> {
    Bench::new(Cake::new(&params(rows)))
}

/// Serves the line whenever it may send, until a time. Returns the packets sent, each with its microsecond.
fn run(bench: &mut Bench<Cake<Pkt>>, from_us: u64, to_us: u64) -> Vec<(u64, Pkt)> {
    let mut sent = Vec::new();
    for us in from_us..to_us {
        while let Some(pkt) = bench.depart(us) {
            sent.push((us, pkt));
        }
    }
    sent
}

#[test]
fn the_shaper_sends_at_its_rate_with_what_the_wire_adds() {
    // 8 Mbit/s: a byte a microsecond; 1000 bytes count 1000 + 44 in 22 cells of 53: 1166.
    let mut queue =
        bench(&[("bandwidth", "8 Mbit/s"), ("overhead", "44 B"), ("framing", "atm"), ("tins", "besteffort")]);
    (0..4).for_each(|_| queue.arrive(100, Pkt::new(0)));
    assert_eq!(queue.disc.ready(), Some(Time(100_000)));
    let at: Vec<u64> = run(&mut queue, 100, 10_000).iter().map(|(us, _)| *us).collect();
    assert_eq!(at, [100, 1266, 2432, 3598]);
    // No credit for idling: the next two are a packet apart again.
    (0..2).for_each(|_| queue.arrive(50_000, Pkt::new(0)));
    let later: Vec<u64> = run(&mut queue, 50_000, 60_000).iter().map(|(us, _)| *us).collect();
    assert_eq!(later, [50_000, 51_166]);
}

#[test]
fn voice_goes_first_up_to_its_share_and_bulk_gets_a_sixteenth() {
    let mut queue = bench(&[("bandwidth", "8 Mbit/s"), ("interval", "10 s")]);
    for i in 0..400 {
        for (flow, class) in [(1, 46), (2, 0), (3, 8)] {
            queue.arrive(i, Pkt { flow, class, ..Pkt::new(0) });
        }
    }
    let sent = run(&mut queue, 400, 320_400);
    let of = |flow: u64| sent.iter().filter(|(_, pkt)| pkt.flow == flow).count();
    // A quarter, a sixteenth, and the rest, of 320.
    assert!((320..=321).contains(&sent.len()), "{}", sent.len());
    assert!((79..=82).contains(&of(1)), "{} of voice", of(1));
    assert!((19..=22).contains(&of(3)), "{} of bulk", of(3));
}

#[test]
fn without_a_shaper_tins_share_by_weight() {
    let mut queue = bench(&[("interval", "10 s")]);
    for i in 0..2000 {
        for (flow, class) in [(1, 46), (2, 0), (3, 8)] {
            queue.arrive(i, Pkt { flow, class, ..Pkt::new(0) });
        }
    }
    let mut count = [0_u64; 4];
    (0..1344).for_each(|_| count[queue.depart(3000).unwrap().flow as usize] += 1);
    // 256 : 1024 : 64.
    assert!(count[1].abs_diff(256) < 8 && count[3].abs_diff(64) < 8, "{count:?}");
}

/// Packets of flow 1 among 400, together with flows 2 to `flows` of another host, once none of them is sparse.
fn share_of_one(isolate: &str, flows: u64, hosts: impl Fn(u64) -> [u64; 2]) -> usize {
    share_behind("neither", isolate, flows, hosts)
}

/// The same behind a router that translates the addresses of one side.
fn share_behind(translated: &str, isolate: &str, flows: u64, hosts: impl Fn(u64) -> [u64; 2]) -> usize {
    let rows =
        [("tins", "besteffort"), ("isolate", isolate), ("interval", "10 s"), ("translated", translated)];
    let mut queue = bench(&rows);
    for _ in 0..400 {
        for flow in 1..=flows {
            queue.arrive(0, Pkt { flow, hosts: hosts(flow), ..Pkt::new(0) });
        }
    }
    (0..100).for_each(|_| assert!(queue.depart(1).is_some()));
    (0..400).filter(|_| queue.depart(1).unwrap().flow == 1).count()
}

#[test]
fn a_host_with_ten_flows_gets_as_much_as_a_host_with_one() {
    let own = |flow: u64| if flow == 1 { [1, 11] } else { [2, 12] };
    for (isolate, share) in [
        ("triple", 200),
        ("dual_srchost", 200),
        ("dual_dsthost", 200),
        ("hosts", 200),
        ("flows", 36),
        ("flowblind", 36),
    ] {
        let got = share_of_one(isolate, 11, own);
        assert!(got.abs_diff(share) <= 4, "{isolate}: {got} of 400, expected {share}");
    }
    // Sources have equal shares, but all flows share one destination, which has more of them than any source.
    let one_end = |flow: u64| if flow == 1 { [1, 7] } else { [2, 7] };
    assert!(share_of_one("triple", 11, one_end).abs_diff(36) <= 4);
}

#[test]
fn behind_an_address_translation_all_hosts_of_a_side_are_one() {
    let own = |flow: u64| [if flow == 1 { 1 } else { 2 }, 100 + flow];
    for isolate in ["dual_srchost", "triple"] {
        let got = share_behind("source", isolate, 9, own);
        assert!(got.abs_diff(400 / 9) < 6, "{isolate}: {got} of 400");
        let other = share_behind("destination", isolate, 9, own);
        let seen = if isolate == "triple" { 400 / 9 } else { 200 };
        assert!(other.abs_diff(seen) < 12, "{isolate}: {other} of 400, expected {seen}");
    }
    // A queue for each pair of hosts: the destinations still tell flows apart.
    assert!(share_behind("source", "hosts", 9, own).abs_diff(400 / 9) < 6);
}

#[test]
fn one_flow_of_a_host_gets_as_much_as_eight_of_another() {
    let share = |isolate: &str| share_of_one(isolate, 9, |flow| [if flow == 1 { 1 } else { 2 }, 7]);
    assert!(share("flows").abs_diff(400 / 9) < 3, "{}", share("flows"));
    assert!(share("dual_srchost").abs_diff(200) < 12, "{}", share("dual_srchost"));
    assert!(share("dual_dsthost").abs_diff(400 / 9) < 6, "{}", share("dual_dsthost"));
    assert!(share("srchost").abs_diff(200) < 3, "{}", share("srchost"));
}

/// 1514 times 65535 are 1513 times 65536 and 64022 more: of two flows with packets of 1513 bytes each sends two a turn,
/// or one.
#[test]
fn linux_divides_by_one_too() {
    let order = |division: &str, rng: f64| {
        let rows = [("tins", "besteffort"), ("isolate", "flows"), ("division", division)];
        let mut queue = bench(&rows);
        queue.rng.0 = rng;
        for flow in [1, 1, 1, 2, 2, 2] {
            queue.arrive(0, Pkt { flow, size: 1513, ..Pkt::new(0) });
        }
        (0..4).map(|_| queue.depart(1).unwrap().flow).collect::<Vec<u64>>()
    };
    let share = 64_022.0 / 65_536.0;
    assert_eq!(order("sixteen_bits", share + 1e-9), [1, 2, 1, 2]);
    assert_eq!(order("sixteen_bits", share - 1e-9), [1, 1, 2, 2]);
    assert_eq!(order("exact", share + 1e-9), [1, 1, 2, 2]);
}

/// Acknowledgements of flow 1 by their numbers.
fn ack(next: u64) -> Pkt {
    let ack = Acknowledgement { next, pure: true, sack: 0, flags: 0 };
    Pkt { flow: 1, size: 40, ack: Some(ack), ..Pkt::new(0) }
}

#[test]
fn the_filter_leaves_two_acknowledgements_or_one() {
    for (filter, dropped) in [("off", &[][..]), ("conservative", &[0, 1]), ("aggressive", &[0, 1, 2])] {
        let mut queue = bench(&[("tins", "besteffort"), ("ack_filter", filter)]);
        [10, 20, 30, 40].iter().for_each(|&next| queue.arrive(0, ack(next)));
        assert_eq!(queue.dropped(), dropped, "{filter}");
    }
}

#[test]
fn the_filter_spares_what_a_sender_would_miss() {
    let with =
        |next, pure, flags| Pkt { ack: Some(Acknowledgement { next, pure, sack: 0, flags }), ..ack(0) };
    let mut queue = bench(&[("tins", "besteffort"), ("isolate", "flowblind"), ("ack_filter", "aggressive")]);
    // Packet 0 carries data, 1 an ECN echo, 2 is of another flow, 3 a duplicate of 4; only 5 makes 3 and 4 redundant,
    // and each arrival drops one.
    let other = Pkt { flow: 2, ..ack(5) };
    for pkt in [with(10, false, 0), with(10, true, 1), other, ack(20), ack(20), ack(30), with(40, false, 0)] {
        queue.arrive(0, pkt);
    }
    assert_eq!(queue.dropped(), [3, 4]);
}

/// Each row: acknowledgements with their ECN flags, and those that the filters drop.
#[test]
fn the_filter_keeps_a_change_of_ecn_flags() {
    let drops = |filter: &str, acks: &[(u64, u8)]| {
        let mut queue = bench(&[("tins", "besteffort"), ("ack_filter", filter)]);
        for &(next, flags) in acks {
            queue
                .arrive(0, Pkt { ack: Some(Acknowledgement { next, pure: true, sack: 0, flags }), ..ack(0) });
        }
        queue.dropped()
    };
    // The two marked ones say the same, so the first goes, though the newest has no mark.
    assert_eq!(drops("conservative", &[(10, 1), (20, 1), (30, 0)]), [0]);
    // Each change needs an acknowledgement of its own.
    assert_eq!(drops("conservative", &[(10, 0), (20, 1), (30, 0), (40, 1)]), []);
    assert_eq!(drops("aggressive", &[(10, 0), (20, 1), (30, 0), (40, 1)]), []);
}

#[test]
fn the_aggressive_filter_drops_a_single_one_only_next_to_the_newest() {
    for (between, dropped) in [(1, &[0][..]), (2, &[])] {
        let mut queue =
            bench(&[("tins", "besteffort"), ("isolate", "flowblind"), ("ack_filter", "aggressive")]);
        let packets = [ack(10), Pkt { flow: 2, ..Pkt::new(0) }, ack(20)];
        packets.iter().filter(|pkt| pkt.flow == 1 || between == 2).for_each(|&pkt| queue.arrive(0, pkt));
        assert_eq!(queue.dropped(), dropped);
    }
}

#[test]
fn washing_clears_the_class_after_it_chose_the_tin() {
    for (wash, class) in [("false", 46), ("true", 0)] {
        let mut queue = bench(&[("wash", wash), ("bandwidth", "8 Mbit/s")]);
        queue.arrive(0, Pkt::new(0));
        queue.arrive(0, Pkt { class: 46, ecn: Ecn::Ect0, ..Pkt::new(0) });
        let first = queue.depart(0).unwrap();
        assert_eq!((first.id, first.class, first.ecn), (1, class, Ecn::Ect0), "voice goes first");
    }
}

/// A packet leaves at 0 and takes 1000 µs. Of three that arrive at 10 µs one is dropped, which takes another 1000 µs in
/// ingress mode; but 1500 µs after the last one a packet leaves in any case.
#[test]
fn at_an_ingress_dropped_packets_have_used_the_link() {
    for (ingress, next) in [("false", 1_000), ("true", 1_500)] {
        let rows =
            [("tins", "besteffort"), ("bandwidth", "8 Mbit/s"), ("limit", "2 pkts"), ("ingress", ingress)];
        let mut queue = bench(&rows);
        queue.arrive(0, Pkt::new(0));
        assert!(queue.depart(0).is_some());
        (0..3).for_each(|_| queue.arrive(10, Pkt::new(0)));
        assert_eq!((queue.dropped(), queue.disc.ready()), (vec![1], Some(Time(next * 1000))));
    }
}

/// One host, many flows: a packet costs few turns for any number of flows, as each turn earns a whole quantum.
#[test]
fn flows_of_one_host_send_in_turn_whatever_their_number() {
    let mut queue = bench(&[("tins", "besteffort"), ("limit", "100000 pkts"), ("interval", "10 s")]);
    for _ in 0..3 {
        (0..200).for_each(|flow| queue.arrive(0, Pkt { flow, hosts: [1, 2], size: 1514, ..Pkt::new(0) }));
    }
    for round in 0..3 {
        let mut served: Vec<u64> = (0..200).map(|_| queue.depart(1).unwrap().flow).collect();
        served.sort_unstable();
        assert!(served.iter().enumerate().all(|(i, &flow)| flow == i as u64), "round {round}");
    }
}

#[test]
fn a_sparse_flow_goes_first() {
    let mut queue = bench(&[("tins", "besteffort")]);
    (0..20).for_each(|_| queue.arrive(0, Pkt { flow: 1, ..Pkt::new(0) }));
    (0..3).for_each(|_| assert_eq!(queue.depart(1).unwrap().flow, 1));
    queue.arrive(2, Pkt { flow: 2, size: 100, ..Pkt::new(0) });
    assert_eq!(queue.depart(2).unwrap().flow, 2);
}

#[test]
fn a_full_buffer_takes_the_head_of_the_longest_queue() {
    let mut queue = bench(&[("tins", "besteffort"), ("limit", "5 pkts")]);
    for flow in [1, 2, 2, 2, 3, 1] {
        queue.arrive(0, Pkt { flow, ..Pkt::new(0) });
    }
    assert_eq!(queue.dropped(), [1]);
}

#[test]
fn flows_have_queues_of_their_own_while_the_sets_last() {
    let mut queue = bench(&[("tins", "besteffort"), ("limit", "10000 pkts")]);
    (0..200).for_each(|flow| queue.arrive(0, Pkt { flow, ..Pkt::new(0) }));
    assert_eq!(queue.probe("active_flows"), 200.0);
}

#[test]
fn times_that_do_not_fit_are_refused() {
    let problems = refused::<Params>(&[("target", "200 ms")]);
    assert!(problems[0].contains("target"), "{problems:?}");
    assert_eq!(refused::<Params>(&[("overhead", "300 B")]).len(), 1);
}
