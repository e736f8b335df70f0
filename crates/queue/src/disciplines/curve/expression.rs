//! Expressions of the average, compiled once and evaluated without allocation.
//!
//! Grammar: `+ - * / ^`, parentheses, `min(a, b) max(a, b) exp(a) ln(a) sqrt(a)`, numbers, and names.
//! Units: those of the names.

use alloc::string::String;
use alloc::vec::Vec;
use units::math;

/// One step of a compiled expression, on a small stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    Number(f64),
    Avg,
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Neg,
    Min,
    Max,
    Exp,
    Ln,
    Sqrt,
}

/// Depth of the evaluation stack.
const DEPTH: usize = 16;
/// Most parentheses, signs and powers nested in one another.
const NESTED: usize = 64;

/// A compiled expression of the average.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expression(Vec<Op>);

impl Expression {
    /// Compiles `text`; `names` are constants, `avg` stays open.
    ///
    /// # Errors
    /// The rule it breaks.
    pub(super) fn compile(text: &str, names: &[(&str, f64)]) -> Result<Expression, String> {
        let mut parser = Parser { rest: text, names, ops: Vec::new(), nested: 0 };
        parser.sum()?;
        parser.skip();
        if !parser.rest.is_empty() {
            return Err(format!("cannot read '{}'", parser.rest));
        }
        let mut depth = 0usize;
        for op in &parser.ops {
            match op {
                Op::Number(_) | Op::Avg => depth += 1,
                Op::Neg | Op::Exp | Op::Ln | Op::Sqrt => {}
                _ => depth -= 1,
            }
            if depth > DEPTH {
                return Err("is nested too deeply".into());
            }
        }
        Ok(Expression(parser.ops))
    }

    /// The straight line through two points.
    pub(super) fn line(from: (f64, f64), to: (f64, f64)) -> Expression {
        let slope = (to.1 - from.1) / (to.0 - from.0);
        let slope = if slope.is_finite() { slope } else { 0.0 };
        use Op::{Add, Avg, Mul, Number, Sub};
        Expression(vec![Avg, Number(from.0), Sub, Number(slope), Mul, Number(from.1), Add])
    }

    /// A number that does not depend on the average, if it is one.
    pub(super) fn constant(&self) -> Option<f64> {
        (!self.0.contains(&Op::Avg)).then(|| self.value(0.0))
    }

    /// Its value; not a number where it is undefined.
    #[inline]
    pub(super) fn value(&self, avg: f64) -> f64 {
        let mut stack = [0.0f64; DEPTH];
        let mut top = 0;
        for op in &self.0 {
            let (a, b) = (stack[top.max(2) - 2], stack[top.max(1) - 1]);
            let (takes, value) = match *op {
                Op::Number(x) => (0, x),
                Op::Avg => (0, avg),
                Op::Add => (2, a + b),
                Op::Sub => (2, a - b),
                Op::Mul => (2, a * b),
                Op::Div => (2, a / b),
                Op::Pow => (2, math::pow(a, b)),
                Op::Min => (2, a.min(b)),
                Op::Max => (2, a.max(b)),
                Op::Neg => (1, -b),
                Op::Exp => (1, math::exp(b)),
                Op::Ln => (1, math::ln(b)),
                Op::Sqrt => (1, math::sqrt(b)),
            };
            top -= takes;
            stack[top] = value;
            top += 1;
        }
        stack[0]
    }
}

struct Parser<'a> {
    rest: &'a str,
    names: &'a [(&'a str, f64)],
    ops: Vec<Op>,
    /// How deep in the recursion: a long row of parentheses must not use up the stack.
    nested: usize,
}

/// How many bytes of `text` are a number: digits, a point, an exponent with its sign.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if end > 0 && matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

