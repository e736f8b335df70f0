//! Sorts what is spread about evenly: each word goes where it belongs by how many come before its part of the whole, and then past a
//! neighbour here and there.

/// The whole is divided into so many parts.
const PARTS: usize = 1 << PARTS_LOG;
const PARTS_LOG: u32 = 7;
/// A word times this holds in each byte the sum of its own bytes up to there.
const SUMS: u64 = 0x0101_0101_0101_0101;
/// What does not count of a word.
const LOWER: u64 = u32::MAX as u64;

/// Puts words into `sorted`, of which the upper halves count, and lie below `1 << bits`. Whether any of these are equal: then the
/// order of those is left open.
#[inline(never)]
pub fn sort(words: &[u64], bits: u32, sorted: &mut Vec<u64>) -> bool {
    sorted.clear();
    // More than a byte can count.
    if words.len() > usize::from(u8::MAX) {
        sorted.extend(words);
        sorted.sort_unstable();
        return sorted.windows(2).any(|pair| pair[0] | LOWER == pair[1] | LOWER);
    }
    sorted.resize(words.len(), 0);
    let places = sorted.as_mut_slice();
    let shift = u32::BITS + bits.saturating_sub(PARTS_LOG);
    let part = |word: &u64| (word >> shift) as usize & (PARTS - 1);
    // How many there are in each part, then where it ends; as it is filled from behind that becomes where it begins.
    let mut bounds = [[0u8; 8]; PARTS / 8];
    words.iter().for_each(|word| bounds.as_flattened_mut()[part(word)] += 1);
    let mut before = 0;
    for eight in &mut bounds {
        let sums = (u64::from_le_bytes(*eight) + before).wrapping_mul(SUMS);
        *eight = sums.to_le_bytes();
        before = sums >> 56;
    }
    for word in words {
        let bound = &mut bounds.as_flattened_mut()[part(word)];
        *bound -= 1;
        places[usize::from(*bound)] = *word;
    }
    let count = places.len();
    let settle = |tied, at| tied | (places[at] <= places[at - 1] | LOWER && move_back(places, at));
    (1..count).fold(false, settle)
}

/// Moves a word to its place among those before it, which are sorted. Whether it equals one of them.
#[inline(never)]
fn move_back(words: &mut [u64], mut at: usize) -> bool {
    let word = words[at];
    let mut next = None;
    while at > 0 && word < words[at - 1] {
        words[at] = words[at - 1];
        next = Some(words[at]);
        at -= 1;
    }
    words[at] = word;
    let last = words[..at].last().copied();
    [last, next].into_iter().flatten().any(|other| other | LOWER == word | LOWER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Spread, crowded, in a few bits or in all, and more than can be counted.
        #[test]
        fn equals_the_plain_sort(
            bits in 1u32..=32,
            crowds in proptest::collection::vec((any::<u32>(), 0u32..32, 1usize..80), 1..6),
            noise in any::<u64>(),
        ) {
            let mut words = Vec::new();
            for (at, width, count) in crowds {
                for _ in 0..count {
                    let spread = noise.wrapping_mul(words.len() as u64 + 1) >> 20 & ((1 << width) - 1);
                    let upper = (u64::from(at) + spread) & ((1 << bits) - 1);
                    words.push(upper << 32 | words.len() as u64);
                }
            }
            let mut sorted = Vec::new();
            let tied = sort(&words, bits, &mut sorted);
            words.sort_unstable();
            prop_assert_eq!(tied, words.windows(2).any(|pair| pair[0] >> 32 == pair[1] >> 32));
            let upper = |of: &[u64]| of.iter().map(|word| word >> 32).collect::<Vec<_>>();
            prop_assert_eq!(upper(&sorted), upper(&words));
            sorted.sort_unstable();
            prop_assert_eq!(sorted, words);
        }
    }
}
