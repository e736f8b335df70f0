"""Main effects: how a metric changes with one setting of an experiment, averaged over all others.

Box, Hunter and Hunter, "Statistics for Experimenters" (2nd edition, 2005), section 5.3. A setting that was sampled
from a range is cut into groups of equally many points. All points are run under the same seeds, so that each seed has
one value of an effect, and Student's interval over the seeds holds for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .statistics import Interval, t_interval

#: More distinct values than this count as a sample of a range.
MOST_LEVELS = 12
#: Groups of a sampled range.
GROUPS = 6
#: A range of positive values is divided in equal ratios if its ends lie at least this factor apart.
LOGARITHMIC = 8.0

Value = str | float


@dataclass(frozen=True)
class RunValue:
    """One run of an experiment.

    Attributes:
        settings: Value of each setting.
        seed: Seed of the replication.
        value: Value of the metric; None if the run has none.
    """

    settings: Mapping[str, Value]
    seed: int
    value: float | None


@dataclass(frozen=True)
class Levels:
    """The levels of one setting, in order.

    Attributes:
        setting: Name of the setting.
        values: Distinct values; of a sampled range the median of each group.
        edges: Lower ends of the groups but the first; empty if the levels are the values themselves.
        logarithmic: Whether equal ratios are equal steps.
    """

    setting: str
    values: tuple[Value, ...]
    edges: tuple[float, ...] = ()
    logarithmic: bool = False

    @property
    def numeric(self) -> bool:
        """Whether the levels are numbers."""
        return all(not isinstance(value, str) for value in self.values)

    def index(self, value: Value) -> int:
        """Position of the level that a value belongs to."""
        if self.edges:
            return sum(float(value) >= edge for edge in self.edges)
        return self.values.index(value)


@dataclass(frozen=True)
class MainEffect:
    """Mean of the metric at each level of a setting, over all points with that level."""

    levels: Levels
    means: tuple[Interval, ...]

    @property
    def size(self) -> float:
        """Largest minus smallest mean; 0 if there are fewer than two."""
        known = [one.mean for one in self.means if one.mean is not None]
        return max(known) - min(known) if len(known) > 1 else 0.0


def levels(setting: str, runs: Sequence[RunValue]) -> Levels:
    """Returns the levels of a setting: its distinct values, or groups of them if there are more than twelve."""
    values = {run.settings[setting] for run in runs}
    if any(isinstance(value, str) for value in values):
        return Levels(setting, tuple(dict.fromkeys(run.settings[setting] for run in runs)))
    numbers = sorted(float(value) for value in values)
    logarithmic = len(numbers) > 1 and numbers[0] > 0 and numbers[-1] / numbers[0] >= LOGARITHMIC
    if len(numbers) <= MOST_LEVELS:
        return Levels(setting, tuple(numbers), logarithmic=logarithmic)
    starts = [round(group * len(numbers) / GROUPS) for group in range(GROUPS)]
    groups = [numbers[start:end] for start, end in zip(starts, [*starts[1:], len(numbers)], strict=True)]
    medians = tuple(group[len(group) // 2] for group in groups)
    return Levels(setting, medians, tuple(group[0] for group in groups[1:]), logarithmic)


def effect(of: Levels, runs: Sequence[RunValue], *, confidence: float = 0.95) -> MainEffect:
    """Returns the main effect of a setting; over part of the runs, its effect with the other settings held.

    Args:
        of: Levels of the setting, as `levels` returns them.
        runs: Runs of the experiment, for one metric.
        confidence: Confidence level of the intervals, which are over the seeds.

    Example:
        >>> runs = [RunValue({"limit": x}, seed, 2.0 * x + seed) for x in (1.0, 3.0) for seed in (1, 2)]
        >>> effect(levels("limit", runs), runs).size
        4.0
    """
    cells: list[dict[int, list[float]]] = [{} for _ in of.values]
    for run in runs:
        if run.value is not None and math.isfinite(run.value):
            cells[of.index(run.settings[of.setting])].setdefault(run.seed, []).append(run.value)
    return MainEffect(
        of,
        tuple(
            t_interval([math.fsum(some) / len(some) for some in by_seed.values()], confidence=confidence)
            for by_seed in cells
        ),
    )


def effects(settings: Sequence[str], runs: Sequence[RunValue]) -> list[MainEffect]:
    """Returns the main effects of all settings with at least two levels, the largest first."""
    each = [effect(levels(setting, runs), runs) for setting in settings]
    return sorted((one for one in each if len(one.levels.values) > 1), key=lambda one: -one.size)
