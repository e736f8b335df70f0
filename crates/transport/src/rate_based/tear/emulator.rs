//! Emulated TCP sender of a TEAR receiver: its window follows arrivals as if each packet were an ACK.
//!
//! *Reference*: ROY00: rounds, gaps and emulated timeouts; RFC 5681 for the window.
//! *Units*: packets, round trips.
//! *Deviations*: assumed: after a gap the window waits for the event that decides it (the missing packet, enough
//! packets above it, or a timeout); losses among packets in flight at a reduction belong to it.

use super::TearParams;

/// Event of the emulated sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// No event.
    Nothing,
    /// A window's worth of packets has arrived.
    RoundOver,
    /// The window was halved.
    Halved,
}

/// Emulated window and pending gap.
#[derive(Clone, Debug)]
pub struct Emulator {
    cwnd: f64,
    ssthresh: f64,
    loss_after: u32,
    initial: f64,
    /// One past the highest packet received.
    next: u32,
    /// The lowest missing packet not yet decided, and packets received above it.
    gap: Option<(u32, u32)>,
    /// Losses below this belong to the last reduction.
    reduced_at: u32,
    /// Packets left in the round, and the window at its start.
    left: f64,
    round_window: f64,
}

impl Emulator {
    /// Returns the emulator at its initial window.
    pub fn new(params: &TearParams) -> Emulator {
        let initial = params.initial_window;
        Emulator {
            cwnd: initial,
            ssthresh: f64::INFINITY,
            loss_after: params.loss_after as u32,
            initial,
            next: 0,
            gap: None,
            reduced_at: 0,
            left: initial,
            round_window: initial,
        }
    }

    /// Emulated window.
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// Window at the start of the round that ended last.
    pub fn round_window(&self) -> f64 {
        self.round_window
    }

    /// Whether no loss has ended the first slow start.
    pub fn in_first_slow_start(&self) -> bool {
        self.ssthresh == f64::INFINITY
    }

    /// Processes the arrival of packet `seq`.
    pub fn arrive(&mut self, seq: u32) -> Event {
        let (missing, came) = (self.next < seq, seq >= self.next);
        if missing && self.gap.is_none() {
            self.gap = Some((self.next, 0));
        }
        if came {
            self.next = seq + 1;
        }
        if let Some((lowest, above)) = self.gap.as_mut() {
            if seq == *lowest {
                self.gap = None;
            } else if seq > *lowest {
                *above += 1;
                if *above >= self.loss_after {
                    let lowest = *lowest;
                    self.gap = None;
                    return self.lose(lowest);
                }
            }
            return Event::Nothing;
        }
        self.grow()
    }

    fn grow(&mut self) -> Event {
        if self.cwnd < self.ssthresh {
            self.cwnd += 1.0;
        } else {
            self.cwnd += 1.0 / self.cwnd.floor().max(1.0);
        }
        self.left -= 1.0;
        if self.left > 0.0 {
            return Event::Nothing;
        }
        self.begin_round();
        Event::RoundOver
    }

    fn begin_round(&mut self) {
        self.round_window = self.cwnd.floor().max(1.0);
        self.left = self.round_window;
    }

    fn lose(&mut self, lowest: u32) -> Event {
        if lowest < self.reduced_at {
            return Event::Nothing;
        }
        self.reduced_at = self.next;
        self.ssthresh = (self.cwnd / 2.0).max(2.0);
        self.cwnd = self.ssthresh;
        self.begin_round();
        Event::Halved
    }

    /// Emulated timeout: nothing decided a gap in time, or nothing arrived.
    pub fn time_out(&mut self) {
        self.gap = None;
        self.reduced_at = self.next;
        self.ssthresh = (self.cwnd / 2.0).max(2.0);
        self.cwnd = 1.0;
        self.begin_round();
    }

    /// Restarts: before the first RTT only the initial window counts.
    pub fn restart(&mut self) {
        self.cwnd = self.initial;
        self.begin_round();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emulator(cwnd: f64, ssthresh: f64) -> Emulator {
        let mut emulator = Emulator::new(&TearParams::default());
        (emulator.cwnd, emulator.ssthresh) = (cwnd, ssthresh);
        emulator.begin_round();
        emulator
    }

    /// Two packets end the first round with a window of 4, four more the second with 8.
    #[test]
    fn slow_start_doubles_a_round() {
        let mut emulator = emulator(2.0, f64::INFINITY);
        let events: Vec<Event> = (0..6).map(|seq| emulator.arrive(seq)).collect();
        let over = |event: &Event| *event == Event::RoundOver;
        assert_eq!(events.iter().map(over).collect::<Vec<_>>(), [false, true, false, false, false, true]);
        assert_eq!(emulator.cwnd(), 8.0);
    }

    /// A window of 4 gains a quarter per packet.
    #[test]
    fn avoidance_adds_one_a_round() {
        let mut emulator = emulator(4.0, 2.0);
        (0..4).for_each(|seq| {
            emulator.arrive(seq);
        });
        assert_eq!((emulator.cwnd(), emulator.round_window()), (5.0, 5.0));
    }

    /// The first of 8 packets is missing: with the third above it the window is 4; packet 12 left before that
    /// and changes nothing.
    #[test]
    fn three_packets_above_a_gap_halve_once() {
        let mut emulator = emulator(8.0, 2.0);
        emulator.next = 10;
        let events: Vec<Event> = [11, 13, 14].map(|seq| emulator.arrive(seq)).into();
        assert_eq!(events, [Event::Nothing, Event::Nothing, Event::Halved]);
        assert_eq!(emulator.cwnd(), 4.0);
        let later = [15, 17, 18, 19].map(|seq| emulator.arrive(seq));
        assert_eq!(later[3], Event::Halved, "16 left after the cut");
        assert_eq!(emulator.cwnd(), 2.125);
    }

    #[test]
    fn a_late_packet_closes_the_gap() {
        let mut emulator = emulator(8.0, 2.0);
        for seq in [1, 2, 0, 3] {
            assert_eq!(emulator.arrive(seq), Event::Nothing);
        }
        assert_eq!(emulator.cwnd(), 8.125);
    }

    #[test]
    fn a_timeout_leaves_one_packet() {
        let mut emulator = emulator(9.0, 2.0);
        emulator.time_out();
        assert_eq!((emulator.cwnd(), emulator.ssthresh), (1.0, 4.5));
    }
}
