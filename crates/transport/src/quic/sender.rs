//! Sender of QUIC.
//!
//! *Reference*: RFC 9002 sections 5 to 7, appendices A and B (each step names its section).
//! *Units*: packets.

mod emit;

use super::congestion::{AckFacts, Congestion};
use super::pacer::QuicPacer;
use super::packets::{News, SentPackets};
use super::params::QuicStart;
use super::rtt::RttEstimate;
use super::stream::SendStream;
use super::{Frames, QuicAck, QuicData, QuicParams};
use crate::cc::Cause;
use crate::connection::SenderCounters;
use crate::rate_based::common::{earlier, RateSender, Statistic, ENDLESS, MOST_RATE};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Stream, Time};

/// Lost packets are remembered for this many probe timeouts.
const MEMORY: u64 = 3;

/// Counters of the whole run.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    resent: u64,
    losses: u64,
    spurious: u64,
    timeouts: u64,
}

/// Sender of a connection.
#[derive(Clone, Debug)]
pub struct QuicSender {
    params: Arc<Valid<QuicParams>>,
    started: bool,
    /// Data may be sent.
    open: bool,
    /// The first packet is to be sent, again after a probe timeout.
    hello: bool,
    packets: SentPackets,
    stream: SendStream,
    rtt: RttEstimate,
    congestion: Congestion,
    pacer: QuicPacer,
    /// When a packet that pacing delays may leave.
    paced_until: Option<Time>,
    /// Packets that may leave regardless of the window.
    probes: u64,
    /// One packet may leave at the start of a recovery period (section 7.3.2).
    extra: bool,
    /// The source, not the window, limits the packets in flight.
    limited: bool,
    /// Probe timeouts without an ACK since.
    backoff: u32,
    last_sent: Time,
    timer: Option<Time>,
    ce: u32,
    news: Vec<News>,
    lost: Vec<u32>,
    counts: Counts,
}

impl QuicSender {
    /// Congestion window.
    pub fn cwnd(&self) -> f64 {
        self.congestion.window()
    }

    /// Slow start threshold.
    pub fn ssthresh(&self) -> f64 {
        self.congestion.ssthresh()
    }

    /// Counters under the names of TCP's: each reduction begins a recovery period.
    pub fn counters(&self) -> SenderCounters {
        let (reductions, _) = self.congestion.counts();
        SenderCounters {
            sent: u64::from(self.packets.next()),
            retransmits: self.counts.resent,
            timeouts: self.counts.timeouts as u32,
            fast_recoveries: reductions as u32,
            cuts: reductions,
            ..SenderCounters::default()
        }
    }

    /// Packets in flight.
    pub fn in_flight(&self) -> u32 {
        self.packets.in_flight()
    }

    /// Packet number of the next packet.
    pub fn next_number(&self) -> u32 {
        self.packets.next()
    }

    /// Probe timeout with backoff (section 6.2.1). The peer does not delay its ACK of the handshake.
    fn probe_timeout(&self) -> Span {
        let delay = if self.open { self.params.max_ack_delay } else { Span::ZERO };
        let once = self.rtt.pto(self.params.granularity) + delay;
        (once * (1u64 << self.backoff.min(24))).min(self.params.max_pto)
    }

    /// Sections 6.2.1 and A.8: the time threshold goes first. A timeout that has shrunk may be due at once.
    fn set_timer(&mut self, now: Time) {
        let probe = (self.packets.in_flight() > 0).then(|| self.last_sent + self.probe_timeout());
        self.timer = self.packets.loss_time().or(probe).map(|due| due.max(now));
    }

    /// Section A.9.
    fn on_timeout(&mut self, now: Time) {
        if self.packets.loss_time().is_some() {
            self.congestion.begin_ack(self.packets.in_flight());
            self.detect_losses(now);
            return self.finish(now);
        }
        self.counts.timeouts += 1;
        self.backoff += 1;
        if self.open {
            self.probes = self.params.pto_probes;
        } else {
            self.hello = true;
        }
        self.set_timer(now);
    }

