//! SACK blocks and other extras of acknowledgements in flight.

use super::{Pkt, BYTES, ECE, SYN, WINDOW};
use queue::disc::SackLookup;
use transport::accecn::ByteOption;
use transport::segment::SackBlocks;

/// Fields that few acknowledgements carry besides SACK blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extras {
    /// Byte counters of accurate ECN.
    pub(super) bytes: Option<ByteOption>,
    /// Receive window in segments.
    pub(super) window: Option<u32>,
}

/// SACK blocks of acknowledgements in flight, and their extras. Few packets have any, so they carry an index.
#[derive(Debug, Default)]
pub struct SackPool {
    blocks: Vec<SackBlocks>,
    /// By the same indices; shorter if the rest have none.
    extras: Vec<Extras>,
    free: Vec<u32>,
}

impl SackPool {
    #[inline]
    pub(super) fn put(&mut self, blocks: &SackBlocks) -> u32 {
        let Some(place) = self.free.pop() else { return self.put_slow(blocks) };
        self.blocks[place as usize - 1] = *blocks;
        place
    }

    /// No entry is free.
    #[cold]
    fn put_slow(&mut self, blocks: &SackBlocks) -> u32 {
        self.blocks.push(*blocks);
        self.blocks.len() as u32
    }

    /// Stores blocks, possibly none, with extras.
    pub(super) fn put_with_extras(&mut self, blocks: &SackBlocks, extras: Extras) -> u32 {
        let place = self.put(blocks);
        if self.extras.len() < place as usize {
            self.extras.resize(place as usize, Extras::default());
        }
        self.extras[place as usize - 1] = extras;
        place
    }

    /// The extras of a packet that carries some.
    pub(super) fn extras(&self, pkt: &Pkt) -> Extras {
        self.extras[pkt.sack as usize - 1]
    }

    /// The receive window of a packet that carries one and nothing else that is not plain.
    #[inline(always)]
    pub fn window_alone(&self, pkt: &Pkt) -> Option<u32> {
        let alone = pkt.has(WINDOW) && !pkt.has(SYN | ECE | BYTES);
        if alone {
            self.extras(pkt).window
        } else {
            None
        }
    }

    pub(super) fn take(&mut self, place: u32) -> SackBlocks {
        self.free.push(place);
        self.blocks[place as usize - 1]
    }

    /// The blocks of a packet that has some.
    #[inline]
    pub fn get(&self, pkt: &Pkt) -> &SackBlocks {
        &self.blocks[pkt.sack as usize - 1]
    }

    /// Another entry with the blocks of a packet that is duplicated; zero if it has none.
    pub fn copy(&mut self, pkt: &Pkt) -> u32 {
        match pkt.sack {
            0 => 0,
            place => {
                let blocks = self.blocks[place as usize - 1];
                if pkt.has(BYTES | WINDOW) {
                    self.put_with_extras(&blocks, self.extras(pkt))
                } else {
                    self.put(&blocks)
                }
            }
        }
    }

    /// Frees the blocks of a packet that was dropped before it arrived.
    #[inline]
    pub fn release(&mut self, pkt: &Pkt) {
        if pkt.sack != 0 {
            self.free.push(pkt.sack);
        }
    }
}

impl SackLookup for SackPool {
    fn blocks(&self, sack: u32) -> [[u64; 2]; 4] {
        let mut blocks = [[0; 2]; 4];
        let held = &self.blocks[sack as usize - 1];
        blocks.iter_mut().zip(held.iter()).for_each(|(to, (start, end))| *to = [start.into(), end.into()]);
        blocks
    }
}
