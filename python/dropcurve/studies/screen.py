"""Screening of many parameters that a number may depend on: points spread over all ranges at once, the share of the
number's variance that each parameter and each pair explains, and the regions where the number differs.

Points are Halton's (Halton 1960), so that they are the same everywhere. A share of variance is that between bins of
equal count, less the share that noise alone would explain (epsilon squared, Kelley 1935).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from ..errors import require
from ..plot.panels import Line, Map, Panel, panels
from ..quantities.ranges import Range
from .blocks import Block, FigureBlock, Table, Text
from .effects import mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Point = Mapping[str, float]


@dataclass(frozen=True)
class Axis:
    """A parameter and its range; ``log`` spreads points evenly over its logarithm. ``unit`` is for labels."""

    name: str
    low: float
    high: float
    log: bool = True
    unit: str = ""

    def at(self, share: float) -> float:
        """The value at a share of the range, in three digits."""
        return Range(self.low, self.high, scale="log" if self.log else "linear").at(share)

    @property
    def label(self) -> str:
        """Name and unit for a figure."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True)
class Region:
    """A box of the parameters: its rule in words, and mean, deviation and number of the points inside."""

    rule: str
    mean: float
    deviation: float
    count: int


@dataclass(frozen=True)
class Screen:
    """A number, called ``name``, at points over all axes; ``middle`` is its neutral value."""

    axes: Sequence[Axis]
    points: Sequence[Point]
    values: Sequence[float]
    name: str
    middle: float = 1.0

    def explained(self, names: Sequence[str], *, bins: int = 6) -> float:
        """The share of the variance that these parameters explain together, from 0 to 1."""
        groups: dict[tuple[int, ...], list[float]] = {}
        places = [self._ranks(name, bins) for name in names]
        for i, value in enumerate(self.values):
            groups.setdefault(tuple(one[i] for one in places), []).append(value)
        middle = fmean(self.values)
        whole = math.fsum((value - middle) ** 2 for value in self.values)
        between = math.fsum(len(group) * (fmean(group) - middle) ** 2 for group in groups.values())
        free, apart = len(self.values) - len(groups), len(groups) - 1
        if whole == 0 or free <= 0:
            return 0.0
        return max(0.0, (between - apart * (whole - between) / free) / whole)

    def blocks(self, words: Callable[[float], str], *, without: Sequence[str] = ()) -> list[Block]:
        """The blocks of the page: the dependence of the number on the parameters, its profiles and maps (but those of
        ``without``), the share of points in each class that ``words`` names, and the boxes where it differs most."""
        bars = "All others vary over their ranges; bars are 95 % intervals over the points of a bin."
        fields = f"Blue: below {self.middle:g}; orange: above it. All others vary over their ranges."
        often = Counter(map(words, self.values))
        share = 100 / len(self.values)
        listed = ", ".join(f"{name} at {share * n:.0f} %" for name, n in often.most_common())
        below = share * sum(value < self.middle for value in self.values)
        rows = [[one.rule, f"{one.mean:.2f}", f"{one.deviation:.2f}", str(one.count), words(one.mean)]
                for one in self.regions()]  # fmt: skip
        return [
            self.table(),
            FigureBlock("profiles", f"{self.name} over each parameter", bars, self.profiles),
            FigureBlock("map", f"{self.name} over every pair", fields, partial(self.maps, without=without)),
            Text(f"{self.name} is {listed} of the points, and below {self.middle:g} at {below:.0f} %. A regression "
                 "tree of three levels, which halves the parameter that explains most of the variance, finds:"),
            Table(["where", f"mean {self.name}", "deviation over points", "points", "in words"], rows),
        ]  # fmt: skip

    def table(self) -> Table:
        """Table of the explained variance: each parameter alone, and with the other that adds most."""
        rows = []
        for axis in self.axes:
            alone = self.explained([axis.name], bins=4)
            others = [other.name for other in self.axes if other is not axis]
            joint = {name: self.explained([axis.name, name], bins=4) for name in others}
            best = max(joint, key=lambda name: joint[name] - self.explained([name], bins=4))
            rows.append([axis.label, f"{axis.low:g} to {axis.high:g}", f"{100 * alone:.0f}",
                         f"{100 * joint[best]:.0f}, with {best}"])  # fmt: skip
        alone_head = f"of the variance of {self.name}, alone (%)"
        return Table(["parameter", "range", alone_head, "with the other that adds most (%)"], rows)

    def profiles(self, width_in: float, *, bins: int = 6) -> Figure:
        """The mean over bins of each parameter, all others anywhere; bars are 95 % intervals over a bin's points."""
        profiles = [
            Panel([self._profile(axis, bins)], axis.label, self.name, log_x=axis.log, levels=[(self.middle, "")],
                  ticks={axis.at(i / 3): _short(axis.at(i / 3)) for i in range(4)})
            for axis in self.axes
        ]  # fmt: skip
        return panels(profiles, width_in, height_in=1.8, columns=3)

    def maps(self, width_in: float, *, without: Sequence[str] = (), bins: int = 4) -> Figure:
        """The mean over bins of each pair of parameters, all others anywhere."""
        axes = [axis for axis in self.axes if axis.name not in without]
        maps = [self._map(one, other, bins) for i, one in enumerate(axes) for other in axes[i + 1 :]]
        return panels(maps, width_in, height_in=1.9, columns=3)

    def regions(self, *, depth: int = 3, least: int = 16) -> list[Region]:
        """Boxes of the parameters, each found by halving where that explains most variance (Breiman et al. 1984), as
        often as ``depth`` says, of at least ``least`` points each; from the least mean to the largest."""
        parts = _halved(self, list(range(len(self.values))), depth, least, "")
        return sorted(parts, key=lambda one: one.mean)

    def _profile(self, axis: Axis, bins: int) -> Line:
        groups: list[list[int]] = [[] for _ in range(bins)]
        for i, rank in enumerate(self._ranks(axis.name, bins)):
            groups[rank].append(i)
        effects = [mean([self.values[i] for i in group]) for group in groups]
        x = [axis.at((i + 0.5) / bins) for i in range(bins)]
        return Line("", x, [one.value for one in effects], [one.half_width(0.95) for one in effects])

    def _map(self, across: Axis, up: Axis, bins: int) -> Map:
        columns, rows = (self._ranks(axis.name, bins) for axis in (across, up))
        cells: list[list[list[float]]] = [[[] for _ in range(bins)] for _ in range(bins)]
        for value, column, row in zip(self.values, columns, rows, strict=True):
            cells[row][column].append(value)
        means = [[fmean(cell) if cell else math.nan for cell in row] for row in cells]
        names = [[_short(axis.at((i + 0.5) / bins)) for i in range(bins)] for axis in (up, across)]
        return Map(means[::-1], names[0][::-1], names[1], across.label, up.label, "", self.middle)

    def _ranks(self, name: str, bins: int) -> list[int]:
        """The bin of each point, bins of equal count."""
        order = sorted(range(len(self.points)), key=lambda i: self.points[i][name])
        ranks = [0] * len(self.points)
        for place, i in enumerate(order):
            ranks[i] = place * bins // len(self.points)
        return ranks


