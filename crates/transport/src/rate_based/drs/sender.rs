//! Sender of DRS's transport: slow start, congestion avoidance, half the window at a loss.
//!
//! *Reference*: JE98; RFC5681 for the window, RFC6298 for the timer.
//! *Units*: packets, seconds.

use super::{DrsAck, DrsData, DrsParams};
use crate::rate_based::common::{remove_acknowledged, RateSender, Statistic, ENDLESS, MOST_RATE};
use std::collections::VecDeque;
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Weights of a sample in the smoothed RTT and in its deviation, and deviations in the timeout (RFC6298 section 2).
const ALPHA: f64 = 1.0 / 8.0;
const BETA: f64 = 1.0 / 4.0;
const DEVIATIONS: f64 = 4.0;

/// Sender of a flow.
#[derive(Clone, Debug)]
pub struct DrsSender {
    params: Arc<Valid<DrsParams>>,
    cwnd: f64,
    ssthresh: f64,
    srtt: Option<f64>,
    deviation: f64,
    /// Timeouts in a row, each of which doubles the timer.
    backoff: u32,
    timer: Option<Time>,
    started: bool,
    seq: u32,
    limit: u32,
    /// Packets neither acknowledged nor marked lost, oldest first.
    outstanding: VecDeque<u32>,
    /// Losses below this belong to the last reduction of the window.
    reduced_at: u32,
    losses: u64,
    cuts: u64,
    timeouts: u64,
}

impl DrsSender {
    /// Congestion window, in packets.
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// Packets marked lost.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    fn sample(&mut self, rtt: f64) {
        match &mut self.srtt {
            None => (self.srtt, self.deviation) = (Some(rtt), rtt / 2.0),
            Some(srtt) => {
                self.deviation += BETA * ((*srtt - rtt).abs() - self.deviation);
                *srtt += ALPHA * (rtt - *srtt);
            }
        }
    }

    fn timeout(&self) -> Span {
        let (least, most) = (self.params.min_timeout, self.params.max_timeout);
        let usual = match self.srtt {
            None => self.params.first_timeout,
            Some(srtt) => Span::from_secs(srtt + DEVIATIONS * self.deviation).max(least),
        };
        usual.scale(f64::from(1u32 << self.backoff.min(16))).min(most).max(Span(1))
    }

    fn arm(&mut self, now: Time) {
        self.timer = (!self.outstanding.is_empty()).then(|| now + self.timeout());
    }

    fn window(&self) -> usize {
        self.cwnd as usize
    }

    /// Grows the window for newly acknowledged packets.
    fn grow(&mut self, acknowledged: usize) {
        for _ in 0..acknowledged {
            let step = if self.cwnd < self.ssthresh { 1.0 } else { self.params.alpha / self.cwnd };
            self.cwnd = (self.cwnd + step).min(self.params.max_cwnd);
        }
    }

    /// Reduces the window for a loss among packets sent since the last reduction.
    fn reduce(&mut self) {
        self.cuts += 1;
        self.reduced_at = self.seq;
        self.ssthresh = (self.cwnd * self.params.beta).max(2.0);
        self.cwnd = self.ssthresh;
    }

    /// Marks packets lost that enough later ones have overtaken.
    fn find_losses(&mut self, highest: u32) {
        let (after, edge) = (self.params.loss_after as u32, self.reduced_at);
        let (mut losses, mut fresh) = (0, false);
        while let Some(&seq) = self.outstanding.front().filter(|seq| seq.saturating_add(after) <= highest) {
            self.outstanding.pop_front();
            losses += 1;
            fresh |= seq >= edge;
        }
        self.losses += losses;
        if fresh {
            self.reduce();
        }
    }
}

impl RateSender for DrsSender {
    type Params = DrsParams;
    type Data = DrsData;
    type Report = DrsAck;
    const SECOND: &'static str = "cwnd";

