//! The send buffer of Linux: how far the application has written, which limits a sender whose first outstanding segment
//! stays so for long.
//!
//! *Reference*: Linux by its output, write by write: `docs/transports/tcp.md`.
//! *Units*: bytes of memory; segments.
//! *Deviations*: the application has data at all times and writes at once; the size follows a window that had room with
//! the next acknowledgement; an incomplete segment at the end of a block leaves with the rest of its data; those in
//! flight count as bursts of the present size.

use super::Ctx;
use crate::params::sizes::FIRST_OFFER;
use crate::params::Params;

/// Memory for a segment of the window: twice that of a packet of 2048 bytes and its record of 256.
const SEGMENT_BYTES: u64 = 4608;
/// A control with a model of the path gets half as much again.
const MODEL_SHARE: (u64, u64) = (3, 2);
/// Least window that the size is for.
const LEAST_WINDOW: u32 = 10;
/// Memory of a buffer for segmentation offload besides its data; SACKed ones are merged.
const RECORD_BYTES: u64 = 832;
/// Data that the application hands over at a time, and how often before it waits for free memory again (iperf3).
const BLOCK_BYTES: u64 = 131_072;
const BLOCKS: u32 = 10;

/// A send buffer that grows with the window.
#[derive(Clone, Debug)]
pub(crate) struct SendBuffer {
    mss: u64,
    /// Memory for a segment of the window, the most memory, and what is allowed now.
    share: u64,
    most: u64,
    size: u64,
    /// Segments of a whole buffer for segmentation offload.
    whole: u32,
    /// Bytes written, those left of a block, and the bytes written as all was last to leave that could.
    written: u64,
    rest: u64,
    pushed: u64,
    /// Bytes that have left.
    left: u64,
    /// First byte of the last buffer, and one past the last incomplete segment that left.
    last: u64,
    incomplete: u64,
    /// Receive window as last offered.
    offered: u32,
}

/// State of a sender as its application may write.
pub(crate) struct Sending {
    /// First segment not acknowledged, and one past the highest sent.
    pub(crate) una: u32,
    pub(crate) max: u32,
    /// Segments SACKed and in flight, and the congestion window.
    pub(crate) sacked: u32,
    pub(crate) flight: u32,
    pub(crate) cwnd: u32,
    /// Segments that leave together.
    pub(crate) burst: u32,
    /// The last sending left room in the window.
    pub(crate) had_room: bool,
}

/// The state of a writing.
struct Writing {
    /// Memory used.
    used: u64,
    /// Segments that may still leave.
    room: u32,
    /// First byte not acknowledged.
    una: u64,
    burst: u32,
    /// Bytes of a whole buffer.
    whole: u64,
}

impl SendBuffer {
    /// The buffer of a connection that has written nothing; `None` if its size is unlimited.
    pub(crate) fn new(p: &Params, model_based: bool, whole: u32) -> Option<SendBuffer> {
        let most = p.sending_memory()?.0;
        let (more, of) = if model_based { MODEL_SHARE } else { (1, 1) };
        let share = SEGMENT_BYTES * more / of;
        let size = (share * u64::from(LEAST_WINDOW)).min(most);
        let offered = p.first_receive_window();
        let (written, rest, pushed, left, last, incomplete) = (0, BLOCK_BYTES, 0, 0, 0, 0);
        Some(SendBuffer {
            mss: p.mss.0,
            share,
            most,
            size,
            whole,
            written,
            rest,
            pushed,
            left,
            last,
            incomplete,
            offered,
        })
    }

