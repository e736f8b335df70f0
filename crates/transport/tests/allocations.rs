//! In steady state neither endpoint allocates, with losses or without.

#![allow(unsafe_code, clippy::unwrap_used)]

#[path = "harness/loopback.rs"]
mod loopback;

use loopback::Loopback;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// This thread's allocations: the test runner's own do not count.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|made| made.set(made.get() + 1));
        System.alloc(layout)
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        System.dealloc(pointer, layout);
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steady_state_allocates_nothing() {
    for recovery in ["tahoe", "reno", "newreno", "sack", "sack1"] {
        for lose_every in [0, 97] {
            let mut line = Loopback::new(&[("recovery", recovery), ("window", "300"), ("min_rto", "10 ms")]);
            line.lose_every = lose_every;
            while line.receiver.delivered() < 20_000 {
                line.step();
            }
            let before = ALLOCATIONS.with(Cell::get);
            while line.receiver.delivered() < 60_000 {
                line.step();
            }
            let made = ALLOCATIONS.with(Cell::get) - before;
            assert_eq!(made, 0, "{recovery}, one in {lose_every} lost");
        }
    }
}

#[test]
fn no_congestion_control_allocates() {
    for (control, _) in transport::catalogue().controls {
        for recovery in ["newreno", "sack", "rack"] {
            let keys = [
                ("cc", control),
                ("recovery", recovery),
                ("window", "300"),
                ("min_rto", "10 ms"),
                ("ecn", "true"),
                ("ecn_rule", if control == "prague" { "accecn" } else { "dctcp" }),
                ("hystart", "rfc9406"),
            ];
            let mut line = Loopback::new(&keys);
            line.lose_every = 97;
            while line.receiver.delivered() < 5_000 {
                line.step();
            }
            let before = ALLOCATIONS.with(Cell::get);
            while line.receiver.delivered() < 20_000 {
                line.step();
            }
            assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0, "{control} with {recovery}");
        }
    }
}

/// Memory of a flow without losses.
#[test]
fn endpoints_are_compact() {
    assert!(size_of::<transport::Sender>() <= 272, "{}", size_of::<transport::Sender>());
    assert!(size_of::<transport::Receiver>() <= 128, "{}", size_of::<transport::Receiver>());
}
