"""Disciplines whose parameter is steered by the queue: Stabilized AVQ and PID-RED.

Both are written from the abstracts of their papers, Long et al. (2005) and Cai et al. (2006), on top of the texts they
build on: the token bucket of Kunniyur and Srikant (2001), and RED. Queues are counted in packets.
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


LIKE = {"count": 900, "sizes": (40, 576, 1000, 1500), "spell": 100}
LONG = {**LIKE, "count": 2500, "spell": 300}
MIXED = {**LIKE, "ecn": (None, 0)}


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
