//! Known behaviour of each congestion control in the simulator: short runs, fixed seeds, bounds wide enough for
//! other seeds.

use serde_json::Value;
use sim::scenario::Scenario;
use sim::{run, Options};

/// Greedy flows over one link for 100 s, of which 20 warm up. The rest of the round trip is 2 ms of access.
fn report(link: &str, queue: &str, flows: &str, seed: u64) -> Value {
    let text = format!(
        r#"
        title = "controls"
        [run]
        duration = "100 s"
        warmup = "20 s"
        [dumbbell]
        {link}
        access_delay = "0 ms"
        [queue]
        {queue}
        [flows.one]
        transport = "tcp"
        ack_every = 1
        {flows}
        "#
    );
    let scenario = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{text}\n{problems:?}"));
    let plan = scenario.plan();
    run(&plan, seed, &Options::default()).summary(&plan, "")
}

fn bottleneck(report: &Value, key: &str) -> f64 {
    report["links"]["bottleneck"][key].as_f64().unwrap_or(f64::NAN)
}

/// Mean window in segments of flows that lose one segment in `1/p` on a path of 100 ms that is never full.
fn window(p: f64, cc: &str) -> f64 {
    let link = format!("rate = \"1 Gbit/s\"\ndelay = \"50 ms\"\nloss = {p}");
    // Without a losing slow start to recover from: mild cuts take long for that.
    let flows = format!("count = 4\ncc = \"{cc}\"\ninitial_ssthresh = 30");
    let report = report(&link, "kind = \"droptail\"\nlimit = \"10000 pkts\"", &flows, 1);
    bottleneck(&report, "departed_pkts") / 4.0 / 80.0 * 0.1
}

fn near(value: f64, wanted: f64, share: f64) -> bool {
    (value / wanted - 1.0).abs() < share
}

/// Additive increase by a and decrease to b: the window is `sqrt(a (1 + b) / (2 (1 - b) p))`; 1.22/sqrt(p) for Reno.
#[test]
fn windows_follow_the_inverse_square_root_of_loss() {
    let p = 0.002;
    for (cc, factor) in [("reno", 1.5f64), ("cubic", 1.5), ("gaimd", 2.34), ("binomial", 2.0)] {
        let (got, wanted) = (window(p, cc), (factor / p).sqrt());
        assert!(near(got, wanted, 0.25), "{cc}: {got}, expected about {wanted}");
    }
}

/// RFC9438 section 5: where losses are rare, `(C (3 + beta) / (4 (1 - beta)))^(1/4) (R/p)^(3/4)`, beyond Reno's window.
#[test]
fn cubic_leaves_reno_behind_where_losses_are_rare() {
    let (cubic, reno) = (window(1e-4, "cubic"), window(1e-4, "reno"));
    assert!(near(cubic, 187.0, 0.25), "{cubic}");
    assert!(cubic > 1.2 * reno, "{cubic} against {reno}");
}

/// A random loss is not congestion: Westwood+ keeps the window that the path carries.
#[test]
fn westwood_fills_a_path_that_loses_at_random() {
    let carried = |cc: &str| {
        let link = "rate = \"10 Mbit/s\"\ndelay = \"50 ms\"\nloss = 0.001";
        let report = report(link, "kind = \"droptail\"\nlimit = \"80 pkts\"", &format!("cc = \"{cc}\""), 1);
        bottleneck(&report, "busy_s") / 80.0
    };
    let (westwood, reno) = (carried("westwood"), carried("reno"));
    assert!(westwood > 0.75 && westwood > 1.3 * reno, "{westwood} against {reno}");
}

/// One flow keeps between alpha and beta segments queued, loses none and fills the link.
#[test]
fn vegas_keeps_a_few_segments_queued() {
    for (alpha, beta) in [(1.0, 3.0), (4.0, 6.0)] {
        let flows = format!("cc = \"vegas\"\nvegas_alpha = {alpha}\nvegas_beta = {beta}");
        let link = "rate = \"10 Mbit/s\"\ndelay = \"20 ms\"";
        let report = report(link, "kind = \"droptail\"\nlimit = \"100 pkts\"", &flows, 1);
        let queued = bottleneck(&report, "queue_pkts_mean");
        // The queue does not count the segment being sent.
        assert!(queued > alpha - 1.2 && queued < beta + 0.2, "{queued}");
        assert_eq!(bottleneck(&report, "overflow_pkts"), 0.0);
        assert!(bottleneck(&report, "busy_s") / 80.0 > 0.97);
    }
}

