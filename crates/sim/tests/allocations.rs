//! In steady state events do not allocate, and a flow is small: a counting allocator watches.

#![allow(unsafe_code, clippy::unwrap_used)]

use sim::account::Trace;
use sim::build::{build, measurement_window};
use sim::fast::{Fast, FastPath, FastPaths};
use sim::network::Network;
use sim::scenario::Scenario;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// This thread's allocations, and the bytes it holds: the test runner's own do not count.
    static MADE: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MADE.with(|made| made.set(made.get() + 1));
        HELD.with(|held| held.set(held.get() + layout.size() as i64));
        System.alloc(layout)
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.with(|held| held.set(held.get() - layout.size() as i64));
        System.dealloc(pointer, layout);
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn network(flows: u32, queue: &str, folded: bool) -> Network<Fast> {
    let text = format!(
        r#"
        title = "allocations"
        [run]
        duration = "1000 s"
        warmup = "1 s"
        [dumbbell]
        rate = "{flows} Mbit/s"
        delay = "10 ms"
        access_rate = "{access} Mbit/s"
        access_delay = "even 0.5 ms to 20 ms"
        [queue]
        kind = "{queue}"
        limit = "100 pkts"
        [flows.tcp]
        count = {flows}
        transport = "tcp"
        recovery = "sack"
        start = "uniform 0 s to 1 s"
        "#,
        access = 10 * flows,
    );
    let plan = Scenario::parse(&text).unwrap().plan();
    let without = if folded { FastPaths::NONE } else { FastPaths::NONE.with(FastPath::Fold) };
    let window = measurement_window(&plan, false);
    build(&plan, 1, window, Trace::default(), Fast::new(window.end, without))
}

fn work(network: &mut Network<Fast>, events: u64) {
    assert_eq!(network.advance(events).0, events);
}

#[test]
fn steady_state_allocates_nothing() {
    for queue in ["droptail", "red", "codel", "pie"] {
        for folded in [true, false] {
            let mut network = network(10, queue, folded);
            work(&mut network, 200_000);
            let before = MADE.with(Cell::get);
            work(&mut network, 200_000);
            let made = MADE.with(Cell::get) - before;
            // A store grows when it first holds more than ever before; nothing else may ask for memory.
            assert!(made <= 8, "{queue}, folded: {folded}: {made} allocations");
        }
    }
}

/// Bytes of a flow in all, its place in the plan and its four links included, before its window fills.
#[test]
fn flows_are_small() {
    let held = |flows| {
        let before = HELD.with(Cell::get);
        let network = network(flows, "red", true);
        (HELD.with(Cell::get) - before, network)
    };
    let ((few, _few), (bytes, many)) = (held(1000), held(2000));
    let each = (bytes - few) / 1000;
    // Its four lines are a quarter of it.
    let flow = size_of_val(&many.flows[0]);
    assert!(flow <= 848, "{flow}");
    // The flow, the box of its recovery, and the timer that starts it in a calendar that grows by doubling.
    assert!(each <= 1170, "{each}");
}
