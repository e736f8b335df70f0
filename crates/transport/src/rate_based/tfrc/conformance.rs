//! Conformance tests that every TFRC profile has to pass.

use super::{Tfrc, TfrcData, TfrcFeedback, TfrcParams, TfrcReceiver, TfrcSender};
use crate::rate_based::common::conformance;
use proptest::prelude::*;
use std::collections::VecDeque;
use units::param::Valid;
use units::{Rng, Span, Time};

/// The options of a profile.
pub fn params(profile: &str) -> Valid<TfrcParams> {
    conformance::params::<Tfrc>(profile)
}

/// A path with a fixed delay each way; `lose` decides about losses.
struct Drive {
    sender: TfrcSender,
    receiver: TfrcReceiver,
    data: VecDeque<(Time, TfrcData)>,
    reports: VecDeque<(Time, TfrcFeedback)>,
    delay: Span,
    now: Time,
    greatest_gap: Span,
    last_sent: Time,
}

impl Drive {
    fn new(profile: &str, delay: Span) -> Drive {
        let params = params(profile);
        let mut sender = TfrcSender::new(&params);
        sender.start(Time::ZERO);
        Drive {
            sender,
            receiver: TfrcReceiver::new(&params),
            data: VecDeque::new(),
            reports: VecDeque::new(),
            delay,
            now: Time::ZERO,
            greatest_gap: Span::ZERO,
            last_sent: Time::ZERO,
        }
    }

    /// Advances to the next event. `lose` is called per packet, with true for reports.
    fn step(&mut self, lose: &mut impl FnMut(bool) -> bool) {
        while let Some(data) = self.sender.poll_transmit(self.now) {
            self.greatest_gap = self.greatest_gap.max(self.now.since(self.last_sent));
            self.last_sent = self.now;
            if !lose(false) {
                self.data.push_back((self.now + self.delay, data));
            }
        }
        while let Some(report) = self.receiver.poll_transmit(self.now) {
            if !lose(true) {
                self.reports.push_back((self.now + self.delay, report));
            }
        }
        let arrival = self.data.front().map_or(Time::NEVER, |(at, _)| *at);
        let report = self.reports.front().map_or(Time::NEVER, |(at, _)| *at);
        let timers = [self.sender.poll_timeout(), self.receiver.poll_timeout()];
        let [sender, receiver] = timers.map(|timer| timer.unwrap_or(Time::NEVER));
        let next = arrival.min(report).min(sender).min(receiver);
        assert!(next >= self.now && next < Time::NEVER, "no progress at {:?}", self.now);
        self.now = next;
        if next == arrival {
            let (_, data) = self.data.pop_front().expect("it has arrived");
            self.receiver.on_packet(next, &data, false);
        } else if next == report {
            let (_, feedback) = self.reports.pop_front().expect("it has arrived");
            self.sender.on_feedback(next, &feedback);
        } else if next == sender {
            self.sender.on_timer(next);
        } else {
            self.receiver.on_timer(next);
        }
    }
}

const PROFILES: [&str; 3] = ["rfc", "ns2-2.35", "ns2-2000"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_loss_leaves_a_finite_rate_and_progress(
        which in 0usize..3,
        delay in 1u64..300,
        data_loss in 0.0f64..0.6,
        report_loss in 0.0f64..0.6,
        seed in any::<u64>(),
    ) {
        let mut rng = units::Stream::new(seed, "losses");
        let mut drive = Drive::new(PROFILES[which], Span::from_millis(delay));
        let mut lose = |back: bool| rng.uniform() < if back { report_loss } else { data_loss + 0.002 };
        for _ in 0..4000 {
            drive.step(&mut lose);
            let x = drive.sender.rate();
            prop_assert!(x.is_finite() && x > 0.0, "rate {x}");
            let p = drive.sender.loss_event_rate();
            prop_assert!((0.0..=1.0).contains(&p), "p {p}");
        }
        prop_assert!(drive.greatest_gap <= Span::from_millis(128_000));
    }
}

#[test]
fn the_rate_settles_at_the_equation() {
    for profile in PROFILES {
        let mut drive = Drive::new(profile, Span::from_millis(50));
        let (mut sent, mut total, mut n) = (0u64, 0.0, 0.0);
        // Every hundredth packet is lost: intervals of 100, p = 0.01.
        let mut lose = |back: bool| {
            sent += u64::from(!back);
            !back && sent % 100 == 0
        };
        while drive.now < Time(60_000_000_000) {
            drive.step(&mut lose);
        }
        while drive.now < Time(120_000_000_000) {
            drive.step(&mut lose);
            total += drive.sender.rate();
            n += 1.0;
        }
        assert!(drive.receiver.intervals().all(|interval| (interval - 100.0).abs() < 1e-9), "{profile}");
        let mean = total / n;
        let (s, t_rto) = if profile == "rfc" { (1460.0, 0.4) } else { (1000.0, 0.3) };
        let path = super::equation::Path { s, r: 0.1, t_rto, b: 1.0, bounded: true };
        let expected = super::equation::throughput(0.01, &path);
        assert!((mean / expected - 1.0).abs() < 0.02, "{profile}: {mean} for {expected}");
    }
}
