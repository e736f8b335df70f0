//! A RED queue whose packets all have one size.
//!
//! While the transmitter does not rest, each of them starts as the one before ends, a whole number of nanoseconds later: how many
//! wait, and how long they all still will, follows from when the last one ends. None of them needs to be kept, or to be seen leaving.
//! What cannot be said of them this way begins by laying them out again.

use super::{RedLine, Slot};
use crate::calendar::Key;
use crate::link::OnWire;
use crate::probe::Held;
use queue::disc::{Cx, QueueDisc};
use queue::red::Straight;
use units::{Bytes, Dice, Ecn, Serializer, Time};

/// The size of packets that follow one another, and what is known of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Even {
    /// Bytes.
    size: u32,
    /// Another size, if the last packet had it.
    other: u32,
    /// Nanoseconds on the wire, and what a number is multiplied by to be divided by them: 2^64 over them, rounded up.
    wire: u64,
    per_wire: u64,
    /// Below this many nanoseconds that division is exact.
    most: u64,
    /// From then on all that wait are of this size, and after that each of them starts as another ends.
    from: Time,
    /// Whether the queue's store is out of date.
    pub(super) ahead_of_store: bool,
}

impl Even {
    /// How many wait as a packet of this size comes, and for how long in all, where that is the arrival's first and only question: some
    /// do, and all are even. The last of them ends at `until`, on a transmitter that is this `component`.
    #[inline(always)]
    pub(super) fn waiting(&self, size: u32, key: Key, until: Time, component: u32) -> Option<(u64, u64)> {
        let (now, wire) = (key.time, self.wire);
        let rest = until.0.wrapping_sub(now.0);
        if size != self.size || now < self.from || rest >= self.most {
            return None;
        }
        let mut len = ((u128::from(rest) * u128::from(self.per_wire)) >> 64) as u64;
        if len == 0 {
            return None;
        }
        if len * wire == rest {
            len = self.waiting_in_turn(len, key, component)?;
        }
        Some((len, len * rest - wire * (len * (len + 1) / 2)))
    }

    /// The same where the first of `len` starts at this very moment: it has left if its turn comes before `key`.
    #[inline]
    fn waiting_in_turn(&self, len: u64, key: Key, component: u32) -> Option<u64> {
        // What ends now may be the last of another size, or a rest: then none starts as an even one ends.
        if key.time == self.from {
            return None;
        }
        let turn = Key { time: key.time, birth: Time(key.time.0 - self.wire), component };
        let len = len - u64::from(turn.precedes(&key));
        (len > 0).then_some(len)
    }

    /// What waits at a moment while all are even: whose start lies behind it. The last of them ends at `until`, later.
    fn held(&self, at: Time, until: Time) -> Held {
        let pkts = (until.0 - at.0 - 1) / self.wire;
        Held { pkts, bytes: pkts * u64::from(self.size) }
    }

    /// A packet was let in. The second of another size in a row makes that the size.
    #[inline]
    pub(super) fn note(&mut self, size: u32, start: Time, finish: Time, serializer: &Serializer) {
        if size != self.size {
            self.note_other(size, start, finish, serializer);
        } else {
            self.other = 0;
        }
    }

    /// The transmitter had rested until `start`.
    #[inline]
    pub(super) fn restart(&mut self, start: Time) {
        self.from = self.from.max(start);
    }

    #[cold]
    fn note_other(&mut self, size: u32, start: Time, finish: Time, serializer: &Serializer) {
        self.from = finish;
        if std::mem::replace(&mut self.other, size) != size {
            return;
        }
        (self.size, self.other, self.from, self.most) = (size, 0, start, 0);
        // Where a fraction is carried from one packet to the next, none is even.
        self.wire = finish.since(start).0;
        if self.wire > 1 && serializer.is_whole(Bytes(u64::from(size))) {
            self.per_wire = u64::MAX / self.wire + 1;
            self.most = u64::MAX / self.wire;
        }
    }
}