    /// Sections A.10 and B.8.
    fn detect_losses(&mut self, now: Time) {
        let mut lost = std::mem::take(&mut self.lost);
        self.packets.detect_losses(now, &self.params, &self.rtt, &mut lost);
        let Some(&last) = lost.last() else {
            self.lost = lost;
            return;
        };
        self.counts.losses += lost.len() as u64;
        for &number in &lost {
            let packet = self.packets.get_mut(number);
            if let Frames::Stream(piece) = packet.frames {
                self.stream.lose(piece);
            }
            self.congestion.on_packet_lost(now, number, packet);
        }
        let sent = self.packets.get_mut(last).sent.at;
        self.reduce(now, sent, Cause::Loss);
        if let Some(first) = self.rtt.first_at {
            let once = self.rtt.pto(self.params.granularity) + self.params.max_ack_delay;
            let duration = once * self.params.persistent_threshold;
            if self.packets.is_congestion_persistent(&lost, first, duration) {
                self.congestion.on_persistent_congestion(now, self.packets.in_flight());
                // Section 5.2.
                self.rtt.min = self.rtt.latest;
            }
        }
        lost.clear();
        self.lost = lost;
    }

    fn reduce(&mut self, now: Time, sent: Time, cause: Cause) {
        self.extra |= self.congestion.on_congestion(now, sent, cause, self.packets.in_flight());
    }

    /// Updates the RTT from an ACK whose highest packet is news (section 5.1).
    fn sample_rtt(&mut self, now: Time, ack: &QuicAck) {
        let delay = if self.open { ack.delay.min(self.params.max_ack_delay) } else { Span::ZERO };
        self.rtt.sample(now, now.since(self.packets.largest_sent()), delay);
    }

    /// The growth of an ACK's packets (section A.7, last part).
    fn acknowledge(&mut self, now: Time, news: &[News], rtt: Option<Span>) {
        let mut rtt = rtt;
        for &News { number, .. } in news.iter().rev().filter(|one| !one.was_lost) {
            let packet = self.packets.get_mut(number);
            self.congestion.on_acked(now, number, packet, self.limited, rtt.take());
        }
    }

    /// The data of an ACK's packets is delivered.
    fn deliver(&mut self, news: &[News]) {
        for one in news {
            self.counts.spurious += u64::from(one.was_lost);
            match self.packets.get_mut(one.number).frames {
                Frames::Stream(piece) => self.stream.deliver(piece),
                Frames::Handshake | Frames::Ping => {}
            }
        }
    }

    /// After an ACK or a loss: pacing rate, memory, timer.
    fn finish(&mut self, now: Time) {
        let facts = AckFacts {
            now,
            in_flight: self.packets.in_flight(),
            smoothed: self.rtt.smoothed,
            departs: self.pacer.next,
        };
        self.congestion.finish_ack(&facts);
        self.set_pace();
        let memory = self.probe_timeout() * MEMORY;
        self.packets.forget(now, memory);
        self.set_timer(now);
    }

    /// Section 7.7.
    fn set_pace(&mut self) {
        if let Some((rate, burst)) = self.congestion.pace() {
            return self.pacer.set(Some(rate), burst);
        }
        let rate = self.params.pacing.then(|| self.params.pacing_gain * self.window_per_rtt());
        self.pacer.set(rate, self.params.pacing_burst);
    }

    fn window_per_rtt(&self) -> f64 {
        self.congestion.window() / self.rtt.smoothed.max(Span(1)).as_secs()
    }

    fn open(&mut self) {
        self.open = true;
        self.congestion.open(self.rtt.first_at.map(|_| self.rtt.smoothed));
        self.set_pace();
    }
}

impl RateSender for QuicSender {
    type Params = QuicParams;
    type Data = QuicData;
    type Report = QuicAck;
    const SECOND: &'static str = "cwnd";

