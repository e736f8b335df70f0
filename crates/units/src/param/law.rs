//! Random amounts as text: `"pareto 12 kB shape 1.2"`, `"exponential 500 ms"`, `"lognormal 10 kB sd 25 kB up to 2 MB"`.
//!
//! Each draw takes one uniform number (inverse transforms), so runs with common random numbers stay aligned.

use super::{Kind, Param, Value};
use crate::math;
use crate::quantity;
use crate::random::Stream;
use crate::{Bytes, Span};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The form of a distribution. Amounts are bytes, seconds or plain numbers, by the type of its [`Distribution`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DistributionShape {
    /// Always the same.
    Constant(f64),
    /// Uniform between two amounts.
    Uniform(f64, f64),
    /// Exponential with this mean.
    Exponential(f64),
    /// Pareto with this mean and shape above 1.
    Pareto(f64, f64),
    /// Pareto with this least amount and shape, which may be so small that there is no mean.
    ParetoFrom(f64, f64),
    /// Lognormal with this mean and standard deviation.
    Lognormal(f64, f64),
}

/// A random amount of `T`: [`Bytes`], [`Span`] or `u64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distribution<T> {
    /// Its distribution.
    pub form: DistributionShape,
    /// A larger draw is cut to this.
    pub most: Option<f64>,
    /// Subtracted from each draw at the end.
    pub less: f64,
    what: core::marker::PhantomData<T>,
}

/// The type of a random amount: bytes, time or a count.
pub trait RandomAmount: Sized {
    /// The name of the kind, for schema and docs.
    const KIND: &'static str;
    /// An example of how it is written.
    const EXAMPLE: &'static str;
    /// Parses one amount.
    fn amount(text: &str) -> Option<f64>;
    /// Writes one.
    fn text(amount: f64) -> String;
    /// The nearest whole amount; a negative one is none.
    fn whole(amount: f64) -> Self;
}

impl RandomAmount for Bytes {
    const KIND: &'static str = "size law";
    const EXAMPLE: &'static str = "pareto 12 kB shape 1.2";
    fn amount(text: &str) -> Option<f64> {
        quantity::bytes(text).map(|bytes| bytes.0 as f64)
    }
    fn text(amount: f64) -> String {
        quantity::show_bytes(Bytes(amount as u64))
    }
    fn whole(amount: f64) -> Bytes {
        Bytes(math::round(amount) as u64)
    }
}

impl RandomAmount for Span {
    const KIND: &'static str = "time law";
    const EXAMPLE: &'static str = "exponential 500 ms";
    fn amount(text: &str) -> Option<f64> {
        quantity::span(text).map(Span::as_secs)
    }
    fn text(amount: f64) -> String {
        quantity::show_span(Span::from_secs(amount))
    }
    fn whole(amount: f64) -> Span {
        Span::from_secs(amount.max(0.0))
    }
}

impl RandomAmount for u64 {
    const KIND: &'static str = "count law";
    const EXAMPLE: &'static str = "pareto from 2 shape 1.1 up to 55 less 2";
    fn amount(text: &str) -> Option<f64> {
        quantity::number(text).filter(|number| *number >= 0.0)
    }
    fn text(amount: f64) -> String {
        amount.to_string()
    }
    fn whole(amount: f64) -> u64 {
        amount.max(0.0) as u64
    }
}

impl<T: RandomAmount> Distribution<T> {
    /// A distribution of this form, without an upper bound and without a subtraction.
    pub const fn of(form: DistributionShape) -> Distribution<T> {
        Distribution { form, most: None, less: 0.0, what: core::marker::PhantomData }
    }

    /// A draw as a real number of bytes, seconds or a count.
    pub fn real(&self, rng: &mut Stream) -> f64 {
        let x = match self.form {
            DistributionShape::Constant(x) => x,
            DistributionShape::Uniform(low, high) => rng.between(low, high),
            DistributionShape::Exponential(mean) => rng.exponential(mean),
            DistributionShape::Pareto(mean, shape) => rng.pareto(mean, shape),
            DistributionShape::ParetoFrom(least, shape) => rng.pareto_from(least, shape),
            DistributionShape::Lognormal(mean, sd) => rng.lognormal(mean, sd),
        };
        (self.most.map_or(x, |most| x.min(most)) - self.less).max(0.0)
    }

