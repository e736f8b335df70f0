//! Numbers that only the series of a run contain: whether congestion windows are synchronised, and how long the
//! initial transients last.
//!
//! Reference: the variance of the sum of windows over the sum of their variances, after FJ93 section I; MSER-5 (White
//! 1997; White, Cobb and Spratt 2000). Units: windows in segments, queues in packets, throughput in bit/s, ends in
//! seconds from the start of the run. Deviations: if the best cut is in the second half of a series, the series is too
//! short for an answer.

use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::source::Source;
use serde_json::{json, Map, Value};

/// Fewest samples after the warm-up for an answer about synchronisation.
const FEWEST: usize = 10;
/// Samples in a block of MSER-5.
const BLOCK: usize = 5;

impl Outcome {
    /// `{"sync", "queue_s", "throughput_s"}`: the metric of that name, the end of the initial transient of each link's
    /// queue, and of the throughput of all flows; null without samples or without an answer.
    pub fn derived(&self, plan: &Plan) -> Value {
        let links = plan.links.iter().zip(&self.records.links);
        let queues: Map<String, Value> = links
            .filter_map(|(planned, link)| {
                let queue: Vec<f64> = link.probe()?.series.queue_pkts.iter().map(|x| f64::from(*x)).collect();
                Some((planned.name.clone(), json!(self.seconds(transient(&queue)))))
            })
            .collect();
        json!({
            "sync": self.sync(),
            "queue_s": queues,
            "throughput_s": self.seconds(transient(&self.throughput())),
        })
    }

    /// (Var(sum of windows) / sum of Var(window) - 1) / (n - 1) over samples after the warm-up, of the n flows with a
    /// window. None for fewer than two flows, for too few samples, or for constant windows.
    fn sync(&self) -> Option<f64> {
        let flows = self.records.flows.iter().filter(|flow| !matches!(flow.source, Source::Rated(_)));
        let series = flows.filter_map(|flow| flow.probe.series()).filter(|series| !series.windows.is_empty());
        let windows: Vec<Vec<f32>> =
            series.map(|series| series.windows.iter().map(|[cwnd, _]| *cwnd).collect()).collect();
        together(&windows.iter().map(|window| &window[..]).collect::<Vec<_>>(), |sample| {
            self.seconds_of(sample) >= self.records.window.warmup.as_secs()
        })
    }

    /// The throughput of all flows, by interval.
    fn throughput(&self) -> Vec<f64> {
        let step = self.records.window.sample.as_secs();
        let mut sum = Vec::new();
        for series in self.records.flows.iter().filter_map(|flow| flow.probe.series()) {
            sum.resize(self.intervals(), 0.0);
            for (rate, bytes) in sum.iter_mut().zip(&series.received) {
                *rate += *bytes as f64 * 8.0 / step;
            }
        }
        sum
    }

    fn seconds(&self, cut: Option<usize>) -> Option<f64> {
        cut.map(|sample| self.seconds_of(sample))
    }

    fn seconds_of(&self, sample: usize) -> f64 {
        sample as f64 * self.records.window.sample.as_secs()
    }
}

/// The degree of synchronisation, over the samples that count and in which every window is known.
fn together(windows: &[&[f32]], counts: impl Fn(usize) -> bool) -> Option<f64> {
    let length = windows.first()?.len();
    if windows.len() < 2 || windows.iter().any(|window| window.len() != length) {
        return None;
    }
    let known = |sample: &usize| windows.iter().all(|window| window[*sample].is_finite());
    let samples: Vec<usize> = (0..length).filter(|sample| counts(*sample)).filter(known).collect();
    if samples.len() < FEWEST {
        return None;
    }
    let variances: Vec<f64> = windows.iter().map(|window| variance(window, &samples)).collect();
    let apart = sum(&variances);
    let mut column = vec![0.0; windows.len()];
    let whole: Vec<f64> = samples
        .iter()
        .map(|sample| {
            column.iter_mut().zip(windows).for_each(|(x, window)| *x = f64::from(window[*sample]));
            sum(&column)
        })
        .collect();
    let mean = sum(&whole) / whole.len() as f64;
    let squares: Vec<f64> = whole.iter().map(|x| (x - mean) * (x - mean)).collect();
    let summed = sum(&squares) / whole.len() as f64;
    (apart > 0.0).then(|| (summed / apart - 1.0) / (windows.len() - 1) as f64)
}

/// The variance of a window over some samples.
fn variance(window: &[f32], samples: &[usize]) -> f64 {
    let values = || samples.iter().map(|sample| f64::from(window[*sample]));
    let count = samples.len() as f64;
    let mean = values().sum::<f64>() / count;
    values().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count
}

