"""Numbers that a paper prints, compared with the runs here: how many lie outside the interval and outside the runs."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError
from ..quantities import wording
from .blocks import Block, Table, Text
from .cells import Cells
from .effects import Effect

#: Confidence level of the intervals that the values are compared with.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class PrintedValue:
    """A number that a paper prints.

    ``quantity`` groups values in the summary, ``place`` is its place in the paper. ``effect`` is the same number here;
    ``runs`` returns its value in each replication, by default the parts of the effect (right for a mean, not for a
    ratio of means).
    """

    quantity: str
    place: str
    value: float
    effect: Callable[[Cells], Effect]
    runs: Callable[[Cells], Sequence[float]] | None = None


@dataclass(frozen=True)
class Comparison:
    """A printed value with the mean, the half-width of its interval and the extremes of single runs here."""

    printed: PrintedValue
    mean: float
    half_width: float
    least: float
    most: float

    @property
    def outside_interval(self) -> bool:
        """Whether the printed value lies outside the 95 % interval of the mean."""
        return not abs(self.printed.value - self.mean) <= self.half_width

    @property
    def outside_runs(self) -> bool:
        """Whether no run is as low as the printed value, or none as high."""
        return not self.least <= self.printed.value <= self.most


def compare(values: Sequence[PrintedValue], cells: Cells) -> list[Comparison]:
    """Each printed value with the runs of its cells."""
    comparisons = []
    for one in values:
        effect = one.effect(cells)
        runs = effect.parts if one.runs is None else one.runs(cells)
        comparisons.append(Comparison(one, effect.value, effect.half_width(CONFIDENCE), min(runs), max(runs)))
    return comparisons


def summary(comparisons: Sequence[Comparison]) -> list[Block]:
    """Number of printed values outside of the intervals, by quantity. The paragraph alone if the paper prints none."""
    if not comparisons:
        return [
            Text(
                "**Printed values.** The paper prints no measured value: its results are plots and sentences."
            )
        ]
    out, beyond = (_count(comparisons, name) for name in ("outside_interval", "outside_runs"))
    text = (
        f"**Printed values.** The paper prints {wording.count(len(comparisons), 'value')} that a cell here measures: "
        f"{out} outside the 95 % interval of the mean here, {beyond} outside every single run. A value of the paper "
        "comes from one run or a few, so the second number says more: it counts values that no run here produced."
    )
    rows = []
    for quantity in dict.fromkeys(one.printed.quantity for one in comparisons):
        group = [one for one in comparisons if one.printed.quantity == quantity]
        below = sum(one.outside_interval and one.printed.value < one.mean for one in group)
        above = _count(group, "outside_interval") - below
        rows.append([quantity, *map(str, (len(group), below, above)), str(_count(group, "outside_runs"))])
    head = [
        "quantity",
        "printed values",
        "below the interval",
        "above the interval",
        "outside every single run",
    ]
    return [Text(text), Table(head, rows)]


def _count(comparisons: Sequence[Comparison], name: str) -> int:
    return sum(bool(getattr(one, name)) for one in comparisons)


def printed(name: str) -> list[dict[str, str]]:
    """Returns the numbers that a paper prints.

    Args:
        name: Name of the file ``printed/NAME.csv`` of this package.

    Returns:
        The rows of the file.

    Raises:
        UsageError: If there is no such file.

    Example:
        >>> rows = printed("dsilva")
    """
    path = Path(__file__).parent / "printed" / f"{name}.csv"
    if not path.is_file():
        raise UsageError(
            "printed",
            name,
            "no printed numbers have that name",
            "name a study with printed numbers",
            shown="value",
        )
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
