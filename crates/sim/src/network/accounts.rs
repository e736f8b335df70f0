//! Where packets end, and the accounts of a run.

use super::{Flow, Network, Transit};
use crate::approach::Approach;
use crate::calendar::Key;
use crate::flow::Left;
use crate::packet::{Pkt, Waiting, FREE};
use crate::source::Source;
use crate::trace::What;
use queue::disc::Fate;
use units::{Span, Time};

impl Network {
    /// A link sent nothing: where its discipline holds packets back, it is asked again when one is ready.
    pub(super) fn ask_again(&mut self, link: u32, now: Time) {
        let again = self.links[link as usize].ask_again(now);
        if let Some(key) = again.filter(|key| key.time <= self.window.end) {
            self.wires.enter(key, Pkt::alarm(FREE, link));
        }
    }

    /// Brings links and accounts to the end of the run, `end`.
    pub fn finish(&mut self, end: Time) {
        for number in 0..self.links.len() {
            self.links[number].finish(end, &mut self.fates);
            self.settle_fates(number as u32, end);
        }
        for line in &mut self.wires.lines {
            self.waiting_in_lines += line.finish(end);
            if let Some(probe) = line.take_probe() {
                *self.links[line.component as usize].probe_mut() = Some(probe);
            }
        }
        for line in &mut self.wires.red_lines {
            self.waiting_in_lines += line.finish(end);
            *self.links[line.component as usize].probe_mut() = line.probe.take();
        }
        let window = &self.window;
        for flow in &mut self.flows {
            for line in flow.own.iter_mut().flat_map(|own| [&mut own.first, &mut own.last]).flatten() {
                self.waiting_in_lines += line.finish(end);
            }
            flow.observe_source(end, window);
            flow.observe_sink(end, window);
            flow.probe.finish();
            self.histograms[flow.probe.histogram()].moments.merge(&flow.probe.delay());
            match &mut flow.source {
                Source::Tcp(sender) => {
                    flow.probe.sample_window(end + Span(1), window, || (sender.cwnd(), sender.ssthresh()));
                }
                Source::Rated(source) => flow.probe.observe_rate(end + Span(1), window, source),
                Source::App(source) => flow.probe.observe_app(end + Span(1), window, source),
                Source::Udp(_) | Source::Origin(_) => {}
            }
        }
        let steps = self.wires.steps.len();
        let packets = self.wires.calendar.iter().filter(|(_, pkt)| (pkt.step as usize) < steps);
        let coming = self.wires.approaches.iter().flat_map(Approach::iter);
        let coming = coming.map(|coming| (coming.key(), coming.pkt));
        let packets: Vec<(Key, Pkt)> = packets.map(|(key, pkt)| (key, *pkt)).chain(coming).collect();
        for (key, pkt) in packets {
            self.leave_over(&Transit::new(pkt, key), end);
        }
    }

    /// Bytes held by packets, events and accounts, roughly.
    pub fn memory(&self) -> u64 {
        let waiting: usize = self.links.iter().map(|link| link.waiting() * size_of::<Waiting>()).sum();
        let kept = if self.window.series { &self.flows[..] } else { &[] };
        let series = kept.iter().filter_map(|flow| flow.probe.series());
        let series: usize = series.map(|series| 12 * series.received.capacity()).sum();
        let coming: usize = self.wires.approaches.iter().map(Approach::memory).sum();
        let alarms = self.wires.alarms.capacity() * size_of::<(Time, u32)>();
        let events = self.wires.calendar.memory() + alarms + coming;
        (events + waiting + series + self.flows.len() * size_of::<Flow>()) as u64
    }

    /// Packets waiting in all links when the run was finished.
    pub fn waiting(&self) -> u64 {
        let stored: usize = self.links.iter().map(|link| link.waiting()).sum();
        stored as u64 + self.waiting_in_lines
    }

    /// What is left of a flow's packets.
    pub fn left(&self, flow: usize) -> Left {
        self.left.get(flow).copied().unwrap_or_default()
    }

    /// The same, to add to it.
    pub(super) fn left_mut(&mut self, flow: u32) -> &mut Left {
        let flow = flow as usize;
        if flow >= self.left.len() {
            self.left.resize(self.flows.len(), Left::default());
        }
        &mut self.left[flow]
    }

    /// Whether all packets of a flow ended, once.
    pub fn balances(&self, flow: usize) -> bool {
        self.flows[flow].probe.conservation.holds(&self.left(flow))
    }

    /// Accounts for packets that a link's queue dropped or marked.
    pub(super) fn settle_fates(&mut self, link: u32, now: Time) {
        let was_queued = self.links.get(link as usize).is_some_and(|link| !link.knows_ahead());
        let counts = u64::from(now >= self.window.warmup);
        for fate in self.fates.drain(..) {
            let (Fate::Dropped(Waiting { pkt, .. }, _) | Fate::Marked(Waiting { pkt, .. }, _)) = fate;
            let probe = &mut self.flows[pkt.flow as usize].probe;
            let counts = counts * u64::from(!pkt.is_back());
            let what = if matches!(fate, Fate::Dropped(..)) { What::Drop } else { What::Mark };
            self.trace.note(now, what, &pkt);
            if what == What::Drop {
                probe.conservation.dropped.add(pkt.size);
                if was_queued {
                    self.left[pkt.flow as usize].queued.remove(pkt.size);
                }
                probe.dropped_pkts += counts;
                self.sacks.release(&pkt);
            } else {
                probe.marked_pkts += counts;
            }
        }
    }

    /// A packet falls to a link's loss model.
    #[cold]
    pub(super) fn destroy(&mut self, link: u32, pkt: &Pkt, now: Time) {
        if let Some(probe) = self.links[link as usize].probe_mut() {
            probe.lost(now);
        }
        let probe = &mut self.flows[pkt.flow as usize].probe;
        self.trace.note(now, What::Drop, pkt);
        probe.conservation.dropped.add(pkt.size);
        probe.dropped_pkts += u64::from(now >= self.window.warmup && !pkt.is_back());
        self.sacks.release(pkt);
    }

    /// A packet is still on its way at the end: queued if its transmission has not started by then.
    #[cold]
    #[inline(never)]
    pub(super) fn leave_over(&mut self, transit: &Transit, end: Time) {
        let pkt = &transit.pkt;
        let left = self.left_mut(pkt.flow);
        if transit.birth > end {
            left.queued.add(pkt.size);
        } else {
            left.in_flight.add(pkt.size);
        }
    }
}