/// Samples to truncate at the beginning by MSER-5: the cut d that minimises sum((y_i - mean)^2) / (n - d)^2 over the
/// remaining means y of blocks of five. None if the series is too short.
fn transient(values: &[f64]) -> Option<usize> {
    let n = values.len() / BLOCK;
    if n < 2 * BLOCK {
        return None;
    }
    let blocks = values.chunks_exact(BLOCK);
    let mut means: Vec<f64> = blocks.map(|block| block.iter().sum::<f64>() / BLOCK as f64).collect();
    // Centred, so that the difference of a sum of squares and a squared sum loses little precision.
    let centre = sum(&means) / n as f64;
    means.iter_mut().for_each(|mean| *mean -= centre);
    let (mut total, mut squares) = (0.0, 0.0);
    let mut spreads = vec![0.0; n];
    for (d, mean) in means.iter().enumerate().rev() {
        total += mean;
        squares += mean * mean;
        spreads[d] = f64::max(squares - total * total / (n - d) as f64, 0.0);
    }
    if spreads[0] <= 1e-18 * f64::max(squares, 1.0) {
        return Some(0);
    }
    let statistic = |d: usize| spreads[d] / ((n - d) as f64 * (n - d) as f64);
    let mut cut = 0;
    for d in 1..n - BLOCK {
        if statistic(d) < statistic(cut) {
            cut = d;
        }
    }
    (cut <= n / 2).then_some(cut * BLOCK)
}

/// Pairwise summation, with eight partial sums for up to 128 values: rounding grows with the logarithm of their number.
fn sum(values: &[f64]) -> f64 {
    const LANES: usize = 8;
    if values.len() > 16 * LANES {
        let half = values.len() / 2 / LANES * LANES;
        return sum(&values[..half]) + sum(&values[half..]);
    }
    let rows = values.chunks_exact(LANES);
    let rest = rows.remainder();
    if rest.len() == values.len() {
        return rest.iter().sum();
    }
    let mut lanes = [0.0; LANES];
    rows.for_each(|row| lanes.iter_mut().zip(row).for_each(|(lane, x)| *lane += x));
    let [a, b, c, d, e, f, g, h] = lanes;
    rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, x| sum + x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1, 2, 3, 4, and so on.
    fn saw() -> Vec<f32> {
        [1.0, 2.0, 3.0, 4.0].repeat(5)
    }

    fn sync(windows: &[Vec<f32>], warmup: usize) -> Option<f64> {
        let windows: Vec<&[f32]> = windows.iter().map(|window| &window[..]).collect();
        together(&windows, |sample| sample >= warmup)
    }

    #[test]
    fn windows_in_step_are_at_one_and_those_that_take_turns_at_minus_one() {
        let against = saw().iter().map(|x| 5.0 - x).collect();
        assert_eq!(sync(&[saw(), saw(), saw()], 0), Some(1.0));
        assert_eq!(sync(&[saw(), against], 0), Some(-1.0));
    }

    #[test]
    fn unrelated_windows_are_at_zero() {
        let (slow, fast) = ([1.0, 1.0, 2.0, 2.0].repeat(5), [1.0, 2.0].repeat(10));
        assert_eq!(sync(&[slow, fast], 0), Some(0.0));
    }

    #[test]
    fn only_samples_after_the_warm_up_count_in_which_every_window_is_known() {
        let late = |early: f32| [vec![early; 20], saw()].concat();
        assert_eq!(sync(&[late(9.0), late(1.0)], 20), Some(1.0));
        assert_eq!(sync(&[late(f32::NAN), late(1.0)], 0), Some(1.0));
    }

    #[test]
    fn no_answer_without_two_windows_that_move_for_ten_samples() {
        assert_eq!(sync(&[], 0), None);
        assert_eq!(sync(&[saw()], 0), None);
        assert_eq!(sync(&[saw(), saw()[..19].to_vec()], 0), None);
        assert_eq!(sync(&[saw(), saw()], 11), None);
        assert_eq!(sync(&[vec![1.0; 20], vec![2.0; 20]], 0), None);
    }

    #[test]
    fn a_step_is_a_transient() {
        let steady = [1.0, -1.0].repeat(100);
        let step: Vec<f64> = (0..200).map(|i| if i < 40 { 10.0 } else { steady[i] }).collect();
        assert_eq!(transient(&step), Some(40));
    }

    #[test]
    fn a_steady_series_has_none() {
        assert_eq!(transient(&[1.0, -1.0].repeat(100)), Some(0));
        assert_eq!(transient(&[3.0; 100]), Some(0));
    }

    #[test]
    fn a_short_or_rising_series_does_not_tell() {
        assert_eq!(transient(&[1.0; 49]), None);
        assert_eq!(transient(&(0..200).map(f64::from).collect::<Vec<_>>()), None);
    }

    #[test]
    fn a_sum_has_every_value_once() {
        for n in [0, 1, 7, 8, 9, 127, 128, 129, 136, 137, 1000, 1001] {
            let values: Vec<f64> = (1..=n).map(f64::from).collect();
            assert_eq!(sum(&values), f64::from(n * (n + 1) / 2), "{n}");
        }
    }
}
