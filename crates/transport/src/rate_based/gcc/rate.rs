//! Delay-based rate: increase, hold, decrease.
//!
//! *Reference*: GCC02 section 5.5.
//! *Units*: bits of payload per second, milliseconds.
//! *Deviations*: assumed: no change before the incoming rate has been measured over a whole window; a decrease never
//! raises the rate.

use super::detector::Signal;
use super::groups::ms_between;
use super::params::GccBound;
use super::GccParams;
use std::collections::VecDeque;
use units::math::{ceil, pow, sqrt};
use units::Time;

/// Weight of history in mean and variance of the incoming rates at over-use.
const SMOOTHING: f64 = 0.95;
/// Standard deviations that count as close.
const CLOSE: f64 = 3.0;
/// Bound of the rate, as a multiple of the incoming rate.
const MOST_INCOMING: f64 = 1.5;
/// Frames per second and bits of a packet from which the size of a packet is computed.
const FRAMES: f64 = 30.0;
const PACKET_BITS: f64 = 9600.0;

/// State of the rate control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No congestion.
    Increase,
    /// Queues drain.
    Hold,
    /// Congestion.
    Decrease,
}

impl State {
    /// The state after a signal.
    fn after(self, signal: Signal) -> State {
        match (signal, self) {
            (Signal::Over, _) => State::Decrease,
            (Signal::Under, _) | (Signal::Normal, State::Decrease) => State::Hold,
            (Signal::Normal, _) => State::Increase,
        }
    }
}

/// Payload received in the last window.
#[derive(Clone, Debug)]
struct Incoming {
    window: f64,
    packets: VecDeque<(Time, f64)>,
    bits: f64,
    first: Option<Time>,
}

impl Incoming {
    fn put(&mut self, now: Time, bits: f64) {
        self.first = self.first.or(Some(now));
        self.packets.push_back((now, bits));
        self.bits += bits;
    }

    /// The rate, once a whole window has passed.
    fn rate(&mut self, now: Time) -> Option<f64> {
        while self.packets.front().is_some_and(|packet| ms_between(now, packet.0) >= self.window) {
            self.bits -= self.packets.pop_front().map_or(0.0, |packet| packet.1);
        }
        let whole = ms_between(now, self.first?) >= self.window;
        whole.then(|| self.bits / self.window * 1000.0)
    }
}

/// Delay-based rate of one flow.
#[derive(Clone, Debug)]
pub struct DelayRate {
    /// Rate `A_hat`.
    pub rate: f64,
    /// State.
    pub state: State,
    /// Times that over-use began.
    pub cuts: u64,
    /// Last update.
    pub updated: Option<Time>,
    incoming: Incoming,
    /// Mean and variance of the incoming rates at over-use.
    congested: Option<(f64, f64)>,
    eta: f64,
    beta: f64,
    bound: GccBound,
    floor: f64,
    least: f64,
    most: f64,
}

impl DelayRate {
    /// The initial rate.
    pub fn new(params: &GccParams) -> DelayRate {
        let incoming =
            Incoming { window: params.window.as_millis(), packets: VecDeque::new(), bits: 0.0, first: None };
        DelayRate {
            rate: params.initial_rate.as_bps(),
            state: State::Increase,
            cuts: 0,
            updated: None,
            incoming,
            congested: None,
            eta: params.eta,
            beta: params.beta,
            bound: params.bound,
            floor: params.deviation_floor,
            least: params.min_rate.as_bps(),
            most: params.max_rate.as_bps(),
        }
    }

    /// A packet arrived.
    pub fn received(&mut self, now: Time, bits: f64) {
        self.incoming.put(now, bits);
    }

    /// Moves state and rate.
    pub fn update(&mut self, now: Time, signal: Signal, rtt: f64) {
        let elapsed = self.updated.map_or(0.0, |last| ms_between(now, last));
        self.updated = Some(now);
        let Some(incoming) = self.incoming.rate(now) else { return };
        let before = self.state;
        self.state = before.after(signal);
        match self.state {
            State::Decrease => {
                self.cuts += u64::from(before != State::Decrease);
                self.rate = self.rate.min(self.beta * incoming);
                self.note_congested(incoming);
            }
            State::Increase => self.increase(elapsed, rtt, incoming),
            State::Hold => {}
        }
        if self.bound == GccBound::Always {
            self.rate = self.rate.min(MOST_INCOMING * incoming);
        }
        self.rate = self.rate.clamp(self.least, self.most);
    }

