"""Stochastic Fair BLUE: the figure of FSKS02, and what the manual of tc-sfb (2011) describes.

Both models were transcribed from these two texts and a list of conventions for what the texts leave open, without
reading an implementation, neither the one they are compared with nor Linux's. They share no code with other models of
the same discipline.

Conventions: the bin of a flow is `bin_of`; a packet in transmission does not count as queued; an arrival that finds
`limit` packets is dropped before any bin is updated; then every bin of the flow is updated, and the decision uses the
new probabilities with the occupancies before the arrival. Lines of a trace are those of line.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reference.line import Packet
from reference.rfcs import MS, SECOND, Fifo

MASK = 2**64 - 1


def mix(x: int) -> int:
    """Returns the finaliser of splitmix64 of `x`."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def bin_of(flow: int, family: int, level: int, bins: int) -> int:
    """Returns the bin of a flow at a level, under the hash functions of a family (0, 1, ...)."""
    return mix(flow ^ mix((family << 8) | level)) % bins


class RateLimit:
    """A token bucket for packets of non-responsive flows: `rate` packets a second, `burst` packets above it.

    It is full at time 0. It counts in units of 1e-9 tokens, so that all of it is exact.
    """

    def __init__(self, rate: int, burst: int) -> None:
        self.rate, self.most = rate, burst * SECOND
        self.tokens, self.updated = self.most, 0

    def passes(self, now: int) -> bool:
        """Takes a token; returns False if there is no whole one."""
        self.tokens = min(self.tokens + self.rate * (now - self.updated), self.most)
        self.updated = now
        if self.tokens < SECOND:
            return False
        self.tokens -= SECOND
        return True


class FigureSfb(Fifo):
    """SFB as the figure of FSKS02 prints it: one `delta`, and "mark/drop" drops."""

    def __init__(
        self, limit: int, levels: int, bins: int, bin_size: int, delta: float, rate: int, burst: int
    ) -> None:
        super().__init__(limit)
        self.levels, self.bins, self.bin_size, self.delta = levels, bins, bin_size, delta
        self.pm = [[0.0] * bins for _ in range(levels)]
        self.rate_limit = RateLimit(rate, burst)

    def qlen(self, level: int, h: int) -> int:
        """Returns the packets in the queue whose flow is in bin `h` of a level."""
        return sum(bin_of(packet.flow, 0, level, self.bins) == h for packet in self.queue)

    def update(self, level: int, h: int) -> bool:
        """Updates p_m of one bin; returns whether the bin is too long. p_m lies between 0 and 1."""
        qlen = self.qlen(level, h)
        if qlen > self.bin_size:
            self.pm[level][h] = min(self.pm[level][h] + self.delta, 1.0)
            return True
        if qlen == 0:
            self.pm[level][h] = max(self.pm[level][h] - self.delta, 0.0)
        return False

    def enqueue(self, now: int, packet: Packet) -> None:
        """The figure's enqueue()."""
        if self.is_full():
            self.end(packet)
            return
        hashes = [bin_of(packet.flow, 0, level, self.bins) for level in range(self.levels)]
        too_long = [self.update(level, h) for level, h in enumerate(hashes)]
        pmin = min(self.pm[level][h] for level, h in enumerate(hashes))
        if any(too_long):
            self.end(packet)
        elif pmin == 1:
            if self.rate_limit.passes(now):
                self.queue.append(packet)
            else:
                self.end(packet)
        elif self.chance(pmin):
            self.end(packet)
        else:
            self.queue.append(packet)


