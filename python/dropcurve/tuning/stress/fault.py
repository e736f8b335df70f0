"""Fault of a design, of some designs, or of any queue: the rivals under the same runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...metrics import statistics
from .bounds import Case
from .trials import StressDesign, Trials

#: Rivals unless others are named: the simplest, the usual single queues, and one that separates flows.
RIVALS = ("droptail", "ared", "codel", "pie", "fq_codel")
#: Share of the harm below which a rival loses far less.
FAR_LESS = 0.5

Fault = Literal["design", "some", "any", "none", "undecided"]


@dataclass(frozen=True)
class RivalHarm:
    """A rival under the same traffic and seeds.

    Attributes:
        name: As ``--queue`` takes it.
        harm: With its interval.
        less: Harm of the design minus that of the rival, with its interval; simultaneous over all rivals by Bonferroni.
        relation: "far less" if the rival surely loses less than half, "less" or "more" where the difference is real,
            else "alike".
    """

    name: str
    harm: statistics.Interval
    less: statistics.PairedDifference | None
    relation: Literal["far less", "less", "alike", "more"]


def judge(
    trials: Trials, case: Case, seeds: Sequence[int], rivals: Sequence[StressDesign]
) -> tuple[Fault, tuple[RivalHarm, ...]]:
    """The kind of fault, and the rivals, the least harmed first.

    Args:
        trials: Makes the runs.
        case: The scenario that is judged.
        seeds: Fresh ones.
        rivals: Other designs.

    Returns:
        "design" if most rivals surely lose less than half, "some" if one does, "any" if none does and their intervals
        exclude it, "undecided" otherwise, and "none" where the design loses nothing.
    """
    trials.run([case], seeds, [trials.design, *rivals])
    own = trials.harms(case, seeds)
    level = 1.0 - 0.05 / max(1, len(rivals))
    compared = [_compared(one.title, own, trials.harms(case, seeds, one), level) for one in rivals]
    compared.sort(key=lambda one: one.harm.mean if one.harm.mean is not None else float("inf"))
    return _kind(own, compared, level), tuple(compared)


def _compared(name: str, own: list[float], theirs: list[float], level: float) -> RivalHarm:
    """Compares a rival's harm with the design's."""
    pair = statistics.paired(own, theirs, confidence=level)
    relation: Literal["far less", "less", "alike", "more"] = "alike"
    if pair is not None and pair.half_width is not None and abs(pair.mean) > pair.half_width:
        relation = "less" if pair.mean > 0 else "more"
        half = statistics.paired([FAR_LESS * one for one in own], theirs, confidence=level)
        if half is not None and half.half_width is not None and half.mean > half.half_width:
            relation = "far less"
    return RivalHarm(name, statistics.t_interval(theirs), pair, relation)


def _kind(own: list[float], rivals: Sequence[RivalHarm], level: float) -> Fault:
    interval = statistics.t_interval(own, confidence=level)
    if interval.mean is None or interval.mean <= 0:
        return "none"
    far = sum(one.relation == "far less" for one in rivals)
    if far:
        return "design" if 2 * far > len(rivals) else "some"
    # No rival surely loses far less; where one may, more runs are needed.
    may = any(
        (one.harm.mean or 0.0) - (one.harm.half_width or 0.0) < FAR_LESS * interval.mean for one in rivals
    )
    return "undecided" if may else "any"
