"""A line of a validation: a design on held-out conditions and its standing against the recommendation."""

from __future__ import annotations

from dataclasses import dataclass

from ..metrics.statistics import Interval, Paired
from .candidates import Candidate
from .decision import Standing
from .proof import Kept


@dataclass(frozen=True)
class ValidationLine:
    """A design on held-out conditions: its objectives, its measures (means over the range), its constraints,
    and the paired difference of each objective from the recommendation (None for the recommendation itself).

    ``standing`` is its relation to the recommendation (None for the recommendation itself and with several
    objectives); ``needed`` the replications that would decide an undecided relation (None: too many);
    ``drifted`` the conditions beyond the range in which it fails, if drift was run; ``delay`` the p95 of the
    queueing delay (ms), if the goal does not bound delay.
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
