//! CDG: backs off with a probability that follows the gradient of the RTT, not its level.
//!
//! *Reference*: HA11, by descriptions of it: the manual of FreeBSD's cc_cdg and the notes of Linux's tcp_cdg.
//! *Units*: windows in segments, gradients in milliseconds per round trip.
//! *Deviations*: slow start uses the gradient of the minimum itself, which no mean over eight round trips follows in
//! time. No loss widens the window. With `module_rule = "linux"` rounds, backoffs, slow start and the limit of the shadow
//! window are those of [`linux`].
//!
//! Once per round trip the minimum and the maximum RTT of the round give a gradient each, averaged over `cdg_rounds`
//! rounds. A positive mean `g` backs off with probability `1 - exp(-g / cdg_scale)` to `cdg_beta`. Without a backoff
//! the window grows as Reno's.

mod linux;

use super::avoidance::{reduced, Avoidance};
use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{ModuleRule, Params};
use linux::Rounds;
use std::collections::VecDeque;
use units::{math, Rng, Span, Stream};

/// Share of the window left by a loss.
const LOSS: f64 = 0.5;
/// Largest shadow window in Linux, in windows.
const SHADOW: f64 = 2.0;
/// Smallest window after a backoff.
const LEAST: f64 = 2.0;

/// Change of one extreme of the RTT from round to round, and its moving average.
#[derive(Clone, Debug, Default)]
struct Gradient {
    before: Option<Span>,
    /// The last changes, oldest first; rounds before the first count as zero.
    recent: VecDeque<f64>,
    latest: f64,
    mean: f64,
}

impl Gradient {
    /// Takes the extreme of a round; the average covers `rounds` of them.
    fn take(&mut self, extreme: Span, rounds: usize) {
        let Some(before) = self.before.replace(extreme) else { return };
        self.latest = extreme.as_millis() - before.as_millis();
        let oldest = if self.recent.len() >= rounds { self.recent.pop_front() } else { None };
        self.recent.push_back(self.latest);
        self.mean += (self.latest - oldest.unwrap_or(0.0)) / rounds as f64;
    }
}

/// State of the buffer of the bottleneck, by the gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Buffer {
    Unknown,
    Full,
    NotFull,
}

impl Buffer {
    /// Takes the gradients of the minimum and the maximum: it is full if the maximum has stopped growing and the minimum
    /// has not.
    fn infer(&mut self, low: f64, high: f64) {
        if low > 0.0 && high <= 0.0 {
            *self = Buffer::Full;
        } else if low > 0.0 || high < 0.0 {
            *self = Buffer::NotFull;
        }
    }
}

/// CDG.
#[derive(Clone, Debug)]
pub struct Cdg {
    growth: Avoidance,
    beta: f64,
    scale: f64,
    rounds: usize,
    patience: u64,
    shadows: bool,
    tolerates: bool,
    /// Extremes of the RTT in this round, and its end.
    extremes: Option<(Span, Span)>,
    end: u32,
    min: Gradient,
    max: Gradient,
    buffer: Buffer,
    /// Window that losses alone would have left; 0: none.
    shadow: f64,
    /// Backoffs in a row without a negative gradient, and backoffs still to be left out because of them.
    in_row: u64,
    left_out: u64,
    rng: Stream,
    /// Rounds of the rule `linux`.
    linux: Option<Box<Rounds>>,
}

impl Cdg {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Cdg {
        Cdg {
            growth: Avoidance::new(params),
            beta: params.cdg_beta,
            scale: params.cdg_scale.as_millis(),
            rounds: params.cdg_rounds as usize,
            patience: params.cdg_backoffs,
            shadows: params.cdg_shadow,
            tolerates: params.cdg_tolerance,
            extremes: None,
            end: 0,
            min: Gradient::default(),
            max: Gradient::default(),
            buffer: Buffer::Unknown,
            shadow: 0.0,
            in_row: 0,
            left_out: 0,
            rng: Stream::new(0, "cdg"),
            linux: (params.module_rule == ModuleRule::Linux)
                .then(|| Box::new(Rounds::new(params.cdg_rounds as usize))),
        }
    }

    /// Probability of a backoff at a gradient.
    fn probability(&self, gradient: f64) -> f64 {
        if gradient > 0.0 {
            1.0 - math::exp(-gradient / self.scale)
        } else {
            0.0
        }
    }

    /// Ends a round with these extremes.
    fn take(&mut self, (min, max): (Span, Span)) {
        self.min.take(min, self.rounds);
        self.max.take(max, self.rounds);
        let (low, high) = (self.min.mean, self.max.mean);
        self.buffer.infer(low, high);
        if low < 0.0 || high < 0.0 {
            (self.in_row, self.left_out) = (0, 0);
        }
    }

    /// Whether the round that has ended asks for a backoff.
    fn is_congested(&mut self, slow_start: bool) -> bool {
        let gradients = if slow_start { [self.min.latest, 0.0] } else { [self.min.mean, self.max.mean] };
        gradients.into_iter().any(|gradient| {
            let probability = self.probability(gradient);
            probability > 0.0 && self.rng.uniform() < probability
        })
    }

