"""The means of a sweep as a table: a row for each point, with intervals, and what the intervals do not measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ... import metrics
from ...metrics import statistics
from ...present import intervals
from ...present.text_table import TextTable
from ...quantities import wording

#: Most points of a table in the terminal.
MOST = 40
#: Metrics that a table shows by default.
SHOWN = ("utilisation", "sojourn_ms_mean", "sojourn_ms_p95", "loss", "goodput_bps", "jain")


@dataclass(frozen=True)
class MeansTable:
    """A table of means as text.

    Attributes:
        texts: The settings, then the metrics with their units; a row for each point, at most as many as asked for.
        points: Number of points of the sweep.
        metrics: The metrics shown, by name.
        doubts: Reasons, in sentences, for which the intervals do not measure the uncertainty.
    """

    texts: TextTable
    points: int
    metrics: list[str]
    doubts: list[str]

    @property
    def heads(self) -> Sequence[str]:
        """Headings of the columns."""
        return self.texts.heads

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """The rows."""
        return self.texts.rows


def means_table(
    settings: Sequence[str], rows: Sequence[dict[str, Any]], *, replications: int, most: int | None = None
) -> MeansTable:
    """Returns the means of each point with intervals as text.

    Args:
        settings: The columns of the varied settings.
        rows: The settings and intervals of each point.
        replications: Number of seeds.
        most: Number of points at most (default: all).
    """
    names = [name for name in rows[0] if name != "point"] if rows else []
    shown = [name for name in names if name not in settings]
    scales = {name: _scale(name, rows) for name in shown}
    heads = [*settings, *(f"{name} ({unit})" if unit else name for name, (_, unit) in scales.items())]
    lines = []
    for row in rows[:most]:
        line = [_setting(row[name]) for name in settings]
        for name in shown:
            possible = metrics.find(metrics.split(name)[0]).possible
            line.append(
                intervals.interval(
                    *wording.value(
                        row[name].mean, row[name].half_width, divisor=scales[name][0], within=possible
                    )
                )
            )
        lines.append(line)
    texts = TextTable(heads, lines, words=len(settings))
    return MeansTable(texts, len(rows), shown, list(_doubts(rows, shown, replications)))


def _doubts(rows: Sequence[dict[str, Any]], shown: Sequence[str], seeds: int) -> Iterator[str]:
    """Yields the reasons, in sentences, for which the intervals of a table do not measure the uncertainty."""
    if seeds < statistics.MINIMUM:
        yield (
            f"{wording.count(seeds, 'replication')}: intervals are wide or absent; take {statistics.MINIMUM} or more "
            "(--replications)"
        )
    alike = [row for row in rows if seeds > 1 and shown and not any(row[name].half_width for name in shown)]
    if alike:
        yield (
            f"all replications of {wording.count(len(alike), 'point')} are identical, because nothing there is random, "
            'so their intervals do not measure the uncertainty; start flows at random, such as flows.NAME.start = "'
            'uniform 0 s to 1 s"'
        )


def _setting(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _scale(name: str, rows: Sequence[dict[str, Any]]) -> tuple[float, str]:
    largest = max((abs(row[name].mean) for row in rows if row[name].mean is not None), default=0.0)
    return wording.scaled(metrics.find(metrics.split(name)[0]).unit, largest)
