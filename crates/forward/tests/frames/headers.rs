//! Headers, marks and super-packets, compared with the crate `etherparse`.

use crate::common;
use etherparse::{Ipv4HeaderSlice, NetSlice, PacketBuilder, SlicedPacket, TransportSlice};
use forward::checksum;
use forward::header::{read, set_ce, Layer, Refusal, Version};
use forward::offload::{oversize, undo, Vnet, VNET_HEADER};
use proptest::prelude::*;
use units::Ecn;

fn tcp(v6: bool, flags_last: bool, payload: &[u8]) -> Vec<u8> {
    let ethernet = PacketBuilder::ethernet2([1; 6], [2; 6]);
    let ip = if v6 {
        ethernet.ipv6([3; 16], [4; 16], 64)
    } else {
        ethernet.ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
    };
    let mut step = ip.tcp(1000, 2000, u32::MAX - 2000, 500).ack(77);
    if flags_last {
        step = step.fin().psh();
    }
    let mut frame = Vec::new();
    step.options_raw(&[1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]).unwrap().write(&mut frame, payload).unwrap();
    frame
}

#[test]
fn ecn_class_and_flow_are_read() {
    for (bits, ecn) in [(0, Ecn::NotEct), (1, Ecn::Ect1), (2, Ecn::Ect0), (3, Ecn::Ce)] {
        let mut frame = common::udp(1, 100, bits);
        frame[1] |= 0xb8; // DSCP 46, expedited forwarding: precedence 5
        let header = read(&frame, Layer::Ip).unwrap();
        assert_eq!((header.ecn, header.class, header.fragment), (ecn, 5, false));
    }
    let flow = |frame: &[u8]| read(frame, Layer::Ip).unwrap().flow;
    let (one, other) = (common::udp(1, 100, 0), common::udp(2, 100, 0));
    assert_eq!(flow(&one), flow(&common::udp(1, 999, 2)), "size and ECN are not part of a flow");
    assert_ne!(flow(&one), flow(&other));
    let mut ports = one.clone();
    ports[21] ^= 1;
    assert_ne!(flow(&one), flow(&ports));
}

#[test]
fn all_fragments_of_a_packet_are_one_flow() {
    let (mut first, mut second) = (common::udp(1, 100, 0), common::udp(1, 100, 0));
    first[6] = 0x20; // more fragments
    second[7] = 9; // offset
    second[20] = 99; // payload where the ports would be
    let (first, second) = (read(&first, Layer::Ip).unwrap(), read(&second, Layer::Ip).unwrap());
    assert!(first.fragment && second.fragment);
    assert_eq!(first.flow, second.flow);
}

#[test]
fn ipv6_extension_headers_are_looked_through() {
    let mut plain = Vec::new();
    PacketBuilder::ipv6([3; 16], [4; 16], 64).udp(1000, 2000).write(&mut plain, &[0; 20]).unwrap();
    let mut extended = plain.clone();
    extended[6] = 60; // destination options
    extended[5] += 8;
    extended.splice(40..40, [17, 0, 1, 4, 0, 0, 0, 0]);
    let (plain, extended) = (read(&plain, Layer::Ip).unwrap(), read(&extended, Layer::Ip).unwrap());
    assert_eq!(plain.flow, extended.flow);
    assert_eq!(plain.ip, Some((0, Version::V6)));
}

#[test]
fn vlan_tags_are_looked_through_and_other_types_are_not_ip() {
    let frame = tcp(false, false, &[0; 10]);
    let mut tagged = frame.clone();
    tagged.splice(12..12, [0x88, 0xa8, 0, 5, 0x81, 0, 0, 6]);
    let header = read(&tagged, Layer::Ethernet).unwrap();
    assert_eq!(header.ip, Some((22, Version::V4)));
    assert_eq!(header.flow, read(&frame, Layer::Ethernet).unwrap().flow);
    let mut arp = vec![0xff; 60];
    arp[12..14].copy_from_slice(&[8, 6]);
    let header = read(&arp, Layer::Ethernet).unwrap();
    assert_eq!((header.ip, header.ecn), (None, Ecn::NotEct));
}

