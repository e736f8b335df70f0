//! The result of a run: the summary and the series described in `docs/results.md`.

mod derived;
mod digest;
pub mod keys;
mod records;
mod series;

use crate::account::LinkProbe;
use crate::account::{Completions, CLASSES};
use crate::account::{Conservation, FlowProbe, Outstanding, Tally, CWND_STEPS};
use crate::account::{Histogram, Moments};
use crate::build::start_of;
use crate::link::Link;
use crate::network::Flow;
use crate::plan::{GroupPlan, LinkPlan, Plan, TransportPlan};
use crate::source::load::{App, Load};
use crate::source::{AppSource, Sink, Source};
use queue::fifo::Unit;
pub use records::Records;
use serde_json::{json, Map, Value};
pub use series::Series;
use transport::rate_based::common::Statistic;
use units::Time;

/// The result of a run.
pub struct Outcome {
    /// Links, flows and records at the end of the run.
    pub records: Records,
    /// The run's seed.
    pub seed: u64,
    /// Why it ended.
    pub stopped_by: StoppedBy,
    /// Events executed.
    pub events: u64,
    /// When it ended.
    pub end: Time,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoppedBy {
    /// It reached its duration.
    Duration,
    /// It reached its limit of events.
    Events,
    /// It reached its limit of memory.
    Memory,
    /// Its observer stopped it.
    Watch,
}

impl StoppedBy {
    /// The word in results.
    pub fn name(self) -> &'static str {
        match self {
            StoppedBy::Duration => "duration",
            StoppedBy::Events => "events",
            StoppedBy::Memory => "memory",
            StoppedBy::Watch => "interrupt",
        }
    }
}

/// Version of the summary's format.
pub const FORMAT: u32 = 1;

impl Outcome {
    /// The summary, all keys as in `docs/results.md`.
    pub fn summary(&self, plan: &Plan, scenario: &str) -> Value {
        let mut summary = self.summary_without_flows(plan, scenario);
        summary["flows"] = self.flow_summaries(plan).collect();
        summary["conservation"] = self.conserved_flows().collect();
        summary
    }

    /// The summary with nulls in place of `flows` and `conservation`, which are as long as there are flows.
    pub fn summary_without_flows(&self, plan: &Plan, scenario: &str) -> Value {
        let window = &self.records.window;
        let links = plan.links.iter().zip(&self.records.links);
        let links: Map<String, Value> = links
            .filter_map(|(planned, link)| {
                Some((planned.name.clone(), link_summary(planned, link, link.probe()?)))
            })
            .collect();
        json!({
            "format": FORMAT,
            "version": env!("CARGO_PKG_VERSION"),
            "scenario": scenario,
            "seed": self.seed,
            "stopped_by": self.stopped_by.name(),
            "simulated_s": self.end.as_secs(),
            "warmup_s": window.warmup.as_secs(),
            "events": self.events,
            "links": links,
            "flows": null,
            "groups": self.groups(plan),
            "conservation": null,
        })
    }

