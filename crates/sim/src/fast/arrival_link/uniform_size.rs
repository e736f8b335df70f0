//! The fast path of a queue whose packets all have one size.
//!
//! While the transmitter is busy, each packet starts as the one before it ends, an integer number of nanoseconds later.
//! So the queue length and all remaining sojourns follow from the end of the last packet: none has to be stored, and
//! none has to be seen departing. Anything else first rebuilds the queue ([`ArrivalLink::materialise_queue`]).

use super::{ArrivalLink, QueuedPacket};
use crate::account::Backlog;
use crate::account::Moments;
use crate::calendar::Key;
use crate::fast::FastStep;
use crate::transmission::Transmission;
use queue::disc::Cx;
use queue::red::FastVerdict;
use units::{Bytes, Ecn, Rng, Span, Time};

/// The size of the packets in the queue, and the bounds that follow from it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UniformSize {
    /// Bytes.
    size: u32,
    /// Another size, if the last packet had it.
    other: u32,
    /// Transmission time in nanoseconds, and its reciprocal: 2^64 divided by it, rounded up.
    wire: u64,
    reciprocal: u64,
    /// The multiplication by the reciprocal is an exact division below this.
    most: u64,
    /// Upper bound on the wait (ns) for which neither the maximum queue nor the maximum sojourn changes and the buffer
    /// cannot overflow; 0 disables the fast path.
    fast_bound: u64,
    /// From then on all packets in the queue have this size, and after it each starts as another ends.
    from: Time,
    /// Packets that start by then lie entirely in the measurement window.
    last: Time,
    /// Whether the queue has to be rebuilt before it is used.
    pub(super) queue_is_stale: bool,
    /// Packets admitted on the fast path and not yet recorded by the probe.
    pending: WaitSums,
}

/// The queue as an arrival finds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueAtArrival {
    /// Its length.
    len: u64,
    /// Nanoseconds until the last packet ends, and until the first starts.
    rest: u64,
    left: u64,
}

impl QueueAtArrival {
    /// The sum of the remaining sojourns.
    fn ahead(self, wire: u64) -> u64 {
        self.len * self.rest - wire * (self.len * (self.len + 1) / 2)
    }
}

impl FastStep for UniformSize {
    /// The link, and the size of the packets.
    type Situation<'a> = (&'a ArrivalLink, u32);

    /// The discipline takes its own fast path, and packets of this size take a whole number of nanoseconds: if a
    /// remainder were carried over from one packet to the next, transmission times would differ.
    fn is_eligible((link, size): (&ArrivalLink, u32)) -> bool {
        link.queue.has_fast_path() && link.serializer.is_whole(Bytes(u64::from(size)))
    }
}

impl UniformSize {
    /// The queue as a packet of this size finds it, if it is not empty, of uniform size, and the wait is below `below`.
    /// Its last packet ends at `busy_until`; the transmitter is this `component`.
    #[inline(always)]
    pub(super) fn find(
        &self,
        size: u32,
        key: Key,
        below: u64,
        busy_until: Time,
        component: u32,
    ) -> Option<QueueAtArrival> {
        let rest = busy_until.0.wrapping_sub(key.time.0);
        if size != self.size || rest >= below {
            return None;
        }
        let len = ((u128::from(rest) * u128::from(self.reciprocal)) >> 64) as u64;
        if len == 0 {
            return None;
        }
        let left = rest - len * self.wire;
        if left == 0 {
            let len = self.count_at_tie(len, key, component)?;
            return Some(QueueAtArrival { len, rest, left: rest - len * self.wire });
        }
        Some(QueueAtArrival { len, rest, left })
    }

    /// The queue length if the first of `len` packets starts at this very time: it has left if its start precedes
    /// `key`.
    #[inline]
    fn count_at_tie(&self, len: u64, key: Key, component: u32) -> Option<u64> {
        // This may be the end of a packet of another size, or of an idle period: then no packet starts by this rule.
        if key.time == self.from {
            return None;
        }
        let turn = Key { time: key.time, birth: Time(key.time.0 - self.wire), component };
        let len = len - u64::from(turn.precedes(&key));
        (len > 0).then_some(len)
    }

    /// The backlog at a time before `until`, at which the last packet ends, while all have one size.
    fn backlog(&self, at: Time, until: Time) -> Backlog {
        let pkts = (until.0 - at.0 - 1) / self.wire;
        Backlog { pkts, bytes: pkts * u64::from(self.size) }
    }

    /// Disables the fast path until its bound is computed again.
    pub(super) fn clear_fast_bound(&mut self) {
        self.fast_bound = 0;
    }

    /// The transmitter was idle until `start`.
    #[inline]
    pub(super) fn restart(&mut self, start: Time) {
        self.from = self.from.max(start);
    }