class ManualSfb(Fifo):
    """SFB as the manual of tc-sfb describes it: two steps, ECN, and a second set of bins that is warmed up.

    Times are nanoseconds. Sets change at the multiples of `rehash`; set k serves from k * rehash on.
    """

    def __init__(
        self,
        limit: int,
        levels: int,
        bins: int,
        target: int,
        most: int,
        increment: float,
        decrement: float,
        rehash: int,
        warmup: int,
        rate: int = 10,
        burst: int = 20,
    ) -> None:
        super().__init__(limit)
        self.levels, self.bins, self.target, self.most = levels, bins, target, most
        self.increment, self.decrement = increment, decrement
        self.rehash, self.warmup = rehash, warmup
        self.family = 0
        self.first, self.second = self.new_set(), self.new_set()
        self.rate_limit = RateLimit(rate, burst)

    def new_set(self) -> list[list[float]]:
        """Returns a set of levels and bins, each of probability 0."""
        return [[0.0] * self.bins for _ in range(self.levels)]

    def change_sets(self, now: int) -> None:
        """Lets the second set take over at every multiple of `rehash` up to now."""
        while now >= (self.family + 1) * self.rehash:
            self.family += 1
            self.first, self.second = self.second, self.new_set()

    def hashes(self, flow: int, family: int) -> list[int]:
        """Returns the bin of a flow at each level."""
        return [bin_of(flow, family, level, self.bins) for level in range(self.levels)]

    def occupancies(self, flow: int, family: int) -> list[int]:
        """Returns the packets in the queue that share the flow's bin, at each level."""
        own = self.hashes(flow, family)
        others = [self.hashes(packet.flow, family) for packet in self.queue]
        return [sum(other[level] == own[level] for other in others) for level in range(self.levels)]

    def update(self, bins: list[list[float]], flow: int, family: int) -> None:
        """Raises the probability of each bin of the flow that reaches `target`; lowers that of an empty one."""
        occupancies = self.occupancies(flow, family)
        for level, h in enumerate(self.hashes(flow, family)):
            if occupancies[level] >= self.target:
                bins[level][h] = min(bins[level][h] + self.increment, 1.0)
            elif occupancies[level] == 0:
                bins[level][h] = max(bins[level][h] - self.decrement, 0.0)

    def enqueue(self, now: int, packet: Packet) -> None:
        """Drops at a hard limit, limits the rate of a non-responsive flow, else marks or drops by chance."""
        if self.is_full():
            self.end(packet)
            return
        self.change_sets(now)
        self.update(self.first, packet.flow, self.family)
        pmin = min(self.first[level][h] for level, h in enumerate(self.hashes(packet.flow, self.family)))
        if all(occupancy >= self.most for occupancy in self.occupancies(packet.flow, self.family)):
            self.end(packet)
        elif pmin == 1:
            self.limit_rate(now, packet)
        elif self.survives(packet, pmin):
            self.queue.append(packet)

    def limit_rate(self, now: int, packet: Packet) -> None:
        """Warms the second set up in the time before the change; stores the packet if there is a token."""
        if now >= (self.family + 1) * self.rehash - self.warmup:
            self.update(self.second, packet.flow, self.family + 1)
        if self.rate_limit.passes(now):
            self.queue.append(packet)
        else:
            self.end(packet)

    def survives(self, packet: Packet, pmin: float) -> bool:
        """Marks or drops with probability `pmin`; above 1/2 a rising share of the marks becomes drops."""
        if pmin <= 0:
            return True
        u = self.uniform()
        if u >= pmin:
            return True
        return self.mark_or_drop(packet, ecn=u >= 2 * pmin - 1)


def traces() -> Iterator[tuple[str, str, Fifo, dict[str, str], dict[str, Any]]]:
    """Yields kind, name, model, keys and arrivals."""
    like = {"count": 2500, "sizes": (40, 576, 1000, 1500)}
    limit, drops = {"limit": "60 pkts"}, {**like, "flows": 12}
    figure = FigureSfb(60, levels=1, bins=5, bin_size=4, delta=0.05, rate=10, burst=20)
    keys = {**limit, "levels": "1", "bins": "5", "target": "5", "max": "5"}
    keys |= {"increment": "0.05", "decrement": "0.05", "ecn": "false"}
    yield "sfb", "fsks02", figure, keys, drops
    steeper = FigureSfb(60, levels=1, bins=5, bin_size=4, delta=0.25, rate=10, burst=20)
    keys = {**keys, "increment": "0.25", "decrement": "0.25"}
    yield "sfb", "fsks02_penalty", steeper, keys, drops

    marks = {**like, "ecn": (None, 0, 1)}
    manual = ManualSfb(60, 2, 3, 3, 12, 0.25, 0.03125, rehash=300 * MS, warmup=150 * MS)
    keys = {**limit, "levels": "2", "bins": "3", "target": "3", "max": "12", "increment": "0.25"}
    keys |= {"decrement": "0.03125", "rehash": "300 ms", "warmup": "150 ms", "ecn": "true"}
    yield "sfb", "manual", manual, keys, {**marks, "flows": 4, "spell": 400}
    # The limit, `max` and the second set matter in this one.
    small = ManualSfb(12, 2, 3, 3, 6, 0.125, 0.0625, rehash=300 * MS, warmup=200 * MS)
    keys = {
        **keys,
        "limit": "12 pkts",
        "max": "6",
        "increment": "0.125",
        "decrement": "0.0625",
        "warmup": "200 ms",
    }
    yield "sfb", "warmup", small, keys, {**marks, "flows": 3, "spell": 400}

    penalty = ManualSfb(60, 3, 5, 4, 30, 0.2, 0.02, rehash=100 * SECOND, warmup=60 * MS)
    keys = {**limit, "levels": "3", "bins": "5", "target": "4", "max": "30", "increment": "0.2"}
    keys |= {"decrement": "0.02", "rehash": "100 s", "warmup": "60 ms", "ecn": "true"}
    yield "sfb", "penalty", penalty, keys, {**marks, "flows": 2}
