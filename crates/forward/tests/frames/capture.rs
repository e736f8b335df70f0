//! Captures, read by the crate `pcap-file`, and by Wireshark's `tshark` where it is installed.

use crate::common::{self, drain, feed, link, offer, text, Arrival};
use forward::header::Layer;
use forward::link::LinkSettings;
use forward::pcapng::Capture;
use forward::pump::Pump;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use std::process::Command;
use units::param::Value;
use units::Time;

/// A small RED queue that marks and drops.
fn small_red() -> LinkSettings {
    link(&[
        ("kind", text("red")),
        ("ecn", Value::Bool(true)),
        ("limit", text("12 pkts")),
        ("min_th", text("1 pkts")),
        ("max_th", text("10 pkts")),
        ("w_q", Value::Float(0.25)),
        ("max_p", Value::Float(0.5)),
    ])
}

#[test]
fn drops_and_marks_can_be_seen() {
    let epoch = 1_700_000_000_000_000_000;
    let mut capture = Capture::new(Vec::new(), Layer::Ip, 96, epoch).unwrap();
    let mut pump = Pump::new(small_red(), &[], 1, "queue/test");
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

/// An ECN-capable IPv6 packet.
fn udp6(size: usize) -> Vec<u8> {
    let mut frame = Vec::new();
    etherparse::PacketBuilder::ipv6([1; 16], [2; 16], 64)
        .udp(1000, 2000)
        .write(&mut frame, &vec![0; size - 48])
        .unwrap();
    frame[1] |= 0x20;
    frame
}

/// The packets of a capture as tshark prints them: for each its interface, its comment and its ECN field of IPv4 or
/// IPv6.
fn shown(path: &std::path::Path) -> Vec<[String; 4]> {
    let fields = ["frame.interface_name", "frame.comment", "ip.dsfield.ecn", "ipv6.tclass.ecn"];
    let mut command = Command::new("tshark");
    command.arg("-r").arg(path).args(["-o", "ip.check_checksum:TRUE", "-T", "fields", "-E", "separator=|"]);
    let done = command.args(fields.iter().flat_map(|field| ["-e", field])).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let rows = String::from_utf8(done.stdout).unwrap();
    rows.lines().map(|row| row.split('|').map(String::from).collect::<Vec<_>>().try_into().unwrap()).collect()
}

#[test]
fn wireshark_shows_drops_and_marks_of_both_versions() {
    if Command::new("tshark").arg("--version").output().is_err() {
        eprintln!("skipped: tshark is not installed");
        return;
    }
    let mut capture = Capture::new(Vec::new(), Layer::Ip, 2000, 1_700_000_000_000_000_000).unwrap();
    let mut pump = Pump::new(small_red(), &[], 1, "queue/test");
    for i in 0..200_u64 {
        let frame = if i % 2 == 0 { udp6(1000) } else { common::udp(1, 1000, 2) };
        offer(&mut pump, &frame, 0, Time(600_000 * i), &mut capture);
    }
    drain(&mut pump, &mut capture);
    let path = std::env::temp_dir().join(format!("dropcurve-capture-{}.pcapng", std::process::id()));
    std::fs::write(&path, capture.finish().unwrap()).unwrap();
    let rows = shown(&path);
    std::fs::remove_file(&path).unwrap();
    let count = |holds: &dyn Fn(&[String; 4]) -> bool| rows.iter().filter(|row| holds(row)).count() as u64;
    assert_eq!(count(&|row| row[0] == "sent"), pump.measure.sent.pkts);
    assert_eq!(count(&|row| row[0] == "dropped" && row[1].starts_with("dropped (")), pump.measure.drops());
    let marked = |row: &[String; 4]| row[1].starts_with("marked CE (");
    assert_eq!(count(&marked), pump.measure.marked);
    for version in [2, 3] {
        assert!(count(&|row| marked(row) && row[version] == "3") > 0, "CE in field {version}");
        assert_eq!(count(&|row| !marked(row) && row[version] == "3"), 0);
        assert!(count(&|row| row[0] == "dropped" && !row[version].is_empty()) > 0);
    }
}
