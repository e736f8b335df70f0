//! In steady state no discipline allocates: a counting allocator watches.

mod common;

use common::{spec, Pkt, SETTING};
use queue::disc::{Cx, QueueDisc};
use queue::{catalogue, Disc};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use units::{Span, Stream, Time};

struct Counting;

thread_local! {
    /// Allocations by this thread; tests run on threads of their own.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: hands every request on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Rounds of three arrivals and two departures, so that the queue fills and overflows.
fn work(disc: &mut Disc<Pkt>, rounds: u64) {
    let mut rng = Stream::new(1, "allocations");
    let mut fates = Vec::with_capacity(128);
    let mut now = Time::ZERO;
    for round in 0..rounds {
        for i in 0..3 {
            disc.enqueue(Pkt::new(3 * round + i, 1000), &mut Cx::new(now, &mut rng, &mut fates));
            fates.clear();
        }
        for _ in 0..2 {
            disc.dequeue(&mut Cx::new(now, &mut rng, &mut fates));
            fates.clear();
        }
        if round % 100 == 99 {
            while disc.dequeue(&mut Cx::new(now, &mut rng, &mut fates)).is_some() {}
        }
        now += Span::from_micros(800);
    }
}

#[test]
fn no_allocation_in_steady_state() {
    for entry in catalogue() {
        for dialect in std::iter::once(None).chain(entry.presets.iter().map(|row| Some(row.name))) {
            let mut rows = vec![("kind", entry.kind), ("limit", "100 pkts")];
            rows.extend(dialect.map(|name| (entry.preset_key, name)));
            allocates_nothing(&rows);
        }
    }
}

#[test]
fn nor_does_a_discipline_inside_another() {
    for entry in catalogue() {
        let bands = format!("[plain, {}]", entry.kind);
        let common = [("limit", "100 pkts"), ("child", entry.kind)];
        allocates_nothing(&[("kind", "drr"), common[0], common[1]]);
        allocates_nothing(&[("kind", "sfq"), common[0], common[1]]);
        allocates_nothing(&[("kind", "prio"), common[0], ("bands", bands.as_str()), ("band_of", "[1, 0]")]);
    }
}

fn allocates_nothing(rows: &[(&str, &str)]) {
    let mut disc = spec(rows).build(&SETTING);
    work(&mut disc, 1_000);
    let before = COUNT.with(Cell::get);
    work(&mut disc, 10_000);
    let allocations = COUNT.with(Cell::get) - before;
    // One for the list of fates that `work` makes.
    assert_eq!(allocations, 1, "{rows:?}");
}
