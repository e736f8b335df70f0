"""Disciplines that look at rates: virtual queues, the two GREENs, Yellow.

Written from descriptions of their papers, which the pages of the disciplines name: HULL (Alizadeh et al. 2012),
the virtual queue of Gibbens and Kelly (1999), GREEN of Wydrowski and Zukerman (2002), GREEN of Feng, Kapadia and
Thulasidasan (2002), Yellow (Long et al. 2005). A byte takes a microsecond; the link sends a million bytes a second.
"""

import math

from reference.standards import MS, Single

C = 1_000_000.0  # bytes per second


class Phantom(Single):
    """A counter of departed bytes, drained at gamma C; a packet that finds it above the threshold is marked."""

    def __init__(self, limit, threshold, gamma, others_drop=False, counts_itself=True):
        super().__init__(limit)
        self.threshold, self.gamma, self.others_drop = threshold, gamma, others_drop
        self.counts_itself = counts_itself
        self.counter, self.last = 0.0, 0

    def enqueue(self, now, packet):
        self.store(packet)

    def dequeue(self, now):
        while self.queue:
            packet = self.queue.pop(0)
            self.counter = max(0.0, self.counter - self.gamma * C * ((now - self.last) * 1e-9))
            self.last = now
            level = self.counter + (packet.size if self.counts_itself else 0)
            above = level > self.threshold
            if above and packet.ecn is None and self.others_drop:
                self.end(packet)
                continue
            self.counter += packet.size
            if above and packet.ecn is not None:
                self.mark_or_drop(packet, True)
            return packet
        return None

    def show(self):
        return [f"phantom_bytes={self.counter!r}"]


class VirtualQueue(Single):
    """A queue of `b` bytes served at theta C; from its overflow until it is empty every arrival is marked."""

    def __init__(self, limit, b, theta, until_empty=True, ecn=False):
        super().__init__(limit, ecn)
        self.b, self.theta, self.until_empty = b, theta, until_empty
        self.vq, self.last, self.marking = 0.0, 0, False

    def enqueue(self, now, packet):
        self.vq -= self.theta * C * ((now - self.last) * 1e-9)
        self.last = now
        if self.vq <= 0:
            self.vq, self.marking = 0.0, False
        overflows = self.vq + packet.size > self.b
        if not overflows:
            self.vq += packet.size
        self.marking = self.until_empty and (self.marking or overflows)
        if not (overflows or self.marking) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def show(self):
        return [f"virtual_queue_bytes={self.vq!r}"]


class GreenRate(Single):
    """Wydrowski and Zukerman: P moves by dP every dT, up if the estimated rate is at least the target, else down."""

    def __init__(self, limit, d_p, d_t, k, decays=True, ecn=False):
        super().__init__(limit, ecn)
        self.d_p, self.period, self.k, self.decays = d_p, d_t, k, decays
        self.p, self.x_est, self.last = 0.0, 0.0, 0

    def enqueue(self, now, packet):
        gap = (now - self.last) * 1e-9
        old = math.exp(-gap / self.k)
        sample = packet.size / self.k if gap == 0 else (1 - old) * packet.size / gap
        self.x_est = sample + old * self.x_est
        self.last = now
        if not self.chance(self.p) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def tick(self, now):
        x = self.x_est
        if self.decays:
            x *= math.exp(-((now - self.last) * 1e-9) / self.k)
        self.p += self.d_p if x >= 0.97 * C else -self.d_p
        self.p = min(max(self.p, 0.0), 1.0)

    def show(self):
        return [f"p={self.p!r}", f"x_est_bps={8 * self.x_est!r}"]


