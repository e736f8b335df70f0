"""CoDel as RFC 8289 section 5.3 to 5.6 prints it, with its marks, its count rules and nothing else."""

import math
from collections import deque

from reference.line import Model

MS = 1_000_000


class Law:
    """The variables of one queue; `queue` gives `pop()` and `bytes()`."""

    def __init__(
        self, model, queue, target=5 * MS, interval=100 * MS, ecn=False, maxpacket=None, rule="since_entry"
    ):
        self.model, self.queue = model, queue
        self.target, self.interval, self.ecn, self.rule = target, interval, ecn, rule
        self.maxpacket = maxpacket if maxpacket is not None else 0
        self.follow = maxpacket is None
        self.first_above_time = 0
        self.drop_next = 0
        self.count = 0
        self.lastcount = 0
        self.dropping = False

    def arrived(self, packet):
        if self.follow:
            self.maxpacket = max(self.maxpacket, packet.size)

    def control_law(self, t):
        return t + math.floor(self.interval / math.sqrt(self.count) + 0.5)

    def dodequeue(self, now):
        packet = self.queue.pop()
        if packet is None:
            self.first_above_time = 0
            return None, False
        sojourn_time = now - packet.enqueued
        ok_to_drop = False
        if sojourn_time < self.target or self.queue.bytes() <= self.maxpacket:
            self.first_above_time = 0
        elif self.first_above_time == 0:
            self.first_above_time = now + self.interval
        elif now >= self.first_above_time:
            ok_to_drop = True
        return packet, ok_to_drop

    def dequeue(self, now):
        packet, ok_to_drop = self.dodequeue(now)
        if self.dropping:
            if not ok_to_drop:
                self.dropping = False
            while now >= self.drop_next and self.dropping:
                self.count += 1
                if self.model.mark_or_drop(packet, self.ecn):
                    self.drop_next = self.control_law(self.drop_next)
                    return packet
                packet, ok_to_drop = self.dodequeue(now)
                if not ok_to_drop:
                    self.dropping = False
                else:
                    self.drop_next = self.control_law(self.drop_next)
        elif ok_to_drop:
            if not self.model.mark_or_drop(packet, self.ecn):
                packet, _ = self.dodequeue(now)
            self.dropping = True
            if self.rule == "since_entry":
                delta = self.count - self.lastcount
                near = now - self.drop_next < 16 * self.interval
                self.count = delta if delta > 1 and near else 1
            else:
                near = now - self.drop_next < 8 * self.interval
                self.count = self.count - 2 if self.count > 2 and near else 1
            self.drop_next = self.control_law(now)
            self.lastcount = self.count
        return packet


class CoDel(Model):
    """One queue under the law."""

    def __init__(self, limit, **options):
        super().__init__()
        self.packets = deque()
        self.limit = limit
        self.law = Law(self, self, **options)

    def pop(self):
        return self.packets.popleft() if self.packets else None

    def bytes(self):
        return sum(packet.size for packet in self.packets)

    def enqueue(self, now, packet):
        if len(self.packets) >= self.limit:
            self.end(packet)
            return
        self.law.arrived(packet)
        self.packets.append(packet)

    def dequeue(self, now):
        return self.law.dequeue(now)

    def show(self):
        return [f"count={self.law.count}", f"dropping={int(self.law.dropping)}"]


def traces():
    """Drops, marks, and the older count rule."""
    keys = {"limit": "200 pkts"}
    yield "codel", "rfc", CoDel(200), keys, {"count": 2000, "spell": 400}
    mixed = {"count": 2000, "sizes": (576, 1000, 1500), "ecn": (None, 0, 0, 1), "spell": 400}
    yield "codel", "mixed_ecn", CoDel(200, ecn=True), {**keys, "ecn": "true"}, mixed
    older = {**keys, "count_rule": "minus_two", "resume_intervals": "8", "mtu": "1500 B"}
    yield (
        "codel",
        "minus_two",
        CoDel(200, rule="minus_two", maxpacket=1500),
        older,
        {"count": 2000, "spell": 400},
    )
