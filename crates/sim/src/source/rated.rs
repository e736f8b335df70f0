//! The transports other than TCP that answer their data, QUIC and the rate-based ones: sender and receiver of a flow,
//! and the contents of their packets.

use super::contents::SentContents;
use super::load::Load;
use super::shaped::Shaper;
use crate::keys::reader::TableReader;
use crate::keys::{Part, Transport};
use std::sync::Arc;
use transport::rate_based::common::{Pdu, Protocol, RateReceiver, RateSender, Statistic};
use transport::segment::{Ack, Segment};
use units::param::{Choice, Described, Table, Valid};
use units::{Bytes, Ecn, Span, Stream, Time};

/// One end, and the contents of its packets.
struct End<M, T> {
    machine: M,
    contents: SentContents<T>,
    /// The ECN field of its packets.
    ecn: Ecn,
}

impl<M, T: Copy> End<M, T> {
    fn new(machine: M, ecn: Ecn) -> End<M, T> {
        End { machine, contents: SentContents::new(), ecn }
    }
}

impl<S: RateSender> End<S, S::Data> {
    fn transmit(&mut self, now: Time) -> Option<Segment> {
        let data = self.machine.poll_transmit(now)?;
        self.contents.put(data);
        Some(Segment { ecn: self.ecn, ..Segment::data(data.number(), data.size(), data.stamp()) })
    }
}

impl<R: RateReceiver> End<R, R::Report> {
    fn answer(&mut self, now: Time) -> Option<Ack> {
        let report = self.machine.poll_transmit(now)?;
        self.contents.put(report);
        Some(Ack::plain(report.number(), report.size(), report.stamp()))
    }
}

type Sending<P> = End<<P as Protocol>::Sender, <<P as Protocol>::Sender as RateSender>::Data>;
type Receiving<P> = End<<P as Protocol>::Receiver, <<P as Protocol>::Sender as RateSender>::Report>;

/// Declares every rate-based transport.
macro_rules! transports {
    ($( $variant:ident = $protocol:ty, )+) => {
        /// A rate-based transport with its options.
        #[derive(Clone, Debug)]
        pub enum Rated {
            $( #[doc = concat!("[`", stringify!($protocol), "`]")] $variant(Arc<Valid<<$protocol as Protocol>::Params>>), )+
        }

        enum AnySource { $( $variant(Box<Sending<$protocol>>), )+ }
        enum AnySink { $( $variant(Box<Receiving<$protocol>>), )+ }

        /// Calls a method of the sender, whichever it is.
        macro_rules! sender {
            ($any:expr, $end:ident => $what:expr) => { match $any { $( AnySource::$variant($end) => $what, )+ } };
        }
        /// Calls a method of the receiver, whichever it is.
        macro_rules! receiver {
            ($any:expr, $end:ident => $what:expr) => { match $any { $( AnySink::$variant($end) => $what, )+ } };
        }

        impl Rated {
            /// Parses the options of a rate-based transport.
            pub(crate) fn read(transport: Transport, reader: &mut TableReader<'_>) -> Option<Rated> {
                match transport {
                    $( Transport::$variant => {
                        let params: <$protocol as Protocol>::Params = reader.part();
                        Some(Rated::$variant(Arc::new(Valid::new(params).ok()?)))
                    } )+
                    Transport::Tcp | Transport::Udp => None,
                }
            }

            /// The options of a rate-based transport, as data.
            pub fn part(transport: Transport) -> Option<Part> {
                match transport {
                    $( Transport::$variant => Some(Part::of::<<$protocol as Protocol>::Params>()), )+
                    Transport::Tcp | Transport::Udp => None,
                }
            }

            /// Its name in a scenario.
            pub fn name(&self) -> &'static str {
                match self { $( Rated::$variant(_) => Transport::$variant.name(), )+ }
            }

            /// The options with their values.
            pub fn show(&self) -> Table {
                match self { $( Rated::$variant(params) => params.show(), )+ }
            }

            /// Payload of a data packet and its headers.
            pub fn packet(&self) -> (Bytes, Bytes) {
                match self { $( Rated::$variant(params) => <$protocol>::packet(params), )+ }
            }

            /// Builds the two ends.
            pub fn build(&self, load: &Load, rng: Stream) -> (RatedSource, RatedSink) {
                let (mut source, sink) = match self {
                    $( Rated::$variant(params) => (
                        AnySource::$variant(Box::new(End::new(RateSender::sharing(params), <$protocol>::codepoint(params)))),
                        AnySink::$variant(Box::new(End::new(RateReceiver::sharing(params), Ecn::NotEct))),
                    ), )+
                };
                sender!(&mut source, end => end.machine.take_rng(rng.branch(0)));
                (RatedSource::new(source, self.packet().0, load, rng), RatedSink { any: sink })
            }
        }

        impl RatedSource {
            /// A report with this number arrives from the other end.
            pub fn on_report(&mut self, now: Time, number: u32, sink: &mut RatedSink) {
                match (&mut self.any, &mut sink.any) {
                    $( (AnySource::$variant(source), AnySink::$variant(sink)) => {
                        if let Some(report) = sink.contents.read(number) {
                            source.machine.on_report(now, &report);
                        }
                    } )+
                    _ => {}
                }
                self.feed(now);
            }
        }

        impl RatedSink {
            /// A data packet with this number arrives from the other end.
            pub fn on_packet(&mut self, now: Time, seq: u32, ecn: Ecn, source: &mut RatedSource) {
                match (&mut self.any, &mut source.any) {
                    $( (AnySink::$variant(sink), AnySource::$variant(source)) => {
                        if let Some(data) = source.contents.read(seq) {
                            sink.machine.on_packet(now, &data, ecn == Ecn::Ce);
                        }
                    } )+
                    _ => {}
                }
            }
        }

        /// Name of the second quantity in the series of a transport.
        fn second_of(any: &AnySource) -> &'static str {
            match any { $( AnySource::$variant(_) => <<$protocol as Protocol>::Sender as RateSender>::SECOND, )+ }
        }
    };
}

