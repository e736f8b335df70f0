//! The end of a run, and the records of dropped, marked and outstanding packets.

use super::{Flow, Network, Transit};
use crate::account::Outstanding;
use crate::account::TraceEvent;
use crate::calendar::Key;
use crate::fast::ArrivalBatches;
use crate::packet::{Pkt, Waiting, TRANSMITTER_FREE};
use crate::source::Source;
use queue::disc::Fate;
use units::{Span, Time};

impl Network {
    /// A link sent nothing. If its discipline holds packets back, schedules the moment at which one is ready.
    pub(super) fn retry_at(&mut self, link: u32, now: Time) {
        let again = self.links[link as usize].retry_at(now);
        if let Some(key) = again.filter(|key| key.time <= self.window.end) {
            self.fabric.schedule(key, Pkt::event(TRANSMITTER_FREE, link));
        }
    }

    /// Brings links and records to the end of the run, `end`.
    pub fn finish(&mut self, end: Time) {
        for number in 0..self.links.len() {
            self.links[number].finish(end, &mut self.fates);
            self.record_fates(number as u32, end);
        }
        for link in &mut self.fabric.droptail_links {
            self.queued_in_fast_links += link.finish(end);
            if let Some(probe) = link.take_probe() {
                *self.links[link.component as usize].probe_mut() = Some(probe);
            }
        }
        for link in &mut self.fabric.red_links {
            self.queued_in_fast_links += link.finish(end);
            *self.links[link.component as usize].probe_mut() = link.probe.take();
        }
        let window = &self.window;
        for flow in &mut self.flows {
            for link in
                flow.private.iter_mut().flat_map(|private| [&mut private.first, &mut private.last]).flatten()
            {
                self.queued_in_fast_links += link.finish(end);
            }
            flow.record_source(end, window);
            flow.record_sink(end, window);
            flow.probe.finish();
            self.histograms[flow.probe.histogram()].moments.merge(&flow.probe.delay());
            match &mut flow.source {
                Source::Tcp(sender) => {
                    flow.probe.sample_cwnd(end + Span(1), window, || (sender.cwnd(), sender.ssthresh()));
                }
                Source::Rated(source) => flow.probe.record_rate(end + Span(1), window, source),
                Source::App(source) => flow.probe.record_app(end + Span(1), window, source),
                Source::Udp(_) | Source::Origin(_) => {}
            }
        }
        let hops = self.fabric.hops.len();
        let packets = self.fabric.calendar.iter().filter(|(_, pkt)| (pkt.hop as usize) < hops);
        let coming = self.fabric.arrivals.iter().flat_map(ArrivalBatches::iter);
        let coming = coming.map(|coming| (coming.key(), coming.pkt));
        let packets: Vec<(Key, Pkt)> = packets.map(|(key, pkt)| (key, *pkt)).chain(coming).collect();
        for (key, pkt) in packets {
            self.count_outstanding(&Transit::new(pkt, key), end);
        }
    }

    /// Estimated bytes held by packets, events and records.
    pub fn memory(&self) -> u64 {
        let waiting: usize = self.links.iter().map(|link| link.queue_len() * size_of::<Waiting>()).sum();
        let kept = if self.window.series { &self.flows[..] } else { &[] };
        let series = kept.iter().filter_map(|flow| flow.probe.series());
        let series: usize = series.map(|series| 12 * series.received.capacity()).sum();
        let coming: usize = self.fabric.arrivals.iter().map(ArrivalBatches::memory).sum();
        let timers = self.fabric.timers.capacity() * size_of::<(Time, u32)>();
        let events = self.fabric.calendar.memory() + timers + coming;
        (events + waiting + series + self.flows.len() * size_of::<Flow>()) as u64
    }

    /// Packets queued in all links when the run was finished.
    pub fn queued(&self) -> u64 {
        let stored: usize = self.links.iter().map(|link| link.queue_len()).sum();
        stored as u64 + self.queued_in_fast_links
    }

    /// Packets of a flow that were neither delivered nor dropped when the run ended.
    pub fn outstanding(&self, flow: usize) -> Outstanding {
        self.outstanding.get(flow).copied().unwrap_or_default()
    }

    /// The same, mutable; the vector is allocated on first use.
    pub(super) fn outstanding_mut(&mut self, flow: u32) -> &mut Outstanding {
        let flow = flow as usize;
        if flow >= self.outstanding.len() {
            self.outstanding.resize(self.flows.len(), Outstanding::default());
        }
        &mut self.outstanding[flow]
    }

    /// Whether every packet a flow sent was delivered, dropped, or is outstanding.
    pub fn is_conserved(&self, flow: usize) -> bool {
        self.flows[flow].probe.conservation.holds(&self.outstanding(flow))
    }

    /// Records the packets that a link's queue dropped or marked.
    pub(super) fn record_fates(&mut self, link: u32, now: Time) {
        let was_queued = self.links.get(link as usize).is_some_and(|link| !link.knows_departures());
        let counts = u64::from(now >= self.window.warmup);
        for fate in self.fates.drain(..) {
            let (Fate::Dropped(Waiting { pkt, .. }, _) | Fate::Marked(Waiting { pkt, .. }, _)) = fate;
            let probe = &mut self.flows[pkt.flow as usize].probe;
            let counts = counts * u64::from(!pkt.is_back());
            let what = if matches!(fate, Fate::Dropped(..)) { TraceEvent::Drop } else { TraceEvent::Mark };
            self.trace.note(now, what, &pkt);
            if what == TraceEvent::Drop {
                probe.conservation.dropped.add(pkt.size);
                if was_queued {
                    self.outstanding[pkt.flow as usize].queued.remove(pkt.size);
                }
                probe.dropped_pkts += counts;
                self.sacks.release(&pkt);
            } else {
                probe.marked_pkts += counts;
            }
        }
    }

    /// A link's fault model destroys a packet.
    #[cold]
    pub(super) fn destroy(&mut self, link: u32, pkt: &Pkt, now: Time) {
        if let Some(probe) = self.links[link as usize].probe_mut() {
            probe.lost(now);
        }
        let probe = &mut self.flows[pkt.flow as usize].probe;
        self.trace.note(now, TraceEvent::Drop, pkt);
        probe.conservation.dropped.add(pkt.size);
        probe.dropped_pkts += u64::from(now >= self.window.warmup && !pkt.is_back());
        self.sacks.release(pkt);
    }

    /// A packet is outstanding at the end of the run: queued if its transmission has not started by then.
    #[cold]
    #[inline(never)]
    pub(super) fn count_outstanding(&mut self, transit: &Transit, end: Time) {
        let pkt = &transit.pkt;
        let outstanding = self.outstanding_mut(pkt.flow);
        if transit.birth > end {
            outstanding.queued.add(pkt.size);
        } else {
            outstanding.in_flight.add(pkt.size);
        }
    }
}