    /// A draw in whole bytes or nanoseconds; of a number, its whole part.
    pub fn draw(&self, rng: &mut Stream) -> T {
        T::whole(self.real(rng))
    }

    fn parse(written: &str) -> Option<Distribution<T>> {
        let mut parts: Vec<(&str, String)> = vec![("", String::new())];
        for word in written.split_whitespace() {
            match word {
                "to" if matches!(parts.last(), Some(("up", _))) => {}
                "shape" | "sd" | "to" | "up" | "less" | "from" | "exponential" | "uniform" | "pareto"
                | "lognormal" => parts.push((word, String::new())),
                other => {
                    let (_, said) = parts.last_mut()?;
                    said.push_str(&format!(" {other}"));
                }
            }
        }
        let mut take = |key: &str| {
            let at = parts.iter().position(|(name, _)| *name == key)?;
            Some(parts.remove(at).1)
        };
        let positive = |text: String| T::amount(&text).filter(|x| *x > 0.0);
        let shape =
            |text: Option<String>, above: f64| quantity::number(&text?).filter(|shape| *shape > above);
        let bare = take("").filter(|text| !text.is_empty());
        let form = if let Some(text) = take("exponential") {
            DistributionShape::Exponential(positive(text)?)
        } else if let Some(text) = take("uniform") {
            let (low, high) = (T::amount(&text)?, T::amount(&take("to")?)?);
            (low <= high).then_some(DistributionShape::Uniform(low, high))?
        } else if let Some(text) = take("pareto") {
            match take("from") {
                Some(_) if !text.is_empty() => return None,
                Some(least) => DistributionShape::ParetoFrom(positive(least)?, shape(take("shape"), 0.0)?),
                None => DistributionShape::Pareto(positive(text)?, shape(take("shape"), 1.0)?),
            }
        } else if let Some(text) = take("lognormal") {
            DistributionShape::Lognormal(positive(text)?, positive(take("sd")?)?)
        } else {
            DistributionShape::Constant(T::amount(bare.as_deref()?)?)
        };
        let most = take("up").map(|text| positive(text).ok_or(())).transpose().ok()?;
        let less = take("less").map_or(Some(0.0), |text| T::amount(&text))?;
        let spare = bare.is_some() && !matches!(form, DistributionShape::Constant(_));
        (parts.is_empty() && !spare).then_some(Distribution { most, less, ..Distribution::of(form) })
    }
}

impl<T: RandomAmount> Param for Distribution<T> {
    fn kind() -> Kind {
        Kind { name: T::KIND, example: T::EXAMPLE, choices: Vec::new(), auto: false, list: false }
    }

    fn read(value: &Value) -> Result<Self, String> {
        let parsed = match value {
            Value::Text(text) => Distribution::parse(text),
            Value::Int(n) if T::KIND == "count law" && *n >= 0 => {
                Some(Distribution::of(DistributionShape::Constant(*n as f64)))
            }
            _ => None,
        };
        parsed.ok_or_else(|| {
            let one = T::text(T::amount("10 kB").or(T::amount("2 s")).or(T::amount("3")).unwrap_or(3.0));
            format!(
                "must be \"{one}\", \"exponential {one}\" (the mean), \"pareto {one} shape 1.2\" (mean, or \"pareto from \
                 {one}\" for the least), \"lognormal {one} sd {one}\" or \"uniform {one} to {one}\", and may end in \
                 \"up to {one}\" and \"less {one}\""
            )
        })
    }

