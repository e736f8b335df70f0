"""RED_1 to RED_5 of De Cnodder, Elloumi and Pauwels: the drop law of Tables 1 and 2, one function for all columns.

Written from the paper alone. All numbers are exact fractions, so that a chain of arrivals is compared without a
tolerance. The average is an argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass
class Law:
    """One column of Tables 1 and 2, with `min_th`, `max_th`, `max_p` of Section 2.1 and M, the maximum packet size.

    `restart` is `count` after a drop and below `min_th`, for the columns with step (1). The words of the paper,
    "the number of accepted packet since the last drop or since avg exceeded min_th", make it 0: step (1) raises it
    to 1 at the first arrival. Equation (1) needs 0 at the first arrival: `restart` is -1. The two differ by one
    packet. RED_4 and RED_5 have no step (1), and equations (2) and (4) agree with 0.
    """

    column: int
    min_th: Fraction
    max_th: Fraction
    max_p: Fraction
    M: int
    restart: int = 0

    def __post_init__(self) -> None:
        self.restarts()

    def restarts(self) -> None:
        """Sets `count` to its first value."""
        self.count = Fraction(self.restart if self.column <= 3 else 0)

    def p_a(self, avg: Fraction, size: int) -> Fraction | None:
        """Steps (1) to (4): the probability of a drop; None for a packet that is accepted unconditionally."""
        if avg < self.min_th:  # "unconditionally accepted if avg is below a minimum threshold"
            self.restarts()
            return None
        if not avg < self.max_th:  # "and finally dropped otherwise"
            return Fraction(1)
        share = Fraction(size, self.M)
        if self.column in (1, 2, 3):
            self.count += 1  # (1)
        p_b = self.max_p * (avg - self.min_th) / (self.max_th - self.min_th)  # (2)
        if self.column == 2:
            p_b *= share  # (3)
        room = 1 - self.count * p_b
        weight = {1: Fraction(1), 2: Fraction(1), 3: share, 4: share, 5: share**2}[self.column]
        # (4) grows without bound as count p_b approaches 1 and has no meaning beyond: a probability that has reached 1
        # stays 1, for RED_3 as well, for every packet size.
        return Fraction(1) if room <= 0 else min(Fraction(1), p_b * weight / room)

    def verdict(self, size: int, drops: bool) -> None:
        """Step (5), and `count` after a drop."""
        if drops:
            self.restarts()
        elif self.column == 4:
            self.count += Fraction(size, self.M)  # (5)
        elif self.column == 5:
            self.count += Fraction(size, self.M) ** 2  # (5)


def intervals(column: int, p_b: Fraction, sizes: list[int], M: int, restart: int = 0) -> list[Fraction]:
    """P[N = n] for n = 1, 2, ... after a drop at a constant `p_b`: the products of equations (1), (2) and (4)."""
    law = Law(column, Fraction(0), Fraction(2), 2 * p_b, M, restart)
    alive, shares = Fraction(1), []
    for size in sizes:
        p_a = law.p_a(Fraction(1), size)
        assert p_a is not None
        shares.append(alive * p_a)
        alive *= 1 - p_a
        if alive == 0:
            break
        law.verdict(size, drops=False)
    return shares
