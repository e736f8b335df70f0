//! Stores of packets and of per-flow state, and parts that disciplines share.
//!
//! | module | holds |
//! |---|---|
//! | `longest` | the longest of the queues of a scheduler |
//! | `ring` | the ring buffer of a FIFO |
//! | `buckets` | the queues of a scheduler by flow hash, each plain or with a discipline inside |
//! | `flow_queues` | the flow queues of RFC8290, served by deficit round robin |
//! | `flow_table` | a small table of state by flow |
//! | `fuzzy` | fuzzy sets and rules of two inputs |
//! | `hash` | the flow hash |
//! | `token_bucket` | credit of a shaper |
//! | `virtual_queue` | a virtual queue whose capacity adapts |

pub(crate) mod buckets;
pub(crate) mod flow_queues;
pub(crate) mod flow_table;
pub(crate) mod fuzzy;
pub(crate) mod hash;
pub(crate) mod longest;
pub(crate) mod ring;
pub(crate) mod token_bucket;
pub(crate) mod virtual_queue;

use crate::disc::Packet;
use crate::fifo::Fifo;

/// A queue from whose head a control law takes packets.
pub(crate) trait PacketStore<P> {
    /// Removes and returns the oldest packet.
    fn pop(&mut self) -> Option<P>;
    /// Backlog in bytes, for the guard that keeps the last packets.
    fn backlog(&self) -> u64;
}

impl<P: Packet + Copy> PacketStore<P> for Fifo<P> {
    #[inline]
    fn pop(&mut self) -> Option<P> {
        self.pop_front()
    }
    #[inline]
    fn backlog(&self) -> u64 {
        Fifo::backlog(self).0
    }
}