    /// Whether a backoff is worth it: with flows that fill the buffer, several in a row change nothing.
    fn helps(&mut self) -> bool {
        if self.left_out > 0 {
            self.left_out -= 1;
            return false;
        }
        if self.patience > 0 && self.in_row >= self.patience {
            (self.in_row, self.left_out) = (0, self.patience - 1);
            return false;
        }
        self.in_row += 1;
        true
    }

    fn back_off(&mut self, window: &mut Window) {
        if self.shadows {
            self.shadow = self.shadow.max(window.cwnd);
        }
        window.cwnd = (window.cwnd * self.beta).max(LEAST).min(window.cwnd);
        window.ssthresh = window.cwnd;
        self.growth.reset();
    }

    /// An ACK with the rule `linux`; returns whether the window may grow.
    fn may_grow(&mut self, window: &mut Window, event: &AckEvent) -> bool {
        let Some(rounds) = &mut self.linux else { return true };
        if let Some((cwnd, is_over)) = rounds.fall(event) {
            window.cwnd = cwnd;
            if !is_over {
                return false;
            }
        }
        if window.cwnd < window.ssthresh && rounds.ends_slow_start(event.now) {
            window.ssthresh = window.cwnd;
        }
        if event.una <= self.end {
            return true;
        }
        self.end = event.next;
        let Some(gradient) = rounds.end() else { return true };
        let probability = self.probability(gradient);
        if probability == 0.0 || self.rng.uniform() >= probability {
            return true;
        }
        if !self.linux.as_mut().is_some_and(|history| history.helps(self.patience)) {
            return true;
        }
        let from = window.cwnd;
        self.back_off(window);
        let target = window.cwnd.floor().max(LEAST);
        (window.cwnd, window.ssthresh) = (from, target);
        if let Some(history) = &mut self.linux {
            history.begin_backoff(event.next, from, target);
        }
        false
    }

    /// The window that a loss halves.
    fn loss_window(&self, cwnd: f64) -> f64 {
        let most = if self.linux.is_some() { SHADOW * cwnd } else { f64::INFINITY };
        self.shadow.min(most).max(cwnd)
    }

    fn is_tolerated(&self, cause: Cause) -> bool {
        let buffer = self.linux.as_ref().map_or(self.buffer, |rounds| rounds.buffer);
        self.tolerates && cause == Cause::Loss && buffer == Buffer::NotFull
    }
}

impl Control for Cdg {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        if self.linux.is_some() {
            if self.may_grow(window, event) {
                let before = window.cwnd;
                let left = self.growth.start(window, event);
                self.growth.grow(window, left, 1.0);
                self.shadow += window.cwnd - before;
            }
            return;
        }
        if event.una > self.end {
            self.end = event.next;
            if let Some(extremes) = self.extremes.take() {
                self.take(extremes);
                if self.shadow > 0.0 {
                    self.shadow += 1.0;
                }
                if self.is_congested(window.cwnd < window.ssthresh) && self.helps() {
                    return self.back_off(window);
                }
            }
        }
        let left = self.growth.start(window, event);
        if left > 0 {
            self.growth.grow(window, left, 1.0);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        if let Some(target) = self.linux.as_mut().and_then(|rounds| rounds.end_backoff()) {
            return target;
        }
        if self.is_tolerated(event.cause) {
            return window.cwnd;
        }
        let wider = self.loss_window(window.cwnd) / window.cwnd.max(1.0);
        self.shadow = if self.linux.is_some() { (self.shadow / 2.0).min(window.cwnd) } else { 0.0 };
        (reduced(window, event, LOSS) * wider).min(window.cwnd)
    }

    fn take_rng(&mut self, rng: Stream) {
        self.rng = rng;
    }

    fn on_open(&mut self, srtt: Option<Span>) {
        if let (Some(rounds), Some(rtt)) = (&mut self.linux, srtt) {
            rounds.open(rtt);
        }
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        if let Some(rounds) = &mut self.linux {
            return rounds.measure(event);
        }
        let Some(rtt) = event.delay_sample() else { return };
        let (min, max) = self.extremes.unwrap_or((rtt, rtt));
        self.extremes = Some((min.min(rtt), max.max(rtt)));
    }

