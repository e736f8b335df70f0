"""Weights of a stated goal in a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..metrics import Run, split, statistics, value
from .data import Criterion


@dataclass(frozen=True)
class Weights:
    """A goal as criteria.

    Attributes:
        criteria: Weighed or bounded.
        about: The goal in words.
        margin: Equivalence margin in points.
        relative: Whether a point is 1 % of the baseline's score, for objectives that are no shares.
    """

    criteria: tuple[Criterion, ...]
    about: str
    margin: float
    relative: bool = False

    @property
    def points(self) -> str:
        """The unit of scores."""
        return "per cent" if self.relative else "points"

    def samples(
        self, runs: Sequence[Sequence[Run]]
    ) -> tuple[list[Criterion], list[dict[str, list[float | None]]]]:
        """The criteria with their worth in points, and by design the values of each.

        Args:
            runs: For each design its runs, the baseline first.
        """
        keys = list(dict.fromkeys(one.key for one in self.criteria))
        samples = [{key: [_value(run, key) for run in some] for key in keys} for some in runs]
        if not self.relative:
            return list(self.criteria), samples
        weighed = [one for one in self.criteria if one.worth]
        means = [
            statistics.mean([value or 0.0 for value in samples[0][one.key]]) * one.worth for one in weighed
        ]
        scale = abs(sum(means)) / 100.0 or 1.0
        return [replace(one, worth=one.worth / scale) for one in self.criteria], samples


def _value(run: Run, key: str) -> float | None:
    name, scope = split(key)
    return value(run, name, scope=scope)
