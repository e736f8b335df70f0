//! Records of one flow: packets, delays, jitter, congestion window, series.

mod cold;
mod delays;
mod series;
mod window_mean;

use super::{Conservation, Tally};
use crate::account::Completions;
use crate::account::MeasurementWindow;
use crate::account::{Histogram, Moments};
use crate::source::app::{AppSource, Object};
use crate::source::RatedSource;
use cold::ColdState;
use delays::Delays;
pub use series::FlowSeries;
use transport::tcp::Sender;
use units::{Span, Time};
pub use window_mean::WindowMean;

/// The weighted mean of two means.
fn mean_of(a: (f64, u64), b: (f64, u64)) -> f64 {
    let whole = a.1 + b.1;
    if whole == 0 {
        0.0
    } else {
        (a.0 * a.1 as f64 + b.0 * b.1 as f64) / whole as f64
    }
}

/// No delay yet.
const NONE: Span = Span(u64::MAX);

/// The records of one flow.
pub struct FlowProbe {
    /// Fate of every packet, over the whole run.
    pub conservation: Conservation,
    /// Data packets sent. During the run: those not yet added to [`Conservation::sent`]; after it: those since the
    /// warm-up.
    pub sent: Tally,
    /// Data packets received; the same with [`Conservation::delivered`].
    pub received: Tally,
    /// Data packets dropped since the warm-up.
    pub dropped_pkts: u64,
    /// Data packets marked since the warm-up.
    pub marked_pkts: u64,
    delays: Delays,
    /// Interarrival jitter in milliseconds (RFC 3550 section 6.4.1).
    pub jitter_ms: f64,
    /// The delay of the previous packet; [`NONE`] at first.
    last_delay: Span,
    /// Time average of the congestion window, in 1/1024 of a segment; for a rate-based flow, of its allowed rate in
    /// bit/s.
    pub cwnd: WindowMean,
    /// Payload delivered in order during the warm-up; zero until that has ended.
    pub goodput_before: u64,
    /// Whether the source has started.
    pub started: bool,
    /// Whether the sender's counters were restarted at the end of the warm-up.
    counting_sender: bool,
    /// Whether the tallies of source and sink were restarted at the end of the warm-up.
    counting: [bool; 2],
    /// Segments of a finite TCP transfer.
    pub expected_segments: u32,
    cold: Option<Box<ColdState>>,
}

/// Resolution of the time average of a congestion window: fractions of a segment.
pub const CWND_STEPS: f64 = 1024.0;

impl FlowProbe {
    /// Empty records; delays go to the histogram with this index.
    pub fn new(window: &MeasurementWindow, histogram: usize, series: bool) -> FlowProbe {
        let mut probe = FlowProbe {
            conservation: Conservation::default(),
            sent: Tally::default(),
            received: Tally::default(),
            dropped_pkts: 0,
            marked_pkts: 0,
            delays: Delays::of(histogram),
            jitter_ms: 0.0,
            last_delay: NONE,
            cwnd: WindowMean::from(window.warmup),
            goodput_before: 0,
            started: false,
            counting_sender: false,
            counting: [false; 2],
            expected_segments: u32::MAX,
            cold: None,
        };
        if series {
            probe.cold().series = Some(Box::new(FlowSeries::new(window.end.start())));
        }
        probe
    }

    fn cold(&mut self) -> &mut ColdState {
        self.cold.get_or_insert_default()
    }

    /// The series, if they are recorded.
    pub fn series(&self) -> Option<&FlowSeries> {
        self.cold.as_ref()?.series.as_deref()
    }

    /// The same, mutable.
    #[inline]
    pub fn series_mut(&mut self) -> Option<&mut FlowSeries> {
        self.cold.as_mut()?.series.as_deref_mut()
    }

    /// Completion times of an application's objects, if there is an application.
    pub fn completions(&self) -> Option<&Completions> {
        self.cold.as_ref()?.completions.as_deref()
    }

    /// Records completion times from now on.
    pub fn enable_completions(&mut self) {
        self.cold().completions = Some(Box::default());
    }

    /// Completion times, if `now` is after the warm-up.
    fn measured_completions(&mut self, now: Time, window: &MeasurementWindow) -> Option<&mut Completions> {
        let completions = self.cold.as_mut()?.completions.as_deref_mut();
        completions.filter(|_| now >= window.warmup)
    }

    /// The index of the histogram of its delays.
    pub fn histogram(&self) -> usize {
        self.delays.histogram as usize
    }

