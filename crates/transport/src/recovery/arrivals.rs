//! Records of sent and acknowledged segments: the ledger of segments in flight, and the congestion controls that
//! see every ACK.
//!
//! *Units*: segments.

use super::LossRecovery;
use crate::cc::{AckEvent, Control};
use crate::connection::Ctx;
use crate::ledger::Sent;
use crate::params::{Counting, Recovery, ReorderTimer, ShownRtt, VegasRule};
use crate::segment::Ack;
use units::{Span, Time};

/// Send times of the newest segments that an ACK reports for the first time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reported {
    acked_at: Option<Time>,
    sacked_at: Option<Time>,
    first_sacked_at: Option<Time>,
    retransmitted: bool,
}

impl Reported {
    /// A segment that the ACK acknowledges.
    fn acknowledge(&mut self, sent: &Sent) {
        self.retransmitted |= sent.transmits > 1;
        if sent.transmits == 1 && !sent.arrived {
            self.acked_at = Some(sent.at);
        }
    }

    /// A segment that a SACK block of the ACK reports for the first time.
    fn sack(&mut self, sent: &Sent) {
        if sent.transmits == 1 {
            self.sacked_at = Some(sent.at);
            self.first_sacked_at.get_or_insert(sent.at);
        }
    }

    /// Send time of the segment whose round trip the ACK shows: it was sent once, and no retransmission is acknowledged
    /// with it.
    fn sent_at(&self) -> Option<Time> {
        self.sacked_at.or(self.acked_at.filter(|_| !self.retransmitted))
    }
}

impl LossRecovery {
    /// Records a transmission. Returns whether it restarts the timer of a connection with nothing
    /// outstanding.
    pub(crate) fn record_transmission(&mut self, ctx: &mut Ctx, now: Time, seq: u32, again: bool) -> bool {
        let in_flight = self.in_flight(ctx).max(1);
        let by_time = self.parts.rack.is_present();
        // With a scoreboard a retransmitted segment need not be lost (NextSeg rule 3).
        let of_lost_segment = self.algorithm != Recovery::Sack || seq < self.parts.board.lost_edge;
        if again && of_lost_segment && ctx.model_based && !by_time {
            ctx.report_loss(now, seq);
        }
        let tracking = &mut *ctx.tracking;
        if in_flight == 1 && ctx.model_based && tracking.sampler.app_limited > 0 {
            ctx.cc.on_restart(now);
            tracking.pacer.set(ctx.cc.pace());
        }
        let entry = tracking.ledger.open(ctx.seq.una, seq, again);
        let (lost, arrived) = (entry.loss.is_lost_now(), entry.arrived);
        tracking.sampler.stamp(now, in_flight, entry);
        if by_time && !arrived {
            self.parts.rack.sent(&mut tracking.ledger, seq, again, lost);
        }
        tracking.pacer.sent(now);
        if self.parts.fine.get_mut().is_some_and(|fine| fine.note(now, seq)) {
            ctx.cc.on_restart(now);
        }
        if let Some(undo) = self.parts.undo.get_mut().filter(|_| by_time && again) {
            undo.record_retransmission(now, seq);
        }
        if by_time && !again {
            self.arm_probe(ctx, now);
        }
        self.algorithm != Recovery::Vegas || ctx.params.vegas_rule != VegasRule::Ns2
    }

    /// Segments in flight, as far as the recovery algorithm can tell.
    pub(crate) fn in_flight(&self, ctx: &Ctx) -> u32 {
        let outstanding = ctx.seq.outstanding();
        match self.algorithm {
            Recovery::Sack | Recovery::Rack => self.pipe(ctx),
            // Segments sent before a timeout count as lost; a partial ACK includes segments that duplicates
            // reported.
            _ if self.loss && ctx.model_based => ctx.seq.nxt.max(ctx.seq.una) - ctx.seq.una,
            _ if self.recovering && ctx.model_based => outstanding - self.inflation.min(outstanding),
            _ => outstanding - self.dupacks.min(outstanding),
        }
    }

    /// Segments marked lost, retransmitted or not.
    pub(super) fn lost_segments(&self, ctx: &Ctx) -> u32 {
        match self.algorithm {
            Recovery::Sack | Recovery::Rack => self.parts.board.lost_count,
            _ if self.loss => self.recover.saturating_sub(ctx.seq.una),
            _ => u32::from(self.recovering),
        }
    }

    /// Records which segments an ACK reports as arrived, before anything else is updated. Returns the newest of them.
    pub(crate) fn record_arrivals(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) -> Reported {
        let mut reported = Reported::default();
        let in_flight = self.in_flight(ctx);
        let (una, max) = (ctx.seq.una, ctx.seq.max);
        let lost = self.lost_segments(ctx);
        ctx.tracking.sampler.begin(in_flight);
        ctx.tracking.lost_before = lost;
        let mut in_sequence = false;
        for seq in una..ack.ack.min(max) {
            reported.acknowledge(ctx.tracking.ledger.get(seq));
            in_sequence |= self.record_arrival(ctx, now, seq, ack.echo);
        }
        let rtt = self.parts.rack.get_mut().filter(|_| in_sequence).map(|rack| rack.rtt());
        if !self.algorithm.selective() {
            return reported;
        }
        let board = &self.parts.board;
        let changed = ack.sack.lowest_first(|place, start, end| !board.was_reported(place, start, end));
        for (start, end) in changed.iter() {
            let (mut seq, end) = self.parts.board.possibly_new(start.max(ack.ack).max(una), end.min(max));
            while let Some(fresh) = self.parts.board.first_unsacked(seq, end, una, max) {
                reported.sack(ctx.tracking.ledger.get(fresh));
                self.record_arrival(ctx, now, fresh, ack.echo);
                seq = fresh + 1;
            }
        }
        if let (Some(rtt), Some(rack)) = (rtt, self.parts.rack.get_mut()) {
            rack.prefer_rtt(rtt);
        }
        reported
    }

