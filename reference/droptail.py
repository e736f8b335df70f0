"""Reference model of tail drop: droptail, drop front and random drop, with a limit in packets or bytes."""

import random


class DropTail:
    """Accepts packets that fit. `victim`: tail, head or random. The limit is in packets, or in bytes if `in_bytes`."""

    def __init__(self, limit, victim="tail", in_bytes=False, seed=1):
        self.limit, self.victim, self.in_bytes = limit, victim, in_bytes
        self.waiting = []  # (number, bytes), oldest first
        self.rng = random.Random(seed)

    def fits(self, size):
        """Whether the queue would hold at most the limit with a packet more."""
        if self.in_bytes:
            return sum(bytes_ for _, bytes_ in self.waiting) + size <= self.limit
        return len(self.waiting) + 1 <= self.limit

    def arrive(self, now, number, size, draws):
        """Returns the numbers of the packets that are dropped."""
        dropped = []
        while not self.fits(size):
            if self.victim == "head" and self.waiting:
                dropped.append(self.waiting.pop(0)[0])
            elif self.victim == "random":
                draws.append(self.rng.random())
                chosen = int(draws[-1] * (len(self.waiting) + 1))
                if chosen == len(self.waiting):
                    return [*dropped, number]
                dropped.append(self.waiting.pop(chosen)[0])
            else:
                return [*dropped, number]
        self.waiting.append((number, size))
        return dropped

    def depart(self, now):
        """Returns the oldest packet."""
        return self.waiting.pop(0) if self.waiting else None

    def show(self):
        """Returns the internal state for the trace: none."""
        return []
