//! What a flow writes to results.

mod delays;
mod kept;
mod series;
mod tally;
mod wide;
mod window;

use crate::completions::Completions;
use crate::probe::Window;
use crate::source::app::{AppSource, Object};
use crate::source::RatedSource;
use crate::stats::{Histogram, Moments};
use delays::Delays;
use kept::Kept;
pub use series::FlowSeries;
pub use tally::{Conservation, Left, Tally};
use transport::tcp::Sender;
use units::{Span, Time};
pub use window::Held;

/// The mean of two means by their weights.
fn mean_of(a: (f64, u64), b: (f64, u64)) -> f64 {
    let whole = a.1 + b.1;
    if whole == 0 {
        0.0
    } else {
        (a.0 * a.1 as f64 + b.0 * b.1 as f64) / whole as f64
    }
}

/// No delay.
const NONE: Span = Span(u64::MAX);

/// One flow's accounts.
pub struct FlowProbe {
    /// Where all its packets ended.
    pub conservation: Conservation,
    /// Data packets put on the way: while the run lasts those that [`Conservation::sent`] does not count yet, at its end those
    /// since the warm-up.
    pub sent: Tally,
    /// The same of data packets that arrived, beside [`Conservation::delivered`].
    pub received: Tally,
    /// Data packets dropped since the warm-up.
    pub dropped_pkts: u64,
    /// Data packets marked since the warm-up.
    pub marked_pkts: u64,
    delays: Delays,
    /// Interarrival jitter in milliseconds (RFC 3550 section 6.4.1).
    pub jitter_ms: f64,
    /// The delay of the packet before; [`NONE`] at first.
    last_delay: Span,
    /// Congestion window over time, in 1/1024 of a segment; of a rate-based flow its allowed rate in bit/s.
    pub cwnd: Held,
    /// In-order payload delivered in the warm-up; nothing before its end was noted.
    pub goodput_before: u64,
    /// Whether the source has started.
    pub started: bool,
    /// Whether the source has been attended to since the warm-up.
    noted: bool,
    /// Whether the tallies of source and sink begin after it.
    counting: [bool; 2],
    /// Segments that make a finite amount of TCP whole at its destination.
    pub awaited: u32,
    kept: Option<Box<Kept>>,
}

/// Fractions of a segment the time average of a window resolves.
pub const CWND_STEPS: f64 = 1024.0;

impl FlowProbe {
    /// Empty accounts; delays go to the histogram with this number.
    pub fn new(window: &Window, histogram: usize, series: bool) -> FlowProbe {
        let mut probe = FlowProbe {
            conservation: Conservation::default(),
            sent: Tally::default(),
            received: Tally::default(),
            dropped_pkts: 0,
            marked_pkts: 0,
            delays: Delays::of(histogram),
            jitter_ms: 0.0,
            last_delay: NONE,
            cwnd: Held::from(window.warmup),
            goodput_before: 0,
            started: false,
            noted: false,
            counting: [false; 2],
            awaited: u32::MAX,
            kept: None,
        };
        if series {
            probe.kept().series = Some(Box::new(FlowSeries::new(window.end.start())));
        }
        probe
    }

    fn kept(&mut self) -> &mut Kept {
        self.kept.get_or_insert_default()
    }

    /// Samples, if they are kept: received bytes in the interval, window and threshold at its end.
    pub fn series(&self) -> Option<&FlowSeries> {
        self.kept.as_ref()?.series.as_deref()
    }

    /// The same, to change them.
    #[inline]
    pub fn series_mut(&mut self) -> Option<&mut FlowSeries> {
        self.kept.as_mut()?.series.as_deref_mut()
    }

    /// How long the objects of an application took.
    pub fn completions(&self) -> Option<&Completions> {
        self.kept.as_ref()?.completions.as_deref()
    }

    /// From now on there is an application whose objects are counted.
    pub fn count_objects(&mut self) {
        self.kept().completions = Some(Box::default());
    }

