//! What a link writes to results: counters from the warm-up on, time averages, histograms, series.

mod curve;
mod series;

use crate::flow::Tally;
use crate::packet::Waiting;
use crate::stats::{Histogram, Moments, QueueOverTime, Samples};
use crate::wire::OnWire;
pub use curve::Curve;
use queue::disc::{Fate, Packet, QueueDisc, Reason};
pub use series::{LinkSeries, EVENT_SERIES};
use units::{Span, Time};

/// When counting starts and ends, and the grid of the samples.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Counting starts here.
    pub warmup: Time,
    /// The run's last moment.
    pub end: Time,
    /// Distance of samples.
    pub sample: Span,
    /// Whether samples are kept as series.
    pub series: bool,
}

impl Window {
    /// Whether `now` counts.
    #[inline]
    pub fn counts(&self, now: Time) -> bool {
        now >= self.warmup && now <= self.end
    }

    /// The part of `start … finish` that counts.
    #[inline]
    fn clip(&self, start: Time, finish: Time) -> Span {
        finish.min(self.end).since(start.max(self.warmup))
    }
}

/// Packets that arrived at a queue, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkCounters {
    /// Offered to the queue.
    pub arrived_pkts: u64,
    /// Offered to the queue.
    pub arrived_bytes: u64,
    /// Transmission started.
    pub departed_pkts: u64,
    /// Transmission started.
    pub departed_bytes: u64,
    /// Dropped by chance.
    pub early_pkts: u64,
    /// Dropped by rule.
    pub forced_pkts: u64,
    /// Dropped for want of room.
    pub overflow_pkts: u64,
    /// CE set.
    pub marked_pkts: u64,
    /// Destroyed by the loss model.
    pub lost_pkts: u64,
    /// Nanoseconds the transmitter was sending.
    pub busy_ns: u64,
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Packets.
    pub pkts: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Held {
    /// One packet more.
    #[inline]
    pub fn add(&mut self, size: u32) {
        self.pkts += 1;
        self.bytes += u64::from(size);
    }

    /// One packet fewer.
    #[inline]
    pub fn remove(&mut self, size: u32) {
        self.pkts -= 1;
        self.bytes -= u64::from(size);
    }
}

/// The discipline a probe may ask; a tail-drop link in short form has none.
type Asked<'a, P> = Option<&'a dyn QueueDisc<P>>;

/// No discipline.
pub const NOBODY: Asked<'static, Waiting> = None;

/// One link's accounts.
pub struct LinkProbe {
    window: Window,
    /// Counters from the warm-up on; complete when the run is over.
    pub counters: LinkCounters,
    /// Packets that arrived and departed in the window, to be added to both.
    passed: Tally,
    /// Waiting packets and bytes over time.
    pub queue: QueueOverTime,
    /// The discipline's own average, sampled.
    pub avg: Samples,
    /// Waiting time of departed packets.
    pub sojourn: Histogram,
    /// Waiting time of packets that were let in and dropped later.
    pub dropped: Histogram,
    /// Early and forced drops and marks against the average.
    pub curve: Curve,
    /// Samples of the queue and the discipline's inner values.
    pub series: LinkSeries,
    next_sample: Time,
    /// What has been sent by then without having to wait leaves nothing to note but itself, if it counts at all: neither a sample nor
    /// the start or end of counting comes before.
    plain_until: Time,
}

impl LinkProbe {
    /// Empty accounts.
    pub fn new(window: Window) -> LinkProbe {
        LinkProbe {
            window,
            counters: LinkCounters::default(),
            passed: Tally::default(),
            queue: QueueOverTime::from(window.warmup),
            avg: Samples::default(),
            sojourn: Histogram::default(),
            dropped: Histogram::default(),
            curve: Curve::default(),
            series: LinkSeries::default(),
            next_sample: window.end.start(),
            plain_until: window.end.start(),
        }
    }

    /// The queue held this much until `now`. A link in short form has no discipline to ask.
    #[inline(always)]
    pub fn hold_until<P: Packet + Copy>(&mut self, now: Time, held: Held, disc: Asked<'_, P>) {
        if self.next_sample < now {
            self.take_samples(now, held, disc);
        }
        self.queue.hold(held.pkts, held.bytes, now);
    }

