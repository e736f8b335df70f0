//! Arbitrary bytes as frames: the same steps as the fuzz target, without a fuzzer.
//!
//! `crates/forward/fuzz` runs the same under libFuzzer. A case it finds becomes a test here, with its bytes.

use crate::bytes::carry;
use etherparse::PacketBuilder;
use forward::offload::VNET_HEADER;
use proptest::prelude::*;

/// The kernel's description of a frame: flags, kind of super-packet, bytes of a segment, where the checksum begins.
fn vnet(flags: u8, kind: u8, segment: u16, start: u16) -> Vec<u8> {
    let mut head = vec![0; VNET_HEADER];
    head[0] = flags;
    head[1] = kind;
    for (at, value) in [(4, segment), (6, start), (8, 16)] {
        head[at..at + 2].copy_from_slice(&u16::to_ne_bytes(value));
    }
    head
}

/// Frames of every kind that is known: plain and super-packets, TCP and UDP, both versions, with and without Ethernet.
fn known() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for v6 in [false, true] {
        let ethernet = || PacketBuilder::ethernet2([1; 6], [2; 6]);
        let ip = || {
            if v6 {
                ethernet().ipv6([3; 16], [4; 16], 64)
            } else {
                ethernet().ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
            }
        };
        let (mut tcp, mut udp) = (Vec::new(), Vec::new());
        ip().tcp(1000, 80, 1, 1000).ack(1).write(&mut tcp, &[7; 3000]).unwrap();
        ip().udp(1000, 2000).write(&mut udp, &[7; 300]).unwrap();
        let (start, kind) = if v6 { (54, 4) } else { (34, 1) };
        all.push([vnet(1, kind, 1000, start), tcp.clone()].concat());
        all.push([vnet(0, 0, 0, 0), tcp].concat());
        all.push([vnet(1, 5, 100, start), udp.clone()].concat());
        all.push([vnet(0, 0, 0, 0), udp[14..].to_vec()].concat());
    }
    all
}

#[test]
fn known_frames_are_carried() {
    // Each with the kernel's offload header, and once more without: a super-packet of 3000 bytes is three segments, one
    // of UDP is refused. Packets that begin with their IP header are also read as Ethernet, of a type that is not IP.
    let taken: Vec<u64> = known().iter().map(|data| carry(data)).collect();
    assert_eq!(taken, [3 + 1, 1 + 1, 1, 2 + 2, 3 + 1, 1 + 1, 1, 2 + 2]);
}

proptest! {
    // `PROPTEST_CASES` chooses another number.
    #![proptest_config(ProptestConfig {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(512),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_are_carried_or_refused(data in prop::collection::vec(any::<u8>(), 0..400)) {
        carry(&data);
    }

    #[test]
    fn damaged_frames_are_carried_or_refused(
        which in 0usize..8, damage in prop::collection::vec((0usize..90, any::<u8>()), 1..6), cut in 0usize..3100,
    ) {
        let mut data = known().swap_remove(which);
        for (at, byte) in damage {
            data[at] = byte;
        }
        data.truncate(data.len().saturating_sub(cut / 2).max(cut.min(90)));
        carry(&data);
    }
}
