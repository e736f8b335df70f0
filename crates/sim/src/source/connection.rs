//! The connection of an application: TCP, or QUIC with one stream.
//!
//! The packets of a flow's QUIC connections have one sequence of numbers in the simulator, so that the contents of an
//! earlier connection's packets are still found; each connection has packet numbers of its own.
//!
//! *Deviations*: the stream of QUIC is a sequence of full packets, so an object over it is a whole number of packets.

use super::contents::SentContents;
use std::sync::Arc;
use transport::quic::{Quic, QuicAck, QuicData, QuicParams, QuicReceiver, QuicSender};
use transport::rate_based::common::{Protocol, RateReceiver, RateSender};
use transport::segment::{Ack, Segment};
use transport::{tcp, SenderCounters};
use units::param::Valid;
use units::{Bytes, Ecn, Span, Stream, Time};

/// The transport of an application, with its options.
#[derive(Clone, Debug)]
pub enum AppParams {
    /// TCP.
    Tcp(Arc<Valid<tcp::Params>>),
    /// QUIC.
    Quic(Arc<Valid<QuicParams>>),
}

impl AppParams {
    /// Payload of a full packet.
    fn payload(&self) -> Bytes {
        match self {
            AppParams::Tcp(params) => params.mss,
            AppParams::Quic(params) => params.mss,
        }
    }
}

/// The sending end of the present connection.
#[allow(clippy::large_enum_variant)] // its owner is boxed
pub enum AppSender {
    /// TCP.
    Tcp(tcp::Sender),
    /// QUIC.
    Quic(Box<QuicSide>),
}

/// Sender of QUIC connections that follow one another.
pub struct QuicSide {
    machine: QuicSender,
    contents: SentContents<QuicData>,
    ecn: Ecn,
    /// Packets of data supplied on this connection.
    supplied: u32,
    /// Counters at the end of the warm-up.
    before: SenderCounters,
}

impl AppSender {
    /// The sender of the first connection.
    pub fn new(params: &AppParams, rng: Stream) -> AppSender {
        match params {
            AppParams::Tcp(params) => AppSender::Tcp(tcp::Sender::sharing(params, rng)),
            AppParams::Quic(params) => AppSender::Quic(Box::new(QuicSide {
                machine: machine(params, rng),
                contents: SentContents::new(),
                ecn: Quic::codepoint(params),
                supplied: 0,
                before: SenderCounters::default(),
            })),
        }
    }

    /// Replaces the connection by a new one.
    pub fn reopen(&mut self, params: &AppParams, rng: Stream) {
        match (self, params) {
            (AppSender::Quic(side), AppParams::Quic(params)) => {
                side.machine = machine(params, rng);
                (side.supplied, side.before) = (0, SenderCounters::default());
            }
            (sender, params) => *sender = AppSender::new(params, rng),
        }
    }

    /// Supplies this many bytes more.
    pub fn supply_bytes(&mut self, now: Time, bytes: u64, params: &AppParams) {
        match self {
            AppSender::Tcp(sender) => sender.supply_bytes(bytes),
            AppSender::Quic(_) => {
                let packets = bytes.div_ceil(params.payload().0.max(1));
                self.supply(now, packets.min(u64::from(u32::MAX / 2)) as u32);
            }
        }
    }

    /// Supplies this many bytes more, in full segments.
    pub fn supply_whole(&mut self, now: Time, bytes: u64, params: &AppParams) {
        let segments = bytes.div_ceil(params.payload().0).min(u64::from(u32::MAX)) as u32;
        self.supply(now, segments);
    }

    fn supply(&mut self, now: Time, segments: u32) {
        match self {
            AppSender::Tcp(sender) => sender.supply(segments),
            AppSender::Quic(side) => {
                side.supplied = side.supplied.saturating_add(segments);
                side.machine.provide(now, side.supplied);
            }
        }
    }

    /// Segments or packets supplied on this connection.
    pub fn supplied(&self) -> u32 {
        match self {
            AppSender::Tcp(sender) => sender.supplied(),
            AppSender::Quic(side) => side.supplied,
        }
    }

    /// Opens the connection.
    pub fn start(&mut self, now: Time) {
        match self {
            AppSender::Tcp(sender) => sender.start(now),
            AppSender::Quic(side) => side.machine.start(now),
        }
    }

    /// An acknowledgement of `receiver` arrives.
    pub fn on_ack(&mut self, now: Time, ack: &Ack, receiver: &mut AppReceiver) {
        match (self, receiver) {
            (AppSender::Tcp(sender), _) => sender.on_ack(now, ack),
            (AppSender::Quic(side), AppReceiver::Quic(far)) => {
                if let Some(report) = far.contents.read(ack.ack) {
                    side.machine.on_report(now, &report);
                }
            }
            (AppSender::Quic(_), AppReceiver::Tcp(_)) => {}
        }
    }

    /// Whether everything supplied has been acknowledged.
    pub fn is_done(&self) -> bool {
        match self {
            AppSender::Tcp(sender) => sender.is_done(),
            AppSender::Quic(side) => side.machine.has_finished(side.supplied),
        }
    }

    /// The deadline of `poll_timeout` may have come.
    pub fn on_timer(&mut self, now: Time) {
        match self {
            AppSender::Tcp(sender) => sender.on_timer(now),
            AppSender::Quic(side) => side.machine.on_timer(now),
        }
    }

