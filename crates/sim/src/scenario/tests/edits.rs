//! `set`, `with` and `get`.

use super::*;

#[test]
fn a_value_that_was_set_is_read_back() {
    let scenario = parsed(FIRST);
    for (path, value) in [
        ("queue.max_p", Value::Float(0.25)),
        ("flows.tcp.count", Value::Int(3)),
        ("run.duration", text("5 min")),
        ("dumbbell.drop", Value::List(vec![Value::Int(1), Value::Int(5)])),
        ("back_queue.limit", text("7 pkts")),
        ("title", text("new")),
    ] {
        let changed = scenario.with(&[(path, value.clone()), ("run.warmup", text("auto"))]).unwrap();
        let expected = if path == "run.duration" { text("300 s") } else { value };
        assert_eq!(changed.get(path), Ok(expected), "{path}");
    }
    assert_eq!(scenario.get("queue.limit_test"), Ok(text("before")));
    assert_eq!(scenario.get("flows.voice.access_delay"), Ok(text("even 1 ms to 5 ms")));
    assert_eq!(parsed(CHAIN).get("chain.hop1.rate"), Ok(text("10 Mbit/s")));
    assert_eq!(parsed(CHAIN).get("chain.hop1.queue.kind"), Ok(text("red")));
}

#[test]
fn values_that_follow_others_follow_the_edit() {
    let scenario = parsed("[dumbbell]\n[queue]\nkind = \"droptail\"\n[flows.a]");
    let longer = scenario.set("run.duration", text("100 s")).unwrap();
    assert_eq!(longer.get("run.warmup"), Ok(text("20 s")));
    let faster = scenario.set("dumbbell.rate", text("1 Gbit/s")).unwrap();
    assert_eq!(faster.get("dumbbell.access_rate"), Ok(text("10 Gbit/s")));
}

#[test]
fn another_kind_drops_what_it_does_not_know() {
    let scenario = parsed(FIRST);
    let tail = scenario.set("queue.kind", text("droptail")).unwrap();
    assert_eq!(tail.get("queue.limit"), Ok(text("100 pkts")));
    assert_eq!(tail.get("queue.max_p").unwrap_err().rule, "no such key here");
    let back = tail.set("queue.kind", text("red")).unwrap();
    assert_eq!(back.get("queue.max_p"), Ok(Value::Float(0.02)));
    let same = scenario.set("queue.kind", text("red")).unwrap();
    assert_eq!(plan_text(&same), plan_text(&scenario));
    let whole = vec![("kind".to_string(), text("red")), ("max_p".to_string(), Value::Float(0.5))];
    let whole = scenario.set("queue", Value::Table(whole)).unwrap();
    assert_eq!(whole.get("queue.limit"), Ok(text("100 pkts")));
    assert_eq!(whole.get("queue.max_p"), Ok(Value::Float(0.5)));
}

#[test]
fn another_transport_or_source_drops_what_it_does_not_know() {
    let scenario = parsed(FIRST);
    let udp = scenario.set("flows.tcp.transport", text("udp")).unwrap();
    assert_eq!(udp.get("flows.tcp.source"), Ok(text("cbr")));
    assert_eq!(udp.get("flows.tcp.count"), Ok(Value::Int(8)));
    assert_eq!(udp.get("flows.tcp.recovery").unwrap_err().rule, "no such key here");
    let bursts = scenario.set("flows.voice.source", text("onoff")).unwrap();
    assert_eq!(bursts.get("flows.voice.on"), Ok(text("500 ms")));
    assert_eq!(bursts.get("flows.voice.packet"), Ok(text("500 B")));
}

