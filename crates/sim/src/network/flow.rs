//! The two ends of one flow: what a sender may send, deadlines, and what its probe records.

use super::fabric::{Fabric, SendResult};
use super::{Flow, Transit};
use crate::account::MeasurementWindow;
use crate::account::{Trace, TraceEvent};
use crate::calendar::Key;
use crate::packet::Pkt;
use crate::source::{Sink, Source};
use transport::Ack;
use units::Time;

impl Flow {
    /// Sends on the fast path of a plain TCP sender at the time of `key`. Returns the sender's next deadline, `None` if
    /// the slow path has to ask it for more, and an error if the last packet was not scheduled.
    #[inline(always)]
    pub(super) fn send_fast<const LOOKAHEAD: bool>(
        &mut self,
        number: u32,
        key: Key,
        fabric: &mut Fabric,
        trace: &mut Trace,
    ) -> Result<Option<Time>, SendResult> {
        let Source::Tcp(sender) = &mut self.source else { return Ok(Some(Time::NEVER)) };
        while let Some((seq, size)) = sender.poll_fast(key.time) {
            let mut pkt = Pkt::plain(key.time, seq, size, number, self.first_hop[0], self.attributes[0]);
            self.probe.sent.add(size);
            if let Some(class) = self.marker.beyond(key.time, size) {
                pkt.set_class(class);
            }
            trace.note(key.time, TraceEvent::Send, &pkt);
            match fabric.send::<0, LOOKAHEAD>(&mut self.private[0].first, pkt, key) {
                SendResult::Scheduled => {}
                other => return Err(other),
            }
        }
        Ok(sender.due_on_fast_path())
    }

    /// Passes the private last link of what an end sends, if that link is idle; returns the time of arrival.
    #[inline(always)]
    pub(super) fn pass_last_link(&mut self, side: usize, size: u32, now: Time) -> Option<Time> {
        match &mut self.private[side].last {
            Some(link) => link.pass_if_idle(size, now),
            None => Some(now),
        }
    }

    /// The same if the link is busy, or if the packet passed it after the end of the run (`late`).
    pub(super) fn pass_last_link_slow(
        &mut self,
        transit: &Transit,
        late: Option<Time>,
        end: Time,
    ) -> Result<Key, SendResult> {
        let (pkt, key) = (transit.pkt, transit.key());
        let link = self.private[usize::from(pkt.is_back())].last.as_mut().filter(|_| key.time <= end);
        let Some(link) = link else { return Err(SendResult::AfterEnd(*transit)) };
        let late = late.map(|time| Key { time, birth: key.time, component: link.component });
        match late.or_else(|| link.pass_without_probe(pkt.size, key)) {
            Some(last) if last.time <= end => Ok(last),
            Some(last) => Err(SendResult::AfterEnd(Transit::new(pkt, last))),
            None => Err(SendResult::Overflow(link.component, *transit)),
        }
    }

    /// Records when a source is due, if that is sooner than before. Returns whether it needs an earlier timer.
    #[inline(always)]
    pub(super) fn needs_earlier_timer(&mut self, due: Time) -> bool {
        if due < self.next_due[0] {
            self.next_due[0] = due;
        }
        due < self.armed_for[0]
    }

    /// Updates the time at which an end next has more to record than every packet does.
    pub(super) fn update_due(&mut self, side: usize, window: &MeasurementWindow, trace: &Trace) {
        self.probe_due[side] = if trace.is_kept() { Time::ZERO } else { self.probe.next_due(side, window) };
        self.next_due[side] = self.deadline(side).min(self.probe_due[side]);
    }

    /// Feedback for anything but a plain TCP sender.
    pub(super) fn on_feedback(&mut self, now: Time, ack: &Ack, window: &MeasurementWindow) {
        match (&mut self.source, &mut self.sink) {
            (Source::Rated(source), Sink::Rated(sink)) => source.on_report(now, ack.ack, sink),
            (Source::App(source), _) => {
                let before = source.objects_begun();
                source.on_ack(now, ack);
                self.probe.objects_begun(now, source.objects_begun() - before, window);
            }
            _ => {}
        }
    }

    /// The next deadline of one end.
    #[inline(always)]
    pub(super) fn deadline(&self, side: usize) -> Time {
        let due = match (side, &self.source, &self.sink) {
            (0, Source::Tcp(sender), _) => sender.poll_timeout(),
            (0, Source::Rated(source), _) => source.poll_timeout(),
            (0, Source::Udp(source), _) => source.poll_timeout(),
            (0, Source::App(source), _) => source.poll_timeout(),
            (0, Source::Origin(origin), _) => origin.poll_timeout(),
            (_, _, Sink::Tcp(receiver)) => receiver.poll_timeout(),
            (_, _, Sink::Rated(sink)) => sink.poll_timeout(),
            (_, _, Sink::App(sink)) => sink.receiver.poll_timeout(),
            (_, _, Sink::Udp { .. }) => None,
        };
        let due = due.unwrap_or(Time::NEVER);
        if side == 0 {
            due.min(self.stop)
        } else {
            due
        }
    }

    /// Whether an end has something to do when its timer fires at `now`.
    pub(super) fn is_due(&self, side: usize, now: Time) -> bool {
        let starts = side == 0 && !self.probe.started;
        starts || self.deadline(side) <= now
    }

    /// Records the source's state before it changes at `now`.
    #[inline]
    pub(super) fn record_source(&mut self, now: Time, window: &MeasurementWindow) {
        self.probe.start_counting(0, now, window);
        match &mut self.source {
            Source::Tcp(sender) => self.probe.record_tcp(now, window, sender),
            Source::Rated(source) => self.probe.record_rate(now, window, source),
            Source::App(source) => self.probe.record_app(now, window, source),
            Source::Udp(_) | Source::Origin(_) => {}
        }
    }

    /// Records what the receiver had at the end of the warm-up.
    #[inline]
    pub(super) fn record_sink(&mut self, now: Time, window: &MeasurementWindow) {
        self.probe.close_interval(now, window);
        if self.probe.start_counting(1, now, window) {
            self.probe.goodput_before = self.sink.delivered_bytes();
        }
    }
}
