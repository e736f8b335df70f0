"""Disciplines whose parameter is steered: Stabilized AVQ, PID-RED, Cautious Adaptive RED and PURPLE.

All are written from the abstracts of their papers, Long et al. (2005), Cai et al. (2006), Tahiliani et al. (2012) and
Pletka et al. (2003), on top of the texts they build on: the token bucket of Kunniyur and Srikant (2001), RED, Adaptive
and Refined Adaptive RED, and TCP's rate as the inverse root of the loss. Queues are counted in packets.
"""

from reference.line import RATE
from reference.relatives import Plain
from reference.standards import MS, Single


class StabilizedVirtual(Single):
    """AVQ whose desired utilisation falls with the queue: `gamma` at `q_ref`, and `gain` more when empty."""

    def __init__(self, limit, virtual, alpha, gamma, gain, q_ref, ecn=False):
        super().__init__(limit, ecn)
        self.b, self.alpha, self.gamma, self.gain, self.q_ref = virtual, alpha, gamma, gain, q_ref
        self.c = RATE / 8
        self.capacity, self.vq, self.s = 0.8 * self.c, 0.0, 0

    def desired(self):
        """The share of the link that arrivals are to use, at the queue now."""
        return max(0.1, self.gamma + self.gain * (1 - len(self.queue) / self.q_ref))

    def enqueue(self, now, packet):
        elapsed = (now - self.s) / 1e9
        self.s = now
        share = self.desired()
        self.vq = max(0.0, self.vq - self.capacity * elapsed)
        if self.vq + packet.size > self.b:
            kept = self.mark_or_drop(packet, self.ecn)
        else:
            self.vq += packet.size
            kept = True
        up = self.alpha * share * self.c * elapsed
        down = self.alpha * packet.size
        self.capacity = max(0.0, min(self.capacity + up, self.c) - down)
        if kept:
            self.store(packet)

    def show(self):
        return [f"virtual_queue_bytes={self.vq!r}", f"virtual_share={self.capacity / self.c!r}"]


class Steered(Plain):
    """RED whose max_p follows a PID controller of the relative error of the average."""

    period = 100 * MS

    def __init__(self, target, kp, ki, kd):
        super().__init__(30, 5, 15, 0.1, 0.02, gentle=True)
        self.target, self.gains = target, (kp, ki, kd)
        self.errors = [0.0, 0.0]

    def average_at(self, now):
        if self.queue:
            return self.avg
        return self.avg * (1 - self.w_q) ** ((now - self.q_time) / MS)

    def tick(self, now):
        kp, ki, kd = self.gains
        last, before = self.errors
        error = self.average_at(now) / self.target - 1
        self.max_p += kp * (error - last) + ki * error + kd * (error - 2 * last + before)
        self.max_p = min(max(self.max_p, 0.01), 0.5)
        self.errors = [error, last]

    def show(self):
        return [f"avg={self.avg!r}", f"max_p={self.max_p!r}"]


class Cautious(Plain):
    """Cautious Adaptive RED: the refined step while the load moves away, else the step of Adaptive RED."""

    period = 100 * MS

    def __init__(self, by_trend=True):
        super().__init__(30, 5, 15, 0.1, 0.02, gentle=True)
        self.by_trend, self.last = by_trend, 0.0

    def tick(self, now):
        avg = self.avg if self.queue else self.avg * (1 - self.w_q) ** ((now - self.q_time) / MS)
        span, middle = self.max_th - self.min_th, 0.5 * (self.min_th + self.max_th)
        if avg > self.min_th + 0.6 * span and self.max_p <= 0.5:
            if avg > (self.last if self.by_trend else self.max_th):
                self.max_p += 0.25 * self.max_p * (avg - middle) / middle
            else:
                self.max_p += min(0.01, self.max_p / 4)
        elif avg < self.min_th + 0.4 * span and self.max_p >= 0.01:
            if avg < (self.last if self.by_trend else self.min_th):
                self.max_p *= 1 - 0.17 * (middle - avg) / (middle - self.min_th)
            else:
                self.max_p *= 0.9
        self.max_p = min(max(self.max_p, 0.0), 1.0)
        self.last = avg

    def show(self):
        return [f"avg={self.avg!r}", f"max_p={self.max_p!r}"]


class Predictive(Single):
    """PURPLE: the probability at which senders that answer by its inverse root would offer what is wanted."""

    period = 50 * MS

    def __init__(self, limit, q_ref, gain, pace, ecn=False):
        super().__init__(limit, ecn)
        self.q_ref, self.gain, self.pace = q_ref, gain, pace
        self.p, self.arrived, self.load = 0.001, 0, 0.0

    def tick(self, now):
        capacity = RATE / 8 * self.period * 1e-9
        self.load, self.arrived = self.arrived / capacity, 0
        wanted = max(0.1, 1.0 + self.gain * (1 - len(self.queue) / self.q_ref))
        predicted = self.p * (self.load / wanted) ** 2 if self.load else 0.0
        self.p = min(max(self.p + self.pace * (predicted - self.p), 0.0001), 0.5)

    def enqueue(self, now, packet):
        self.arrived += packet.size
        if not self.chance(self.p) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def show(self):
        return [f"p={self.p!r}", f"load={self.load!r}"]


LIKE = {"count": 900, "sizes": (40, 576, 1000, 1500), "spell": 100}
LONG = {**LIKE, "count": 2500, "spell": 300}
MIXED = {**LIKE, "ecn": (None, 0)}
SPELLS = {**LIKE, "count": 2500, "spell": 600}


def traces():
    """Drops and marks of each, with settings that a short trace feels."""
    savq = {"limit": "40 pkts", "virtual_limit": "10 pkts", "q_ref": "5 pkts", "gain": "0.4"}
    yield "savq", "drops", StabilizedVirtual(40, 10_000, 0.15, 1.0, 0.4, 5), savq, LIKE
    marks = {**savq, "gamma": "0.9", "alpha": "2", "ecn": "true"}
    yield "savq", "marks", StabilizedVirtual(40, 10_000, 2, 0.9, 0.4, 5, True), marks, MIXED
    red = {"limit": "30 pkts", "min_th": "5 pkts", "max_th": "15 pkts", "max_p": "0.1", "w_q": "0.02"}
    yield "pid_red", "middle", Steered(10, 0.02, 0.005, 0.01), red, LONG
    other = {**red, "target": "7 pkts", "k_p": "0.1", "k_i": "0.02", "k_d": "0"}
    yield "pid_red", "own_target", Steered(7, 0.1, 0.02, 0), other, LONG
    yield "cared", "trend", Cautious(), {**red, "interval": "100 ms"}, LONG
    thresholds = {**red, "interval": "100 ms", "load_from": "thresholds"}
    yield "cared", "thresholds", Cautious(False), thresholds, LONG
    purple = {"limit": "40 pkts", "q_ref": "10 pkts", "gain": "0.2", "pace": "0.5", "interval": "50 ms"}
    yield "purple", "drops", Predictive(40, 10, 0.2, 0.5), purple, SPELLS
    marks = {**purple, "ecn": "true"}
    yield "purple", "marks", Predictive(40, 10, 0.2, 0.5, True), marks, {**SPELLS, "ecn": (None, 0)}
