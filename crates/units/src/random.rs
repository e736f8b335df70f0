//! Named random streams.
//!
//! Reference: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): Philox4x32-10.
//! The key is made from the experiment's seed and the component's name, and the counter is the number of the draw. So
//! each component has a sequence of its own, and an additional host does not change the draws of a queue. Distributions
//! use one uniform number for each draw (inverse transforms), so runs with common random numbers stay aligned.

use crate::math;

/// Source of random decisions. A queue discipline sees only this.
pub trait Rng {
    /// The next uniform number in [0, 1).
    fn uniform(&mut self) -> f64;
}

/// A stream of random numbers that belongs to one named component of one run.
#[derive(Clone, Debug)]
pub struct Stream {
    key: [u32; 2],
    id: [u32; 2],
    block: u64,
    /// The current block as two 64-bit words, and how many of them were used.
    words: [u64; 2],
    used: u8,
}

impl Stream {
    /// The stream of the component called `name` in the run with this seed.
    pub fn new(seed: u64, name: &str) -> Stream {
        let id = fnv1a(name.as_bytes());
        Stream { key: split(seed), id: split(id), block: 0, words: [0; 2], used: 2 }
    }

    /// A stream of its own for part number `part` of this component; draws made so far do not change it.
    pub fn branch(&self, part: u64) -> Stream {
        let name = [self.id[0], self.id[1], split(part)[0], split(part)[1]].map(u32::to_le_bytes).concat();
        Stream { key: self.key, id: split(fnv1a(&name)), block: 0, words: [0; 2], used: 2 }
    }

    /// Sixty-four random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        if self.used == 1 {
            self.used = 2;
            return self.words[1];
        }
        self.refill();
        self.words[0]
    }

    /// The next block, of which one word is about to be used.
    #[inline(never)]
    fn refill(&mut self) {
        self.words = self.words_of(self.block);
        self.block += 1;
        self.used = 1;
    }

    /// The two words of a block.
    #[inline(always)]
    fn words_of(&self, block: u64) -> [u64; 2] {
        let [low, high] = split(block);
        let [a, b, c, d] = philox4x32([low, high, self.id[0], self.id[1]], self.key);
        [u64::from(a) | u64::from(b) << 32, u64::from(c) | u64::from(d) << 32]
    }

    /// Exponential with the given mean.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * math::ln(1.0 - self.uniform())
    }

    /// Pareto with the given mean and shape (> 1): `x_m (1-u)^(-1/shape)`, `x_m = mean (shape-1)/shape`.
    #[inline]
    pub fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        let scale = mean * (shape - 1.0) / shape;
        scale * math::pow(1.0 - self.uniform(), -1.0 / shape)
    }

    /// Pareto with the given least value and shape (> 0): `least (1-u)^(-1/shape)`.
    #[inline]
    pub fn pareto_from(&mut self, least: f64, shape: f64) -> f64 {
        least * math::pow(1.0 - self.uniform(), -1.0 / shape)
    }

    /// Lognormal with the given mean and standard deviation.
    pub fn lognormal(&mut self, mean: f64, sd: f64) -> f64 {
        let ratio = sd / mean;
        let variance = math::ln(1.0 + ratio * ratio);
        math::exp(
            math::ln(mean) - 0.5 * variance + math::sqrt(variance) * math::normal_quantile(self.uniform()),
        )
    }

    /// Uniform between `low` and `high`.
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }
}

impl Rng for Stream {
    #[inline]
    fn uniform(&mut self) -> f64 {
        unit(self.next_u64())
    }
}

/// Blocks that [`BufferedStream`] makes at once.
const BATCH: usize = 32;

/// The numbers of a [`Stream`] for a component that draws often: several blocks are made at once, which takes the
/// processor's wide registers and less than half the instructions.
#[derive(Clone, Debug)]
pub struct BufferedStream {
    stream: Stream,
    words: [[u64; 2]; BATCH],
    used: usize,
}

impl BufferedStream {
    /// Continues at the present position of the stream.
    pub fn new(stream: Stream) -> BufferedStream {
        BufferedStream { stream, words: [[0; 2]; BATCH], used: 2 * BATCH }
    }

    /// Sixty-four random bits.
    #[inline(always)]
    fn next_u64(&mut self) -> u64 {
        match self.words.as_flattened().get(self.used) {
            Some(word) => {
                self.used += 1;
                *word
            }
            None => self.next_slow(),
        }
    }

