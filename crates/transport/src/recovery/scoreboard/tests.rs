//! Tests of the scoreboard against the definitions of RFC 6675, segment by segment, and of its bounds by hand.

use super::*;

const THRESHOLD: u32 = 3;

fn board() -> Scoreboard {
    Scoreboard::new(&Params::default())
}

fn blocks(list: &[(u32, u32)]) -> SackBlocks {
    let mut blocks = SackBlocks::default();
    list.iter().for_each(|(start, end)| blocks.push(*start, *end));
    blocks
}

/// The scoreboard after one ACK of `una` with blocks; `max` is 40.
fn after(list: &[(u32, u32)]) -> Scoreboard {
    let mut scoreboard = board();
    scoreboard.add(&blocks(list), 1, 40);
    scoreboard.find_losses(1, THRESHOLD);
    scoreboard
}

fn counts(of: &Scoreboard) -> [u32; 5] {
    [of.sacked_count, of.highest, of.lost_edge, of.lost_count, of.rxt_out]
}

/// A sender that knows what RFC 6675 knows of each segment, and nothing else.
#[derive(Default)]
struct Naive {
    una: u32,
    sacked: Vec<u32>,
    lost_edge: u32,
    sent_again: Vec<u32>,
    high_rxt: u32,
}

impl Naive {
    /// `Update` and `IsLost` of RFC 6675 section 4, for segments of one size: three SACKed above.
    fn take(&mut self, ack: u32, list: &[(u32, u32)]) {
        self.una = ack;
        for (start, end) in list {
            self.sacked.extend((*start..*end).filter(|seq| !self.sacked.contains(seq)).collect::<Vec<_>>());
        }
        self.sacked.retain(|seq| *seq >= ack);
        self.sent_again.retain(|seq| *seq >= ack && !self.sacked.contains(seq));
        let above = |seq: u32| self.sacked.iter().filter(|one| **one >= seq).count();
        let edge = self.sacked.iter().copied().filter(|seq| above(*seq) >= THRESHOLD as usize).max();
        self.lost_edge = self.lost_edge.max(edge.unwrap_or(0));
    }

    fn holes(&self, past: u32) -> impl Iterator<Item = u32> + '_ {
        (self.una..past).filter(|seq| !self.sacked.contains(seq))
    }

    /// `NextSeg`, rule 1: the first lost segment above all that were retransmitted.
    fn next_lost(&self) -> Option<u32> {
        self.holes(self.lost_edge).find(|seq| *seq >= self.high_rxt)
    }

    fn counts(&self) -> [u32; 5] {
        let lost = self.holes(self.lost_edge).count() as u32;
        let highest = self.sacked.iter().max().map_or(0, |seq| seq + 1);
        [self.sacked.len() as u32, highest, self.lost_edge, lost, self.sent_again.len() as u32]
    }

    /// `SetPipe`: a segment is in flight if it is neither SACKed nor lost, and once more if it was retransmitted.
    fn pipe(&self, max: u32) -> u32 {
        self.holes(max).filter(|seq| *seq >= self.lost_edge).count() as u32 + self.sent_again.len() as u32
    }
}

/// The receiver of RFC 2018: the block of the last segment first, then the others in the order they were last reported.
#[derive(Default)]
struct Receiver {
    got: Vec<bool>,
    reported: Vec<(u32, u32)>,
}

impl Receiver {
    fn receive(&mut self, seq: u32) -> (u32, Vec<(u32, u32)>) {
        self.got[seq as usize] = true;
        let ack = self.got.iter().position(|one| !one).unwrap_or(self.got.len()) as u32;
        let (mut start, mut end) = (seq, seq + 1);
        while start > 0 && self.got[start as usize - 1] {
            start -= 1;
        }
        while self.got.get(end as usize).is_some_and(|one| *one) {
            end += 1;
        }
        self.reported.retain(|(from, past)| *from >= ack && !(start <= *from && *past <= end));
        if start >= ack {
            self.reported.insert(0, (start, end));
        }
        (ack, self.reported.iter().take(4).copied().collect())
    }
}

