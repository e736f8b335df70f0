//! Records of one link: counters from the warm-up on, queue statistics, sojourn times, series.

mod drop_curve;
mod little;
mod series;

use crate::account::{Histogram, Moments, QueueStatistics, SampleMoments};
use crate::account::{MeasurementWindow, Tally};
use crate::packet::WaitingPacket;
use crate::transmission::Transmission;
pub use drop_curve::DropCurve;
use little::LittlesLaw;
use queue::disc::{Fate, Packet, QueueDisc, Reason};
pub use series::{LinkSeries, EVENT_SERIES};
use units::{Span, Time};

/// Packets that arrived at a queue, by their fate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkCounters {
    /// Arrived at the queue.
    pub arrived_pkts: u64,
    /// Bytes of these.
    pub arrived_bytes: u64,
    /// Transmission started.
    pub departed_pkts: u64,
    /// Bytes of these.
    pub departed_bytes: u64,
    /// Dropped with a probability (early).
    pub early_pkts: u64,
    /// Dropped by a rule (forced).
    pub forced_pkts: u64,
    /// Dropped because the buffer was full.
    pub overflow_pkts: u64,
    /// CE set.
    pub marked_pkts: u64,
    /// Destroyed by the link's faults.
    pub lost_pkts: u64,
    /// Nanoseconds the transmitter was sending.
    pub busy_ns: u64,
}

/// Packets and bytes in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub pkts: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Backlog {
    /// One more packet.
    #[inline]
    pub fn add(&mut self, size: u32) {
        self.pkts += 1;
        self.bytes += u64::from(size);
    }

    /// One packet less.
    #[inline]
    pub fn remove(&mut self, size: u32) {
        self.pkts -= 1;
        self.bytes -= u64::from(size);
    }
}

/// The discipline a probe samples; a specialised tail-drop link has none.
type OptionalDisc<'a, P> = Option<&'a dyn QueueDisc<P>>;

/// No discipline.
pub const NO_DISC: OptionalDisc<'static, WaitingPacket> = None;

/// The records of one link.
pub struct LinkProbe {
    window: MeasurementWindow,
    /// Counters from the warm-up on; complete when the run is over.
    pub counters: LinkCounters,
    /// Packets that arrived and departed within the window; added to both counters after the run.
    passed: Tally,
    /// Queue length and backlog over time.
    pub queue: QueueStatistics,
    /// The discipline's own average, sampled.
    pub avg: SampleMoments,
    /// Sojourn times of departed packets.
    pub sojourn: Histogram,
    /// Sojourn times of packets that were dropped after they had been queued.
    pub dropped: Histogram,
    /// Early and forced drops and marks against the average queue.
    pub curve: DropCurve,
    /// Samples of the queue and of the discipline's state.
    pub series: LinkSeries,
    /// The check of Little's law.
    little: LittlesLaw,
    next_sample: Time,
    /// Fast path: a packet that starts at once and ends by then needs only to be counted, because neither a sample nor
    /// the start or end of measuring comes before.
    fast_until: Time,
}

impl LinkProbe {
    /// Empty records.
    pub fn new(window: MeasurementWindow) -> LinkProbe {
        LinkProbe {
            window,
            counters: LinkCounters::default(),
            passed: Tally::default(),
            queue: QueueStatistics::from(window.warmup),
            avg: SampleMoments::default(),
            sojourn: Histogram::default(),
            dropped: Histogram::default(),
            curve: DropCurve::default(),
            series: LinkSeries::default(),
            little: LittlesLaw::default(),
            next_sample: window.end.start(),
            fast_until: window.end.start(),
        }
    }

    /// The queue had this backlog until `now`. A specialised tail-drop link has no discipline to sample.
    #[inline(always)]
    pub fn hold_until<P: Packet + Copy>(&mut self, now: Time, backlog: Backlog, disc: OptionalDisc<'_, P>) {
        if self.next_sample < now {
            self.take_samples(now, backlog, disc);
        }
        self.queue.hold(backlog.pkts, backlog.bytes, now);
    }

    /// A packet is about to enter a queue whose departures are not known at arrival.
    pub fn enters(&mut self, now: Time) {
        self.little.arrived(now, &self.window);
    }

