"""REDs that know flows: xCHOKe, LRU-RED and SHRED.

xCHOKe is written from how later papers describe Chhabra et al. (2002), LRU-RED from the abstracts of Smitha, Kim and
Reddy (2001) and of those that improve on it, SHRED from the abstract of Claypool, Kinicki and Hartling (2004) and what
is known of its two equations. What was open is on the pages of the disciplines. Queues are counted in packets.
"""

from collections import Counter

from reference.relatives import Plain
from reference.standards import MS


class ExtendedChoke(Plain):
    """xCHOKe: a match of CHOKe is a hit of its flow, and hits are a probability."""

    def __init__(self, places, p_hit, forget, doubling=False, always=True):
        super().__init__(30, 5, 15, 0.1, 0.02)
        self.places, self.p_hit, self.period = places, p_hit, forget
        self.doubling, self.always = doubling, always
        self.hits = Counter()

    def probability(self, flow):
        hits = self.hits[flow]
        if not hits:
            return 0.0
        return min(1.0, self.p_hit * 2.0 ** (hits - 1) if self.doubling else self.p_hit * hits)

    def between(self, now, packet):
        congested = self.avg >= self.min_th
        if (congested or self.always) and self.chance(self.probability(packet.flow)):
            self.end(packet)
            # The average has counted the idle time until this arrival.
            self.q_time = now if not self.queue else self.q_time
            return True
        if not congested or not self.queue:
            return False
        drawn = int(self.uniform() * len(self.queue))
        if self.queue[drawn].flow != packet.flow:
            return False
        if self.hits[packet.flow] or sum(1 for hits in self.hits.values() if hits) < self.places:
            self.hits[packet.flow] += 1
        self.end(self.queue.pop(drawn))
        self.end(packet)
        if not self.queue:
            self.q_time = now
        return True

    def tick(self, now):
        for flow in list(self.hits):
            self.hits[flow] -= 1
            if self.hits[flow] <= 0:
                del self.hits[flow]

    def show(self):
        return [f"avg={self.avg!r}", f"listed={float(sum(1 for hits in self.hits.values() if hits))!r}"]


class LeastRecentlyUsed(Plain):
    """LRU-RED: packets of the flows that a small cache holds are counted, and max_p grows with the count."""

    def __init__(self, places, admit, threshold, halve):
        super().__init__(30, 5, 15, 0.1, 0.02)
        self.base, self.places, self.admit, self.threshold = self.max_p, places, admit, threshold
        self.period = halve
        self.cache = []  # [flow, packets], the latest first

    def between(self, now, packet):
        self.max_p = self.base
        here = [row for row in self.cache if row[0] == packet.flow]
        if here:
            here[0][1] += 1
            self.cache.remove(here[0])
            self.cache.insert(0, here[0])
            if here[0][1] > self.threshold:
                self.max_p = min(1.0, self.base * here[0][1] / self.threshold)
        elif self.chance(self.admit):
            self.cache = [[packet.flow, 1], *self.cache][: self.places]
        return False

    def tick(self, now):
        for row in self.cache:
            row[1] //= 2

    def show(self):
        most = max((row[1] for row in self.cache), default=0)
        return [f"avg={self.avg!r}", f"cached={float(len(self.cache))!r}", f"most={float(most)!r}"]


class ShortFriendly(Plain):
    """SHRED: the lower threshold rises and max_p falls for packets of a window below the mean one."""

    def __init__(self, rtt, w_c, scaled_up=False):
        super().__init__(30, 5, 15, 0.1, 0.02)
        self.period, self.w_c, self.scaled_up = rtt, w_c, scaled_up
        self.own = self.min_th, self.max_p
        self.last, self.present, self.mean = Counter(), Counter(), None

    def between(self, now, packet):
        self.present[packet.flow] += 1
        window = max(self.last[packet.flow], self.present[packet.flow])
        self.mean = window if self.mean is None else (1 - self.w_c) * self.mean + self.w_c * window
        min_th, max_p = self.own
        share = window / self.mean
        if share < 1:
            min_th = min_th + (self.max_th - min_th) * (1 - share)
            max_p = max_p * share
        elif self.scaled_up:
            max_p = min(1.0, max_p * share)
        self.min_th, self.max_p = min_th, max_p
        return False

    def tick(self, now):
        self.last, self.present = self.present, Counter()

    def show(self):
        return [f"avg={self.avg!r}", f"mean_window={float(self.mean or 0)!r}", f"max_p={self.max_p!r}"]


FLOWS = {"count": 2500, "sizes": (576, 1000, 1500), "flows": 4, "spell": 400}


def traces():
    """Each with the options that its sources leave open."""
    red = {"limit": "30 pkts", "min_th": "5 pkts", "max_th": "15 pkts", "max_p": "0.1", "w_q": "0.02"}
    keys = {**red, "places": "3", "p_hit": "0.1", "forget": "50 ms"}
    yield "xchoke", "always", ExtendedChoke(3, 0.1, 50 * MS), keys, FLOWS
    other = {**keys, "growth": "doubling", "filtered": "congested"}
    yield "xchoke", "congested", ExtendedChoke(3, 0.1, 50 * MS, True, False), other, FLOWS
    keys = {**red, "places": "2", "admit": "0.05", "threshold": "15", "halve": "100 ms"}
    yield "lru_red", "small_cache", LeastRecentlyUsed(2, 0.05, 15, 100 * MS), keys, FLOWS
    keys = {**red, "rtt": "30 ms", "w_c": "0.02"}
    yield "shred", "edge", ShortFriendly(30 * MS, 0.02), keys, FLOWS
    yield "shred", "scaled", ShortFriendly(30 * MS, 0.02, True), {**keys, "above_mean": "scaled"}, FLOWS