/// 60 segments of which many are lost, in 150 orders: the short path, the general one and the definitions agree after
/// each ACK, and so do retransmissions.
#[test]
fn every_count_follows_from_the_definitions() {
    let (mut short_taken, mut resent) = (0, 0);
    for case in 1..=150u64 {
        let mut state = case.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut draw = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let max = 61;
        let mut receiver = Receiver { got: vec![false; max as usize], ..Receiver::default() };
        receiver.got[0] = true;
        let (mut short, mut general) = (board(), board());
        let mut naive = Naive { una: 1, ..Naive::default() };
        let mut arriving: Vec<u32> = (1..max).filter(|_| draw(4) != 0).collect();
        for _ in 0..draw(12) {
            let (from, to) = (draw(arriving.len() as u64) as usize, draw(arriving.len() as u64) as usize);
            let one = arriving.remove(from);
            arriving.insert(to, one);
        }
        let mut next = 0;
        while next < arriving.len() {
            let (una, (ack, list)) = (naive.una, receiver.receive(arriving[next]));
            next += 1;
            let reported = blocks(&list);
            if ack == una && short.add_above_all(&reported, (una, max), || THRESHOLD) {
                short_taken += 1;
            } else {
                short.advance(una, ack);
                if short.add(&reported, ack, max) > 0 {
                    short.find_losses(ack, THRESHOLD);
                }
            }
            general.advance(una, ack);
            general.add(&reported, ack, max);
            general.find_losses(ack, THRESHOLD);
            naive.take(ack, &list);
            for of in [&short, &general] {
                let mut counted = counts(of);
                // What was SACKed last may be acknowledged: then only its count tells that nothing is SACKed.
                counted[1] = if of.sacked_count == 0 { 0 } else { counted[1] };
                assert_eq!(counted, naive.counts(), "case {case}: ACK {ack} with {list:?}");
                assert_eq!((of.next_lost(ack), of.pipe(ack, max)), (naive.next_lost(), naive.pipe(max)));
                assert_eq!(of.last_hole(ack, max), naive.holes(max).last());
                for seq in ack..max {
                    assert_eq!(of.is_hole(seq), seq < naive.lost_edge && !naive.sacked.contains(&seq));
                }
            }
            if let Some(lost) = naive.next_lost().filter(|_| draw(3) == 0) {
                if naive.high_rxt == 0 {
                    short.begin(ack);
                    general.begin(ack);
                }
                short.retransmitted(lost);
                general.retransmitted(lost);
                naive.high_rxt = lost + 1;
                naive.sent_again.push(lost);
                resent += 1;
                if draw(4) != 0 {
                    let at = (next + draw(6) as usize).min(arriving.len());
                    arriving.insert(at, lost);
                }
            }
        }
    }
    assert!(short_taken > 1000 && resent > 1000, "{short_taken}, {resent}");
}

#[test]
fn the_short_path_takes_one_more_above_all_others() {
    let taken = |before: &[(u32, u32)], list: &[(u32, u32)], una: u32, max: u32| {
        let mut scoreboard = after(before);
        scoreboard.add_above_all(&blocks(list), (una, max), || THRESHOLD).then(|| counts(&scoreboard))
    };
    let first = [(5, 7)];
    assert_eq!(taken(&first, &[(5, 8)], 1, 40), Some([3, 8, 5, 4, 0]), "the third makes 1 to 4 lost");
    assert_eq!(taken(&first, &[(9, 10), (5, 7)], 1, 40), Some([3, 10, 5, 4, 0]));
    assert_eq!(taken(&first, &[(5, 7)], 1, 40), None, "nothing new");
    assert_eq!(taken(&first, &[(5, 9)], 1, 40), None, "two more");
    assert_eq!(taken(&first, &[(5, 8)], 5, 40), None, "a block that begins at una");
    assert_eq!(taken(&first, &[(5, 8)], 1, 7), None, "beyond what was sent");
    // The first block is lengthened, but another lies above it.
    assert_eq!(taken(&[(5, 7), (20, 22)], &[(5, 8), (20, 22)], 1, 40), None);
    // Below what was retransmitted.
    let mut resent = after(&[(9, 12)]);
    resent.retransmitted(20);
    assert!(!resent.add_above_all(&blocks(&[(9, 13)]), (1, 40), || THRESHOLD));
    resent.high_rxt = 12;
    assert!(resent.add_above_all(&blocks(&[(9, 13)]), (1, 40), || THRESHOLD));
}

