//! Drives headers, offloads and the pump with arbitrary bytes as a frame: shared by the fuzz target and its test.

use forward::config;
use forward::header::{read, set_ce, Layer};
use forward::link::LinkSettings;
use forward::offload::{undo, Vnet, VNET_HEADER};
use forward::pump::{Frame, Pump};
use std::sync::OnceLock;
use units::Time;

/// Parses headers, sets marks, cuts super-packets and hands the segments to the pump; returns the number of frames it
/// took.
pub fn carry(data: &[u8]) -> u64 {
    static LINK: OnceLock<LinkSettings> = OnceLock::new();
    let Some((vnet, bytes)) = data.split_first_chunk::<VNET_HEADER>() else { return 0 };
    let mut parts = Vec::new();
    // A frame that cannot be cut is refused; that is no failure.
    let _ = undo(Vnet::read(vnet), &mut bytes.to_vec(), |part| parts.push(part.to_vec()));
    assert!(parts.iter().all(|part| part.len() <= bytes.len()), "no part is larger than the whole");
    parts.push(bytes.to_vec());
    let mut pump = Pump::new(LINK.get_or_init(small_link).clone(), &[], 1, "queue/fuzz");
    for (i, part) in parts.iter_mut().enumerate() {
        for layer in [Layer::Ip, Layer::Ethernet] {
            let Ok(header) = read(part, layer) else { continue };
            let frame = Frame { bytes: part, header, size: part.len() as u32, path: 0, token: 0 };
            pump.arrive(&frame, Time(i as u64), &mut ());
            if let Some(ip) = header.ip {
                set_ce(part, ip);
                assert_eq!(
                    read(part, layer).map(|again| again.flow),
                    Ok(header.flow),
                    "a mark does not change the flow"
                );
            }
        }
    }
    pump.advance(Time(u64::MAX / 2), &mut ());
    while let Some(delivery) = pump.deliver(Time(u64::MAX / 2)) {
        pump.delivered(&delivery);
    }
    assert_eq!(pump.store.held(), 0, "every frame is delivered or dropped");
    pump.measure.arrived.pkts
}

fn small_link() -> LinkSettings {
    let json = serde_json::json!({
        "queue": {"kind": "red", "ecn": true, "min_th": "1 pkts", "max_th": "3 pkts", "limit": "9 pkts"},
        "rate": "1 Mbit/s", "delay": "1 ms", "packet": "500 B"
    });
    config::read_link(&json).expect("a sound link")
}
