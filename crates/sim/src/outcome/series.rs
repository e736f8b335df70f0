//! The sampled series of a run.

use super::Outcome;
use crate::account::EVENT_SERIES;
use crate::plan::Plan;
use crate::source::Source;

/// One series: a name, the component it belongs to, and a value for each sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The sampled quantity.
    pub name: &'static str,
    /// Link name or flow number.
    pub component: String,
    /// Seconds from the start of the run.
    pub time_s: Vec<f64>,
    /// Its values.
    pub value: Vec<f64>,
}

impl Outcome {
    /// All series of the run, links first. Empty unless they were recorded.
    pub fn series(&self, plan: &Plan) -> Vec<Series> {
        let mut all = Vec::new();
        let step = self.records.window.sample.as_secs();
        let times = |n: usize| (0..n).map(|i| i as f64 * step).collect::<Vec<f64>>();
        let mut add = |name: &'static str, component: &str, value: Vec<f64>| {
            if !value.is_empty() {
                all.push(Series {
                    name,
                    component: component.to_string(),
                    time_s: times(value.len()),
                    value,
                });
            }
        };
        for (planned, link) in plan.links.iter().zip(&self.records.links) {
            let Some(probe) = link.probe() else { continue };
            let series = &probe.series;
            add("queue_pkts", &planned.name, reals(&series.queue_pkts));
            add("queue_bytes", &planned.name, reals(&series.queue_bytes));
            for (name, values) in &series.inner {
                add(name, &planned.name, values.clone());
            }
            for (name, values) in EVENT_SERIES.iter().zip(&series.events) {
                add(name, &planned.name, reals(values));
            }
        }
        for (number, flow) in self.records.flows.iter().enumerate() {
            let Some(series) = flow.probe.series() else { continue };
            let component = number.to_string();
            let mut received: Vec<f64> = series.received.iter().map(|bytes| *bytes as f64).collect();
            received.resize(self.intervals(), 0.0);
            add("throughput_bps", &component, received.iter().map(|bytes| bytes * 8.0 / step).collect());
            let names = match &flow.source {
                Source::Rated(source) => ["rate_bps", source.second_name()],
                _ => ["cwnd", "ssthresh"],
            };
            for (i, name) in names.into_iter().enumerate() {
                add(name, &component, series.windows.iter().map(|both| f64::from(both[i])).collect());
            }
        }
        all
    }
}

fn reals(counts: &[u32]) -> Vec<f64> {
    counts.iter().map(|count| f64::from(*count)).collect()
}
