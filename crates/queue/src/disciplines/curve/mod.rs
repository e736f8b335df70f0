//! RED with any drop curve, given by expressions or points, and checked before use.
//!
//! Reference: FJ93 for everything but the curve.
//! Units: as in RED; the names in expressions are in the unit of the queue.
//! Deviations: beyond its last section a curve stays at the value of that section. If `refuse` admits such curves, an
//! undefined value counts as 1, and a value outside 0 .. 1 is clamped.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the parameters, the sections, the curve at work |
//! | `expression.rs` | expressions, compiled |
//! | `lint.rs` | faults of a curve |

mod expression;
mod lint;

pub use lint::{CurveFault, CurveFaultKind};

use crate::disc::Packet;
use crate::red::shared_params::{red_params, resolved_of};
use crate::red::{self, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use expression::Expression;
use units::param::{require, Check, Preset, Problem, Range, Table, Valid};
use units::quantity::Amount;

units::choices! {
    /// Faults for which a curve is refused.
    pub enum RefuseCurve {
        /// Errors: unreachable or contradictory sections, values that are no probability.
        Broken = "broken",
        /// All faults, including falling parts and jumps.
        All = "all",
        /// None.
        Nothing = "nothing",
    }
}

red_params! {
    /// RED with a user-defined drop curve.
    pub struct Params {
        /// Average queue from which the curve is used.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// The upper threshold, for expressions.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// The probability scale, for expressions.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FJ93" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// The curve: `until BOUND: EXPRESSION; ...; EXPRESSION`, or `points AVG P, AVG P, ...`.
        curve: String = "until max_th: max_p * x; 1".to_string() => { source: "FJ93" },
        /// Faults for which a curve is refused.
        refuse: RefuseCurve = RefuseCurve::Broken => { assumed: true },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        self.base().with_law(self.min_th, self.max_th, self.max_p, self.w_q)
    }

    /// The curve in numbers.
    fn draw(&self, min_th: f64, max_th: f64, limit: f64) -> Result<CurveNumbers, String> {
        let names = [("min_th", min_th), ("max_th", max_th), ("max_p", self.max_p), ("limit", limit)];
        let text = self.curve.trim();
        let sections = match text.strip_prefix("points") {
            Some(points) => joined(points, min_th)?,
            None => text.split(';').map(|part| Section::read(part, &names)).collect::<Result<_, _>>()?,
        };
        let certain = |(i, section): (usize, &Section)| {
            let last = i + 1 == sections.len() && section.law.constant().is_some_and(|p| p >= 1.0);
            last.then(|| if i == 0 { min_th } else { sections[i - 1].until })
        };
        let forced_at = sections.iter().enumerate().find_map(certain).unwrap_or(f64::INFINITY);
        Ok(CurveNumbers { min_th, max_p: self.max_p, forced_at, sections })
    }

    fn drawn_in(&self, setting: &Setting) -> Result<CurveNumbers, String> {
        let resolved = self.red().resolve(setting);
        self.draw(resolved.min_th, resolved.max_th, resolved.limit.number())
    }

    /// Returns all faults of the curve in a setting.
    pub fn lint(&self, setting: &Setting) -> Vec<CurveFault> {
        let last = self.red().resolve(setting).limit.number();
        self.drawn_in(setting).map_or(Vec::new(), |drawn| lint::lint(&drawn, last.max(drawn.min_th + 1.0)))
    }
}

/// Straight lines through points. The value of the first point holds from `min_th` on.
fn joined(text: &str, min_th: f64) -> Result<Vec<Section>, String> {
    let mut points = Vec::new();
    for pair in text.split(',') {
        let numbers: Result<Vec<f64>, _> = pair.split_whitespace().map(str::parse).collect();
        match numbers.as_deref() {
            Ok([avg, p]) if avg.is_finite() && p.is_finite() => points.push((*avg, *p)),
            _ => return Err(format!("needs an average and a probability, not '{}'", pair.trim())),
        }
    }
    if points[0].0 > min_th {
        points.insert(0, (min_th, points[0].1));
    }
    let mut sections: Vec<Section> =
        points.windows(2).map(|w| Section { until: w[1].0, law: Expression::line(w[0], w[1]) }).collect();
    if let Some(last) = points.last() {
        sections.push(Section { until: f64::INFINITY, law: Expression::compile(&last.1.to_string(), &[])? });
    }
    Ok(sections)
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        SHAPES
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
        if let Err(rule) = self.draw(5.0, 15.0, 100.0) {
            problems.push(Problem::new("curve", format!("\"{}\"", self.curve), rule, ""));
        }
    }
}