    fn sharing(params: &Arc<Valid<DrsParams>>) -> DrsSender {
        DrsSender {
            cwnd: params.initial_cwnd.min(params.max_cwnd),
            ssthresh: params.initial_ssthresh,
            srtt: None,
            deviation: 0.0,
            backoff: 0,
            timer: None,
            started: false,
            seq: 0,
            limit: ENDLESS,
            outstanding: VecDeque::new(),
            reduced_at: 0,
            losses: 0,
            cuts: 0,
            timeouts: 0,
            params: params.clone(),
        }
    }

    fn provide(&mut self, _now: Time, packets: u32) {
        self.limit = packets;
    }

    fn start(&mut self, _now: Time) {
        self.started = true;
    }

    fn cease(&mut self) {
        self.limit = self.limit.min(self.seq);
        self.timer = None;
    }

    fn on_report(&mut self, now: Time, report: &DrsAck) {
        self.sample(now.since(report.echo).as_secs().max(1e-9));
        let before = self.outstanding.len();
        let acknowledged =
            remove_acknowledged(&mut self.outstanding, report.highest, |seq| report.covers(seq));
        if acknowledged > 0 {
            self.backoff = 0;
            if before >= self.window() || !self.params.validate {
                self.grow(acknowledged);
            }
        }
        self.find_losses(report.highest);
        if self.timer.is_some() {
            self.arm(now);
        }
    }

    fn on_timer(&mut self, now: Time) {
        if self.timer.is_none_or(|at| at > now) {
            return;
        }
        self.timeouts += 1;
        self.losses += self.outstanding.len() as u64;
        self.outstanding.clear();
        self.reduce();
        self.cwnd = 1.0;
        self.backoff += 1;
        self.timer = None;
    }

    fn poll_transmit(&mut self, now: Time) -> Option<DrsData> {
        if !self.started || self.seq >= self.limit || self.outstanding.len() >= self.window() {
            return None;
        }
        let size = (self.params.mss.0 + self.params.headers.0) as u32;
        let data = DrsData { seq: self.seq, size, sent: now };
        self.outstanding.push_back(self.seq);
        self.seq += 1;
        if self.timer.is_none() {
            self.arm(now);
        }
        Some(data)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.timer
    }

    fn rate(&self) -> f64 {
        let rtt = self.srtt.unwrap_or(self.params.first_timeout.as_secs());
        (self.cwnd * self.params.mss.0 as f64 / rtt).min(MOST_RATE)
    }

    fn second(&self) -> f64 {
        self.cwnd
    }

    fn srtt(&self) -> Option<Span> {
        self.srtt.map(Span::from_secs)
    }

