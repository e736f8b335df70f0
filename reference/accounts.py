"""Disciplines with an account of flows: Balanced RED, RED-PD, LUBA.

Balanced RED is written from what is known of Anjum and Tassiulas (1999); LUBA from the abstract of Agarwal, Gupta and
Kargaonkar (2004); RED-PD from Mahajan, Floyd and Wetherall (2001) with the constants that its authors simulate with.
What was open and how it is filled is on the pages of the disciplines. Queues are counted in packets.
"""

import math
from collections import Counter

from reference.line import RATE
from reference.relatives import Plain
from reference.standards import MS, Single

FOREVER = -(10**18)


class Balanced(Single):
    """BRED: `held` and `gap` by flow, kept while the flow has packets here.

    `gap` counts packets accepted since the flow was last dropped.
    """

    def __init__(self, limit, lengths, p1, p2, nested=False, ecn=False):
        super().__init__(limit, ecn)
        self.l1, self.l2, self.wm = lengths
        self.p1, self.p2, self.nested = p1, p2, nested
        self.held, self.gap = Counter(), Counter()

    def probability(self, held, gap):
        if held >= self.wm:
            return 1.0
        if held >= self.l2 and gap >= self.l2:
            return self.p2
        lenient = held >= self.l1 and gap >= self.l1
        return self.p1 if lenient and (self.nested or held < self.l2) else 0.0

    def enqueue(self, now, packet):
        flow = packet.flow
        p = self.probability(self.held[flow], self.gap[flow])
        if self.chance(p):
            self.gap[flow] = 0
            if p >= 1.0 or not self.ecn or packet.ecn is None:
                self.end(packet)
                return
            self.mark_or_drop(packet, True)
            signalled = True
        else:
            signalled = False
        if len(self.queue) >= self.limit:
            self.end(packet)
            self.gap[flow] = 0
            return
        self.queue.append(packet)
        self.held[flow] += 1
        self.gap[flow] += not signalled

    def dequeue(self, now):
        packet = super().dequeue(now)
        if packet is not None:
            self.held[packet.flow] -= 1
            if not self.held[packet.flow]:
                del self.held[packet.flow], self.gap[packet.flow]
        return packet

    def show(self):
        return [f"flows={float(sum(1 for held in self.held.values() if held))!r}"]


class Preferential(Plain):
    """RED-PD, with the round-trip time `r` of its reference flow in seconds.

    A list holds the bytes that RED drops of each flow in an interval. `pace` is the time that one in `needed` of
    `lists` lists takes at the rate of a TCP flow with that round-trip time.
    """

    needed, lists, longest = 3, 5, 50
    min_drop_rate, least, most_down, patience = 0.001, 0.005, 0.05, 400 * MS

    def __init__(self, r):
        super().__init__(30, 5, 15, 0.1, 0.02)
        self.r = r
        self.period = round(10 * r * 1e9)
        self.history, self.lengths = [], []
        self.now_dropped, self.arrived, self.lost = Counter(), 0, 0
        self.p, self.changed = {}, {}
        self.rate, self.filtering = None, False

    def between(self, now, packet):
        congested = self.avg >= self.min_th and self.queue
        self.filtering = congested and self.chance(self.p.get(packet.flow, 0.0))
        if self.filtering:
            self.end(packet)
        else:
            self.arrived += packet.size
        return self.filtering

    def end(self, packet):
        super().end(packet)
        if not self.filtering:
            self.now_dropped[packet.flow] += packet.size
            self.lost += packet.size

    def waited(self, flow, now, intervals):
        """Whether the flow's probability is as it was this number of intervals ago, and for `patience`."""
        span = sum(self.lengths[-intervals:])
        return now - self.changed.get(flow, FOREVER) >= max(span, self.patience)

    def tick(self, now):
        present = self.lost / self.arrived if self.arrived else 0.0
        self.rate = present if self.rate is None else 0.5 * present + 0.5 * self.rate
        usable = min(present, self.rate)
        largest = sorted(self.now_dropped.items(), key=lambda row: (-row[1], row[0]))[: self.longest]
        self.history = [*self.history, dict(largest)][-self.lists :]
        self.lengths = [*self.lengths, self.period][-self.lists :]
        if present > self.min_drop_rate:
            self.tighten(now, usable)
        self.loosen(now)
        self.period = self.pace()
        self.now_dropped, self.arrived, self.lost = Counter(), 0, 0

    def tighten(self, now, usable):
        times = Counter(flow for entry in self.history for flow in entry)
        regular = {
            flow: sum(entry.get(flow, 0) for entry in self.history)
            for flow in sorted(times)
            if times[flow] >= self.needed
        }
        for flow, dropped in regular.items():
            if flow not in self.now_dropped or not self.waited(flow, now, 4):
                continue
            step = usable * dropped / (sum(regular.values()) / len(regular))
            if flow in self.p:
                old = self.p[flow]
                new = old + min(step, old)
                self.p[flow] = (1 + old) / 2 if new > 1 else new
            else:
                self.p[flow] = min(step, 2 * usable, 0.5)
            self.changed[flow] = now

    def loosen(self, now):
        seen = {flow for entry in self.history for flow in entry}
        for flow in sorted(self.p):
            if flow in seen or not self.waited(flow, now, 3):
                continue
            if self.p[flow] <= self.least:
                del self.p[flow], self.changed[flow]
            else:
                down = self.most_down if self.p[flow] > 2 * self.most_down else self.p[flow] / 2
                self.p[flow] -= down
                self.changed[flow] = now

    def pace(self):
        longest = 10 * self.r
        if self.rate == 0:
            return round(longest * 1e9)
        length = self.needed / self.lists * self.r / math.sqrt(1.5 * self.rate)
        return round(min(max(length, 2 * self.r), longest) * 1e9)

    def show(self):
        rate = 0.0 if self.rate is None else self.rate
        highest = max(self.p.values(), default=0.0)
        return [f"drop_rate={rate!r}", f"monitored={float(len(self.p))!r}", f"highest={highest!r}"]


