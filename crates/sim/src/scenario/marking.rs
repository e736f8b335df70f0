//! Scenario keys that give the packets of a group a class.

use units::param::{require, Check, Kind, Param, Problem, Range, Value};
use units::{choices, params, Bytes, Rate, Span};

/// Names of DiffServ code points (RFC 2474, 2597, 3246, 8622).
const CODE_POINTS: [(&str, u8); 23] = [
    ("BE", 0),
    ("CS0", 0),
    ("CS1", 8),
    ("CS2", 16),
    ("CS3", 24),
    ("CS4", 32),
    ("CS5", 40),
    ("CS6", 48),
    ("CS7", 56),
    ("AF11", 10),
    ("AF12", 12),
    ("AF13", 14),
    ("AF21", 18),
    ("AF22", 20),
    ("AF23", 22),
    ("AF31", 26),
    ("AF32", 28),
    ("AF33", 30),
    ("AF41", 34),
    ("AF42", 36),
    ("AF43", 38),
    ("EF", 46),
    ("LE", 1),
];

/// The marking by which disciplines with several classes tell packets apart: a number, or the name of a DiffServ code
/// point for its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class(pub u8);

impl Param for Class {
    fn kind() -> Kind {
        Kind { name: "class", example: "AF11", ..String::kind() }
    }
    fn read(value: &Value) -> Result<Self, String> {
        let rule = || {
            "must be a number from 0 to 255 or a DiffServ code point such as \"AF11\", \"CS5\" or \"EF\" \
            (the name under which results count a group is counted_as)"
                .to_string()
        };
        match value {
            Value::Int(n) => u8::try_from(*n).map(Class).map_err(|_| rule()),
            Value::Text(text) => {
                let named = CODE_POINTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
                named.map(|(_, number)| *number).or_else(|| text.parse().ok()).map(Class).ok_or_else(rule)
            }
            _ => Err(rule()),
        }
    }
    fn show(&self) -> Value {
        Value::Int(i64::from(self.0))
    }
}

choices! {
    /// How the rate of a flow is compared with its profile.
    pub enum Meter {
        /// A bucket of `meter_burst` bytes that fills at `meter_rate`; a packet is In if it finds enough in it (RFC
        /// 2697).
        TokenBucket = "token_bucket",
        /// A rate averaged over `meter_window`; above `meter_rate` packets are Out with the probability of the excess
        /// (RFC 2859).
        SlidingWindow = "sliding_window",
    }
}

params! {
    /// The class of packets.
    pub struct Marking {
        /// Class of its packets, by which disciplines such as `wred`, `rio`, `gred` and `dtred` tell them apart: a
        /// number from 0 to 255, or a DiffServ code point such as `"AF11"` or `"EF"` for its number.
        class: Class = Class(0),
        /// Profile of each flow: only packets up to this rate have `class`, those beyond it `out_class`. `"auto"` sets
        /// no limit.
        meter_rate: Option<Rate> = None => { range: Range::Positive },
        /// How the rate is compared with the profile.
        meter: Meter = Meter::TokenBucket => { source: "CF98", assumed: true },
        /// Depth of the bucket.
        meter_burst: Bytes = Bytes(15_000) => { range: Range::Positive, source: "dropcurve", assumed: true },
        /// Length of the sliding window.
        meter_window: Span = Span::from_millis(1000) => { range: Range::Positive, source: "CF98" },
        /// Class of packets beyond the profile.
        out_class: Class = Class(0),
    }
}

impl Check for Marking {
    fn relations(&self, problems: &mut Vec<Problem>) {
        require(
            problems,
            self.meter_rate.is_none() || self.class != self.out_class,
            "class",
            self.class.show(),
            "must differ from out_class where meter_rate tells packets apart",
            "write class = 1",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_numbers_or_code_points() {
        let read = |text: &str| Class::read(&Value::Text(text.into())).map(|class| class.0);
        assert_eq!((read("EF"), read("af41"), read("7")), (Ok(46), Ok(34), Ok(7)));
        assert_eq!(Class::read(&Value::Int(255)), Ok(Class(255)));
        for wrong in [Value::Int(256), Value::Int(-1), Value::Text("tcp".into()), Value::Bool(true)] {
            assert!(Class::read(&wrong).unwrap_err().contains("counted_as"), "{wrong}");
        }
    }
}
