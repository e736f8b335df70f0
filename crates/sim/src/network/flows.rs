//! A flow's two ends as the network drives them: what a sender lets go, when an end is to be woken, what its accounts note.

use super::wires::{Launched, Wires};
use super::{Flow, Transit};
use crate::calendar::Key;
use crate::packet::Pkt;
use crate::probe::Window;
use crate::source::{Sink, Source};
use crate::trace::{Trace, What};
use transport::Ack;
use units::Time;

impl Flow {
    /// Sends what takes the short way of a plain TCP sender at the time of `key`. What became of the last packet is to be settled
    /// where that is not done; else gives when the sender is due, unless it may have more to send.
    #[inline(always)]
    pub(super) fn send_plain<const TURNS: bool>(
        &mut self,
        number: u32,
        key: Key,
        wires: &mut Wires,
        trace: &mut Trace,
    ) -> Result<Option<Time>, Launched> {
        let Source::Tcp(sender) = &mut self.source else { return Ok(Some(Time::NEVER)) };
        while let Some((seq, size)) = sender.poll_fast(key.time) {
            let mut pkt = Pkt::plain(key.time, seq, size, number, self.first_step[0], self.about[0]);
            self.probe.sent.add(size);
            if let Some(class) = self.marker.beyond(key.time, size) {
                pkt.set_class(class);
            }
            trace.note(key.time, What::Send, &pkt);
            match wires.launch::<0, TURNS>(&mut self.own[0].first, pkt, key) {
                Launched::Settled => {}
                other => return Err(other),
            }
        }
        Ok(sender.due_on_fast_path())
    }

    /// A packet is before its own last line, on the way of what an end sends: when it has passed it, if that has rested.
    #[inline(always)]
    pub(super) fn pass_last(&mut self, side: usize, size: u32, now: Time) -> Option<Time> {
        match &mut self.own[side].last {
            Some(line) => line.pass_rested(size, now),
            None => Some(now),
        }
    }

    /// The same where the line has not, or where the packet passed it, `late`, after the end.
    pub(super) fn pass_last_apart(
        &mut self,
        transit: &Transit,
        late: Option<Time>,
        end: Time,
    ) -> Result<Key, Launched> {
        let (pkt, key) = (transit.pkt, transit.key());
        let line = self.own[usize::from(pkt.is_back())].last.as_mut().filter(|_| key.time <= end);
        let Some(line) = line else { return Err(Launched::Over(*transit)) };
        let late = late.map(|time| Key { time, birth: key.time, component: line.component });
        match late.or_else(|| line.pass_unwatched(pkt.size, key)) {
            Some(last) if last.time <= end => Ok(last),
            Some(last) => Err(Launched::Over(Transit::new(pkt, last))),
            None => Err(Launched::Refused(line.component, *transit)),
        }
    }

    /// Notes when a source is due, if that comes sooner than was known. Whether it must be woken for it.
    #[inline(always)]
    pub(super) fn is_woken_late(&mut self, due: Time) -> bool {
        if due < self.look[0] {
            self.look[0] = due;
        }
        due < self.armed[0]
    }

    /// Finds out when the accounts next have something to note at an end, or the trace.
    pub(super) fn note_next(&mut self, side: usize, window: &Window, trace: &Trace) {
        self.notice[side] = if trace.is_kept() { Time::ZERO } else { self.probe.notice(side, window) };
        self.look[side] = self.deadline(side).min(self.notice[side]);
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

    /// Whether something is to be done at an end when it is woken at `now`.
    pub(super) fn is_due(&self, side: usize, now: Time) -> bool {
        let starts = side == 0 && !self.probe.started;
        starts || self.deadline(side) <= now
    }

    /// Takes note of the source's state before it changes at `now`.
    #[inline]
    pub(super) fn observe_source(&mut self, now: Time, window: &Window) {
        self.probe.count_from(0, now, window);
        match &mut self.source {
            Source::Tcp(sender) => self.probe.observe_tcp(now, window, sender),
            Source::Rated(source) => self.probe.observe_rate(now, window, source),
            Source::App(source) => self.probe.observe_app(now, window, source),
            Source::Udp(_) | Source::Origin(_) => {}
        }
    }

    /// Takes note of what the receiver had at the warm-up.
    #[inline]
    pub(super) fn observe_sink(&mut self, now: Time, window: &Window) {
        self.probe.divide_received(now, window);
        if self.probe.count_from(1, now, window) {
            self.probe.goodput_before = self.sink.delivered_bytes();
        }
    }
}
