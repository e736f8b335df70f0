//! The fast engine against the plain one, bit by bit, over random networks.

use proptest::prelude::*;
use serde_json::Value;
use sim::fast::{FastPath, FastPaths};
use sim::scenario::{catalogue, Scenario};
use sim::{run, Engine, Options};

/// The first difference of two reports, shortened; `None` if they are equal.
fn difference(a: &Value, b: &Value, path: &str) -> Option<String> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys());
            keys.into_iter().find_map(|key| {
                let nothing = Value::Null;
                difference(
                    a.get(key).unwrap_or(&nothing),
                    b.get(key).unwrap_or(&nothing),
                    &format!("{path}.{key}"),
                )
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (a, b))| difference(a, b, &format!("{path}[{i}]")))
        }
        _ if a == b => None,
        _ => Some(format!("{path}: {} and {}", short(a), short(b))),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

/// Everything a run reports, in the fast engine and in the plain one, without the count of events. The fast engine
/// without one of its paths, chosen by the seed, must report the same.
fn both(text: &str, seed: u64) -> (Value, Value) {
    let scenario = Scenario::parse(text).unwrap_or_else(|problems| panic!("{text}\n{problems:?}"));
    let plan = scenario.plan();
    let report = |engine, without| {
        let outcome = run(&plan, seed, &Options { engine, without, series: true, ..Options::default() });
        let mut summary = outcome.summary(&plan, "");
        summary["events"] = Value::Null;
        for series in outcome.series(&plan) {
            summary["series"][series.name][&series.component] = series.value.into();
        }
        summary
    };
    let fast = report(Engine::Fast, FastPaths::NONE);
    let path = FastPath::ALL[(seed % FastPath::ALL.len() as u64) as usize];
    let partial = difference(&fast, &report(Engine::Fast, FastPaths::NONE.with(path)), "");
    assert_eq!(partial, None, "with and without {}", path.name());
    (fast, report(Engine::Plain, FastPaths::NONE))
}

fn dumbbell(rate: u32, delay: u32, access: u32, flows: u32, udp: u32, queue: &str) -> String {
    format!(
        r#"
        title = "modes"
        [run]
        duration = "6 s"
        warmup = "1 s"
        [dumbbell]
        rate = "{rate} kbit/s"
        delay = "{delay} ms"
        access_rate = "{access} Mbit/s"
        access_delay = "even 1 ms to 4 ms"
        [queue]
        {queue}
        [flows.tcp]
        count = {flows}
        transport = "tcp"
        start = "uniform 0 s to 1 s"
        [flows.udp]
        count = {udp}
        transport = "udp"
        source = "cbr"
        rate = "{share} kbit/s"
        packet = "500 B"
        "#,
        share = (rate / 5).max(8)
    )
}

/// Web sessions in closed and open loops, with and without persistent connections, next to a long transfer.
fn web(rate: u32, queue: &str, connection: &str, users: u32) -> String {
    let text = dumbbell(rate, 10, 20, 1, 1, queue);
    format!(
        r#"{text}
        [flows.closed]
        count = {users}
        source = "http"
        size = "pareto 8 kB shape 1.3"
        think = "exponential 100 ms"
        embedded = "exponential 2"
        connection = "{connection}"
        [flows.open]
        count = 2
        source = "http"
        sessions = "open"
        arrival = "exponential 150 ms"
        pages = "exponential 2"
        think = "exponential 80 ms"
        size = "lognormal 10 kB sd 20 kB"
        connection = "{connection}"
        handshake = "none"
        "#
    )
}

/// The same sessions over QUIC.
fn over_quic(text: &str) -> String {
    text.replace("source = \"http\"", "transport = \"quic\"\nsource = \"http\"")
        .replace("handshake = \"none\"", "handshake = \"0rtt\"")
}

/// Pages over several connections each.
fn pages(connections: u32) -> String {
    format!(
        r#"[flows.pages]
        count = 2
        source = "http"
        model = "browser"
        connections = {connections}
        arrival = "exponential 300 ms"
        embedded_size = "lognormal 3 kB sd 6 kB"
        parse = "exponential 5 ms"
        "#
    )
}