    /// The application writes if at least a third of the memory is free. Returns the segments that it has written and
    /// that the receiver allows, from the first one not acknowledged.
    pub(crate) fn write(&mut self, now: &Sending) -> u32 {
        let unsent = self.segments().saturating_sub(now.max);
        let room = now.cwnd.saturating_sub(now.flight);
        if now.had_room || unsent < room {
            self.size = self.size.max((self.share * u64::from(now.cwnd.max(LEAST_WINDOW))).min(self.most));
        }
        // An incomplete segment alone, which has left, does not fill the smallest buffers.
        let alone = self.segments() <= now.una;
        let used = self.memory(now, unsent).min(if alone { self.size / 2 } else { u64::MAX });
        if 3 * used <= 2 * self.size {
            // The window of a handshake is not scaled.
            let first = self.written == 0;
            let offered =
                if first { self.offered.min((FIRST_OFFER / self.mss) as u32) } else { self.offered };
            let room = room.min(offered.saturating_sub(now.max.saturating_sub(now.una)));
            let whole = u64::from(self.whole.min(offered / 2).max(1)) * self.mss;
            let una = u64::from(now.una) * self.mss;
            let burst = now.burst.max(1);
            self.left = self.left.max(u64::from(now.max) * self.mss);
            let mut writing = Writing { used, room, una, burst, whole };
            self.leave(&mut writing, u32::MAX);
            let _ = (0..BLOCKS).all(|_| self.write_block(&mut writing));
        }
        self.offered.min(self.segments().saturating_sub(now.una))
    }

    /// Writes a block, in buffers that are filled up. Memory is asked for before a buffer is added, not before one is
    /// filled up: while bursts leave of a buffer and it is filled up again, the memory may exceed its size. Returns
    /// whether the whole block was written.
    fn write_block(&mut self, writing: &mut Writing) -> bool {
        while self.rest > 0 {
            let mut last = self.written.saturating_sub(self.last.max(self.left));
            if last == 0 || last >= writing.whole {
                if writing.used >= self.size {
                    return false;
                }
                writing.used += RECORD_BYTES;
                (self.last, last) = (self.written, 0);
            }
            let more = self.rest.min(writing.whole - last);
            self.written += more;
            writing.used += more;
            self.rest -= more;
            if last + more < writing.whole {
                continue;
            }
            // A full buffer has a burst leave, if it is the first one, and all once half of a receive window has been
            // written.
            if self.written - self.pushed > u64::from(self.offered) * self.mss / 2 {
                self.pushed = self.written;
                self.leave(writing, u32::MAX);
            } else if self.left >= self.last {
                self.leave(writing, writing.burst);
            }
        }
        // At the end of a block all leaves, one incomplete segment a round trip.
        self.rest = BLOCK_BYTES;
        self.pushed = self.written;
        self.leave(writing, u32::MAX);
        let unsent = self.written.saturating_sub(self.left);
        if unsent > 0 && unsent < self.mss && writing.room > 0 && self.incomplete <= writing.una {
            (self.left, self.incomplete) = (self.written, self.written);
            writing.room -= 1;
        }
        true
    }

    /// Up to `most` segments leave, as far as the window has room.
    fn leave(&mut self, writing: &mut Writing, most: u32) {
        let unsent = self.written.saturating_sub(self.left) / self.mss;
        let leaving = unsent.min(u64::from(most.min(writing.room))) as u32;
        writing.room -= leaving;
        self.left += u64::from(leaving) * self.mss;
        // Each burst is a buffer of its own, the last one with what remains.
        let apart = leaving.div_ceil(writing.burst).saturating_sub(u32::from(self.left >= self.written));
        writing.used += u64::from(apart) * RECORD_BYTES;
    }

    /// Whole segments written.
    fn segments(&self) -> u32 {
        (self.written / self.mss).min(u64::from(u32::MAX)) as u32
    }

    /// Memory of what is written and not acknowledged.
    fn memory(&self, now: &Sending, unsent: u32) -> u64 {
        let held = self.written.saturating_sub(u64::from(now.una) * self.mss);
        let apart = (now.max - now.una - now.sacked).div_ceil(now.burst.max(1));
        let merged = now.sacked.div_ceil(self.whole) + unsent.div_ceil(self.whole);
        held + u64::from(apart + merged) * RECORD_BYTES
    }
}

