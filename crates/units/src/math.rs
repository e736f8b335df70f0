//! Elementary functions with the same bits on every platform.
//!
//! The standard library calls the system's mathematics, whose last bit differs between systems; one bit changes a drop
//! and with it the whole run. Addition, multiplication, division and square root are exact by IEEE 754; the square root
//! is here because `core` lacks it.

/// `x` to the power `y`.
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// e to the power `x`.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Square root: exact, so the same bits on every machine.
#[inline]
pub fn sqrt(x: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    libm::sqrt(x)
}

/// From this magnitude on every double is a whole number.
const ALL_WHOLE: f64 = (1u64 << 52) as f64;

/// The nearest whole number to a number from zero to 2^52, halves to even: a sum beyond 2^52 has no fraction. The
/// library's functions are calls where the processor's level has no instruction for them.
#[inline(always)]
fn nearest_even(x: f64) -> f64 {
    (x + ALL_WHOLE) - ALL_WHOLE
}

/// The nearest whole number, halves away from zero.
#[inline]
pub fn round(x: f64) -> f64 {
    let size = x.abs();
    if size < ALL_WHOLE {
        let whole = nearest_even(size);
        // The difference is exact.
        let up = if size - whole >= 0.5 { 1.0 } else { 0.0 };
        (whole + up).copysign(x)
    } else {
        x
    }
}

/// The largest whole number that is not above `x`.
#[inline]
pub fn floor(x: f64) -> f64 {
    let size = x.abs();
    if size < ALL_WHOLE {
        let whole = nearest_even(size).copysign(x);
        let down = if whole > x { 1.0 } else { 0.0 };
        (whole - down).copysign(x)
    } else {
        x
    }
}

/// The smallest whole number that is not below `x`.
#[inline]
pub fn ceil(x: f64) -> f64 {
    -floor(-x)
}

/// The larger of two numbers; `b` if `a` is none. One instruction, where `f64::max` takes five because either may be no
/// number.
#[inline(always)]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b {
        a
    } else {
        b
    }
}

/// The smaller of two numbers; `b` if `a` is none.
#[inline(always)]
pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b {
        a
    } else {
        b
    }
}

/// Cube root.
#[inline]
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// `x` to a whole power, by repeated squaring: exact operations only, so no library is involved.
#[inline]
pub fn powi(mut x: f64, mut n: u64) -> f64 {
    let mut result = 1.0;
    while n > 0 {
        if n & 1 == 1 {
            result *= x;
        }
        x *= x;
        n >>= 1;
    }
    result
}

/// The quantile of the standard normal distribution, to about seven digits (Wichura 1988, AS 241, PPND7). The arguments
/// 0 and 1 count as the least double above 0 and its mirror image, so the result is finite.
pub fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        let above = ((59.109_374_720 * r + 159.291_132_02) * r + 50.434_271_938) * r + 3.387_132_717_9;
        let below = ((67.187_563_600 * r + 78.757_757_664) * r + 17.895_169_469) * r + 1.0;
        return q * above / below;
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = sqrt(-ln(tail.max(f64::MIN_POSITIVE)));
    let x = if r <= 5.0 {
        let r = r - 1.6;
        let above = ((0.170_238_211_03 * r + 1.306_728_481_6) * r + 2.756_815_390_0) * r + 1.423_437_277_7;
        above / ((0.120_211_329_75 * r + 0.737_001_642_50) * r + 1.0)
    } else {
        let r = r - 5.0;
        let above = ((0.017_337_203_997 * r + 0.428_682_943_37) * r + 3.081_226_386_0) * r + 6.657_905_115_0;
        above / ((0.012_258_202_635 * r + 0.241_978_942_25) * r + 1.0)
    };
    if q < 0.0 {
        -x
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_quantiles_of_the_tables() {
        for (p, x) in [
            (0.5, 0.0),
            (0.975, 1.959_963_985),
            (0.001, -3.090_232_306),
            (0.84, 0.994_457_883),
            (1e-13, -7.348_796_1),
        ] {
            assert!((normal_quantile(p) - x).abs() < 2e-6, "{p}: {}", normal_quantile(p));
        }
        assert!(normal_quantile(0.0).is_finite() && normal_quantile(1.0).is_finite());
    }

    /// Square roots without `std` and rounding by a sum yield the same bits as the library, halves and
    /// numbers beyond 2^53 included.
    #[test]
    fn exact_functions_are_exact_either_way() {
        let mut rng = crate::Stream::new(1, "exact");
        let drawn = (0..20_000).map(|i| (crate::Rng::uniform(&mut rng) - 0.5) * powi(2.0, i % 80));
        for x in drawn.chain([
            0.5,
            1.5,
            2.5,
            -0.5,
            -1.5,
            -0.0,
            0.49999999999999994,
            4503599627370495.5,
            -4503599627370495.5,
            1e300,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ]) {
            assert_eq!(floor(x).to_bits(), libm::floor(x).to_bits(), "{x}");
            assert_eq!(ceil(x).to_bits(), libm::ceil(x).to_bits(), "{x}");
            assert_eq!(round(x).to_bits(), libm::round(x).to_bits(), "{x}");
            assert_eq!(sqrt(x.abs()).to_bits(), libm::sqrt(x.abs()).to_bits(), "{x}");
        }
    }

    #[test]
    /// The bits the pinned library gives; `exp(1)` is one unit in the last place above the nearest double.
    fn known_bits() {
        assert_eq!(exp(1.0).to_bits(), 0x4005_bf0a_8b14_576a);
        assert_eq!(ln(10.0).to_bits(), 0x4002_6bb1_bbb5_5516);
        assert_eq!(pow(0.998, 100.0).to_bits(), pow(0.998, 100.0).to_bits());
        assert_eq!(powi(0.75, 3), 0.421875);
        assert_eq!(powi(0.5, 0), 1.0);
        assert_eq!(cbrt(27.0), 3.0);
    }
}
