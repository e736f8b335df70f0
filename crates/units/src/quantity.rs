//! Text with a unit to a value and back: `"10 Mbit/s"`, `"20 ms"`, `"50 pkts"`, `"1500 B"`.
//!
//! Prefixes are decimal (`kB` is 1000 bytes) unless written `KiB`, `MiB`, `GiB`. Rates may be spelled
//! `Mbit/s`, `Mb/s`, `Mbit` or `Mbps`; lower-case `mbps` is refused because Linux `tc` reads it as
//! megabytes per second.

use crate::math;
use crate::size::{Bytes, Rate};
use crate::time::Span;
use alloc::string::String;

/// A number of packets or of bytes: the two ways to measure a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Counted in packets of any size.
    Packets(f64),
    /// Counted in bytes.
    Bytes(f64),
}

impl Amount {
    /// The bare number, whichever unit it counts.
    pub fn number(self) -> f64 {
        match self {
            Amount::Packets(n) | Amount::Bytes(n) => n,
        }
    }

    /// Whether it counts bytes.
    pub fn is_bytes(self) -> bool {
        matches!(self, Amount::Bytes(_))
    }

    /// The same amount in packets, with `packet` bytes to one.
    pub fn in_packets(self, packet: Bytes) -> f64 {
        match self {
            Amount::Packets(n) => n,
            Amount::Bytes(n) => n / packet.0 as f64,
        }
    }

    /// The same amount in bytes, with `packet` bytes to one.
    pub fn in_bytes(self, packet: Bytes) -> f64 {
        match self {
            Amount::Packets(n) => n * packet.0 as f64,
            Amount::Bytes(n) => n,
        }
    }
}

const SPANS: &[(&str, f64)] =
    &[("s", 1e9), ("ms", 1e6), ("us", 1e3), ("µs", 1e3), ("ns", 1.0), ("min", 60e9), ("h", 3600e9)];

const SIZES: &[(&str, f64)] = &[
    ("B", 1.0),
    ("byte", 1.0),
    ("bytes", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

const PACKETS: &[(&str, f64)] = &[("pkts", 1.0), ("pkt", 1.0), ("packets", 1.0), ("packet", 1.0)];

/// Splits a rate's unit into its prefix and checks the rest.
fn rate_factor(unit: &str) -> Option<f64> {
    let (prefix, rest) = match unit.chars().next()? {
        'k' | 'K' => (1e3, &unit[1..]),
        'M' => (1e6, &unit[1..]),
        'G' => (1e9, &unit[1..]),
        'T' => (1e12, &unit[1..]),
        'm' if unit[1..].starts_with("bit") => (1e6, &unit[1..]),
        'g' if unit[1..].starts_with("bit") => (1e9, &unit[1..]),
        _ => (1.0, unit),
    };
    match rest {
        "bit/s" | "b/s" | "bit" | "bps" => Some(prefix),
        "B/s" | "byte/s" => Some(prefix * 8.0),
        _ => None,
    }
}

/// Splits `"10 Mbit/s"` into the number and the unit. The number may be a fraction such as `1/50`.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let is_number =
        |(i, c): &(usize, char)| c.is_ascii_digit() || "+-._/".contains(*c) || is_exponent(&text[*i..]);
    let end = text.char_indices().find(|item| !is_number(item)).map_or(text.len(), |(i, _)| i);
    Some((number(&text[..end])?, text[end..].trim()))
}

fn is_exponent(rest: &str) -> bool {
    let mut chars = rest.chars();
    matches!(chars.next(), Some('e' | 'E')) && matches!(chars.next(), Some('0'..='9' | '-' | '+'))
}

/// A plain number, a number with `_` between digits, or a fraction `a/b`.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim().replace('_', "");
    match text.split_once('/') {
        Some((a, b)) => {
            let (a, b): (f64, f64) = (a.trim().parse().ok()?, b.trim().parse().ok()?);
            (b != 0.0).then_some(a / b)
        }
        None => text.parse().ok(),
    }
    .filter(|x: &f64| x.is_finite())
}

fn scaled(text: &str, table: &[(&str, f64)]) -> Option<f64> {
    let (value, unit) = split(text)?;
    let (_, factor) = table.iter().find(|(name, _)| *name == unit)?;
    let scaled = value * factor;
    (scaled >= 0.0).then_some(scaled)
}