impl Parser<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn takes(&mut self, c: char) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn needs(&mut self, c: char) -> Result<(), String> {
        if self.takes(c) {
            Ok(())
        } else {
            Err(format!("needs '{c}' before '{}'", self.rest))
        }
    }

    fn sum(&mut self) -> Result<(), String> {
        self.product()?;
        loop {
            let op = if self.takes('+') {
                Op::Add
            } else if self.takes('-') {
                Op::Sub
            } else {
                return Ok(());
            };
            self.product()?;
            self.ops.push(op);
        }
    }

    fn product(&mut self) -> Result<(), String> {
        self.power()?;
        loop {
            let op = if self.takes('*') {
                Op::Mul
            } else if self.takes('/') {
                Op::Div
            } else {
                return Ok(());
            };
            self.power()?;
            self.ops.push(op);
        }
    }

    fn power(&mut self) -> Result<(), String> {
        self.nested += 1;
        if self.nested > NESTED {
            return Err("is nested too deeply".into());
        }
        if self.takes('-') {
            self.power()?;
            self.ops.push(Op::Neg);
        } else {
            self.atom()?;
            if self.takes('^') {
                self.power()?;
                self.ops.push(Op::Pow);
            }
        }
        self.nested -= 1;
        Ok(())
    }

    fn atom(&mut self) -> Result<(), String> {
        if self.takes('(') {
            self.sum()?;
            return self.needs(')');
        }
        let (digits, after) = self.rest.split_at(number_length(self.rest));
        if let Ok(number) = digits.parse::<f64>() {
            self.rest = after;
            self.ops.push(Op::Number(number));
            return Ok(());
        }
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if word.is_empty() {
            return Err(match self.rest {
                "" => "ends where a number or a name is needed".into(),
                found => format!("needs a number or a name before '{found}'"),
            });
        }
        let known = self.names.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        self.rest = rest;
        match (word, known) {
            ("avg", _) => self.ops.push(Op::Avg),
            (_, Some(value)) => self.ops.push(Op::Number(value)),
            ("x", _) => self.share()?,
            ("min", _) => self.call(2, Op::Min)?,
            ("max", _) => self.call(2, Op::Max)?,
            ("exp", _) => self.call(1, Op::Exp)?,
            ("ln", _) => self.call(1, Op::Ln)?,
            ("sqrt", _) => self.call(1, Op::Sqrt)?,
            _ => return Err(format!("has the unknown name '{word}': {}", self.known())),
        }
        Ok(())
    }

    /// The grammar of an expression.
    fn known(&self) -> String {
        let names: Vec<&str> = self.names.iter().map(|(name, _)| *name).collect();
        format!("names are avg, x, {}, functions min, max, exp, ln, sqrt", names.join(", "))
    }

    /// `x`: the share of the way from `min_th` to `max_th`.
    fn share(&mut self) -> Result<(), String> {
        let find = |name: &str| self.names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let (Some(min_th), Some(max_th)) = (find("min_th"), find("max_th")) else {
            return Err("has the unknown name 'x': it needs min_th and max_th".into());
        };
        self.ops.extend([Op::Avg, Op::Number(min_th), Op::Sub, Op::Number(max_th - min_th), Op::Div]);
        Ok(())
    }

    fn call(&mut self, arguments: usize, op: Op) -> Result<(), String> {
        self.needs('(')?;
        for i in 0..arguments {
            if i > 0 {
                self.needs(',')?;
            }
            self.sum()?;
        }
        self.ops.push(op);
        self.needs(')')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_as_written() {
        let value =
            |text: &str| Expression::compile(text, &[("min_th", 5.0), ("max_th", 15.0)]).unwrap().value(10.0);
        assert_eq!(value("1 + 2 * 3 ^ 2"), 19.0);
        assert_eq!(value("-(2 - 5) / 2"), 1.5);
        assert_eq!(value("8 / 4 / 2 - 1 - 1"), -1.0);
        assert_eq!(value("x + avg + min_th"), 15.5);
        assert_eq!(value("max(min(3, avg), sqrt(4))"), 3.0);
        assert_eq!(value("ln(exp(2))"), 2.0);
        assert_eq!(value("1e-3 + 2.5E2 - 2.e0 + .5"), 0.001 + 250.0 - 2.0 + 0.5);
        assert_eq!(value("2^-1*4--1"), 3.0);
    }

    #[test]
    fn slips_are_named() {
        let error = |text: &str| Expression::compile(text, &[]).unwrap_err();
        assert!(
            error("2 * wq").starts_with("has the unknown name 'wq': names are avg, x"),
            "{}",
            error("2 * wq")
        );
        assert_eq!(error("(1 + 2"), "needs ')' before ''");
        assert_eq!(error("1 +"), "ends where a number or a name is needed");
        assert_eq!(error("1 + ,2"), "needs a number or a name before ',2'");
        assert!(error("1e").starts_with("cannot read 'e'"));
        for word in ["inf", "nan", "π", "até", "x"] {
            assert!(error(word).starts_with("has the unknown name"), "{word}: {}", error(word));
        }
        assert_eq!(error("1 2"), "cannot read '2'");
        assert_eq!(error(&format!("{}1{}", "1+(".repeat(20), ")".repeat(20))), "is nested too deeply");
        for deep in ["(", "-", "2^", "min(1,", "sqrt("] {
            assert_eq!(error(&deep.repeat(100_000)), "is nested too deeply", "{deep}");
        }
    }
}