/// Behind a fast access link and from a threshold of 60 segments an acknowledgement waits for a second segment: that
/// wait is no queue, and the link is full.
#[test]
fn vegas_does_not_take_delayed_acknowledgements_for_a_queue() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"18 ms\"\naccess_rate = \"100 Mbit/s\"";
    let flows = "cc = \"vegas\"\ninitial_ssthresh = 60";
    let report = report(link, "kind = \"droptail\"\nlimit = \"60 pkts\"", flows, 1);
    assert!(bottleneck(&report, "busy_s") / 80.0 > 0.97, "{}", bottleneck(&report, "busy_s"));
    assert_eq!(bottleneck(&report, "overflow_pkts"), 0.0);
}

/// Marking above 20 packets: the queue stays about there, nothing is lost and the link is full. Reno with the same
/// marks empties the queue.
#[test]
fn dctcp_hovers_at_the_step() {
    let outcome = |flows: &str| {
        let link = "rate = \"100 Mbit/s\"\ndelay = \"5 ms\"";
        let queue = "kind = \"red\"\nmin_th = \"20 pkts\"\nmax_th = \"20.01 pkts\"\nw_q = 0.999999\nmax_p = 1.0\necn = true\necn_forced = \"mark\"\nlimit = \"400 pkts\"";
        let report = report(link, queue, &format!("count = 2\necn = true\n{flows}"), 1);
        assert_eq!(bottleneck(&report, "overflow_pkts"), 0.0);
        (
            bottleneck(&report, "queue_pkts_mean"),
            bottleneck(&report, "queue_pkts_sd"),
            bottleneck(&report, "busy_s") / 80.0,
        )
    };
    let (queue, sd, busy) = outcome("cc = \"dctcp\"");
    let (reno_queue, reno_sd, reno_busy) = outcome("cc = \"reno\"");
    assert!((10.0..25.0).contains(&queue) && sd < reno_sd, "{queue} sd {sd}, reno {reno_queue} sd {reno_sd}");
    assert!(busy > 0.98 && busy > reno_busy, "{busy}, reno {reno_busy}");
}

/// A path of 20 ms a way on which one packet in a hundred comes 15 ms late, more than the quarter of a round trip that
/// RACK waits at first: each costs a cut, unless duplicate SACKs widen the reordering window and spurious cuts are
/// undone.
#[test]
fn reordering_costs_little_where_it_is_undone() {
    let goodput = |keys: &str| {
        let link = "rate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nreorder = 0.01\nreorder_by = \"15 ms\"";
        let flows = format!("count = 1\nprofile = \"linux\"\ncc = \"reno\"\n{keys}");
        let report = report(link, "kind = \"droptail\"\nlimit = \"100 pkts\"", &flows, 1);
        report["flows"][0]["goodput_bytes"].as_f64().unwrap()
    };
    let (plain, widened, both) =
        (goodput("dsack = false\nundo = false"), goodput("undo = false"), goodput(""));
    assert!(widened > 3.0 * plain && both > 0.98 * widened, "{plain} {widened} {both}");
}

/// A path of 200 Mbit/s and 100 ms that loses one segment in 20,000: controls made for such paths carry more than Reno
/// after the same losses, and Veno and the rest no less.
#[test]
fn controls_for_long_fast_paths_leave_reno_behind() {
    let carried = |cc: &str| {
        let link = "rate = \"200 Mbit/s\"\ndelay = \"50 ms\"\nloss = 0.00005";
        let flows = format!("cc = \"{cc}\"\ninitial_ssthresh = 100");
        bottleneck(&report(link, "kind = \"droptail\"\nlimit = \"2000 pkts\"", &flows, 1), "busy_s") / 80.0
    };
    let reno = carried("reno");
    for cc in ["highspeed", "scalable", "htcp", "bic", "hybla", "illinois", "yeah", "compound"] {
        let got = carried(cc);
        assert!(got > 1.3 * reno, "{cc}: {got}, reno {reno}");
    }
    let veno = carried("veno");
    assert!(veno > 1.1 * reno, "{veno}, reno {reno}");
}