impl RedLine {
    /// A packet arrives where [`Even::waiting`] tells `len` and `ahead`.
    #[inline(always)]
    pub(super) fn accept_evenly(
        &mut self,
        size: u32,
        ecn: Ecn,
        now: Time,
        (len, ahead): (u64, u64),
    ) -> Result<OnWire, Option<OnWire>> {
        match self.queue.judge_straight(len, || self.dice.uniform()) {
            Straight::Kept(avg) => {
                let start = self.until;
                let wire = OnWire { start, finish: Time(start.0 + self.even.wire) };
                self.until = wire.finish;
                (self.waiting, self.came, self.even.ahead_of_store) = (len + 1, now, true);
                if let Some(probe) = &mut self.probe {
                    probe.let_in(now, size, avg, wire, ahead);
                }
                Ok(wire)
            }
            step => self.judge_evenly(Slot::new(self.until, size, ecn), now, (len, ahead), step),
        }
    }

    /// RED did not simply keep a packet, but it decides by what arrives alone.
    #[cold]
    #[inline(never)]
    fn judge_evenly(
        &mut self,
        slot: Slot,
        now: Time,
        (len, ahead): (u64, u64),
        step: Straight,
    ) -> Result<OnWire, Option<OnWire>> {
        let (size, start) = (slot.bytes(), slot.start);
        let mut cx = Cx::new(now, &mut self.dice, &mut self.fates);
        let kept = self.queue.judge_rest(slot, step, len, &mut cx);
        (self.waiting, self.came, self.even.ahead_of_store) = (len, now, true);
        let wire = kept.map(|_| {
            let finish = Time(start.0 + self.even.wire);
            (self.until, self.waiting) = (finish, len + 1);
            OnWire { start, finish }
        });
        if let Some(probe) = &mut self.probe {
            probe.arrived(now, size, self.queue.avg(), &self.fates);
            if let Some(OnWire { finish, .. }) = wire {
                if self.counts {
                    probe.queue.wait(size, start.since(now).0, ahead);
                }
                probe.departed(size, now, start, finish);
            }
        }
        match wire {
            Some(wire) if self.fates.is_empty() => Ok(wire),
            wire => Err(wire),
        }
    }

    /// The last packet to come made the queue longer than it ever was, for a while. False if that is not certain.
    #[cold]
    pub(super) fn lengthen_evenly(&mut self, now: Time) -> bool {
        let lasts = self.even.ahead_of_store && now > self.came;
        if let Some(probe) = self.probe.as_mut().filter(|_| lasts) {
            probe.queue.reach(self.even.held(self.came, self.until).pkts);
            self.longest = probe.queue.most();
        }
        lasts
    }

    /// Samples are due. False if counting may start, or not all are even.
    #[cold]
    #[inline(never)]
    pub(super) fn attend_evenly(&mut self, now: Time) -> bool {
        let Some(probe) = self.probe.as_mut().filter(|_| self.even.ahead_of_store) else { return false };
        if !self.counts || now >= self.until {
            return false;
        }
        while self.attends <= now {
            let held = self.even.held(Time(self.attends.0 - 1), self.until);
            probe.sample_until(self.attends, held, Some(&self.queue));
            self.attends = probe.attends(true);
        }
        true
    }

    /// Brings the queue's store up to the last arrival.
    #[inline]
    pub(super) fn lay_out(&mut self) {
        if std::mem::take(&mut self.even.ahead_of_store) {
            self.lay_out_anew();
        }
    }

    #[inline(never)]
    fn lay_out_anew(&mut self) {
        self.even.other = 0;
        let (until, Even { size, wire, .. }, len) = (self.until.0, self.even, self.waiting);
        let start = |place: u64| until - place * wire;
        self.queue.hold((1..=len).rev().map(|place| Slot::new(Time(start(place)), size, Ecn::NotEct)));
        self.starts = (1..=len).map(start).fold(0, u64::wrapping_add);
        (self.serving, self.free) = (Time(start(len + 1)), Time(start(len)));
    }
}
