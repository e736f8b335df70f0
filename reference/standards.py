"""Disciplines that are printed in RFCs: DOCSIS-PIE, Curvy RED, queue protection, step marking; and PI2.

DOCSIS-PIE follows appendix A of RFC 8034 line by line, Curvy RED figures 9 and 10 of RFC 9332, queue protection
section 4 of RFC 9957. Step marking is a sentence of RFC 8257 section 3.1. PI2 is the controller of RFC 9332
appendix A with one queue in front of it, and the squared and coupled probabilities of De Schepper et al. (2016).
"""

from collections import deque

from reference.dualpi2 import DualPi2
from reference.hashed import mix
from reference.line import Model

MS = 1_000_000
BYTES_PER_SECOND = 1_000_000


class Single(Model):
    """One queue in packets, first in, first out."""

    def __init__(self, limit, ecn=False):
        super().__init__()
        self.limit, self.ecn, self.queue = limit, ecn, []

    def byte_length(self):
        return sum(packet.size for packet in self.queue)

    def store(self, packet):
        if len(self.queue) >= self.limit:
            self.end(packet)
        else:
            self.queue.append(packet)

    def dequeue(self, now):
        return self.queue.pop(0) if self.queue else None


class Step(Single):
    """RFC 8257 section 3.1: an arrival that finds more than K packets is marked."""

    def __init__(self, limit, k, ecn):
        super().__init__(limit, ecn)
        self.k = k

    def enqueue(self, now, packet):
        if len(self.queue) >= self.limit:
            self.end(packet)
        elif len(self.queue) <= self.k or self.mark_or_drop(packet, self.ecn):
            self.queue.append(packet)


class StepAtDeparture(Single):
    """The same by time, as the L4S queue of RFC 9332 has it: a packet that waited more than `ns` is marked."""

    def __init__(self, limit, ns, ecn):
        super().__init__(limit, ecn)
        self.ns = ns

    def enqueue(self, now, packet):
        self.store(packet)

    def dequeue(self, now):
        while self.queue:
            packet = self.queue.pop(0)
            if now - packet.enqueued <= self.ns or self.mark_or_drop(packet, self.ecn):
                return packet
        return None


class DocsisPie(Single):
    """RFC 8034 appendix A, with no token credit: the queue drains at MSR."""

    period = 16 * MS
    INACTIVE, QUIESCENT, ACTIVE = range(3)
    TARGET, LOW, HIGH = 0.010, 0.005, 0.200
    MEAN_PKTSIZE, MIN_PKTSIZE, PROB_LOW, PROB_HIGH = 1024, 64, 0.85, 8.5

    def __init__(self, limit, buffer_size):
        super().__init__(limit)
        self.buffer_size = buffer_size
        self.drop_prob, self.accu_prob, self.qdelay_old = 0.0, 0.0, 0.0
        self.burst_allowance, self.burst_reset, self.state = 0, 0, self.INACTIVE

    def tick(self, now):
        qdelay = self.byte_length() / BYTES_PER_SECOND
        if self.burst_allowance > 0:
            self.drop_prob = 0.0
            self.burst_allowance = max(0, self.burst_allowance - 16 * MS)
        else:
            p = 0.25 * (qdelay - self.TARGET) + 2.5 * (qdelay - self.qdelay_old)
            table = [
                (1e-6, 2048),
                (1e-5, 512),
                (1e-4, 128),
                (1e-3, 32),
                (1e-2, 8),
                (0.1, 2),
                (1, 0.5),
                (10, 0.125),
            ]
            p /= next((divisor for below, divisor in table if self.drop_prob < below), 0.03125)
            if self.drop_prob >= 0.1 and p > 0.02:
                p = 0.02
            self.drop_prob += p
            if qdelay < self.LOW and self.qdelay_old < self.LOW:
                self.drop_prob *= 0.98
            elif qdelay > self.HIGH:
                self.drop_prob += 0.02
            self.drop_prob = max(0.0, self.drop_prob)
            self.drop_prob = min(self.drop_prob, self.PROB_LOW * self.MEAN_PKTSIZE / self.MIN_PKTSIZE)
        half = 0.5 * self.TARGET
        quiet = qdelay < half and self.qdelay_old < half and self.drop_prob == 0 and self.burst_allowance == 0
        if self.state == self.ACTIVE and quiet:
            self.state, self.burst_reset = self.QUIESCENT, 0
        elif self.state == self.QUIESCENT:
            if quiet:
                self.burst_reset += 16 * MS
                if self.burst_reset > 1000 * MS:
                    self.burst_reset, self.state = 0, self.INACTIVE
            else:
                self.burst_reset = 0
        self.qdelay_old = qdelay

    def enqueue(self, now, packet):
        if len(self.queue) >= self.limit:
            self.end(packet)
            self.accu_prob = 0.0
        elif self.drop_early(packet):
            self.end(packet)
        else:
            self.queue.append(packet)

    def drop_early(self, packet):
        if self.burst_allowance > 0:
            return False
        if self.drop_prob == 0:
            self.accu_prob = 0.0
        if self.state == self.INACTIVE:
            if self.byte_length() < self.buffer_size / 3:
                return False
            self.state = self.QUIESCENT
        p1 = min(self.drop_prob * packet.size / self.MEAN_PKTSIZE, self.PROB_LOW)
        self.accu_prob += p1
        uncongested = self.qdelay_old < 0.5 * self.TARGET and self.drop_prob < 0.2
        if uncongested or self.byte_length() <= 2 * self.MEAN_PKTSIZE:
            return False
        if self.accu_prob < self.PROB_LOW:
            return False
        if self.accu_prob < self.PROB_HIGH and self.uniform() > p1:
            return False
        self.accu_prob = 0.0
        if self.state == self.QUIESCENT:
            self.state, self.burst_allowance = self.ACTIVE, 142 * MS
        return True

    def show(self):
        return [f"drop_prob_={self.drop_prob!r}", f"accu_prob_={self.accu_prob!r}", f"state={self.state}"]