    /// A packet arrived, with the discipline's average after it and the fates its arrival caused.
    #[inline]
    pub fn arrived<P: Packet>(&mut self, now: Time, size: u32, avg: Option<f64>, fates: &[Fate<P>]) {
        self.series.running[0] += 1;
        let counts = self.window.counts(now);
        if counts {
            self.counters.arrived_pkts += 1;
            self.counters.arrived_bytes += u64::from(size);
            if let Some(avg) = avg {
                let hit = fates.iter().any(|fate| {
                    let (Fate::Dropped(_, reason) | Fate::Marked(_, reason)) = fate;
                    *reason != Reason::Overflow
                });
                self.curve.add(avg, hit);
            }
        }
        if !fates.is_empty() {
            self.ended(now, fates);
        }
    }

    /// A packet passes a link in short form, where `held` wait: `hold_until`, `arrived` and `departed` in one.
    #[inline(never)]
    pub fn passed(&mut self, now: Time, held: Held, size: u32, start: Time, finish: Time) {
        self.hold_until(now, held, NOBODY);
        self.arrived::<Waiting>(now, size, None, &[]);
        self.departed(size, now, start, finish);
        let all_alike = if now < self.window.warmup { self.window.warmup - Span(1) } else { self.window.end };
        self.plain_until = self.next_sample.min(all_alike);
    }

    /// The same where nothing waits and the transmission starts at once.
    pub fn passed_idle(&mut self, now: Time, size: u32, finish: Time) {
        if finish > self.plain_until {
            return self.passed(now, Held::default(), size, now, finish);
        }
        self.series.running[0] += 1;
        if now < self.window.warmup {
            return;
        }
        self.queue.hold_none(now);
        self.passed.add(size);
        self.counters.busy_ns += finish.since(now).0;
        self.sojourn.add_none(1);
    }

    /// So many packets passed, the last at `last`, none of which had to wait, each before [`LinkProbe::plain_until`]; the transmitter
    /// sent for `busy`.
    pub fn passed_calmly(&mut self, packets: Tally, last: Time, busy: Span) {
        self.series.running[0] += packets.pkts() as u32;
        if last < self.window.warmup {
            return;
        }
        self.queue.hold_none(last);
        self.passed.absorb(packets);
        self.counters.busy_ns += busy.0;
        self.sojourn.add_none(packets.pkts());
    }

    /// Until when what has been sent without having to wait leaves nothing to note but itself.
    pub fn plain_until(&self) -> Time {
        self.plain_until
    }

    /// Samples that are due before `now`, up to which the queue held this much.
    pub fn sample_until<P: Packet + Copy>(&mut self, now: Time, held: Held, disc: Asked<'_, P>) {
        if self.next_sample < now {
            self.take_samples(now, held, disc);
        }
    }

    /// The first moment at which a sample or the start of counting is to be attended to; `counts`: it has started.
    pub fn attends(&self, counts: bool) -> Time {
        let sample = self.next_sample + Span(1);
        if counts {
            sample
        } else {
            sample.min(self.window.warmup)
        }
    }

    /// When counting starts.
    pub fn warmup(&self) -> Time {
        self.window.warmup
    }

    /// A packet was let in at this average: `arrived` and `departed` in one. Waits `ahead` of it: their sum. Moments are whole ns.
    #[inline(always)]
    pub fn let_in(&mut self, now: Time, size: u32, avg: f64, wire: OnWire, ahead: u64) {
        let OnWire { start, finish } = wire;
        if finish > self.plain_until {
            return self.let_in_apart(now, size, avg, wire, ahead);
        }
        let wait = start.0 - now.0;
        self.queue.wait(size, wait, ahead);
        self.series.running[0] += 1;
        self.passed.add(size);
        self.curve.add(avg, false);
        self.sojourn.add(Span(wait));
        self.counters.busy_ns += finish.0 - start.0;
    }

    /// The part of [`LinkProbe::let_in`] that cannot be told of many packets at once, of one that waits.
    #[inline(always)]
    pub fn let_in_even(&mut self, wait: Span, avg: f64) {
        self.curve.add(avg, false);
        self.sojourn.tally(wait);
    }

    /// The other part, of packets of one size, `wire` long on the wire, which all count whole: their waits, none longer than any
    /// before, and the sum of the squares they add to that of the queue over time.
    pub fn let_in_evenly(&mut self, size: u32, wire: Span, waits: &Moments, squares: u128) {
        let (pkts, counters) = (waits.count(), &mut self.counters);
        counters.arrived_pkts += pkts;
        counters.arrived_bytes += pkts * u64::from(size);
        counters.departed_pkts += pkts;
        counters.departed_bytes += pkts * u64::from(size);
        counters.busy_ns += pkts * wire.0;
        self.queue.wait_all(size, waits.total(), squares);
        self.series.running[0] += pkts as u32;
        self.sojourn.moments.merge(waits);
    }

