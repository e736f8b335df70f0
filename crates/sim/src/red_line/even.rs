//! A RED queue whose packets all have one size.
//!
//! While the transmitter does not rest, each of them starts as the one before ends, a whole number of nanoseconds later: how many
//! wait, and how long they all still will, follows from when the last one ends. None of them needs to be kept, or to be seen leaving.
//! What cannot be said of them this way begins by laying them out again.

use super::{RedLine, Slot};
use crate::calendar::Key;
use crate::link::OnWire;
use crate::probe::Held;
use crate::stats::Moments;
use queue::disc::{Cx, QueueDisc};
use queue::red::Straight;
use units::{Bytes, Dice, Ecn, Serializer, Span, Time};

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
    /// Who is to wait for less than this breaks no record: neither the queue nor its wait is longer than any before, and there is room.
    /// Zero as long as the queue holds other sizes.
    near: u64,
    /// From then on all that wait are of this size, and after that each of them starts as another ends.
    from: Time,
    /// Who starts by then counts whole.
    last: Time,
    /// Whether the queue's store is out of date.
    pub(super) ahead_of_store: bool,
    /// What was let in near and counts whole, and is still to be told to the probe.
    untold: EvenWaits,
}

/// The packets that an arrival finds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// How many wait.
    len: u64,
    /// Nanoseconds until the last of them ends, and until the first of them starts.
    rest: u64,
    left: u64,
}

impl Found {
    /// For how long they will all wait.
    fn ahead(self, wire: u64) -> u64 {
        self.len * self.rest - wire * (self.len * (self.len + 1) / 2)
    }
}

impl Even {
    /// What a packet of this size finds as it comes, if some wait, all are even, and it is to wait for less than `below`. The last of
    /// them ends at `until`, on a transmitter that is this `component`.
    #[inline(always)]
    pub(super) fn find(&self, size: u32, key: Key, below: u64, until: Time, component: u32) -> Option<Found> {
        let rest = until.0.wrapping_sub(key.time.0);
        if size != self.size || rest >= below {
            return None;
        }
        let len = ((u128::from(rest) * u128::from(self.per_wire)) >> 64) as u64;
        if len == 0 {
            return None;
        }
        let left = rest - len * self.wire;
        if left == 0 {
            let len = self.waiting_in_turn(len, key, component)?;
            return Some(Found { len, rest, left: rest - len * self.wire });
        }
        Some(Found { len, rest, left })
    }

    /// How many wait where the first of `len` starts at this very moment: it has left if its turn comes before `key`.
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

    /// What is near is to be found out anew.
    pub(super) fn forget_near(&mut self) {
        self.near = 0;
    }

    /// The transmitter had rested until `start`.
    #[inline]
    pub(super) fn restart(&mut self, start: Time) {
        self.from = self.from.max(start);
    }