/// Both directions lose in bursts, delay, reorder and duplicate packets, or send at transmission opportunities.
fn faulty(rate: u32, queue: &str, forward: &str, back: &str) -> String {
    let keys = format!("access_rate = \"20 Mbit/s\"\n{forward}\n[dumbbell.back]\n{back}");
    let text = dumbbell(rate, 10, 20, 3, 1, queue).replace("access_rate = \"20 Mbit/s\"\n", "@@");
    let (head, tail) = text.split_once("@@").expect("the key is there");
    // The lines after the replaced key belong to the section before the inserted one.
    let (delay, rest) = tail.split_once("[queue]").expect("a queue follows");
    format!(
        r#"{head}{delay}{keys}
        [queue]{rest}
        [flows.tfrc]
        count = 2
        transport = "tfrc"
        start = "uniform 0 s to 1 s"
        [flows.web]
        source = "http"
        sessions = "open"
        arrival = "exponential 300 ms"
        [flows.keys]
        source = "telnet"
        gap = "exponential 50 ms"
        [flows.video]
        source = "video"
        chunk = "500 ms"
        buffer = "2 s"
        [flows.quic]
        transport = "quic"
        source = "http"
        sessions = "open"
        arrival = "exponential 300 ms"
        [flows.quic_video]
        transport = "quic"
        source = "video"
        chunk = "500 ms"
        buffer = "2 s"
        [flows.voice]
        transport = "udp"
        source = "voice"
        "#
    )
}

const FAULTS: [&str; 6] = [
    "",
    "burst_begin = 0.01\nburst_end = 0.3\nloss = 0.002\ndrop = [20, 41]\nmark = [9, 60]",
    "jitter = \"exponential 3 ms\"\novertaking = true",
    "jitter = \"uniform 0 ms to 4 ms\"",
    "reorder = 0.05\nreorder_by = \"7 ms\"\nduplicate = 0.05",
    "opportunities_ms = [1, 1, 2, 5, 9, 10, 11, 30, 31, 32, 33, 34]\nloss = 0.01",
];

#[test]
fn a_single_flow_where_every_link_is_private() {
    let text = dumbbell(2000, 10, 10, 1, 1, "kind = \"droptail\"\nlimit = \"20 pkts\"").replace(
        "count = 1\n        transport = \"udp\"",
        "count = 1\n        transport = \"udp\"\n        start = \"3 s\"",
    );
    let (fast, plain) = both(&text, 1);
    assert_eq!(difference(&fast, &plain, ""), None);
    assert!(fast["flows"][0]["received_pkts"].as_u64().unwrap() > 500);
}

/// A dumbbell with a large bandwidth-delay product, on which the lookahead is switched on.
fn long_fat(rate: u32, delay: u32, flows: u32, udp: u32) -> String {
    let queue = "kind = \"red\"\nlimit = \"200 pkts\"\nmin_th = \"10 pkts\"\nmax_th = \"40 pkts\"";
    dumbbell(rate, delay, rate / 100, flows, udp, queue).replace("1 ms to 4 ms", "1 ms to 14 ms")
}

/// A limit of events is kept to the event, wherever in a window it is reached.
#[test]
fn a_limit_of_events_ends_a_lookahead_window() {
    for events in [1_100, 30_000, 66_001] {
        let text = long_fat(60_000, 20, 20, 1).replace("[run]", &format!("[run]\nmax_events = {events}"));
        let plan = Scenario::parse(&text).unwrap().plan();
        let outcome = run(&plan, 1, &Options::default());
        assert_eq!((outcome.stopped_by.name(), outcome.events), ("events", events));
    }
}

/// The lookahead is switched off if the event queue has much to do for long enough: the timers of these sources are
/// over a million events.
#[test]
fn lookahead_that_is_switched_off() {
    let (fast, plain) = both(&long_fat(800_000, 20, 20, 3), 1);
    assert_eq!(difference(&fast, &plain, ""), None);
}

