//! The handle of a frame that a discipline moves, and the buffer that stores the frame.

use crate::header::Version;
use queue::disc::{Cx, Packet, QueueDisc};
use queue::Disc;
use units::{Bytes, Ecn, Time};

/// The handle of a frame in a discipline: a slot of the [`Store`] and the fields that disciplines read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    /// Its number among the arrivals of its direction, from 0.
    pub number: u64,
    /// Its flow: equal for frames of one flow and direction.
    pub flow: u64,
    /// Its source and its destination: equal for frames of one address.
    pub hosts: [u64; 2],
    /// When it reached the queue.
    pub arrived: Time,
    enqueued: Time,
    /// Index of its bytes in the buffer.
    pub slot: u32,
    /// Its size on the link, in bytes.
    pub size: u32,
    /// The path of the network around the bottleneck that it takes.
    pub path: u16,
    /// Its class: the precedence, which is the upper three bits of the DSCP (RFC2474 section 4.2.2).
    pub class: u8,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Whether a discipline set CE, which its bytes do not show yet.
    pub marked: bool,
}

impl Handle {
    /// A frame as it reaches the queue.
    pub fn new(number: u64, flow: u64, size: u32, ecn: Ecn, class: u8) -> Handle {
        let never = Time::ZERO;
        Handle {
            number,
            flow,
            hosts: [0; 2],
            arrived: never,
            enqueued: never,
            slot: u32::MAX,
            size,
            path: 0,
            class,
            ecn,
            marked: false,
        }
    }
}

impl Packet for Handle {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.size))
    }
    #[inline]
    fn flow(&self) -> u64 {
        self.flow
    }
    #[inline]
    fn hosts(&self) -> [u64; 2] {
        self.hosts
    }
    #[inline]
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    #[inline]
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
        self.marked = true;
    }
    #[inline]
    fn class(&self) -> u8 {
        self.class
    }
    #[inline]
    fn enqueued(&self) -> Time {
        self.enqueued
    }
    #[inline]
    fn set_enqueued(&mut self, now: Time) {
        self.enqueued = now;
    }
}

/// Bytes of the frames in flight. Slots are reused, so that nothing is allocated in steady state.
#[derive(Debug, Default)]
pub struct Store {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

#[derive(Debug, Default)]
struct Slot {
    frame: Vec<u8>,
    tag: Tag,
}

/// Data stored next to a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tag {
    /// A value that is returned to its device with the packet.
    pub token: u64,
    /// Offset and version of its IP header; `None` if it is not IP.
    pub ip: Option<(usize, Version)>,
}

impl Store {
    /// Copies a frame in.
    pub fn put(&mut self, frame: &[u8], tag: Tag) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            (self.slots.len() - 1) as u32
        });
        let place = &mut self.slots[slot as usize];
        place.frame.clear();
        place.frame.extend_from_slice(frame);
        place.tag = tag;
        slot
    }

    /// The bytes in a slot.
    pub fn frame(&self, slot: u32) -> &[u8] {
        &self.slots[slot as usize].frame
    }

    /// The bytes in a slot, to be changed.
    pub fn frame_mut(&mut self, slot: u32) -> &mut [u8] {
        &mut self.slots[slot as usize].frame
    }

    /// Data stored next to the frame.
    pub fn tag(&self, slot: u32) -> Tag {
        self.slots[slot as usize].tag
    }

    /// Returns a slot to the buffer.
    pub fn release(&mut self, slot: u32) {
        debug_assert!(!self.free.contains(&slot), "a slot is released once");
        self.free.push(slot);
    }

    /// Frames that are held.
    pub fn held(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

/// Takes the next packet out of a discipline that is replaced. A shaper would release its packets one by one, so it is
/// called at the time at which one is ready.
pub fn drain_next(queue: &mut Disc<Handle>, cx: &mut Cx<'_, Handle>) -> Option<Handle> {
    cx.now = queue.ready().map_or(cx.now, |ready| ready.max(cx.now));
    queue.dequeue(cx)
}
