//! Every registered kind, with its defaults and in every dialect, passes the conformance kit.

#[path = "../common/mod.rs"]
mod common;
mod forwarding;
mod fuzzed;

use common::{table, SETTING};
use proptest::prelude::*;
use queue::conformance::{drive, steps, KitPacket, KitStep, Report, Rules};
use queue::disc::{Cx, Decides, QueueDisc, Reason};
use queue::{catalogue, Disc, Spec, KINDS};
use units::param::{Table, Value};
use units::{Bytes, Ecn, Span};

/// A configuration to examine, and its properties.
struct Candidate {
    name: String,
    /// Whether a short run of the kit is bound to meet marks, if there can be any.
    alone: bool,
    spec: Spec,
    rules: Rules,
}

fn read(name: &str, rows: &Table) -> Spec {
    let mut problems = Vec::new();
    Spec::read("queue", rows, &mut problems).unwrap_or_else(|| panic!("{name}: {problems:?}"))
}

/// Each kind plain, in each dialect, and both again with `ecn` where there is such a key.
fn candidates() -> Vec<Candidate> {
    let mut list = Vec::new();
    for entry in catalogue() {
        let dialects = entry.presets.iter().map(|row| Some(row.name));
        for dialect in std::iter::once(None).chain(dialects) {
            for ecn in [false, true] {
                if ecn && !entry.fields.iter().any(|field| field.name == "ecn") {
                    continue;
                }
                let mut rows = table(&[("kind", entry.kind), ("limit", "12 pkts")]);
                rows.extend(
                    dialect.map(|name| (entry.preset_key.to_string(), Value::Text(name.to_string()))),
                );
                if entry.fields.iter().any(|field| field.name == "ecn") {
                    rows.push(("ecn".to_string(), Value::Bool(ecn)));
                }
                // Weights and probabilities large enough for a short run of the kit to meet every branch.
                for key in ["w_q", "max_p"] {
                    if entry.fields.iter().any(|field| field.name == key) {
                        rows.push((key.to_string(), Value::Float(0.25)));
                    }
                }
                rows.extend(table(own_keys(entry.kind)));
                if (entry.kind, dialect) == ("red", Some("wred")) {
                    rows.extend(table(&[("min_th", "2 pkts"), ("max_th", "10 pkts")]));
                }
                let name = format!("{} {} ecn={ecn}", entry.kind, dialect.unwrap_or("-"));
                let rules = rules(&rows, ecn, dialect);
                list.push(Candidate { spec: read(&name, &rows), rules, alone: true, name });
            }
        }
    }
    list
}

/// Every kind inside each scheduler, with a buffer of its own below that of the scheduler.
fn nested() -> Vec<Candidate> {
    let mut list = Vec::new();
    for (outer, place) in [("drr", "child"), ("sfq", "child"), ("prio", "bands")] {
        for entry in catalogue() {
            let ecn = entry.fields.iter().any(|field| field.name == "ecn");
            let mut inner = table(&[("kind", entry.kind), ("limit", "8 pkts")]);
            inner.extend(ecn.then(|| ("ecn".to_string(), Value::Bool(true))));
            // A shaper is not a child.
            let unfit = ["dp_limit", "rate"];
            let own = table(own_keys(entry.kind)).into_iter();
            inner.extend(own.filter(|(key, _)| !unfit.contains(&key.as_str())));
            for key in ["w_q", "max_p"].into_iter().filter(|key| entry.fields.iter().any(|f| f.name == *key))
            {
                inner.push((key.to_string(), Value::Float(0.25)));
            }
            let inside = match place {
                "bands" => Value::List(vec![Value::Table(inner); 3]),
                _ => Value::Table(inner),
            };
            let mut rows = table(&[("kind", outer), ("limit", "12 pkts")]);
            rows.push((place.to_string(), inside));
            let name = format!("{outer} of {}", entry.kind);
            let rules =
                Rules { packets: Some(12), marks: ecn || marks_always(entry.kind), ..Rules::default() };
            let rules = Rules { reorders: is_dual(entry.kind), spares_capable: ecn, ..rules };
            list.push(Candidate { spec: read(&name, &rows), rules, alone: false, name });
        }
    }
    list
}

