"""A line of a validation: a design on held-out conditions and its standing against the recommendation."""

from __future__ import annotations

from dataclasses import dataclass

from ..metrics.statistics import Interval, PairedDifference
from .candidates import Candidate
from .decision import Standing
from .proof import ConstraintOutcome


@dataclass(frozen=True)
class ValidationLine:
    """A design on held-out conditions.

    Attributes:
        objectives, measures: Means over the range of conditions.
        kept: How well the design holds each constraint.
        difference: Paired difference of each objective from the recommendation; None for the recommendation itself.
        real: Whether each difference is significant, adjusted for multiple tests.
        standing: Relation to the recommendation; None for the recommendation itself and with several objectives.
        needed: Replications that would decide an undecided relation; None: too many.
        drifted: Number of conditions beyond the range in which the design fails, if drift was run.
        delay: p95 queueing delay (ms), if the goal does not bound delay.
    """

    candidate: Candidate
    objectives: tuple[Interval, ...]
    measures: dict[str, Interval]
    kept: tuple[ConstraintOutcome, ...]
    difference: tuple[PairedDifference | None, ...]
    real: tuple[bool, ...] = ()
    standing: Standing | None = None
    needed: int | None = None
    drifted: int | None = None
    delay: float | None = None

    @property
    def holds(self) -> bool:
        """Whether every constraint held in nineteen runs of twenty."""
        return all(one.holds for one in self.kept)
