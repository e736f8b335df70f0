//! How the class that a packet carries becomes a place in a list of thresholds.
//!
//! Reference: RFC2474 section 3 (a code point is six bits) and section 4.2.2 (its upper three are the precedence);
//! RFC2597 section 6 (bits 1 and 2 of an AF code point are its drop precedence, 1 to 3).

units::choices! {
    /// The part of a packet's class that counts.
    pub enum ClassBy {
        /// The whole number.
        Number = "number",
        /// Its precedence: the class is a DiffServ code point, of which the upper three bits count (0 to 7).
        Precedence = "precedence",
        /// Its drop precedence: the class is a code point of assured forwarding; AFx1 counts as 0, AFx3 as 2.
        DropPrecedence = "drop_precedence",
    }
}

impl ClassBy {
    /// The place of a class in a list.
    #[inline]
    pub fn place(self, class: u8) -> usize {
        usize::from(match self {
            ClassBy::Number => class,
            ClassBy::Precedence => class >> 3 & 7,
            ClassBy::DropPrecedence => (class >> 1 & 3).saturating_sub(1),
        })
    }
}

/// Entry `i` of a list, whose last entry also holds for all places behind it. `None` if it is empty.
pub fn entry_of<T: Copy>(list: &[T], i: usize) -> Option<T> {
    list.get(i.min(list.len().checked_sub(1)?)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_by_hand() {
        // AF11 = 10, AF23 = 22, EF = 46, CS7 = 56.
        let by = |by: ClassBy| [10, 22, 46, 56].map(|class| by.place(class));
        assert_eq!(by(ClassBy::Number), [10, 22, 46, 56]);
        assert_eq!(by(ClassBy::Precedence), [1, 2, 5, 7]);
        assert_eq!(by(ClassBy::DropPrecedence)[..2], [0, 2]);
        assert_eq!(ClassBy::DropPrecedence.place(12), 1);
        assert_eq!(ClassBy::DropPrecedence.place(0), 0);
    }

    #[test]
    fn the_last_entry_stands_for_the_rest() {
        assert_eq!(
            (entry_of(&[1, 2], 0), entry_of(&[1, 2], 9), entry_of::<u8>(&[], 0)),
            (Some(1), Some(2), None)
        );
    }
}