    /// When to call `on_timer`.
    pub fn poll_timeout(&self) -> Option<Time> {
        match self {
            AppSender::Tcp(sender) => sender.poll_timeout(),
            AppSender::Quic(side) => side.machine.poll_timeout(),
        }
    }

    /// The next packet to send.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        match self {
            AppSender::Tcp(sender) => sender.poll_transmit(now),
            AppSender::Quic(side) => {
                let data = side.machine.poll_transmit(now)?;
                let number = side.contents.next();
                side.contents.put(data);
                Some(Segment { ecn: side.ecn, ..Segment::data(number, data.size, data.sent) })
            }
        }
    }

    /// Congestion window, in segments.
    pub fn cwnd(&self) -> f64 {
        match self {
            AppSender::Tcp(sender) => sender.cwnd(),
            AppSender::Quic(side) => side.machine.cwnd(),
        }
    }

    /// Slow start threshold, in segments.
    pub fn ssthresh(&self) -> f64 {
        match self {
            AppSender::Tcp(sender) => sender.ssthresh(),
            AppSender::Quic(side) => side.machine.ssthresh(),
        }
    }

    /// The smoothed round-trip time.
    pub fn srtt(&self) -> Option<Span> {
        match self {
            AppSender::Tcp(sender) => sender.srtt(),
            AppSender::Quic(side) => side.machine.srtt(),
        }
    }

    /// Counters of the present connection since the warm-up.
    pub fn counters(&self) -> SenderCounters {
        match self {
            AppSender::Tcp(sender) => sender.counters(),
            AppSender::Quic(side) => side.machine.counters() - side.before,
        }
    }

    /// Resets them.
    pub fn reset_counters(&mut self) {
        match self {
            AppSender::Tcp(sender) => sender.reset_counters(),
            AppSender::Quic(side) => side.before = side.machine.counters(),
        }
    }
}

fn machine(params: &Arc<Valid<QuicParams>>, rng: Stream) -> QuicSender {
    let mut machine = QuicSender::sharing(params);
    machine.take_rng(rng);
    machine.provide(Time::ZERO, 0);
    machine
}

/// The receiving end of the present connection.
#[allow(clippy::large_enum_variant)] // its owner is boxed
pub enum AppReceiver {
    /// TCP.
    Tcp(tcp::Receiver),
    /// QUIC.
    Quic(Box<QuicFarSide>),
}

/// Receiver of QUIC connections that follow one another.
pub struct QuicFarSide {
    machine: QuicReceiver,
    contents: SentContents<QuicAck>,
}

impl AppReceiver {
    /// The receiver of the first connection.
    pub fn new(params: &AppParams) -> AppReceiver {
        match params {
            AppParams::Tcp(params) => AppReceiver::Tcp(tcp::Receiver::sharing(params)),
            AppParams::Quic(params) => AppReceiver::Quic(Box::new(QuicFarSide {
                machine: QuicReceiver::sharing(params),
                contents: SentContents::new(),
            })),
        }
    }

    /// Replaces the connection by one that was opened at this time.
    pub fn reopen(&mut self, params: &AppParams, opened: Time) {
        match (self, params) {
            (AppReceiver::Quic(side), AppParams::Quic(params)) => {
                side.machine = QuicReceiver::sharing(params)
            }
            (receiver, params) => {
                *receiver = AppReceiver::new(params);
                if let AppReceiver::Tcp(tcp) = receiver {
                    tcp.echo_from(opened);
                }
            }
        }
    }

    /// A packet of `sender` arrives.
    pub fn on_segment(&mut self, now: Time, segment: &Segment, sender: &mut AppSender) {
        match (self, sender) {
            (AppReceiver::Tcp(receiver), _) => receiver.on_segment(now, segment),
            (AppReceiver::Quic(side), AppSender::Quic(far)) => {
                if let Some(data) = far.contents.read(segment.seq) {
                    side.machine.on_packet(now, &data, segment.ecn == Ecn::Ce);
                }
            }
            (AppReceiver::Quic(_), AppSender::Tcp(_)) => {}
        }
    }

    /// The deadline of `poll_timeout` has come.
    pub fn on_timer(&mut self, now: Time) {
        match self {
            AppReceiver::Tcp(receiver) => receiver.on_timer(now),
            AppReceiver::Quic(side) => side.machine.on_timer(now),
        }
    }

    /// When to call `on_timer`.
    pub fn poll_timeout(&self) -> Option<Time> {
        match self {
            AppReceiver::Tcp(receiver) => receiver.poll_timeout(),
            AppReceiver::Quic(side) => side.machine.poll_timeout(),
        }
    }

    /// The acknowledgement to send now, if one is due.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Ack> {
        match self {
            AppReceiver::Tcp(receiver) => receiver.poll_transmit(now),
            AppReceiver::Quic(side) => {
                let report = side.machine.poll_transmit(now)?;
                let number = side.contents.next();
                side.contents.put(report);
                Some(Ack::plain(number, report.size, report.echo))
            }
        }
    }

    /// Segments or packets delivered in order.
    pub fn delivered(&self) -> u32 {
        match self {
            AppReceiver::Tcp(receiver) => receiver.delivered(),
            AppReceiver::Quic(side) => side.machine.delivered(),
        }
    }

    /// Payload delivered in order.
    pub fn delivered_payload(&self) -> u64 {
        match self {
            AppReceiver::Tcp(receiver) => receiver.delivered_payload(),
            AppReceiver::Quic(side) => side.machine.received_payload(),
        }
    }
}
