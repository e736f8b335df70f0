//! TCP throughput equation, and its inverse.
//!
//! *Reference*: RFC 5348 section 3.1; Padhye, Firoiu, Towsley and Kurose 1998.
//! *Deviations*: with `bounded` the timeout term has Padhye's bound `min(1, 3 sqrt(3 b p / 8))`; the RFC
//! leaves it out. They differ for p above 8/27.

/// Parameters of the equation other than the loss event rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Segment size in bytes.
    pub s: f64,
    /// RTT in seconds.
    pub r: f64,
    /// Retransmission timeout in seconds.
    pub t_rto: f64,
    /// Segments per ACK.
    pub b: f64,
    /// Whether the timeout term is bounded.
    pub bounded: bool,
}

/// Throughput in bytes per second at a loss event rate; infinite if `p` is zero.
pub fn throughput(p: f64, path: &Path) -> f64 {
    let Path { s, r, t_rto, b, bounded } = *path;
    if !(p > 0.0 && r > 0.0) {
        return f64::INFINITY;
    }
    let timeouts = 3.0 * (3.0 * b * p / 8.0).sqrt();
    let timeouts = if bounded { timeouts.min(1.0) } else { timeouts };
    s / (r * (2.0 * b * p / 3.0).sqrt() + t_rto * timeouts * p * (1.0 + 32.0 * p * p))
}

/// Loss event rate at which the throughput is `x`, by bisection, to a relative `tolerance` of `x`. One if
/// even that gives more than `x`.
pub fn loss_rate(x: f64, path: &Path, tolerance: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let p = (low + high) / 2.0;
        let error = throughput(p, path) / x - 1.0;
        if error.abs() < tolerance {
            return p;
        }
        if error > 0.0 {
            low = p;
        } else {
            high = p;
        }
    }
    high
}

/// Bisection steps: enough to separate any two loss rates in use.
const HALVINGS: u32 = 60;

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: Path = Path { s: 1460.0, r: 0.1, t_rto: 0.4, b: 1.0, bounded: false };

    #[test]
    fn known_throughputs() {
        let table = [
            (0.0001, 1_786_519.6),
            (0.001, 560_411.7),
            (0.01, 164_005.1),
            (0.05, 53_813.9),
            (0.1, 25_843.5),
            (0.2, 7_833.8),
        ];
        for (p, x) in table {
            for bounded in [false, true] {
                let got = throughput(p, &Path { bounded, ..PATH });
                assert!((got - x).abs() < 0.06, "p = {p}: {got} for {x}");
            }
        }
    }

    #[test]
    fn the_inverse_inverts() {
        for p in [1e-6, 1e-4, 0.003, 0.1, 0.7] {
            let again = loss_rate(throughput(p, &PATH), &PATH, 1e-9);
            assert!((again / p - 1.0).abs() < 1e-6, "{p} became {again}");
        }
        assert_eq!(loss_rate(1e-3, &PATH, 1e-9), 1.0);
        assert_eq!(throughput(0.0, &PATH), f64::INFINITY);
    }

    #[test]
    fn by_hand() {
        // s 1000, R 1, no timeouts: p = 3/2 · 1/100 gives sqrt(2p/3) = 1/10.
        let path = Path { s: 1000.0, r: 1.0, t_rto: 0.0, b: 1.0, bounded: true };
        assert!((throughput(0.015, &path) - 10_000.0).abs() < 1e-9);
    }
}
