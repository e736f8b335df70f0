//! New segments that leave in bunches, as where a host cuts them from one buffer: what is less than a bunch waits for the window.
//!
//! *Reference*: Linux by its output: `docs/transports/tcp.md`.
//! *Units*: segments.
//! *Deviations*: bunches know nothing of what the application wrote at once.

use super::Sender;
use crate::cc::Control;
use units::{Span, Time};

/// A bunch is what leaves in 1/1024 s, at least two segments and at most what a buffer holds.
const BUNCHES_A_SECOND: f64 = 1024.0;
const LEAST: u32 = 2;
const BUFFER_BYTES: u64 = 65_536;
/// What of a buffer is kept for headers.
const HEADERS_BYTES: u64 = 321;
/// The buffer counts in full on shortest paths, and half as much with each of so many microseconds.
const HALVED_US: u64 = 512;
/// What is held back must be less than such a share of the window; the last bunch must not have left longer ago than this, and the next
/// acknowledgement be expected within it, or within half a round trip.
const SHARE: u32 = 3;
const PATIENCE: Span = Span::from_millis(1);

/// The bunch that is leaving.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bunch {
    left: u32,
    size: u32,
    wrote_at: Time,
    push: bool,
}

impl Bunch {
    /// Whether the segment that leaves is the last of several.
    pub(super) fn take_push(&mut self) -> bool {
        std::mem::take(&mut self.push)
    }
}

impl Sender {
    /// Whether a new segment leaves now, as one of a bunch, or waits until there are enough.
    pub(super) fn may_join(&mut self, now: Time) -> bool {
        if self.cold.extras.bunch.left == 0 {
            let room = self.room_in_window();
            let wanted = self.bunch_wanted();
            if room < wanted && self.may_hold_back(now, room) {
                return false;
            }
            let size = room.min(wanted);
            (self.cold.extras.bunch.left, self.cold.extras.bunch.size) = (size, size);
        }
        let bunch = &mut self.cold.extras.bunch;
        bunch.left -= 1;
        bunch.push = bunch.left == 0 && bunch.size > 1;
        bunch.wrote_at = now;
        true
    }

    /// New segments that may leave: one has been let go already.
    fn room_in_window(&self) -> u32 {
        let window = (self.window.cwnd as u32).saturating_sub(self.pipe());
        let past = self.una.saturating_add(self.rwnd).min(self.limit);
        window.min(past - self.max).max(1)
    }

    /// Segments of a whole bunch.
    pub(crate) fn bunch_wanted(&self) -> u32 {
        if self.modelled {
            return self.cc.quantum();
        }
        let p = &self.cold.params;
        let opening = self.window.cwnd < self.window.ssthresh / 2.0;
        let gain = if opening { p.pacing_gain_start } else { p.pacing_gain };
        let srtt = self.srtt().unwrap_or(Span::from_millis(1)).max(Span(1));
        let paced = gain * self.window.cwnd / srtt.as_secs() / BUNCHES_A_SECOND;
        let halvings = self.cold.extras.rack.min_rtt.0 / 1000 / HALVED_US;
        let near = if halvings < 17 { (BUFFER_BYTES >> halvings) as f64 / p.mss.0 as f64 } else { 0.0 };
        let most = (BUFFER_BYTES / p.mss.0).max(1);
        ((paced + near) as u64).min(most).max(u64::from(LEAST)) as u32
    }

    /// Segments that the host's buffer still holds: what it ends with does not wait for those of the next.
    fn left_in_buffer(&self) -> u32 {
        let whole = ((BUFFER_BYTES - HEADERS_BYTES) / self.cold.params.mss.0).max(1) as u32;
        whole - self.max % whole
    }

