//! Faults of a drop curve: sections that no average reaches, and values that make no sense.
//!
//! Units: as the average.
//! Sections are sampled at 256 points each, so a slip narrower than that may escape.

use super::Drawn;
use alloc::string::String;
use alloc::vec::Vec;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// No average falls into the section: its bound lies at or below where it starts.
    Unreachable,
    /// It starts at or above the limit of the buffer, which an average cannot pass.
    BeyondLimit,
    /// Two sections end at one bound, or none of them at any: they contradict each other, and the second is never used.
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

/// One slip, in one section.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The section, counted from 1.
    pub section: usize,
    /// Its kind.
    pub slip: Slip,
    /// The average where it was seen.
    pub avg: f64,
    /// In words.
    pub text: String,
}

impl Finding {
    /// Whether the curve is an error, not merely unusual.
    pub fn is_broken(&self) -> bool {
        !matches!(self.slip, Slip::BeyondLimit | Slip::Falls | Slip::Jumps)
    }
}

/// Samples of each section.
const SAMPLES: u32 = 256;
/// Differences below this are rounding.
const NOISE: f64 = 1e-9;

/// All slips of a curve between its lower threshold and `last`.
pub(super) fn lint(curve: &Drawn, last: f64) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut start, mut before) = (curve.min_th, None::<f64>);
    for (i, section) in curve.sections.iter().enumerate() {
        let mut note = |slip: Slip, avg: f64, text: String| {
            findings.push(Finding { section: i + 1, slip, avg, text });
        };
        let end = section.until.min(last.max(start));
        if section.until.is_nan() {
            note(Slip::Undefined, start, "has a bound that is not a number".into());
            continue;
        }
        if section.until <= start {
            let same = i > 0 && section.until == curve.sections[i - 1].until;
            let slip = if same { Slip::Contradiction } else { Slip::Unreachable };
            let text = if start == f64::INFINITY {
                "comes after one without a bound: no average falls into it".into()
            } else {
                format!("ends at {}, but starts at {start}: no average falls into it", section.until)
            };
            note(slip, start, text);
            continue;
        }
        if start >= last {
            note(Slip::BeyondLimit, start, format!("starts at {start}, but the queue holds at most {last}"));
            start = section.until;
            continue;
        }
        let value = |k: u32| section.law.value(start + (end - start) * f64::from(k) / f64::from(SAMPLES));
        let at = |k: u32| start + (end - start) * f64::from(k) / f64::from(SAMPLES);
        let first = value(0);
        if let Some(jump) = before.map(|p| first - p).filter(|jump| jump.abs() > NOISE) {
            note(Slip::Jumps, start, format!("jumps by {jump:.6} at {start}"));
        }
        let points = || (0..SAMPLES).map(|k| (at(k), value(k)));
        if let Some((avg, _)) = points().find(|(_, p)| p.is_nan()) {
            note(Slip::Undefined, avg, format!("is not a number at an average of {avg}"));
        }
        if let Some((avg, p)) = points().find(|(_, p)| *p < -NOISE || *p > 1.0 + NOISE) {
            note(Slip::OutOfRange, avg, format!("is {p} at an average of {avg}, which is not a probability"));
        }
        let pairs = || points().zip(points().skip(1));
        if let Some(((avg, _), _)) = pairs().find(|((_, p), (_, next))| *next < *p - NOISE) {
            note(Slip::Falls, avg, format!("falls from an average of {avg} on"));
        }
        before = Some(value(SAMPLES));
        start = section.until;
    }
    findings
}
