"""CAKE, slow and plain: a shaper over tins, in each tin flows in turn, each under COBALT as Linux counts it.

Every flow has a queue of its own (no hash), and hosts are counted by looking at all queues.
"""

import math

from reference.cobalt import MS, Cobalt
from reference.line import Model

FRAME = 1514
#: Shares of the rate in 65536ths, and the tin of a code point, of four tins; all others are best effort.
FOUR = (65536, 4096, 32768, 16384)
#: By isolation mode: the fields that packets of one queue share, and the hosts that divide the quantum.
TAGS = {
    "flowblind": lambda packet: 0,
    "srchost": lambda packet: packet.hosts[0],
    "dsthost": lambda packet: packet.hosts[1],
    "hosts": lambda packet: packet.hosts,
}
SIDES = {"dual_srchost": (0,), "dual_dsthost": (1,), "triple": (0, 1)}
BULK, VIDEO, VOICE = (1, 8), (4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38), (32, 40, 44, 46, 48, 56)


def tin_of(code):
    """The place of a code point among four tins."""
    return 1 if code in BULK else 2 if code in VIDEO else 3 if code in VOICE else 0


class Queue(Cobalt):
    """A flow. Its first signal comes at once; `1/sqrt(count)` is a fraction of 2^32, exact below 16, then by Newton."""

    def __init__(self, tin, ecn):
        super().__init__(math.inf, ecn, tin.target, tin.interval)
        self.tin, self.seasoned, self.inv_sqrt = tin, False, 2**32 - 1
        self.place, self.deficit, self.due, self.hosts = "idle", 0, 0, (0, 0)
        self.fates, self.draws = tin.fates, tin.draws

    def end(self, packet):
        super().end(packet)
        if self.tin.ingress:
            self.deficit -= packet.size
            self.tin.crossed(packet.size)

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
        self.tin.now = now
        late = now - packet.enqueued > max(self.target, self.tin.tolerated())
        due = self.count > 0 and now >= self.drop_next
        # After a pause the kernel compares with the old schedule, by which a signal is overdue.
        paused = self.count == 0 and now > self.drop_next
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
        elif (paused or now > self.drop_next) and (marks or not signal):
            self.drop_next = now
        if not signal or (last and not marks):
            return True
        return self.mark_or_drop(packet, self.ecn)

    def rests(self, now):
        return self.count == 0 and now >= self.drop_next