#[test]
fn an_edit_inside_an_inherited_queue_starts_from_it() {
    let chain = parsed(CHAIN).set("chain.hop1.queue.max_p", Value::Float(0.5)).unwrap();
    assert_eq!(chain.get("chain.hop1.queue.limit"), Ok(text("60 pkts")));
    assert_eq!(chain.get("chain.hop1.queue.max_p"), Ok(Value::Float(0.5)));
    assert_eq!(chain.get("queue.max_p"), Ok(Value::Float(0.02)));
    let graph = parsed(GRAPH).set("links.up.queue.limit", text("5 pkts")).unwrap();
    assert_eq!(graph.get("links.up.queue.kind"), Ok(text("droptail")));
    let red = parsed(FIRST).set("back_queue.kind", text("red")).unwrap();
    assert_eq!(red.get("back_queue.limit"), Ok(text("100 pkts")));
}

#[test]
fn an_edit_reaches_into_a_discipline_inside_another() {
    let scenario = parsed("[dumbbell]\n[queue]\nkind = \"drr\"\nchild = \"red:ns2\"\n[flows.a]");
    assert_eq!(scenario.get("queue.child.kind"), Ok(text("red")));
    let edited = scenario.set("queue.child.max_p", Value::Float(0.5)).unwrap();
    assert_eq!(edited.get("queue.child.dialect"), Ok(text("ns2")));
    assert_eq!(edited.get("queue.child.max_p"), Ok(Value::Float(0.5)));
    let codel = edited.set("queue.child.kind", text("codel")).unwrap();
    assert_eq!(codel.get("queue.child.target"), Ok(text("5 ms")));
    assert_eq!(codel.get("queue.limit"), Ok(text("100 pkts")));
    let plain = codel.set("queue.child", text("plain")).unwrap();
    assert_eq!(plain.get("queue.child"), Ok(text("plain")));
    let refused = scenario.set("queue.child.max_p", Value::Float(2.0)).unwrap_err();
    assert!(lines(&refused)[0].starts_with("queue.child.max_p = 2: must lie in"), "{refused:?}");
}

#[test]
fn several_edits_are_checked_together() {
    let scenario = parsed(FIRST);
    assert!(scenario.set("queue.min_th", text("20 pkts")).is_err());
    let both =
        scenario.with(&[("queue.min_th", text("20 pkts")), ("queue.max_th", text("60 pkts"))]).unwrap();
    assert_eq!(both.get("queue.max_th"), Ok(text("60 pkts")));
}

#[test]
fn misspelt_paths_are_refused() {
    let scenario = parsed(FIRST);
    let refused = |path: &str| lines(&scenario.set(path, Value::Int(1)).unwrap_err());
    assert_eq!(refused("flows.tpc.count"), ["flows.tpc: no such group; did you mean 'tcp'?"]);
    assert_eq!(refused("queue.maxp"), ["queue.maxp = 1: no such key here; did you mean 'max_p'?"]);
    assert_eq!(refused("qeue.max_p"), ["qeue: no such section here; did you mean 'queue'?"]);
    assert_eq!(
        refused("run.duration.x"),
        ["run.duration = \"60 s\": is a value, not a section; shorten the path"]
    );
    assert_eq!(
        refused("queue..x"),
        ["'queue..x': is not a path of keys joined by dots; write one such as queue.max_p"]
    );
    let missing = scenario.get("queue.maxp").unwrap_err();
    assert_eq!(missing.to_string(), "queue.maxp: no such key here; did you mean 'max_p'?");
}

#[test]
fn typed_text_becomes_a_value() {
    for (typed_text, value) in [
        ("true", Value::Bool(true)),
        ("20", Value::Int(20)),
        ("0.1", Value::Float(0.1)),
        ("1e-3", Value::Float(0.001)),
        ("20 ms", text("20 ms")),
        ("red", text("red")),
        ("\"20\"", text("20")),
        ("[14, 28]", Value::List(vec![Value::Int(14), Value::Int(28)])),
        ("nan", text("nan")),
        ("[", text("[")),
    ] {
        assert_eq!(typed(typed_text), value, "{typed_text}");
    }
}
