"""Disciplines that estimate flows or losses: SRED, DRED, LRED, gCHOKe, Refined Adaptive RED.

SRED is written from published slides on Ott, Lakshman and Wong (1999), which print the list and the estimate, and from
what is known of its probabilities; the others from descriptions of their papers, named on the pages of the
disciplines. Queues are counted in packets.
"""

import math

from reference.relatives import Plain
from reference.standards import MS, Single


class Sred(Single):
    """`zombies` is a list of [flow, count]; nothing is compared until it is full."""

    def __init__(self, limit, m, p_overwrite, p_max, full=True, ecn=False):
        super().__init__(limit, ecn)
        self.m, self.p_overwrite, self.p_max, self.full = m, p_overwrite, p_max, full
        self.zombies, self.p = [], 0.0

    def compare(self, packet):
        if len(self.zombies) < self.m:
            self.zombies.append([packet.flow, 0])
            return 0
        zombie = self.zombies[min(int(self.uniform() * self.m), self.m - 1)]
        hit = int(zombie[0] == packet.flow)
        if hit:
            zombie[1] += 1
        elif self.chance(self.p_overwrite):
            zombie[:] = [packet.flow, 0]
        alpha = self.p_overwrite / self.m
        self.p = (1 - alpha) * self.p + alpha * hit
        return hit

    def enqueue(self, now, packet):
        hit, q = self.compare(packet), len(self.queue)
        p_sred = self.p_max if q >= self.limit / 3 else self.p_max / 4 if q >= self.limit / 6 else 0.0
        p_zap = p_sred
        if self.full:
            if self.p > 0:
                p_zap *= min(1.0, 1 / (256 * self.p) ** 2)
                p_zap *= 1 + hit / self.p
            p_zap = min(p_zap, 1.0)
        if not self.chance(p_zap) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def show(self):
        return [f"hit_frequency={self.p!r}"]


class Dred(Single):
    """Aweya, Ouellette and Montuno: every ten packet times p += alpha e / B, e from a filtered queue."""

    period = 10 * MS

    def __init__(self, limit, alpha, beta, target, no_drop, ecn=False):
        super().__init__(limit, ecn)
        self.alpha, self.beta, self.target, self.no_drop = alpha, beta, target, no_drop
        self.q_hat, self.p = 0.0, 0.0

    def tick(self, now):
        self.q_hat = (1 - self.beta) * self.q_hat + self.beta * len(self.queue)
        self.p += self.alpha * (self.q_hat - self.target) / self.limit
        self.p = min(max(self.p, 0.0), 1.0)

    def enqueue(self, now, packet):
        judged = len(self.queue) >= self.no_drop
        if not (judged and self.chance(self.p)) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def show(self):
        return [f"drop_prob={self.p!r}", f"q_hat={self.q_hat!r}"]


class Lred(Single):
    """Wang et al.: p = l + beta sqrt(l) (q - q0), l the loss ratio of the last M periods, averaged."""

    def __init__(self, limit, period, periods, weight, beta, q0, at_arrival=True, ecn=False):
        super().__init__(limit, ecn)
        self.period, self.weight, self.beta, self.q0, self.at_arrival = period, weight, beta, q0, at_arrival
        self.past = [(0, 0)] * periods
        self.arrived, self.lost, self.loss, self.p = 0, 0, 0.0, 0.0

    def probability(self):
        p = self.loss + self.beta * math.sqrt(self.loss) * (len(self.queue) - self.q0)
        return min(max(p, 0.0), 1.0)

    def tick(self, now):
        self.past = [*self.past[1:], (self.arrived, self.lost)]
        arrived, lost = (sum(column) for column in zip(*self.past, strict=True))
        ratio = lost / arrived if arrived else 0.0
        self.loss = self.weight * self.loss + (1 - self.weight) * ratio
        self.arrived, self.lost = 0, 0
        self.p = self.probability()

    def enqueue(self, now, packet):
        self.arrived += 1
        if self.at_arrival:
            self.p = self.probability()
        if self.chance(self.p):
            self.lost += 1
            if not self.mark_or_drop(packet, self.ecn):
                return
        if len(self.queue) >= self.limit:
            self.lost += 1
        self.store(packet)

    def show(self):
        return [f"loss_ratio={self.loss!r}"]