class Tin:
    """A tin: its terms, and its flows in three lists."""

    def __init__(self, model, rate, share, isolate, ingress):
        self.model, self.isolate, self.ingress, self.now = model, isolate, ingress, 0
        self.rate = rate * share >> 16
        frame = FRAME * 8_000_000_000 // self.rate
        self.target = max(5 * MS, frame * 3 // 2)
        self.interval = max(100 * MS + self.target - 5 * MS, 2 * self.target)
        self.least, self.quantum = 4 * frame, min(max(self.rate // 8 >> 12, 300), FRAME)
        self.fates, self.draws = model.fates, model.draws
        self.flows, self.sparse, self.bulk, self.resting, self.next = {}, [], [], [], 0
        # Queues that skip rounds, the number of the round, and turns that are left of it.
        self.away, self.round, self.left = [], 0, 0

    def waiting(self):
        return sum(len(queue.packets) for queue in self.flows.values())

    def tolerated(self):
        """Sojourn that is no queue: four frames, and in ingress mode two for each queue that stands."""
        standing = sum(queue.place == "bulk" for queue in self.flows.values())
        return max(self.least, self.least // 2 * standing) if self.ingress else self.least

    def crossed(self, size):
        """Charges the tin and the shaper for bytes that have used the link, whether they are sent or not."""
        own = size * 8_000_000_000 // self.rate
        self.next = self.next + own if self.next < self.now else max(self.next, self.now + own)
        self.model.next += size * 8_000_000_000 // self.model.rate

    def load(self, queue):
        """Queues that stand of the busier of its hosts."""
        standing = [other for other in self.flows.values() if other.place == "bulk"]
        counts = [
            sum(other.hosts[side] == queue.hosts[side] for other in standing)
            for side in SIDES.get(self.isolate, ())
        ]
        return max([1, *counts])

    def push(self, packet, ecn):
        tag = TAGS.get(self.isolate, lambda packet: packet.flow)(packet)
        queue = self.flows.setdefault(tag, Queue(self, ecn))
        queue.packets.append(packet)
        if queue.place == "waits":
            queue.place = "bulk"
        if queue.place in ("idle", "rests"):
            if queue.place == "rests":
                self.resting.remove(queue)
            else:
                queue.hosts = packet.hosts
            queue.place = "sparse"
            queue.deficit = max(1, self.quantum // self.load(queue))
            self.sparse.append(queue)

    def begin_round(self):
        if self.away:
            self.round = self.round + 1 if self.bulk else min(queue.due for queue in self.away)
            self.bulk += [queue for queue in self.away if queue.due == self.round]
            self.away = [queue for queue in self.away if queue.due != self.round]
        self.left = len(self.bulk)

    def turn(self, first):
        if first and self.resting:
            return self.resting[0]
        while self.sparse or self.bulk or self.away:
            if not self.sparse and self.left == 0:
                self.begin_round()
            ring = self.sparse or self.bulk
            queue = ring[0]
            if queue.deficit > 0:
                return queue
            self.leave(queue)
            if queue.place == "sparse":
                queue.place = "bulk" if queue.packets else "waits"
            queue.deficit += self.quantum
            rounds = self.load(queue)
            queue.due = self.round + rounds
            (self.bulk if rounds == 1 else self.away).append(queue)
        return None

    def leave(self, queue):
        for ring in (self.sparse, self.bulk, self.resting):
            if queue in ring:
                ring.remove(queue)
                self.left -= ring is self.bulk

    def emptied(self, queue, now):
        self.leave(queue)
        queue.place = "idle" if queue.rests(now) else "rests"
        if queue.place == "rests":
            self.resting.append(queue)


class Cake(Model):
    """Tins under a shaper. With four tins the flow of a packet is its code point."""

    def __init__(self, rate, overhead, ecn, shares=FOUR, isolate="flows", ingress=False):
        super().__init__()
        self.rate, self.overhead, self.ecn, self.next = rate, overhead, ecn, 0
        self.ingress, self.failsafe = ingress, 0
        self.tins = [Tin(self, rate, share, isolate, ingress) for share in shares]

    def waiting(self):
        return sum(tin.waiting() for tin in self.tins)

    def enqueue(self, now, packet):
        tin = self.tins[tin_of(packet.flow) if len(self.tins) == 4 else 0]
        if not tin.waiting():
            tin.next = max(tin.next, now)
            if not self.waiting() and self.next < now:
                self.next = self.failsafe = now
        tin.push(packet, self.ecn)

    def due(self, now):
        busy = [tin for tin in self.tins if tin.sparse or tin.bulk or tin.away]
        within = [tin for tin in busy if tin.next <= now]
        return within[-1] if within else min(reversed(busy), key=lambda tin: tin.next)

    def dequeue(self, now):
        if (min(self.next, self.failsafe) if self.ingress else self.next) > now:
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
            tin.now = now
            tin.crossed(size)
            self.failsafe += size * 8_000_000_000 // self.rate * 3 // 2
            return packet
        return None


#: Six sources of 1, 2, 4, 8, 1 and 8 flows; each source sends half of its flows to a destination of its own.
OF_SOURCE = [source for source, flows in enumerate((1, 2, 4, 8, 1, 8), start=1) for _ in range(flows)]
HOSTS = [(source, 7 if flow % 2 else 10 + source) for flow, source in enumerate(OF_SOURCE)]


def traces():
    """Four tins, as fast as the line: bulk, best effort, video and voice by their code points. Then one tin by host."""
    keys = {"bandwidth": "8 Mbit/s", "tins": "diffserv4", "isolate": "flows", "limit": "10000 pkts"}
    like = {"count": 2600, "sizes": (200, 1000, 1500), "ecn": (None, 0), "spell": 650}
    yield "cake", "diffserv4", Cake(8_000_000, 0, True), keys, {**like, "flows": 47}
    hosts = {**like, "count": 2000, "spell": 500, "flows": len(HOSTS), "hosts": HOSTS}
    keys = {"bandwidth": "8 Mbit/s", "tins": "besteffort", "limit": "10000 pkts"}
    for isolate in (*TAGS, *SIDES):
        model = Cake(8_000_000, 0, True, (65536,), isolate)
        yield "cake", isolate, model, {**keys, "isolate": isolate}, hosts
    ingress = Cake(8_000_000, 0, True, (65536,), "triple", ingress=True)
    yield "cake", "ingress", ingress, {**keys, "ingress": "true"}, {**hosts, "ecn": (None, None, None, 0)}
