//! Sender of SCReAM: an RTP queue that a window and a pacer empty.
//!
//! *Reference*: RFC8298 section 4.1.
//! *Units*: bytes of payload, seconds.
//! *Deviations*: a source that supplies everything at once stands for a coder that makes packets at the target rate.

use super::arrivals::Arrivals;
use super::delay::DelayState;
use super::l4s::MarkShare;
use super::media::{Counted, MediaRate};
use super::params::ScreamEcn;
use super::window::ScreamWindow;
use super::{ScreamData, ScreamParams, ScreamReport};
use crate::rate_based::common::{earlier, RateSender, Statistic, ENDLESS};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Weight of a sample in the smoothed RTT (RFC6298).
const ALPHA: f64 = 1.0 / 8.0;

/// Sender of a flow.
#[derive(Clone, Debug)]
pub struct ScreamSender {
    params: Arc<Valid<ScreamParams>>,
    delay: DelayState,
    window: ScreamWindow,
    media: MediaRate,
    arrivals: Arrivals,
    srtt: Option<f64>,
    started: bool,
    ceased: bool,
    seq: u32,
    /// Packets supplied by the source, and the calls that supplied them; more than one: a live source.
    limit: u32,
    supplies: u32,
    /// Packets of the RTP queue so far, and when the coder of exact rate makes the next.
    made: u32,
    next_made: Option<Time>,
    /// One past the highest packet acknowledged.
    acked: u32,
    marked: u64,
    /// Share of marked packets, with L4S.
    marks: Option<Box<MarkShare>>,
    /// No congestion event before this time.
    quiet_until: Time,
    next_pace: Time,
    counted: Counted,
    next_adjust: Option<Time>,
    timeout: Option<Time>,
    /// Share of round trips with losses; the end of the current one; whether it has losses.
    loss_event_rate: f64,
    round_ends: Time,
    round_lost: bool,
    losses: u64,
    cuts: u64,
    timeouts: u64,
}

impl ScreamSender {
    fn payload(&self) -> f64 {
        self.params.mss.0 as f64
    }

    fn in_flight(&self) -> f64 {
        f64::from(self.seq - self.acked) * self.payload()
    }

    fn is_live(&self) -> bool {
        self.supplies > 1
    }

    fn queued(&self) -> u32 {
        self.made - self.seq
    }

    fn queue_packets(&mut self, packets: u32) {
        self.made += packets;
        self.counted.made += f64::from(packets) * 8.0 * self.payload();
    }

    /// Makes the packets that a coder of exact rate has made by now.
    fn make(&mut self, now: Time) {
        while let Some(at) = self.next_made.filter(|at| *at <= now) {
            if self.made >= self.limit {
                self.next_made = None;
                return;
            }
            self.queue_packets(1);
            self.next_made =
                Some(at + Span::from_secs(8.0 * self.payload() / self.media.target).max(Span(1)));
        }
    }

    fn sample(&mut self, rtt: f64) {
        self.srtt = Some(self.srtt.map_or(rtt, |srtt| srtt + ALPHA * (rtt - srtt)));
    }

    fn round_trip(&self) -> Span {
        Span::from_secs(self.srtt.unwrap_or(0.0)).max(Span(1))
    }

    /// Updates the share of round trips with losses.
    fn count_rounds(&mut self, now: Time, lost: bool) {
        self.round_lost |= lost;
        if now >= self.round_ends {
            let sample = f64::from(u8::from(self.round_lost));
            self.loss_event_rate += self.params.loss_weight * (sample - self.loss_event_rate);
            self.round_lost = false;
            self.round_ends = now + self.round_trip();
        }
    }