/// A buffer of 400 ms: alone, both fill the link with a queueing delay near the target (100 and 60 ms); with a Reno
/// flow they get less than a fifth of it, and one Reno flow with another about a half.
#[test]
fn ledbat_holds_its_target_and_yields() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"20 ms\"";
    let queue = "kind = \"droptail\"\nlimit = \"333 pkts\"";
    let share = |cc: &str| {
        let rival = "cc = \"reno\"\n[flows.other]\ntransport = \"tcp\"\nack_every = 1";
        let report = report(link, queue, &format!("{rival}\ncc = \"{cc}\""), 1);
        let got = |flow: usize| report["flows"][flow]["goodput_bytes"].as_f64().unwrap();
        got(1) / (got(0) + got(1))
    };
    // TCP-LP has no target: it yields, and fills the link alone.
    assert!(share("lp") < 0.25, "lp: {}", share("lp"));
    let lp_alone = report(link, queue, "cc = \"lp\"", 1);
    assert!(bottleneck(&lp_alone, "busy_s") / 80.0 > 0.85, "lp: {}", bottleneck(&lp_alone, "busy_s"));
    for (cc, target_ms, busy) in [("ledbat", 100.0, 0.97), ("ledbat_pp", 60.0, 0.8)] {
        let alone = report(link, queue, &format!("cc = \"{cc}\""), 1);
        let queued_ms = bottleneck(&alone, "queue_pkts_mean") * 1.2;
        assert!(near(queued_ms, target_ms, 0.3), "{cc}: {queued_ms} ms");
        assert!(bottleneck(&alone, "busy_s") / 80.0 > busy, "{cc}: {}", bottleneck(&alone, "busy_s"));
        assert!(share(cc) < 0.2, "{cc}: {}", share(cc));
    }
    assert!(near(share("reno"), 0.5, 0.5), "{}", share("reno"));
}

/// A buffer of 400 ms: alone, CDG fills the link with a fraction of Reno's queue.
#[test]
fn cdg_backs_off_before_the_buffer_fills() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"20 ms\"";
    let alone = |cc: &str| {
        let report = report(link, "kind = \"droptail\"\nlimit = \"333 pkts\"", &format!("cc = \"{cc}\""), 1);
        (bottleneck(&report, "queue_pkts_mean"), bottleneck(&report, "busy_s") / 80.0)
    };
    let ((queue, busy), (reno, _)) = (alone("cdg"), alone("reno"));
    assert!(queue < 0.25 * reno && busy > 0.85, "{queue} of {reno}, {busy}");
}

/// Two flows over 2 ms: with the round-trip time of the empty path TCP-NV lets at most ten segments of each queue.
/// Without it the minimum of the last seconds includes the queue, which grows, and is still below Reno's.
#[test]
fn nv_keeps_its_segments_in_the_queue() {
    let link = "rate = \"100 Mbit/s\"\ndelay = \"1 ms\"";
    let queue = |keys: &str| {
        let report =
            report(link, "kind = \"droptail\"\nlimit = \"200 pkts\"", &format!("count = 2\n{keys}"), 1);
        assert!(bottleneck(&report, "busy_s") / 80.0 > 0.95, "{keys}");
        bottleneck(&report, "queue_pkts_mean")
    };
    let (known, unknown) = (queue("cc = \"nv\"\nnv_base_rtt = \"2.3 ms\""), queue("cc = \"nv\""));
    let reno = queue("cc = \"reno\"");
    assert!((1.0..25.0).contains(&known) && known < unknown && unknown < reno, "{known}, {unknown}, {reno}");
}

/// DualPI2 at 2 ms, which marks as DCTCP expects: with the response to marks BBR 3 holds a fraction of the queue that it
/// has without. Over a path of 40 ms the default bound of 5 ms leaves it without a response.
#[test]
fn marks_shorten_the_queue_of_bbr3() {
    let queue = |delay: &str, keys: &str| {
        let link = format!("rate = \"40 Mbit/s\"\ndelay = \"{delay}\"");
        let report = report(&link, "kind = \"dualpi2\"", &format!("count = 4\ncc = \"bbr3\"\n{keys}"), 1);
        assert!(bottleneck(&report, "busy_s") / 80.0 > 0.85, "{}", bottleneck(&report, "busy_s"));
        bottleneck(&report, "queue_pkts_mean")
    };
    let ecn = "ecn = true\necn_rule = \"accecn\"\nect = \"ect1\"";
    let (with, without) = (queue("1 ms", "bbr3_ecn = true"), queue("1 ms", ecn));
    assert!(with < 0.4 * without, "{with} of {without}");
    assert_eq!(queue("20 ms", "bbr3_ecn = true"), queue("20 ms", ecn));
}