/// RFC 6675: three SACKed segments above make a hole lost, two do not.
#[test]
fn losses_begin_with_the_third() {
    assert_eq!(counts(&after(&[(5, 7)])), [2, 7, 0, 0, 0]);
    assert_eq!(counts(&after(&[(5, 8)])), [3, 8, 5, 4, 0]);
    assert_eq!(counts(&after(&[(9, 10), (5, 7), (3, 4)])), [4, 10, 5, 3, 0]);
    let mut scoreboard = after(&[(5, 8)]);
    assert_eq!([scoreboard.next_lost(1), scoreboard.next_lost(3)], [Some(1), Some(3)]);
    for seq in 1..=4 {
        assert!(!scoreboard.all_retransmitted());
        scoreboard.retransmitted(seq);
    }
    assert!(scoreboard.all_retransmitted());
    assert_eq!((scoreboard.next_lost(1), scoreboard.pipe(1, 40)), (None, 36), "32 above, and four again");
    scoreboard.retransmitted(2);
    assert_eq!(scoreboard.rxt_out, 4, "below what was retransmitted nothing counts twice");
}

/// With `retransmit_all` a retransmission stays in flight until it is acknowledged, although it is SACKed.
#[test]
fn retransmissions_that_are_sacked_may_stay_in_flight() {
    let in_flight = |retransmit_all: bool| {
        let mut scoreboard = Scoreboard::new(&Params { retransmit_all, ..Params::default() });
        scoreboard.add(&blocks(&[(5, 8)]), 1, 40);
        scoreboard.find_losses(1, THRESHOLD);
        scoreboard.begin(1);
        (1..=3).for_each(|seq| scoreboard.retransmitted(seq));
        scoreboard.add(&blocks(&[(2, 4), (5, 8)]), 1, 40);
        let before = (scoreboard.rxt_out, scoreboard.pipe(1, 40));
        scoreboard.advance(1, 3);
        (before, scoreboard.rxt_out, scoreboard.pipe(3, 40))
    };
    // 40 - 1 sent, five SACKed, 1 and 4 lost: 32, and one retransmission, or three.
    assert_eq!(in_flight(false), ((1, 33), 0, 32));
    assert_eq!(in_flight(true), ((3, 35), 1, 33));
}

#[test]
fn new_segments_of_a_report() {
    let mut scoreboard = after(&[(5, 8), (12, 14)]);
    assert_eq!(scoreboard.newly_sacked(&blocks(&[(5, 8), (12, 14)]), 1, 40), 0);
    assert_eq!(scoreboard.newly_sacked(&blocks(&[(5, 10), (12, 14)]), 1, 40), 2);
    assert_eq!(scoreboard.newly_sacked(&blocks(&[(38, 44)]), 1, 40), 2, "only what was sent");
    assert_eq!(scoreboard.possibly_new(5, 10), (8, 10));
    let reported = [(0, 5, 8), (1, 5, 8), (2, 5, 8), (1, 12, 14), (0, 12, 14), (0, 5, 9)];
    let seen = reported.map(|(place, start, end)| scoreboard.was_reported(place, start, end));
    assert_eq!(seen, [true, true, false, true, false, false]);
    let holes =
        [(1, 8), (5, 13), (5, 8), (0, 4)].map(|(first, past)| scoreboard.first_unsacked(first, past, 1, 40));
    assert_eq!(holes, [Some(1), Some(8), None, Some(1)]);
}

#[test]
fn clearing() {
    let mut scoreboard = after(&[(5, 8)]);
    scoreboard.begin(1);
    scoreboard.retransmitted(1);
    scoreboard.rescue = 9;
    let mut again = scoreboard.clone();
    again.recompute_losses(1, THRESHOLD);
    assert_eq!((counts(&again), again.high_rxt, again.rescue), ([3, 8, 5, 4, 0], 1, NONE));
    again.recompute_losses(1, THRESHOLD + 1);
    assert_eq!(counts(&again), [3, 8, 0, 0, 0]);
    scoreboard.clear(1);
    assert_eq!((counts(&scoreboard), scoreboard.high_rxt, scoreboard.next_hole(1, 40)), ([0; 5], 0, Some(1)));
    assert!(!scoreboard.was_reported(0, 5, 8));
}
