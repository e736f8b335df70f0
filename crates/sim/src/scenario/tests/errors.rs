//! Messages that users read when something is wrong, word for word.

use super::*;

/// A dumbbell with tail drop and one TCP group with these further lines.
fn with(lines: &str) -> String {
    format!("[dumbbell]\n[queue]\nkind = \"droptail\"\n[flows.tcp]\n{lines}")
}

fn check(cases: &[(String, &[&str])]) {
    for (given, expected) in cases {
        assert_eq!(complaints(given), *expected, "{given}");
    }
}

#[test]
fn text_that_is_not_toml() {
    let cases: Vec<(&str, &[&str])> = vec![
        (
            "[run]\nduration = 60 s",
            &["line 2, column 12 = `duration = 60 s`: a quantity with a unit must be text; put it in quotes: duration = \"60 s\""],
        ),
        (
            "[run]\nduration = \"60 s",
            &["line 2, column 17 = `duration = \"60 s`: the quote is not closed; end the text with \" on the same line"],
        ),
        (
            "[run\nduration = \"60 s\"",
            &["line 1, column 5 = `[run`: the section's name is not closed; write [run]"],
        ),
        (
            "[run]\nduration = \"60 s\"\n[run]\n",
            &["line 3, column 2 = `[run]`: `run` was given before; each key and each [section] may be given once; remove or rename one of the two"],
        ),
        (
            "[run]\nduration = \"60 s\"\nduration = \"60 s\"\n",
            &["line 3, column 1 = `duration = \"60 s\"`: `duration` was given before; each key and each [section] may be given once; remove or rename one of the two"],
        ),
        (
            "[run]\nduration\n",
            &["line 2, column 9 = `duration`: is neither a key, a [section] nor a # comment; write key = value"],
        ),
        (
            "[queue]\nkind = red # or\n",
            &["line 2, column 8 = `kind = red # or`: text must be in quotes; write kind = \"red\""],
        ),
        ("when = 2020-01-01", &["when = 2020-01-01: dates are not used here; lengths of time are text such as \"20 ms\""]),
    ];
    for (given, expected) in cases {
        assert_eq!(complaints(given), expected, "{given}");
    }
    // Two slips, two messages.
    assert_eq!(complaints("b = = 2\nc = [1, 2\n").len(), 2);
}

#[test]
fn a_path_has_the_line_of_its_key_or_of_what_lacks_it() {
    let text = "title = \"x\"\n\n[links.\"a.b\"]\nrate = 3\nlist = [\n  1,\n  2]\n[links.c.queue]\nkind = \"red\"\n[run";
    let cases = [
        ("title", Some(1)),
        ("links", Some(3)),
        ("links.a.b.rate", Some(4)),
        ("links.a.b.list[1]", Some(5)),
        ("links.a.b.delay", Some(3)),
        ("links.c.queue.kind", Some(9)),
        ("links.c.queue.limit", Some(8)),
        ("links.ab", Some(3)),
        ("flows.a", None),
        ("line 8, column 5", None),
        ("", None),
    ];
    for (path, expected) in cases {
        assert_eq!(line(text, path), expected, "{path}");
    }
}

#[test]
fn a_whole_scenario_of_slips() {
    let reported = complaints(
        r#"
titel = "x"
[run]
duration = "60"
warmup = "90 s"
[dumbell]
rate = "fast"
[queue]
kind = "red"
min_th = "15 pkts"
max_th = "5 pkts"
limt = "10 pkts"
[flows.tcp]
recovry = "sack"
count = 0
[flows.voice]
transport = "udp"
bytes = "1 MB"
source = "cbr"
rate = "1 mbps"
"#,
    );
    assert_eq!(
        reported,
        [
            "titel = \"x\": no such key here; did you mean 'title'?",
            "run.duration = \"60\": must be text with a number and its unit, such as \"20 ms\"; for example duration = \"20 ms\"",
            "dumbell: no such section here; did you mean 'dumbbell'?",
            "queue.limt = \"10 pkts\": no such key here; did you mean 'limit'?",
            "flows.tcp.recovry = \"sack\": no such key here; did you mean 'recovery'?",
            "flows.tcp.count = 0: must lie in [1, 100000000]; the default is 1",
            "flows.voice.bytes = \"1 MB\": is a key of TCP, and this group's transport is \"udp\"; remove it, or write transport = \"tcp\"",
            "flows.voice.rate = \"1 mbps\": must be text with a number and its unit, such as \"10 Mbit/s\"; for example rate = \"10 Mbit/s\"",
        ]
    );
}