#[test]
fn invalid_packets_are_refused_by_rule() {
    let good = common::udp(1, 100, 0);
    let refused = |frame: &[u8], layer| read(frame, layer).unwrap_err();
    assert_eq!(refused(&[], Layer::Ip), Refusal::Runt);
    assert_eq!(refused(&good[..19], Layer::Ip), Refusal::Runt);
    assert_eq!(refused(&[0; 13], Layer::Ethernet), Refusal::Runt);
    assert_eq!(refused(&good[..99], Layer::Ip), Refusal::Malformed, "shorter than it says");
    let mut wrong = good.clone();
    wrong[0] = 0x44;
    assert_eq!(refused(&wrong, Layer::Ip), Refusal::Malformed, "a header of 16 bytes");
    wrong[0] = 0x55;
    assert_eq!(refused(&wrong, Layer::Ip), Refusal::Malformed, "version 5");
    assert!(oversize(&good, Layer::Ip, 99) && !oversize(&good, Layer::Ip, 100));
    let tagged = [&[0; 12][..], &[0x81, 0, 0, 1, 8, 0], &good].concat();
    assert!(!oversize(&tagged, Layer::Ethernet, 100), "a VLAN tag is no part of the MTU");
}

fn vnet(kind: u8, segment: u16, start: u16, offset: u16) -> Vnet {
    let mut bytes = [0; VNET_HEADER];
    bytes[0] = 1;
    bytes[1] = kind;
    for (at, value) in [(4, segment), (6, start), (8, offset)] {
        bytes[at..at + 2].copy_from_slice(&value.to_ne_bytes());
    }
    Vnet::read(&bytes)
}

fn checked<'a>(frame: &'a [u8]) -> SlicedPacket<'a> {
    let sliced = SlicedPacket::from_ethernet(frame).unwrap();
    let Some(TransportSlice::Tcp(tcp)) = &sliced.transport else { panic!("TCP") };
    match sliced.net.as_ref().unwrap() {
        NetSlice::Ipv4(ip) => {
            let header = ip.header().to_header();
            assert_eq!(header.header_checksum, header.calc_header_checksum());
            let sum = tcp.to_header().calc_checksum_ipv4(&header, tcp.payload()).unwrap();
            assert_eq!(tcp.checksum(), sum);
        }
        NetSlice::Ipv6(ip) => {
            let sum = tcp.to_header().calc_checksum_ipv6(&ip.header().to_header(), tcp.payload()).unwrap();
            assert_eq!(tcp.checksum(), sum);
        }
        NetSlice::Arp(_) => panic!("not ARP"),
    }
    sliced
}