    fn watches(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::*;
    use units::Time;

    fn control(params: Params) -> Cdg {
        Cdg::new(&params)
    }

    fn loss(cause: Cause, cwnd: f64) -> CongestionEvent {
        CongestionEvent { now: Time(1), cause, load: cwnd, flight: cwnd as u32, ecn_factor: None }
    }

    /// Rounds with these minimum and maximum RTTs in milliseconds.
    fn feed(cc: &mut Cdg, rounds: &[(u64, u64)]) {
        for (min, max) in rounds {
            cc.take((Span::from_millis(*min), Span::from_millis(*max)));
        }
    }

    /// 100, 108 and 104 ms: changes of 8 and -4, an eighth of each in the mean. After eight more rounds of 104 ms both
    /// have left it.
    #[test]
    fn a_gradient_is_a_mean_of_eight_changes() {
        let mut gradient = Gradient::default();
        let means: Vec<f64> = [100, 108, 104]
            .map(|ms| {
                gradient.take(Span::from_millis(ms), 8);
                gradient.mean
            })
            .to_vec();
        assert_eq!(means, [0.0, 1.0, 0.5]);
        (0..7).for_each(|_| gradient.take(Span::from_millis(104), 8));
        assert_eq!(gradient.mean, -0.5);
        gradient.take(Span::from_millis(104), 8);
        assert_eq!(gradient.mean, 0.0);
    }

    /// A gradient of 3 ms: 1 - 1/e. None at a falling RTT.
    #[test]
    fn the_probability_follows_the_gradient() {
        let cc = control(Params::default());
        assert!((cc.probability(3.0) - 0.632_120_558).abs() < 1e-9);
        assert_eq!((cc.probability(0.0), cc.probability(-5.0)), (0.0, 0.0));
    }

    /// The minimum rises by 8 ms a round in slow start: a backoff with probability 0.93 leaves 0.7 of the window and
    /// ends slow start. Steady RTTs grow by one segment per round.
    #[test]
    fn a_rising_delay_ends_slow_start() {
        let mut cc = control(Params::default());
        let mut backed_off = 0;
        for round in 0..100u32 {
            let mut window = Window { cwnd: 20.0, ssthresh: f64::INFINITY };
            (cc.in_row, cc.left_out) = (0, 0);
            let event = ack(0, 1, 100 * round + 1, 100 * round + 50, 100 + 8 * u64::from(round));
            cc.on_every_ack(&event);
            cc.on_ack(&mut window, &event);
            backed_off += u32::from(window.cwnd < 20.0);
            assert!(window.cwnd == 21.0 || window == Window { cwnd: 14.0, ssthresh: 14.0 });
        }
        assert!((85..100).contains(&backed_off), "{backed_off} of 99");
        let mut window = Window { cwnd: 10.0, ssthresh: 5.0 };
        let mut steady = control(Params::default());
        for seq in 1..=10 {
            let event = ack(0, 1, seq, seq + 10, 100);
            steady.on_every_ack(&event);
            steady.on_ack(&mut window, &event);
        }
        assert!((window.cwnd - 10.96).abs() < 0.01, "{}", window.cwnd);
    }

    /// After five backoffs in a row the next five are left out, unless a gradient falls below zero.
    #[test]
    fn backoffs_without_effect_are_left_out() {
        let mut cc = control(Params::default());
        let helps: Vec<bool> = (0..12).map(|_| cc.helps()).collect();
        let (yes, no) = ([true; 5], [false; 5]);
        assert_eq!(helps, [&yes[..], &no[..], &yes[..2]].concat());
        (0..4).for_each(|_| assert!(cc.helps() || cc.in_row == 0));
        assert!(!cc.helps());
        feed(&mut cc, &[(100, 100), (90, 95)]);
        assert!(cc.helps());
    }

    /// A window of 20 backs off to 14 and has a shadow of 20: a loss leaves half of that, 10. Without the shadow it
    /// leaves 7.
    #[test]
    fn a_loss_halves_the_shadow() {
        for (shadow, left) in [(true, 10.0), (false, 7.0)] {
            let mut cc = control(Params { cdg_shadow: shadow, ..Params::default() });
            let mut window = Window { cwnd: 20.0, ssthresh: 5.0 };
            cc.back_off(&mut window);
            assert_eq!(window.cwnd, 14.0);
            assert_eq!(cc.on_congestion(&window, &loss(Cause::Loss, 14.0)), left);
        }
        // No loss widens the window: a shadow of 50 and a window of 14 leave 14.
        let mut cc = control(Params::default());
        cc.shadow = 50.0;
        let window = Window { cwnd: 14.0, ssthresh: 14.0 };
        assert_eq!(cc.on_congestion(&window, &loss(Cause::Loss, 14.0)), 14.0);
    }

    /// With tolerance a loss counts once the maximum no longer grows while the minimum does.
    #[test]
    fn losses_without_a_full_queue_may_be_tolerated() {
        let mut cc = control(Params { cdg_tolerance: true, ..Params::default() });
        let window = Window { cwnd: 20.0, ssthresh: 5.0 };
        feed(&mut cc, &[(100, 120), (104, 124)]);
        assert_eq!(cc.on_congestion(&window, &loss(Cause::Loss, 20.0)), 20.0);
        assert_eq!(cc.on_congestion(&window, &loss(Cause::Timeout, 20.0)), 10.0);
        feed(&mut cc, &[(108, 118)]);
        assert_eq!(cc.buffer, Buffer::Full, "{} {}", cc.min.mean, cc.max.mean);
        assert_eq!(cc.on_congestion(&window, &loss(Cause::Loss, 20.0)), 10.0);
        feed(&mut cc, &[(108, 130)]);
        assert_eq!(cc.buffer, Buffer::NotFull, "both rise");
        // Nothing is known before there are two rounds.
        let mut fresh = control(Params { cdg_tolerance: true, ..Params::default() });
        assert_eq!(fresh.on_congestion(&window, &loss(Cause::Loss, 20.0)), 10.0);
    }
}