/// Some flows cross further links, which they share: their packets go from link to link through the event queue.
#[test]
fn lookahead_with_links_that_take_no_part() {
    let text = r#"
        title = "modes"
        [run]
        duration = "6 s"
        warmup = "1 s"
        [chain]
        hops = 3
        rate = "60 Mbit/s"
        delay = "20 ms"
        access_delay = "even 1 ms to 4 ms"
        [queue]
        kind = "red"
        limit = "200 pkts"
        min_th = "10 pkts"
        max_th = "40 pkts"
        [flows.near]
        count = 12
        to = 2
        start = "uniform 0 s to 1 s"
        [flows.far]
        count = 3
        from = 2
        start = "uniform 0 s to 1 s"
        [flows.farthest]
        count = 2
        from = 3
        start = "uniform 0 s to 1 s"
    "#;
    let (fast, plain) = both(text, 1);
    assert_eq!(difference(&fast, &plain, ""), None);
}

/// Several flows through access links that are slower than the bottleneck.
#[test]
fn access_links_that_are_slower_than_the_bottleneck() {
    let text = dumbbell(8458, 7, 2, 3, 2, QUEUES[0]);
    let (fast, plain) = both(&text, 7_519_826_934_371_148_836);
    assert_eq!(difference(&fast, &plain, ""), None);
}

/// Access links that overflow. Six packets are as much as 9 kB of full ones, but only a limit in packets is
/// specialised.
#[test]
fn access_links_that_drop() {
    let with = |limit: &str| {
        let own = format!("access_queue = \"{limit}\"\n        access_rate");
        both(&dumbbell(8458, 7, 2, 3, 1, QUEUES[0]).replace("access_rate", &own), 1)
    };
    let ((specialised, plain), (general, _)) = (with("6 pkts"), with("9 kB"));
    assert_eq!(difference(&specialised, &plain, ""), None);
    assert_eq!(difference(&specialised, &general, ""), None);
    assert!(specialised["conservation"][0]["dropped"]["pkts"].as_u64().unwrap() > 0);
    assert_eq!(specialised["links"]["bottleneck"]["overflow_pkts"], 0);
}

/// A delayed acknowledgement falls due as the next segment arrives: packets take 40 ms, so does the wait.
#[test]
fn a_timer_and_an_arrival_at_the_same_moment() {
    let text = dumbbell(300, 20, 3, 1, 1, "kind = \"choke\"")
        .replace("duration = \"6 s\"", "duration = \"30 s\"")
        .replace("transport = \"tcp\"", "transport = \"tcp\"\n        profile = \"linux\"")
        .replace("rate = \"60 kbit/s\"", "rate = \"60 kbit/s\"\n        start = \"29 s\"");
    for seed in 1..8 {
        let (fast, plain) = both(&text, seed);
        assert_eq!(difference(&fast, &plain, ""), None, "seed {seed}");
    }
}

/// A duplicate of a session's last ACK arrives after the warm-up, and after the next session on that flow has begun.
#[test]
fn a_session_that_begins_where_a_late_duplicate_was_seen_ahead() {
    let text = web(3325, "kind = \"droptail\"\nlimit = \"18 pkts\"", "object", 2);
    let (fast, plain) = both(&text, 4_032_782_627_460_266_207);
    assert_eq!(difference(&fast, &plain, ""), None);
}

/// Disciplines that decide at arrival, later, at random, by clock; with and without a queue for each flow.
const QUEUES: [&str; 8] = [
    "kind = \"droptail\"\nlimit = \"30 pkts\"",
    "kind = \"red\"\nlimit = \"60 pkts\"\nmin_th = \"5 pkts\"\nmax_th = \"15 pkts\"",
    "kind = \"red\"\nlimit = \"40 pkts\"\nmin_th = \"3 pkts\"\nmax_th = \"9 pkts\"\nvictim = \"random\"",
    "kind = \"droptail\"\nlimit = \"20 kB\"",
    "kind = \"choke\"",
    "kind = \"codel\"",
    "kind = \"pie\"",
    "kind = \"fq_codel\"",
];

