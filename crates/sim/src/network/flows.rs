//! A flow's two ends as the network drives them: what a sender lets go, when an end is to be woken, what its accounts note.

use super::wires::{Launched, Wires};
use super::Flow;
use crate::calendar::Key;
use crate::packet::Pkt;
use crate::probe::Window;
use crate::source::{Sink, Source};
use crate::trace::{Trace, What};
use transport::Ack;
use units::Time;

/// How far [`Flow::send_segments`] came.
pub(super) enum Sent {
    /// Everything was sent, and the pending wake-up is early enough.
    All,
    /// Everything was sent; the sender is to be woken then.
    Alarm(Time),
    /// What became of the last packet is to be settled before the next.
    UpTo(Launched),
}

impl Flow {
    /// Sends what a plain TCP sender lets go at the time of `key`.
    #[inline(always)]
    pub(super) fn send_segments(
        &mut self,
        number: u32,
        key: Key,
        wires: &mut Wires,
        trace: &mut Trace,
    ) -> Sent {
        let now = key.time;
        let Source::Tcp(sender) = &mut self.source else { return Sent::All };
        while let Some(segment) = sender.poll_transmit(now) {
            self.probe.sent.add(segment.size);
            let mut pkt = Pkt::of_segment(&segment, number, self.first_step[0]);
            pkt.class = self.marker.mark(now, segment.size);
            trace.note(now, What::Send, &pkt);
            match wires.launch(pkt, key) {
                Launched::Settled => {}
                other => return Sent::UpTo(other),
            }
        }
        let due = sender.due().min(self.stop);
        (self.due[0], self.look[0]) = (due, due.min(self.notice[0]));
        if due < self.armed[0] {
            return Sent::Alarm(due);
        }
        Sent::All
    }

    /// Finds out when the accounts next have something to note at an end, or the trace.
    pub(super) fn note_next(&mut self, side: usize, window: &Window, trace: &Trace) {
        self.notice[side] = if trace.is_kept() { Time::ZERO } else { self.probe.notice(side, window) };
        self.look[side] = self.due[side].min(self.notice[side]);
    }

    /// Feedback that is not for a plain TCP sender.
    pub(super) fn on_feedback(&mut self, now: Time, ack: &Ack, window: &Window) {
        match (&mut self.source, &mut self.sink) {
            (Source::Rated(source), Sink::Rated(sink)) => source.on_report(now, ack.ack, sink),
            (Source::App(source), _) => {
                let before = source.begun();
                source.on_ack(now, ack);
                self.probe.handed_over(now, source.begun() - before, window);
            }
            _ => {}
        }
    }

    /// Asks one end for its next deadline.
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

    /// Takes note of the source's state before it changes at `now`.
    #[inline]
    pub(super) fn observe_source(&mut self, now: Time, window: &Window) {
        self.probe.count_from(0, now, window);
        match &self.source {
            Source::Tcp(sender) => self.probe.observe_tcp(now, window, sender),
            Source::Rated(source) => self.probe.observe_rate(now, window, source),
            Source::App(source) => self.probe.observe_app(now, window, source),
            Source::Udp(_) | Source::Origin(_) => {}
        }
    }

    /// Takes note of what the receiver had at the warm-up.
    #[inline]
    pub(super) fn observe_sink(&mut self, now: Time, window: &Window) {
        self.probe.count_from(1, now, window);
        if self.probe.goodput_before.is_none() && now >= window.warmup {
            self.probe.goodput_before = Some(self.sink.delivered_bytes());
        }
    }
}