const SHAPES: &[Preset] = &[
    Preset {
        name: "gentle",
        doc: "RED with the gentle ramp above max_th.",
        options: &[("curve", "until max_th: max_p * x; until 2 * max_th: max_p + (1 - max_p) * (avg / max_th - 1); 1")],
    },
    Preset {
        name: "exponential",
        doc: "e to the power of the average, scaled to rise from 0 to max_p.",
        options: &[("curve", "until max_th: max_p * (exp(avg) - exp(min_th)) / (exp(max_th) - exp(min_th)); 1")],
    },
    Preset {
        name: "double_slope",
        doc: "Two straight lines with a knee half way, at a tenth, rising to 1 at max_th.",
        options: &[("curve", "until (min_th + max_th) / 2: 0.2 * x; until max_th: 0.1 + 1.8 * (x - 0.5); 1")],
    },
    Preset {
        name: "smred",
        doc: "SmRED: a square below the middle, a root above, with a jump from 0.25 to 0.71 max_p.",
        options: &[("curve", "until (min_th + max_th) / 2: max_p * x ^ 2; until max_th: max_p * sqrt(x); 1")],
    },
    Preset {
        name: "three_sections",
        doc: "Cubic, straight, cubic, each a third of the way.",
        options: &[(
            "curve",
            "until min_th + (max_th - min_th) / 3: 9 * max_p * x ^ 3; until min_th + 2 * (max_th - min_th) / 3: \
             max_p * x; until max_th: max_p + 9 * max_p * (x - 1) ^ 3; 1",
        )],
    },
    Preset {
        name: "red_ql",
        doc: "RED-QL: a parabola up to 2 (min_th + max_th) / 3 - min_th, then a line to 1. Needs max_th above 2 min_th.",
        options: &[(
            "curve",
            "until (2 * max_th - min_th) / 3: max_p * ((avg - min_th) / ((2 * max_th - 4 * min_th) / 3)) ^ 2; \
             until max_th: max_p + (1 - max_p) * (avg - (2 * max_th - min_th) / 3) / ((max_th + min_th) / 3); 1",
        )],
    },
    Preset {
        name: "three_sections_as_coded",
        doc: "Three sections with a slip seen in print, min_th + max_th/3 for a third of the way: one is out of reach.",
        options: &[
            (
                "curve",
                "until min_th + max_th / 3: 9 * max_p * x ^ 3; until min_th + 2 * max_th / 3: max_p * x; \
                 until max_th: max_p + 9 * max_p * (x - 1) ^ 3; 1",
            ),
            ("refuse", "nothing"),
        ],
    },
    Preset {
        name: "hyperbola_as_coded",
        doc: "A \"hyperbola\" with a slip seen in code: x times 1/x is a constant, and undefined at min_th.",
        options: &[("curve", "until max_th: max_p * x * (1 / x); 1"), ("refuse", "nothing")],
    },
];

impl Discipline for Params {
    const TITLE: &'static str = "RED with any drop curve";
    const ABOUT: &'static str =
        "RED whose probability follows a curve of your own, in sections of expressions or through points. \
        A checker finds sections that no average reaches, contradictions, values that are no probability, \
        falling parts and jumps.";
    const REFERENCE: &'static str = "FJ93";
    type Disc<P: Packet + Copy> = Red<P, CurveNumbers>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Red<P, CurveNumbers> {
        let drawn = params.drawn_in(setting).expect("checked parameters hold a curve that can be read");
        Red::with_curve(&params.red(), setting, drawn)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        resolved_of::<Params>(&self.red(), setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.red().check_in(setting, problems);
        for fault in self.lint(setting) {
            let passes = match self.refuse {
                RefuseCurve::Nothing => true,
                RefuseCurve::Broken => !fault.is_broken(),
                RefuseCurve::All => false,
            };
            let rule = format!("section {} {}", fault.section, fault.text);
            require(problems, passes, "curve", "", rule, "correct the curve, or set refuse to accept it");
        }
    }
}

/// One section: the law up to a bound.
#[derive(Clone, Debug, PartialEq)]
struct Section {
    until: f64,
    law: Expression,
}

impl Section {
    fn read(text: &str, names: &[(&str, f64)]) -> Result<Section, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("has a section with nothing in it: a ';' too many?".into());
        }
        let Some((bound, law)) = text.strip_prefix("until ").and_then(|rest| rest.split_once(':')) else {
            return Ok(Section { until: f64::INFINITY, law: Expression::compile(text, names)? });
        };
        let until = Expression::compile(bound, names)?;
        let until = until.constant().ok_or_else(|| format!("needs a bound without avg, not '{bound}'"))?;
        Ok(Section { until, law: Expression::compile(law, names)? })
    }
}

/// A curve in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveNumbers {
    min_th: f64,
    max_p: f64,
    forced_at: f64,
    sections: Vec<Section>,
}

impl MarkingCurve for CurveNumbers {
    fn min_th(&self) -> f64 {
        self.min_th
    }

    fn forced_at(&self) -> f64 {
        self.forced_at
    }

    #[inline]
    fn p_b(&self, avg: f64) -> f64 {
        let section = self.sections.iter().find(|section| avg < section.until).or(self.sections.last());
        let p_b = section.map_or(1.0, |section| section.law.value(avg));
        if p_b.is_nan() {
            1.0
        } else {
            p_b.clamp(0.0, 1.0)
        }
    }

    fn max_p(&self) -> f64 {
        self.max_p
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, SETTING};

    fn p_b(rows: &[(&str, &str)], avg: f64) -> f64 {
        params::<Params>(rows).drawn_in(&SETTING).unwrap().p_b(avg)
    }

