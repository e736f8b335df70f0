//! Open-loop sources: constant rate, on-off, Poisson, recorded, and those of plug-ins.
//!
//! The first packet of an on period is sent at its start, as in ns-2. Gaps are exact: the remainder of a division is
//! carried over (see [`Serializer`]).

use super::datagrams::{Gaps, UdpPlan};
use super::plugin::ExternalSource;
use transport::segment::Segment;
use units::{Bytes, Serializer, Span, Stream, Time};

/// An open-loop source.
pub struct UdpSource {
    plan: UdpPlan,
    gap: Serializer,
    mean_gap: f64,
    rng: Stream,
    began: Time,
    next: Option<Time>,
    on_until: Time,
    stop: Time,
    seq: u32,
    due: bool,
    /// The source of a plug-in, and the size of its next packet.
    outside: Option<(Box<dyn ExternalSource>, u32)>,
}

impl UdpSource {
    /// An idle source that sends nothing from `stop` on.
    pub fn new(plan: UdpPlan, stop: Time, rng: Stream) -> UdpSource {
        let gap = Serializer::new(plan.rate);
        let mean_gap = plan.packet.0 as f64 * 8.0 / plan.rate.as_bps();
        let outside = match &plan.gaps {
            Gaps::Plugin(spec) => Some((spec.build(rng.branch(0)), 0)),
            _ => None,
        };
        UdpSource {
            plan,
            gap,
            mean_gap,
            rng,
            began: Time::ZERO,
            next: None,
            on_until: Time::NEVER,
            stop,
            seq: 0,
            due: false,
            outside,
        }
    }

    /// Starts sending.
    pub fn start(&mut self, now: Time) {
        self.began = now;
        self.begin_burst(now);
        if matches!(self.plan.gaps, Gaps::Constant | Gaps::Jittered(_)) {
            self.schedule(now);
            self.on_timer(now);
        } else {
            let first = self.after(now);
            self.schedule(first);
        }
    }

    /// The moment of [`UdpSource::poll_timeout`] has come.
    pub fn on_timer(&mut self, now: Time) {
        self.due = self.next.is_some_and(|next| next <= now);
    }

    /// The packet to send now, if one is due.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let size = match &self.plan.gaps {
            Gaps::ExponentialSizes => (self.rng.exponential(self.plan.packet.0 as f64).round() as u32).max(1),
            Gaps::Recorded(recording) => recording.packet(u64::from(self.seq))?.size.0 as u32,
            Gaps::Plugin(_) => self.outside.as_ref()?.1,
            _ => self.plan.packet.0 as u32,
        };
        let segment = Segment::data(self.seq, size, now);
        self.seq = self.seq.wrapping_add(1);
        let next = self.after(now);
        if next < self.on_until {
            self.schedule(next);
        } else {
            let off = self.plan.bursts.map_or(Span::ZERO, |bursts| self.period(bursts.off));
            let again = self.on_until + off;
            self.begin_burst(again);
            self.schedule(again);
        }
        Some(segment)
    }

    /// When the next packet is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.next
    }

    /// Payload of a packet of this size.
    pub fn payload(&self, size: u32) -> u64 {
        u64::from(size).saturating_sub(self.plan.headers.0)
    }

    fn schedule(&mut self, next: Time) {
        self.next = (next < self.stop).then_some(next);
    }

    fn begin_burst(&mut self, now: Time) {
        if let Some(bursts) = self.plan.bursts {
            self.on_until = now + self.period(bursts.on);
        }
    }

    fn period(&mut self, mean: Span) -> Span {
        let mean_s = mean.as_secs();
        Span::from_secs(match self.plan.bursts.and_then(|bursts| bursts.shape) {
            Some(shape) => self.rng.pareto(mean_s, shape),
            None => self.rng.exponential(mean_s),
        })
    }

    /// When the next packet leaves, after one that left `now`.
    fn after(&mut self, now: Time) -> Time {
        now + match &self.plan.gaps {
            Gaps::Constant => return self.gap.finish(now, Bytes(self.plan.packet.0)),
            Gaps::Jittered(j) => {
                let factor = self.rng.between(1.0 - j, 1.0 + j);
                self.gap.next(Bytes(self.plan.packet.0)).scale(factor)
            }
            Gaps::Exponential | Gaps::ExponentialSizes => {
                Span::from_secs(self.rng.exponential(self.mean_gap))
            }
            Gaps::Recorded(recording) => {
                let next = recording.packet(u64::from(self.seq));
                return next.map_or(Time::NEVER, |packet| self.began + packet.at);
            }
            Gaps::Plugin(spec) => {
                let Some((source, size)) = &mut self.outside else { return Time::NEVER };
                let Some(packet) = spec.next_packet(&mut **source, now) else { return Time::NEVER };
                *size = packet.bytes as u32;
                packet.after
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::datagrams::Bursts;
    use units::Rate;

    fn plan(gaps: Gaps, bursts: Option<Bursts>) -> UdpPlan {
        UdpPlan { rate: Rate(3_000_000), packet: Bytes(1000), headers: Bytes(28), bursts, gaps }
    }

    fn departures(plan: UdpPlan, seconds: u64) -> Vec<Time> {
        let mut source = UdpSource::new(plan, Time::NEVER, Stream::new(1, "udp"));
        let mut times = Vec::new();
        source.start(Time::ZERO);
        while let Some(now) = source.poll_timeout().filter(|now| now.0 < seconds * 1_000_000_000) {
            source.on_timer(now);
            times.extend(source.poll_transmit(now).map(|segment| segment.sent));
        }
        times
    }

    #[test]
    fn constant_rate_does_not_drift() {
        let times = departures(plan(Gaps::Constant, None), 3);
        // 8000 bits at 3 Mbit/s is 2 2/3 ms: 375 packets a second.
        assert_eq!(times.len(), 3 * 375);
        assert_eq!(times[..4], [Time(0), Time(2_666_666), Time(5_333_333), Time(8_000_000)]);
    }

    #[test]
    fn random_gaps_keep_the_rate() {
        for gaps in [Gaps::Jittered(0.5), Gaps::Exponential] {
            let n = departures(plan(gaps.clone(), None), 100).len() as f64;
            assert!((n - 37_500.0).abs() < 5.0 * 37_500f64.sqrt(), "{gaps:?}: {n}");
        }
    }

    #[test]
    fn on_off_sends_its_share() {
        let bursts = Bursts { on: Span::from_millis(50), off: Span::from_millis(150), shape: None };
        let n = departures(plan(Gaps::Constant, Some(bursts)), 1000).len() as f64;
        // A quarter of the time on, and one packet more at the start of each of about 5000 bursts, half a gap early.
        let expected = 375_000.0 / 4.0 + 2500.0;
        assert!((n / expected - 1.0).abs() < 0.06, "{n} for {expected}");
    }

    #[test]
    fn nothing_leaves_after_the_stop() {
        let mut source = UdpSource::new(plan(Gaps::Constant, None), Time(3_000_000), Stream::new(1, "udp"));
        source.start(Time::ZERO);
        let mut n = 0;
        let mut now = Time::ZERO;
        loop {
            n += u32::from(source.poll_transmit(now).is_some());
            match source.poll_timeout() {
                Some(next) => now = next,
                None => break,
            }
            source.on_timer(now);
        }
        assert_eq!(n, 2);
    }
}
