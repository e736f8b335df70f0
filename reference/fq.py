"""The scheduler of RFC 8290 section 4, with plain lists, over CoDel, COBALT or PIE in each queue."""

from collections import deque

from reference import codel, pie
from reference.cobalt import Cobalt
from reference.line import Model

MASK = 2**64 - 1


def mix(x):
    """The finaliser of splitmix64: our choice of hash, which the RFC leaves open."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


class Queue:
    """One queue: its packets, its deficit, and the law over it."""

    def __init__(self):
        self.packets = deque()
        self.deficit = 0
        self.law = None

    def pop(self):
        return self.packets.popleft() if self.packets else None

    def bytes(self):
        return sum(packet.size for packet in self.packets)


class Scheduler(Model):
    """New queues before old ones, each by its deficit."""

    def __init__(self, flows, perturbation, quantum, limit):
        super().__init__()
        self.queues = [Queue() for _ in range(flows)]
        self.perturbation, self.quantum, self.limit = perturbation, quantum, limit
        self.new, self.old = [], []

    def queue_of(self, packet):
        return self.queues[mix(packet.flow ^ mix(self.perturbation)) * len(self.queues) >> 64]

    def waiting(self):
        return sum(len(queue.packets) for queue in self.queues)

    def store(self, queue, packet):
        queue.packets.append(packet)
        if queue not in self.new and queue not in self.old:
            queue.deficit = self.quantum
            self.new.append(queue)

    def cut_longest(self):
        """The longest queue loses half its bytes, at most 64 packets."""
        longest = max(self.queues, key=Queue.bytes)
        half, gone, count = longest.bytes() // 2, 0, 0
        while True:
            victim = longest.pop()
            self.end(victim)
            gone, count = gone + victim.size, count + 1
            if count == 64 or gone >= half:
                return longest

    def dequeue(self, now):
        while self.new or self.old:
            turns = self.new or self.old
            queue = turns[0]
            if queue.deficit <= 0:
                queue.deficit += self.quantum
                self.old.append(turns.pop(0))
                continue
            packet = self.take(queue, now)
            if packet is not None:
                queue.deficit -= packet.size
                return packet
            turns.pop(0)
            if turns is self.new:
                self.old.append(queue)
        return None

    def show(self):
        return [f"active_flows={len(self.new) + len(self.old)}", f"new_flows={len(self.new)}"]


class FqCoDel(Scheduler):
    """CoDel in each queue; the longest is cut when there is no room."""

    def __init__(self, flows, perturbation, quantum, limit, ecn):
        super().__init__(flows, perturbation, quantum, limit)
        for queue in self.queues:
            queue.law = codel.Law(self, queue, ecn=ecn)

    def enqueue(self, now, packet):
        queue = self.queue_of(packet)
        queue.law.arrived(packet)
        self.store(queue, packet)
        while self.waiting() > self.limit:
            self.cut_longest()

    def take(self, queue, now):
        return queue.law.dequeue(now)


class FqCobalt(Scheduler):
    """COBALT in each queue, with no limit of its own; without room the longest is cut and its COBALT signalled."""

    def __init__(self, flows, perturbation, quantum, limit, ecn, refuses=False):
        super().__init__(flows, perturbation, quantum, limit)
        self.refuses = refuses
        for queue in self.queues:
            queue.law = Cobalt(limit if refuses else float("inf"), ecn=ecn)
            queue.law.fates, queue.law.draws = self.fates, self.draws
            queue.packets = queue.law.packets

    def enqueue(self, now, packet):
        queue = self.queue_of(packet)
        if self.refuses and len(queue.packets) >= self.limit:
            queue.law.enqueue(now, packet)
            return
        self.store(queue, packet)
        while self.waiting() > self.limit:
            longest = self.cut_longest()
            if not self.refuses:
                longest.law.overflowed(now)

    def take(self, queue, now):
        return queue.law.dequeue(now)

    def show(self):
        return [*super().show(), f"highest_p_drop={max(queue.law.p_drop for queue in self.queues)!r}"]


class FqPie(Scheduler):
    """PIE in each queue; the arriving packet is refused when there is no room."""

    period = 15 * pie.MS

    def __init__(self, flows, perturbation, quantum, limit, ecn):
        super().__init__(flows, perturbation, quantum, limit)
        self.ecn = ecn
        for queue in self.queues:
            queue.law = pie.Controller(self)

    def enqueue(self, now, packet):
        queue = self.queue_of(packet)
        if self.waiting() >= self.limit:
            queue.law.accu_prob = 0.0
            self.end(packet)
            return
        if queue.law.drop_early(queue.bytes()) and not self.mark_or_drop(
            packet, self.ecn and queue.law.drop_prob <= 0.1
        ):
            return
        self.store(queue, packet)

    def take(self, queue, now):
        packet = queue.pop()
        if packet is not None:
            queue.law.departed(now, packet, queue.bytes())
        return packet

    def tick(self, now):
        for queue in self.queues:
            queue.law.calculate_drop_prob(queue.bytes())

    def show(self):
        highest = max(queue.law.drop_prob for queue in self.queues)
        return [*super().show(), f"highest_drop_prob={highest!r}"]


def traces():
    """Few queues, so that flows share them; and a small buffer, so that the longest is cut."""
    keys = {"flows": "8", "perturbation": "5", "quantum": "1514 B", "ecn": "true"}
    like = {"count": 2500, "sizes": (100, 576, 1500, 1500), "ecn": (None, None, 0), "flows": 12, "spell": 400}
    yield "fq_codel", "rfc", FqCoDel(8, 5, 1514, 300, True), {"limit": "300 pkts", **keys}, like
    small = {"limit": "60 pkts", **keys, "quantum": "300 B"}
    yield "fq_codel", "small_buffer", FqCoDel(8, 5, 300, 60, True), small, like
    cobalt = {"count": 2500, "sizes": (576, 1500), "ecn": (None, 0), "flows": 3, "spell": 400}
    yield (
        "fq_cobalt",
        "cut_raises_blue",
        FqCobalt(8, 5, 1514, 60, True),
        {**small, "quantum": "1514 B"},
        cobalt,
    )
    silent = {**small, "quantum": "1514 B", "cut_raises_blue": "false", "refuses": "true"}
    yield "fq_cobalt", "refuses", FqCobalt(8, 5, 1514, 60, True, refuses=True), silent, {**cobalt, "flows": 2}
    yield "fq_pie", "rfc", FqPie(8, 5, 1514, 300, True), {"limit": "300 pkts", **keys}, {**like, "flows": 3}
