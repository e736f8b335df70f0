//! How often an average met with a drop or a mark.

/// Arrivals and hits in bins of the average. The bins widen as the average grows, so there is no range to set.
#[derive(Clone, Debug)]
pub struct Curve {
    width: f64,
    /// `1 / width`, exact because widths are powers of two.
    per_width: f64,
    bins: Box<[(u32, u32); BINS]>,
}

const BINS: usize = 256;

impl Default for Curve {
    fn default() -> Self {
        Curve { width: 1.0 / 16.0, per_width: 16.0, bins: Box::new([(0, 0); BINS]) }
    }
}

impl Curve {
    #[inline]
    pub(super) fn add(&mut self, avg: f64, hit: bool) {
        // The shorter word converts in fewer instructions.
        let mut bin = (avg * self.per_width) as u32 as usize;
        while bin >= BINS {
            self.widen();
            bin = (avg * self.per_width) as u32 as usize;
        }
        self.bins[bin].0 += 1;
        self.bins[bin].1 += u32::from(hit);
    }

    #[cold]
    fn widen(&mut self) {
        let mut bins = Box::new([(0, 0); BINS]);
        for (bin, pair) in bins.iter_mut().zip(self.bins.chunks(2)) {
            *bin = (pair[0].0 + pair[1].0, pair[0].1 + pair[1].1);
        }
        self.bins = bins;
        self.width *= 2.0;
        self.per_width /= 2.0;
    }

    /// Centre, arrivals and hits of each bin in use.
    pub fn rows(&self) -> impl Iterator<Item = (f64, u32, u32)> + '_ {
        let row = |(i, bin): (usize, &(u32, u32))| ((i as f64 + 0.5) * self.width, bin.0, bin.1);
        self.bins.iter().enumerate().filter(|(_, bin)| bin.0 > 0).map(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_widens_and_keeps_its_counts() {
        let mut curve = Curve::default();
        for i in 0..100 {
            curve.add(f64::from(i), i % 4 == 0);
        }
        let (arrived, hit) = curve.rows().fold((0, 0), |sum, (_, a, h)| (sum.0 + a, sum.1 + h));
        assert_eq!((arrived, hit, curve.width), (100, 25, 0.5));
        assert_eq!(curve.rows().next(), Some((0.25, 1, 1)));
    }
}
