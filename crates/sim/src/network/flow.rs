//! The state of one flow: its two ends, their deadlines, and the samples of its probe.

use crate::account::{FlowProbe, MeasurementWindow};
use crate::packet::{Attributes, BACK};
use crate::source::{Marker, Sink, Source};
use transport::Ack;
use units::{Ecn, Time};

/// The state of a flow; `S` is the engine's addition to it.
pub struct Flow<S = ()> {
    /// The sending end.
    pub source: Source,
    /// The receiving end.
    pub sink: Sink,
    /// Its records.
    pub probe: FlowProbe,
    /// The attributes of the plain packets that each end (0: the source) sends.
    pub(crate) attributes: [Attributes; 2],
    /// Assigns other classes than that in the attributes.
    pub(crate) marker: Marker,
    /// When the source stops offering new data.
    pub(crate) stop: Time,
    /// The first hop of each end's packets, an index into the hops of all routes.
    pub(crate) first_hop: [u32; 2],
    /// The earliest timer armed for each end.
    pub(crate) armed_for: [Time; 2],
    /// The engine's own state.
    pub(crate) state: S,
}

impl<S: Default> Flow<S> {
    /// A flow that has not started.
    pub fn new(
        source: Source,
        sink: Sink,
        (class, marker): (u8, Marker),
        stop: Time,
        probe: FlowProbe,
    ) -> Flow<S> {
        let ecn = if let Source::Tcp(sender) = &source { sender.codepoint() } else { Ecn::NotEct };
        Flow {
            source,
            sink,
            probe,
            attributes: [Attributes::default().with_ecn(ecn), Attributes::flags_only(BACK)]
                .map(|attributes| attributes.with_class(class)),
            marker,
            stop,
            first_hop: [0; 2],
            armed_for: [Time::NEVER; 2],
            state: S::default(),
        }
    }
}

impl<S> Flow<S> {
    /// The same without the state of an engine.
    pub(crate) fn into_record(self) -> Flow {
        let Flow { source, sink, probe, attributes, marker, stop, first_hop, armed_for, .. } = self;
        Flow { source, sink, probe, attributes, marker, stop, first_hop, armed_for, state: () }
    }

    /// The next deadline of one end; [`Time::NEVER`] if it has none.
    #[inline(always)]
    pub(crate) fn deadline(&self, side: usize) -> Time {
        if side == 0 {
            self.source.deadline().min(self.stop)
        } else {
            self.sink.deadline()
        }
    }

    /// Whether an end has something to do when its timer fires at `now`.
    pub(crate) fn is_due(&self, side: usize, now: Time) -> bool {
        let starts = side == 0 && !self.probe.started;
        starts || self.deadline(side) <= now
    }

    /// Feedback arrives at a source that is not a plain TCP sender.
    pub(crate) fn on_feedback(&mut self, now: Time, ack: &Ack, window: &MeasurementWindow) {
        match (&mut self.source, &mut self.sink) {
            (Source::Rated(source), Sink::Rated(sink)) => source.on_report(now, ack.ack, sink),
            (Source::App(source), Sink::App(sink)) => {
                let before = source.objects_begun();
                source.on_ack(now, ack, sink);
                self.probe.objects_begun(now, source.objects_begun() - before, window);
            }
            _ => {}
        }
    }

    /// Records the source's state before it changes at `now`.
    #[inline]
    pub(crate) fn record_source(&mut self, now: Time, window: &MeasurementWindow) {
        self.probe.start_counting(0, now, window);
        match &mut self.source {
            Source::Tcp(sender) => self.probe.record_tcp(now, window, sender),
            Source::Rated(source) => self.probe.record_rate(now, window, source),
            Source::App(source) => self.probe.record_app(now, window, source),
            Source::Udp(_) | Source::Origin(_) => {}
        }
    }

    /// Records the receiver's counters at the end of the warm-up.
    #[inline]
    pub(crate) fn record_sink(&mut self, now: Time, window: &MeasurementWindow) {
        self.probe.close_interval(now, window);
        if self.probe.start_counting(1, now, window) {
            self.probe.goodput_before = self.sink.delivered_bytes();
        }
    }
}