    fn show(&self) -> Value {
        let text = T::text;
        let mut out = match self.form {
            DistributionShape::Constant(x) => text(x),
            DistributionShape::Uniform(low, high) => format!("uniform {} to {}", text(low), text(high)),
            DistributionShape::Exponential(mean) => format!("exponential {}", text(mean)),
            DistributionShape::Pareto(mean, shape) => format!("pareto {} shape {shape}", text(mean)),
            DistributionShape::ParetoFrom(least, shape) => {
                format!("pareto from {} shape {shape}", text(least))
            }
            DistributionShape::Lognormal(mean, sd) => format!("lognormal {} sd {}", text(mean), text(sd)),
        };
        if let Some(most) = self.most {
            out += &format!(" up to {}", text(most));
        }
        if self.less > 0.0 {
            out += &format!(" less {}", text(self.less));
        }
        Value::Text(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(text: &str) -> Result<Distribution<Bytes>, String> {
        Distribution::read(&Value::Text(text.into()))
    }

    #[test]
    fn written_values_are_read_back() {
        for (text, form) in [
            ("12000 B", DistributionShape::Constant(12e3)),
            ("uniform 1000 B to 2000 B", DistributionShape::Uniform(1e3, 2e3)),
            ("exponential 500 B", DistributionShape::Exponential(500.0)),
            ("pareto 12000 B shape 1.2", DistributionShape::Pareto(12e3, 1.2)),
            ("pareto from 1000 B shape 0.9 up to 1000000 B", DistributionShape::ParetoFrom(1e3, 0.9)),
            (
                "lognormal 10710 B sd 25032 B up to 2000000 B less 1 B",
                DistributionShape::Lognormal(10710.0, 25032.0),
            ),
        ] {
            let law = size(text).unwrap();
            assert_eq!(law.form, form, "{text}");
            assert_eq!(law.show(), Value::Text(text.into()));
        }
        let gap: Distribution<Span> = Distribution::read(&Value::Text("exponential 0.5 s".into())).unwrap();
        assert_eq!(gap.show(), Value::Text("exponential 500 ms".into()));
        assert_eq!(
            Distribution::<u64>::read(&Value::Int(3)).unwrap(),
            Distribution::of(DistributionShape::Constant(3.0))
        );
    }

    #[test]
    fn ambiguous_input_is_refused() {
        for text in [
            "",
            "12",
            "pareto 12 kB",
            "pareto 12 kB shape 1",
            "pareto 1 kB from 2 kB shape 2",
            "exponential",
            "uniform 2 B to 1 B",
            "lognormal 1 kB",
            "exponential 1 kB shape 2",
            "1 kB exponential 1 kB",
            "exponential 1 kB up to 0 B",
        ] {
            let rule = size(text).unwrap_err();
            assert!(rule.contains("pareto 10000 B shape 1.2"), "{text}: {rule}");
        }
    }

    /// The mean over many draws lies within five standard errors, or for the heavy tail the median does.
    #[test]
    fn draws_follow_the_law() {
        let n = 40_000;
        let draws = |text: &str| -> Vec<f64> {
            let (law, mut rng) = (size(text).unwrap(), Stream::new(3, text));
            (0..n).map(|_| law.real(&mut rng)).collect()
        };
        for (text, mean, sd) in [
            ("lognormal 10000 B sd 20000 B", 10e3, 20e3),
            ("exponential 500 B", 500.0, 500.0),
            ("uniform 0 B to 1200 B", 600.0, 346.4),
            ("pareto 3000 B shape 3", 3e3, 3e3 / 3f64.sqrt()),
        ] {
            let measured = draws(text).iter().sum::<f64>() / f64::from(n);
            assert!((measured - mean).abs() < 5.0 * sd / f64::from(n).sqrt(), "{text}: {measured}");
        }
        // Shape 1.2, mean 12: least 2, and half lie below 2 * 2^(1/1.2).
        let below =
            draws("pareto 12 B shape 1.2").iter().filter(|x| **x < 2.0 * math::pow(2.0, 1.0 / 1.2)).count();
        assert!((below as f64 - f64::from(n) / 2.0).abs() < 5.0 * f64::from(n).sqrt() / 2.0, "{below}");
        assert!(draws("pareto from 2 B shape 1.1 up to 55 B less 2 B")
            .iter()
            .all(|x| (0.0..=53.0).contains(x)));
    }
}