    fn sharing(params: &Arc<Valid<QuicParams>>) -> QuicSender {
        let mut stream = SendStream::default();
        stream.provide(ENDLESS);
        QuicSender {
            started: false,
            open: false,
            hello: false,
            packets: SentPackets::default(),
            stream,
            rtt: RttEstimate::new(params),
            congestion: Congestion::new(params),
            pacer: QuicPacer::new(),
            paced_until: None,
            probes: 0,
            extra: false,
            limited: true,
            backoff: 0,
            last_sent: Time::ZERO,
            timer: None,
            ce: 0,
            news: Vec::new(),
            lost: Vec::new(),
            counts: Counts::default(),
            params: params.clone(),
        }
    }

    fn take_rng(&mut self, rng: Stream) {
        self.congestion.take_rng(rng);
    }

    fn provide(&mut self, _now: Time, packets: u32) {
        self.stream.provide(packets);
    }

    fn start(&mut self, _now: Time) {
        self.started = true;
        match self.params.handshake {
            QuicStart::OneRtt => self.hello = true,
            QuicStart::ZeroRtt => self.open(),
        }
    }

    fn cease(&mut self) {
        self.stream.cease();
    }

    /// Section A.7.
    fn on_report(&mut self, now: Time, ack: &QuicAck) {
        let mut news = std::mem::take(&mut self.news);
        self.congestion.begin_ack(self.packets.in_flight());
        self.packets.acknowledge(&ack.ranges, &mut news);
        self.deliver(&news);
        // Of a packet taken for lost before there is nothing but its data to learn.
        if news.iter().any(|one| !one.was_lost) {
            let timed = ack
                .ranges
                .largest()
                .is_some_and(|largest| news[0] == News { number: largest, was_lost: false });
            if timed {
                self.sample_rtt(now, ack);
            }
            if ack.ce > self.ce {
                self.ce = ack.ce;
                self.reduce(now, self.packets.largest_sent(), Cause::Ecn);
            }
            if !self.open {
                self.open();
            }
            self.detect_losses(now);
            self.acknowledge(now, &news, timed.then_some(self.rtt.latest));
            (self.backoff, self.probes) = (0, 0);
            self.finish(now);
        }
        news.clear();
        self.news = news;
    }

    fn on_timer(&mut self, now: Time) {
        if self.timer.is_some_and(|timer| timer <= now) {
            self.on_timeout(now);
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<QuicData> {
        self.paced_until = None;
        if std::mem::take(&mut self.hello) {
            return Some(self.emit(now, Frames::Handshake));
        }
        if !self.open || !self.started {
            return None;
        }
        if self.probes > 0 {
            let frames = self.probe(self.params.pto_probes - self.probes);
            self.probes -= 1;
            return Some(self.emit(now, frames));
        }
        let frames = self.next_allowed(now)?;
        Some(self.emit(now, frames))
    }

    fn poll_timeout(&self) -> Option<Time> {
        earlier(self.timer, self.paced_until)
    }

    fn rate(&self) -> f64 {
        let rate = self.congestion.pace().map_or_else(|| self.window_per_rtt(), |(rate, _)| rate);
        (rate * self.params.mss.0 as f64).clamp(1e-3, MOST_RATE)
    }

    fn second(&self) -> f64 {
        self.congestion.window().min(1e9)
    }

    fn srtt(&self) -> Option<Span> {
        self.rtt.first_at.map(|_| self.rtt.smoothed)
    }

    fn sent(&self) -> u32 {
        self.stream.sent()
    }

    fn has_finished(&self, packets: u32) -> bool {
        self.stream.delivered() >= packets
    }

    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        let (reductions, persistent) = self.congestion.counts();
        let Counts { resent, losses, spurious, timeouts } = self.counts;
        [
            ("resent_pkts", resent),
            ("losses_seen", losses),
            ("spurious_losses", spurious),
            ("probe_timeouts", timeouts),
            ("reductions", reductions),
            ("persistent_congestions", persistent),
        ]
        .map(|(name, count)| (name, Statistic::Number(count as f64)))
        .to_vec()
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod transcription;