    /// The first number of the next blocks, or the one that was left in the stream when it was taken over.
    #[cold]
    #[inline(never)]
    fn next_slow(&mut self) -> u64 {
        if self.stream.used == 1 {
            return self.stream.next_u64();
        }
        self.refill();
        self.used = 1;
        self.words[0][0]
    }

    /// The next blocks.
    fn refill(&mut self) {
        // A copy shows the compiler that no block changes the keys: the round keys are computed once for all blocks.
        let stream = self.stream.clone();
        for (words, block) in self.words.iter_mut().zip(stream.block..) {
            *words = stream.words_of(block);
        }
        self.stream.block += BATCH as u64;
    }
}

impl Rng for BufferedStream {
    /// As in [`Stream`].
    #[inline(always)]
    fn uniform(&mut self) -> f64 {
        unit(self.next_u64())
    }
}

/// Converts a word to a number in [0, 1): 53 random bits, so every value is exact and 1.0 is never reached.
#[inline(always)]
fn unit(word: u64) -> f64 {
    (word >> 11) as i64 as f64 * (1.0 / (1u64 << 53) as f64)
}

/// One block of Philox4x32-10.
#[inline(always)]
fn philox4x32(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    const MULTIPLIER: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
    const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    for round in 0..10 {
        if round > 0 {
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        let first = MULTIPLIER[0] * u64::from(counter[0]);
        let second = MULTIPLIER[1] * u64::from(counter[2]);
        let ([low0, high0], [low1, high1]) = (split(first), split(second));
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0];
    }
    counter
}

/// Low and high half of a word.
fn split(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// The FNV-1a hash, 64 bits: a name's stream number, the same on every machine.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Known-answer vectors published with Random123.
    #[test]
    fn philox_known_answers() {
        assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox4x32([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox4x32([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn names_and_seeds_give_streams_of_their_own() {
        let first = |seed, name| Stream::new(seed, name).next_u64();
        assert_eq!(first(1, "queue/a"), first(1, "queue/a"));
        assert_ne!(first(1, "queue/a"), first(1, "queue/b"));
        assert_ne!(first(1, "queue/a"), first(2, "queue/a"));
        let (fresh, mut used) = (Stream::new(1, "a"), Stream::new(1, "a"));
        used.uniform();
        assert_eq!(fresh.branch(3).next_u64(), used.branch(3).next_u64());
        assert_ne!(fresh.branch(3).next_u64(), fresh.branch(4).next_u64());
    }

    #[test]
    fn blocks_made_at_once_are_those_of_the_stream() {
        for before in 0..3 {
            let mut stream = Stream::new(5, "queue/a");
            for _ in 0..before {
                stream.next_u64();
            }
            let mut rapid = BufferedStream::new(stream.clone());
            (0..5 * BATCH).for_each(|_| assert_eq!(rapid.next_u64(), stream.next_u64()));
        }
    }

    #[test]
    fn uniform_has_the_right_mean_and_stays_below_one() {
        let mut stream = Stream::new(7, "test");
        let n = 100_000;
        let draws: Vec<f64> = (0..n).map(|_| stream.uniform()).collect();
        assert!(draws.iter().all(|u| (0.0..1.0).contains(u)));
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        // Five standard errors of a mean of uniforms.
        assert!((mean - 0.5).abs() < 5.0 / (12.0 * f64::from(n)).sqrt(), "mean {mean}");
    }

    #[test]
    fn means_of_the_distributions() {
        let mut stream = Stream::new(7, "means");
        let n = 200_000;
        let mean = |f: &mut dyn FnMut() -> f64| (0..n).map(|_| f()).sum::<f64>() / f64::from(n);
        let exponential = mean(&mut || stream.exponential(3.0));
        assert!((exponential - 3.0).abs() < 5.0 * 3.0 / f64::from(n).sqrt(), "{exponential}");
        // Shape 3 has standard deviation mean / sqrt(shape (shape-2)).
        let pareto = mean(&mut || stream.pareto(2.0, 3.0));
        assert!((pareto - 2.0).abs() < 5.0 * 2.0 / (3.0 * f64::from(n)).sqrt(), "{pareto}");
    }
}