def spread(axes: Sequence[Axis], count: int) -> list[dict[str, float]]:
    """Returns a number of points over all axes at once.

    Args:
        axes: The axes.
        count: Number of points.

    Returns:
        One dictionary from axis to value for each point.

    Example:
        >>> points = spread(axes, 50)
    """
    require("scipy")
    from scipy.stats import qmc

    # The first of Halton's points is the corner.
    shares = qmc.Halton(len(axes), scramble=False).random(count + 1)[1:]
    return [
        {axis.name: axis.at(float(share)) for axis, share in zip(axes, one, strict=True)} for one in shares
    ]


def _halved(screen: Screen, inside: list[int], depth: int, least: int, rule: str) -> list[Region]:
    """The regions of some of the points."""
    points, values = screen.points, screen.values
    best: tuple[float, str, float] | None = None
    for axis in screen.axes if depth else ():
        order = sorted(inside, key=lambda i: points[i][axis.name])
        for cut in range(least, len(order) - least + 1):
            low, high = ([values[i] for i in part] for part in (order[:cut], order[cut:]))
            gain = len(low) * len(high) * (fmean(low) - fmean(high)) ** 2
            if best is None or gain > best[0]:
                best = (gain, axis.name, points[order[cut]][axis.name])
    if best is None:
        mine = [values[i] for i in inside]
        return [Region(rule or "anywhere", fmean(mine), stdev(mine), len(mine))]
    _, name, bound = best
    parts = {
        "<": [i for i in inside if points[i][name] < bound],
        "≥": [i for i in inside if points[i][name] >= bound],
    }
    return [
        region
        for sign, part in parts.items()
        for region in _halved(
            screen, part, depth - 1, least, f"{rule}, {name} {sign} {_short(bound)}".removeprefix(", ")
        )
    ]


def _short(value: float) -> str:
    """A number in two digits, without a power of ten."""
    return f"{float(f'{value:.2g}'):g}"
