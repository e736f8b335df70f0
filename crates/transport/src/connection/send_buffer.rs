//! The send buffer of Linux: how far the application has written, which limits a sender whose first outstanding segment
//! stays so for long.
//!
//! *Reference*: Linux by its output, write by write: `docs/transports/tcp.md`.
//! *Units*: bytes of memory; segments.
//! *Deviations*: the application has data at all times and writes at once; the size follows a window that had room with
//! the next acknowledgement.

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
const RECORD_BYTES: u64 = 1280;

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
    /// One past the last segment written.
    written: u32,
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

impl SendBuffer {
    /// The buffer of a connection that has written nothing; `None` if its size is unlimited.
    pub(crate) fn new(p: &Params, model_based: bool, whole: u32) -> Option<SendBuffer> {
        let most = p.sending_memory()?.0;
        let (more, of) = if model_based { MODEL_SHARE } else { (1, 1) };
        let share = SEGMENT_BYTES * more / of;
        let size = (share * u64::from(LEAST_WINDOW)).min(most);
        let offered = p.first_receive_window();
        Some(SendBuffer { mss: p.mss.0, share, most, size, whole, written: 0, offered })
    }

    /// The application writes if at least a third of the memory is free. Returns the segments that it has written and
    /// that the receiver allows, from the first one not acknowledged.
    pub(crate) fn write(&mut self, now: &Sending) -> u32 {
        let room = now.cwnd.saturating_sub(now.flight);
        let unsent = self.written.saturating_sub(now.max);
        if now.had_room || unsent < room {
            self.size = self.size.max((self.share * u64::from(now.cwnd.max(LEAST_WINDOW))).min(self.most));
        }
        let mut used = self.memory(now, unsent);
        if 3 * used <= 2 * self.size {
            // The window of a handshake is not scaled.
            let first = self.written == 0;
            let offered =
                if first { self.offered.min((FIRST_OFFER / self.mss) as u32) } else { self.offered };
            let whole = self.whole.min(offered / 2).max(1);
            // The last buffer is filled up.
            let rest = (unsent.saturating_sub(room) % whole).min(unsent);
            if rest > 0 {
                used += self.add(whole - rest);
            }
            let mut room = room.saturating_sub(unsent);
            while used < self.size {
                used += self.add(whole) + RECORD_BYTES;
                // A new buffer leaves as far as the window allows, and what is left of it is filled up again.
                let leaving = room.min(whole);
                room -= leaving;
                if leaving < whole {
                    used += self.add(leaving);
                }
            }
        }
        self.offered.min(self.written.saturating_sub(now.una))
    }

    /// Writes more segments; returns their memory.
    fn add(&mut self, segments: u32) -> u64 {
        self.written = self.written.saturating_add(segments);
        u64::from(segments) * self.mss
    }

    /// Memory of what is written and not acknowledged.
    fn memory(&self, now: &Sending, unsent: u32) -> u64 {
        let held = u64::from(self.written.saturating_sub(now.una));
        let apart = (now.max - now.una - now.sacked).div_ceil(now.burst.max(1));
        let merged = now.sacked.div_ceil(self.whole) + unsent.div_ceil(self.whole);
        held * self.mss + u64::from(apart + merged) * RECORD_BYTES
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
            if writes.last() != Some(&buffer.written) {
                writes.push(buffer.written);
            }
            max = end.min(una + cwnd);
            (una, cwnd) = (una + 1, cwnd + 1);
        }
        assert_eq!(writes, [32, 79, 170, 352]);
    }

    /// A window much larger than the buffer does not make it larger: after all is acknowledged, 1 MiB takes 16 buffers.
    #[test]
    fn the_memory_bounds_what_is_written() {
        let mut buffer = buffer();
        (buffer.written, buffer.size, buffer.most, buffer.offered) = (100, 1 << 20, 1 << 20, 100_000);
        assert_eq!(buffer.write(&opening(100, 100, 0, 50_000)), 16 * 45);
    }

    /// In a recovery nothing is acknowledged: the sender stops at 352 segments, until a third of the memory is free.
    #[test]
    fn a_long_recovery_ends_at_the_last_segment_written() {
        let mut buffer = buffer();
        (buffer.written, buffer.size, buffer.offered) = (352, 91 * SEGMENT_BYTES, 10_000);
        let hole = |una| Sending { sacked: 165, flight: 50, ..opening(una, 352, 50, 62) };
        assert_eq!(buffer.write(&Sending { had_room: true, ..hole(135) }), 217);
        assert!(buffer.write(&hole(180)) > 172, "a third of the memory is free");
    }
}