    fn sent(&self) -> u32 {
        self.seq
    }

    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        vec![
            ("losses_seen", Statistic::Number(self.losses as f64)),
            ("window_cuts", Statistic::Number(self.cuts as f64)),
            ("timeouts", Statistic::Number(self.timeouts as f64)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(params: DrsParams) -> DrsSender {
        let mut sender = DrsSender::new(&Valid::new(params).unwrap());
        sender.start(Time::ZERO);
        sender
    }

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// Numbers of the packets that leave at a time.
    fn burst(sender: &mut DrsSender, at: u64) -> Vec<u32> {
        std::iter::from_fn(|| sender.poll_transmit(ms(at)).map(|data| data.seq)).collect()
    }

    /// An ACK, 100 ms after its packet, that names all packets up to `highest` but the `missing` ones.
    fn ack(sender: &mut DrsSender, at: u64, highest: u32, missing: &[u32]) {
        let all = if highest < 63 { (1 << (highest + 1)) - 1 } else { u64::MAX };
        let received = missing.iter().fold(all, |bits, seq| bits & !(1 << (highest - seq)));
        sender.on_report(ms(at), &DrsAck { number: 0, size: 52, echo: ms(at - 100), highest, received });
    }

    /// One packet, then two, then four: each ACK adds one.
    #[test]
    fn the_window_doubles_each_round_trip_in_slow_start() {
        let mut sender = sender(DrsParams::default());
        assert_eq!(burst(&mut sender, 0), [0]);
        ack(&mut sender, 100, 0, &[]);
        assert_eq!(burst(&mut sender, 100), [1, 2]);
        ack(&mut sender, 200, 1, &[]);
        assert_eq!(burst(&mut sender, 200), [3, 4]);
        ack(&mut sender, 200, 2, &[]);
        assert_eq!((burst(&mut sender, 200), sender.cwnd()), (vec![5, 6], 4.0));
        assert_eq!(sender.rate(), 4.0 * 1460.0 / 0.1);
    }

    /// Threshold 4: the four ACKs of a window add 1/4, 1/4.25, 1/4.485, 1/4.708.
    #[test]
    fn it_grows_by_a_packet_a_round_trip_above_the_threshold() {
        let params = DrsParams { initial_cwnd: 4.0, initial_ssthresh: 4.0, ..DrsParams::default() };
        let mut sender = sender(params);
        assert_eq!(burst(&mut sender, 0).len(), 4);
        for seq in 0..4 {
            ack(&mut sender, 100, seq, &[]);
            burst(&mut sender, 100);
        }
        let by_hand = [(); 4].iter().fold(4.0, |cwnd, ()| cwnd + 1.0 / cwnd);
        assert!((sender.cwnd() - by_hand).abs() < 1e-12 && by_hand > 4.9);
    }

    /// Packets 2 and 5 of ten are lost: one reduction, from 10 to 5, and the packets behind are never sent again.
    #[test]
    fn losses_of_one_window_halve_it_once_and_nothing_is_sent_again() {
        let params =
            DrsParams { initial_cwnd: 10.0, initial_ssthresh: 2.0, alpha: 1e-9, ..DrsParams::default() };
        let mut sender = sender(params);
        assert_eq!(burst(&mut sender, 0).len(), 10);
        ack(&mut sender, 100, 4, &[2]);
        assert_eq!((sender.losses(), burst(&mut sender, 100)), (0, vec![10, 11, 12, 13]));
        ack(&mut sender, 101, 6, &[2, 5]);
        assert_eq!((sender.losses(), sender.cwnd().round()), (1, 5.0), "three above packet 2");
        ack(&mut sender, 102, 9, &[2, 5]);
        assert_eq!((sender.losses(), sender.cwnd().round()), (2, 5.0), "packet 5 left before the reduction");
        assert_eq!(burst(&mut sender, 102), [14], "5 of which 10 to 13 are in flight");
    }

    /// No ACK: after the first timeout of 1 s one packet leaves, after 2 s more the next.
    #[test]
    fn a_timeout_ends_in_slow_start_and_doubles() {
        let mut sender = sender(DrsParams { initial_cwnd: 8.0, ..DrsParams::default() });
        burst(&mut sender, 0);
        assert_eq!(sender.poll_timeout(), Some(ms(1000)));
        sender.on_timer(ms(1000));
        assert_eq!((sender.losses(), burst(&mut sender, 1000)), (8, vec![8]));
        assert_eq!(sender.poll_timeout(), Some(ms(3000)));
        sender.on_timer(ms(3000));
        assert_eq!((burst(&mut sender, 3000), sender.ssthresh), (vec![9], 2.0));
        ack(&mut sender, 3100, 9, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((sender.cwnd(), burst(&mut sender, 3100)), (2.0, vec![10, 11]));
        // 100 ms + 4 · 50 ms are less than the least timeout.
        assert_eq!(sender.poll_timeout(), Some(ms(4100)));
    }

    /// A source of one packet a round trip leaves a window of 8 as it is.
    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        for (validate, grown) in [(true, 8.0), (false, 9.0)] {
            let mut sender = sender(DrsParams { initial_cwnd: 8.0, validate, ..DrsParams::default() });
            sender.provide(Time::ZERO, 1);
            assert_eq!(burst(&mut sender, 0), [0]);
            ack(&mut sender, 100, 0, &[]);
            assert_eq!(sender.cwnd(), grown);
            assert_eq!(sender.poll_timeout(), None, "nothing is in flight");
        }
    }
}
