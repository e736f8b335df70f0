"""A line of a validation: a design on held-out conditions and its standing against the recommendation."""

from __future__ import annotations

from dataclasses import dataclass

from ..metrics.statistics import Interval, Paired
from .candidates import Candidate
from .decision import Standing
from .proof import Kept


@dataclass(frozen=True)
class ValidationLine:
    """A design on held-out conditions: its objectives, its measures (means over the range), its constraints, and the
    paired difference of each objective from the recommendation (None for the recommendation itself).

    ``standing`` is how it stands against the recommendation (None for that itself and where there are several
    objectives), ``needed`` the replications that would decide it where it is undecided (None: too many), ``drifted``
    the places beyond the range of conditions where it is no longer good, if drift was run, ``delay`` the p95 of the
    queueing delay (ms) where the goal leaves it open.
    """

    candidate: Candidate
    objectives: tuple[Interval, ...]
    measures: dict[str, Interval]
    kept: tuple[Kept, ...]
    difference: tuple[Paired | None, ...]
    real: tuple[bool, ...] = ()
    standing: Standing | None = None
    needed: int | None = None
    drifted: int | None = None
    delay: float | None = None

    @property
    def holds(self) -> bool:
        """Whether every constraint held in nineteen runs of twenty."""
        return all(one.holds for one in self.kept)
