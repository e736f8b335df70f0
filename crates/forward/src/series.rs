//! Counts for each interval of a run.

use crate::event::EventObserver;
use crate::pump::Pump;
use serde_json::{json, Value as Json};
use units::{Span, Time};

/// Most rows that are kept: ten hours of tenths of a second.
const MOST: usize = 360_000;

/// Rows at a fixed interval, since the last reset.
#[derive(Clone, Debug)]
pub struct SeriesFile {
    every: Span,
    next: Time,
    last: [f64; 7],
    rows: Vec<[f64; 8]>,
}

impl SeriesFile {
    /// An empty series with rows this far apart.
    pub fn every(every: Span) -> SeriesFile {
        SeriesFile { every, next: Time::ZERO + every, last: [0.0; 7], rows: Vec::new() }
    }

    /// When the next row is due.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Adds the rows that were due by `now`.
    pub fn sample(&mut self, pump: &mut Pump, now: Time, observer: &mut impl EventObserver) {
        while self.next <= now {
            pump.account(self.next, false, observer);
            let total = totals(pump);
            let mut row = [self.next.as_secs(); 8];
            for (i, value) in total.iter().enumerate() {
                row[i + 1] = value - self.last[i];
            }
            self.last = total;
            if self.rows.len() < MOST {
                self.rows.push(row);
            }
            self.next += self.every;
        }
    }

    /// Removes all rows; the next is due one interval after `now`.
    pub fn restart(&mut self, now: Time) {
        *self = SeriesFile { next: now + self.every, last: [0.0; 7], rows: Vec::new(), ..*self };
    }

    /// As JSON: names of columns, and rows.
    pub fn show(&self) -> Json {
        json!({
            "columns": [
                "time_s", "queue_pkts_s", "queue_bytes_s", "sojourn_ms_sum", "sent_pkts", "sent_bytes", "drops", "marks"
            ],
            "rows": self.rows,
        })
    }
}

fn totals(pump: &Pump) -> [f64; 7] {
    let measure = &pump.measure;
    let [pkts, bytes, _] = measure.queue;
    let sojourn = measure.sojourn.mean_ms().unwrap_or(0.0) * measure.sojourn.count() as f64;
    let (sent, drops) = (measure.sent, measure.drops());
    [pkts, bytes, sojourn, sent.pkts as f64, sent.bytes as f64, drops as f64, measure.marked as f64]
}
