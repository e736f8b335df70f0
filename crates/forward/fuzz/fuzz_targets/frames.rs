//! Any bytes as frames: headers are read, marks are set, super-packets are cut, and the pump carries what is left.
#![no_main]

use forward::config;
use forward::header::{read, set_ce, Layer};
use forward::offload::{undo, Vnet, VNET_HEADER};
use forward::pump::{Frame, Pump};
use libfuzzer_sys::fuzz_target;
use units::Time;

fuzz_target!(|data: &[u8]| {
    let Some((vnet, bytes)) = data.split_first_chunk::<VNET_HEADER>() else { return };
    let mut parts = Vec::new();
    let _ = undo(Vnet::read(vnet), &mut bytes.to_vec(), |part| parts.push(part.to_vec()));
    parts.push(bytes.to_vec());
    let json = serde_json_link();
    let mut pump = Pump::new(config::read_link(&json).expect("a sound link"), &[], 1, "queue/fuzz");
    for (i, part) in parts.iter_mut().enumerate() {
        for layer in [Layer::Ip, Layer::Ethernet] {
            let Ok(header) = read(part, layer) else { continue };
            let frame = Frame { bytes: part, header, size: part.len() as u32, path: 0, token: 0 };
            pump.arrive(&frame, Time(i as u64), &mut ());
            if let Some(ip) = header.ip {
                set_ce(part, ip);
                assert_eq!(read(part, layer).map(|again| again.flow), Ok(header.flow));
            }
        }
    }
    pump.advance(Time::NEVER, &mut ());
    while let Some(delivery) = pump.deliver(Time::NEVER) {
        pump.delivered(&delivery);
    }
    assert_eq!(pump.store.held(), 0, "every frame is delivered or dropped");
});

fn serde_json_link() -> serde_json::Value {
    serde_json::json!({
        "queue": {"kind": "red", "ecn": true, "min_th": "1 pkts", "max_th": "3 pkts", "limit": "9 pkts"},
        "rate": "1 Mbit/s", "delay": "1 ms", "packet": "500 B"
    })
}