/// Keys of one kind that let a short run of the kit meet every branch.
fn own_keys(kind: &str) -> &'static [(&'static str, &'static str)] {
    match kind {
        "ared" | "feng" | "fred_refined" | "nlred" => &[("min_th", "2 pkts"), ("max_th", "10 pkts")],
        "fred_flow" => &[("min_th", "3 pkts"), ("max_th", "10 pkts"), ("minq", "1")],
        "red_size" | "choke" | "curve" => &[("min_th", "2 pkts"), ("max_th", "10 pkts")],
        "red_at" => &[
            ("min_th", "3 pkts"),
            ("max_th", "9 pkts"),
            ("min_low", "2 pkts"),
            ("min_high", "4 pkts"),
            ("max_low", "8 pkts"),
            ("max_high", "10 pkts"),
        ],
        "rtred" => &[("min_start", "2 pkts"), ("burst", "1")],
        "wred" => &[("min_th", "[2 pkts, 3 pkts]"), ("max_th", "[10 pkts]"), ("exponent", "2")],
        "rio" => &[
            ("in_min_th", "2 pkts"),
            ("in_max_th", "9 pkts"),
            ("out_min_th", "1 pkt"),
            ("out_max_th", "8 pkts"),
        ],
        "gred" => &[
            ("min_th", "[1 pkts]"),
            ("max_th", "[8 pkts]"),
            ("dp_limit", "[9 pkts]"),
            ("probability", "[0.5]"),
        ],
        "blue" => &[("d1", "0.1"), ("d2", "0.02"), ("freeze_time", "1 ms")],
        "avq" | "gkvq" => &[("virtual_limit", "4 pkts")],
        "step_marking" => &[("threshold", "3 pkts")],
        "phantom" => &[("threshold", "2000 B"), ("gamma", "0.5")],
        "green" => &[("delta_p", "0.05"), ("k", "5 ms")],
        "green_tcp" => &[("rtt", "20 ms")],
        "yellow" => &[("q_ref", "3 pkts"), ("step", "0.05")],
        "sred" => &[("zombies", "6"), ("flows_full", "2")],
        "dred" => &[("alpha", "0.2"), ("beta", "0.5"), ("target", "3 pkts")],
        "lred" => &[("q0", "3 pkts"), ("period", "20 ms"), ("beta", "0.1")],
        "bred" => &[("l1", "1"), ("l2", "2"), ("w_m", "3"), ("p1", "0.3"), ("p2", "0.6")],
        "luba" => &[("period", "5 ms"), ("tolerance", "0.5")],
        "savq" => &[("virtual_limit", "4 pkts"), ("q_ref", "3 pkts")],
        "pid_red" => &[("min_th", "2 pkts"), ("max_th", "10 pkts"), ("k_p", "0.2")],
        "red_pd" => {
            &[("min_th", "2 pkts"), ("max_th", "10 pkts"), ("target_rtt", "2 ms"), ("patience", "0 s")]
        }
        "cared" | "lru_red" | "shred" => &[("min_th", "2 pkts"), ("max_th", "10 pkts")],
        "xchoke" => &[("min_th", "2 pkts"), ("max_th", "10 pkts"), ("forget", "20 ms")],
        "fuzzy_red" => &[("q_moderate", "2 pkts"), ("q_full", "6 pkts"), ("dq", "2 pkts")],
        "fpi" => &[("q_ref", "3 pkts"), ("k_u", "0.1")],
        "purple" => &[("q_ref", "3 pkts"), ("initial", "0.1")],
        "gchoke" | "rared" => &[("min_th", "2 pkts"), ("max_th", "10 pkts")],
        "pi2" => &[("target", "2 ms"), ("t_update", "4 ms"), ("alpha", "5"), ("beta", "20")],
        "docsis_pie" => &[("target", "2 ms"), ("alpha", "20"), ("beta", "50")],
        "curvy_red" => &[("min_th", "0 s"), ("range", "20 ms"), ("weight", "0.5")],
        "policer" => &[("rate", "6 Mbit/s"), ("burst", "3000 B")],
        "tbf" => &[("rate", "6 Mbit/s"), ("burst", "3000 B")],
        "qprot" => &[("floor", "500 B"), ("aging", "80 kbit/s"), ("critical_delay", "100 us")],
        "rem" => &[("gamma", "0.01"), ("phi", "1.05"), ("target", "4")],
        "sfb" => &[("levels", "2"), ("bins", "3"), ("target", "2"), ("max", "12"), ("increment", "0.02")],
        "pi" => &[("q_ref", "3 pkts"), ("a", "0.002"), ("b", "0.0019")],
        "pie" => &[("target", "2 ms"), ("max_burst", "0 s"), ("mark_limit", "1"), ("dq_threshold", "2000 B")],
        "fq_pie" => &[("target", "2 ms"), ("max_burst", "0 s"), ("mark_limit", "1"), ("flows", "2")],
        // Fewer queues than places: else ns-2's share of each is not a packet.
        "sfq" => &[("buckets", "4")],
        "fq_codel" => &[("flows", "2")],
        "fq_cobalt" => &[("flows", "2"), ("step_up", "0.1"), ("target", "2 ms")],
        _ => &[],
    }
}

