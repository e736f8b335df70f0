//! Web sessions and video over QUIC: completion times worked by hand, and the same objects as over TCP.

#[path = "common/sessions.rs"]
mod sessions;

use serde_json::Value;
use sessions::number;

fn summary(keys: &str, rate: &str, limit: u32, seconds: u32) -> Value {
    sessions::summary(&format!("[flows.f]\ntransport = \"quic\"\n{keys}"), rate, limit, seconds, 1)
}

fn mean_ms(summary: &Value) -> f64 {
    number(&summary["flows"][0]["objects"]["fct_ms_all"]["mean"])
}

/// Handshake of 1228 bytes (818 667 ns), its acknowledgement of 66 (44 000 ns), and 22 ms each way.
const HANDSHAKE_MS: f64 = 2.0 * 22.0 + 0.818667 + 0.044;
/// Ten full packets, and the last one's way.
const TEN_PACKETS_MS: f64 = 10.0 + 22.0;

#[test]
fn an_object_of_the_initial_window_takes_a_handshake_and_half_a_round_trip() {
    let outcome = summary("source = \"http\"\nsize = \"14360 B\"\nthink = \"1 s\"", "12 Mbit/s", 10_000, 5);
    assert!((mean_ms(&outcome) - HANDSHAKE_MS - TEN_PACKETS_MS).abs() < 1e-5, "{outcome}");
    let flow = &outcome["flows"][0];
    assert_eq!((&flow["objects"]["begun"], &flow["objects"]["completed"]), (&5.into(), &5.into()));
    // The handshake and ten packets for each object, on a connection of its own.
    assert_eq!((&flow["sent_pkts"], &flow["goodput_bytes"]), (&55.into(), &(5 * 14_360).into()));
    assert_eq!((&flow["transport"], &flow["retransmits"]), (&"quic".into(), &0.into()));
}

#[test]
fn a_kept_connection_and_early_data_save_the_handshake() {
    let page = "source = \"http\"\nsize = \"14360 B\"\nthink = \"1 s\"";
    let kept = summary(&format!("{page}\nconnection = \"session\""), "12 Mbit/s", 10_000, 2);
    assert!((mean_ms(&kept) - HANDSHAKE_MS / 2.0 - TEN_PACKETS_MS).abs() < 1e-5, "{kept}");
    let early = summary(&format!("{page}\nhandshake = \"0rtt\""), "12 Mbit/s", 10_000, 2);
    assert!((mean_ms(&early) - TEN_PACKETS_MS).abs() < 1e-5, "{early}");
}

/// An object that is no multiple of a packet takes as long as the next one that is.
#[test]
fn an_object_is_a_whole_number_of_packets() {
    let times = [1437, 2872].map(|bytes| {
        let keys = format!("source = \"http\"\nsize = \"{bytes} B\"\nthink = \"1 s\"");
        mean_ms(&summary(&keys, "12 Mbit/s", 10_000, 2))
    });
    assert_eq!(times[0], times[1]);
}

/// Packets of earlier connections are still in flight when the next one opens, and many are lost: every object arrives.
#[test]
fn objects_arrive_over_short_buffers() {
    let keys = "count = 6\nsource = \"http\"\nsize = \"60 kB\"\nthink = \"1 ms\"";
    let outcome = summary(keys, "5 Mbit/s", 8, 30);
    let flows = outcome["flows"].as_array().unwrap();
    for flow in flows {
        assert!(number(&flow["retransmits"]) > 10.0, "{flow}");
        let objects = &flow["objects"];
        assert!(number(&objects["begun"]) - number(&objects["completed"]) <= 1.0, "{objects}");
        assert!(number(&flow["goodput_bytes"]) >= 60_000.0 * number(&objects["completed"]), "{flow}");
    }
    let goodput: f64 = flows.iter().map(|flow| 8.0 * number(&flow["goodput_bytes"]) / 30.0).sum();
    assert!((3.5e6..4.8e6).contains(&goodput), "{goodput}");
}

/// Sessions in an open loop, with pages on several connections.
#[test]
fn pages_load_on_several_connections() {
    let keys = "source = \"http\"\nsessions = \"open\"\narrival = \"exponential 2 s\"\nconnection = \"page\"\nconnections = 6\nsize = \"30 kB\"\nembedded = 20\nembedded_size = \"20 kB\"";
    let outcome = summary(keys, "20 Mbit/s", 200, 60);
    let objects = &outcome["groups"]["f"]["objects"];
    let pages = number(&objects["page_ms"]["count"]);
    assert!(pages > 15.0 && number(&objects["completed"]) >= 21.0 * pages, "{objects}");
    // Three round trips of 44 ms and 430 kB at 20 Mbit/s bound a page from below.
    assert!((300.0..2000.0).contains(&number(&objects["page_ms"]["mean"])), "{objects}");
}

/// A viewer gets what the link carries.
#[test]
fn video_plays_without_stalls() {
    let outcome = summary("source = \"video\"\ncc = \"cubic\"", "12 Mbit/s", 100, 60);
    let video = &outcome["flows"][0]["video"];
    assert!(number(&video["chunks"]) > 10.0 && number(&video["bps_mean"]) > 1e6, "{video}");
    assert_eq!(video["stalls"], 0);
}