class CurvyRed(Model):
    """RFC 9332 figures 9 and 10. Delays are those of the packet that leaves; `U` draws for L, 2 `U` for C."""

    def __init__(self, limit, min_th=0.0, range_c=0.5, k=2, t=MS, tshift=50 * MS, u=1):
        super().__init__()
        self.limit, self.min_th, self.range_c, self.range_l = limit, min_th, range_c, range_c / k
        self.t, self.tshift, self.u = t, tshift, u
        self.lq, self.cq, self.q_c = deque(), deque(), 0.0

    def enqueue(self, now, packet):
        if len(self.lq) + len(self.cq) >= self.limit:
            self.end(packet)
        else:
            (self.lq if packet.ecn in (1, 3) else self.cq).append(packet)

    def beats(self, p, u):
        """p > maxrand(u); draws only where the outcome depends on it."""
        if p <= 0 or p >= 1:
            return p >= 1
        return p > max([self.uniform() for _ in range(u)])

    def scheduler(self, now):
        if not self.lq or not self.cq:
            return self.lq or self.cq
        l_time, c_time = now - self.lq[0].enqueued, now - self.cq[0].enqueued
        return self.lq if l_time + self.tshift >= c_time else self.cq

    def dequeue(self, now):
        while self.lq or self.cq:
            queue = self.scheduler(now)
            packet = queue.popleft()
            delay = now - packet.enqueued
            if queue is self.lq:
                p_cl = (self.q_c - self.min_th) / self.range_l
                if (delay > self.t or self.beats(p_cl, self.u)) and packet.ecn != 3:
                    self.mark_or_drop(packet, True)
                return packet
            self.q_c = 1 / 32 * (delay * 1e-9) + (1 - 1 / 32) * self.q_c
            sqrt_p_c = (self.q_c - self.min_th) / self.range_c
            if self.beats(sqrt_p_c, 2 * self.u) and not self.mark_or_drop(packet, True):
                continue
            return packet
        return None

    def show(self):
        return [f"q_c_ms={self.q_c * 1e3!r}", f"low_latency_pkts={len(self.lq)}"]


