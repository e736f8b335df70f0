//! Counters as JSON, and as text for Prometheus.

use crate::config;
use crate::histogram::DelayHistogram;
use crate::measure::{Counters, LinkMeter};
use crate::pump::Pump;
use queue::disc::{Probe, QueueDisc};
use serde_json::{json, Value as Json};

/// Frames that never reached the queue, or never left, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Too short.
    pub runt: u64,
    /// Has the type of IP, but no valid header.
    pub malformed: u64,
    /// Larger than the other side can send, and of a kind that cannot be cut.
    pub oversize: u64,
    /// Not taken by the device they were sent to.
    pub device: u64,
    /// Lost by the device they came from, whose buffer was full.
    pub missed: u64,
    /// Arrived while the wire was full.
    pub wire: u64,
}

/// The counters of one direction, since counting began.
pub fn direction(pump: &Pump, refused: &Refused) -> Json {
    let LinkMeter {
        arrived,
        sent,
        sent_bytes,
        dropped: [early, forced, overflow],
        marked,
        sojourn,
        late,
        ..
    } = &pump.measure;
    let (waiting, backlog) = pump.backlog();
    let queue = pump.measure.queue_mean();
    let mut probe = Probe::default();
    pump.queue().probe(&mut probe);
    let probe: serde_json::Map<String, Json> =
        probe.values.into_iter().map(|(name, value)| (name.to_string(), value.into())).collect();
    json!({
        "since_s": pump.measure.since.as_secs(),
        "seconds": pump.measure.seconds(),
        "link": config::show_link(pump.link()),
        "arrived": count(arrived),
        "sent": count(sent),
        "sent_bytes_by_path": sent_bytes,
        "dropped_pkts": {"early": early, "forced": forced, "overflow": overflow},
        "marked_pkts": marked,
        "queue_pkts_mean": queue.map(|(pkts, ..)| pkts),
        "queue_pkts_sd": queue.map(|(.., sd)| sd),
        "queue_bytes_mean": queue.map(|(_, bytes, _)| bytes),
        "queue_pkts_max": pump.measure.queue_max,
        "waiting": {"pkts": waiting, "bytes": backlog.0},
        "sojourn_ms": times(sojourn),
        "late_ms": times(late),
        "behind_ms": times(&pump.measure.behind),
        "refused": {
            "runt": refused.runt, "malformed": refused.malformed, "oversize": refused.oversize,
            "device": refused.device, "missed": refused.missed, "wire": refused.wire,
        },
        "probe": probe,
    })
}

fn count(count: &Counters) -> Json {
    json!({"pkts": count.pkts, "bytes": count.bytes})
}

fn times(histogram: &DelayHistogram) -> Json {
    let at = |p| histogram.quantile_ms(p);
    json!({
        "count": histogram.count(), "mean": histogram.mean_ms(), "p5": at(0.05), "p25": at(0.25), "p50": at(0.5),
        "p75": at(0.75), "p90": at(0.9), "p95": at(0.95), "p99": at(0.99), "p999": at(0.999), "max": histogram.max_ms(),
    })
}

/// Labels and values of one metric in one direction.
type Rows<'a> = dyn Fn(&Pump, &Refused) -> Vec<(String, f64)> + 'a;

/// Metrics in Prometheus' text format, version 0.0.4, of directions with their names.
pub fn prometheus(directions: &[(&str, &Pump, Refused)]) -> String {
    let mut text = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, rows: &Rows| {
        text += &format!("# HELP dropcurve_{name} {help}\n# TYPE dropcurve_{name} {kind}\n");
        for (direction, pump, refused) in directions {
            for (labels, value) in rows(pump, refused) {
                text += &format!("dropcurve_{name}{{direction=\"{direction}\"{labels}}} {value}\n");
            }
        }
    };
    let one = |value: f64| vec![(String::new(), value)];
    let label = |key: &str, name: &str| format!(",{key}=\"{name}\"");
    metric("arrived_packets_total", "counter", "Packets that reached the queue.", &|pump, _| {
        one(pump.measure.arrived.pkts as f64)
    });
    metric("arrived_bytes_total", "counter", "Bytes that reached the queue.", &|pump, _| {
        one(pump.measure.arrived.bytes as f64)
    });
    metric("sent_packets_total", "counter", "Packets whose transmission began.", &|pump, _| {
        one(pump.measure.sent.pkts as f64)
    });
    metric("sent_bytes_total", "counter", "Bytes of those.", &|pump, _| one(pump.measure.sent.bytes as f64));
    metric("dropped_packets_total", "counter", "Packets the queue dropped, by reason.", &|pump, _| {
        let reasons = ["early", "forced", "overflow"].into_iter().zip(pump.measure.dropped);
        reasons.map(|(name, count)| (label("reason", name), count as f64)).collect()
    });
    metric("marked_packets_total", "counter", "Packets that got CE.", &|pump, _| {
        one(pump.measure.marked as f64)
    });
    metric(
        "refused_packets_total",
        "counter",
        "Frames that were not forwarded, by reason.",
        &|_, refused| {
            let Refused { runt, malformed, oversize, device, missed, wire } = *refused;
            let short = [("runt", runt), ("malformed", malformed), ("oversize", oversize)];
            let rows = short.into_iter().chain([("device", device), ("missed", missed), ("wire", wire)]);
            rows.into_iter().map(|(name, count)| (label("reason", name), count as f64)).collect()
        },
    );
    metric("queue_packets", "gauge", "Packets in the queue.", &|pump, _| one(pump.backlog().0 as f64));
    metric("queue_bytes", "gauge", "Bytes in the queue.", &|pump, _| one(pump.backlog().1 .0 as f64));
    metric("link_rate_bits_per_second", "gauge", "Rate of the link; 0 is unlimited.", &|pump, _| {
        one(pump.link().rate.as_bps())
    });
    for (name, help) in [
        ("sojourn_seconds", "Sojourn time of packets since counting began."),
        ("lateness_seconds", "Time from when packets were due to when they were handed over."),
        ("behind_seconds", "Backlog of the device behind the queue over the link's rate."),
    ] {
        metric(name, "summary", help, &|pump, _| {
            let measure = &pump.measure;
            let histogram = match name {
                "sojourn_seconds" => &measure.sojourn,
                "lateness_seconds" => &measure.late,
                _ => &measure.behind,
            };
            let quantiles = [("0.5", 0.5), ("0.95", 0.95), ("0.99", 0.99)];
            let value = |p| histogram.quantile_ms(p).unwrap_or(f64::NAN) / 1e3;
            quantiles.into_iter().map(|(q, p)| (label("quantile", q), value(p))).collect()
        });
    }
    text
}
