"""The registry of metrics."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ..present import intervals
from .run_parts import Run

Better = Literal["higher", "lower", "none"]
Per = Literal["link", "flow", "class"]


@dataclass(frozen=True)
class Metric:
    """A metric with its description.

    ``function`` gets the run and its place and returns the value in ``unit`` ("" for counts and pure
    ratios); ``shown``: tables show it by default; ``rare``: only where some value is not zero.
    ``of`` names the part of `Flows` without which a set of flows has no value, so that it need not be asked.
    """

    name: str
    title: str
    unit: str
    better: Better
    source: str
    per: Per
    shown: bool
    doc: str
    function: Callable[..., float | None]
    rare: bool = False
    of: str = ""

    @property
    def possible(self) -> intervals.Range:
        """Smallest and largest value that it can have; those of plug-ins are not known."""
        if not self.function.__module__.startswith(__package__):
            return intervals.ANY
        return _RANGES.get(self.name) or intervals.possible(self.unit)


#: Ranges that do not follow from the unit: an index, a share, the scale of ITU-T G.107.
_RANGES: dict[str, intervals.Range] = {
    "jain": (0.0, 1.0),
    "sync": (-1.0, 1.0),
    "mos": (1.0, 4.5),
    "page_doublings": (-math.inf, math.inf),
}
#: Every metric by name, in the order of tables.
METRICS: dict[str, Metric] = {}

Function = Callable[[Run, Any], "float | None"]


def metric(
    name: str,
    *,
    title: str,
    unit: str,
    better: Better,
    source: str,
    per: Per,
    shown: bool = False,
    rare: bool = False,
    of: str = "",
) -> Callable[[Function], Function]:
    """Registers a function as a metric.

    A link metric is called with (run, link), a flow metric with (run, `Flows`), a class metric with (run,
    `ClassPair`).

    Args:
        name: Its name, with the unit at the end.
        title: Its heading in tables.
        unit: Its unit.
        better: Whether larger or smaller values are better.
        source: Where the definition comes from.
        per: What it belongs to: links, flows or classes.
        shown: Whether tables show it by default.
        rare: Whether tables show it only where some value is not zero.
        of: The part of `Flows` without which a set of flows has no value.

    Returns:
        The decorator.

    Example:
        >>> @metric("drops_pkts", title="Drops", unit="packets", better="lower", source="", per="link")
        ... def drops(run, link): return link["dropped_pkts"]
    """

    def register(function: Function) -> Function:
        assert name not in METRICS, f"metric {name} is defined twice"
        doc = " ".join((function.__doc__ or "").split())
        METRICS[name] = Metric(name, title, unit, better, source, per, shown or rare, doc, function, rare, of)
        return function

    return register