    /// Admits a packet of another size. The second in a row makes that the uniform size.
    fn change_size(&mut self, size: u32, start: Time, finish: Time, eligible: bool) {
        (self.from, self.fast_bound) = (finish, 0);
        if std::mem::replace(&mut self.other, size) != size {
            return;
        }
        (self.size, self.other, self.from, self.most) = (size, 0, start, 0);
        self.wire = finish.since(start).0;
        if eligible && self.wire > 1 {
            self.reciprocal = u64::MAX / self.wire + 1;
            self.most = u64::MAX / self.wire;
        }
    }
}

/// Sums over the waits of packets that found a queue of uniform size.
#[derive(Clone, Copy, Debug, Default)]
struct WaitSums {
    waits: Moments,
    /// Their contribution to the sum of squares of the queue length: for each, twice the waits ahead of it and its own.
    squares: u128,
}

impl WaitSums {
    #[inline(always)]
    fn add(&mut self, QueueAtArrival { len, rest, left }: QueueAtArrival) {
        self.waits.add_below_max(Span(rest));
        // The first of those ahead waits for `left`, the last for `rest` less one transmission, with equal steps
        // between.
        self.squares += u128::from(len * (rest + left) + left);
    }
}

impl ArrivalLink {
    /// The queue as an arrival on the fast path finds it.
    #[inline(always)]
    pub(super) fn find_fast(&self, size: u32, key: Key) -> Option<QueueAtArrival> {
        self.uniform.find(size, key, self.uniform.fast_bound, self.busy_until, self.component)
    }

    /// The queue as any other arrival finds it, unless a sample is due or sizes differ.
    #[inline]
    pub(super) fn find_uniform(&self, size: u32, key: Key) -> Option<QueueAtArrival> {
        if key.time >= self.next_due || key.time < self.uniform.from {
            return None;
        }
        self.uniform.find(size, key, self.uniform.most, self.busy_until, self.component)
    }

    /// Admits a packet on the fast path.
    #[inline(always)]
    pub(super) fn accept_fast(
        &mut self,
        size: u32,
        ecn: Ecn,
        now: Time,
        at_arrival: QueueAtArrival,
    ) -> Result<Transmission, Option<Transmission>> {
        // The queue is not empty, so RED's idle time is not involved.
        debug_assert!(self.queue.has_fast_path());
        match self.queue.judge_fast_with_room(at_arrival.len, || self.rng.uniform()) {
            FastVerdict::Kept(avg) => {
                let wire = self.append(at_arrival.len);
                match &mut self.probe {
                    Some(probe) if wire.start <= self.uniform.last => {
                        self.uniform.pending.add(at_arrival);
                        probe.admitted_uniform(Span(at_arrival.rest), avg);
                    }
                    Some(probe) if wire.finish < probe.warmup() => probe.admitted_before_warmup(),
                    Some(probe) => {
                        probe.admitted_slow(now, size, avg, wire, at_arrival.ahead(self.uniform.wire))
                    }
                    None => {}
                }
                Ok(wire)
            }
            step => self.decide_uniform(QueuedPacket::new(self.busy_until, size, ecn), now, at_arrival, step),
        }
    }

    /// Beyond the bound of the fast path: the buffer may be full, or a maximum may be exceeded.
    #[cold]
    #[inline(never)]
    pub(super) fn accept_uniform(
        &mut self,
        size: u32,
        ecn: Ecn,
        now: Time,
        at_arrival: QueueAtArrival,
    ) -> Result<Transmission, Option<Transmission>> {
        let accepted = match self.queue.judge_fast(at_arrival.len, || self.rng.uniform()) {
            FastVerdict::Kept(avg) => {
                let wire = self.append(at_arrival.len);
                if let Some(probe) = &mut self.probe {
                    probe.admitted(now, size, avg, wire, at_arrival.ahead(self.uniform.wire));
                }
                Ok(wire)
            }
            step => self.decide_uniform(QueuedPacket::new(self.busy_until, size, ecn), now, at_arrival, step),
        };
        self.last_arrival = now;
        self.schedule_max_update();
        self.update_fast_bound();
        accepted
    }

    /// The transmission of a packet that is queued behind `len` others.
    #[inline(always)]
    fn append(&mut self, len: u64) -> Transmission {
        let wire =
            Transmission { start: self.busy_until, finish: Time(self.busy_until.0 + self.uniform.wire) };
        (self.busy_until, self.waiting, self.uniform.queue_is_stale) = (wire.finish, len + 1, true);
        wire
    }

