"""COBALT: CoDel whose count falls as it rose, combined with BLUE."""

import math
from collections import deque

from reference.line import Model

MS = 1_000_000


class Cobalt(Model):
    """One queue. `count`, `drop_next` are CoDel's; `p_drop`, `blue_timer` are BLUE's."""

    def __init__(self, limit, ecn=False, target=5 * MS, interval=100 * MS):
        super().__init__()
        self.packets = deque()
        self.limit, self.ecn, self.target, self.interval = limit, ecn, target, interval
        self.count, self.drop_next, self.dropping = 0, 0, False
        self.p_drop, self.blue_timer = 0.0, 0

    def control_law(self, t):
        return t + math.floor(self.interval / math.sqrt(max(self.count, 1)) + 0.5)

    def enqueue(self, now, packet):
        if len(self.packets) < self.limit:
            self.packets.append(packet)
            return
        self.overflowed(now)
        self.end(packet)

    def overflowed(self, now):
        if now - self.blue_timer > self.target:
            self.p_drop, self.blue_timer = min(self.p_drop + 1 / 256, 1.0), now
        self.dropping, self.drop_next, self.count = True, now, max(self.count, 1)

    def slot_falls(self):
        self.count -= 1
        self.drop_next = self.control_law(self.drop_next)

    def dequeue(self, now):
        while self.packets:
            packet = self.packets.popleft()
            if self.passes(packet, now):
                return packet
        if self.p_drop > 0 and now - self.blue_timer > self.target:
            self.p_drop, self.blue_timer = max(self.p_drop - 1 / 4096, 0.0), now
        self.dropping = False
        if self.count > 0 and now >= self.drop_next:
            self.slot_falls()
        return None

    def passes(self, packet, now):
        late = now - packet.enqueued > self.target
        due = self.count > 0 and now >= self.drop_next
        if late and not self.dropping:
            self.dropping, self.count = True, max(self.count, 1)
            self.drop_next = self.control_law(now)
        if not late:
            self.dropping = False
        signal = due and self.dropping
        if signal:
            self.count += 1
            self.drop_next = self.control_law(self.drop_next)
        else:
            while due and self.count > 0 and now >= self.drop_next:
                self.slot_falls()
        blue = self.chance(self.p_drop)
        marks = signal and self.ecn and packet.ecn is not None
        if self.count == 0:
            self.drop_next = now + self.interval
        elif now > self.drop_next and not blue and (marks or not signal):
            self.drop_next = now
        if blue:
            self.end(packet)
            return False
        return not signal or self.mark_or_drop(packet, self.ecn)

    def show(self):
        return [f"count={self.count}", f"p_drop={self.p_drop!r}"]


def traces():
    """A buffer that CoDel keeps from overflowing, and one that it does not."""
    like = {"count": 2000, "spell": 400}
    yield "cobalt", "codel", Cobalt(300), {"limit": "300 pkts"}, like
    ecn = {**like, "ecn": (None, 0), "sizes": (576, 1500)}
    yield "cobalt", "blue_ecn", Cobalt(40, ecn=True), {"limit": "40 pkts", "ecn": "true"}, ecn
