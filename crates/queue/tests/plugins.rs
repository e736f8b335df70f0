//! A plug-in passes the conformance kit like a built-in discipline, and its faults name it.

mod common;

use common::{table, Pkt, SETTING};
use queue::conformance::{drive, steps, Rules};
use queue::disc::{Decides, QueueDisc, Reason};
use queue::plugin::{register, ArrivingPacket, Call, External, Parameter, Plugin};
use queue::{Setting, Spec};
use std::collections::VecDeque;
use std::sync::Arc;
use units::param::Value;
use units::{Span, Time};

/// Tail drop, with a tick, and a fault if `fault` is 1.
struct Tail(&'static str, &'static str);

struct Queue {
    numbers: VecDeque<u32>,
    limit: f64,
    fault: bool,
}

impl Plugin for Tail {
    fn name(&self) -> &'static str {
        self.0
    }
    fn title(&self) -> &'static str {
        "Tail"
    }
    fn about(&self) -> &'static str {
        "Tail drop."
    }
    fn parameters(&self) -> &[Parameter] {
        const { &[number("limit", "pkts", 12.0), number("every", "s", 0.01), number("fault", "", 0.0)] }
    }
    fn code(&self) -> &str {
        self.1
    }
    fn first_deadline(&self, values: &[f64], _: &Setting) -> Option<Span> {
        Some(Span::from_secs(values[1]))
    }
    fn build(&self, values: &[f64], _: &Setting) -> Box<dyn External> {
        Box::new(Queue { numbers: VecDeque::new(), limit: values[0], fault: values[2] > 0.0 })
    }
}

const fn number(name: &'static str, unit: &'static str, default: f64) -> Parameter {
    Parameter { name, unit, about: "A number.", default, range: (0.0, 1e6) }
}

impl External for Queue {
    fn enqueue(&mut self, packet: &ArrivingPacket, call: &mut Call<'_>) {
        if self.numbers.len() as f64 >= self.limit {
            return call.host.drop(packet.number, Reason::Overflow);
        }
        if packet.number % 7 == 0 && call.host.uniform() < 0.3 && call.host.mark(packet.number, Reason::Early)
        {
            call.average = self.numbers.len() as f64;
        }
        self.numbers.push_back(packet.number);
    }
    fn dequeue(&mut self, _: &mut Call<'_>) -> Option<u32> {
        if self.fault {
            return Some(77);
        }
        self.numbers.pop_front()
    }
    fn on_deadline(&mut self, call: &mut Call<'_>) {
        call.deadline = Time(call.deadline.0 + 10_000_000);
    }
}