    /// Computes the bound of the fast path.
    fn update_fast_bound(&mut self) {
        let UniformSize { wire, most, .. } = self.uniform;
        let most_pkts = self.max_recorded.min(self.queue.packet_limit());
        (self.uniform.fast_bound, self.uniform.last) = (most.min(most_pkts.saturating_mul(wire)), Time::ZERO);
        if let Some(probe) = self.probe.as_ref().filter(|_| self.counting) {
            let max_recorded = probe.sojourn.moments.max();
            self.uniform.fast_bound = self.uniform.fast_bound.min(max_recorded.0 + 1);
            self.uniform.last = Time(probe.fast_until().0.saturating_sub(wire));
        }
    }

    /// The probe records the packets admitted on the fast path.
    pub(super) fn flush(&mut self) {
        let WaitSums { waits, squares } = std::mem::take(&mut self.uniform.pending);
        if let Some(probe) = &mut self.probe {
            probe.admitted_uniform_batch(self.uniform.size, Span(self.uniform.wire), &waits, squares);
        }
    }

    /// A packet was admitted.
    #[inline]
    pub(super) fn note_size(&mut self, size: u32, start: Time, finish: Time) {
        if size == self.uniform.size {
            self.uniform.other = 0;
        } else {
            self.change_size(size, start, finish);
        }
    }

    /// A packet of another size was admitted.
    #[cold]
    #[inline(never)]
    fn change_size(&mut self, size: u32, start: Time, finish: Time) {
        self.flush();
        let eligible = self.uses_uniform_size && UniformSize::is_eligible((self, size));
        self.uniform.change_size(size, start, finish, eligible);
    }

    /// The packet was dropped or marked, or an option has to be considered.
    #[cold]
    #[inline(never)]
    fn decide_uniform(
        &mut self,
        slot: QueuedPacket,
        now: Time,
        at_arrival: QueueAtArrival,
        step: FastVerdict,
    ) -> Result<Transmission, Option<Transmission>> {
        let (size, start) = (slot.bytes(), slot.start);
        let mut cx = Cx::new(now, &mut self.rng, &mut self.fates);
        let kept = self.queue.judge_slow(slot, step, at_arrival.len, &mut cx);
        (self.waiting, self.uniform.queue_is_stale) = (at_arrival.len, true);
        let wire = kept.map(|_| self.append(at_arrival.len));
        if let Some(probe) = &mut self.probe {
            probe.arrived(now, size, self.queue.avg(), &self.fates);
            if let Some(Transmission { finish, .. }) = wire {
                if self.counting {
                    probe.queue.add_sojourn(size, at_arrival.rest, at_arrival.ahead(self.uniform.wire));
                }
                probe.departed(size, now, start, finish);
            }
        }
        match wire {
            Some(wire) if self.fates.is_empty() => Ok(wire),
            wire => Err(wire),
        }
    }

    /// The last arrival may have made the queue longer than the maximum; the next event will show.
    #[inline]
    pub(super) fn schedule_max_update(&mut self) {
        if self.waiting > self.max_recorded {
            self.next_due = self.next_due.min(Time(self.last_arrival.0 + 1));
        }
    }

    /// Takes samples and updates the maximum. Returns false if measuring may start, or if sizes differ.
    #[cold]
    #[inline(never)]
    pub(super) fn run_due_uniform(&mut self, now: Time) -> bool {
        if !self.uniform.queue_is_stale || !self.counting || now >= self.busy_until {
            return false;
        }
        self.flush();
        let Some(probe) = &mut self.probe else { return false };
        if self.waiting > self.max_recorded {
            probe.queue.raise_max(self.uniform.backlog(self.last_arrival, self.busy_until).pkts);
            self.max_recorded = probe.queue.max_pkts();
        }
        self.next_due = probe.next_due(true);
        while self.next_due <= now {
            let backlog = self.uniform.backlog(Time(self.next_due.0 - 1), self.busy_until);
            probe.sample_until(self.next_due, backlog, self.queue.disc());
            self.next_due = probe.next_due(true);
        }
        true
    }

    /// Rebuilds the queue if it is out of date.
    #[inline]
    pub(super) fn materialise_queue(&mut self) {
        if std::mem::take(&mut self.uniform.queue_is_stale) {
            self.rebuild_queue();
        }
    }

    #[inline(never)]
    fn rebuild_queue(&mut self) {
        self.uniform.other = 0;
        let (until, UniformSize { size, wire, .. }, len) = (self.busy_until.0, self.uniform, self.waiting);
        let start = |place: u64| until - place * wire;
        self.queue.replace_packets(
            (1..=len).rev().map(|place| QueuedPacket::new(Time(start(place)), size, Ecn::NotEct)),
        );
        self.sum_of_starts = (1..=len).map(start).fold(0, u64::wrapping_add);
        (self.serving_since, self.free_at) = (Time(start(len + 1)), Time(start(len)));
    }
}
