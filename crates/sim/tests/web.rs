//! Web sessions in the simulator: completion times worked by hand, slow-start theory, renewal theory of both loops.

#[path = "common/sessions.rs"]
mod sessions;

use serde_json::Value;
use sessions::number;

fn summary(flows: &str, rate: &str, seconds: u32, seed: u64) -> Value {
    sessions::summary(&format!("[flows.web]\nsource = \"http\"\n{flows}"), rate, 10_000, seconds, seed)
}

/// One object of ten segments: the SYN and its answer (40 bytes, 26 667 ns each way), ten milliseconds of data, 22 ms
/// to go.
#[test]
fn an_object_of_the_initial_window_takes_a_handshake_and_half_a_round_trip() {
    let outcome = summary("size = \"14600 B\"\nthink = \"1 s\"", "12 Mbit/s", 5, 1);
    let objects = &outcome["flows"][0]["objects"];
    let exact = 2.0 * (22.0 + 0.026667) + 10.0 + 22.0;
    for class in ["all", "medium"] {
        let times = &objects[format!("fct_ms_{class}")];
        assert!(
            (number(&times["mean"]) - exact).abs() < 1e-5 && (number(&times["max"]) - exact).abs() < 1e-5,
            "{times}"
        );
    }
    // A cycle ends with the last acknowledgement, a second of thought follows: 0, 1.098, 2.196, 3.294, 4.392 s.
    assert_eq!((objects["begun"].as_u64(), objects["completed"].as_u64()), (Some(5), Some(5)));
    assert_eq!(outcome["flows"][0]["goodput_bytes"], 5 * 14_600);
    assert_eq!(objects["fct_ms_short"]["count"], 0);
}

/// A connection that is kept needs no second handshake and keeps its window.
#[test]
fn a_kept_connection_saves_the_handshake() {
    let flows = "size = \"14600 B\"\nthink = \"1 s\"\nconnection = \"session\"";
    let outcome = summary(flows, "12 Mbit/s", 2, 1);
    let times = &outcome["flows"][0]["objects"]["fct_ms_all"];
    let (first, second) = (76.053334, 10.0 + 22.0);
    assert_eq!(times["count"], 2);
    assert!((number(&times["mean"]) - (first + second) / 2.0).abs() < 1e-5, "{times}");
}

/// Slow start without loss: windows of 10, 20, 40 … segments, one a round trip, after one for the handshake. On a link
/// of 10 Gbit/s the last window takes half a round trip more and next to no time to send.
#[test]
fn completion_times_follow_slow_start() {
    let rtt = 44.0;
    for (segments, rounds) in
        [(1, 1), (10, 1), (11, 2), (30, 2), (31, 3), (70, 3), (71, 4), (150, 4), (151, 5)]
    {
        let flows = format!("size = \"{} B\"\nack_every = 1\nthink = \"10 s\"", segments * 1460);
        let outcome = summary(&flows, "10 Gbit/s", 3, 1);
        let time = number(&outcome["flows"][0]["objects"]["fct_ms_all"]["mean"]);
        let theory = rtt + f64::from(rounds - 1) * rtt + rtt / 2.0;
        assert!(time >= theory && time < theory + 1.0, "{segments} segments: {time} ms, {theory} by theory");
    }
}

/// Closed loop: 40 users, each cycle a constant time to the last acknowledgement and an exponential time to think.
#[test]
fn closed_loop_objects_are_a_renewal_process() {
    let keys = "count = 40\nsize = \"14600 B\"\nthink = \"exponential 400 ms\"\nack_every = 1\nstart = \"uniform 0 s to 1 s\"";
    let outcome = summary(keys, "10 Gbit/s", 100, 7);
    let flows = outcome["flows"].as_array().unwrap();
    let begun: f64 = flows.iter().map(|flow| number(&flow["objects"]["begun"])).sum();
    let cycle: f64 = 0.4 + 0.088;
    // Renewals in t: mean t / cycle, variance t sd^2 / cycle^3; half a second of each user's time goes by before the
    // start.
    let (mean, sd) = (40.0 * 99.5 / cycle, (40.0 * 99.5 * 0.4f64.powi(2) / cycle.powi(3)).sqrt());
    assert!((begun - mean).abs() < 5.0 * sd, "{begun} objects, {mean} ± {sd} expected");
}