#[test]
fn a_super_packet_is_cut_as_a_card_would() {
    let payload: Vec<u8> = (0..3000u32).map(|i| i as u8).collect();
    for v6 in [false, true] {
        let mut frame = tcp(v6, true, &payload);
        let tcp_at = if v6 { 54 } else { 34 };
        frame[tcp_at + 13] |= 0x80; // CWR
        let kind = (if v6 { 4 } else { 1 }) | 0x80;
        let mut parts = Vec::new();
        undo(vnet(kind, 1448, tcp_at as u16, 16), &mut frame, |part| parts.push(part.to_vec())).unwrap();
        let slices: Vec<_> = parts.iter().map(|part| checked(part)).collect();
        let mut whole = Vec::new();
        for (i, slice) in slices.iter().enumerate() {
            let Some(TransportSlice::Tcp(tcp)) = &slice.transport else { panic!("TCP") };
            assert_eq!(tcp.sequence_number(), (u32::MAX - 2000).wrapping_add(1448 * i as u32));
            assert_eq!((tcp.fin(), tcp.psh(), tcp.cwr()), (i == 2, i == 2, i == 0));
            assert_eq!(tcp.options(), [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
            whole.extend_from_slice(tcp.payload());
        }
        assert_eq!(slices.len(), 3);
        assert_eq!(whole, payload);
    }
}

#[test]
fn an_open_checksum_is_completed() {
    let mut frame = tcp(false, false, &[7; 501]);
    let whole = frame.clone();
    // The host leaves the rest of the checksum to its card: the field has the sum over the pseudo-header.
    let pseudo = checksum::sum(&frame[26..34], 6 + (frame.len() - 34) as u32);
    frame[50..52].copy_from_slice(&(!checksum::finish(pseudo)).to_be_bytes());
    let mut out = Vec::new();
    undo(vnet(0, 0, 34, 16), &mut frame, |part| out = part.to_vec()).unwrap();
    assert_eq!(out, whole);
}

#[test]
fn super_packets_without_a_segmentation_are_refused_whole() {
    let mut frame = tcp(false, false, &[0; 3000]);
    let mut count = 0;
    for (kind, segment) in [(3, 1448), (5, 1448), (1, 0), (9, 100)] {
        assert_eq!(undo(vnet(kind, segment, 34, 16), &mut frame, |_| count += 1), Err(Refusal::Oversize));
    }
    assert_eq!(undo(vnet(0, 0, 60000, 16), &mut frame, |_| count += 1), Err(Refusal::Malformed));
    assert_eq!(count, 0);
}

proptest! {
    #[test]
    fn a_mark_changes_the_field_and_keeps_the_checksum_right(
        tos: u8, id: u16, ttl: u8, source: [u8; 4], to: [u8; 4], options in 0usize..11,
    ) {
        let mut header = etherparse::Ipv4Header::new(0, ttl, etherparse::IpNumber::UDP, source, to).unwrap();
        header.identification = id;
        header.options = etherparse::Ipv4Options::try_from(&[1u8; 40][..4 * options.min(10)]).unwrap();
        let mut frame = Vec::new();
        header.write(&mut frame).unwrap();
        frame[1] = tos;
        let sum = Ipv4HeaderSlice::from_slice(&frame).unwrap().to_header().calc_header_checksum();
        frame[10..12].copy_from_slice(&sum.to_be_bytes());
        let before = frame.clone();
        set_ce(&mut frame, (0, Version::V4));
        let marked = Ipv4HeaderSlice::from_slice(&frame).unwrap().to_header();
        prop_assert_eq!(marked.header_checksum, marked.calc_header_checksum());
        prop_assert_eq!(frame[1], tos | 3);
        frame[1] = tos;
        frame[10..12].copy_from_slice(&before[10..12]);
        prop_assert_eq!(frame, before);
    }

    #[test]
    fn a_mark_of_ipv6_changes_two_bits(class: u8, label in 0u32..1 << 20) {
        let mut frame = Vec::new();
        PacketBuilder::ipv6([1; 16], [2; 16], 3).udp(1, 2).write(&mut frame, &[]).unwrap();
        frame[..4].copy_from_slice(&(6 << 28 | u32::from(class) << 20 | label).to_be_bytes());
        set_ce(&mut frame, (0, Version::V6));
        let head = u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]);
        prop_assert_eq!(head, 6 << 28 | u32::from(class | 3) << 20 | label);
        prop_assert_eq!(read(&frame, Layer::Ip).unwrap().ecn, Ecn::Ce);
    }

    /// Any bytes: no panic, and a mark stays within the header.
    #[test]
    fn no_bytes_make_it_panic(
        mut bytes in proptest::collection::vec(any::<u8>(), 0..200),
        begin in prop_oneof![Just(None), Just(Some(0x45u8)), Just(Some(0x60)), any::<u8>().prop_map(Some)],
        ether in prop_oneof![Just(0x0800u16), Just(0x86dd), Just(0x8100), any::<u16>()],
        vnet_bytes: [u8; VNET_HEADER],
    ) {
        for layer in [Layer::Ip, Layer::Ethernet] {
            let at = if layer == Layer::Ip { 0 } else { 14 };
            if let (Some(begin), true) = (begin, bytes.len() > at) {
                bytes[at] = begin;
            }
            if layer == Layer::Ethernet && bytes.len() > 14 {
                bytes[12..14].copy_from_slice(&ether.to_be_bytes());
            }
            if let Ok(header) = read(&bytes, layer) {
                if let Some(ip) = header.ip {
                    let before = bytes.clone();
                    set_ce(&mut bytes, ip);
                    prop_assert_eq!(&bytes[ip.0 + 12..], &before[ip.0 + 12..]);
                    prop_assert_eq!(read(&bytes, layer).unwrap().flow, header.flow);
                }
            }
            let mut total = 0;
            let length = bytes.len();
            let _ = undo(Vnet::read(&vnet_bytes), &mut bytes.clone(), |part| {
                total += part.len();
                assert!(part.len() <= length);
            });
            let _ = oversize(&bytes, layer, 1500);
        }
    }
}