    fn note_congested(&mut self, incoming: f64) {
        self.congested = Some(self.congested.map_or((incoming, 0.0), |(mean, variance)| {
            let off = incoming - mean;
            (
                SMOOTHING * mean + (1.0 - SMOOTHING) * incoming,
                SMOOTHING * variance + (1.0 - SMOOTHING) * off * off,
            )
        }));
    }

    /// Whether the incoming rate is close to that of earlier over-use; one far above it forgets that.
    fn is_close(&mut self, incoming: f64) -> bool {
        let Some((mean, variance)) = self.congested else { return false };
        let near = CLOSE * sqrt(variance).max(self.floor * mean);
        if incoming > mean + near {
            self.congested = None;
            return false;
        }
        incoming >= mean - near
    }

    fn increase(&mut self, elapsed: f64, rtt: f64, incoming: f64) {
        let rate = if self.is_close(incoming) {
            let frame = self.rate / FRAMES;
            let packet = frame / ceil(frame / PACKET_BITS);
            self.rate + (0.5 * (elapsed / (100.0 + rtt)).min(1.0) * packet).max(1000.0)
        } else {
            self.rate * pow(self.eta, (elapsed / 1000.0).min(1.0))
        };
        self.rate = match self.bound {
            GccBound::Growth => rate.min(MOST_INCOMING * incoming).max(self.rate),
            GccBound::Always => rate,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// A rate control that receives 1 Mbit/s in packets each 10 ms until a second has passed.
    fn fed(rate: f64) -> DelayRate {
        let mut control = DelayRate { rate, ..DelayRate::new(&GccParams::default()) };
        (0..=100).for_each(|n| control.received(at(10 * n), 10_000.0));
        control.updated = Some(at(900));
        control
    }

    /// The table of the draft.
    #[test]
    fn states_follow_the_table() {
        let after =
            |state: State| [Signal::Over, Signal::Normal, Signal::Under].map(|signal| state.after(signal));
        assert_eq!(after(State::Hold), [State::Decrease, State::Increase, State::Hold]);
        assert_eq!(after(State::Increase), [State::Decrease, State::Increase, State::Hold]);
        assert_eq!(after(State::Decrease), [State::Decrease, State::Hold, State::Hold]);
    }

    /// 900 kbit/s grow by 1.08^0.1 in 100 ms; over-use leaves 0.85 of 1 Mbit/s; normal holds it, then near 1 Mbit/s an
    /// update of 100 ms with a round trip of 100 ms adds a quarter of a packet of 7083 bits, at least 1000 bits.
    #[test]
    fn rates_by_hand() {
        let mut control = fed(900e3);
        control.update(at(1000), Signal::Normal, 100.0);
        assert!((control.rate - 900e3 * pow(1.08, 0.1)).abs() < 1e-6);
        control.update(at(1000), Signal::Over, 100.0);
        assert_eq!((control.rate, control.state, control.cuts), (850e3, State::Decrease, 1));
        control.update(at(1000), Signal::Normal, 100.0);
        assert_eq!((control.rate, control.state), (850e3, State::Hold));
        control.updated = Some(at(900));
        control.update(at(1000), Signal::Normal, 100.0);
        let packet = 850e3 / 30.0 / 3.0;
        assert!((control.rate - (850e3 + 0.25 * packet)).abs() < 1e-6, "{}", control.rate);
        control.update(at(1000), Signal::Normal, 100.0);
        assert!((control.rate - (851e3 + 0.25 * packet)).abs() < 1e-6, "at least 1000 bits");
    }

    /// 1.5 Mbit/s are the bound of growth at 1 Mbit/s; a rate above it stays, or falls to it if that bounds all.
    #[test]
    fn the_incoming_rate_bounds_the_rate() {
        let mut control = fed(1490e3);
        control.update(at(1000), Signal::Normal, 0.0);
        assert_eq!(control.rate, 1500e3);
        control.rate = 3e6;
        control.update(at(1000), Signal::Normal, 0.0);
        assert_eq!(control.rate, 3e6);
        control.bound = GccBound::Always;
        control.update(at(1000), Signal::Normal, 0.0);
        assert_eq!(control.rate, 1500e3);
    }

    /// Earlier over-use at 500 kbit/s is forgotten where 1 Mbit/s arrive.
    #[test]
    fn a_new_level_is_far_from_convergence() {
        let mut control = fed(800e3);
        control.congested = Some((500e3, 0.0));
        assert!(!control.is_close(1e6));
        assert_eq!(control.congested, None);
        control.congested = Some((1e6, 0.0));
        assert!(control.is_close(0.95e6) && !control.is_close(0.93e6), "6 % of the mean");
    }
}