impl Ctx {
    /// Takes the receive window of an ACK; a send buffer limits it at the end of the ACK.
    #[inline]
    pub(crate) fn update_window(&mut self, ack: u32, window: u32) {
        let buffer = self.tracking.get_mut().and_then(|tracking| tracking.send_buffer.as_mut());
        match buffer {
            Some(buffer) => {
                self.seq.rwnd = buffer.offered;
                self.seq.update_window(ack, window);
                buffer.offered = self.seq.rwnd;
            }
            None => self.seq.update_window(ack, window),
        }
    }

    /// Lets the application write, `flight` segments being in flight and `sacked` SACKed.
    #[inline]
    pub(crate) fn write_more(&mut self, flight: u32, sacked: u32) {
        let limited = self.tracking.get().is_some_and(|tracking| tracking.send_buffer.is_some());
        if !limited {
            return;
        }
        let now = Sending {
            una: self.seq.una,
            max: self.seq.max,
            sacked,
            flight,
            cwnd: self.window.cwnd as u32,
            burst: self.burst_size(),
            had_room: self.tracking.usage.had_room,
        };
        if let Some(buffer) = self.tracking.send_buffer.as_mut() {
            self.seq.rwnd = buffer.write(&now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Recovery;
    use units::Bytes;

    fn buffer() -> SendBuffer {
        let params = Params {
            recovery: Recovery::Rack,
            mss: Bytes(1448),
            send_buffer: Some(Bytes(4 << 20)),
            ..Params::default()
        };
        SendBuffer::new(&params, false, 45).expect("limited")
    }

    fn opening(una: u32, max: u32, flight: u32, cwnd: u32) -> Sending {
        Sending { una, max, sacked: 0, flight, cwnd, burst: 2, had_room: false }
    }

    /// Writes of Linux in slow start from ten segments, each ACK making one more. A buffer of half the window of 45
    /// offered and the ten that leave of it: 32. As these are used up, 45 and 2 more for a window of 22, then twice 45
    /// and 1 for one of 45, then four times 45 and 2 for one of 91.
    #[test]
    fn the_application_writes_as_in_linux() {
        let mut buffer = buffer();
        buffer.offered = 10_000;
        let mut writes = vec![];
        let (mut una, mut max, mut cwnd) = (0, 0, 10);
        while writes.len() < 4 {
            let end = una + buffer.write(&opening(una, max, max - una, cwnd));
            if writes.last() != Some(&buffer.segments()) {
                writes.push(buffer.segments());
            }
            max = end.min(una + cwnd);
            (una, cwnd) = (una + 1, cwnd + 1);
        }
        assert_eq!(writes, [32, 79, 170, 352]);
    }

    /// Writes of Linux with 1 MiB at windows of 470 to 1619, two thirds of the memory being used. An
    /// incomplete segment of the first block leaves; those of later blocks are filled up until the window is full or ten
    /// blocks are written, with up to twice the memory.
    #[test]
    fn buffers_are_filled_up_beyond_the_memory() {
        let written = |cwnd, flight, burst, rest| {
            let mut buffer = buffer();
            (buffer.written, buffer.left, buffer.rest) = (2000 * 1448, 2000 * 1448, rest);
            (buffer.size, buffer.most, buffer.offered) = (1 << 20, 1 << 20, 20_000);
            let now = Sending { burst, ..opening(2000 - flight, 2000, flight, cwnd) };
            buffer.write(&now) - flight
        };
        assert_eq!(written(470, 432, 8, 19_104), 262);
        assert_eq!(written(1019, 458, 17, 105_176), 605);
        assert_eq!(written(1619, 465, 29, 14_648), 824);
    }

    /// In a recovery nothing is acknowledged: the sender stops at 352 segments, until a third of the memory is free.
    #[test]
    fn a_long_recovery_ends_at_the_last_segment_written() {
        let mut buffer = buffer();
        (buffer.written, buffer.size, buffer.offered) = (352 * 1448, 91 * SEGMENT_BYTES, 10_000);
        let hole = |una| Sending { sacked: 165, flight: 50, ..opening(una, 352, 50, 62) };
        assert_eq!(buffer.write(&Sending { had_room: true, ..hole(135) }), 217);
        assert!(buffer.write(&hole(180)) > 172, "a third of the memory is free");
    }
}
