"""DualPI2 as RFC 9332 appendix A prints it, with a weighted deficit round robin and without overload of the marks."""

from collections import deque

from reference.line import Model

MS = 1_000_000


class DualPi2(Model):
    """`lq` for ECT(1) and CE, `cq` for the rest; p' is `p`."""

    period = 16 * MS

    def __init__(self, limit):
        super().__init__()
        self.lq, self.cq = deque(), deque()
        self.limit = limit
        self.p, self.prevq = 0.0, 0.0
        self.counts = {"l": 0.0, "c": 0.0}
        self.credit = 0.0

    def enqueue(self, now, packet):
        if len(self.lq) + len(self.cq) >= self.limit:
            self.end(packet)
        else:
            (self.lq if packet.ecn in (1, 3) else self.cq).append(packet)

    def recur(self, which, likelihood):
        self.counts[which] += likelihood
        if self.counts[which] > 1:
            self.counts[which] -= 1
            return True
        return False

    def laqm(self, now, packet):
        delay = now - packet.enqueued
        if not self.lq:
            return 0.0
        return min(max((delay - 800_000) / 400_000, 0.0), 1.0)

    def dequeue(self, now):
        while self.lq or self.cq:
            if self.lq and not (self.cq and self.credit > 0):
                packet = self.lq.popleft()
                sent = self.from_l(now, packet)
                self.credit = 0.0 if not self.cq else self.credit + (0.1 * packet.size if sent else 0.0)
            else:
                packet = self.cq.popleft()
                sent = self.from_c(packet)
                if sent:
                    self.credit = 0.0 if not self.lq else self.credit - (1 - 0.1) * packet.size
            if sent:
                return packet
        return None

    def from_l(self, now, packet):
        if 2 * self.p >= 1:
            if self.recur("l", self.p * self.p):
                self.end(packet)
                return False
            marks = True
        else:
            marks = self.recur("l", max(self.laqm(now, packet), 2 * self.p))
        if marks and packet.ecn != 3:
            self.mark_or_drop(packet, True)
        return True

    def from_c(self, packet):
        if not self.recur("c", self.p * self.p):
            return True
        if packet.ecn is None or 2 * self.p >= 1:
            self.end(packet)
            return False
        return self.mark_or_drop(packet, True)

    def tick(self, now):
        heads = [queue[0].enqueued if queue else now for queue in (self.lq, self.cq)]
        curq = max(now - head for head in heads) * 1e-9
        self.p += 0.16 * (curq - 0.015) + 3.2 * (curq - self.prevq)
        self.p = min(max(self.p, 0.0), 1.0)
        self.prevq = curq

    def show(self):
        return [f"p_base={self.p!r}", f"low_latency_pkts={len(self.lq)}", f"classic_pkts={len(self.cq)}"]


def traces():
    """Classic and scalable packets together, and classic ones alone."""
    keys = {"limit": "200 pkts", "dialect": "rfc"}
    both = {"count": 2000, "ecn": (None, None, 0, 1, 1), "sizes": (576, 1500), "spell": 300}
    yield "dualpi2", "both", DualPi2(200), keys, both
    yield "dualpi2", "classic", DualPi2(200), keys, {"count": 1500, "ecn": (None, None, 0), "spell": 300}
