//! The filter of acknowledgements of Linux's CAKE: each burst that `reference/linux/acks.py` recorded loses the same
//! ones.

use crate::common::{read_trace, spec, traces, Pkt};
use queue::disc::{Acknowledgement, Cx, QueueDisc, SackLookup};
use queue::{Disc, Setting};
use units::{Bytes, Ecn, Rate, Span, Stream, Time};

const SETTING: Setting = Setting { rate: Rate(1_000_000), delay: Span::ZERO, packet: Bytes(1500) };

/// The blocks of each acknowledgement of a burst, by its number plus one.
struct Blocks(Vec<[[u64; 2]; 4]>);

impl SackLookup for Blocks {
    fn blocks(&self, sack: u32) -> [[u64; 2]; 4] {
        self.0[sack as usize - 1]
    }
}

/// `5:6-7:9-10e`: the next segment, its SACK blocks, and whether it has ECE.
fn parse(text: &str) -> (u64, [[u64; 2]; 4], u8) {
    let (text, flags) = text.strip_suffix('e').map_or((text, 0), |rest| (rest, 1));
    let mut parts = text.split(':');
    let next = parts.next().unwrap().parse().unwrap();
    let mut blocks = [[0; 2]; 4];
    for (place, part) in blocks.iter_mut().zip(parts) {
        let (from, to) = part.split_once('-').unwrap();
        *place = [from.parse().unwrap(), to.parse().unwrap()];
    }
    (next, blocks, flags)
}

/// The numbers of the acknowledgements that a filter lets through.
fn left(acks: &[&str], filter: &str, knows_blocks: bool) -> Vec<usize> {
    let keys = [("kind", "cake"), ("tins", "besteffort"), ("isolate", "flowblind"), ("ack_filter", filter)];
    let mut cake: Disc<Pkt> = spec(&keys).build(&SETTING);
    let parsed: Vec<_> = acks.iter().map(|ack| parse(ack)).collect();
    let blocks = Blocks(parsed.iter().map(|(_, blocks, _)| *blocks).collect());
    let (mut rng, mut fates) = (Stream::new(1, "acks"), Vec::new());
    for (number, (next, found, flags)) in parsed.iter().enumerate() {
        let sack = if found[0] == [0; 2] { 0 } else { number as u32 + 1 };
        let ack = Acknowledgement { next: *next, pure: true, sack, flags: *flags };
        let pkt = Pkt { ack: Some(ack), ecn: Ecn::NotEct, ..Pkt::new(number as u64, 40) };
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut fates);
        cx.sacks = knows_blocks.then_some(&blocks);
        cake.enqueue(pkt, &mut cx);
    }
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut fates);
    std::iter::from_fn(|| cake.dequeue(&mut cx)).map(|pkt| pkt.id as usize).collect()
}

#[test]
fn every_recorded_burst_loses_the_same_acknowledgements() {
    let (_, rows) = read_trace(&traces("linux", "acks")[0]);
    let (mut bursts, mut with_blocks) = (0, 0);
    for row in &rows {
        let [acks, conservative, aggressive] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let acks: Vec<&str> = acks.split(' ').collect();
        for (filter, numbers) in [("conservative", conservative), ("aggressive", aggressive)] {
            let theirs: Vec<usize> = numbers.split(',').map(|number| number.parse().unwrap()).collect();
            assert_eq!(left(&acks, filter, true), theirs, "{filter}: {row}");
            with_blocks += (0..acks.len()).filter(|i| !theirs.contains(i) && acks[*i].contains(':')).count();
        }
        bursts += 1;
    }
    assert!(bursts == 500 && with_blocks > 500, "{bursts} bursts, {with_blocks} dropped with blocks");
}

#[test]
fn blocks_that_nobody_knows_are_not_covered() {
    assert_eq!(left(&["1:3-4", "1:3-5", "1:3-6", "2"], "aggressive", true), [2, 3]);
    assert_eq!(left(&["1:3-4", "1:3-5", "1:3-6", "2"], "aggressive", false), [0, 1, 2, 3]);
    assert_eq!(left(&["1", "2", "3:5-6"], "aggressive", false), [2]);
}