fn read(rows: &[(&str, &str)]) -> Result<Spec, String> {
    let mut problems = Vec::new();
    Spec::read("queue", &table(rows), &mut problems)
        .ok_or_else(|| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_plugin_passes_the_kit_alone_and_inside_a_scheduler() {
    register(Arc::new(Tail("tail_alone", "1"))).unwrap();
    let rules = Rules { packets: Some(12), marks: true, ..Rules::default() };
    let inside = Value::Table(table(&[("kind", "tail_alone"), ("limit", "4 pkts")]));
    let mut drr = table(&[("kind", "drr"), ("limit", "12 pkts")]);
    drr.push(("child".to_string(), inside));
    let nested = Spec::read("queue", &drr, &mut Vec::new()).unwrap();
    for spec in [read(&[("kind", "tail_alone")]).unwrap(), nested] {
        for seed in 1..6 {
            let report = drive(spec.build(&SETTING), &steps(seed, 3_000), seed, &rules).unwrap();
            assert!(report.dropped > 0 && report.left > 100, "{report:?}");
            assert!(report.marked > 0, "{report:?}");
            assert_eq!(report, drive(spec.build(&SETTING), &steps(seed, 3_000), seed, &rules).unwrap());
        }
    }
}

#[test]
fn its_parameters_are_checked_and_read_back_with_the_hash_of_its_code() {
    register(Arc::new(Tail("tail_read", "cafe"))).unwrap();
    let spec = read(&[("kind", "tail_read"), ("limit", "30 pkts"), ("every", "5 ms")]).unwrap();
    assert_eq!(Spec::read("queue", &spec.show(), &mut Vec::new()), Some(spec.clone()));
    assert!(spec.show().contains(&("code".to_string(), Value::Text("cafe".to_string()))));
    for (key, value, reported) in [
        ("limitt", "3", "did you mean 'limit'?"),
        ("limit", "-3", "must lie in 0 to 1000000 pkts"),
        ("every", "5", "queue.every"),
        ("code", "beef", "has other code (cafe)"),
    ] {
        let problem = read(&[("kind", "tail_read"), (key, value)]).unwrap_err();
        assert!(problem.contains(reported), "{problem}");
    }
    assert!(queue::catalogue().iter().any(|entry| entry.kind == "tail_read"));
}

#[test]
fn a_name_is_used_once() {
    register(Arc::new(Tail("tail_once", "1"))).unwrap();
    register(Arc::new(Tail("tail_once", "1"))).unwrap();
    assert!(register(Arc::new(Tail("tail_once", "2"))).unwrap_err().contains("two plug-ins"));
    assert!(register(Arc::new(Tail("red", "1"))).unwrap_err().contains("built in"));
    assert!(register(Arc::new(Tail("My tail", "1"))).unwrap_err().contains("lower-case"));
}

#[test]
#[should_panic(expected = "the plug-in tail_fault has sent packet 77, which is not in its queue")]
fn a_packet_that_is_not_in_the_queue_is_its_fault() {
    register(Arc::new(Tail("tail_fault", "1"))).unwrap();
    let spec = read(&[("kind", "tail_fault"), ("fault", "1")]).unwrap();
    let _ = drive(spec.build(&SETTING), &steps(1, 200), 1, &Rules { marks: true, ..Rules::default() });
}

/// Tail drop of 12 packets that declares that it decides at arrival, and keeps it unless it has a `fault`.
struct Promise(&'static str);

struct Promised {
    numbers: VecDeque<u32>,
    fault: f64,
}

impl Plugin for Promise {
    fn name(&self) -> &'static str {
        self.0
    }
    fn title(&self) -> &'static str {
        "Promise"
    }
    fn about(&self) -> &'static str {
        "Tail drop."
    }
    fn parameters(&self) -> &[Parameter] {
        const { &[number("fault", "", 0.0)] }
    }
    fn code(&self) -> &str {
        "1"
    }
    fn decides_at_arrival(&self) -> bool {
        true
    }
    fn build(&self, values: &[f64], _: &Setting) -> Box<dyn External> {
        Box::new(Promised { numbers: VecDeque::new(), fault: values[0] })
    }
}

impl External for Promised {
    fn enqueue(&mut self, packet: &ArrivingPacket, call: &mut Call<'_>) {
        if self.numbers.len() >= 12 {
            let victim = if self.fault == 2.0 {
                self.numbers.pop_front().expect("a full queue")
            } else {
                packet.number
            };
            call.host.drop(victim, Reason::Overflow);
            return;
        }
        call.host.mark(packet.number, Reason::Early);
        self.numbers.push_back(packet.number);
    }
    fn dequeue(&mut self, call: &mut Call<'_>) -> Option<u32> {
        match self.fault {
            1.0 => self.numbers.pop_back(),
            3.0 => self.numbers.front().map(|first| call.host.mark(*first, Reason::Early)).and(None),
            4.0 => None,
            _ => self.numbers.pop_front(),
        }
    }
}

fn promised(name: &'static str, fault: &str) -> queue::conformance::Report {
    register(Arc::new(Promise(name))).expect("a new name");
    let spec = read(&[("kind", name), ("fault", fault)]).expect("a known kind");
    let rules = Rules { packets: Some(12), marks: true, ..Rules::default() };
    drive(spec.build(&SETTING), &steps(1, 3_000), 1, &rules).expect("the rules of the kit")
}

#[test]
fn a_plugin_declares_that_it_decides_at_arrival() {
    let report = promised("promise_kept", "0");
    assert!(report.dropped > 0 && report.marked > 0 && report.left > 100, "{report:?}");
    let spec = read(&[("kind", "promise_kept")]).unwrap();
    assert_eq!(QueueDisc::decides(&spec.build::<Pkt>(&SETTING)), Decides::AtArrival);
}

#[test]
#[should_panic(expected = "although it declares decides_at_arrival")]
fn the_newest_first_breaks_the_promise() {
    promised("promise_order", "1");
}

#[test]
#[should_panic(expected = "has dropped packet")]
fn a_later_drop_breaks_the_promise() {
    promised("promise_drop", "2");
}

#[test]
#[should_panic(expected = "has marked packet")]
fn a_later_mark_breaks_the_promise() {
    promised("promise_mark", "3");
}

#[test]
#[should_panic(expected = "has sent nothing where packet")]
fn a_pause_breaks_the_promise() {
    promised("promise_pause", "4");
}