#[test]
fn sections_missing_doubled_or_misplaced() {
    let tail = "[queue]\nkind = \"droptail\"\n";
    check(&[
        (
            String::new(),
            &[
                "dumbbell: no topology is given; add [dumbbell] for one bottleneck, [chain] for several in a row, or [links.NAME] for any graph",
                "flows: there are no flows; add [flows.NAME], for example [flows.tcp] with count = 8",
            ],
        ),
        (
            "[dumbbell]\nrate = \"0 bit/s\"\n[flows.tcp]".into(),
            &[
                "dumbbell.rate = \"0 bit/s\": must be above 0; the default is \"10 Mbit/s\"",
                "queue: the bottleneck has no queue discipline; add [queue] with kind = \"droptail\", \"red\" or another discipline",
            ],
        ),
        (
            format!("[dumbbell]\n[chain]\n{tail}[flows.tcp]"),
            &["chain: is a second topology in addition to [dumbbell]; keep one of dumbbell, chain"],
        ),
        (format!("[dumbbell]\n{tail}[flow.tcp]"), &["flow: no such section here; did you mean 'flows'?"]),
        (
            format!("dumbbell = 3\n{tail}[flows]\ntcp = 3"),
            &[
                "dumbbell = 3: must be a section; write a section [dumbbell] with keys below it",
                "flows.tcp = 3: must be a section; write a section [flows.tcp] with keys below it",
            ],
        ),
        (
            format!("[dumbbell]\n{tail}[flows.\"my flow\"]"),
            &["flows.my flow: a name is made of letters, digits, _ and -; call it my_flow"],
        ),
        (
            format!("{GRAPH}\n[queue]\nkind = \"red\""),
            &["queue: belongs to [dumbbell] or [chain]; a link of a graph has its own; move it to [links.NAME.queue]"],
        ),
        (
            format!("[run]\nduration = \"10 s\"\nwarmup = \"20 s\"\nsample = \"1 us\"\n{}", with("")),
            &[
                "run.warmup = \"20 s\": must be shorter than duration (10 s); lengthen run.duration, or write \"auto\"",
                "run.sample = \"1 us\": makes 10000000 samples of each series; at most 1000000 fit; lengthen it, or write \"auto\"",
            ],
        ),
    ]);
}

#[test]
fn groups_of_flows() {
    check(&[
        (with("count = 200000000"), &["flows.tcp.count = 200000000: must lie in [1, 100000000]; the default is 1"]),
        (with("count = -1"), &["flows.tcp.count = -1: must be a whole number, 0 or more; for example count = 10"]),
        (
            with("start = \"99 s\""),
            &["flows.tcp.start = \"99 s\": no member starts before the end of the run (60 s); start earlier, or lengthen run.duration"],
        ),
        (
            with("start = \"10 s\"\nstop = \"5 s\""),
            &["flows.tcp.stop = \"5 s\": must come after the last start (10 s); the default is \"auto\""],
        ),
        (
            with("rate = \"1 Mbit/s\""),
            &["flows.tcp.rate = \"1 Mbit/s\": is a key of UDP, and this group's transport is \"tcp\"; remove it, or write transport = \"udp\""],
        ),
        (
            with("source = \"cbr\""),
            &["flows.tcp.source = \"cbr\": is a source for UDP, and this group's transport is \"tcp\"; write transport = \"udp\", or choose another source"],
        ),
        (
            with("from = \"a\""),
            &["flows.tcp.from = \"a\": a dumbbell has only two sides; its flows run from left to right, or the other way with reverse = true"],
        ),
        (
            with("acces_delay = \"1 ms\""),
            &["flows.tcp.acces_delay = \"1 ms\": no such key here; did you mean 'access_delay'?"],
        ),
        (
            with("access_queue = 10"),
            &["flows.tcp.access_queue = 10: must be text with a number and its unit, such as \"50 pkts\"; for example access_queue = \"50 pkts\""],
        ),
        (
            with("transport = \"udp\"\njitter = 0.1\nsizes = \"exponential\""),
            &["flows.tcp.sizes = \"exponential\": is a key of another source than \"cbr\"; remove it, or write source = \"poisson\""],
        ),
        (
            with("transport = \"udp\"\npacket = \"20 B\""),
            &["flows.tcp.packet = \"20 B\": must exceed headers (28 B); packet counts bytes on the wire, headers included"],
        ),
        (
            format!("{}\n[flows.more]\ncount = 100000000", with("")),
            &["flows = 100000001 flows: must be at most 100000000, all groups together; lower the counts"],
        ),
    ]);
}