/// Whether it has two queues, and sorts packets into them by their ECN field.
fn is_dual(kind: &str) -> bool {
    ["dualpi2", "curvy_red", "qprot"].contains(&kind)
}

/// Whether it marks without a key `ecn`, or marks scalable packets also where `ecn` is off for classic ones.
fn marks_always(kind: &str) -> bool {
    is_dual(kind) || kind == "phantom"
}

fn rules(rows: &Table, ecn: bool, dialect: Option<&str>) -> Rules {
    let shown = read("", rows).show();
    let says = |key: &str, text: &str| shown.contains(&(key.to_string(), Value::Text(text.to_string())));
    let sticks_out = says("limit_test", "before");
    let mean = SETTING.packet.0.max(1500);
    Rules {
        packets: (!says("unit", "bytes")).then_some(12),
        bytes: says("unit", "bytes").then_some(Bytes(12 * mean + if sticks_out { 1500 } else { 0 })),
        marks: ecn || KINDS.iter().any(|kind| says("kind", kind) && marks_always(kind)),
        // The dialect with a mark limit drops ECN-capable packets by intent.
        spares_capable: ecn && dialect != Some("ns2"),
        // A dual queue sorts packets of one flow by their ECN field, which the conformance kit's flows mix.
        reorders: KINDS.iter().any(|kind| says("kind", kind) && is_dual(kind)),
        wire_counts: false,
    }
}

fn build(candidate: &Candidate) -> Disc<KitPacket> {
    candidate.spec.build(&SETTING)
}

fn examine(candidate: &Candidate, list: &[KitStep], seed: u64) -> Report {
    let report = drive(build(candidate), list, seed, &candidate.rules);
    let report = report.unwrap_or_else(|rule| panic!("{}: {rule}", candidate.name));
    assert_eq!(report.arrived, report.left + report.dropped + report.waiting, "{}", candidate.name);
    let again = drive(build(candidate), list, seed, &candidate.rules);
    assert_eq!(again.as_ref(), Ok(&report), "{}: same seed, other fates", candidate.name);
    report
}

