"""Disciplines that hash flows: SFB, DRR, SFQ, each slow and plain."""

from reference.line import Model


def mix(x):
    """The finaliser of splitmix64."""
    mask = 2**64 - 1
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)


class Sfb(Model):
    """Bins of BLUE; `first` counts the sets so far. Bins are counted from the packets that wait."""

    def __init__(self, limit, levels, bins, target, most, ecn, rehash, warmup, step=0.02):
        super().__init__()
        self.limit, self.levels, self.bins, self.target, self.most = limit, levels, bins, target, most
        self.ecn, self.rehash, self.warmup, self.step, self.queue = ecn, rehash, warmup, step, []
        self.first, self.at, self.p_m = 0, rehash, {}
        self.tokens, self.filled = 20.0, 0

    def bin(self, salt, flow, level):
        return salt, level, mix(flow ^ mix(salt << 8 | level)) % self.bins

    def qlen(self, place):
        return sum(self.bin(place[0], waiting.flow, place[1]) == place for waiting in self.queue)

    def learn(self, salt, flow):
        places = [self.bin(salt, flow, level) for level in range(self.levels)]
        lens = [self.qlen(place) for place in places]
        for place, qlen in zip(places, lens, strict=True):
            p = self.p_m.get(place, 0.0)
            if qlen == 0:
                p = max(0.0, p - self.step / 10)
            elif qlen >= self.target:
                p = min(1.0, p + self.step)
            self.p_m[place] = p
        return min(self.p_m[place] for place in places), min(lens)

    def enqueue(self, now, packet):
        while now >= self.at:
            self.first += 1
            self.at += self.rehash
        if len(self.queue) >= self.limit:
            self.end(packet)
            return
        p_min, fullest = self.learn(self.first, packet.flow)
        unresponsive = p_min >= 1 and fullest < self.most
        if unresponsive and now + self.warmup >= self.at:
            self.learn(self.first + 1, packet.flow)
        if self.passes(now, packet, p_min, fullest):
            self.queue.append(packet)

    def passes(self, now, packet, p_min, fullest):
        if fullest >= self.most:
            self.end(packet)
            return False
        if p_min >= 1:
            self.tokens = min(20.0, self.tokens + 10 * (now - self.filled) * 1e-9)
            self.filled = now
            if self.tokens >= 1:
                self.tokens -= 1
                return True
            self.end(packet)
            return False
        if p_min <= 0:
            return True
        u = self.uniform()
        if u >= p_min:
            return True
        return self.mark_or_drop(packet, self.ecn and not (p_min > 0.5 and u < 2 * (p_min - 0.5)))

    def dequeue(self, now):
        return self.queue.pop(0) if self.queue else None


#: Number that packets of one queue share, by the fields they have in common.
KEYS = {
    "flow": lambda packet: packet.flow,
    "source": lambda packet: packet.hosts[0],
    "destination": lambda packet: packet.hosts[1],
}


class Fair(Model):
    """Parts that DRR and SFQ share: buckets, and a ring of those that hold packets."""

    def __init__(self, limit, buckets, by="flow"):
        super().__init__()
        self.limit, self.buckets, self.key = limit, buckets, KEYS[by]
        self.queues, self.ring = {}, []

    def bucket(self, packet):
        return mix(self.key(packet)) % self.buckets

    def held(self):
        return sum(len(queue) for queue in self.queues.values())

    def add(self, packet):
        place = self.bucket(packet)
        queue = self.queues.setdefault(place, [])
        if not queue:
            self.ring.append(place)
        queue.append(packet)

    def take(self, place, newest=False):
        packet = self.queues[place].pop(-1 if newest else 0)
        if not self.queues[place]:
            self.ring.remove(place)
        return packet


class Drr(Fair):
    """Shreedhar and Varghese 1995, Figure 2; overflow takes the head of the queue with most bytes."""

    def __init__(self, limit, buckets, quantum, by="flow"):
        super().__init__(limit, buckets, by)
        self.quantum, self.deficit, self.served = quantum, {}, None

    def enqueue(self, now, packet):
        while self.held() >= self.limit:
            size = {place: sum(waiting.size for waiting in self.queues[place]) for place in self.ring}
            longest = max(self.ring, key=lambda place: size[place])
            self.end(self.take(longest))
            self.gone(longest)
        self.add(packet)

    def gone(self, place):
        if not self.queues[place]:
            self.deficit[place] = 0
            if self.served == place:
                self.served = None

    def dequeue(self, now):
        while self.ring:
            place = self.ring[0]
            if self.served != place:
                self.served = place
                self.deficit[place] = self.deficit.get(place, 0) + self.quantum
            if self.queues[place][0].size <= self.deficit[place]:
                packet = self.take(place)
                self.deficit[place] -= packet.size
                self.gone(place)
                return packet
            self.ring.append(self.ring.pop(0))
            self.served = None
        return None


class Sfq(Fair):
    """Sixteen buckets, one packet of each in turn, and ns-2's rule for the buffer."""

    def enqueue(self, now, packet):
        own = len(self.queues.get(self.bucket(packet), []))
        free = self.limit - self.held()
        share = self.limit // max(1, len(self.ring))
        if free == 0 or 2 * own >= max(free, 2) or (free < self.buckets and own > share):
            self.end(packet)
        else:
            self.add(packet)

    def dequeue(self, now):
        if not self.ring:
            return None
        place = self.ring[0]
        packet = self.take(place)
        if self.queues[place]:
            self.ring.append(self.ring.pop(0))
        return packet


LIKE = {"count": 900, "sizes": (40, 576, 1000, 1500), "spell": 100}
LONG = {**LIKE, "count": 2500, "spell": 300}
MARKS = {**LIKE, "ecn": (None, 0, 1)}


def traces():
    """One or two for each."""
    sfb = {"limit": "60 pkts", "levels": "3", "bins": "5", "target": "4", "max": "8", "increment": "0.02"}
    sfb |= {"decrement": "0.002", "rehash": "200 ms", "warmup": "60 ms", "ecn": "true"}
    model = Sfb(60, 3, 5, 4, 8, True, 200_000_000, 60_000_000)
    yield "sfb", "bins", model, sfb, {**MARKS, "flows": 12}
    unresponsive = {**sfb, "increment": "0.2", "decrement": "0.02", "max": "30", "rehash": "100 s"}
    model = Sfb(60, 3, 5, 4, 30, True, 100_000_000_000, 60_000_000, step=0.2)
    yield "sfb", "penalty_box", model, unresponsive, {**MARKS, "flows": 2}
    drr = {"limit": "30 pkts", "queues": "7", "quantum": "800 B"}
    yield "drr", "longest_head", Drr(30, 7, 800), drr, {**LIKE, "flows": 9}
    hosts = [(1 + flow % 3, 10 + flow % 2) for flow in range(9)]
    for by in ("source", "destination"):
        keys = {**drr, "by": by}
        yield "drr", f"by_{by}", Drr(30, 7, 800, by), keys, {**LIKE, "flows": 9, "hosts": hosts}
        like = {**LIKE, "flows": 9, "hosts": hosts}
        yield "sfq", f"by_{by}", Sfq(40, 16, by), {"limit": "40 pkts", "by": by}, like
    yield "sfq", "share", Sfq(40, 16), {"limit": "40 pkts"}, {**LONG, "flows": 9}