    /// Takes the samples that are due before `now`; `state` returns congestion window and slow-start threshold.
    pub fn sample_cwnd(&mut self, now: Time, window: &MeasurementWindow, state: impl Fn() -> (f64, f64)) {
        let Some(series) = self.series_mut() else { return };
        while series.next_sample < now {
            let (cwnd, ssthresh) = state();
            series.windows.push([cwnd as f32, ssthresh as f32]);
            series.next_sample += window.sample;
        }
    }

    /// Records a TCP sender's congestion window before it changes at `now`.
    pub fn record_tcp(&mut self, now: Time, window: &MeasurementWindow, sender: &mut Sender) {
        self.record_cwnd(now, sender);
        if now >= window.warmup && !std::mem::replace(&mut self.counting_sender, true) {
            sender.reset_counters();
        }
        self.sample_cwnd(now, window, || (sender.cwnd(), sender.ssthresh()));
    }

    /// The part of [`FlowProbe::record_tcp`] that is due at every arrival; the average begins at the end of the
    /// warm-up.
    #[inline(always)]
    pub fn record_cwnd(&mut self, now: Time, sender: &Sender) {
        // Converting to 32 bits takes fewer instructions than to 64.
        self.cwnd.hold_lazily(now, || match (sender.cwnd() * CWND_STEPS) as u32 {
            u32::MAX => wide(sender.cwnd() * CWND_STEPS),
            value => u64::from(value),
        });
    }

    /// Restarts the tally of an end (0: the source) at the end of the warm-up. Returns whether it did so now.
    pub fn start_counting(&mut self, side: usize, now: Time, window: &MeasurementWindow) -> bool {
        if now < window.warmup || std::mem::replace(&mut self.counting[side], true) {
            return false;
        }
        self.settle(side);
        if side == 0 {
            self.sent = Tally::default();
        } else {
            self.received = Tally::default();
            if let Some(series) = self.series_mut() {
                series.restart_count();
            }
        }
        true
    }

    /// Assigns the bytes received so far to their interval of the series; bytes from `now` on may belong to another.
    pub fn close_interval(&mut self, now: Time, window: &MeasurementWindow) {
        let bytes = self.received.bytes();
        if let Some(series) = self.series_mut() {
            series.close_interval(now, bytes, window.sample);
        }
    }

    /// Completes the records at the end of the run.
    pub fn finish(&mut self) {
        for side in [0, 1] {
            self.settle(side);
        }
        self.sent = if self.counting[0] { self.sent } else { Tally::default() };
        self.received = if self.counting[1] { self.received } else { Tally::default() };
    }

    /// Adds the tally of an end to the conservation record of the whole run.
    fn settle(&mut self, side: usize) {
        if side == 0 {
            self.conservation.sent.absorb(self.sent);
        } else {
            self.conservation.delivered.absorb(self.received);
        }
    }

    /// When an end (0: the source) next has more to record than every packet does.
    pub fn next_due(&self, side: usize, window: &MeasurementWindow) -> Time {
        let warmup = if self.counting[side] { Time::NEVER } else { window.warmup };
        if side == 0 {
            warmup.min(self.series().map_or(Time::NEVER, |series| series.next_sample))
        } else {
            warmup.min(self.series().map_or(Time::NEVER, |series| series.next_interval))
        }
    }

    /// Records a rate-based sender's rate and its second quantity before they change at `now`.
    pub fn record_rate(&mut self, now: Time, window: &MeasurementWindow, sender: &RatedSource) {
        let bps = 8.0 * sender.rate();
        if now >= window.warmup {
            self.cwnd.hold(bps as u64, now);
        }
        self.sample_cwnd(now, window, || (bps, sender.second()));
    }

    /// Records an application's sender before it changes at `now`. While no connection is open nothing changes, and a
    /// late duplicate may be seen out of order.
    pub fn record_app(&mut self, now: Time, window: &MeasurementWindow, source: &mut AppSource) {
        if now >= window.warmup {
            self.cwnd.hold((source.sender.cwnd() * CWND_STEPS) as u64, now);
            if source.is_open() && !std::mem::replace(&mut self.counting_sender, true) {
                source.reset_counters();
            }
        }
        let sender = &source.sender;
        self.sample_cwnd(now, window, || (sender.cwnd(), sender.ssthresh()));
    }

    /// An application began this many objects at `now`.
    pub fn objects_begun(&mut self, now: Time, objects: u64, window: &MeasurementWindow) {
        if let Some(completions) = self.measured_completions(now, window) {
            completions.begun += objects;
        }
    }

    /// An object of an application was delivered in full.
    pub fn object_completed(&mut self, now: Time, object: &Object, window: &MeasurementWindow) {
        if let Some(completions) = self.measured_completions(now, window) {
            completions.add(object.bytes, now.since(object.start));
        }
        if let Some(start) = object.page {
            self.page_completed(start, now, window);
        }
    }

