//! Dropped, marked and outstanding packets, and the end of the run.

use super::{Carrier, Network, Transit};
use crate::account::{Outstanding, Passage, PassageEvent, TraceEvent};
use crate::packet::{Pkt, WaitingPacket};
use crate::source::Source;
use queue::disc::Fate;
use units::{Span, Time};

impl<C: Carrier> Network<C> {
    /// The packets of a flow that are neither delivered nor dropped; the vector is allocated on first use.
    pub(crate) fn outstanding_mut(&mut self, flow: u32) -> &mut Outstanding {
        let flow = flow as usize;
        if flow >= self.outstanding.len() {
            self.outstanding.resize(self.flows.len(), Outstanding::default());
        }
        &mut self.outstanding[flow]
    }

    /// Records the packets that a link's queue dropped or marked.
    #[inline]
    pub(crate) fn record_fates(&mut self, link: u32, now: Time) {
        if !self.fates.is_empty() {
            self.record_each_fate(link, now);
        }
    }

    #[inline(never)]
    fn record_each_fate(&mut self, link: u32, now: Time) {
        let was_queued = self.links.get(link as usize).is_some_and(|link| !link.knows_departures());
        let counts = u64::from(now >= self.window.warmup);
        for fate in self.fates.drain(..) {
            let (Fate::Dropped(WaitingPacket { pkt, .. }, _) | Fate::Marked(WaitingPacket { pkt, .. }, _)) =
                fate;
            let probe = &mut self.flows[pkt.flow as usize].probe;
            let counts = counts * u64::from(!pkt.is_back());
            let what = if matches!(fate, Fate::Dropped(..)) { TraceEvent::Drop } else { TraceEvent::Mark };
            self.trace.note(now, what, &pkt);
            let event = if what == TraceEvent::Drop { PassageEvent::Dropped } else { PassageEvent::Marked };
            self.carrier.note(link, || Passage::new(now, event, &pkt));
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

    /// Records a packet that a link's faults destroyed.
    pub(crate) fn record_destroyed(&mut self, pkt: &Pkt, now: Time) {
        let probe = &mut self.flows[pkt.flow as usize].probe;
        self.trace.note(now, TraceEvent::Drop, pkt);
        probe.conservation.dropped.add(pkt.size);
        probe.dropped_pkts += u64::from(now >= self.window.warmup && !pkt.is_back());
        self.sacks.release(pkt);
    }

    /// A packet is outstanding at the end of the run: queued if its transmission has not started by then.
    #[cold]
    #[inline(never)]
    pub(crate) fn count_outstanding(&mut self, transit: &Transit, end: Time) {
        let pkt = &transit.pkt;
        let outstanding = self.outstanding_mut(pkt.flow);
        if transit.birth > end {
            outstanding.queued.add(pkt.size);
        } else {
            outstanding.in_flight.add(pkt.size);
        }
    }

    /// Brings links and records to the end of the run, `end`. Returns the number of packets in all queues.
    pub(crate) fn finish(&mut self, end: Time) -> u64 {
        for number in 0..self.links.len() {
            self.links[number].finish(end, &mut self.fates);
            self.record_fates(number as u32, end);
        }
        let stored: usize = self.links.iter().map(|link| link.queue_len()).sum();
        let queued = stored as u64 + C::finish(self, end);
        let window = &self.window;
        for flow in &mut self.flows {
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
        for (key, pkt) in self.carrier.pending() {
            if pkt.is_packet() {
                self.count_outstanding(&Transit::new(pkt, key), end);
            }
        }
        queued
    }
}