/// Disciplines that mark.
const MARKING: [&str; 4] = [
    "kind = \"red\"\nlimit = \"60 pkts\"\nmin_th = \"2 pkts\"\nmax_th = \"15 pkts\"\nmin_queue = \"2\"\necn = true",
    "kind = \"pie\"\necn = true",
    "kind = \"codel\"\necn = true",
    "kind = \"fq_codel\"\necn = true",
];

/// Senders that track no segment, for 14 s over a path that loses `faults`.
fn untracked(rate: u32, delay: u32, flows: u32, queue: &str, keys: &str, faults: &str) -> String {
    dumbbell(rate, delay, 20, flows, 1, queue)
        .replace("duration = \"6 s\"", "duration = \"14 s\"")
        .replace("access_rate = \"20 Mbit/s\"", &format!("access_rate = \"20 Mbit/s\"\n{faults}"))
        .replace("transport = \"tcp\"", keys)
}

/// A SYN that is sent for the third time asks for no ECN, so that connection has none: its segments are dropped where
/// others are marked.
#[test]
fn a_connection_without_ecn_among_others_with_it() {
    let keys = "recovery = \"sack\"\necn = true";
    let alone = untracked(4000, 10, 1, MARKING[0], keys, "drop = [0, 1]");
    let alone = alone.replace("rate = \"800 kbit/s\"", "rate = \"800 kbit/s\"\nstart = \"9 s\"");
    let (fast, plain) = both(&alone, 1);
    assert_eq!(difference(&fast, &plain, ""), None);
    let count = |report: &Value, key: &str| report["flows"][0][key].as_u64().unwrap();
    assert_eq!(count(&fast, "marked_pkts"), 0);
    assert!(count(&fast, "received_pkts") > 500 && count(&fast, "dropped_pkts") > 2);
    let (with_ecn, with_ecn_plain) = both(&alone.replace("[0, 1]", "[0]"), 1);
    assert_eq!(difference(&with_ecn, &with_ecn_plain, ""), None);
    assert!(count(&with_ecn, "marked_pkts") > 2);
}

/// Names in one list of the catalogue.
fn names(list: &str, key: &str) -> Vec<String> {
    let all = catalogue();
    let rows = all[list].as_array().expect("a list");
    rows.iter().map(|row| row[key].as_str().expect("a name").to_string()).collect()
}

/// Those above, and all disciplines of the catalogue that need no more than their name.
fn queues() -> Vec<String> {
    let named = names("disciplines", "kind").into_iter().map(|kind| format!("kind = \"{kind}\""));
    let sound = |queue: &String| Scenario::parse(&dumbbell(4000, 10, 10, 1, 1, queue)).is_ok();
    QUEUES.map(String::from).into_iter().chain(named.filter(sound)).collect()
}

/// The keys of a TCP sender: every congestion control with the profile of Linux, the others as the profile has them.
fn sender(profile: &str, cc: &str) -> String {
    let cc = if profile == "linux" { format!("\n        cc = \"{cc}\"") } else { String::new() };
    format!("profile = \"{profile}\"{cc}")
}