    /// Whether waiting is worth while: an acknowledgement is soon to come, and the last bunch has just left.
    fn may_hold_back(&self, now: Time, room: u32) -> bool {
        let last = self.max + room >= self.limit || room >= self.left_in_buffer();
        if self.una == self.max || self.recovering || self.loss || last {
            return false;
        }
        let much = u64::from(room) * u64::from(SHARE) >= self.window.cwnd as u64;
        let gauges = &*self.cold.extras;
        let just_left = now.since(gauges.bunch.wrote_at) <= PATIENCE;
        let age = now.since(gauges.ledger.get(self.una).at);
        !much && just_left && self.srtt().is_some_and(|srtt| age + PATIENCE.min(srtt / 2) >= srtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Counting, Handshake, Params, Recovery, Samples};
    use crate::segment::{Ack, SackBlocks};
    use units::param::Valid;
    use units::Stream;

    /// A sender of 20 segments a round trip of 40 ms, past slow start.
    fn sender() -> Sender {
        sender_of(Params::default())
    }

    fn sender_of(params: Params) -> Sender {
        let params = Params {
            recovery: Recovery::Rack,
            bunches: true,
            samples: Samples::Timestamps,
            counting: Counting::Whole,
            handshake: Handshake::None,
            initial_window: 20,
            initial_ssthresh: Some(20),
            ..params
        };
        let mut sender = Sender::new(&Valid::new(params).unwrap(), Stream::new(1, "bunch"));
        sender.supply_forever();
        sender.start(Time::ZERO);
        sender
    }

    fn sends(sender: &mut Sender, now: Time) -> Vec<(u32, bool)> {
        std::iter::from_fn(|| sender.poll_transmit(now)).map(|segment| (segment.seq, segment.push)).collect()
    }

    fn acks(sender: &mut Sender, ms: u64, ack: u32) -> Vec<(u32, bool)> {
        let now = Time(ms * 1_000_000);
        let echo = Time((ms - 40) * 1_000_000);
        let ack = Ack {
            ack,
            size: 52,
            echo,
            sack: SackBlocks::default(),
            ece: false,
            syn: false,
            ace: 0,
            bytes: None,
        };
        sender.on_ack(now, &ack);
        sends(sender, now)
    }

    /// All at once before a round trip is known, then pairs; the last of a bunch is pushed.
    #[test]
    fn a_window_leaves_in_pairs() {
        let mut sender = sender();
        let pushed = sends(&mut sender, Time::ZERO);
        assert_eq!(
            pushed.iter().map(|(_, push)| *push).collect::<Vec<_>>(),
            [vec![false; 19], vec![true]].concat()
        );
        assert_eq!(acks(&mut sender, 40, 2), [(20, false), (21, true)]);
        assert_eq!(acks(&mut sender, 44, 4), [(22, false), (23, true)]);
    }

    /// The acknowledgement of a window makes room for three: the third leaves alone, since the next acknowledgement is 4 ms away.
    #[test]
    fn a_lone_segment_leaves_where_the_next_acknowledgement_is_far() {
        let mut sender = sender();
        sends(&mut sender, Time::ZERO);
        let sent: Vec<usize> = (1..=12).map(|n| acks(&mut sender, 36 + 4 * n, 2 * n as u32).len()).collect();
        assert_eq!(sender.window.cwnd, 21.0);
        assert_eq!(sent, [vec![2; 9], vec![3, 2, 2]].concat());
    }

    /// Segment 20 left 39 ms before: its acknowledgement is a millisecond away, and the third waits for it.
    #[test]
    fn a_lone_segment_waits_for_its_pair() {
        let mut sender = sender();
        sends(&mut sender, Time::ZERO);
        acks(&mut sender, 40, 2);
        (2..=9).for_each(|n| {
            acks(&mut sender, 78, 2 * n);
        });
        assert_eq!(acks(&mut sender, 79, 20).len(), 2);
        assert_eq!(sender.window.cwnd, 21.0);
        assert_eq!(acks(&mut sender, 80, 22).len(), 3);
    }

    /// As above, but segment 40 is the last of the 41 that a buffer holds, which is sent as it is.
    #[test]
    fn the_end_of_a_buffer_does_not_wait() {
        let mut sender = sender_of(Params { mss: units::Bytes(1590), ..Params::default() });
        sends(&mut sender, Time::ZERO);
        acks(&mut sender, 40, 2);
        (2..=9).for_each(|n| {
            acks(&mut sender, 78, 2 * n);
        });
        assert_eq!(acks(&mut sender, 79, 20), [(38, false), (39, true), (40, false)]);
    }

    /// A pace of 20 segments in 40 ms and a buffer halved 78 times leave the least; 1 ms and one halving give 23.4 + 22.4, of which a
    /// buffer holds 44.
    #[test]
    fn a_bunch_is_what_leaves_in_a_millisecond() {
        let mut sender = sender();
        sends(&mut sender, Time::ZERO);
        acks(&mut sender, 40, 2);
        assert_eq!(sender.bunch_wanted(), 2);
        let cold = &mut *sender.cold;
        cold.rtt = crate::rtt::Estimate::new(&cold.params, Span::ZERO);
        cold.rtt.sample(&cold.params, Time(1_000_000), Time::ZERO, (1, 2));
        sender.cold.extras.rack.min_rtt = Span::from_millis(1);
        assert_eq!(sender.bunch_wanted(), 44);
    }
}