/// Open loop: as many sessions as arrive, Poisson, and twice the pages; flows are used again, and nothing is lost in
/// the sums.
#[test]
fn open_loop_sessions_arrive_whatever_happens() {
    let keys = "count = 2\nsessions = \"open\"\narrival = \"exponential 20 ms\"\npages = 2\nthink = \"50 ms\"\nsize = \"7300 B\"\nembedded = 1";
    let outcome = summary(keys, "100 Mbit/s", 60, 5);
    let flows = outcome["flows"].as_array().unwrap();
    assert_eq!(flows.len(), 2);
    let (mut begun, mut done, mut goodput) = (0.0, 0.0, 0.0);
    for flow in flows {
        begun += number(&flow["objects"]["begun"]);
        done += number(&flow["objects"]["completed"]);
        goodput += number(&flow["goodput_bytes"]);
        assert_eq!(flow["retransmits"], 0);
        assert_eq!(flow["received_pkts"], flow["delay_ms"]["count"]);
    }
    // 100 sessions a second of four objects; the last ones are not done.
    let (mean, sd) = (6000.0 * 4.0, 6000f64.sqrt() * 4.0);
    assert!((begun - mean).abs() < 5.0 * sd, "{begun} objects, {mean} ± {sd} expected");
    assert!(begun - done < 300.0 && begun >= done, "{begun} begun, {done} done");
    assert!((goodput - done * 7300.0).abs() < 200.0 * 7300.0, "{goodput}");
    let group = &outcome["groups"]["web"]["objects"];
    assert_eq!(number(&group["completed"]), done);
}

/// Above the capacity an open loop fills the link, and a closed loop of few users cannot.
#[test]
fn the_loops_differ_under_overload() {
    let open = "sessions = \"open\"\narrival = \"exponential 10 ms\"\nsize = \"30 kB\"";
    let closed = "count = 3\nsize = \"30 kB\"\nthink = \"exponential 1 s\"";
    let mean = |flows: &str| {
        number(&summary(flows, "12 Mbit/s", 20, 3)["groups"]["web"]["objects"]["fct_ms_all"]["mean"])
    };
    let (open, closed) = (mean(open), mean(closed));
    assert!(open > 10.0 * closed, "{open} ms, {closed} ms");
}

/// A page over two connections, by hand: a document of ten segments, then one object on the same connection and one on
/// another, whose handshake begins with the last acknowledgement of the document. Each way takes 22 ms, and 40 bytes
/// 26 667 ns.
#[test]
fn a_page_over_two_connections_takes_three_round_trips_and_a_half() {
    let keys = "sessions = \"open\"\narrival = \"300 ms\"\nconnection = \"page\"\nconnections = 2\nsize = \"14600 B\"\nembedded = 2\nembedded_size = \"1460 B\"\nack_every = 1";
    let outcome = summary(keys, "12 Mbit/s", 1, 1);
    let objects = &outcome["flows"][0]["objects"];
    let exact = 5.0 * 22.026667 + 10.0 + 2.0 * 22.0 + 1.0;
    for part in ["mean", "max"] {
        assert!((number(&objects["page_ms"][part]) - exact).abs() < 1e-5, "{objects}");
    }
    assert_eq!(objects["page_ms"]["count"], 2);
    assert_eq!((objects["begun"].as_u64(), objects["completed"].as_u64()), (Some(9), Some(7)));
    assert_eq!(outcome["groups"]["web"]["objects"]["page_ms"], objects["page_ms"]);
}

/// On one connection the objects come one after the other, and the page ends with the last of them.
#[test]
fn a_page_on_one_connection_ends_with_its_last_object() {
    let keys = "sessions = \"open\"\narrival = \"300 ms\"\nconnection = \"page\"\nsize = \"14600 B\"\nembedded = 2\nembedded_size = \"1460 B\"\nack_every = 1";
    let outcome = summary(keys, "12 Mbit/s", 1, 1);
    let exact = 2.0 * 22.026667 + 10.0 + 22.0 + 2.0 * (22.026667 + 1.0 + 22.0);
    let pages = &outcome["flows"][0]["objects"]["page_ms"];
    assert!((number(&pages["mean"]) - exact).abs() < 1e-5 && pages["count"] == 2, "{pages}");
}

/// Six connections share a long page: faster than one alone, and no object is lost in the sums.
#[test]
fn more_connections_load_a_page_sooner() {
    let page = |connections: u32| {
        let keys = format!("sessions = \"open\"\narrival = \"exponential 2 s\"\nconnection = \"page\"\nconnections = {connections}\nsize = \"30 kB\"\nembedded = 20\nembedded_size = \"20 kB\"");
        let outcome = summary(&keys, "20 Mbit/s", 60, 3);
        let objects = outcome["groups"]["web"]["objects"].clone();
        assert!(number(&objects["completed"]) >= 21.0 * number(&objects["page_ms"]["count"]), "{objects}");
        number(&objects["page_ms"]["mean"])
    };
    let (one, six) = (page(1), page(6));
    assert!(six < 0.5 * one, "{six} ms, {one} ms");
}
