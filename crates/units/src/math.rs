//! Elementary functions with the same bits on every platform.
//!
//! The standard library calls the system's mathematics, whose last bit differs between systems; one
//! bit changes a drop and with it the whole run. Addition, multiplication, division and square
//! root are exact by IEEE 754 and need no help.

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

#[cfg(test)]
mod tests {
    use super::*;

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
