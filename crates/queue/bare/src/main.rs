//! CoDel on a device that has a heap and nothing else: no operating system, no standard library.
//!
//! The packets are slots of a ring that the device fills; a discipline sees them through the trait `Packet` and moves
//! these twelve bytes. Heap and panic handler come from outside: here from C's library, so that the program can be run
//! anywhere; firmware has a heap and a reset of its own.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{c_int, c_void};
use core::panic::PanicInfo;
use queue::codel::Params;
use queue::disc::{Cx, Fate, Packet, QueueDisc};
use queue::{Discipline, Setting};
use units::param::Valid;
use units::{Bytes, Ecn, Rate, Span, Stream, Time};

/// A slot of the device's ring, with its header fields. Arrival times are in ticks of a microsecond.
#[derive(Clone, Copy)]
struct Slot {
    flow: u16,
    bytes: u16,
    arrived_us: u32,
    ecn: Ecn,
}

impl Packet for Slot {
    fn size(&self) -> Bytes {
        Bytes(self.bytes.into())
    }
    fn flow(&self) -> u64 {
        self.flow.into()
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn enqueued(&self) -> Time {
        Time::ZERO + Span::from_micros(self.arrived_us.into())
    }
    fn set_enqueued(&mut self, now: Time) {
        self.arrived_us = (now.since(Time::ZERO).0 / 1000) as u32;
    }
}

/// Runs CoDel (RFC8289) for two seconds at twice the rate of the link. Returns the numbers of packets that were sent,
/// that were dropped, and that still wait.
fn overload() -> Option<[usize; 3]> {
    let params = Valid::new(Params::default()).ok()?;
    let setting = Setting { rate: Rate(10_000_000), delay: Span::from_millis(20), packet: Bytes(1500) };
    let mut queue = Params::build::<Slot>(&params, &setting);
    let (mut rng, mut fates) = (Stream::new(1, "device"), Vec::new());
    let (mut sent, mut dropped) = (0, 0);
    for slot in 0..1667_u32 {
        let now = Time::ZERO + Span::from_micros(1200 * u64::from(slot));
        for flow in [7, 9] {
            let frame = Slot { flow, bytes: 1500, arrived_us: 0, ecn: Ecn::NotEct };
            queue.enqueue(frame, &mut Cx::new(now, &mut rng, &mut fates));
        }
        sent += usize::from(queue.dequeue(&mut Cx::new(now, &mut rng, &mut fates)).is_some());
        dropped += fates.drain(..).filter(|fate| matches!(fate, Fate::Dropped(..))).count();
    }
    Some([sent, dropped, queue.len()])
}

/// Exit code 0 if the numbers are those of the same calls with the standard library: see the crate's README.
#[no_mangle]
extern "C" fn main() -> c_int {
    match overload() {
        Some([1667, dropped, waiting]) if dropped > 10 && dropped + waiting == 1667 => 0,
        _ => 1,
    }
}

/// The heap of C's library, whose blocks are aligned for every type that a discipline stores.
struct Heap;

// SAFETY: `malloc` gives a block of its own or null, aligned to 16 bytes; larger alignments are refused; `free` gets
// back the pointer that `malloc` returned.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > 16 {
            return core::ptr::null_mut();
        }
        malloc(layout.size()).cast()
    }
    // SAFETY: see above.
    unsafe fn dealloc(&self, block: *mut u8, _layout: Layout) {
        free(block.cast());
    }
}

#[global_allocator]
static HEAP: Heap = Heap;

#[link(name = "c")]
extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
    fn abort() -> !;
}

#[panic_handler]
fn stop(_info: &PanicInfo<'_>) -> ! {
    // SAFETY: takes nothing and does not return.
    unsafe { abort() }
}

/// A symbol that `alloc`, built for programs that unwind, refers to; nothing unwinds here.
#[no_mangle]
extern "C" fn rust_eh_personality() {}

/// As above.
#[no_mangle]
extern "C" fn _Unwind_Resume() {}
