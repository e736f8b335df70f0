//! The Internet checksum: whole (RFC1071), and after the change of one word (RFC1624).

/// The one's complement sum of the bytes as big-endian words, added to `start`; an odd last byte is padded with zero.
pub fn sum(bytes: &[u8], start: u32) -> u32 {
    let words = bytes.chunks(2).map(|pair| match pair {
        [high, low] => u32::from(u16::from_be_bytes([*high, *low])),
        [high] => u32::from(*high) << 8,
        _ => 0,
    });
    words.fold(start, |total, word| fold(total + word))
}

/// The checksum of a sum.
pub fn finish(sum: u32) -> u16 {
    !(fold(fold(sum)) as u16)
}

/// The checksum after a word that it covers changed from `old` to `new`: RFC1624, equation 3.
pub fn updated(checksum: u16, old: u16, new: u16) -> u16 {
    finish(u32::from(!checksum) + u32::from(!old) + u32::from(new))
}

/// Adds the carries to the sum (end-around carry).
fn fold(sum: u32) -> u32 {
    (sum & 0xffff) + (sum >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_of_rfc_1071() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(finish(sum(&bytes, 0)), !0xddf2);
    }

    #[test]
    fn the_example_of_rfc_1624() {
        // Section 4: 0xdd2f with 0x5555 changed to 0x3285 is 0x0000, where its predecessor gave 0xffff.
        assert_eq!(updated(0xdd2f, 0x5555, 0x3285), 0x0000);
    }

    proptest! {
        #[test]
        fn an_update_equals_a_full_computation(mut words in proptest::collection::vec(any::<u16>(), 1..20), at: usize, new: u16) {
            // A header's first word is never zero, so the sum is never that of nothing but zeros.
            words.push(0x4500);
            let bytes = |all: &[u16]| all.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
            let before = finish(sum(&bytes(&words), 0));
            let at = at % (words.len() - 1);
            let old = std::mem::replace(&mut words[at], new);
            prop_assert_eq!(updated(before, old, new), finish(sum(&bytes(&words), 0)));
        }
    }
}
