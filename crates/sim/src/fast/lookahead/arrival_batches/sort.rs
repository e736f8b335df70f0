//! A sort for evenly distributed numbers: one pass of a radix sort, and then an insertion sort that has little left to
//! do.

/// Parts into which the range is divided.
const PARTS: usize = 1 << PARTS_LOG;
const PARTS_LOG: u32 = 7;
/// Multiplied by this, each byte of a word becomes the sum of the bytes up to it.
const SUMS: u64 = 0x0101_0101_0101_0101;
/// The part of a word that is not compared.
const LOWER: u64 = u32::MAX as u64;

/// Sorts words into `sorted` by their upper halves, which are below `1 << bits`. Returns whether any are equal; the
/// order of those is not defined.
#[inline(never)]
pub fn sort(words: &[u64], bits: u32, sorted: &mut Vec<u64>) -> bool {
    sorted.clear();
    // The counters of the parts are bytes.
    if words.len() > usize::from(u8::MAX) {
        sorted.extend(words);
        sorted.sort_unstable();
        return sorted.windows(2).any(|pair| pair[0] | LOWER == pair[1] | LOWER);
    }
    sorted.resize(words.len(), 0);
    let places = sorted.as_mut_slice();
    let shift = u32::BITS + bits.saturating_sub(PARTS_LOG);
    let part = |word: &u64| (word >> shift) as usize & (PARTS - 1);
    // First the number in each part, then its end; as it is filled from the end, that becomes its beginning.
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

/// Moves a word to its place among those before it, which are sorted. Returns whether it equals one of them.
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
        /// Evenly spread, clustered, in a few bits or in all, and more than a byte can count.
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