class GeometricChoke(Plain):
    """Eshete and Jiang: after each match one more draw, until a draw fails or `most` have matched."""

    def __init__(self, limit, most):
        super().__init__(limit, 5, 15, 0.1, 0.02)
        self.most = most

    def between(self, now, packet):
        if self.avg < self.min_th:
            return False
        matched = 0
        while matched < self.most and self.queue:
            i = min(int(self.uniform() * len(self.queue)), len(self.queue) - 1)
            if self.queue[i].flow != packet.flow:
                break
            self.end(self.queue.pop(i))
            matched += 1
        if not matched:
            return False
        self.end(packet)
        if not self.queue:
            self.q_time = now
        return True


class RefinedAdaptive(Plain):
    """Kim and Lee: Adaptive RED with a narrow band, and steps in proportion to the distance from its middle.

    With `edges` the distance counts from the edge of the band that the average has left. FARED has other gains.
    """

    period = 500 * MS

    def __init__(self, limit, up=0.25, down=0.17, edges=False):
        super().__init__(limit, 5, 15, 0.1, 0.02, gentle=True)
        self.up, self.down, self.edges = up, down, edges

    def average_at(self, now):
        if self.queue:
            return self.avg
        return self.avg * (1 - self.w_q) ** ((now - self.q_time) / MS)

    def tick(self, now):
        avg, span = self.average_at(now), self.max_th - self.min_th
        low, middle, high = (self.min_th + part * span for part in (0.48, 0.5, 0.52))
        if avg > high and self.max_p <= 0.5:
            target = high if self.edges else middle
            self.max_p += self.up * self.max_p * (avg - target) / target
        elif avg < low and self.max_p >= 0.01:
            target = low if self.edges else middle
            self.max_p *= 1 - self.down * (target - avg) / (target - self.min_th)

    def show(self):
        return [f"avg={self.avg!r}", f"max_p={self.max_p!r}"]


LIKE = {"count": 900, "sizes": (40, 576, 1000, 1500), "spell": 100}
LONG = {**LIKE, "count": 2500, "spell": 300}
MIXED = {**LIKE, "ecn": (None, 0)}


def traces():
    """Drops and marks of each, with settings that a short trace feels."""
    sred = {"limit": "30 pkts", "zombies": "40", "p_max": "0.3"}
    yield "sred", "full", Sred(30, 40, 0.25, 0.3), sred, {**LIKE, "flows": 5}
    simple = {**sred, "law": "simple", "ecn": "true"}
    yield "sred", "simple", Sred(30, 40, 0.25, 0.3, False, True), simple, {**MIXED, "flows": 5}
    dred = {"limit": "40 pkts", "alpha": "0.05", "beta": "0.2", "target": "10 pkts"}
    yield "dred", "drops", Dred(40, 0.05, 0.2, 10, 9), dred, LIKE
    yield "dred", "marks", Dred(40, 0.05, 0.2, 10, 9, True), {**dred, "ecn": "true"}, MIXED
    lred = {"limit": "12 pkts", "period": "20 ms", "beta": "0.02", "q0": "6 pkts"}
    yield "lred", "arrival", Lred(12, 20 * MS, 4, 0.1, 0.02, 6), lred, LIKE
    period = {**lred, "compute": "period", "ecn": "true"}
    yield "lred", "period", Lred(12, 20 * MS, 4, 0.1, 0.02, 6, False, True), period, MIXED
    red = {"limit": "30 pkts", "min_th": "5 pkts", "max_th": "15 pkts", "max_p": "0.1", "w_q": "0.02"}
    choke = {**red, "max_matches": "3"}
    yield "gchoke", "three", GeometricChoke(30, 3), choke, {**LIKE, "flows": 3}
    yield "rared", "timer", RefinedAdaptive(30), red, LONG
    yield "rared", "edges", RefinedAdaptive(30, edges=True), {**red, "distance_from": "edge"}, LONG
    yield "rared", "fared", RefinedAdaptive(30, 0.0412, 0.0385), {**red, "dialect": "fared"}, LONG
