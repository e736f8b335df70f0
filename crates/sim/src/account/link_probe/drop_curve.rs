//! Drop and mark rates against the average queue.

/// Arrivals, and drops or marks among them, by average queue. Counted by the leading bits of the average as a double,
/// 128 steps per octave; the bins of the result combine steps and widen with the largest average, so that no range is
/// set.
#[derive(Clone, Debug, Default)]
pub struct DropCurve {
    /// Below the first octave.
    low: (u32, u32),
    steps: Vec<(u32, u32)>,
}

/// The least width of a bin, and the most bins of a result.
const NARROWEST: f64 = 1.0 / 16.0;
const BINS: usize = 256;

/// A step is identified by exponent and seven bits of the double. The first octave begins with the second bin.
const STEPS: usize = 128;
const OTHER_BITS: u32 = f64::MANTISSA_DIGITS - 1 - STEPS.trailing_zeros();
const FIRST: u64 = NARROWEST.to_bits() >> OTHER_BITS;

impl DropCurve {
    #[inline]
    pub(super) fn add(&mut self, avg: f64, hit: bool) {
        let step = (avg.to_bits() >> OTHER_BITS).wrapping_sub(FIRST) as usize;
        match self.steps.get_mut(step) {
            Some(pair) => {
                pair.0 += 1;
                pair.1 += u32::from(hit);
            }
            None => self.add_slow(avg, step, hit),
        }
    }

    /// An average below the first octave, or above all so far, or none.
    #[cold]
    #[inline(never)]
    fn add_slow(&mut self, avg: f64, step: usize, hit: bool) {
        if avg >= NARROWEST {
            self.steps.resize((step + 1).next_multiple_of(STEPS), (0, 0));
            return self.add(avg, hit);
        }
        if !avg.is_nan() {
            self.low.0 += 1;
            self.low.1 += u32::from(hit);
        }
    }

    /// Width of the bins: the least power of two for which they are few enough.
    fn width(&self) -> f64 {
        let mut width = NARROWEST;
        while step_start(self.steps.len()) > width * BINS as f64 {
            width *= 2.0;
        }
        width
    }

    /// Centre, arrivals, and drops or marks of each non-empty bin.
    pub fn rows(&self) -> impl Iterator<Item = (f64, u32, u32)> {
        let (width, mut bins) = (self.width(), vec![(0, 0); BINS]);
        bins[0] = self.low;
        for (step, (arrived, hit)) in self.steps.iter().enumerate() {
            let bin = &mut bins[(step_start(step) / width) as usize];
            *bin = (bin.0 + arrived, bin.1 + hit);
        }
        let row = move |(i, (arrived, hit))| ((i as f64 + 0.5) * width, arrived, hit);
        bins.into_iter().enumerate().filter(|(_, bin)| bin.0 > 0).map(row)
    }
}

/// The lower edge of a step.
fn step_start(step: usize) -> f64 {
    f64::from_bits((FIRST + step as u64) << OTHER_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_widen_and_keep_their_counts() {
        let mut curve = DropCurve::default();
        for i in 0..100 {
            curve.add(f64::from(i), i % 4 == 0);
        }
        let (arrived, hit) = curve.rows().fold((0, 0), |sum, (_, a, h)| (sum.0 + a, sum.1 + h));
        assert_eq!((arrived, hit, curve.width()), (100, 25, 0.5));
        assert_eq!(curve.rows().next(), Some((0.25, 1, 1)));
    }

    #[test]
    fn a_bin_holds_what_lies_between_its_edges() {
        for (most, width) in [(0.01f64, 1.0 / 16.0), (15.99, 1.0 / 16.0), (16.0, 0.125), (1000.0, 4.0)] {
            for avg in (0..800).map(|i| most * f64::from(i) / 800.0).flat_map(|x| [x, x.next_down().max(0.0)])
            {
                let mut curve = DropCurve::default();
                curve.add(most, false);
                curve.add(avg, true);
                let (centre, ..) = curve.rows().find(|(_, _, hit)| *hit > 0).expect("it was counted");
                assert_eq!(centre, ((avg / width).floor() + 0.5) * width, "{avg} of {most}");
            }
        }
    }
}
