"""Schedulers with a discipline in each queue, slow and plain: DRR over CoDel, bands of strict priority.

An inner discipline is asked for a packet only when its queue is to send; DRR stores that packet until the deficit
suffices. A queue that has sent its last packet is asked once more when the line is free, and so learns that it is idle.
"""

from reference.codel import CoDel
from reference.hashed import LIKE, mix
from reference.line import Model


class Plain:
    """First in, first out."""

    def __init__(self):
        self.packets = []

    def enqueue(self, now, packet):
        self.packets.append(packet)

    def dequeue(self, now):
        return self.packets.pop(0) if self.packets else None


class Inner:
    """A queue of a scheduler: a discipline, and the packet it has let go of and the scheduler has not sent."""

    def __init__(self, outer, inside):
        self.inside, self.held, self.deficit = inside, None, 0
        if isinstance(inside, Model):
            inside.fates, inside.draws = outer.fates, outer.draws

    def packets(self):
        return [*([self.held] if self.held else []), *self.inside.packets]

    def head(self, now):
        if self.held is None:
            self.held = self.inside.dequeue(now)
        return self.held

    def take(self, now):
        packet, self.held = self.head(now), None
        return packet


class Nested(Model):
    """Parts that both schedulers share."""

    def __init__(self, limit):
        super().__init__()
        self.limit, self.queues, self.emptied = limit, {}, None

    def waiting(self):
        return sum(len(queue.packets()) for queue in self.queues.values())

    def idle(self, now):
        """The line is free: the queue that it emptied learns that."""
        if self.emptied is not None and not self.emptied.packets():
            assert self.emptied.take(now) is None
        self.emptied = None

    def sent(self, queue, packet):
        self.emptied = None if queue.packets() else queue
        return packet


class Drr(Nested):
    """Shreedhar and Varghese 1995, with CoDel in each queue."""

    def __init__(self, limit, buckets, quantum, inside):
        super().__init__(limit)
        self.buckets, self.quantum, self.inside = buckets, quantum, inside
        self.ring, self.served = [], None

    def enqueue(self, now, packet):
        while self.waiting() >= self.limit:
            longest = max(self.ring, key=lambda place: sum(p.size for p in self.queues[place].packets()))
            victim = self.queues[longest].take(now)
            if victim is not None:
                self.end(victim)
            self.tidy(longest)
        place = mix(packet.flow) % self.buckets
        queue = self.queues.setdefault(place, Inner(self, self.inside()))
        if not queue.packets():
            queue.deficit = 0
        queue.inside.enqueue(now, packet)
        if place not in self.ring and queue.packets():
            self.ring.append(place)

    def tidy(self, place):
        if not self.queues[place].packets():
            self.queues[place].deficit = 0
            self.ring.remove(place)
            if self.served == place:
                self.served = None

    def dequeue(self, now):
        self.idle(now)
        while self.ring:
            place = self.ring[0]
            queue = self.queues[place]
            if self.served != place:
                self.served = place
                queue.deficit += self.quantum
            packet = queue.head(now)
            if packet is None:
                self.tidy(place)
            elif packet.size <= queue.deficit:
                queue.deficit -= packet.size
                queue.take(now)
                self.tidy(place)
                return self.sent(queue, packet)
            else:
                self.ring.append(self.ring.pop(0))
                self.served = None
        return None


class Prio(Nested):
    """Bands in order; the flow of a packet is its class here, and class 0 is the least urgent."""

    def __init__(self, limit, insides):
        super().__init__(limit)
        self.queues = {band: Inner(self, inside) for band, inside in enumerate(insides)}

    def enqueue(self, now, packet):
        last = len(self.queues) - 1
        band = max(0, last - packet.flow)
        while self.waiting() >= self.limit:
            below = [i for i in range(last, band, -1) if self.queues[i].packets()]
            if not below:
                self.end(packet)
                return
            victim = self.queues[below[0]].take(now)
            if victim is not None:
                self.end(victim)
        self.queues[band].inside.enqueue(now, packet)

    def dequeue(self, now):
        self.idle(now)
        for queue in self.queues.values():
            packet = queue.take(now)
            if packet is not None:
                return self.sent(queue, packet)
        return None


def traces():
    """DRR over CoDel; three bands, the middle one under CoDel."""
    drr = {"limit": "300 pkts", "queues": "5", "quantum": "800 B", "child": "codel"}
    long = {"count": 2400, "sizes": (576, 1000, 1500), "spell": 800, "flows": 4}
    yield "drr", "codel_inside", Drr(300, 5, 800, lambda: CoDel(1000)), drr, long
    yield "prio", "plain", Prio(30, [Plain(), Plain(), Plain()]), {"limit": "30 pkts"}, {**LIKE, "flows": 4}
    bands = {"limit": "200 pkts", "bands": "[plain, codel, plain]"}
    yield "prio", "codel_inside", Prio(200, [Plain(), CoDel(1000), Plain()]), bands, {**long, "flows": 4}