class Utilised(Single):
    """LUBA: while the link is overloaded, what a flow sends beyond its share is dropped."""

    def __init__(self, limit, period, places, weight, tolerance, ecn=False):
        super().__init__(limit, ecn)
        self.period, self.places, self.weight, self.tolerance = period, places, weight, tolerance
        self.bytes, self.rates = {}, {}
        self.arrived, self.load = 0, 0.0

    def capacity(self):
        """Bytes of the link in a period."""
        return RATE / 8 * self.period / 1e9

    def tick(self, now):
        self.load = self.arrived / self.capacity()
        self.arrived = 0
        for flow in list(self.bytes):
            if not self.bytes[flow]:
                del self.bytes[flow], self.rates[flow]
                continue
            old = self.rates[flow]
            new = self.bytes[flow]
            self.rates[flow] = new if old is None else (1 - self.weight) * old + self.weight * new
            self.bytes[flow] = 0

    def excess(self, flow):
        """Share of the flow's rate that lies above what it may send."""
        rate = self.rates.get(flow)
        if self.load <= 1 or not rate:
            return 0.0
        return max(0.0, 1 - self.tolerance * self.capacity() / len(self.rates) / rate)

    def enqueue(self, now, packet):
        self.arrived += packet.size
        if packet.flow in self.bytes:
            self.bytes[packet.flow] += packet.size
        elif len(self.bytes) < self.places:
            self.bytes[packet.flow], self.rates[packet.flow] = packet.size, None
        if not self.chance(self.excess(packet.flow)) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def show(self):
        return [f"load={self.load!r}", f"flows={float(len(self.bytes))!r}"]


LIKE = {"count": 900, "sizes": (40, 576, 1000, 1500), "spell": 100}
FLOWS = {**LIKE, "flows": 4}
MIXED = {**FLOWS, "ecn": (None, 0)}


def traces():
    """Drops and marks of each, with settings that a short trace feels."""
    red = {"limit": "30 pkts", "min_th": "5 pkts", "max_th": "15 pkts", "max_p": "0.1", "w_q": "0.02"}
    bred = {"limit": "24 pkts", "l1": "2", "l2": "4", "w_m": "8", "p1": "0.3", "p2": "0.6"}
    yield "bred", "exclusive", Balanced(24, (2, 4, 8), 0.3, 0.6), bred, FLOWS
    nested = {**bred, "regions": "nested", "ecn": "true"}
    yield "bred", "nested", Balanced(24, (2, 4, 8), 0.3, 0.6, True, True), nested, MIXED
    red_pd = {**red, "target_rtt": "8 ms"}
    yield "red_pd", "lists", Preferential(0.008), red_pd, {**FLOWS, "count": 4000, "spell": 700}
    luba = {"limit": "20 pkts", "period": "50 ms", "places": "3", "weight": "0.25", "tolerance": "1"}
    yield "luba", "drops", Utilised(20, 50 * MS, 3, 0.25, 1), luba, FLOWS
    marks = {**luba, "places": "100", "tolerance": "1.25", "ecn": "true"}
    yield "luba", "marks", Utilised(20, 50 * MS, 100, 0.25, 1.25, True), marks, MIXED