class QueueProtection(DualPi2):
    """RFC 9957 section 4 before the low-latency queue of DualPI2; scores in nanoseconds."""

    NBUCKETS, ATTEMPTS, MAX = 32, 2, 5e9

    def __init__(self, limit, rate=8_000_000, aging=2.0**19, max_th=1_000_000.0, span=2.0**19):
        super().__init__(limit)
        self.aging = aging * 1e-9
        self.min_th = max(max_th - span, 2 * 8 * 2000 * 1e9 / rate)
        self.span, self.critical, self.critical_score = span, 1_000_000.0, 4_000_000.0
        self.buckets = [[None, 0.0] for _ in range(self.NBUCKETS + 1)]
        self.sanctioned = 0

    def prob_native(self, qdelay):
        return min(max((qdelay - self.min_th) / self.span, 0.0), 1.0)

    def pick(self, flow, now):
        h32, saved = mix(flow) % 2**32, self.NBUCKETS
        for _ in range(self.ATTEMPTS):
            h = h32 % self.NBUCKETS
            if self.buckets[h][0] == flow:
                self.buckets[h][1] = max(self.buckets[h][1], now)
                return h
            if saved == self.NBUCKETS and self.buckets[h][1] <= now:
                saved = h
            h32 >>= 5
        self.buckets[saved] = [flow, max(self.buckets[saved][1], now)]
        return saved

    def enqueue(self, now, packet):
        if len(self.lq) + len(self.cq) >= self.limit:
            self.end(packet)
        elif packet.ecn not in (1, 3) or self.sanctions(now, packet):
            self.cq.append(packet)
        else:
            self.lq.append(packet)

    def sanctions(self, now, packet):
        qdelay = sum(waiting.size for waiting in self.lq) * 1000.0  # a byte takes a microsecond
        bucket = self.buckets[self.pick(packet.flow, float(now))]
        score = min(bucket[1] - now + self.prob_native(qdelay) * packet.size / self.aging, self.MAX)
        bucket[1] = now + score
        over = qdelay > self.critical and qdelay * score > self.critical * self.critical_score
        self.sanctioned += over or score >= self.MAX
        return over or score >= self.MAX

    def show(self):
        return [*super().show(), f"sanctioned={self.sanctioned}"]


class Pi2(Single):
    """p' by the proportional-integral rule on the delay of the head; classic packets by p'^2, scalable by k p'."""

    period = 32 * MS

    def __init__(self, limit, ecn, coupled=False, twice=False):
        super().__init__(limit, ecn)
        self.coupled, self.twice, self.p, self.old = coupled, twice, 0.0, 0.0

    def tick(self, now):
        delay = (now - self.queue[0].enqueued) * 1e-9 if self.queue else 0.0
        step = 0.3125 * (delay - 0.020) + 3.125 * (delay - self.old)
        self.p, self.old = min(max(self.p + step, 0.0), 0.5), delay

    def is_signalled(self, packet):
        if self.coupled and packet.ecn == 1:
            return self.chance(min(2 * self.p, 1.0))
        if self.twice:
            return self.chance(self.p) and self.chance(self.p)
        return self.chance(self.p * self.p)

    def enqueue(self, now, packet):
        if not self.is_signalled(packet) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def show(self):
        return [f"p_base={self.p!r}"]


LIKE = {"count": 900, "sizes": (40, 576, 1000, 1500), "spell": 100}
LONG = {"count": 2000, "sizes": (576, 1500), "spell": 300}


def traces():
    """Each alone, and with packets of every ECN field where it looks at that."""
    step = {"limit": "20 pkts", "threshold": "5 pkts"}
    mixed = {**LIKE, "ecn": (None, 0)}
    yield "step_marking", "queue", Step(20, 5, True), step, mixed
    sojourn = {"limit": "20 pkts", "by": "sojourn", "delay": "4 ms", "others": "drop"}
    yield "step_marking", "sojourn", StepAtDeparture(20, 4 * MS, True), sojourn, mixed
    docsis = {"limit": "60 pkts", "target": "10 ms"}
    yield "docsis_pie", "rfc", DocsisPie(60, 60_000), docsis, {**LONG, "count": 2500}
    curvy = {"limit": "200 pkts"}
    both = {**LONG, "ecn": (None, None, 0, 1, 1)}
    yield "curvy_red", "both", CurvyRed(200), curvy, both
    keys = {**curvy, "min_th": "5 ms", "curviness": "2", "range": "100 ms"}
    yield "curvy_red", "curvier", CurvyRed(200, min_th=0.005, range_c=0.1, u=2), keys, both
    keys = {"limit": "200 pkts", "max_th": "1 ms"}
    yield "qprot", "scores", QueueProtection(200), keys, {**both, "flows": 5}
    slow = QueueProtection(200, aging=40_000.0)
    yield "qprot", "slow_aging", slow, {**keys, "aging": "320 kbit/s"}, {**both, "flows": 5}
    pi2 = {"limit": "100 pkts"}
    yield "pi2", "drops", Pi2(100, False), pi2, LONG
    coupled = {**pi2, "ecn": "true", "coupled": "true"}
    yield "pi2", "coupled", Pi2(100, True, coupled=True), coupled, both
    yield "pi2", "twice", Pi2(100, False, twice=True), {**pi2, "square": "twice"}, LONG