    /// A packet of another size was let in. The second of them in a row makes that the size.
    fn note_other(&mut self, size: u32, start: Time, finish: Time, serializer: &Serializer) {
        (self.from, self.near) = (finish, 0);
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

/// Waits of packets that found an even queue.
#[derive(Clone, Copy, Debug, Default)]
struct EvenWaits {
    waits: Moments,
    /// What they add to the square of the queue over time: twice the waits ahead and their own, of each.
    squares: u128,
}

impl EvenWaits {
    #[inline(always)]
    fn add(&mut self, Found { len, rest, left }: Found) {
        self.waits.add_within(Span(rest));
        // Of those ahead, the first waits for `left`, the last for `rest` less its own time on the wire, and so on evenly.
        self.squares += u128::from(len * (rest + left) + left);
    }
}

impl RedLine {
    /// What an arrival finds that is near.
    #[inline(always)]
    pub(super) fn find_near(&self, size: u32, key: Key) -> Option<Found> {
        self.even.find(size, key, self.even.near, self.until, self.component)
    }

    /// What any other arrival finds, if nothing is to be attended to.
    #[inline]
    pub(super) fn find_far(&self, size: u32, key: Key) -> Option<Found> {
        if key.time >= self.attends || key.time < self.even.from {
            return None;
        }
        self.even.find(size, key, self.even.most, self.until, self.component)
    }

    /// A packet arrives, near, and this is what it finds.
    #[inline(always)]
    pub(super) fn accept_near(
        &mut self,
        size: u32,
        ecn: Ecn,
        now: Time,
        found: Found,
    ) -> Result<OnWire, Option<OnWire>> {
        // Since one waits the queue has not been empty.
        debug_assert!(self.queue.is_straight());
        match self.queue.judge_with_room(found.len, || self.dice.uniform()) {
            Straight::Kept(avg) => {
                let wire = self.follow(found.len);
                match &mut self.probe {
                    Some(probe) if wire.start <= self.even.last => {
                        self.even.untold.add(found);
                        probe.let_in_even(Span(found.rest), avg);
                    }
                    Some(probe) if wire.finish < probe.warmup() => probe.let_in_before(),
                    Some(probe) => probe.let_in_apart(now, size, avg, wire, found.ahead(self.even.wire)),
                    None => {}
                }
                Ok(wire)
            }
            step => self.judge_evenly(Slot::new(self.until, size, ecn), now, found, step),
        }
    }

    /// The same of one that is not near: it may find no room, or make something longer than it ever was.
    #[cold]
    #[inline(never)]
    pub(super) fn accept_far(
        &mut self,
        size: u32,
        ecn: Ecn,
        now: Time,
        found: Found,
    ) -> Result<OnWire, Option<OnWire>> {
        let accepted = match self.queue.judge_straight(found.len, || self.dice.uniform()) {
            Straight::Kept(avg) => {
                let wire = self.follow(found.len);
                if let Some(probe) = &mut self.probe {
                    probe.let_in(now, size, avg, wire, found.ahead(self.even.wire));
                }
                Ok(wire)
            }
            step => self.judge_evenly(Slot::new(self.until, size, ecn), now, found, step),
        };
        self.came = now;
        self.attend_if_longer();
        self.measure_near();
        accepted
    }

    /// A packet follows `len` others: its transmission.
    #[inline(always)]
    fn follow(&mut self, len: u64) -> OnWire {
        let wire = OnWire { start: self.until, finish: Time(self.until.0 + self.even.wire) };
        (self.until, self.waiting, self.even.ahead_of_store) = (wire.finish, len + 1, true);
        wire
    }

    /// What is near from now on.
    fn measure_near(&mut self) {
        let Even { wire, most, .. } = self.even;
        let most_pkts = self.longest.min(self.queue.room());
        (self.even.near, self.even.last) = (most.min(most_pkts.saturating_mul(wire)), Time::ZERO);
        if let Some(probe) = self.probe.as_ref().filter(|_| self.counts) {
            let longest = probe.sojourn.moments.max();
            self.even.near = self.even.near.min(longest.0 + 1);
            self.even.last = Time(probe.plain_until().0.saturating_sub(wire));
        }
    }

    /// The probe is told of what was let in near.
    pub(super) fn settle(&mut self) {
        let EvenWaits { waits, squares } = std::mem::take(&mut self.even.untold);
        if let Some(probe) = &mut self.probe {
            probe.let_in_evenly(self.even.size, Span(self.even.wire), &waits, squares);
        }
    }

    /// A packet was let in.
    #[inline]
    pub(super) fn note(&mut self, size: u32, start: Time, finish: Time) {
        if size == self.even.size {
            self.even.other = 0;
        } else {
            self.note_other(size, start, finish);
        }
    }

    /// A packet of another size than most was let in.
    #[cold]
    #[inline(never)]
    fn note_other(&mut self, size: u32, start: Time, finish: Time) {
        self.settle();
        self.even.note_other(size, start, finish, &self.serializer);
        if !self.queue.is_printed() {
            self.even.most = 0;
        }
    }

    /// RED did not simply keep a packet, but it decides by what arrives alone.
    #[cold]
    #[inline(never)]
    fn judge_evenly(
        &mut self,
        slot: Slot,
        now: Time,
        found: Found,
        step: Straight,
    ) -> Result<OnWire, Option<OnWire>> {
        let (size, start) = (slot.bytes(), slot.start);
        let mut cx = Cx::new(now, &mut self.dice, &mut self.fates);
        let kept = self.queue.judge_rest(slot, step, found.len, &mut cx);
        (self.waiting, self.even.ahead_of_store) = (found.len, true);
        let wire = kept.map(|_| self.follow(found.len));
        if let Some(probe) = &mut self.probe {
            probe.arrived(now, size, self.queue.avg(), &self.fates);
            if let Some(OnWire { finish, .. }) = wire {
                if self.counts {
                    probe.queue.wait(size, found.rest, found.ahead(self.even.wire));
                }
                probe.departed(size, now, start, finish);
            }
        }
        match wire {
            Some(wire) if self.fates.is_empty() => Ok(wire),
            wire => Err(wire),
        }
    }

    /// The last packet to come may have made the queue longer than it ever was: the next moment will tell.
    #[inline]
    pub(super) fn attend_if_longer(&mut self) {
        if self.waiting > self.longest {
            self.attends = self.attends.min(Time(self.came.0 + 1));
        }
    }

    /// Samples are due, or the queue is longer than it ever was. False if counting may start, or not all are even.
    #[cold]
    #[inline(never)]
    pub(super) fn attend_evenly(&mut self, now: Time) -> bool {
        if !self.even.ahead_of_store || !self.counts || now >= self.until {
            return false;
        }
        self.settle();
        let Some(probe) = &mut self.probe else { return false };
        if self.waiting > self.longest {
            probe.queue.reach(self.even.held(self.came, self.until).pkts);
            self.longest = probe.queue.most();
        }
        self.attends = probe.attends(true);
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