fn step() -> impl Strategy<Value = KitStep> {
    let ecn = prop::sample::select(vec![Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce]);
    prop_oneof![
        1 => (0u64..20_000_000).prop_map(|ns| KitStep::Wait(Span(ns))),
        4 => (0u8..4, 1u16..=1500, ecn).prop_map(|(flow, size, ecn)| KitStep::Arrive { flow, size, ecn }),
        3 => Just(KitStep::Depart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_rules_hold(list in prop::collection::vec(step(), 0..400), seed in 0u64..1000) {
        for candidate in candidates() {
            examine(&candidate, &list, seed);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nor_does_a_discipline_inside_another_break_them(
        list in prop::collection::vec(step(), 0..600),
        seed in 0u64..1000,
    ) {
        for candidate in nested() {
            examine(&candidate, &list, seed);
        }
    }
}

#[test]
fn a_link_that_counts_the_packet_it_sends_changes_no_rule() {
    for mut candidate in candidates() {
        let plain = examine(&candidate, &steps(9, 20_000), 9);
        candidate.rules.wire_counts = true;
        let counted = examine(&candidate, &steps(9, 20_000), 9);
        assert!(counted.dropped >= plain.dropped / 2 && counted != plain, "{}", candidate.name);
    }
}

#[test]
fn a_long_sitting_meets_drops_and_marks() {
    for candidate in candidates().into_iter().chain(nested()) {
        let report = examine(&candidate, &steps(7, 20_000), 7);
        assert!(report.dropped > 0, "{}: {report:?}", candidate.name);
        // Inside a scheduler a buffer is shared, and a law may not see the queue it waits for.
        let marks = report.marked > 0;
        assert_eq!(marks, candidate.rules.marks && (candidate.alone || marks), "{}", candidate.name);
    }
}

#[test]
fn shown_values_are_read_back() {
    for candidate in candidates().into_iter().chain(nested()) {
        let shown = candidate.spec.show();
        assert_eq!(shown[0], ("kind".to_string(), Value::Text(candidate.spec.kind().to_string())));
        assert_eq!(read(&candidate.name, &shown), candidate.spec, "{}", candidate.name);
    }
}

#[test]
fn every_dialect_fits_an_ordinary_setting() {
    for entry in catalogue() {
        for row in entry.presets {
            let spec = read(row.name, &table(&[("kind", entry.kind), (entry.preset_key, row.name)]));
            let mut problems = Vec::new();
            spec.fits(&SETTING, "queue", &mut problems);
            assert_eq!(problems, [], "{} {}", entry.kind, row.name);
            assert_eq!(spec.dialect(), Some(row.name));
        }
    }
}

/// Faults planted in a sound discipline.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Loses,
    Swaps,
    Marks,
    Hides,
}

struct Faulty(Disc<KitPacket>, Fault, u64);

impl QueueDisc<KitPacket> for Faulty {
    fn enqueue(&mut self, pkt: KitPacket, cx: &mut Cx<'_, KitPacket>) {
        self.2 += 1;
        match self.1 {
            Fault::Loses if self.2 % 50 == 0 => {}
            Fault::Marks if self.2 % 50 == 0 => {
                if let Some(pkt) = cx.mark_or_drop(pkt, true, Reason::Early) {
                    self.0.enqueue(pkt, cx);
                }
            }
            _ => self.0.enqueue(pkt, cx),
        }
    }
    fn dequeue(&mut self, cx: &mut Cx<'_, KitPacket>) -> Option<KitPacket> {
        let first = self.0.dequeue(cx)?;
        self.2 += 1;
        match self.1 {
            Fault::Swaps if self.2 % 50 == 0 => {
                let second = self.0.dequeue(cx);
                self.0.enqueue(first, cx);
                second.or_else(|| self.0.dequeue(cx))
            }
            _ => Some(first),
        }
    }
    fn len(&self) -> usize {
        self.0.len() + usize::from(matches!(self.1, Fault::Hides) && self.2 % 50 == 0)
    }
    fn backlog(&self) -> Bytes {
        self.0.backlog()
    }
    fn decides(&self) -> Decides {
        self.0.decides()
    }
}

#[test]
fn the_kit_catches_planted_faults() {
    for fault in [Fault::Loses, Fault::Swaps, Fault::Marks, Fault::Hides] {
        let sound = read("", &table(&[("kind", "droptail"), ("limit", "12 pkts")])).build(&SETTING);
        let rules = Rules { packets: Some(12), ..Rules::default() };
        let result = drive(Faulty(sound, fault, 0), &steps(3, 5_000), 3, &rules);
        assert!(result.is_err(), "{fault:?} went unnoticed");
    }
}

#[test]
fn a_kind_that_is_not_there_is_answered_with_the_nearest() {
    let mut problems = Vec::new();
    assert_eq!(Spec::read("queue", &table(&[("kind", "dropatil")]), &mut problems), None);
    assert_eq!(problems[0].path, "queue.kind");
    let all = format!("`dropcurve list disciplines` shows all {}", KINDS.len());
    assert_eq!(problems[0].remedy, format!("did you mean 'droptail'? {all}"));
    problems.clear();
    assert_eq!(Spec::read("queue", &table(&[("kind", "dropper")]), &mut problems), None);
    assert_eq!(problems[0].rule, "no such discipline");
    assert_eq!(
        problems[0].remedy,
        format!("the nearest are {}; {all}", units::param::closest("dropper", KINDS, 3).join(", "))
    );
    problems.clear();
    assert_eq!(Spec::read("queue", &table(&[("limit", "5 pkts")]), &mut problems), None);
    assert!(problems[0].remedy.contains("fq_codel") && problems[0].remedy.ends_with(&all), "{problems:?}");
}