    fn faults(rows: &[(&str, &str)]) -> Vec<(usize, CurveFaultKind)> {
        let found = params::<Params>(rows).lint(&SETTING);
        found.into_iter().map(|fault| (fault.section, fault.kind)).collect()
    }

    #[test]
    fn shapes_by_hand() {
        assert!((p_b(&[], 10.0) - 0.05).abs() < 1e-12);
        assert_eq!(params::<Params>(&[]).drawn_in(&SETTING).unwrap().forced_at, 15.0);
        assert!((p_b(&[("dialect", "gentle")], 22.5) - 0.55).abs() < 1e-12);
        assert!((p_b(&[("dialect", "double_slope")], 10.0) - 0.1).abs() < 1e-12);
        // SmRED's jump: 0.25 max_p just below the middle, 0.71 max_p at it.
        assert!((p_b(&[("dialect", "smred")], 10.0 - 1e-9) - 0.025).abs() < 1e-9);
        assert!((p_b(&[("dialect", "smred")], 10.0) - 0.070_710_678).abs() < 1e-9);
        assert!((p_b(&[("dialect", "three_sections")], 10.0) - 0.05).abs() < 1e-12);
        assert!((p_b(&[("curve", "points 5 0, 15 0.1, 30 1")], 22.5) - 0.55).abs() < 1e-12);
        // From min_th to the first point the curve stays at that point.
        let late = |avg: f64| p_b(&[("curve", "points 10 1e-2, 20 0.21")], avg);
        assert_eq!(late(7.0), 0.01);
        assert!((late(15.0) - 0.11).abs() < 1e-12 && late(50.0) == 0.21);
    }

    #[test]
    fn faults_that_the_lint_reports() {
        assert_eq!(faults(&[("dialect", "gentle")]), []);
        assert_eq!(faults(&[]), [(2, CurveFaultKind::Jumps)]);
        assert_eq!(faults(&[("dialect", "smred")]), [(2, CurveFaultKind::Jumps), (3, CurveFaultKind::Jumps)]);
        // 5 + 30/3 = 15 is max_th: the third section has no room.
        let coded = faults(&[("dialect", "three_sections_as_coded")]);
        assert!(coded.contains(&(3, CurveFaultKind::Contradiction)), "{coded:?}");
        assert!(faults(&[("dialect", "hyperbola_as_coded")]).contains(&(1, CurveFaultKind::Undefined)));
        assert_eq!(
            faults(&[("curve", "until 20: 0.1; until 10: 0.2; 1")])[0],
            (2, CurveFaultKind::Unreachable)
        );
        // The buffer holds 100 packets: an average beyond is possible on paper only, which is reported but
        // not refused.
        let beyond = faults(&[("curve", "until 120: 0.1; 0.1")]);
        assert_eq!(beyond, [(2, CurveFaultKind::BeyondLimit)]);
        assert_eq!(faults(&[("curve", "until 100: 0.1; until 110: 0.1; 0.1")]).len(), 2);
        assert_eq!(faults(&[("curve", "0.1; 0.2")]), [(2, CurveFaultKind::Contradiction)]);
        assert!(faults(&[("curve", "1.5 - avg / 100")]).contains(&(1, CurveFaultKind::OutOfRange)));
        assert!(faults(&[("curve", "0.5 - avg / 1000")]).contains(&(1, CurveFaultKind::Falls)));
        // The first section of RED-QL has no room once max_th is at most twice min_th.
        let narrow = [("dialect", "red_ql"), ("min_th", "10 pkts"), ("max_th", "20 pkts")];
        assert!(faults(&narrow).contains(&(1, CurveFaultKind::Unreachable)));
        assert!(!faults(&[("dialect", "red_ql")]).iter().any(|fault| fault.1 == CurveFaultKind::Unreachable));
    }

    #[test]
    fn broken_curves_do_not_fit_unless_they_are_meant() {
        let fits = |rows: &[(&str, &str)]| {
            let mut problems = Vec::new();
            params::<Params>(rows).fits(&SETTING, &mut problems);
            problems.len()
        };
        let curve = "until 20: 0.1; until 10: 0.2; 1";
        assert_eq!(fits(&[("curve", curve)]), 1);
        assert_eq!(fits(&[("curve", curve), ("refuse", "nothing")]), 0);
        assert_eq!((fits(&[]), fits(&[("refuse", "all")])), (0, 1));
        assert!(refused::<Params>(&[("curve", "until avg: 1; 0")])[0].contains("needs a bound without avg"));
        for points in ["points 5, 3 2", "points", "points 5 0.1 high", "points 5 0, nan 1", "points 5 0,"] {
            let refusal = refused::<Params>(&[("curve", points)]);
            assert!(refusal[0].contains("an average and a probability"), "{points}: {refusal:?}");
        }
        for empty in ["", ";", "until max_th: x;", "until 10: x;; 1"] {
            assert!(refused::<Params>(&[("curve", empty)])[0].contains("nothing in it"), "{empty:?}");
        }
    }
}