const PROFILES: [&str; 8] = ["rfc", "linux", "linux", "linux", "linux-7.3", "ns3", "ns2-2.35", "ns2-2000"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn engines_agree_of_web_sessions(
        rate in 300u32..20_000,
        limit in 4u32..40,
        red in any::<bool>(),
        connection in prop_oneof![Just("object"), Just("page"), Just("session")],
        users in 1u32..6,
        quic in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let queue = if red {
            "kind = \"red\"\nlimit = \"60 pkts\"\nmin_th = \"2 pkts\"\nmax_th = \"8 pkts\"".to_string()
        } else {
            format!("kind = \"droptail\"\nlimit = \"{limit} pkts\"")
        };
        let text = format!("{}{}", web(rate, &queue, connection, users), pages(users + 1));
        let (fast, plain) = both(&if quic { over_quic(&text) } else { text }, seed);
        prop_assert_eq!(difference(&fast, &plain, ""), None);
        prop_assert!(fast["groups"]["open"]["objects"]["begun"].as_u64() > Some(10));
        prop_assert!(fast["groups"]["pages"]["objects"]["begun"].as_u64() > Some(3));
    }

    #[test]
    fn engines_agree(
        rate in 300u32..20_000,
        delay in 1u32..60,
        access in 1u32..100,
        flows in 1u32..12,
        udp in 1u32..3,
        queue in prop::sample::select(queues()),
        back in prop::sample::select(queues()),
        profile in 0..PROFILES.len(),
        cc in prop::sample::select(names("congestion_controls", "name")),
        others in prop_oneof![Just("tcp"), Just("quic"), Just("tfrc")],
        reverse in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut text = dumbbell(rate, delay, access, flows, udp, &queue);
        text = text.replace("transport = \"tcp\"", &sender(PROFILES[profile], &cc));
        text += &format!("[back_queue]\n{back}\n[flows.others]\ntransport = \"{others}\"\n");
        text += &format!("start = \"1 s\"\nreverse = {reverse}\n");
        let (fast, plain) = both(&text, seed);
        prop_assert_eq!(difference(&fast, &plain, ""), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn engines_agree_of_senders_that_track_no_segment(
        rate in 500u32..4_000,
        delay in 1u32..40,
        flows in 8u32..20,
        queue in prop::sample::select(&MARKING[..]),
        recovery in prop::sample::select(vec!["reno", "newreno", "sack", "sack"]),
        cc in prop::sample::select(vec!["reno", "cubic", "dctcp", "westwood", "vegas", "illinois"]),
        ecn in any::<bool>(),
        ack_every in 1u32..3,
        // A tenth loses two SYNs of some flow.
        loss in prop::sample::select(vec![0.0, 0.002, 0.1]),
        against in 0u32..4,
        seed in any::<u64>(),
    ) {
        let keys = format!("recovery = \"{recovery}\"\ncc = \"{cc}\"\nack_every = {ack_every}\necn = {}", ecn || cc == "dctcp");
        let mut text = untracked(rate, delay, flows, queue, &keys, &format!("loss = {loss}"));
        if against > 0 {
            text += &format!("[flows.against]\ncount = {against}\nreverse = true\nstart = \"1 s\"\n{keys}\n");
        }
        let (fast, plain) = both(&text, seed);
        prop_assert_eq!(difference(&fast, &plain, ""), None);
    }

    #[test]
    fn engines_agree_with_lookahead(
        rate in 20_000u32..100_000,
        delay in 10u32..40,
        flows in 3u32..60,
        udp in 1u32..3,
        profile in 0..PROFILES.len(),
        against in 1u32..4,
        seed in any::<u64>(),
    ) {
        let text = long_fat(rate, delay, flows, udp);
        let mut text = text.replace("transport = \"tcp\"", &format!("profile = \"{}\"", PROFILES[profile]));
        // Their data crosses the reverse link and their ACKs cross RED: both come out of the event queue.
        text += &format!("[flows.against]\ncount = {against}\nreverse = true\nstart = \"1 s\"\n");
        let (fast, plain) = both(&text, seed);
        prop_assert_eq!(difference(&fast, &plain, ""), None);
    }

    #[test]
    fn engines_agree_of_faulty_links(
        rate in 1000u32..20_000,
        red in any::<bool>(),
        forward in prop::sample::select(&FAULTS[..]),
        back in prop::sample::select(&FAULTS[..]),
        seed in any::<u64>(),
    ) {
        let queue = if red {
            "kind = \"red\"\nlimit = \"60 pkts\"\nmin_th = \"2 pkts\"\nmax_th = \"8 pkts\""
        } else {
            "kind = \"codel\"\nlimit = \"60 pkts\""
        };
        let (fast, plain) = both(&faulty(rate, queue, forward, back), seed);
        prop_assert_eq!(difference(&fast, &plain, ""), None);
        let received = |flow: &Value| flow["received_pkts"].as_u64().unwrap_or(0);
        let flows = fast["flows"].as_array().cloned().unwrap_or_default();
        prop_assert!(flows.iter().map(received).sum::<u64>() > 100);
    }
}
