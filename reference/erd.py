"""Early Random Drop (Hashem 1989): beyond a fixed level, drop with a fixed probability."""

import random


class EarlyRandomDrop:
    """`victim`: arriving, or random among those waiting (the arriving packet then takes a place at the tail)."""

    def __init__(self, limit, level, probability, victim="arriving", seed=1):
        self.limit, self.level, self.probability, self.victim = limit, level, probability, victim
        self.waiting = []
        self.rng = random.Random(seed)

    def draw(self, draws):
        """A uniform number, noted."""
        draws.append(self.rng.random())
        return draws[-1]

    def arrive(self, now, number, size, draws):
        """Returns the numbers of the packets that are dropped."""
        dropped = []
        if len(self.waiting) > self.level and self.draw(draws) < self.probability:
            if self.victim == "arriving":
                return [number]
            chosen = int(self.draw(draws) * len(self.waiting))
            dropped.append(self.waiting.pop(chosen)[0])
        if len(self.waiting) >= self.limit:
            return [*dropped, number]
        self.waiting.append((number, size))
        return dropped

    def depart(self, now):
        """Returns the oldest packet."""
        return self.waiting.pop(0) if self.waiting else None

    def show(self):
        """Returns no inner values."""
        return []
