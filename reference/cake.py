"""CAKE, slow and plain: a shaper over tins, in each tin flows in turn, each under COBALT as Linux counts it.

Every flow has a queue of its own (no hash) and every host is the same one (no division of the quantum).
"""

import math

from reference.cobalt import MS, Cobalt
from reference.line import Model

FRAME = 1514
#: Shares of the rate in 65536ths, and the tin of a code point, of four tins; all others are best effort.
FOUR = (65536, 4096, 32768, 16384)
BULK, VIDEO, VOICE = (1, 8), (4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38), (32, 40, 44, 46, 48, 56)


def tin_of(code):
    """The place of a code point among four tins."""
    return 1 if code in BULK else 2 if code in VIDEO else 3 if code in VOICE else 0


class Queue(Cobalt):
    """A flow. Its first signal comes at once; `1/sqrt(count)` is a fraction of 2^32, exact below 16, then by Newton."""

    def __init__(self, tin, ecn):
        super().__init__(math.inf, ecn, tin.target, tin.interval)
        self.least, self.seasoned, self.inv_sqrt = tin.least, False, 2**32 - 1
        self.place, self.deficit = "idle", 0
        self.fates, self.draws = tin.fates, tin.draws

    def control_law(self, t):
        return t + (self.interval * self.inv_sqrt >> 32)

    def moved(self):
        self.seasoned = True
        if self.count <= 1:
            self.inv_sqrt = 2**32 - 1
        elif self.count < 16:
            self.inv_sqrt = int(2**32 / math.sqrt(self.count))
        else:
            y = self.inv_sqrt
            rest = max(0, (3 << 32) - self.count * (y * y >> 32))
            self.inv_sqrt = min((rest >> 2) * y >> 31, 2**32 - 1)

    def slot_falls(self):
        self.count -= 1
        self.moved()
        self.drop_next = self.control_law(self.drop_next)

    def passes(self, packet, now):
        last = not self.packets
        late = now - packet.enqueued > max(self.target, self.least)
        due = self.count > 0 and now >= self.drop_next
        if late and not self.dropping:
            self.dropping, self.count = True, max(self.count, 1)
            self.drop_next = self.control_law(now) if self.seasoned else now
        if not late:
            self.dropping = False
        signal = due and self.dropping
        if signal:
            self.count += 1
            self.moved()
            self.drop_next = self.control_law(self.drop_next)
        else:
            while due and self.count > 0 and now >= self.drop_next:
                self.slot_falls()
        marks = signal and self.ecn and packet.ecn is not None
        if self.count == 0:
            self.drop_next = now + self.interval
        elif now > self.drop_next and (marks or not signal):
            self.drop_next = now
        if not signal or (last and not marks):
            return True
        return self.mark_or_drop(packet, self.ecn)

    def rests(self, now):
        return self.count == 0 and now >= self.drop_next


class Tin:
    """A tin: its terms, and its flows in three lists."""

    def __init__(self, model, rate, share):
        self.rate = rate * share >> 16
        frame = FRAME * 8_000_000_000 // self.rate
        self.target = max(5 * MS, frame * 3 // 2)
        self.interval = max(100 * MS + self.target - 5 * MS, 2 * self.target)
        self.least, self.quantum = 4 * frame, min(max(self.rate // 8 >> 12, 300), FRAME)
        self.fates, self.draws = model.fates, model.draws
        self.flows, self.sparse, self.bulk, self.resting, self.next = {}, [], [], [], 0

    def waiting(self):
        return sum(len(queue.packets) for queue in self.flows.values())

    def push(self, packet, ecn):
        queue = self.flows.setdefault(packet.flow, Queue(self, ecn))
        queue.packets.append(packet)
        if queue.place == "waits":
            queue.place = "bulk"
        if queue.place in ("idle", "rests"):
            if queue.place == "rests":
                self.resting.remove(queue)
            queue.place, queue.deficit = "sparse", self.quantum
            self.sparse.append(queue)

    def turn(self, first):
        if first and self.resting:
            return self.resting[0]
        while self.sparse or self.bulk:
            ring = self.sparse or self.bulk
            queue = ring[0]
            if queue.deficit > 0:
                return queue
            if queue.place == "sparse":
                queue.place = "bulk" if queue.packets else "waits"
            queue.deficit += self.quantum
            self.bulk.append(ring.pop(0))
        return None

    def emptied(self, queue, now):
        for ring in (self.sparse, self.bulk, self.resting):
            if queue in ring:
                ring.remove(queue)
        queue.place = "idle" if queue.rests(now) else "rests"
        if queue.place == "rests":
            self.resting.append(queue)


class Cake(Model):
    """Four tins under a shaper; the flow of a packet is its code point."""

    def __init__(self, rate, overhead, ecn):
        super().__init__()
        self.rate, self.overhead, self.ecn, self.next = rate, overhead, ecn, 0
        self.tins = [Tin(self, rate, share) for share in FOUR]

    def waiting(self):
        return sum(tin.waiting() for tin in self.tins)

    def enqueue(self, now, packet):
        tin = self.tins[tin_of(packet.flow)]
        if not tin.waiting():
            tin.next = max(tin.next, now)
            if not self.waiting():
                self.next = max(self.next, now)
        tin.push(packet, self.ecn)

    def due(self, now):
        busy = [tin for tin in self.tins if tin.sparse or tin.bulk]
        within = [tin for tin in busy if tin.next <= now]
        return within[-1] if within else min(reversed(busy), key=lambda tin: tin.next)

    def dequeue(self, now):
        if self.next > now:
            return None
        first = True
        while self.waiting():
            tin = self.due(now)
            queue = tin.turn(first)
            first = False
            if queue is None:
                continue
            packet = queue.dequeue(now)
            if packet is None:
                tin.emptied(queue, now)
                continue
            size = packet.size + self.overhead
            queue.deficit -= size
            own = size * 8_000_000_000 // tin.rate
            tin.next = tin.next + own if tin.next < now else max(tin.next, now + own)
            self.next += size * 8_000_000_000 // self.rate
            return packet
        return None


def traces():
    """Four tins, as fast as the line: bulk, best effort, video and voice by their code points."""
    keys = {"bandwidth": "8 Mbit/s", "tins": "diffserv4", "isolate": "flows", "limit": "10000 pkts"}
    like = {"count": 2600, "sizes": (200, 1000, 1500), "ecn": (None, 0), "spell": 650}
    yield "cake", "diffserv4", Cake(8_000_000, 0, True), keys, {**like, "flows": 47}