    /// All objects of a page were delivered.
    pub fn page_completed(&mut self, start: Time, end: Time, window: &MeasurementWindow) {
        if let Some(completions) = self.measured_completions(end, window) {
            completions.add_page(end.since(start));
        }
    }

    /// Adds the records of another flow, which is a session of this one.
    pub fn absorb(&mut self, other: FlowProbe) {
        self.conservation.absorb(&other.conservation);
        self.sent.absorb(other.sent);
        self.jitter_ms =
            mean_of((self.jitter_ms, self.received.pkts()), (other.jitter_ms, other.received.pkts()));
        self.received.absorb(other.received);
        self.dropped_pkts += other.dropped_pkts;
        self.marked_pkts += other.marked_pkts;
        self.delays.absorb(&other.delays);
        if let (Some(mine), Some(theirs)) = (self.series_mut(), other.series()) {
            mine.received.resize(mine.received.len().max(theirs.received.len()), 0);
            mine.received.iter_mut().zip(&theirs.received).for_each(|(mine, theirs)| *mine += theirs);
        }
        let mine = self.cold.as_mut().and_then(|kept| kept.completions.as_mut());
        if let (Some(mine), Some(theirs)) = (mine, other.completions()) {
            mine.merge(theirs);
        }
    }

    /// This many TCP segments have been delivered in order.
    #[inline(always)]
    pub fn delivered_in_order(&mut self, now: Time, segments: u32) {
        if segments == self.expected_segments {
            self.record_finish(now);
        }
    }

    /// A finite transfer is complete (TCP), or was sent in full (rate-based), by `now`.
    pub fn record_finish(&mut self, now: Time) {
        let finished = &mut self.cold().finished;
        *finished = now.min(*finished);
    }

    /// Moments of the one-way delay, after the run.
    pub fn delay(&self) -> Moments {
        self.delays.moments(self.received.pkts())
    }

    /// The mean of |D(i) - D(i-1)| (RFC 3393) in milliseconds, after the run.
    pub fn ipdv_ms_mean(&self) -> f64 {
        self.delays.variation_ms(self.received.pkts())
    }

    /// When a finite transfer was complete, if it was.
    pub fn finished(&self) -> Option<Time> {
        self.cold.as_ref().map(|kept| kept.finished).filter(|finished| *finished != Time::NEVER)
    }

    /// Called before the first data packet arrives at `now`: its delay has no predecessor to differ from. Does nothing
    /// for later packets.
    pub fn first_arrival(&mut self, now: Time, delay: Span, window: &MeasurementWindow) {
        if self.last_delay == NONE {
            self.last_delay = delay;
            if now >= window.warmup {
                self.delays.count_first();
            }
        }
    }

    /// A data packet with this size and delay arrived.
    #[inline(always)]
    pub fn arrived(
        &mut self,
        now: Time,
        size: u32,
        delay: Span,
        window: &MeasurementWindow,
        histograms: &mut [Histogram],
    ) {
        self.received.add(size);
        let last = std::mem::replace(&mut self.last_delay, delay);
        let variation = Span(last.0.abs_diff(delay.0));
        self.jitter_ms += (variation.as_millis() - self.jitter_ms) * (1.0 / 16.0);
        if now < window.warmup {
            return;
        }
        self.delays.add(delay);
        // The moments of the histogram are merged from those of its flows after the run.
        histograms[self.histogram()].tally(delay);
        self.delays.add_variation(variation);
    }
}

/// Few windows need more than 32 bits.
#[cold]
#[inline(never)]
fn wide(window: f64) -> u64 {
    window as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_and_variation_by_hand() {
        let window = MeasurementWindow {
            warmup: Time::ZERO,
            end: Time(1 << 40),
            sample: Span(1 << 30),
            series: false,
        };
        let mut probe = FlowProbe::new(&window, 0, false);
        let mut histograms = [Histogram::default()];
        probe.first_arrival(Time::ZERO, Span::from_millis(10), &window);
        for (i, ms) in [10, 26, 10].into_iter().enumerate() {
            probe.arrived(Time(i as u64), 100, Span::from_millis(ms), &window, &mut histograms);
        }
        // J = 16/16 = 1, then 1 + (16 - 1)/16.
        assert_eq!(probe.jitter_ms, 1.9375);
        assert_eq!((probe.ipdv_ms_mean(), probe.delay().count()), (16.0, 3));
        assert_eq!((probe.received.pkts(), probe.received.bytes()), (3, 300));
    }
}