    fn congestion(&mut self, now: Time, lost: bool) {
        let (window, rate) = match lost {
            true => (self.params.beta_loss, self.params.beta_rate),
            false => (self.params.beta_ecn, self.params.beta_ecn),
        };
        self.cuts += 1;
        self.quiet_until = now + self.round_trip();
        let payload = self.payload();
        match &mut self.marks {
            Some(marks) if !lost => {
                let (cwnd, share) = marks.reduce(now, self.window.cwnd, payload);
                self.window.set(now, cwnd);
                return self.media.reduce(1.0 - share);
            }
            Some(marks) => marks.on_loss(now),
            None => {}
        }
        self.window.reduce(now, window);
        self.media.reduce(rate);
    }

    fn acknowledge(&mut self, now: Time, newly: f64) {
        if self.window.update(now, &self.delay, self.in_flight(), newly) {
            self.media.note_congestion();
        }
        self.window.check_to_resume(now, &self.delay);
    }

    fn adjust(&mut self, now: Time) {
        let interval = self.params.adjust_every;
        let queued = f64::from(self.queued()) * 8.0 * self.payload();
        let counted = std::mem::take(&mut self.counted);
        self.media.adjust(counted, interval.as_secs(), queued, &self.delay, self.window.fast_increase);
        self.next_adjust = Some(now + interval);
    }

    fn give_up(&mut self, now: Time) {
        self.timeouts += 1;
        self.losses += self.arrivals.give_up();
        self.acked = self.seq;
        self.window.collapse(now);
        self.media.reduce(self.params.beta_rate);
        self.timeout = None;
    }

    fn may_send(&self) -> bool {
        self.started
            && !self.ceased
            && self.queued() > 0
            && self.window.send_window(&self.delay, self.in_flight()) >= self.payload()
    }

    fn pace_gap(&self) -> Span {
        let Some(srtt) = self.srtt else { return Span::ZERO };
        let rate = (self.window.cwnd * 8.0 / srtt).max(self.params.min_pace.as_bps());
        Span::from_secs(8.0 * self.payload() / rate)
    }
}

impl RateSender for ScreamSender {
    type Params = ScreamParams;
    type Data = ScreamData;
    type Report = ScreamReport;
    const SECOND: &'static str = "cwnd_bytes";

    fn sharing(params: &Arc<Valid<ScreamParams>>) -> ScreamSender {
        ScreamSender {
            delay: DelayState::new(params),
            window: ScreamWindow::new(params),
            media: MediaRate::new(params),
            arrivals: Arrivals::default(),
            srtt: None,
            started: false,
            ceased: false,
            seq: 0,
            limit: ENDLESS,
            supplies: 0,
            made: 0,
            next_made: None,
            acked: 0,
            marked: 0,
            marks: (params.ecn_response == ScreamEcn::L4s).then(Box::default),
            quiet_until: Time::ZERO,
            next_pace: Time::ZERO,
            counted: Counted::default(),
            next_adjust: None,
            timeout: None,
            loss_event_rate: 0.0,
            round_ends: Time::ZERO,
            round_lost: false,
            losses: 0,
            cuts: 0,
            timeouts: 0,
            params: params.clone(),
        }
    }

    fn provide(&mut self, _now: Time, packets: u32) {
        self.limit = packets;
        self.supplies = self.supplies.saturating_add(1);
        if self.is_live() && packets > self.made {
            self.next_made = None;
            self.queue_packets(packets - self.made);
        }
    }

    fn start(&mut self, now: Time) {
        self.started = true;
        self.next_adjust = Some(now + self.params.adjust_every);
        if !self.is_live() {
            self.next_made = Some(now);
            self.make(now);
        }
    }

    fn cease(&mut self) {
        self.ceased = true;
        (self.next_made, self.next_adjust, self.timeout) = (None, None, None);
    }