    /// Where objects are counted at `now`.
    fn counted_objects(&mut self, now: Time, window: &Window) -> Option<&mut Completions> {
        let completions = self.kept.as_mut()?.completions.as_deref_mut();
        completions.filter(|_| now >= window.warmup)
    }

    /// Which histogram its delays go to.
    pub fn histogram(&self) -> usize {
        self.delays.histogram as usize
    }

    /// The window and the threshold were as `state` gives them until `now`.
    pub fn sample_window(&mut self, now: Time, window: &Window, state: impl Fn() -> (f64, f64)) {
        let Some(series) = self.series_mut() else { return };
        while series.next_sample < now {
            let (cwnd, ssthresh) = state();
            series.cwnd.push(cwnd as f32);
            series.ssthresh.push(ssthresh as f32);
            series.next_sample += window.sample;
        }
    }

    /// Takes note of a TCP sender's window before it changes at `now`.
    pub fn observe_tcp(&mut self, now: Time, window: &Window, sender: &mut Sender) {
        self.hold_window(now, sender);
        if now >= window.warmup && !std::mem::replace(&mut self.noted, true) {
            sender.reset_counters();
        }
        self.sample_window(now, window, || (sender.cwnd(), sender.ssthresh()));
    }

    /// The part of [`FlowProbe::observe_tcp`] that is due at every arrival; the average begins with the warm-up's end.
    #[inline(always)]
    pub fn hold_window(&mut self, now: Time, sender: &Sender) {
        // The shorter word converts in fewer instructions.
        self.cwnd.hold_with(now, || match (sender.cwnd() * CWND_STEPS) as u32 {
            u32::MAX => wide(sender.cwnd() * CWND_STEPS),
            held => u64::from(held),
        });
    }

    /// Begins to count what an end, 0 the source, does from the warm-up on, once that is over. Whether it begins now.
    pub fn count_from(&mut self, side: usize, now: Time, window: &Window) -> bool {
        if now < window.warmup || std::mem::replace(&mut self.counting[side], true) {
            return false;
        }
        self.settle(side);
        if side == 0 {
            self.sent = Tally::default();
        } else {
            self.received = Tally::default();
            if let Some(series) = self.series_mut() {
                series.count_anew();
            }
        }
        true
    }

    /// What comes from `now` on belongs to another interval of the series than what came before.
    pub fn divide_received(&mut self, now: Time, window: &Window) {
        let bytes = self.received.bytes();
        if let Some(series) = self.series_mut() {
            series.divide(now, bytes, window.sample);
        }
    }

    /// The run is over.
    pub fn finish(&mut self) {
        for side in [0, 1] {
            self.settle(side);
        }
        self.sent = if self.counting[0] { self.sent } else { Tally::default() };
        self.received = if self.counting[1] { self.received } else { Tally::default() };
    }

    /// What an end's tally holds goes into the account of the whole run.
    fn settle(&mut self, side: usize) {
        if side == 0 {
            self.conservation.sent.absorb(self.sent);
        } else {
            self.conservation.delivered.absorb(self.received);
        }
    }

    /// When an end, 0 the source, next has more to note than every packet gives.
    pub fn notice(&self, side: usize, window: &Window) -> Time {
        let warmup = if self.counting[side] { Time::NEVER } else { window.warmup };
        if side == 0 {
            warmup.min(self.series().map_or(Time::NEVER, |series| series.next_sample))
        } else {
            warmup.min(self.series().map_or(Time::NEVER, |series| series.next_interval))
        }
    }

    /// Takes note of a rate-based sender's rate, and the number beside it, before they change at `now`.
    pub fn observe_rate(&mut self, now: Time, window: &Window, sender: &RatedSource) {
        let bps = 8.0 * sender.rate();
        if now >= window.warmup {
            self.cwnd.hold(bps as u64, now);
        }
        self.sample_window(now, window, || (bps, sender.second()));
    }