transports! {
    Quic = transport::quic::Quic,
    Tfrc = transport::rate_based::tfrc::Tfrc,
    Rap = transport::rate_based::rap::Rap,
    Tear = transport::rate_based::tear::Tear,
    Lda = transport::rate_based::lda::Lda,
    Drs = transport::rate_based::drs::Drs,
    Scream = transport::rate_based::scream::Scream,
    Gcc = transport::rate_based::gcc::Gcc,
}

/// The sending end.
pub struct RatedSource {
    any: AnySource,
    payload: Bytes,
    /// Packets of a file.
    file: Option<u32>,
    shaper: Option<Box<Shaper>>,
}

impl RatedSource {
    fn new(any: AnySource, payload: Bytes, load: &Load, rng: Stream) -> RatedSource {
        let mut source = RatedSource { any, payload, file: None, shaper: None };
        match load {
            Load::File(bytes) => {
                let packets = bytes.0.div_ceil(payload.0.max(1)).min(u64::from(u32::MAX - 1)) as u32;
                source.file = Some(packets);
                source.provide(Time::ZERO, packets);
            }
            Load::Shaped(plan) => {
                source.shaper = Some(Box::new(Shaper::new(plan.clone(), rng)));
                source.provide(Time::ZERO, 0);
            }
            Load::Greedy | Load::App(_) => {}
        }
        source
    }

    fn provide(&mut self, now: Time, packets: u32) {
        sender!(&mut self.any, end => end.machine.provide(now, packets));
    }

    /// Starts sending.
    pub fn start(&mut self, now: Time) {
        self.feed(now);
        sender!(&mut self.any, end => end.machine.start(now));
    }

    /// Stops sending.
    pub fn cease(&mut self) {
        self.shaper = None;
        sender!(&mut self.any, end => end.machine.cease());
    }

    /// The deadline of [`RatedSource::poll_timeout`] has come.
    pub fn on_timer(&mut self, now: Time) {
        if sender!(&self.any, end => end.machine.poll_timeout()).is_some_and(|at| at <= now) {
            sender!(&mut self.any, end => end.machine.on_timer(now));
        }
        self.feed(now);
    }

    /// Offers the frames of a shaped video that are due.
    fn feed(&mut self, now: Time) {
        let sent = self.sent();
        let (rate, payload) = (self.rate(), self.payload);
        let Some(shaper) = self.shaper.as_mut().filter(|shaper| shaper.next() <= now) else { return };
        let packets = shaper.frame(now, rate, sent, payload);
        self.provide(now, packets);
    }

    /// The packet to send now, if one is due.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        let segment = sender!(&mut self.any, end => end.transmit(now))?;
        if self.file.is_some_and(|packets| self.sent() >= packets) {
            sender!(&mut self.any, end => end.machine.cease());
        }
        Some(segment)
    }

    /// When to call [`RatedSource::on_timer`].
    pub fn poll_timeout(&self) -> Option<Time> {
        let due = sender!(&self.any, end => end.machine.poll_timeout());
        match &self.shaper {
            Some(shaper) => Some(due.unwrap_or(Time::NEVER).min(shaper.next())),
            None => due,
        }
    }

    /// The allowed rate, in bytes of payload per second.
    pub fn rate(&self) -> f64 {
        sender!(&self.any, end => end.machine.rate())
    }

    /// The second quantity of its series.
    pub fn second(&self) -> f64 {
        sender!(&self.any, end => end.machine.second())
    }

    /// Its name.
    pub fn second_name(&self) -> &'static str {
        second_of(&self.any)
    }

    /// The smoothed round-trip time.
    pub fn srtt(&self) -> Option<Span> {
        sender!(&self.any, end => end.machine.srtt())
    }

    /// The sender's statistics.
    pub fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        sender!(&self.any, end => end.machine.statistics())
    }

    /// The video it carries.
    pub fn shaper(&self) -> Option<&Shaper> {
        self.shaper.as_deref()
    }

    /// Packets sent.
    pub fn sent(&self) -> u32 {
        sender!(&self.any, end => end.machine.sent())
    }

    /// Whether a file is complete: sent in full, or acknowledged if the transport sends lost data again.
    pub fn is_done(&self) -> bool {
        self.file.is_some_and(|packets| sender!(&self.any, end => end.machine.has_finished(packets)))
    }
}

/// The receiving end.
pub struct RatedSink {
    any: AnySink,
}

impl RatedSink {
    /// The deadline of [`RatedSink::poll_timeout`] has come.
    pub fn on_timer(&mut self, now: Time) {
        receiver!(&mut self.any, end => end.machine.on_timer(now));
    }

    /// The report to send now, if one is due; it takes the route of an acknowledgement.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Ack> {
        receiver!(&mut self.any, end => end.answer(now))
    }

    /// When to call [`RatedSink::on_timer`].
    pub fn poll_timeout(&self) -> Option<Time> {
        receiver!(&self.any, end => end.machine.poll_timeout())
    }

    /// Payload received.
    pub fn received_payload(&self) -> u64 {
        receiver!(&self.any, end => end.machine.received_payload())
    }

    /// The receiver's statistics.
    pub fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        receiver!(&self.any, end => end.machine.statistics())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory of a flow: there may be a hundred thousand of them.
    #[test]
    fn ends_stay_small() {
        assert!(size_of::<RatedSource>() <= 48 && size_of::<RatedSink>() <= 16);
    }
}