    fn on_report(&mut self, now: Time, report: &ScreamReport) {
        // A feedback that another has overtaken brings no news of the delay.
        if report.highest < self.acked.saturating_sub(1) {
            return;
        }
        self.sample(now.since(report.echo + report.held).as_secs().max(1e-9));
        self.delay.update(now, report.arrived.since(report.echo).as_secs());
        let packets = (report.highest + 1).saturating_sub(self.acked);
        let newly = f64::from(packets) * self.payload();
        self.acked = self.acked.max(report.highest + 1);
        self.counted.acked += 8.0 * newly;
        let lost = self.arrivals.on_report(now, report, self.round_trip());
        self.losses += lost;
        self.count_rounds(now, lost > 0);
        let quiet = now < self.quiet_until;
        let round_trip = self.round_trip();
        if let Some(marks) = &mut self.marks {
            let newly_marked = report.marked.saturating_sub(self.marked);
            marks.on_report(now, u64::from(packets), newly_marked, round_trip);
        }
        let marked = report.marked > self.marked;
        self.marked = self.marked.max(report.marked);
        if (lost > 0 || marked) && !quiet {
            self.congestion(now, lost > 0);
        } else {
            self.acknowledge(now, newly);
        }
        if self.params.compensation {
            self.delay.adjust_target(self.loss_event_rate);
        }
        self.timeout = (!self.ceased && self.in_flight() > 0.0).then(|| now + self.params.feedback_timeout);
    }