    /// [`LinkProbe::let_in`] where not all of it counts.
    #[inline(never)]
    pub fn let_in_apart(&mut self, now: Time, size: u32, avg: f64, wire: OnWire, ahead: u64) {
        let OnWire { start, finish } = wire;
        if finish < self.window.warmup {
            return self.let_in_before();
        }
        if now >= self.window.warmup {
            self.queue.wait(size, start.0 - now.0, ahead);
        }
        self.arrived::<Waiting>(now, size, Some(avg), &[]);
        self.departed(size, now, start, finish);
    }

    /// A packet was let in that leaves before counting starts.
    #[inline(always)]
    pub fn let_in_before(&mut self) {
        self.series.running[0] += 1;
    }

    /// Counting has begun at a link whose samples are attended to by others: what is let in counts whole, unless the end cuts it.
    pub fn count_plainly(&mut self) {
        self.plain_until = self.window.end;
    }

    /// A link in short form had no room for a packet.
    pub fn overflowed(&mut self, now: Time) {
        self.series.running[1] += 1;
        self.counters.overflow_pkts += u64::from(self.window.counts(now));
    }

    /// Packets were dropped or marked.
    pub fn ended<P: Packet>(&mut self, now: Time, fates: &[Fate<P>]) {
        let counts = u64::from(self.window.counts(now));
        for fate in fates {
            match fate {
                Fate::Dropped(pkt, reason) => {
                    self.series.running[1] += 1;
                    if counts > 0 && pkt.enqueued() < now {
                        self.dropped.add(now.since(pkt.enqueued()));
                    }
                    *match reason {
                        Reason::Early => &mut self.counters.early_pkts,
                        Reason::Forced => &mut self.counters.forced_pkts,
                        Reason::Overflow => &mut self.counters.overflow_pkts,
                    } += counts;
                }
                Fate::Marked(..) => {
                    self.series.running[2] += 1;
                    self.counters.marked_pkts += counts;
                }
            }
        }
    }

    /// The transmission of a packet that came at `arrived` is settled.
    #[inline]
    pub fn departed(&mut self, size: u32, arrived: Time, start: Time, finish: Time) {
        if self.window.counts(start) {
            self.counters.departed_pkts += 1;
            self.counters.departed_bytes += u64::from(size);
            self.sojourn.add(start.since(arrived));
        }
        self.counters.busy_ns += self.window.clip(start, finish).0;
    }

    /// A packet whose departure was counted from `taken` on was in the ring until `start`: the line did not work for it.
    #[inline]
    pub fn held_in_ring(&mut self, taken: Time, start: Time) {
        self.counters.busy_ns -= self.window.clip(taken, start).0;
    }

    /// A packet was destroyed by the loss model.
    pub fn lost(&mut self, now: Time) {
        self.counters.lost_pkts += u64::from(self.window.counts(now));
    }

    /// The run is over. The transmitter would have been sending without a pause until `busy_until`; what lies behind
    /// the end of a run that was cut short no longer counts.
    pub fn finish<P: Packet + Copy>(&mut self, end: Time, busy_until: Time, held: Held, disc: Asked<'_, P>) {
        let (passed, counters) = (std::mem::take(&mut self.passed), &mut self.counters);
        counters.arrived_pkts += passed.pkts();
        counters.arrived_bytes += passed.bytes();
        counters.departed_pkts += passed.pkts();
        counters.departed_bytes += passed.bytes();
        counters.busy_ns -= self.window.clip(end, busy_until).0;
        self.hold_until(end, held, disc);
        if self.next_sample == end {
            self.take_sample(held, disc);
        }
    }

    #[cold]
    fn take_samples<P: Packet + Copy>(&mut self, now: Time, held: Held, disc: Asked<'_, P>) {
        while self.next_sample < now {
            self.take_sample(held, disc);
        }
    }

    fn take_sample<P: Packet + Copy>(&mut self, held: Held, disc: Asked<'_, P>) {
        if self.window.counts(self.next_sample) {
            if let Some(avg) = disc.and_then(QueueDisc::avg) {
                self.avg.add(avg);
            }
        }
        if self.window.series {
            self.series.take(held, disc);
        }
        self.next_sample += self.window.sample;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_the_window_counts() {
        let window = Window { warmup: Time(10), end: Time(20), sample: Span(1), series: false };
        assert_eq!(window.clip(Time(5), Time(15)), Span(5));
        assert_eq!(window.clip(Time(15), Time(25)), Span(5));
        assert_eq!(window.clip(Time(1), Time(9)), Span::ZERO);
        assert!(window.counts(Time(10)) && window.counts(Time(20)) && !window.counts(Time(21)));
    }
}
