"""Tables of a result: rows of metrics, columns of variants, intervals, and paired differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .. import metrics
from ..errors import UsageError
from ..metrics import statistics
from ..present import intervals
from ..quantities import wording
from .variant import Variant

#: Kinds of rows of a table.
PER = ("total", "class", "flow")


@dataclass(frozen=True)
class Cell:
    """Mean over ``n`` replications with the half-width of its interval.

    ``half_width`` is None for n < 2; ``mean`` is None if no run has a value.
    """

    mean: float | None
    half_width: float | None
    n: int


@dataclass(frozen=True)
class Row:
    """One metric at one place (``scope``: a link, class or flow number; "" is the main link or all flows)."""

    metric: str
    scope: str
    unit: str
    better: str
    title: str
    cells: tuple[Cell, ...]

    @property
    def key(self) -> str:
        """Name and scope: ``goodput_bps`` or ``goodput_bps[tcp]``."""
        return f"{self.metric}[{self.scope}]" if self.scope else self.metric

    def __str__(self) -> str:
        """The row in one line: ``queueing delay, mean (ms): 84.3 ± 1.8, 9.63 ± 0.27``."""
        largest = max((abs(cell.mean) for cell in self.cells if cell.mean is not None), default=0.0)
        divisor, unit = wording.scaled(self.unit, largest)
        possible = metrics.find(self.metric).possible
        pairs = [
            wording.value(cell.mean, cell.half_width, divisor=divisor, within=possible) for cell in self.cells
        ]
        shown = ", ".join(intervals.interval(*pair) for pair in pairs)
        return f"{self.title}{f' ({unit})' if unit else ''}: {shown}"

    @property
    def zero(self) -> bool:
        """Whether the metric is zero in every run of every variant that has it."""
        return all(not cell.mean and not cell.half_width for cell in self.cells)


@dataclass(frozen=True)
class Difference:
    """A variant less the baseline, paired by seed.

    ``p_adjusted`` is Holm's over the list it is part of; ``real`` is whether it is below 1 - confidence. ``improves``
    is None where neither direction is better.
    """

    metric: str
    scope: str
    unit: str
    variant: str
    baseline: str
    mean: float
    half_width: float | None
    n: int
    p: float
    p_adjusted: float
    real: bool
    improves: bool | None

    @property
    def key(self) -> str:
        """Name and scope, as for a row."""
        return f"{self.metric}[{self.scope}]" if self.scope else self.metric


def rows(
    variants: Sequence[Variant], level: float, *, per: str = "total", only: Iterable[str] = ()
) -> list[Row]:
    """One row for each metric and place at which some run has a value.

    ``per`` is "total", "class" or "flow"; ``only`` names metrics (``sojourn_ms_p95``) instead of those
    shown unasked. Raises UsageError for an unknown name.
    """
    check_per(per)
    chosen = [metrics.find(name) for name in only]
    wanted = chosen or [metric for metric in metrics.ordered() if metric.shown]
    return [row for metric in wanted for row in _rows_of(variants, level, metric, per, full=bool(chosen))]


def check_per(per: str) -> None:
    """Raises UsageError for anything a table cannot be taken of."""
    if per not in PER:
        raise UsageError("per", per, f"must be one of {', '.join(PER)}", "choose one of these")


def _rows_of(
    variants: Sequence[Variant], level: float, metric: metrics.Metric, per: str, *, full: bool
) -> Iterable[Row]:
    if per == "flow" and metric.per != "flow":
        return
    first = [variant.runs[0] for variant in variants if variant.runs]
    scopes = dict.fromkeys(
        scope for run in first for scope in metrics.places(run, metric, per=per, full=full)
    )
    for scope in scopes:
        cells = tuple(_cell(variant.values(metric.name, scope=scope), level) for variant in variants)
        if any(cell.mean is not None for cell in cells):
            title = f"{metric.title} ({scope})" if scope else metric.title
            row = Row(metric.name, scope, metric.unit, metric.better, title, cells)
            if full or not (metric.rare and row.zero):
                yield row


def _cell(values: list[float | None], level: float) -> Cell:
    interval = statistics.t_interval(values, confidence=level)
    return Cell(interval.mean, interval.half_width, interval.n)


def differences(
    variants: Sequence[Variant], level: float, *, per: str = "total", only: Iterable[str] = ()
) -> list[Difference]:
    """Paired differences from the baseline, of every row that is not zero throughout, Holm-corrected
    together."""
    paired: list[tuple[Row, str, statistics.PairedDifference]] = []
    for row in rows(variants, level, per=per, only=only):
        if row.zero:
            continue
        base = variants[0].values(row.metric, scope=row.scope)
        for variant in variants[1:]:
            values = variant.values(row.metric, scope=row.scope)
            pair = statistics.paired(values, base, confidence=level)
            if pair is not None:
                paired.append((row, variant.name, pair))
    adjusted = statistics.holm([pair.p for _, _, pair in paired])
    alpha = 1.0 - level
    return [
        Difference(
            metric=row.metric, scope=row.scope, unit=row.unit, variant=name, baseline=variants[0].name,
            mean=pair.mean, half_width=pair.half_width, n=pair.n, p=pair.p, p_adjusted=p,
            real=p < alpha, improves=_improves(row.better, pair.mean, real=p < alpha),
        )
        for (row, name, pair), p in zip(paired, adjusted, strict=True)
    ]  # fmt: skip


def _improves(better: str, mean: float, *, real: bool) -> bool | None:
    if better == "none" or not real:
        return None
    return (mean > 0) == (better == "higher")