    /// A packet arrived, with the discipline's average after it and the drops and marks it caused.
    #[inline]
    pub fn arrived<P: Packet>(&mut self, now: Time, size: u32, avg: Option<f64>, fates: &[Fate<P>]) {
        self.series.running[0] += 1;
        let counts = self.window.contains(now);
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
            self.record_fates(now, fates);
        }
    }

    /// A packet passes a specialised tail-drop link with this `backlog`: `hold_until`, `arrived` and `departed` in one
    /// call.
    #[inline(never)]
    pub fn passed(&mut self, now: Time, backlog: Backlog, size: u32, start: Time, finish: Time) {
        self.hold_until(now, backlog, NO_DISC);
        self.arrived::<WaitingPacket>(now, size, None, &[]);
        self.departed(size, now, start, finish);
        let all_alike = if now < self.window.warmup { self.window.warmup - Span(1) } else { self.window.end };
        self.fast_until = self.next_sample.min(all_alike);
    }

    /// The same if the queue is empty and the transmission starts at once.
    pub fn passed_idle(&mut self, now: Time, size: u32, finish: Time) {
        if finish > self.fast_until {
            return self.passed(now, Backlog::default(), size, now, finish);
        }
        self.series.running[0] += 1;
        if now < self.window.warmup {
            return;
        }
        self.queue.hold_empty(now);
        self.passed.add(size);
        self.counters.busy_ns += finish.since(now).0;
        self.sojourn.add_zeros(1);
    }

    /// A batch of packets passed an idle link, the last at `last`, each before [`LinkProbe::fast_until`]; the
    /// transmitter sent for `busy`.
    pub fn passed_idle_batch(&mut self, packets: Tally, last: Time, busy: Span) {
        self.series.running[0] += packets.pkts() as u32;
        if last < self.window.warmup {
            return;
        }
        self.queue.hold_empty(last);
        self.passed.absorb(packets);
        self.counters.busy_ns += busy.0;
        self.sojourn.add_zeros(packets.pkts());
    }

    /// The bound of the fast path: see [`LinkProbe::passed_idle_batch`].
    pub fn fast_until(&self) -> Time {
        self.fast_until
    }

    /// Takes the samples that are due before `now`, until which the queue had this backlog.
    pub fn sample_until<P: Packet + Copy>(&mut self, now: Time, backlog: Backlog, disc: OptionalDisc<'_, P>) {
        if self.next_sample < now {
            self.take_samples(now, backlog, disc);
        }
    }

    /// The first time at which a sample is due or measuring starts; `counts`: it has started.
    pub fn next_due(&self, counts: bool) -> Time {
        let sample = self.next_sample + Span(1);
        if counts {
            sample
        } else {
            sample.min(self.window.warmup)
        }
    }

    /// When measuring starts.
    pub fn warmup(&self) -> Time {
        self.window.warmup
    }

    /// RED admitted a packet at this average, or tail drop at none (not a number): `arrived` and `departed` in one
    /// call. `ahead`: sum of the waits of those queued.
    #[inline(always)]
    pub fn admitted(&mut self, now: Time, size: u32, avg: f64, wire: Transmission, ahead: u64) {
        let Transmission { start, finish } = wire;
        if finish > self.fast_until {
            return self.admitted_slow(now, size, avg, wire, ahead);
        }
        let wait = start.0 - now.0;
        self.queue.add_sojourn(size, wait, ahead);
        self.series.running[0] += 1;
        self.passed.add(size);
        self.curve.add(avg, false);
        self.sojourn.add(Span(wait));
        self.counters.busy_ns += finish.0 - start.0;
    }

    /// The part of [`LinkProbe::admitted`] that a batch cannot combine, for a packet that has to wait.
    #[inline(always)]
    pub fn admitted_uniform(&mut self, wait: Span, avg: f64) {
        self.curve.add(avg, false);
        self.sojourn.tally(wait);
    }

    /// The other part, for a batch of packets of one size, `wire` long on the wire, all within the window: their
    /// sojourn times, none above the maximum, and the sum of squares they add to the queue statistics.
    pub fn admitted_uniform_batch(&mut self, size: u32, wire: Span, waits: &Moments, squares: u128) {
        let (pkts, counters) = (waits.count(), &mut self.counters);
        counters.arrived_pkts += pkts;
        counters.arrived_bytes += pkts * u64::from(size);
        counters.departed_pkts += pkts;
        counters.departed_bytes += pkts * u64::from(size);
        counters.busy_ns += pkts * wire.0;
        self.queue.add_sojourns(size, waits.total(), squares);
        self.series.running[0] += pkts as u32;
        self.sojourn.moments.merge(waits);
    }

    /// [`LinkProbe::admitted`] for a packet that is only partly in the window.
    #[inline(never)]
    pub fn admitted_slow(&mut self, now: Time, size: u32, avg: f64, wire: Transmission, ahead: u64) {
        let Transmission { start, finish } = wire;
        if finish < self.window.warmup {
            return self.admitted_before_warmup();
        }
        if now >= self.window.warmup {
            self.queue.add_sojourn(size, start.0 - now.0, ahead);
        }
        self.arrived::<WaitingPacket>(now, size, Some(avg).filter(|avg| !avg.is_nan()), &[]);
        self.departed(size, now, start, finish);
    }

    /// RED admitted a packet that departs before measuring starts.
    #[inline(always)]
    pub fn admitted_before_warmup(&mut self) {
        self.series.running[0] += 1;
    }

    /// Measuring has started at a link that takes its samples by [`LinkProbe::next_due`]: only the end of the run cuts
    /// a packet.
    pub fn measure_from_now(&mut self) {
        self.fast_until = self.window.end;
    }

    /// The buffer of a specialised tail-drop link was full.
    pub fn overflowed(&mut self, now: Time) {
        self.series.running[1] += 1;
        self.counters.overflow_pkts += u64::from(self.window.contains(now));
    }

    /// Records drops and marks.
    pub fn record_fates<P: Packet>(&mut self, now: Time, fates: &[Fate<P>]) {
        let counts = u64::from(self.window.contains(now));
        for fate in fates {
            match fate {
                Fate::Dropped(pkt, reason) => {
                    self.series.running[1] += 1;
                    if counts > 0 && pkt.enqueued() < now {
                        self.dropped.add(now.since(pkt.enqueued()));
                    }
                    self.little.left(pkt.enqueued(), now, &self.window);
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

    /// The transmission of a packet that arrived at `arrived` is scheduled.
    #[inline]
    pub fn departed(&mut self, size: u32, arrived: Time, start: Time, finish: Time) {
        if self.window.contains(start) {
            self.counters.departed_pkts += 1;
            self.counters.departed_bytes += u64::from(size);
            self.sojourn.add(start.since(arrived));
        }
        self.little.left(arrived, start, &self.window);
        self.counters.busy_ns += self.window.clip(start, finish).0;
    }

    /// A packet that departed at `taken` was in the device's ring until `start`; the link was not busy with it.
    #[inline]
    pub fn held_in_ring(&mut self, taken: Time, start: Time) {
        self.counters.busy_ns -= self.window.clip(taken, start).0;
    }

    /// A packet was destroyed by the link's faults.
    pub fn lost(&mut self, now: Time) {
        self.counters.lost_pkts += u64::from(self.window.contains(now));
    }

    /// Completes the records at the end of the run. The transmitter would have been busy until `busy_until`; the time
    /// after `end` does not count.
    pub fn finish<P: Packet + Copy>(
        &mut self,
        end: Time,
        busy_until: Time,
        backlog: Backlog,
        disc: OptionalDisc<'_, P>,
    ) {
        let (passed, counters) = (std::mem::take(&mut self.passed), &mut self.counters);
        counters.arrived_pkts += passed.pkts();
        counters.arrived_bytes += passed.bytes();
        counters.departed_pkts += passed.pkts();
        counters.departed_bytes += passed.bytes();
        // Of a run that hit a limit a link may be ahead of `end`, and idle in between.
        counters.busy_ns = counters.busy_ns.saturating_sub(self.window.clip(end, busy_until).0);
        self.hold_until(end, backlog, disc);
        if self.next_sample == end {
            self.take_sample(backlog, disc);
        }
        let sojourns = self.sojourn.moments.total() + self.dropped.moments.total();
        self.little.finish(end, self.queue.area(), sojourns, &self.window);
    }

    /// The mean queue length less that which Little's law derives from the sojourn times, in packets; `None` if the run
    /// was cut short.
    pub fn little_difference(&self) -> Option<f64> {
        self.little.difference(&self.window)
    }

    #[cold]
    fn take_samples<P: Packet + Copy>(&mut self, now: Time, backlog: Backlog, disc: OptionalDisc<'_, P>) {
        while self.next_sample < now {
            self.take_sample(backlog, disc);
        }
    }

    fn take_sample<P: Packet + Copy>(&mut self, backlog: Backlog, disc: OptionalDisc<'_, P>) {
        if self.window.contains(self.next_sample) {
            if let Some(avg) = disc.and_then(QueueDisc::avg) {
                self.avg.add(avg);
            }
        }
        if self.window.series {
            self.series.take(backlog, disc);
        }
        self.next_sample += self.window.sample;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_the_window_counts() {
        let window = MeasurementWindow { warmup: Time(10), end: Time(20), sample: Span(1), series: false };
        assert_eq!(window.clip(Time(5), Time(15)), Span(5));
        assert_eq!(window.clip(Time(15), Time(25)), Span(5));
        assert_eq!(window.clip(Time(1), Time(9)), Span::ZERO);
        assert!(window.contains(Time(10)) && window.contains(Time(20)) && !window.contains(Time(21)));
    }
}
