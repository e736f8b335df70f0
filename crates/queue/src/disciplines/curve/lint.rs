//! Faults of a drop curve: sections that no average reaches, and values that make no sense.
//!
//! Units: as the average.
//! Sections are sampled at 256 points each, so a fault narrower than the distance of two samples may escape.

use super::CurveNumbers;
use alloc::string::String;
use alloc::vec::Vec;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveFaultKind {
    /// No average falls into the section: its bound lies at or below where it starts.
    Unreachable,
    /// It starts at or above the limit of the buffer, which an average cannot pass.
    BeyondLimit,
    /// Two sections end at the same bound, or neither has one: they contradict each other, and the second is never
    /// used.
    Contradiction,
    /// Not a number.
    Undefined,
    /// Below 0 or above 1.
    OutOfRange,
    /// It falls while the average rises.
    Falls,
    /// It jumps where a section begins.
    Jumps,
}

/// A fault in one section.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveFault {
    /// The section, counted from 1.
    pub section: usize,
    /// Its kind.
    pub kind: CurveFaultKind,
    /// The average where it was seen.
    pub avg: f64,
    /// In words.
    pub text: String,
}

impl CurveFault {
    /// Whether the curve is an error, not merely unusual.
    pub fn is_broken(&self) -> bool {
        !matches!(self.kind, CurveFaultKind::BeyondLimit | CurveFaultKind::Falls | CurveFaultKind::Jumps)
    }
}

/// Samples of each section.
const SAMPLES: u32 = 256;
/// Differences below this are rounding.
const NOISE: f64 = 1e-9;

/// All faults of a curve between its lower threshold and `last`.
pub(super) fn lint(curve: &CurveNumbers, last: f64) -> Vec<CurveFault> {
    let mut faults = Vec::new();
    let (mut start, mut before) = (curve.min_th, None::<f64>);
    for (i, section) in curve.sections.iter().enumerate() {
        let mut note = |kind: CurveFaultKind, avg: f64, text: String| {
            faults.push(CurveFault { section: i + 1, kind, avg, text });
        };
        let end = section.until.min(last.max(start));
        if section.until.is_nan() {
            note(CurveFaultKind::Undefined, start, "has a bound that is not a number".into());
            continue;
        }
        if section.until <= start {
            let same = i > 0 && section.until == curve.sections[i - 1].until;
            let kind = if same { CurveFaultKind::Contradiction } else { CurveFaultKind::Unreachable };
            let text = if start == f64::INFINITY {
                "comes after one without a bound: no average falls into it".into()
            } else {
                format!("ends at {}, but starts at {start}: no average falls into it", section.until)
            };
            note(kind, start, text);
            continue;
        }
        if start >= last {
            note(
                CurveFaultKind::BeyondLimit,
                start,
                format!("starts at {start}, but the queue holds at most {last}"),
            );
            start = section.until;
            continue;
        }
        let at = |k: u32| start + (end - start) * f64::from(k) / f64::from(SAMPLES);
        let value = |k: u32| section.law.value(at(k));
        let first = value(0);
        if let Some(jump) = before.map(|p| first - p).filter(|jump| jump.abs() > NOISE) {
            note(CurveFaultKind::Jumps, start, format!("jumps by {jump:.6} at {start}"));
        }
        let points = || (0..SAMPLES).map(|k| (at(k), value(k)));
        if let Some((avg, _)) = points().find(|(_, p)| p.is_nan()) {
            note(CurveFaultKind::Undefined, avg, format!("is not a number at an average of {avg}"));
        }
        if let Some((avg, p)) = points().find(|(_, p)| *p < -NOISE || *p > 1.0 + NOISE) {
            note(
                CurveFaultKind::OutOfRange,
                avg,
                format!("is {p} at an average of {avg}, which is not a probability"),
            );
        }
        let pairs = || points().zip(points().skip(1));
        if let Some(((avg, _), _)) = pairs().find(|((_, p), (_, next))| *next < *p - NOISE) {
            note(CurveFaultKind::Falls, avg, format!("falls from an average of {avg} on"));
        }
        before = Some(value(SAMPLES));
        start = section.until;
    }
    faults
}
