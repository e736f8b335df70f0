//! Mean rate of the emulated sender over its last epochs; an epoch lasts from one reduction to the next.
//!
//! *Reference*: ROY00; the weights are TFRC's (RFC 5348 section 5.4).
//! *Units*: packets and seconds.

/// Maximum number of epochs.
const MOST: usize = 64;

/// Epochs, newest first, and the open one.
#[derive(Clone, Debug)]
pub struct Epochs {
    closed: Vec<f64>,
    most: usize,
    packets: f64,
    seconds: f64,
}

impl Epochs {
    /// Returns an empty history.
    pub fn new(most: u64) -> Epochs {
        Epochs { closed: Vec::new(), most: (most as usize).min(MOST), packets: 0.0, seconds: 0.0 }
    }

    /// Adds a round to the open epoch: packets and seconds.
    pub fn round(&mut self, packets: f64, seconds: f64) {
        self.packets += packets;
        self.seconds += seconds;
    }

    /// Closes the open epoch.
    pub fn close(&mut self) {
        if self.seconds > 0.0 {
            self.closed.insert(0, self.packets / self.seconds);
            self.closed.truncate(self.most);
        }
        (self.packets, self.seconds) = (0.0, 0.0);
    }

    /// Mean rate in packets per second over closed epochs, or including the open one if that is more.
    pub fn mean(&self) -> Option<f64> {
        let open = (self.seconds > 0.0).then(|| self.packets / self.seconds);
        let closed = self.weigh(self.closed.iter().copied());
        let with = open.and_then(|open| self.weigh(std::iter::once(open).chain(self.closed.iter().copied())));
        match (closed, with) {
            (Some(closed), Some(with)) => Some(closed.max(with)),
            (closed, with) => closed.or(with),
        }
    }

    fn weigh(&self, rates: impl Iterator<Item = f64>) -> Option<f64> {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (at, rate) in rates.take(self.most).enumerate() {
            let weight = weight(at, self.most);
            sum += weight * rate;
            weights += weight;
        }
        (weights > 0.0).then(|| sum / weights)
    }
}

/// Weight: one for the newer half, then decreasing linearly.
fn weight(at: usize, of: usize) -> f64 {
    if 2 * at < of {
        1.0
    } else {
        2.0 * (of - at) as f64 / (of as f64 + 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_tfrcs() {
        let weights: Vec<f64> = (0..8).map(|at| weight(at, 8)).collect();
        assert_eq!(weights, [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2]);
    }

    /// Epochs of 10 and 30 packets/s: 20. An open one at 50 raises it to 30, one at 5 does not count.
    #[test]
    fn the_open_epoch_counts_only_if_it_helps() {
        let mut epochs = Epochs::new(8);
        for packets in [10.0, 30.0] {
            epochs.round(packets, 1.0);
            epochs.close();
        }
        assert_eq!(epochs.mean(), Some(20.0));
        epochs.round(5.0, 1.0);
        assert_eq!(epochs.mean(), Some(20.0));
        epochs.round(95.0, 1.0);
        assert_eq!(epochs.mean(), Some(30.0));
    }
}