    /// The items of the summary's `flows`, one at a time.
    pub fn flow_summaries<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = Value> + 'a {
        plan.members().zip(&self.records.flows).enumerate().map(|(i, ((group, index), flow))| {
            let start = start_of(group, index, self.seed, plan.run.start);
            self.flow(i, group, flow, start)
        })
    }

    /// The items of the summary's `conservation`, one at a time.
    pub fn conserved_flows(&self) -> impl Iterator<Item = Value> + '_ {
        let flows = self.records.flows.iter().enumerate();
        flows.map(|(number, flow)| conserved(&flow.probe.conservation, self.records.outstanding(number)))
    }

    /// Complete sampling intervals of the run.
    pub(crate) fn intervals(&self) -> usize {
        (self.end.nanos() / self.records.window.sample.0) as usize
    }

    fn flow(&self, number: usize, plan: &GroupPlan, flow: &Flow, start: Time) -> Value {
        let probe = &flow.probe;
        let own_histogram = self.records.histograms.len() == self.records.flows.len();
        let histogram = own_histogram.then(|| &self.records.histograms[probe.histogram()]);
        let (transport, size) = match &plan.transport {
            TransportPlan::Tcp { load: Load::File(size), .. } => ("tcp", Some(size.0)),
            TransportPlan::Tcp { .. } => ("tcp", None),
            TransportPlan::Rated { rated, load: Load::File(size) } => (rated.name(), Some(size.0)),
            TransportPlan::Rated { rated, .. } => (rated.name(), None),
            TransportPlan::Udp(_) => ("udp", None),
        };
        let mut summary = json!({
            "id": number,
            "group": plan.name,
            "class": plan.counted_as,
            "transport": transport,
            "start_s": start.as_secs(),
            "finish_s": probe.finished().map(Time::as_secs),
            "size_bytes": size,
            "sent_pkts": probe.sent.pkts(),
            "sent_bytes": probe.sent.bytes(),
            "received_pkts": probe.received.pkts(),
            "received_bytes": probe.received.bytes(),
            "goodput_bytes": flow.sink.delivered_bytes() - probe.goodput_before,
            "dropped_pkts": probe.dropped_pkts,
            "marked_pkts": probe.marked_pkts,
            "delay_ms": spread(&probe.delay(), histogram),
            "jitter_ms": probe.jitter_ms,
            "ipdv_ms_mean": probe.ipdv_ms_mean(),
        });
        if let Value::Object(map) = &mut summary {
            let warmup = self.records.window.warmup;
            map.extend(tcp_summary(flow, probe, warmup));
            map.extend(rated_summary(flow, warmup));
            if let Source::App(source) = &flow.source {
                map.extend(video(source));
            }
            if let Some(completions) = probe.completions() {
                map.insert("objects".into(), objects(completions, false));
            }
        }
        summary
    }

    fn groups(&self, plan: &Plan) -> Map<String, Value> {
        let summary = |members: &[Flow]| {
            let mut merged = Histogram::default();
            let mut numbers: Vec<usize> = members.iter().map(|flow| flow.probe.histogram()).collect();
            numbers.dedup();
            for number in numbers {
                merged.merge(&self.records.histograms[number]);
            }
            let mut row = json!({
                "delay_ms": spread(&merged.moments, Some(&merged)),
                "delay_ms_histogram": histogram_rows(&merged),
            });
            let mut completions = members.iter().filter_map(|flow| flow.probe.completions());
            if let Some(mut whole) = completions.next().cloned() {
                completions.for_each(|more| whole.merge(more));
                row["objects"] = objects(&whole, true);
            }
            row
        };
        let mut rest = &self.records.flows[..];
        let mut next = |count| {
            let (members, behind) = rest.split_at(count);
            rest = behind;
            members
        };
        plan.groups.iter().map(|group| (group.name.clone(), summary(next(group.count)))).collect()
    }
}

