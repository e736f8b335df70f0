"""The PI controller of Hollot, Misra, Towsley and Gong 2001, with the weights given."""

from collections import deque

from reference.line import Model


class Pi(Model):
    """Marks arrivals with probability p; p follows the queue at fixed times."""

    def __init__(self, limit, q_ref, a, b, period, ecn):
        super().__init__()
        self.packets = deque()
        self.limit, self.q_ref, self.a, self.b, self.period, self.ecn = limit, q_ref, a, b, period, ecn
        self.p = 0.0
        self.q_old = 0

    def enqueue(self, now, packet):
        if self.chance(self.p) and not self.mark_or_drop(packet, self.ecn):
            return
        if len(self.packets) >= self.limit:
            self.end(packet)
            return
        self.packets.append(packet)

    def dequeue(self, now):
        return self.packets.popleft() if self.packets else None

    def tick(self, now):
        q = len(self.packets)
        p = self.p + (self.a * (q - self.q_ref) - self.b * (self.q_old - self.q_ref))
        self.p = min(max(p, 0.0), 1.0)
        self.q_old = q

    def show(self):
        return [f"drop_prob={self.p!r}"]


def traces():
    """Drops and marks, with weights large enough for a short run."""
    keys = {"limit": "60 pkts", "q_ref": "10 pkts", "a": "0.0005", "b": "0.00045", "period": "6.25 ms"}
    weights = {"a": 0.0005, "b": 0.00045, "period": 6_250_000}
    yield "pi", "drops", Pi(60, 10, ecn=False, **weights), keys, {"count": 1500}
    ecn = {"count": 1500, "ecn": (None, 0)}
    yield "pi", "marks", Pi(60, 10, ecn=True, **weights), {**keys, "ecn": "true"}, ecn
