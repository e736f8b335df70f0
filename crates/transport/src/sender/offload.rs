//! Segmentation offload (TSO): new segments leave in bursts, and less than a burst may be deferred until the
//! window allows a whole one.
//!
//! *Reference*: Linux by its output: `docs/transports/tcp.md`.
//! *Units*: segments.
//! *Deviations*: bursts ignore the boundaries of the application's writes.

use super::Sender;
use units::{Span, Time};

/// Sending is deferred only if the room is less than 1/3 of the window, the last burst left at most 1 ms ago,
/// and the next ACK is expected within 1 ms or half a round trip.
const SHARE: u32 = 3;
const PATIENCE: Span = Span::from_millis(1);

impl Sender {
    /// Whether a new segment may leave now, as part of a burst. False: it is deferred.
    pub(super) fn may_join_burst(&mut self, now: Time) -> bool {
        if !self.ctx.tracking.burst.is_open() {
            let room = self.room_in_window();
            let wanted = self.ctx.burst_size();
            if room < wanted && self.may_defer(now, room) {
                self.ctx.tracking.usage.deferred = self.ctx.seq.max + room < self.ctx.seq.window_end();
                return false;
            }
            self.ctx.tracking.burst.open(room.min(wanted));
        }
        self.ctx.tracking.burst.take(now);
        true
    }

    /// New segments that the window allows, including the next one.
    fn room_in_window(&self) -> u32 {
        let window = (self.ctx.window.cwnd as u32).saturating_sub(self.recovery.pipe(&self.ctx));
        let past = self.ctx.seq.send_end();
        window.min(past - self.ctx.seq.max).max(1)
    }

    /// Whether to defer: an ACK is expected soon and the last burst has just left.
    fn may_defer(&self, now: Time, room: u32) -> bool {
        let last = self.ctx.seq.max + room >= self.ctx.seq.limit || room >= self.ctx.left_in_buffer();
        if self.ctx.seq.una == self.ctx.seq.max || self.recovery.recovering || self.recovery.loss || last {
            return false;
        }
        let much = u64::from(room) * u64::from(SHARE) >= self.ctx.window.cwnd as u64;
        let tracking = &*self.ctx.tracking;
        let just_left = now.since(tracking.burst.left_at) <= PATIENCE;
        let age = now.since(tracking.ledger.get(self.ctx.seq.una).at);
        !much && just_left && self.ctx.srtt().is_some_and(|srtt| age + PATIENCE.min(srtt / 2) >= srtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Counting, Handshake, Params, Recovery, RttSamples};
    use crate::segment::Ack;
    use units::param::Valid;
    use units::Stream;

    /// A sender with 20 segments per round trip of 40 ms, in congestion avoidance.
    fn sender() -> Sender {
        sender_of(Params::default())
    }

    fn sender_of(params: Params) -> Sender {
        let params = Params {
            recovery: Recovery::Rack,
            bunches: true,
            samples: RttSamples::Timestamps,
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
        let ack = Ack::plain(ack, 52, echo);
        sender.on_ack(now, &ack);
        sends(sender, now)
    }

    /// All at once before the first RTT sample, then pairs; the last of a burst has PSH set.
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

    /// The ACK of a whole window makes room for three: the third leaves alone, as the next ACK is 4 ms away.
    #[test]
    fn a_lone_segment_leaves_where_the_next_acknowledgement_is_far() {
        let mut sender = sender();
        sends(&mut sender, Time::ZERO);
        let sent: Vec<usize> = (1..=12).map(|n| acks(&mut sender, 36 + 4 * n, 2 * n as u32).len()).collect();
        assert_eq!(sender.ctx.window.cwnd, 21.0);
        assert_eq!(sent, [vec![2; 9], vec![3, 2, 2]].concat());
    }

    /// Segment 20 left 39 ms before: its ACK is 1 ms away, and the third segment waits for it.
    #[test]
    fn a_lone_segment_waits_for_its_pair() {
        let mut sender = sender();
        sends(&mut sender, Time::ZERO);
        acks(&mut sender, 40, 2);
        (2..=9).for_each(|n| {
            acks(&mut sender, 78, 2 * n);
        });
        assert_eq!(acks(&mut sender, 79, 20).len(), 2);
        assert_eq!(sender.ctx.window.cwnd, 21.0);
        assert_eq!(acks(&mut sender, 80, 22).len(), 3);
    }

    /// As above, but segment 40 is the last of the 41 that a buffer holds, so it is not deferred.
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

    /// A pacing rate of 20 segments in 40 ms and a buffer halved 78 times give the minimum; 1 ms and one
    /// halving give 23.4 + 22.4, limited to the 44 of a buffer.
    #[test]
    fn a_burst_is_what_the_pacing_rate_sends_in_a_millisecond() {
        let mut sender = sender();
        sends(&mut sender, Time::ZERO);
        acks(&mut sender, 40, 2);
        assert_eq!(sender.ctx.burst_size(), 2);
        let ctx = &mut sender.ctx;
        ctx.rtt = crate::rtt::Estimate::new(&ctx.params, Span::ZERO);
        ctx.rtt.sample(&ctx.params, Time(1_000_000), Time::ZERO, (1, 2));
        ctx.tracking.min_rtt = Span::from_millis(1);
        assert_eq!(sender.ctx.burst_size(), 44);
    }
}