fn tcp_summary(flow: &Flow, probe: &FlowProbe, warmup: Time) -> Vec<(String, Value)> {
    let (counters, srtt) = match &flow.source {
        Source::Tcp(sender) => (sender.counters(), Some(sender.srtt())),
        Source::App(source) => (source.counters(), Some(source.sender.srtt())),
        Source::Origin(origin) => (origin.counters, None),
        Source::Rated(_) | Source::Udp(_) => return Vec::new(),
    };
    let rows = [
        ("retransmits", json!(counters.retransmits)),
        ("timeouts", json!(counters.timeouts)),
        ("fast_recoveries", json!(counters.fast_recoveries)),
        ("window_cuts", json!(counters.cuts)),
        ("undone", json!(counters.undone)),
        ("cwnd_mean", json!(srtt.map(|_| probe.cwnd.mean(warmup) / CWND_STEPS))),
        ("srtt_ms", json!(srtt.flatten().map(|span| span.as_millis()))),
    ];
    rows.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// The summary of a viewer's experience, over the whole run.
fn video(source: &AppSource) -> Option<(String, Value)> {
    let App::VideoPlayer(player) = source.app() else { return None };
    let playback = player.playback;
    let summary = json!({
        "chunks": playback.chunks,
        "bps_mean": (playback.chunks > 0).then(|| playback.bps / playback.chunks as f64),
        "stalls": playback.stalls,
        "stalled_s": playback.stalled_s,
        "switches": playback.switches,
    });
    Some(("video".into(), summary))
}

/// Objects of an application: counts, and completion times by size class.
fn objects(completions: &Completions, histograms: bool) -> Value {
    let (times, mut all, mut map) = (completions.times(), Histogram::default(), Map::new());
    times.iter().for_each(|class| all.merge(class));
    let counts = [completions.begun, all.moments.count(), completions.bytes].map(|count| json!(count));
    map.extend(["begun", "completed", "payload_bytes"].map(String::from).into_iter().zip(counts));
    let classes = CLASSES.iter().map(|(name, _)| *name).zip(&times);
    for (name, class) in std::iter::once(("all", &all)).chain(classes) {
        map.insert(format!("fct_ms_{name}"), spread(&class.moments, Some(class)));
        if histograms {
            map.insert(format!("fct_ms_{name}_histogram"), histogram_rows(class));
        }
    }
    let pages = completions.pages();
    map.extend(pages.iter().map(|pages| ("page_ms".into(), spread(&pages.moments, Some(pages)))));
    let rows = pages.iter().filter(|_| histograms).map(histogram_rows);
    map.extend(rows.map(|rows| ("page_ms_histogram".into(), rows)));
    Value::Object(map)
}

fn rated_summary(flow: &Flow, warmup: Time) -> Vec<(String, Value)> {
    let (Source::Rated(source), Sink::Rated(sink)) = (&flow.source, &flow.sink) else { return Vec::new() };
    let mut rows = vec![
        ("rate_bps_mean", json!(flow.probe.cwnd.mean(warmup))),
        ("rate_bps", json!(8.0 * source.rate())),
    ];
    rows.extend(source.statistics().into_iter().chain(sink.statistics()).map(|(name, fact)| match fact {
        Statistic::Number(number) => (name, json!(number)),
        Statistic::Numbers(numbers) => (name, json!(numbers)),
    }));
    rows.push(("srtt_ms", json!(source.srtt().map(|srtt| srtt.as_millis()))));
    if let Some(shaper) = source.shaper() {
        let video = json!({
            "frames": shaper.frames,
            "skipped": shaper.skipped,
            "bps_mean": shaper.mean_bps(),
            "coded_share": shaper.mean_share(),
        });
        rows.push(("shaped_video", video));
    }
    rows.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

fn link_summary(plan: &LinkPlan, link: &Link, probe: &LinkProbe) -> Value {
    let c = &probe.counters;
    let has_avg = probe.avg.count > 0;
    let avg_unit = has_avg.then(|| match link.avg_unit() {
        Unit::Packets => "pkts",
        Unit::Bytes => "bytes",
    });
    let mut left = probe.sojourn.clone();
    left.merge(&probe.dropped);
    let (mut centres, mut arrived, mut hit) = (Vec::new(), Vec::new(), Vec::new());
    for (centre, a, h) in probe.curve.rows() {
        centres.push(centre);
        arrived.push(a);
        hit.push(h);
    }
    json!({
        "rate_bps": plan.rate.0,
        "delay_ms": link.delay.as_millis(),
        "kind": plan.queue.kind(),
        "arrived_pkts": c.arrived_pkts,
        "arrived_bytes": c.arrived_bytes,
        "departed_pkts": c.departed_pkts,
        "departed_bytes": c.departed_bytes,
        "early_pkts": c.early_pkts,
        "forced_pkts": c.forced_pkts,
        "overflow_pkts": c.overflow_pkts,
        "marked_pkts": c.marked_pkts,
        "lost_pkts": c.lost_pkts,
        "busy_s": c.busy_ns as f64 * 1e-9,
        "queue_pkts_mean": probe.queue.mean(),
        "queue_pkts_sd": probe.queue.sd(),
        "queue_pkts_max": probe.queue.max(),
        "queue_bytes_mean": probe.queue.mean_bytes(),
        "little_pkts": probe.little_difference(),
        "avg_mean": has_avg.then_some(probe.avg.mean),
        "avg_sd": has_avg.then(|| probe.avg.sd()),
        "avg_unit": avg_unit,
        "sojourn_ms": spread(&probe.sojourn.moments, Some(&probe.sojourn)),
        "sojourn_ms_histogram": histogram_rows(&probe.sojourn),
        "dropped_ms": spread(&probe.dropped.moments, Some(&probe.dropped)),
        "left_ms": spread(&left.moments, Some(&left)),
        "drop_curve": { "unit": avg_unit, "avg": centres, "arrived": arrived, "dropped": hit },
    })
}

/// Mean, deviation, percentiles and maximum in milliseconds; null if nothing was counted.
fn spread(moments: &Moments, histogram: Option<&Histogram>) -> Value {
    let some = moments.count() > 0;
    let mut map = Map::new();
    map.insert("mean".into(), json!(some.then(|| moments.mean_ms())));
    map.insert("sd".into(), json!(some.then(|| moments.sd_ms())));
    let percentiles = [
        ("p1", 0.01),
        ("p5", 0.05),
        ("p25", 0.25),
        ("p50", 0.5),
        ("p75", 0.75),
        ("p90", 0.9),
        ("p95", 0.95),
        ("p99", 0.99),
        ("p999", 0.999),
    ];
    for (name, p) in percentiles {
        map.insert(name.into(), json!(histogram.and_then(|histogram| histogram.percentile(p))));
    }
    map.insert("max".into(), json!(some.then(|| moments.max_ms())));
    map.insert("count".into(), json!(moments.count()));
    Value::Object(map)
}

fn histogram_rows(histogram: &Histogram) -> Value {
    let (upper, count): (Vec<f64>, Vec<u32>) = histogram.rows().unzip();
    json!({ "upper_ms": upper, "count": count })
}

fn conserved(account: &Conservation, left: Outstanding) -> Value {
    let tally = |tally: Tally| json!({ "pkts": tally.pkts(), "bytes": tally.bytes() });
    json!({
        "sent": tally(account.sent),
        "delivered": tally(account.delivered),
        "dropped": tally(account.dropped),
        "in_flight": tally(left.in_flight),
        "queued": tally(left.queued),
    })
}