    /// Takes note of an application's sender before it changes at `now`. While no connection is open nothing changes, and a
    /// late duplicate may be seen out of turn.
    pub fn observe_app(&mut self, now: Time, window: &Window, source: &mut AppSource) {
        if now >= window.warmup {
            self.cwnd.hold((source.sender.cwnd() * CWND_STEPS) as u64, now);
            if source.is_open() && !std::mem::replace(&mut self.noted, true) {
                source.count_anew();
            }
        }
        let sender = &source.sender;
        self.sample_window(now, window, || (sender.cwnd(), sender.ssthresh()));
    }

    /// An application handed over so many objects at `now`.
    pub fn handed_over(&mut self, now: Time, objects: u64, window: &Window) {
        if let Some(completions) = self.counted_objects(now, window) {
            completions.begun += objects;
        }
    }

    /// An object of an application arrived in full.
    pub fn completed(&mut self, now: Time, object: &Object, window: &Window) {
        if let Some(completions) = self.counted_objects(now, window) {
            completions.add(object.bytes, now.since(object.start));
        }
    }

    /// Takes over what another flow counted: a session of this one.
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
        let mine = self.kept.as_mut().and_then(|kept| kept.completions.as_mut());
        if let (Some(mine), Some(theirs)) = (mine, other.completions()) {
            mine.merge(theirs);
        }
    }

    /// So many segments of TCP have arrived in order.
    #[inline(always)]
    pub fn note_delivered(&mut self, now: Time, segments: u32) {
        if segments == self.awaited {
            self.finish_at(now);
        }
    }

    /// All there was to send has arrived, or left, by `now`.
    pub fn finish_at(&mut self, now: Time) {
        let finished = &mut self.kept().finished;
        *finished = now.min(*finished);
    }

    /// One-way delay, once the run is over.
    pub fn delay(&self) -> Moments {
        self.delays.moments(self.received.pkts())
    }

    /// The mean of |D(i) - D(i-1)| (RFC 3393) in milliseconds, once the run is over.
    pub fn ipdv_ms_mean(&self) -> f64 {
        self.delays.variation_ms(self.received.pkts())
    }

    /// When that was, if it was.
    pub fn finished(&self) -> Option<Time> {
        self.kept.as_ref().map(|kept| kept.finished).filter(|finished| *finished != Time::NEVER)
    }

    /// The first data packet is about to arrive at `now`, with this delay: there is none it could differ from. Of others this does
    /// nothing.
    pub fn begin(&mut self, now: Time, delay: Span, window: &Window) {
        if self.last_delay == NONE {
            self.last_delay = delay;
            if now >= window.warmup {
                self.delays.begin();
            }
        }
    }

    /// A data packet of this size and delay arrived.
    #[inline(always)]
    pub fn arrived(
        &mut self,
        now: Time,
        size: u32,
        delay: Span,
        window: &Window,
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
        // The moments of the histogram are those of its flows.
        histograms[self.histogram()].tally(delay);
        self.delays.vary(variation);
    }
}

/// Few windows do not fit the shorter word.
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
        let window = Window { warmup: Time::ZERO, end: Time(1 << 40), sample: Span(1 << 30), series: false };
        let mut probe = FlowProbe::new(&window, 0, false);
        let mut histograms = [Histogram::default()];
        probe.begin(Time::ZERO, Span::from_millis(10), &window);
        for (i, ms) in [10, 26, 10].into_iter().enumerate() {
            probe.arrived(Time(i as u64), 100, Span::from_millis(ms), &window, &mut histograms);
        }
        // J = 16/16 = 1, then 1 + (16 - 1)/16.
        assert_eq!(probe.jitter_ms, 1.9375);
        assert_eq!((probe.ipdv_ms_mean(), probe.delay().count()), (16.0, 3));
        assert_eq!((probe.received.pkts(), probe.received.bytes()), (3, 300));
    }
}