/// The longest span that is parsed, some hundred days: up to it a double counts nanoseconds exactly, so that a span
/// that is written out parses to the same value.
const LONGEST_NS: f64 = (1u64 << 53) as f64;

/// Parses a length of time up to a hundred days. `"0"` needs no unit.
pub fn span(text: &str) -> Option<Span> {
    any_span(text).filter(|span| span.0 as f64 <= LONGEST_NS)
}

/// Parses a length of time, as [`span`] does, of any length: recordings may pause for years.
pub fn any_span(text: &str) -> Option<Span> {
    if text.trim() == "0" {
        return Some(Span::ZERO);
    }
    scaled(text, SPANS).map(|ns| Span(math::round(ns) as u64))
}

/// Parses a size in bytes.
pub fn bytes(text: &str) -> Option<Bytes> {
    scaled(text, SIZES).map(|n| Bytes(math::round(n) as u64))
}

/// Parses a rate in bits per second.
pub fn rate(text: &str) -> Option<Rate> {
    let (value, unit) = split(text)?;
    let bps = value * rate_factor(unit)?;
    (bps >= 0.0).then(|| Rate(math::round(bps) as u64))
}

/// Parses an amount of packets or bytes.
pub fn amount(text: &str) -> Option<Amount> {
    scaled(text, PACKETS).map(Amount::Packets).or_else(|| scaled(text, SIZES).map(Amount::Bytes))
}

/// Writes a number with the largest unit of the table that keeps it at or above one.
fn written(value: f64, units: &[(f64, &str)]) -> String {
    let (factor, unit) = units.iter().find(|(factor, _)| value >= *factor).unwrap_or(&units[units.len() - 1]);
    format!("{} {unit}", value / factor)
}

/// A span as `"20 ms"`.
pub fn show_span(span: Span) -> String {
    written(span.0 as f64, &[(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")])
}

/// A rate as `"10 Mbit/s"`.
pub fn show_rate(rate: Rate) -> String {
    written(rate.0 as f64, &[(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")])
}

/// A size as `"1500 B"`.
pub fn show_bytes(size: Bytes) -> String {
    format!("{} B", size.0)
}

/// An amount as `"50 pkts"` or `"75000 B"`.
pub fn show_amount(amount: Amount) -> String {
    match amount {
        Amount::Packets(n) => format!("{n} pkts"),
        Amount::Bytes(n) => format!("{n} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn common_spellings() {
        assert_eq!(span("20 ms"), Some(Span::from_millis(20)));
        assert_eq!(span("1.5s"), Some(Span::from_millis(1500)));
        assert_eq!(span("0"), Some(Span::ZERO));
        assert_eq!(span("9007199254740992 ns").map(|it| span(&show_span(it))), Some(Some(Span(1 << 53))));
        assert_eq!(span("3000 h"), None);
        for text in
            ["10 Mbit/s", "10Mbit", "10 Mb/s", "10 Mbps", "10mbit", "1e7 bit/s", "1.25 MB/s", "10_000 kbit/s"]
        {
            assert_eq!(rate(text), Some(Rate(10_000_000)), "{text}");
        }
        assert_eq!(bytes("1.5 kB"), Some(Bytes(1500)));
        assert_eq!(bytes("2 KiB"), Some(Bytes(2048)));
        assert_eq!(amount("50 pkts"), Some(Amount::Packets(50.0)));
        assert_eq!(amount("64 kB"), Some(Amount::Bytes(64_000.0)));
        assert_eq!(number("1/50"), Some(0.02));
    }

    #[test]
    fn ambiguous_input_is_refused() {
        for text in ["10 mbps", "10", "ten Mbit/s", "-1 Mbit/s", "1/0 Mbit/s", "10 Mbyte", ""] {
            assert_eq!(rate(text), None, "{text}");
        }
        for text in ["20", "-1 ms", "1 m", "nan s", "inf s"] {
            assert_eq!(span(text), None, "{text}");
        }
        assert_eq!(amount("50"), None);
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(n in 0u64..10_000_000_000_000) {
            prop_assert_eq!(rate(&show_rate(Rate(n))), Some(Rate(n)));
            prop_assert_eq!(bytes(&show_bytes(Bytes(n))), Some(Bytes(n)));
            prop_assert_eq!(span(&show_span(Span(n))), Some(Span(n)));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,24}") {
            let _ = (span(&text), rate(&text), bytes(&text), amount(&text), number(&text));
        }
    }
}