#[test]
fn a_clock_of_doubles_goes_with_what_counts_no_moments_itself() {
    let with = |queue: &str, wire: &str| {
        format!("[run]\nclock = \"doubles\"\n[dumbbell]\n{wire}\n[queue]\nkind = \"{queue}\"\n[flows.tcp]")
    };
    let rule =
        "run.clock = \"doubles\": goes with droptail and red at a fixed rate without framing only, and bottleneck has another; \
                write clock = \"nanoseconds\"";
    check(&[(with("pie", ""), &[rule]), (with("droptail", "opportunities_ms = [1, 2]"), &[rule])]);
    check(&[(with("droptail", "overhead = \"40 B\""), &[rule])]);
    assert!(Scenario::parse(&with("red", "")).is_ok());
}

#[test]
fn links_and_routes() {
    check(&[
        (
            "[dumbbell]\ndrop = [28, 14, 14]\nmark = [2, 1]\n[queue]\nkind = \"droptail\"\n[flows.tcp]".into(),
            &[
                "dumbbell.drop = [28, 14, 14]: must ascend, each position once; write [14, 28]",
                "dumbbell.mark = [2, 1]: must ascend, each position once; write [1, 2]",
            ],
        ),
        (
            CHAIN.replace("hop2]", "hop4]").replace("hop2.queue", "hp2.queue"),
            &[
                "chain.hop4: there is no hop 4; hops are hop1 to hop2; raise hops if there should be more",
                "chain.hp2: no such section here; did you mean 'hop2'?",
            ],
        ),
        (
            CHAIN.replace("to = 3", "to = 9"),
            &["flows.cross.to = 9: routers are numbered 1 to 3; choose one of them, or raise chain.hops"],
        ),
        (
            CHAIN.replace("to = 3", "to = 2"),
            &["flows.cross: from and to are the same place, r2; choose two different ones"],
        ),
        (
            GRAPH.replace("to = \"d\"\nbytes", "to = \"dd\"\nbytes"),
            &["flows.tcp.to = \"dd\": no link has a node of this name; did you mean 'd'?"],
        ),
        (
            GRAPH.replace("from = \"s\"\nto = \"d\"\n", ""),
            &[
                "flows.tcp.from: must name the node where the group's data begins; write one of s, a, b, c, d",
                "flows.tcp.to: must name the node where the group's data ends; write one of s, a, b, c, d",
            ],
        ),
        (
            GRAPH.replace("to = \"a\"", "to = \"router\"").replace("from = \"a\"", "from = \"roter\""),
            &["flows.tcp: no links lead from 's' to 'd'; only one link has a node 'router': is it 'roter'?"],
        ),
        (
            GRAPH.replace("to = \"d\"\ndelay", "to = \"d\"\none_way = true\ndelay"),
            &["flows.tcp: no links lead back from 'd' to 's' for TCP's ACKs; add a link, or correct the names"],
        ),
        (
            GRAPH.replace("delay = \"10 ms\"", "one_way = true"),
            &["links.direct.back: a link with one_way = true has no direction back; remove one of the two"],
        ),
        (
            GRAPH.replace("from = \"a\"\nto = \"b\"", "from = \"a\"\nto = \"a\""),
            &["links.direct.to = \"a\": must be another node than from; name the node at the other end"],
        ),
        (
            GRAPH.replace("bytes", "access_delay = \"1 ms\"\nreverse = true\nbytes"),
            &[
                "flows.tcp.access_delay = \"1 ms\": a graph has no private links; add a [links.NAME] for each host",
                "flows.tcp.reverse = true: a graph names its directions; swap from and to",
            ],
        ),
    ]);
}

/// Three hundred thousand flows fit into 4 GB with their results, not into 1 GB: refused before anything is allocated.
#[test]
fn a_run_that_cannot_keep_to_its_memory_is_refused() {
    let text = |count: u64, memory: &str| {
        format!("[run]\n{memory}\n[dumbbell]\n[queue]\nkind = \"red\"\n[flows.tcp]\ncount = {count}\n")
    };
    let problems = Scenario::parse(&text(300_000, "max_memory = \"1 GB\"")).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].path, "run.max_memory");
    assert!(problems[0].rule.contains("300000 flows need about 1.1 GB"), "{problems:?}");
    assert!(problems[0].remedy.contains("max_memory = \"1.1 GB\""), "{problems:?}");
    assert!(Scenario::parse(&text(300_000, "max_memory = \"1.1 GB\"")).is_ok());
    assert!(Scenario::parse(&text(300_000, "")).is_ok());
}

#[test]
fn a_message_shows_the_beginning_of_a_line_alone() {
    let digits = "9".repeat(5000);
    for line in [format!("rate = {digits} s"), format!("rate = a{digits}"), format!("[{digits}")] {
        let problems = Scenario::parse(&format!("{line}\n{line}\n")).unwrap_err();
        for problem in problems {
            assert!(problem.rule.len() + problem.remedy.len() < 300, "{problem:?}");
        }
    }
}
