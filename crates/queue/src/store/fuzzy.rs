//! Fuzzy sets and rules of two inputs, as the fuzzy disciplines share them.
//!
//! Reference: Mamdani's triangles with Sugeno's singletons, as textbooks have them.
//! Units: plain numbers.

/// How the degrees of two conditions make the degree of both.
pub(crate) type And = fn(f64, f64) -> f64;

/// Degrees of membership of `x` in triangles with these rising peaks; the outer two are shoulders. They add up to one.
pub(crate) fn degrees<const N: usize>(x: f64, peaks: &[f64; N]) -> [f64; N] {
    let mut memberships = [0.0; N];
    let above = peaks.iter().filter(|peak| **peak <= x).count();
    if above == 0 {
        memberships[0] = 1.0;
    } else if above == N {
        memberships[N - 1] = 1.0;
    } else {
        let (left, right) = (peaks[above - 1], peaks[above]);
        memberships[above - 1] = (right - x) / (right - left);
        memberships[above] = (x - left) / (right - left);
    }
    memberships
}

/// The mean of the conclusions of all rules, weighted by how far both conditions of each hold.
pub(crate) fn conclude<const N: usize, const M: usize>(
    first: &[f64; N],
    second: &[f64; M],
    rules: &[[f64; M]; N],
    and: And,
) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (a, conclusions) in first.iter().zip(rules) {
        for (b, conclusion) in second.iter().zip(conclusions) {
            let weight = and(*a, *b);
            sum += weight * conclusion;
            total += weight;
        }
    }
    sum / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_overlap_and_the_outer_ones_are_shoulders() {
        let at = |x: f64| degrees(x, &[0.0, 10.0, 30.0]);
        assert_eq!(at(-5.0), [1.0, 0.0, 0.0]);
        assert_eq!(at(2.5), [0.75, 0.25, 0.0]);
        assert_eq!(at(10.0), [0.0, 1.0, 0.0]);
        assert_eq!(at(25.0), [0.0, 0.25, 0.75]);
        assert_eq!(at(99.0), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn rules_are_weighed_by_product_or_minimum() {
        let rules = [[0.0, 1.0], [2.0, 4.0]];
        let (first, second) = ([0.75, 0.25], [0.5, 0.5]);
        // Products 0.375 0.375 0.125 0.125: 0.375 + 0.25 + 0.5. Minima 0.5 0.5 0.25 0.25: (0.5 + 0.5 + 1) / 1.5.
        assert_eq!(conclude(&first, &second, &rules, |a, b| a * b), 1.125);
        assert_eq!(conclude(&first, &second, &rules, f64::min), 2.0 / 1.5);
    }
}