    /// Records that `seq` has arrived; its ACK echoes the timestamp `echo`. Returns whether RACK took its round trip.
    #[inline]
    pub(super) fn record_arrival(&mut self, ctx: &mut Ctx, now: Time, seq: u32, echo: Time) -> bool {
        let tracking = &mut *ctx.tracking;
        let sampled = self.parts.rack.get_mut().is_some_and(|rack| rack.arrived(now, seq, tracking, echo));
        tracking.sampler.arrive(now, seq, tracking.ledger.get_mut(seq));
        sampled
    }

    /// Records the arrivals that an ACK reports, and shows the ACK to a congestion control that watches.
    pub(crate) fn show_to_cc(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        let ledger_wanted = ctx.model_based || self.algorithm == Recovery::Rack;
        let reported = if ledger_wanted && ack.ack >= ctx.seq.una {
            self.record_arrivals(ctx, now, ack)
        } else {
            Reported::default()
        };
        if ack.ack == ctx.seq.una && ctx.params.reorder_timer == ReorderTimer::Ticks {
            self.time_sacked(ctx, now, reported.first_sacked_at);
        }
        if !ctx.watches_acks() {
            return;
        }
        let acked = ack.ack.saturating_sub(ctx.seq.una);
        let segment = if ctx.params.shown_rtt == ShownRtt::Segment { reported.sent_at() } else { None };
        let event = AckEvent {
            now,
            acked,
            delivered: self.delivered_by(ctx, ack.ack, acked),
            rtt: segment.map(|at| now.since(at)).or_else(|| self.round_trip(ctx, now, ack, acked)),
            by_segment: segment.is_some(),
            flight: ctx.seq.outstanding(),
            una: ctx.seq.una.max(ack.ack),
            next: ctx.seq.nxt,
            sacks: !ack.sack.is_empty(),
            ece: ack.ece,
            marked: ctx.newly_marked(ack.ece, acked),
            recovering: self.recovering && self.algorithm != Recovery::Vegas,
            reducing: self.is_reducing_for_echo(ctx),
        };
        ctx.cc.on_every_ack(&event);
    }

    /// Samples the round trip of a segment that a duplicate ACK reports for the first time, as Linux does, which also
    /// ends the backoff of the timeout. The timer restarts if the segment left before the last transmission of the first
    /// outstanding one.
    pub(super) fn time_sacked(&mut self, ctx: &mut Ctx, now: Time, sent: Option<Time>) {
        let Some(sent) = sent else { return };
        ctx.sample_sacked(now, sent);
        if sent < ctx.tracking.ledger.get(ctx.seq.una).at {
            ctx.restart_timer(now, true);
        }
    }

    /// RTT sample of an ACK: that of the newest segment acknowledged if the congestion control times
    /// segments, else by timestamp.
    fn round_trip(&self, ctx: &Ctx, now: Time, ack: &Ack, acked: u32) -> Option<Span> {
        if acked == 0 {
            return None;
        }
        if self.parts.fine.is_present() {
            return self.segment_rtt(ctx, now, ack.ack - 1);
        }
        Some(ctx.echoed_rtt(now, ack))
    }

    /// Segments delivered by an ACK; a duplicate counts as one. With `counting = "ns3"`: a partial ACK counts
    /// as one, the ACK that ends a timeout's recovery counts the segments beyond, and others exclude the
    /// duplicates before.
    fn delivered_by(&self, ctx: &Ctx, ack: u32, acked: u32) -> u32 {
        if acked == 0 {
            return u32::from(ack == ctx.seq.una);
        }
        match ctx.params.counting {
            Counting::Ns3 if self.recovering && ack < self.recover => 1,
            Counting::Ns3 if self.loss && ack >= self.recover => ack - self.recover,
            Counting::Ns3 if !self.recovering && !self.loss => acked.saturating_sub(self.dupacks),
            _ => acked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(ms: u64, transmits: u8, arrived: bool) -> Sent {
        Sent { at: Time(ms * 1_000_000), transmits, arrived, ..Sent::default() }
    }

    fn shown(acked: &[Sent], sacked: &[Sent]) -> Option<u64> {
        let mut reported = Reported::default();
        acked.iter().for_each(|one| reported.acknowledge(one));
        sacked.iter().for_each(|one| reported.sack(one));
        reported.sent_at().map(|at| at.nanos() / 1_000_000)
    }

    /// The newest segment shows the round trip, not one that a block reported before.
    #[test]
    fn the_newest_segment_shows_the_round_trip() {
        assert_eq!(shown(&[sent(1, 1, false), sent(2, 1, false), sent(3, 1, true)], &[]), Some(2));
    }

    /// A retransmission makes the cumulative part ambiguous; a block that comes with it still shows a round trip.
    #[test]
    fn a_retransmission_shows_no_round_trip() {
        let retransmitted = [sent(1, 1, false), sent(9, 2, false)];
        assert_eq!(shown(&retransmitted, &[]), None);
        assert_eq!(shown(&retransmitted, &[sent(4, 1, false), sent(5, 1, false)]), Some(5));
        assert_eq!(shown(&[], &[sent(9, 2, false)]), None);
    }
}
