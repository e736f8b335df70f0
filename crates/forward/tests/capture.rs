//! Captures, read by the crate `pcap-file`.
#![allow(missing_docs, clippy::unwrap_used, clippy::shadow_unrelated)]

mod common;

use common::{drain, feed, link, text, Arrival};
use forward::header::Layer;
use forward::pcapng::Capture;
use forward::pump::Pump;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use units::param::Value;

#[test]
fn drops_and_marks_can_be_seen() {
    let red = link(&[
        ("kind", text("red")),
        ("ecn", Value::Bool(true)),
        ("limit", text("12 pkts")),
        ("min_th", text("1 pkts")),
        ("max_th", text("10 pkts")),
        ("w_q", Value::Float(0.25)),
        ("max_p", Value::Float(0.5)),
    ]);
    let epoch = 1_700_000_000_000_000_000;
    let mut capture = Capture::new(Vec::new(), Layer::Ip, 96, epoch).unwrap();
    let mut pump = Pump::new(red, &[], 1, "queue/test");
    let arrivals: Vec<Arrival> = (0..200).map(|i| (600_000, i % 5, 1000, i % 3)).collect();
    feed(&mut pump, &arrivals, &mut capture);
    drain(&mut pump, &mut capture);
    let file = capture.finish().unwrap();

    let mut reader = PcapNgReader::new(&file[..]).unwrap();
    let (mut sent, mut dropped, mut marked, mut last) = (0, 0, 0, 0);
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block.unwrap() else { continue };
        let comment = packet.options.iter().find_map(|option| match option {
            EnhancedPacketOption::Comment(text) => Some(text.to_string()),
            _ => None,
        });
        assert_eq!((packet.data.len(), packet.original_len), (96, 1000));
        let now = packet.timestamp.as_nanos();
        assert!(now >= last, "in the order of time");
        last = now;
        if packet.interface_id == 1 {
            dropped += 1;
            assert!(comment.unwrap().starts_with("dropped ("));
        } else {
            sent += 1;
            let ce = packet.data[1] & 3 == 3;
            assert_eq!(ce, comment.is_some_and(|text| text.starts_with("marked CE (")));
            marked += u64::from(ce);
        }
    }
    assert_eq!((sent, dropped), (pump.measure.sent.pkts, pump.measure.drops()));
    // A packet that was marked may be dropped after all, where a discipline drops at the head: RED does not.
    assert_eq!(marked, pump.measure.marked);
    assert!(marked > 0 && dropped > 0);
}