class GreenFlows(Single):
    """Feng, Kapadia and Thulasidasan: p = (N MSS c / (L RTT))^2, N the flows seen within a window."""

    def __init__(self, limit, rtt, mss, c, window, ecn=False):
        super().__init__(limit, ecn)
        self.rtt, self.mss, self.c, self.window = rtt, mss, c, window
        self.seen = {}

    def enqueue(self, now, packet):
        self.seen[packet.flow] = now
        n = sum(now - at <= self.window for at in self.seen.values())
        p = min((n * self.mss * self.c / (C * self.rtt)) ** 2, 1.0)
        self.flows = n
        if not self.chance(p) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def show(self):
        return [f"flows={self.flows}"]


class Yellow(Single):
    """Load factor z = arrivals / f(q) C over a period; p rises by z Delta / C if z >= 1 + delta, falls if z < 1."""

    def __init__(self, limit, q_ref, period, step, ecn=False):
        super().__init__(limit, ecn)
        self.q_ref, self.period, self.step = q_ref, period, step
        self.gamma, self.alpha, self.beta, self.qdlf, self.delta = 0.98, 1.05, 1.02, 0.15, 0.05
        self.p, self.z, self.arrived = 0.0, 0.0, 0

    def f(self, q):
        if q > self.q_ref:
            rate = self.gamma * self.alpha * self.q_ref / ((self.alpha - 1) * q + self.q_ref)
            return max(self.qdlf, rate)
        return self.gamma * self.beta * self.q_ref / ((self.beta - 1) * q + self.q_ref)

    def enqueue(self, now, packet):
        self.arrived += packet.size
        if not self.chance(self.p) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def tick(self, now):
        self.z = self.arrived / (self.f(len(self.queue)) * C * (self.period * 1e-9))
        self.arrived = 0
        if self.z >= 1 + self.delta:
            self.p += self.z * self.step
        elif self.z < 1:
            self.p -= self.step / self.z if self.z > 0 else self.p
        self.p = min(max(self.p, 0.0), 1.0)

    def show(self):
        return [f"p={self.p!r}", f"load={self.z!r}"]


LIKE = {"count": 900, "sizes": (40, 576, 1000, 1500), "spell": 100}
MIXED = {**LIKE, "ecn": (None, 0)}


def traces():
    """Drops, marks, and the options of each."""
    phantom = {"limit": "30 pkts", "threshold": "3000 B", "gamma": "0.9"}
    yield "phantom", "marks", Phantom(30, 3000, 0.9), phantom, MIXED
    drops = {**phantom, "others": "drop", "counts": "before"}
    yield "phantom", "drops", Phantom(30, 3000, 0.9, True, False), drops, MIXED
    virtual = {"limit": "40 pkts", "virtual_limit": "8000 B", "theta": "0.95"}
    yield "gkvq", "busy_period", VirtualQueue(40, 8000, 0.95), virtual, LIKE
    single = {**virtual, "marks": "overflow", "ecn": "true"}
    yield "gkvq", "overflow", VirtualQueue(40, 8000, 0.95, False, True), single, MIXED
    green = {"limit": "40 pkts", "delta_p": "0.01", "delta_t": "5 ms", "k": "20 ms"}
    yield "green", "decays", GreenRate(40, 0.01, 5 * MS, 0.02), green, LIKE
    frozen = {**green, "silence": "frozen", "ecn": "true"}
    yield "green", "frozen", GreenRate(40, 0.01, 5 * MS, 0.02, False, True), frozen, MIXED
    flows = {"limit": "40 pkts", "rtt": "50 ms", "mss": "1000 B", "active_for": "30 ms"}
    like = {**LIKE, "flows": 12}
    yield "green_tcp", "flows", GreenFlows(40, 0.05, 1000, 0.93, 30 * MS), flows, like
    yellow = {"limit": "40 pkts", "q_ref": "10 pkts", "period": "10 ms", "step": "0.01"}
    yield "yellow", "drops", Yellow(40, 10, 10 * MS, 0.01), yellow, LIKE
    yield "yellow", "marks", Yellow(40, 10, 10 * MS, 0.01, True), {**yellow, "ecn": "true"}, MIXED