    fn on_timer(&mut self, now: Time) {
        self.make(now);
        if self.next_adjust.is_some_and(|at| at <= now) {
            self.adjust(now);
        }
        if self.timeout.is_some_and(|at| at <= now) {
            self.give_up(now);
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<ScreamData> {
        if now < self.next_pace || !self.may_send() {
            return None;
        }
        let data =
            ScreamData { seq: self.seq, size: (self.params.mss.0 + self.params.headers.0) as u32, sent: now };
        self.arrivals.sent(self.seq);
        self.seq += 1;
        self.counted.sent += 8.0 * self.payload();
        let in_flight = self.in_flight();
        self.window.on_sent(now, in_flight);
        if let Some(marks) = &mut self.marks {
            marks.on_sent(in_flight);
        }
        self.next_pace = now + self.pace_gap();
        self.timeout = self.timeout.or(Some(now + self.params.feedback_timeout));
        Some(data)
    }

    fn poll_timeout(&self) -> Option<Time> {
        let paced = self.may_send().then_some(self.next_pace);
        earlier(earlier(self.next_made, self.next_adjust), earlier(self.timeout, paced))
    }

    fn rate(&self) -> f64 {
        self.media.target / 8.0
    }

    fn second(&self) -> f64 {
        self.window.cwnd
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
            ("rate_cuts", Statistic::Number(self.cuts as f64)),
            ("delay_target_ms", Statistic::Number(1e3 * self.delay.target)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::WORDS;
    use super::*;

    fn sender(params: ScreamParams) -> ScreamSender {
        let mut sender = ScreamSender::new(&Valid::new(params).unwrap());
        sender.provide(Time::ZERO, 0);
        sender.start(Time::ZERO);
        sender
    }

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    fn burst(sender: &mut ScreamSender, at: u64) -> Vec<u32> {
        std::iter::from_fn(|| sender.poll_transmit(ms(at)).map(|data| data.seq)).collect()
    }

    /// Feedback with a round trip of 100 ms, half of it to the receiver, that names all up to `highest`.
    fn report(highest: u32, at: u64, marked: u64) -> ScreamReport {
        ScreamReport {
            number: 0,
            size: 72,
            echo: ms(at - 100),
            arrived: ms(at - 50),
            held: Span::ZERO,
            highest,
            received: [u64::MAX; WORDS],
            marked,
        }
    }

    /// Window 3000 B and a packet below the target: four of ten leave. Two acknowledged packets open it to 5000 B:
    /// pacing of 5000 B in 100 ms spaces them by 20 ms.
    #[test]
    fn a_frame_waits_for_the_window_and_the_pacer() {
        let mut sender = sender(ScreamParams::default());
        sender.provide(Time::ZERO, 10);
        assert_eq!(burst(&mut sender, 0), [0, 1, 2, 3]);
        assert_eq!(sender.queued(), 6);
        sender.on_report(ms(100), &report(1, 100, 0));
        assert_eq!(sender.window.cwnd, 5000.0);
        assert_eq!(burst(&mut sender, 100), [4]);
        assert_eq!(sender.next_pace, ms(120));
        assert_eq!((burst(&mut sender, 119), burst(&mut sender, 120)), (vec![], vec![5]));
    }

    /// A mark scales window and rate by 0.9; further marks within a round trip do nothing.
    #[test]
    fn marks_count_once_in_a_round_trip() {
        let mut sender = sender(ScreamParams { ecn: true, ..ScreamParams::default() });
        (sender.window.cwnd, sender.media.target) = (20_000.0, 1e6);
        sender.provide(Time::ZERO, 100);
        burst(&mut sender, 0);
        sender.on_report(ms(100), &report(3, 100, 1));
        assert_eq!((sender.window.cwnd, sender.media.target, sender.cuts), (18_000.0, 900e3, 1));
        sender.on_report(ms(150), &report(6, 150, 2));
        assert_eq!(sender.cuts, 1);
        sender.on_report(ms(200), &report(9, 200, 3));
        assert_eq!((sender.cuts, sender.media.target), (2, 810e3));
    }

    /// The first mark of L4S takes a quarter. A sixteenth of the packets of the second round trip is marked: 0.25 falls to
    /// 15/16 of it and a 256th; the window has 20 packets, which take 0.45 of half of that.
    #[test]
    fn marks_of_l4s_take_their_share() {
        let response = ScreamParams { ecn: true, ecn_response: ScreamEcn::L4s, ..ScreamParams::default() };
        let mut sender = sender(response);
        (sender.window.cwnd, sender.media.target) = (1e6, 1e6);
        sender.provide(Time::ZERO, 100);
        (0..40).for_each(|step| drop(burst(&mut sender, step)));
        sender.on_report(ms(100), &report(3, 100, 1));
        assert_eq!((sender.media.target, sender.cuts), (750e3, 1));
        sender.window.cwnd = 20_000.0;
        sender.on_report(ms(200), &report(19, 200, 2));
        let alpha = 0.25 * 15.0 / 16.0 + 1.0 / 256.0;
        let left = 1.0 - alpha / 2.0 * 0.45;
        assert!((sender.window.cwnd - 20_000.0 * left).abs() < 1e-9, "{}", sender.window.cwnd);
        assert!((sender.media.target - 750e3 * left).abs() < 1e-9, "{}", sender.media.target);
    }

    /// 100 kbit/s in packets of 1000 B: one each 80 ms; a file of two packets ends.
    #[test]
    fn without_a_live_source_packets_are_made_at_the_target_rate() {
        let mut sender = ScreamSender::new(&Valid::new(ScreamParams::default()).unwrap());
        sender.provide(Time::ZERO, 2);
        sender.start(Time::ZERO);
        assert_eq!(burst(&mut sender, 0), [0]);
        assert_eq!(sender.poll_timeout(), Some(ms(80)));
        sender.on_timer(ms(80));
        assert_eq!(burst(&mut sender, 80), [1]);
        sender.on_timer(ms(160));
        assert_eq!((burst(&mut sender, 160), sender.next_made), (vec![], None));
    }

    /// No feedback for a second: all in flight are lost and the window is the least.
    #[test]
    fn silence_counts_as_loss() {
        let mut sender = sender(ScreamParams::default());
        sender.window.cwnd = 6000.0;
        sender.provide(Time::ZERO, 20);
        assert_eq!(burst(&mut sender, 0).len(), 7);
        sender.next_adjust = None;
        assert_eq!(sender.poll_timeout(), Some(ms(1000)));
        sender.on_timer(ms(1000));
        assert_eq!((sender.losses, sender.timeouts, sender.window.cwnd), (7, 1, 3000.0));
        assert_eq!(burst(&mut sender, 1000).len(), 4);
    }
}
