"""Several objectives: sentences on the Pareto front, the settings of its designs, and the trade-off of a step along
it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..quantities import wording
from .candidates import Candidate
from .findings import Findings
from .names import DISPLAY_NAMES, shown
from .terms import cell, points_of
from .validation_line import ValidationLine


def several(answer: Findings) -> bool:
    """Whether there is a front: more than one objective."""
    return len(answer.question.goal.objectives) > 1


def heading(answer: Findings) -> str:
    """The heading of the table of the front."""
    asked = "" if answer.question.free else f" {answer.question.tried}"
    return f"The Pareto front: no validated design{asked} is better than one of these in every objective"


def ordered(answer: Findings) -> list[ValidationLine]:
    """The designs on the front, by their first objective, smallest first."""
    return sorted(answer.lines[: answer.front], key=lambda line: line.objectives[0].mean or 0.0)


def others(answer: Findings) -> list[ValidationLine]:
    """Designs that are not on the front: of one objective, all but the recommendation."""
    return list(answer.lines[answer.front if several(answer) else 1 :])


def named(answer: Findings, candidate: Candidate) -> str:
    """A design among several of its discipline, named by the parameters of the search space, such as ``tail drop, limit
    16 pkts``."""
    if candidate.origin != "search":
        return candidate.name
    kind = candidate.kind_as_loaded
    tried = [
        spot.candidate.params_as_loaded
        for spot in answer.spots
        if spot.candidate.origin == "search" and spot.candidate.kind_as_loaded == kind
    ]
    own = candidate.params_as_loaded
    moved = [name for name, value in own.items() if any(other.get(name) != value for other in tried)]
    settings = (f"{name} {shown(own[name])}" for name in moved or own)
    return ", ".join([DISPLAY_NAMES.get(kind, kind), *settings])


def verdict(answer: Findings) -> Iterator[str]:
    """Sentences on the front, on the steps to either side, and on common settings."""
    goal = answer.question.goal
    line = ordered(answer)
    if len(line) < 2:
        bounds = " keeps within the bounds and" if goal.constraints else ""
        yield f"Nothing else {answer.question.tried}{bounds} is better in any of the goals"
    elif len(goal.objectives) == 2:
        yield (
            f"The front has {len(line)} designs, from {_at(answer, line[0])} to {_at(answer, line[-1])}; "
            + _KNEE
        )
        yield from _steps(answer, line)
    else:
        yield (
            f"The front has {len(line)} designs: nothing {answer.question.tried} beats one of them everywhere; "
            + _KNEE
        )
    yield from _grouped(answer)


_KNEE = "recommended is its knee, the one closest to the best of every goal"


def _at(answer: Findings, line: ValidationLine) -> str:
    pairs = zip(answer.question.goal.objectives, line.objectives, strict=True)
    return " with ".join(f"{one.label} {cell(interval, one)}" for one, interval in pairs)


def _steps(answer: Findings, line: Sequence[ValidationLine]) -> Iterator[str]:
    """The nearest design to either side that is significantly better in one objective and worse in the other."""
    index = next(n for n, one in enumerate(line) if one.candidate.key == answer.best.key)
    for side in (reversed(line[:index]), line[index + 1 :]):
        neighbour = next((one for one in side if sorted(_signs(answer, one)) == [-1, 1]), None)
        if neighbour is None:
            continue
        amount = dict(zip(_signs(answer, neighbour), _amounts(answer, neighbour), strict=True))
        wants = answer.question.goal.objectives[_signs(answer, neighbour).index(1)]
        yield (
            f"For {'more' if wants.higher else 'less'} {wants.label}, take {named(answer, neighbour.candidate)}: "
            f"it gives {amount[1]} and costs {amount[-1]}"
        )


def _signs(answer: Findings, line: ValidationLine) -> list[int]:
    """1, −1 or 0 for each objective: better than the recommendation, worse, no difference found."""
    pairs = zip(answer.question.goal.objectives, line.difference, line.real, strict=True)
    return [
        0 if pair is None or not real else 1 if (pair.mean > 0) == one.higher else -1
        for one, pair, real in pairs
    ]


def _amounts(answer: Findings, line: ValidationLine) -> list[str]:
    pairs = zip(answer.question.goal.objectives, line.difference, strict=True)
    return [
        "" if pair is None
        else f"{wording.amount(abs(pair.mean), pair.half_width, points_of(one))} of {one.label}"
        for one, pair in pairs
    ]  # fmt: skip


def _grouped(answer: Findings) -> Iterator[str]:
    """Sentences on the default designs, grouped by their comparison with the answer."""
    labels = [one.label for one in answer.question.goal.objectives]
    groups: dict[tuple[int, ...], list[str]] = {}
    for line in others(answer):
        if line.holds and line.candidate.origin != "search":
            groups.setdefault(tuple(_signs(answer, line)), []).append(line.candidate.name)
    for signs in sorted(groups):
        parts = []
        for sign, word in ((-1, "worse in"), (1, "better in"), (0, "no difference found in")):
            some = [label for label, one in zip(labels, signs, strict=True) if one == sign]
            parts += [f"{word} {' and '.join(some)}"] if some else []
        text = ", ".join(parts)
        yield f"{text[:1].upper()}{text[1:]}: {'; '.join(groups[signs])}"
