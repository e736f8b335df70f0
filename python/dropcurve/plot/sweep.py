"""Figures of a sweep: main effects, heat maps of two settings, and lines over one setting in small multiples.

The settings with the largest effects on the first metric take the places that are read most easily: the x axis first,
then rows of a map or lines of a panel, then one panel for each level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..metrics import find, main_effects, split
from ..metrics.main_effects import Levels, RunValue
from ..metrics.statistics import Interval
from ..quantities import wording
from . import labels, style
from .panels import Line, Map, Panel, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Most panels of a figure.
MOST_PANELS = 12
#: Title and caption of each kind of figure.
KINDS: Mapping[str, tuple[str, str]] = {
    "main_effects": (
        "Main effects",
        "Each panel shows the mean of a metric at the levels of one setting, over all levels of the others, with the "
        "95 % interval over the seeds. The steeper the line, the more the setting matters.",
    ),
    "heat_map": (
        "Two settings at once",
        "Each field is the mean of a metric at one pair of settings. Where the darkest field of a row moves from row "
        "to row, the best value of one setting depends on the other.",
    ),
    "lines": (
        "One setting, the others held",
        "Each line holds the other settings, with 95 % intervals over the seeds. Lines that are not parallel show an "
        "interaction.",
    ),
}

#: Name, means and look of each line of a panel.
_Lines = Sequence[tuple[str, Sequence[Interval], int]]


@dataclass(frozen=True)
class MetricRuns:
    """The values of one metric in all runs of a sweep."""

    metric: str
    runs: Sequence[RunValue]

    @property
    def scale(self) -> tuple[float, str]:
        """Divisor and unit to show the values in."""
        largest = max((abs(run.value) for run in self.runs if run.value is not None), default=0.0)
        return wording.scaled(find(split(self.metric)[0]).unit, largest)

    @property
    def label(self) -> str:
        """Name and unit for an axis."""
        name, scope = split(self.metric)
        title, unit = find(name).title, self.scale[1]
        return labels.plain(f"{title}{f' of {scope}' if scope else ''}{f' ({unit})' if unit else ''}")


def available(settings: Sequence[str], measured: Sequence[MetricRuns]) -> tuple[str, ...]:
    """The kinds that these settings allow: a map and lines need two with several values, main effects one."""
    varied = len(_axes(settings, measured))
    return tuple(KINDS) if varied > 1 else tuple(KINDS)[:varied]


def draw(
    kind: str, settings: Sequence[str], measured: Sequence[MetricRuns], *, width: str | float = "page"
) -> Figure:
    """Draws one kind of figure of a sweep; call it within `style.styled`.

    Args:
        kind: One of `KINDS`.
        settings: Names of the varied settings.
        measured: The metrics to show, the first decides which settings come first.
        width: "page", "column" or inches.

    Raises:
        UsageError: For an unknown kind, or one that needs more settings than were varied.
    """
    if kind not in KINDS:
        raise UsageError("plot kind", repr(kind), f"a sweep has {', '.join(KINDS)}", "choose one of these")
    kinds = available(settings, measured)
    if not kinds:
        rule = "needs runs at several values of a setting, and these have one"
        raise UsageError(
            "plot kind", repr(kind), rule, "vary a setting, or run the sweep again if runs are missing"
        )
    if kind not in kinds:
        raise UsageError(
            "plot kind", repr(kind), "needs two varied settings", "choose main_effects, which shows one"
        )
    width_in = style.width_in(width)
    axes = _axes(settings, measured)
    drawn: list[Panel | Map] = []
    for one in measured:
        drawn += _PANELS[kind](axes, one)
    columns = min(len(axes), 3) if kind == "main_effects" else 2
    return panels(drawn[:MOST_PANELS], width_in, columns=columns)


def _axes(settings: Sequence[str], measured: Sequence[MetricRuns]) -> list[Levels]:
    """The axes by the size of their effect on the first metric, the largest first."""
    return [one.levels for one in main_effects.effects(settings, measured[0].runs)] if measured else []


def _main_effects(axes: Sequence[Levels], measured: MetricRuns) -> list[Panel]:
    lines = [(axis, [("", main_effects.effect(axis, measured.runs).means, 0)], "") for axis in axes]
    return _alike(lines, measured)


def _heat_maps(axes: Sequence[Levels], measured: MetricRuns) -> list[Map]:
    across, down, *rest = axes
    return [
        Map(
            [
                [
                    _mean(runs, {across.setting: x, down.setting: y}, axes) / measured.scale[0]
                    for x in range(len(across.values))
                ]
                for y in range(len(down.values))
            ],
            _names(down), _names(across), _title(across), _title(down),
            title="\n".join(filter(None, (measured.label, held))), middle=None,
        )
        for held, runs in _held(rest, measured.runs)
    ]  # fmt: skip


def _lines(axes: Sequence[Levels], measured: MetricRuns) -> list[Panel]:
    numeric = [axis for axis in axes if axis.numeric]
    across = numeric[0] if numeric else axes[0]
    each, *rest = [axis for axis in axes if axis is not across]
    panels = []
    for held, runs in _held(rest, measured.runs):
        lines = []
        for place, name in enumerate(_names(each)):
            chosen = [run for run in runs if each.index(run.settings[each.setting]) == place]
            lines.append(
                (f"{_words(each)} {name}{_unit(each)}", main_effects.effect(across, chosen).means, place)
            )
        panels.append((across, lines, held))
    return _alike(panels, measured)


def _held(rest: Sequence[Levels], runs: Sequence[RunValue]) -> list[tuple[str, list[RunValue]]]:
    """The runs of each level of the third setting, with its name; of all further settings all levels together."""
    if not rest:
        return [("", list(runs))]
    axis = rest[0]
    by_level: list[list[RunValue]] = [[] for _ in axis.values]
    for run in runs:
        by_level[axis.index(run.settings[axis.setting])].append(run)
    names = [f"{_words(axis)} {name}{_unit(axis)}" for name in _names(axis)]
    return list(zip(names, by_level, strict=True))


def _mean(runs: Sequence[RunValue], places: Mapping[str, int], axes: Sequence[Levels]) -> float:
    by_name = {axis.setting: axis for axis in axes}
    values = [
        run.value
        for run in runs
        if run.value is not None
        and math.isfinite(run.value)
        and all(by_name[name].index(run.settings[name]) == place for name, place in places.items())
    ]
    return math.fsum(values) / len(values) if values else math.nan


def _alike(wanted: Sequence[tuple[Levels, _Lines, str]], measured: MetricRuns) -> list[Panel]:
    """Panels of one metric over the same span, so that they can be compared; no share beyond 0 to 100 %."""
    divisor, unit = measured.scale
    ends = [
        (one.mean + sign * (one.half_width or 0.0)) / divisor
        for _, lines, _ in wanted
        for _, means, _ in lines
        for one in means
        if one.mean is not None
        for sign in (-1, 1)
    ]
    values = [run.value / divisor for run in measured.runs if run.value is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.06 * (high - low or abs(high) or 1.0)
    if unit == "%" and max(values, default=0.0) <= 100.0:
        high = min(high, 100.0)
    low = low - room if min(values, default=0.0) < 0.0 else max(low - room, 0.0)
    return [_panel(axis, lines, measured, title, (low, high + room)) for axis, lines, title in wanted]


def _panel(
    axis: Levels, lines: _Lines, measured: MetricRuns, title: str, span: tuple[float, float]
) -> Panel:  # fmt: skip
    divisor = measured.scale[0]
    places = (
        [float(level) for level in axis.values]
        if axis.numeric
        else [float(i) for i in range(len(axis.values))]
    )
    drawn = []
    for name, means, look in lines:
        known = [(x, one) for x, one in zip(places, means, strict=True) if one.mean is not None]
        drawn.append(Line(
            name, [x for x, _ in known], [(one.mean or 0.0) / divisor for _, one in known],
            [(one.half_width or 0.0) / divisor for _, one in known], look, joined=axis.numeric,
        ))  # fmt: skip
    shown = axis.logarithmic or not axis.numeric or len(axis.values) <= 6
    return Panel(
        drawn, _title(axis), measured.label, title, log_x=axis.logarithmic, zero=False,
        ticks=dict(zip(places, _names(axis), strict=True)) if shown else None, bottom=span[0], top=span[1],
    )  # fmt: skip


def _scale(axis: Levels) -> tuple[float, str]:
    """Divisor and unit of a setting whose name ends with its unit."""
    if not axis.numeric:
        return 1.0, ""
    return wording.scaled(wording.setting(axis.setting)[1], max(abs(float(level)) for level in axis.values))


def _names(axis: Levels) -> list[str]:
    """The levels as text."""
    divisor, _ = _scale(axis)
    return [
        labels.plain(labels.shorten(level, limit=16)) if isinstance(level, str) else f"{level / divisor:.3g}"
        for level in axis.values
    ]


def _unit(axis: Levels) -> str:
    unit = _scale(axis)[1]
    return f" {unit}" if unit else ""


def _words(axis: Levels) -> str:
    """The name of a setting, without its unit."""
    return labels.plain(wording.setting(axis.setting)[0])


def _title(axis: Levels) -> str:
    """The name of a setting with the unit of its levels."""
    unit = _scale(axis)[1]
    return f"{_words(axis)} ({unit})" if unit else _words(axis)


_PANELS: Mapping[str, Callable[[Sequence[Levels], MetricRuns], Sequence[Panel | Map]]] = {
    "main_effects": _main_effects,
    "heat_map": _heat_maps,
    "lines": _lines,
}
